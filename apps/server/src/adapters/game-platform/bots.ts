// Our own accounts on the platform: offers are sent, confirmed, looked for, followed and canceled. What
// changes something runs one at a time for each bot, over all processes, and leaves only under the guard of
// its caller; questions run as they come.
import type { Clock } from '#infra/process/clock'
import { createBoundedCache } from '#infra/process/memo'
import type {
  Bots,
  ExchangeSnapshot,
  GuardedContext,
  NewOffer,
  OfferSnapshot,
  Outcome,
} from '#ports/selling'
import type { Log } from '../shared/feed-counters.ts'
import { own } from '../shared/reader.ts'
import type { BotSecrets } from './bot-secrets.ts'
import type { BotAnswer, BotCalls } from './calls.ts'
import type { Confirmations } from './confirmations.ts'
import type { RunExclusively } from './exclusive.ts'
import { leaveOut, refusalBeforeSending } from './holds.ts'
import type { BotMemory } from './memory.ts'
import { isSameAssets, lingersSince, readTrade } from './offer.ts'
import type { OfferReader } from './offer-reader.ts'
import { readSendAnswer } from './send-answer.ts'
import { detailOf, formOf, rowsOf } from './send-form.ts'

export interface BotsOptions {
  /** Resolves to null in a process that reads how the bots are and does not act as one. */
  readonly findBot: (platformId: string) => Promise<BotSecrets | null>
  readonly listBots: () => Promise<readonly BotSecrets[]>
  readonly calls: BotCalls
  readonly offers: OfferReader
  readonly confirmations: Confirmations
  readonly memory: BotMemory
  readonly exclusively: RunExclusively
  readonly clock: Clock
  readonly log: Log
  /** From a send on, for so long the offer may still appear although no answer came. */
  readonly settleMs: number
  /** A bot that has not been seen for so long is not online. */
  readonly staleMs: number
}

const RETRY_AFTER_MS = 2_000
/** A trade is worked off within seconds. */
const LINGERS_MS = 3_600_000
const MOST_LINGERING = 1_000
/** The platform locks an account in for a week when it was used from a new device. */
const NEW_DEVICE_MS = 7 * 86_400_000

