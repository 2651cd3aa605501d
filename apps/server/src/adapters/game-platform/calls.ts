// Calls that a bot makes with its session: to the Web API with its token, to the site with its cookies.

import type { HttpOutcome, QueryValue } from '#infra/http/http-client'
import type { SendGuard } from '#infra/jobs/send-guard'
import type { CallContext } from '#ports/selling'
import { type Fields, fieldsOf, own, parseJson } from '../shared/reader.ts'
import type { BotSecrets } from './bot-secrets.ts'
import type { CallKind } from './call-kinds.ts'
import type { By, PlatformCalls, PlatformOutcome } from './platform-calls.ts'
import type { SessionDoubts } from './session-doubts.ts'
import type { Session, Sessions } from './sessions.ts'

export type BotAnswer =
  /** `result` is the platform's own number for the outcome; null where it gives none. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly result: number | null
      readonly body: Fields | null
    }
  /** Certain: it was not looked at. */
  | {
      readonly kind: 'refused'
      readonly detail: string
      readonly retryAfterMs: number
      /** Another bot would fare no better: the pace of the kind had no place, or the platform is away. */
      readonly because?: 'pace' | 'away'
    }
  | { readonly kind: 'lost'; readonly detail: string }

export interface BotCall {
  readonly bot: BotSecrets
  /** As logs and metrics name it. */
  readonly operation: string
  readonly context: CallContext
  /** Of a call that moves items: begun when the bot has its turn and its session. */
  readonly guard?: SendGuard
}

/** A page that is not JSON, as it came. */
export type BotPage =
  | Extract<HttpOutcome, { kind: 'answer' }>
  | Exclude<BotAnswer, { readonly kind: 'answer' }>

export interface BotCalls {
  /** A query of the trading interface of the Web API; the answer's `response`. */
  ask(call: BotCall & { readonly query: Readonly<Record<string, QueryValue>> }): Promise<BotAnswer>
  /** A form of the community site. */
  post(
    call: BotCall & {
      readonly kind: 'send' | 'cancel' | 'acknowledge'
      readonly path: string
      /** The page that has the form. */
      readonly referer: string
      readonly form: Readonly<Record<string, string>>
    },
  ): Promise<BotAnswer>
  /** A page of the community site that answers with JSON. */
  get(
    call: BotCall & {
      readonly kind: 'own-inventory' | 'confirmations-list' | 'confirmations-act'
      readonly path: string
      readonly query: Readonly<Record<string, QueryValue>>
    },
  ): Promise<BotAnswer>
  /** The page behind a trade URL, out of the turns that tenants share when it is for one of them. */
  tradePage(
    call: BotCall & { readonly path: string; readonly caller?: By['caller'] },
  ): Promise<BotPage>
}

export interface BotCallsOptions {
  readonly apiUrl: string
  readonly communityUrl: string
  readonly platformCalls: PlatformCalls
  readonly sessions: Sessions
  readonly doubts: SessionDoubts
  readonly deadlineMs: number
  /** For what changes something: giving up early only makes an unknown fate of it. */
  readonly sendDeadlineMs: number
}

const RETRY_AFTER_MS = 5_000
const MAX_BYTES = 16 * 1024 * 1024
/** The platform calls some answers failed that did not fail: what it sent along decides. */
const FALSE_FAILURE = 2
const OK = 1

interface Made {
  readonly kind: CallKind
  readonly caller?: By['caller'] | undefined
  readonly send: (session: Session) => Promise<PlatformOutcome>
}

