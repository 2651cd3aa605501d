// Trade offers and trades of the Web API, as our port states them. Row by row: a row that cannot be read is
// null, and its caller asks again.
import type { AssetRef, ExchangeSnapshot, OfferSnapshot, SentOffer } from '#ports/selling'
import {
  type Fields,
  fieldsOf,
  flagOf,
  idOf,
  listOf,
  own,
  smallIntegerOf,
  textOf,
} from '../shared/reader.ts'

/** ETradeOfferState. Others, and those of the future, are `unknown`: nothing follows from them. */
const OFFER_STATES: Readonly<Record<number, OfferSnapshot['state']>> = {
  2: 'active',
  3: 'accepted',
  4: 'countered',
  5: 'expired',
  6: 'canceled',
  7: 'declined',
  8: 'invalid_items',
  9: 'needs_confirmation',
  10: 'canceled',
  11: 'in_escrow',
}
const CANCELED = 6
const CANCELED_BY_SECOND_FACTOR = 10
const BY_PHONE = 2

export function readSentOffer(row: unknown): SentOffer | null {
  const fields = fieldsOf(row)
  const offerId = idOf(own(fields ?? {}, 'tradeofferid'))
  const number = smallIntegerOf(own(fields ?? {}, 'trade_offer_state'))
  const partner = idOf(own(fields ?? {}, 'accountid_other'))
  if (fields === null || offerId === null || number === null || partner === null) return null
  if (flagOf(own(fields, 'is_our_offer')) === false) return null
  const take = readAssets(own(fields, 'items_to_receive'))
  const give = readAssets(own(fields, 'items_to_give'))
  // Now and then offers come without their items; they have them again in the next answer.
  if (take === null || give === null || take.length + give.length === 0) return null
  return {
    snapshot: {
      offerId,
      state: OFFER_STATES[number] ?? 'unknown',
      canceledBy: canceledBy(number, fields),
      tradeId: idOf(own(fields, 'tradeid')),
      assets: take,
      updatedAt: timeOf(own(fields, 'time_updated')) ?? new Date(0),
    },
    message: textOf(own(fields, 'message')) ?? '',
    gives: give,
  }
}

/** Where our phone had to confirm, it is ours that refused; else the partner's. */
function canceledBy(state: number, fields: Fields): OfferSnapshot['canceledBy'] {
  if (state === CANCELED) return 'us'
  if (state !== CANCELED_BY_SECOND_FACTOR) return null
  return smallIntegerOf(own(fields, 'confirmation_method')) === BY_PHONE ? 'us' : 'them'
}

function readAssets(rows: unknown): readonly AssetRef[] | null {
  if (rows === undefined || rows === null) return []
  const assets = listOf(rows)?.map((row) => {
    const fields = fieldsOf(row) ?? {}
    const assetId = idOf(own(fields, 'assetid'))
    const contextId = contextOf(own(fields, 'contextid'))
    return assetId === null || contextId === null ? null : { assetId, contextId }
  })
  if (assets === undefined) return null
  const known = assets.filter((asset) => asset !== null)
  return known.length === assets.length ? known : null
}

const contextOf = (value: unknown): AssetRef['contextId'] | null => {
  const context = textOf(value)
  return context === '2' || context === '16' ? context : null
}

const timeOf = (value: unknown): Date | null => {
  const seconds = smallIntegerOf(value)
  return seconds === null || seconds <= 0 ? null : new Date(seconds * 1000)
}

/** Whether both name the same assets, each once and in any order. */
export function isSameAssets(one: readonly AssetRef[], other: readonly AssetRef[]): boolean {
  const keys = (assets: readonly AssetRef[]): string[] =>
    assets.map(({ assetId, contextId }) => `${contextId}:${assetId}`).sort()
  return keys(one).join() === keys(other).join()
}

/** The items have been exchanged, and not all work is done. Some trades never get further. */
const COMMITTED = 2

/**
 * ETradeStatus. 12, a trade taken back under its protection, is in no public list. 8 and 9 are rollbacks
 * that got stuck half way: it is not known who has the items, so the trade stays unfinished.
 */
const TRADE_STATES: Readonly<Record<number, ExchangeSnapshot['state']>> = {
  0: 'pending',
  1: 'pending',
  3: 'complete',
  4: 'failed',
  5: 'reverted',
  6: 'reverted',
  7: 'reverted',
  10: 'in_escrow',
  11: 'failed',
  12: 'reverted',
}

/** Null for a row that is not this trade, or not to be read as a whole. */
export function readTrade(row: unknown, tradeId: string): ExchangeSnapshot | null {
  const fields = fieldsOf(row) ?? {}
  const status = smallIntegerOf(own(fields, 'status'))
  if (idOf(own(fields, 'tradeid')) !== tradeId || status === null) return null
  const rollbackTradeId = idOf(own(fields, 'rollback_trade'))
  const received = readReceived(own(fields, 'assets_received'))
  const state = rollbackTradeId === null ? stateOf(status, received) : 'reverted'
  // Of a trade that is done we must know what we got: half of it would look like a theft.
  if (received === null && state === 'complete') return null
  return {
    tradeId,
    state,
    rollbackTradeId,
    received: received ?? [],
    settlesAt: timeOf(own(fields, 'time_settlement')),
  }
}

/** Where every item has its new id, a trade that stays at 2 is as good as complete. */
function stateOf(
  status: number,
  received: ExchangeSnapshot['received'] | null,
): ExchangeSnapshot['state'] {
  const isExchanged = status === COMMITTED && received !== null && received.length > 0
  return isExchanged ? 'complete' : (TRADE_STATES[status] ?? 'pending')
}

/** When a trade began whose items were exchanged and that is not done; null for any other. */
export function lingersSince(row: unknown): Date | null {
  const fields = fieldsOf(row) ?? {}
  return smallIntegerOf(own(fields, 'status')) === COMMITTED
    ? timeOf(own(fields, 'time_init'))
    : null
}

function readReceived(rows: unknown): ExchangeSnapshot['received'] | null {
  if (rows === undefined || rows === null) return []
  const assets = listOf(rows)?.map((row) => {
    const fields = fieldsOf(row) ?? {}
    const assetId = idOf(own(fields, 'assetid'))
    const newAssetId = idOf(own(fields, 'new_assetid'))
    const newContextId = contextOf(own(fields, 'new_contextid'))
    return assetId === null || newAssetId === null || newContextId === null
      ? null
      : { assetId, newAssetId, newContextId }
  })
  if (assets === undefined) return null
  const known = assets.filter((asset) => asset !== null)
  return known.length === assets.length ? known : null
}
