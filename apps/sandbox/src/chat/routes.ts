// The endpoints of an OAuth 2.0 provider (RFC 6749): the page on which a person allows a site to read their
// profile, the exchange of the code, and the profile. Its protocol is that of Discord.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AuthorizationRequest, type Problem, readAuthorization } from './authorization.ts'
import { type Grants, TOKEN_SECONDS } from './grants.ts'
import { chatPages, sendConsentPage, sendProblemPage } from './page.ts'
import type { ChatSettings } from './settings.ts'

export interface ChatDeps {
  readonly settings: ChatSettings
  readonly grants: Grants
}

const MOST_NAME = 32

export function serveChat(app: FastifyInstance, deps: ChatDeps): void {
  const { settings, grants } = deps
  chatPages.serve(app)
  app.get('/authorize', (request, reply) => {
    const asked = readAuthorization(fieldsOf(request.query), settings)
    if ('problem' in asked) return refuse(reply, asked)
    return sendConsentPage(reply, asked)
  })
  app.post('/authorize', (request, reply) => {
    const fields = fieldsOf(request.body)
    const asked = readAuthorization(fields, settings)
    if ('problem' in asked) return refuse(reply, asked)
    if (fields.choice !== 'allow') return sendBack(reply, asked, { error: 'access_denied' })
    const username = (fields.username ?? '').trim().slice(0, MOST_NAME) || 'sandbox'
    const { redirectUri, codeChallenge, scope } = asked
    const code = grants.issue({ redirectUri, codeChallenge, scope, username })
    return sendBack(reply, asked, { code })
  })
  app.post('/token', (request, reply) => answerToken(deps, request, reply))
  app.get('/users/@me', (request, reply) => {
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const grant = token === undefined ? null : grants.find(token)
    if (grant === null) {
      return reply.code(401).header('www-authenticate', 'Bearer').send({ message: 'Unauthorized' })
    }
    return reply.header('cache-control', 'no-store').send(profileOf(grant.username))
  })
}

function answerToken(
  { settings, grants }: ChatDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const fields = fieldsOf(request.body)
  reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
  if (fields.client_id !== settings.clientId || fields.client_secret !== settings.secret) {
    return reply.code(401).send({ error: 'invalid_client' })
  }
  if (fields.grant_type !== 'authorization_code') {
    return reply.code(400).send({ error: 'unsupported_grant_type' })
  }
  const { code = '', redirect_uri: redirectUri = '', code_verifier: codeVerifier = '' } = fields
  const exchanged = grants.exchange({ code, redirectUri, codeVerifier })
  if (exchanged === null) return reply.code(400).send({ error: 'invalid_grant' })
  const { token, grant } = exchanged
  return reply.send({
    ...{ access_token: token, token_type: 'Bearer' },
    ...{ expires_in: TOKEN_SECONDS, scope: grant.scope },
  })
}

/** The same name is the same account at every visit. */
const profileOf = (username: string) => {
  const bytes = createHash('sha256').update(username.toLowerCase()).digest()
  return {
    id: String(bytes.readBigUInt64BE() >> 2n),
    username,
    discriminator: '0',
    avatar: bytes.toString('hex', 8, 24),
  }
}

function sendBack(
  reply: FastifyReply,
  { redirectUri, state }: AuthorizationRequest,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  const to = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...answer, state })) to.searchParams.set(name, value)
  return reply.code(303).headers({ location: to.href, 'cache-control': 'no-store' }).send()
}

/** Where the address to return to is not the client's own, the person stays here (RFC 6749, 4.1.2.1). */
const refuse = (reply: FastifyReply, { problem, returnTo }: Problem): FastifyReply =>
  returnTo === null
    ? sendProblemPage(reply, problem)
    : sendBack(reply, returnTo, { error: 'invalid_request', error_description: problem })

type Fields = Readonly<Record<string, string | undefined>>

const fieldsOf = (given: unknown): Fields =>
  Object.fromEntries(
    Object.entries((given ?? {}) as Record<string, unknown>).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
