// A chat platform as an OAuth 2.0 provider, in the protocol of Discord: the authorization code grant with
// state and PKCE (S256), then the profile of the person who allowed it. By oauth4webapi, over our own client.
import * as oauth from 'oauth4webapi'
import type { HttpClient } from '#infra/http/http-client'
import type { Log } from '#infra/process/log'
import { newId } from '#kernel/id'
import { cut } from '#kernel/text'
import type { ChatAccount, ChatAnswer, ChatPlatform } from '#ports/people'

const DEADLINE_MS = 10_000
const MAX_BYTES = 65_536

export interface ChatOptions {
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly profileUrl: string
  readonly scope: string
  readonly clientId: string
  readonly secret: string
}

export function createChatPlatform(
  options: ChatOptions,
  { http, log }: { readonly http: HttpClient; readonly log: Log },
): ChatPlatform {
  const { authorizeUrl, tokenUrl, profileUrl, scope, clientId, secret } = options
  const server: oauth.AuthorizationServer = {
    issuer: new URL(authorizeUrl).origin,
    token_endpoint: tokenUrl,
  }
  const client: oauth.Client = { client_id: clientId }
  const authentication = oauth.ClientSecretPost(secret)
  const callOptions = (operation: string) => ({
    [oauth.customFetch]: fetchBy(http, operation),
    // Without TLS on this machine only.
    [oauth.allowInsecureRequests]: [tokenUrl, profileUrl].every(isLoopback),
  })
  const read = async (
    answer: Parameters<ChatPlatform['readAccount']>[0],
  ): Promise<ChatAccount | null> => {
    const { code, state, verifier, redirectUri } = answer
    const given = new URLSearchParams({ code, state })
    const parameters = oauth.validateAuthResponse(server, client, given, state)
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        ...([server, client, authentication, parameters, redirectUri, verifier] as const),
        callOptions('token'),
      ),
    )
    const profile = await oauth.protectedResourceRequest(
      ...([tokens.access_token, 'GET', new URL(profileUrl)] as const),
      new Headers({ accept: 'application/json' }),
      null,
      callOptions('profile'),
    )
    return profile.ok ? accountOf(await profile.json()) : null
  }
  return {
    authorize: async (redirectUri) => {
      const state = oauth.generateRandomState()
      const verifier = oauth.generateRandomCodeVerifier()
      const url = new URL(authorizeUrl)
      for (const [name, value] of Object.entries({
        ...{ client_id: clientId, response_type: 'code', redirect_uri: redirectUri, scope, state },
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })) {
        url.searchParams.set(name, value)
      }
      return { url: url.href, state, verifier }
    },
    readAccount: async (answer) => {
      try {
        const account = await read(answer)
        if (account !== null) return { kind: 'account', account }
        return { kind: 'unavailable', detail: 'the profile cannot be read' }
      } catch (error) {
        const failure = failureOf(error)
        if (failure.kind === 'unavailable') {
          log.warn({ provider: 'chat', detail: failure.detail }, 'the chat platform did not serve')
        }
        return failure
      }
    },
  }
}

/** `invalid_grant` is about the code; everything else is about us or them. */
function failureOf(error: unknown): Exclude<ChatAnswer, { kind: 'account' }> {
  if (error instanceof oauth.AuthorizationResponseError) {
    return { kind: 'refused', detail: error.error }
  }
  if (error instanceof oauth.ResponseBodyError) {
    const kind = error.error === 'invalid_grant' ? 'refused' : 'unavailable'
    return { kind, detail: error.error }
  }
  return { kind: 'unavailable', detail: error instanceof Error ? error.message : String(error) }
}

const fetchBy =
  (http: HttpClient, operation: string) =>
  async (
    url: string,
    {
      method,
      headers,
      body,
    }: {
      readonly method: string
      readonly headers: Readonly<Record<string, string>>
      readonly body?: unknown
    },
  ): Promise<Response> => {
    const outcome = await http.request({
      ...{ provider: 'chat', operation, method: method === 'POST' ? 'POST' : 'GET', url },
      headers,
      ...(body instanceof URLSearchParams && { body: body.toString() }),
      ...{ deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES },
      context: { requestId: newId() },
    })
    if (outcome.kind !== 'answer') throw new Error(outcome.detail)
    const { status } = outcome
    const isBare = status < 200 || status === 204 || status === 205 || status === 304
    return new Response(isBare ? null : outcome.body, {
      status: Math.max(status, 200),
      headers: outcome.headers,
    })
  }

/** Null for a profile of another form: its texts are shown to people and to partners. */
function accountOf(profile: unknown): ChatAccount | null {
  const { id, username, discriminator, avatar } = (profile ?? {}) as Record<string, unknown>
  if (typeof id !== 'string' || !/^[\w.:-]{1,64}$/.test(id)) return null
  if (typeof username !== 'string' || username.length === 0) return null
  return {
    ...{ id, username: cut(username, 128) },
    discriminator: typeof discriminator === 'string' ? cut(discriminator, 16) : '0',
    avatar: typeof avatar === 'string' && avatar.length <= 256 ? avatar : null,
  }
}

const isLoopback = (url: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
