// One platform offer of one bot, and what a look at it means. Everything here is pure.
import type { FailureCode, Status } from '#trades'
import type { AssetRef, Bot, ExchangeSnapshot, OfferSnapshot } from './ports.ts'

export type OfferState = 'placing' | 'unknown' | 'out' | 'taken' | 'ended' | 'absent' | 'orphan'

/** Why we asked the platform to cancel an offer; committed before we ask. */
export type Ending = 'expired' | 'canceled' | 'held'

/** The bot can take items now, as far as its session shows. */
export const isReady = (bot: Bot, at: Date): boolean =>
  bot.online && (bot.restrictedUntil === null || bot.restrictedUntil <= at)

/** An offer as the workers see it. */
export interface WorkOffer {
  /** The offer intent id in its message. */
  readonly offerIntentId: string
  readonly tradeId: string
  readonly requestId: string
  readonly tenantId: string
  readonly accountId: string
  /** Of its trade. */
  readonly externalId: string | null
  readonly botId: string
  readonly platformId: string
  readonly partner: number
  readonly token: string
  readonly state: OfferState
  readonly offerId: string | null
  readonly exchangeId: string | null
  readonly ending: Ending | null
  readonly misses: number
  readonly missedSince: Date | null
  readonly sentAt: Date
  readonly expiresAt: Date
  readonly holdEndsAt: Date | null
  /** When it is looked at next: until then its intent is the claim of one worker. */
  readonly dueAt: Date
  readonly items: readonly WorkItem[]
}

export interface WorkItem extends AssetRef {
  readonly id: string
}

/** How its items end. */
export interface End {
  readonly to: Status
  readonly failure?: FailureCode
  readonly detail?: string
}

export type Verdict =
  | { readonly kind: 'wait' }
  /** Ask the platform to cancel it, and say why first. */
  | { readonly kind: 'cancel'; readonly ending: Ending }
  /** It was accepted: the exchange says what was received. */
  | { readonly kind: 'exchange'; readonly exchangeId: string }
  | { readonly kind: 'end'; readonly end: End }

/** What a snapshot of an offer that is out means at `now`. */
export function judge(
  offer: Pick<WorkOffer, 'ending' | 'expiresAt'>,
  seen: Pick<OfferSnapshot, 'state' | 'canceledBy' | 'tradeId'>,
  now: Date,
): Verdict {
  switch (seen.state) {
    case 'unknown':
      return { kind: 'wait' }
    case 'needs_confirmation':
    case 'active':
      if (offer.ending !== null) return { kind: 'cancel', ending: offer.ending }
      return now < offer.expiresAt ? { kind: 'wait' } : { kind: 'cancel', ending: 'expired' }
    case 'accepted':
      return seen.tradeId === null
        ? { kind: 'wait' }
        : { kind: 'exchange', exchangeId: seen.tradeId }
    case 'in_escrow':
      // Items that the platform parks for days belong to neither side: we take none of those.
      return { kind: 'cancel', ending: 'held' }
    case 'declined':
    case 'countered':
    case 'expired':
      return { kind: 'end', end: NOT_ACCEPTED }
    case 'canceled':
      return {
        kind: 'end',
        end: endOf(offer.ending ?? (seen.canceledBy === 'them' ? 'expired' : 'canceled')),
      }
    case 'invalid_items':
      return { kind: 'end', end: GONE }
  }
}

const NOT_ACCEPTED: End = { to: 'declined', failure: 'OFFER_NOT_ACCEPTED' }
const GONE: End = {
  to: 'failed',
  failure: 'LISTING_UNAVAILABLE',
  detail: 'the assets are not there any more',
}

/** How items end whose offer was canceled. */
export function endOf(ending: Ending): End {
  switch (ending) {
    case 'expired':
      return NOT_ACCEPTED
    case 'canceled':
      return { to: 'canceled' }
    case 'held':
      return {
        to: 'failed',
        failure: 'BUYER_TRADE_RESTRICTED',
        detail: 'the platform would hold the items back',
      }
  }
}

export type Receipt =
  | {
      readonly kind: 'complete'
      readonly received: ReadonlyMap<string, ExchangeSnapshot['received'][number]>
    }
  | { readonly kind: 'pending' }
  /** The exchange fell through: nothing was received. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'reverted' }
  /** Something else than what was asked for. */
  | { readonly kind: 'different' }

/** What an exchange means for these items: exactly what was asked for, or nothing that may be believed. */
export function readReceipt(items: readonly WorkItem[], seen: ExchangeSnapshot): Receipt {
  if (seen.state === 'reverted' || seen.rollbackTradeId !== null) return { kind: 'reverted' }
  if (seen.state === 'failed') return { kind: 'failed' }
  if (seen.state !== 'complete') return { kind: 'pending' }
  const received = new Map(seen.received.map((asset) => [asset.assetId, asset]))
  const isExact =
    received.size === items.length &&
    seen.received.length === items.length &&
    items.every(({ assetId }) => received.has(assetId))
  return isExact ? { kind: 'complete', received } : { kind: 'different' }
}
