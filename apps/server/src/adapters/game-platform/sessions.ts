// Sessions of our bots. The platform's own library knows how to log in; its calls go out through our one
// HTTP client, so that deadlines, logs and the sandbox's address hold for them too.
import { randomBytes } from 'node:crypto'
import type { LoginSession } from 'steam-session'
import type { Clock } from '#infra/process/clock'
import type { CallContext } from '#ports/selling'
import type { Log } from '../shared/feed-counters.ts'
import { type BotSecrets, tokenClaims } from './bot-secrets.ts'
import type { RunExclusively } from './exclusive.ts'
import type { BotMemory } from './memory.ts'
import type { PlatformCalls } from './platform-calls.ts'

export interface Session {
  readonly platformId: string
  readonly accessToken: string
  readonly cookie: string
  /** Forms repeat it: a page of another site cannot know it. */
  readonly sessionId: string
  readonly expiresAt: Date
}

export type SessionAnswer =
  | { readonly kind: 'session'; readonly session: Session }
  /** `isAway`: the platform did not answer, which says nothing of the bot. */
  | { readonly kind: 'none'; readonly detail: string; readonly isAway: boolean }

export interface Sessions {
  get(bot: BotSecrets, context: CallContext): Promise<SessionAnswer>
  /** The platform does not know it any more. */
  forget(session: Session): void
}

export interface SessionsOptions {
  readonly apiUrl: string
  readonly platformCalls: PlatformCalls
  readonly clock: Clock
  readonly log: Log
  readonly memory: BotMemory
  readonly exclusively: RunExclusively
  readonly deadlineMs: number
  /** A refresh token that ends sooner than this is renewed. */
  readonly renewBeforeMs: number
}

/** An access token lives for a day; it must not end in the middle of a send. */
const USED_UP_BEFORE_MS = 3_600_000

export function createSessions(options: SessionsOptions): Sessions {
  const { clock, log, memory, exclusively } = options
  const sessions = new Map<string, Session>()
  const starting = new Map<string, Promise<SessionAnswer>>()

  const logIn = async (login: LoginSession, token: string): Promise<void> => {
    login.refreshToken = token
    const claims = tokenClaims(token)
    const leftMs = (claims?.expiresAt.getTime() ?? 0) - clock.now().getTime()
    if (leftMs >= options.renewBeforeMs) await login.refreshAccessToken()
    else if (await login.renewRefreshToken()) {
      await memory.writeRefreshToken(claims?.platformId ?? '', login.refreshToken)
    }
  }

  const start = async (bot: BotSecrets, context: CallContext): Promise<SessionAnswer> => {
    const { platformId } = bot
    // Its messages take a tenth of a start to read, and no process but one that sends offers logs in.
    const { EAuthTokenPlatformType, LoginSession } = await import('steam-session')
    const login = new LoginSession(EAuthTokenPlatformType.MobileApp, {
      transport: createTransport(options, platformId, context),
    })
    const turn = await exclusively(`bot-login:${platformId}`, async () => {
      const stored = await memory.readRefreshToken(platformId)
      const [first, second] = byAge(bot.refreshToken, stored)
      await logIn(login, first).catch((error: Refusal) => {
        if (second === undefined || error.eresult === undefined) throw error
        return logIn(login, second)
      })
    })
    if (turn.kind === 'busy') {
      return { kind: 'none', detail: 'another process is logging it in', isAway: false }
    }
    const session = sessionOf(platformId, login.accessToken)
    sessions.set(platformId, session)
    return { kind: 'session', session }
  }

  const tryToStart = async (bot: BotSecrets, context: CallContext): Promise<SessionAnswer> => {
    try {
      return await start(bot, context)
    } catch (error) {
      const { message, eresult } = error as Refusal
      const fields = { requestId: context.requestId, bot: bot.platformId, detail: message }
      // A number is the platform's own answer: without a new log-in by hand this bot is lost.
      if (eresult === undefined) log.warn(fields, 'a bot could not be logged in')
      else
        log.error(
          { ...fields, eresult, alarm: 'bot_log_in_refused' },
          'the platform refuses a bot’s log-in',
        )
      const detail = `the bot could not be logged in: ${message}`
      return { kind: 'none', detail, isAway: eresult === undefined }
    }
  }

  return {
    get(bot, context) {
      const known = sessions.get(bot.platformId)
      const isFresh =
        known !== undefined && known.expiresAt.getTime() - clock.now().getTime() > USED_UP_BEFORE_MS
      if (isFresh) return Promise.resolve({ kind: 'session', session: known })
      const started = starting.get(bot.platformId) ?? tryToStart(bot, context)
      starting.set(bot.platformId, started)
      return started.finally(() => starting.delete(bot.platformId))
    },
    forget(session) {
      if (sessions.get(session.platformId) === session) sessions.delete(session.platformId)
    },
  }
}