export function createBotCalls(options: BotCallsOptions): BotCalls {
  const { platformCalls, sessions, doubts, apiUrl, communityUrl } = options

  /** A session that the platform has forgotten did nothing: the call is made again with a new one, once. */
  const withSession = async (
    { bot, operation, context, guard }: BotCall,
    { kind, caller, send }: Made,
  ): Promise<BotPage> => {
    const by = { botId: bot.platformId, ...(caller && { caller }) }
    const waitMs = await platformCalls.turn(kind, by)
    if (waitMs > 0 && (await platformCalls.restsAlone(kind, bot.platformId))) {
      return refused('the kind rests for the bot', waitMs)
    }
    if (waitMs > 0) return refused('no turn within the call budget', waitMs, 'pace')
    for (let attempt = 1; ; attempt += 1) {
      const answer = await sessions.get(bot, context)
      if (answer.kind === 'none') {
        return refused(answer.detail, RETRY_AFTER_MS, answer.isAway ? 'away' : undefined)
      }
      const { session } = answer
      if (guard && !(await guard.begin())) return refused('the work was taken over', RETRY_AFTER_MS)
      const outcome = await send(session)
      if (outcome.kind === 'lost') return outcome
      if (outcome.kind === 'not-sent') return refused(outcome.detail, RETRY_AFTER_MS, 'away')
      if (outcome.kind === 'rests') return refused('too many calls', outcome.retryAfterMs)
      if (!isSessionLost(outcome)) {
        doubts.served(session)
        return outcome
      }
      const refusal = { operation, status: outcome.status, isRenewed: attempt === 2 }
      if (kind === 'web-api' && doubts.isSpared(session, refusal)) return outcome
      sessions.forget(session)
      if (attempt === 2) return refused('the platform takes no session of the bot', RETRY_AFTER_MS)
    }
  }

  return {
    ask: async (call) =>
      read(
        await withSession(call, {
          kind: 'web-api',
          send: ({ accessToken }) =>
            platformCalls.send('web-api', byOf(call), {
              page: `${communityUrl}/`,
              operation: call.operation,
              method: 'GET',
              url: `${apiUrl}/IEconService/${call.operation}/v1/`,
              query: { access_token: accessToken, ...call.query },
              deadlineMs: options.deadlineMs,
              maxBytes: MAX_BYTES,
              context: call.context,
              routine: true,
            }),
        }),
      ),
    post: async (call) =>
      read(
        await withSession(call, {
          kind: call.kind,
          send: ({ cookie, sessionId }) =>
            platformCalls.send(call.kind, byOf(call), {
              page: `${communityUrl}${call.referer}`,
              operation: call.operation,
              method: 'POST',
              url: `${communityUrl}${call.path}`,
              headers: {
                cookie,
                'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
              },
              body: new URLSearchParams({ sessionid: sessionId, ...call.form }).toString(),
              deadlineMs: options.sendDeadlineMs,
              context: { ...call.context, lease: call.guard },
            }),
        }),
      ),
    get: async (call) =>
      read(
        await withSession(call, {
          kind: call.kind,
          send: ({ cookie }) =>
            platformCalls.send(call.kind, byOf(call), {
              page: `${communityUrl}${call.path}`,
              operation: call.operation,
              method: 'GET',
              url: `${communityUrl}${call.path}`,
              query: call.query,
              headers: { cookie },
              deadlineMs: options.deadlineMs,
              maxBytes: MAX_BYTES,
              context: { ...call.context, lease: call.guard },
              routine: true,
            }),
        }),
      ),
    tradePage: (call) =>
      withSession(call, {
        kind: 'trade-page',
        caller: call.caller,
        send: ({ cookie }) =>
          platformCalls.send('trade-page', byOf(call), {
            page: `${communityUrl}${call.path}`,
            operation: call.operation,
            method: 'GET',
            url: `${communityUrl}${call.path}`,
            headers: { cookie },
            deadlineMs: options.deadlineMs,
            maxBytes: MAX_BYTES,
            context: call.context,
          }),
      }),
  }
}

const byOf = ({ bot }: BotCall): By => ({ botId: bot.platformId })

type Answer = Extract<HttpOutcome, { kind: 'answer' }>

type Refused = Extract<BotAnswer, { kind: 'refused' }>

const refused = (detail: string, retryAfterMs: number, because?: Refused['because']): Refused => ({
  kind: 'refused',
  detail,
  retryAfterMs,
  ...(because && { because }),
})

/** Refused at the door, sent to the page for signing in, or refused in JSON. */
function isSessionLost({ status, headers, body }: Answer): boolean {
  if (status === 401 || status === 403) return true
  if (status >= 300 && status < 400) return /\/login/.test(headers.location ?? '')
  return status === 200 && /"needauth"\s*:\s*true/.test(body.slice(0, 200))
}

function read(page: BotPage): BotAnswer {
  if (page.kind !== 'answer') return page
  const { status, headers, body } = page
  const fields = fieldsOf(parseJson(body))
  const stated = Number(headers['x-eresult'] ?? Number.NaN)
  const hasContent = Object.keys(fieldsOf(own(fields ?? {}, 'response')) ?? {}).length > 0
  const result = stated === FALSE_FAILURE && hasContent ? OK : stated
  return { kind: 'answer', status, result: Number.isNaN(result) ? null : result, body: fields }
}
