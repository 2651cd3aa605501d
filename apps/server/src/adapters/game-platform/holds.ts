// What is known before an offer is sent: a token that is no longer good, and items that would be held for
// days. The Web API is asked first; where it says nothing, the trade page says it, with the session of the
// same bot.
import type { Clock } from '#infra/process/clock'
import type { CallContext, NewOffer, Outcome } from '#ports/selling'
import type { Log } from '../shared/feed-counters.ts'
import type { BotSecrets } from './bot-secrets.ts'
import type { BotAnswer, BotCalls } from './calls.ts'
import type { StateMemory } from './memory.ts'
import { detailOf, type Hold, holdOf, platformIdOf, tradePagePath } from './send-form.ts'
import { readTradePage } from './trade-page.ts'

type Obstacle = Exclude<Outcome<never>, { readonly kind: 'ok' | 'unknown' }>

export interface HoldOptions {
  readonly calls: BotCalls
  readonly memory: StateMemory
  readonly clock: Clock
  readonly log: Log
}

const ACCESS_DENIED = 15
const RETRY_AFTER_MS = 2_000
const DAY_SECONDS = 86_400
/** So long a bot is left out whose own trades would be held; then it is tried again. */
export const OWN_HOLD_MS = 86_400_000

/** Null: the offer may be sent. */
export async function refusalBeforeSending(
  options: HoldOptions,
  {
    bot,
    offer,
    context,
  }: { readonly bot: BotSecrets; readonly offer: NewOffer; readonly context: CallContext },
): Promise<Obstacle | null> {
  const answer = await options.calls.ask({
    ...{ bot, operation: 'GetTradeHoldDurations', context },
    query: {
      steamid_target: platformIdOf(offer.partner),
      trade_offer_access_token: offer.token,
    },
  })
  if (answer.kind === 'answer' && answer.status === 200 && answer.result === ACCESS_DENIED) {
    const detail = 'the platform does not take the token of the trade URL'
    return { kind: 'rejected', reason: 'url_invalid', detail }
  }
  const stated = holdOf(answer)
  if (stated !== null) return obstacleOf(stated, { ...options, bot })
  if (!mayPageSay(answer)) {
    return unavailable(detailOf(answer, 'the hold of the partner could not be read'))
  }
  const seen = await holdOfPage(options.calls, { bot, offer, context })
  return 'kind' in seen ? seen : obstacleOf(seen, { ...options, bot })
}

/** An answer that says nothing, or a method that is not for us. */
const mayPageSay = (answer: BotAnswer): boolean =>
  answer.kind === 'answer' &&
  (answer.status === 200 || answer.status === 401 || answer.status === 403 || answer.status >= 500)

async function holdOfPage(
  calls: BotCalls,
  {
    bot,
    offer: { partner, token },
    context,
  }: { readonly bot: BotSecrets; readonly offer: NewOffer; readonly context: CallContext },
): Promise<Hold | Obstacle> {
  const answer = await calls.tradePage({
    ...{ bot, operation: 'trade-page', context },
    path: tradePagePath({ partner, token }),
  })
  if (answer.kind === 'refused') return unavailable(answer.detail, answer.retryAfterMs)
  if (answer.kind === 'lost') return unavailable(answer.detail)
  if (answer.status >= 500) return unavailable(`a trade page came with status ${answer.status}`)
  const page = readTradePage(answer.body, { partner, appId: '730' })
  switch (page.kind) {
    case 'refused':
      return { kind: 'rejected', reason: page.reason, detail: page.detail }
    case 'unreadable':
      return unavailable(page.detail)
    case 'offer':
      return { theirs: page.holdDays * DAY_SECONDS, ours: page.ownHoldDays * DAY_SECONDS }
  }
}

async function obstacleOf(
  { theirs, ours }: Hold,
  { bot, ...options }: HoldOptions & { readonly bot: BotSecrets },
): Promise<Obstacle | null> {
  if (ours > 0) {
    await leaveOut(options, bot.platformId, OWN_HOLD_MS)
    return unavailable('the platform would hold the items because of the bot itself')
  }
  if (theirs === 0) return null
  const detail = `the platform would hold the items for ${theirs} seconds`
  return { kind: 'rejected', reason: 'trade_hold', detail }
}

/** The bot sends nothing for so long; the others go on. */
export async function leaveOut(
  { memory, clock, log }: Pick<HoldOptions, 'memory' | 'clock' | 'log'>,
  botId: string,
  forMs: number,
): Promise<void> {
  const restrictedUntil = new Date(clock.now().getTime() + forMs)
  log.error({ bot: botId, restrictedUntil, alarm: 'bot_restricted' }, 'a bot may not trade')
  const state = await memory.readState(botId)
  if (state !== null) await memory.writeState(botId, { ...state, restrictedUntil })
}

const unavailable = (detail: string, retryAfterMs = RETRY_AFTER_MS): Obstacle => ({
  kind: 'unavailable',
  detail,
  retryAfterMs,
})