export function createBots(options: BotsOptions): Bots {
  const { calls, offers, confirmations, memory, clock, log } = options

  const withBot = async <T>(
    botId: string,
    work: (bot: BotSecrets) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> => {
    const bot = await options.findBot(botId)
    return bot === null ? unavailable(`no bot ${botId} here`) : work(bot)
  }
  const alone = async <T>(botId: string, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const turn = await options.exclusively(`bot:${botId}`, work)
    return turn.kind === 'done' ? turn.value : unavailable('the bot is busy')
  }

  const send = async (
    bot: BotSecrets,
    offer: NewOffer,
    context: GuardedContext,
  ): Promise<Outcome<{ readonly offerId: string }>> => {
    const held = await refusalBeforeSending(options, { bot, offer, context })
    if (held !== null) return held
    const { path, referer, form } = formOf(offer)
    const answer = await calls.post({
      ...{ bot, kind: 'send', operation: 'send-offer', context, guard: context.guard },
      ...{ path, referer, form },
    })
    if (answer.kind === 'refused') return unavailable(answer.detail, answer.retryAfterMs)
    if (answer.kind === 'lost') return { kind: 'unknown', detail: answer.detail }
    const sent = readSendAnswer(answer.status, answer.body)
    switch (sent.kind) {
      case 'limited':
        return unavailable(sent.detail, RETRY_AFTER_MS)
      case 'rejected':
        if (sent.reason === 'bot_restricted') await leaveOut(options, bot.platformId, NEW_DEVICE_MS)
        return sent
      case 'unknown':
        return sent
      case 'sent':
        return { kind: 'ok', value: { offerId: sent.offerId } }
    }
  }

  const confirm = async (
    bot: BotSecrets,
    offerId: string,
    context: GuardedContext,
  ): Promise<Outcome<'confirmed'>> => {
    const waiting = await confirmations.list(bot, context)
    const confirmation = waiting?.find((one) => one.offerId === offerId)
    // It may come a moment later than its offer.
    if (confirmation === undefined) return unavailable('no confirmation of the offer is listed')
    return (await confirmations.confirm(bot, confirmation, context))
      ? { kind: 'ok', value: 'confirmed' }
      : { kind: 'unknown', detail: 'the confirmation was not answered with success' }
  }

  const cancel = async (
    bot: BotSecrets,
    offerId: string,
    context: GuardedContext,
  ): Promise<Outcome<'canceled' | 'already_final'>> => {
    const answer = await calls.post({
      ...{ bot, kind: 'cancel', operation: 'cancel-offer', context, guard: context.guard },
      path: `/tradeoffer/${offerId}/cancel`,
      referer: `/tradeoffer/${offerId}/`,
      form: {},
    })
    if (answer.kind === 'refused') return unavailable(answer.detail, answer.retryAfterMs)
    if (answer.kind === 'answer' && answer.status === 200 && isDone(answer)) {
      return { kind: 'ok', value: 'canceled' }
    }
    // Refused, or without an answer: the offer itself says what it is now.
    const seen = await offers.one(bot, offerId, context)
    if (seen === null) return { kind: 'unknown', detail: 'a cancelled offer could not be read' }
    const { state, canceledBy } = seen.snapshot
    if (state === 'canceled' && canceledBy === 'us') return { kind: 'ok', value: 'canceled' }
    if (isFinal(state)) return { kind: 'ok', value: 'already_final' }
    return { kind: 'unknown', detail: `the offer is ${state} after it was cancelled` }
  }

  /** Said once of each trade: it is looked at every few seconds. */
  const lingering = createBoundedCache<number>(MOST_LINGERING)
  const sayIfLingering = (
    { tradeId, state }: ExchangeSnapshot,
    { botId, since }: { readonly botId: string; readonly since: Date | null },
  ): void => {
    if (state !== 'pending' || since === null || lingering.get(tradeId) !== undefined) return
    if (clock.now().getTime() - since.getTime() < LINGERS_MS) return
    lingering.set(tradeId, 1)
    log.error(
      { bot: botId, tradeId, since, alarm: 'trade_lingers' },
      'the items of a trade were exchanged, and the platform does not say what we got',
    )
  }

  return {
    async list() {
      const now = clock.now()
      const states = await memory.readStates()
      return [...states].map(([id, state]) => ({
        id,
        online: state.online && now.getTime() - state.seenAt.getTime() <= options.staleMs,
        restrictedUntil: isAhead(state.restrictedUntil, now) ? state.restrictedUntil : null,
        activeOffers: state.activeOffers,
        freeSlots: state.freeSlots,
      }))
    },

    configured: async () => (await options.listBots()).map(({ platformId }) => platformId),

    sendOffer: (offer, context) =>
      withBot(offer.botId, (bot) => alone(bot.platformId, () => send(bot, offer, context))),

    findOffer: ({ offerIntentId, botId, take, since }, context) =>
      withBot(botId, async (bot) => {
        const settlesInMs = since.getTime() + options.settleMs - clock.now().getTime()
        const scan = await offers.sentSince(bot, since, context)
        if (scan === null) return unavailable('the bot’s offers could not be read')
        const found = scan.offers.filter(({ message }) => carries(message, offerIntentId))
        const same = found.find(({ snapshot }) => isSameAssets(snapshot.assets, take))
        if (same) return { kind: 'ok', value: same.snapshot }
        if (found.length > 0) {
          log.error(
            { bot: botId, offerIntentId, alarm: 'strange_offer' },
            'an offer with our intent id has other items',
          )
          return { kind: 'unknown', detail: 'an offer with this intent id has other items' }
        }
        if (!scan.isWhole) return unavailable('not every offer of the bot could be read')
        // What was sent a moment ago may not be in the list yet.
        if (settlesInMs > 0) return unavailable('the send may still appear', settlesInMs)
        return { kind: 'ok', value: null }
      }),

    listSent: (botId, since, context) =>
      withBot(botId, async (bot) => {
        const value = await offers.sentSince(bot, since, context)
        return value === null
          ? unavailable('the bot’s offers could not be read')
          : { kind: 'ok', value }
      }),

    lookUp: (botId, offerIds, context) =>
      withBot(botId, async (bot) => {
        const seen = await offers.some(bot, offerIds, context)
        return seen === null
          ? unavailable('the bot’s offers could not be read')
          : { kind: 'ok', value: seen }
      }),

    confirmOffer: (botId, offerId, context) =>
      withBot(botId, (bot) => alone(botId, () => confirm(bot, offerId, context))),

    cancelOffer: (botId, offerId, context) =>
      withBot(botId, (bot) => alone(botId, () => cancel(bot, offerId, context))),

    readExchange: (botId, tradeId, context) =>
      withBot(botId, async (bot) => {
        const answer = await calls.ask({
          ...{ bot, operation: 'GetTradeStatus', context },
          query: { tradeid: tradeId, get_descriptions: 0 },
        })
        const rows = rowsOf(answer, 'trades')
        for (const row of rows ?? []) {
          const trade = readTrade(row, tradeId)
          if (trade === null) continue
          sayIfLingering(trade, { botId, since: lingersSince(row) })
          return { kind: 'ok', value: trade }
        }
        return unavailable(detailOf(answer, 'the trade could not be read'))
      }),
  }
}

const unavailable = (detail: string, retryAfterMs = RETRY_AFTER_MS) =>
  ({ kind: 'unavailable', detail, retryAfterMs }) as const

const isAhead = (moment: Date | null, now: Date): boolean => moment !== null && moment > now

/** The offer intent id stands apart from what else the message says: `abc1` is not found in `abc12`. */
const carries = (message: string, offerIntentId: string): boolean =>
  message.split(/\s+/).includes(offerIntentId)

const isFinal = (state: OfferSnapshot['state']): boolean =>
  state !== 'active' && state !== 'needs_confirmation' && state !== 'unknown'

const isDone = ({ body }: Extract<BotAnswer, { kind: 'answer' }>): boolean =>
  body !== null && own(body, 'strError') === undefined && own(body, 'tradeofferid') !== undefined
