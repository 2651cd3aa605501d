import type { Clock } from '#infra/process/clock'
import type { CallContext, OfferSnapshot, SentOffer, SentOffers } from '#ports/selling'
import { own, smallIntegerOf } from '../shared/reader.ts'
import type { BotSecrets } from './bot-secrets.ts'
import type { BotAnswer, BotCalls } from './calls.ts'
import { readSentOffer } from './offer.ts'
import { responseOf, rowsOf } from './send-form.ts'

export interface OfferReader {
  /** Null when it could not be read, or is not ours. */
  one(bot: BotSecrets, offerId: string, context: CallContext): Promise<SentOffer | null>
  /** These offers, as far as they could be read; null when nothing could. */
  some(
    bot: BotSecrets,
    offerIds: readonly string[],
    context: CallContext,
  ): Promise<ReadonlyMap<string, OfferSnapshot> | null>
  /** Every sent offer that is out, or was changed since then. */
  sentSince(bot: BotSecrets, since: Date, context: CallContext): Promise<SentOffers | null>
}

/** The platform writes some changes down with a time that is past by up to so much. */
const OVERLAP_MS = 30 * 60_000
/** Below this it is cheaper to ask for each of them. */
const FEW = 3
/** Read one by one after the list; the others have their turn with the next look. */
const MOST_SINGLE_READS = 10
const MOST_PAGES = 20
/** The platform's number for success. */
const OK = 1

export function createOfferReader({
  calls,
  clock,
}: {
  readonly calls: BotCalls
  readonly clock: Clock
}): OfferReader {
  const lastListedAt = new Map<string, Date>()

  const one: OfferReader['one'] = async (bot, offerId, context) => {
    const answer = await calls.ask({
      ...{ bot, operation: 'GetTradeOffer', context },
      query: { tradeofferid: offerId, language: 'en' },
    })
    const offer = readSentOffer(own(responseOf(answer) ?? {}, 'offer'))
    return offer?.snapshot.offerId === offerId ? offer : null
  }

  const sentSince: OfferReader['sentSince'] = async (bot, since, context) => {
    const offers: SentOffer[] = []
    let isWhole = true
    let cursor = 0
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const answer = await calls.ask({
        ...{ bot, operation: 'GetTradeOffers', context },
        query: {
          get_sent_offers: 1,
          get_received_offers: 0,
          get_descriptions: 0,
          active_only: 1,
          historical_only: 0,
          time_historical_cutoff: Math.floor((since.getTime() - OVERLAP_MS) / 1000),
          cursor,
        },
      })
      const rows = rowsOf(answer, 'trade_offers_sent')
      if (rows === null || !isList(answer)) return null
      const read = rows.map(readSentOffer).filter((offer) => offer !== null)
      isWhole &&= read.length === rows.length
      offers.push(...read)
      const next = smallIntegerOf(own(responseOf(answer) ?? {}, 'next_cursor')) ?? 0
      if (next <= cursor) return { offers, isWhole }
      cursor = next
    }
    return { offers, isWhole: false }
  }

  return {
    one,
    sentSince,
    async some(bot, offerIds, context) {
      const wanted = new Set(offerIds)
      const seen = new Map<string, OfferSnapshot>()
      if (wanted.size > FEW) {
        const startedAt = clock.now()
        const since = lastListedAt.get(bot.platformId) ?? startedAt
        const scan = await sentSince(bot, since, context)
        if (scan === null) return null
        lastListedAt.set(bot.platformId, startedAt)
        for (const { snapshot } of scan.offers) {
          if (wanted.has(snapshot.offerId)) seen.set(snapshot.offerId, snapshot)
        }
      }
      // What has not changed for long is not in the list any more.
      const missing = offerIds.filter((offerId) => !seen.has(offerId))
      for (const offerId of missing.slice(0, MOST_SINGLE_READS)) {
        const offer = await one(bot, offerId, context)
        if (offer !== null) seen.set(offerId, offer.snapshot)
      }
      return seen.size === 0 && wanted.size > 0 ? null : seen
    },
  }
}

/**
 * An empty list is left out, and only its cursor remains; without a cursor, too, only the platform's own word
 * that it succeeded makes an empty answer a list. An answer about something else is none.
 */
function isList(answer: BotAnswer): boolean {
  const response = responseOf(answer) ?? {}
  if (Object.keys(response).length === 0) return answer.kind === 'answer' && answer.result === OK
  return (
    own(response, 'trade_offers_sent') !== undefined || own(response, 'next_cursor') !== undefined
  )
}
