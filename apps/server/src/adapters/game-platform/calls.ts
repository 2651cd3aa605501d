// Calls that a bot makes with its session: to the Web API with its token, to the site with its cookies.

import type { HttpClient, HttpOutcome, QueryValue } from '#infra/http/http-client'
import type { SendGuard } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import type { CallContext } from '#ports/selling'
import { type Fields, fieldsOf, own, parseJson } from '../shared/reader.ts'
import type { BotSecrets } from './bot-secrets.ts'
import type { Spend } from './budget.ts'
import type { Sessions } from './sessions.ts'
import { SITE_HEADERS } from './site-headers.ts'

export type BotAnswer =
  /** `result` is the platform's own number for the outcome; null where it gives none. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly result: number | null
      readonly body: Fields | null
    }
  /** Certain: it was not looked at. */
  | { readonly kind: 'refused'; readonly detail: string; readonly retryAfterMs: number }
  | { readonly kind: 'lost'; readonly detail: string }

export interface BotCall {
  readonly bot: BotSecrets
  readonly operation: string
  readonly context: CallContext
  /** Of a call that moves items: begun when the bot has its turn and its session. */
  readonly guard?: SendGuard
}

export interface BotCalls {
  /** A query of the trading interface of the Web API; the answer's `response`. */
  ask(call: BotCall & { readonly query: Readonly<Record<string, QueryValue>> }): Promise<BotAnswer>
  /** A form of the community site. */
  post(
    call: BotCall & {
      readonly path: string
      readonly referer: string
      readonly form: Readonly<Record<string, string>>
    },
  ): Promise<BotAnswer>
  /** A page of the community site that answers with JSON. */
  get(
    call: BotCall & {
      readonly path: string
      readonly query: Readonly<Record<string, QueryValue>>
    },
  ): Promise<BotAnswer>
}

export interface BotCallsOptions {
  readonly apiUrl: string
  readonly communityUrl: string
  readonly http: HttpClient
  readonly sessions: Sessions
  readonly spend: Spend
  /** Between two calls of one bot, and between two calls from our address to the site. */
  readonly spacingMs: number
  readonly siteSpacingMs: number
  /** For so long no call is made to a host that has answered 429. */
  readonly barredMs: number
  readonly clock: Clock
  readonly deadlineMs: number
  /** For what changes something: giving up early only makes an unknown fate of it. */
  readonly sendDeadlineMs: number
}

const RETRY_AFTER_MS = 5_000
const MAX_BYTES = 16 * 1024 * 1024
/** The platform calls some answers failed that did not fail: what it sent along decides. */
const FALSE_FAILURE = 2
const OK = 1

/** The two are counted, and closed to us, apart. */
type Host = 'api' | 'site'

type Send = (session: {
  readonly accessToken: string
  readonly cookie: string
  readonly sessionId: string
}) => Promise<HttpOutcome>

export function createBotCalls(options: BotCallsOptions): BotCalls {
  const { http, sessions, apiUrl, communityUrl, clock } = options
  const barredUntilMs: Record<Host, number> = { api: 0, site: 0 }
  const nowMs = (): number => clock.now().getTime()

  /** 0 when the call may go out; else when to come again. */
  const turnFor = async (bot: BotSecrets, host: Host): Promise<number> => {
    const barredMs = barredUntilMs[host] - nowMs()
    if (barredMs > 0) return barredMs
    const botMs = await options.spend(`bot:${bot.platformId}`, options.spacingMs)
    if (botMs > 0 || host === 'api') return botMs
    return options.spend('platform-site', options.siteSpacingMs)
  }

  /** A session that the platform has forgotten did nothing: the call is made again with a new one, once. */
  const withSession = async (
    { bot, context, guard }: BotCall,
    host: Host,
    send: Send,
  ): Promise<BotAnswer> => {
    const waitMs = await turnFor(bot, host)
    if (waitMs > 0) return refused('no turn within the call budget', waitMs)
    for (let attempt = 1; ; attempt += 1) {
      const answer = await sessions.get(bot, context)
      if (answer.kind === 'none') return refused(answer.detail, RETRY_AFTER_MS)
      if (guard && !(await guard.begin())) return refused('the work was taken over', RETRY_AFTER_MS)
      const outcome = await send(answer.session)
      if (outcome.kind === 'lost') return outcome
      if (outcome.kind === 'not-sent') return refused(outcome.detail, RETRY_AFTER_MS)
      if (outcome.status === 429) {
        barredUntilMs[host] = nowMs() + options.barredMs
        return refused('too many calls', Math.max(options.barredMs, RETRY_AFTER_MS))
      }
      if (!isSessionLost(outcome)) return read(outcome)
      sessions.forget(answer.session)
      if (attempt === 2) return refused('the platform takes no session of the bot', RETRY_AFTER_MS)
    }
  }

  return {
    ask: (call) =>
      withSession(call, 'api', ({ accessToken }) =>
        http.request({
          provider: 'game_platform',
          operation: call.operation,
          method: 'GET',
          url: `${apiUrl}/IEconService/${call.operation}/v1/`,
          query: { access_token: accessToken, ...call.query },
          deadlineMs: options.deadlineMs,
          maxBytes: MAX_BYTES,
          context: call.context,
          routine: true,
        }),
      ),
    post: (call) =>
      withSession(call, 'site', ({ cookie, sessionId }) =>
        http.request({
          provider: 'game_platform',
          operation: call.operation,
          method: 'POST',
          url: `${communityUrl}${call.path}`,
          headers: {
            ...SITE_HEADERS,
            cookie,
            'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
            origin: new URL(communityUrl).origin,
            referer: `${communityUrl}${call.referer}`,
          },
          body: new URLSearchParams({ sessionid: sessionId, ...call.form }).toString(),
          deadlineMs: options.sendDeadlineMs,
          context: { ...call.context, lease: call.guard },
        }),
      ),
    get: (call) =>
      withSession(call, 'site', ({ cookie }) =>
        http.request({
          provider: 'game_platform',
          operation: call.operation,
          method: 'GET',
          url: `${communityUrl}${call.path}`,
          query: call.query,
          headers: { ...SITE_HEADERS, cookie },
          deadlineMs: options.deadlineMs,
          maxBytes: MAX_BYTES,
          context: { ...call.context, lease: call.guard },
          routine: true,
        }),
      ),
  }
}

type Answer = Extract<HttpOutcome, { kind: 'answer' }>

const refused = (detail: string, retryAfterMs: number): BotAnswer => ({
  kind: 'refused',
  detail,
  retryAfterMs,
})

/** Refused at the door, sent to the page for signing in, or refused in JSON. */
function isSessionLost({ status, headers, body }: Answer): boolean {
  if (status === 401 || status === 403) return true
  if (status >= 300 && status < 400) return /\/login/.test(headers.location ?? '')
  return status === 200 && /"needauth"\s*:\s*true/.test(body.slice(0, 200))
}

function read({ status, headers, body }: Answer): BotAnswer {
  const fields = fieldsOf(parseJson(body))
  const stated = Number(headers['x-eresult'] ?? Number.NaN)
  const hasContent = Object.keys(fieldsOf(own(fields ?? {}, 'response')) ?? {}).length > 0
  const result = stated === FALSE_FAILURE && hasContent ? OK : stated
  return { kind: 'answer', status, result: Number.isNaN(result) ? null : result, body: fields }
}