/** With the platform's own number for the outcome, where it gave one. */
type Refusal = Error & { readonly eresult?: number }

/**
 * Logging a bot in by hand gives it a newer token than the one that we renewed last. The older one is
 * tried when the platform does not know the newer, as after one of the two was restored from a backup.
 */
function byAge(configured: string, stored: string | null): [string, ...string[]] {
  if (stored === null || stored === configured) return [configured]
  const age = (token: string): number => tokenClaims(token)?.issuedAt.getTime() ?? 0
  return age(configured) > age(stored) ? [configured, stored] : [stored, configured]
}

function sessionOf(platformId: string, accessToken: string): Session {
  const claims = tokenClaims(accessToken)
  if (claims?.platformId !== platformId) throw new Error('the access token is of another account')
  const sessionId = randomBytes(12).toString('hex')
  // The token of the phone's app is the site's cookie as well.
  const secure = encodeURIComponent(`${platformId}||${accessToken}`)
  return {
    platformId,
    accessToken,
    sessionId,
    cookie: `steamLoginSecure=${secure}; sessionid=${sessionId}`,
    expiresAt: claims.expiresAt,
  }
}

/**
 * The library's calls: a protocol buffer in a form, with the library's own headers, another one as the
 * answer.
 */
function createTransport(
  { apiUrl, platformCalls, deadlineMs }: SessionsOptions,
  botId: string,
  context: CallContext,
) {
  return {
    async sendRequest(request: {
      readonly apiInterface: string
      readonly apiMethod: string
      readonly apiVersion: number
      readonly requestData?: Uint8Array
      readonly headers?: Readonly<Record<string, string | number>>
    }) {
      const { apiInterface, apiMethod, apiVersion, requestData = new Uint8Array() } = request
      const waitMs = await platformCalls.turn('log-in', { botId })
      if (waitMs > 0) throw new Error('no turn to log in within the call budget')
      const form = new URLSearchParams({
        input_protobuf_encoded: Buffer.from(requestData).toString('base64'),
      })
      const outcome = await platformCalls.send(
        'log-in',
        { botId },
        {
          page: apiUrl,
          operation: 'log-in',
          method: 'POST',
          url: `${apiUrl}/I${apiInterface}Service/${apiMethod}/v${apiVersion}/`,
          headers: {
            ...lowerCased(request.headers ?? {}),
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: form.toString(),
          deadlineMs,
          isBinary: true,
          context,
        },
      )
      if (outcome.kind === 'rests') throw new Error('the platform refuses log-ins for a while')
      if (outcome.kind !== 'answer') throw new Error(outcome.detail)
      const result = Number(outcome.headers['x-eresult'] ?? Number.NaN)
      if (outcome.status !== 200 || Number.isNaN(result)) {
        throw new Error(`the log-in was answered with status ${outcome.status}`)
      }
      const errorMessage = outcome.headers['x-error_message']
      return {
        result,
        ...(errorMessage === undefined ? {} : { errorMessage }),
        responseData: Buffer.from(outcome.body, 'latin1'),
      }
    },
    close() {},
  }
}

const lowerCased = (headers: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
