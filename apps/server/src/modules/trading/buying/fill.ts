// Filling: one listing bought for one market order.
import { createHash } from 'node:crypto'
import { type OpenOrder, type PausedReason, pauseOrder } from '#bidding'
import { accountRefusal, limitRefusal } from '#identity'
import { type Db, sqlHint, sqlState, violatedConstraint } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import type { Cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { priceListing, type RateDeps, rateFor } from '#pricing'
import type { Buyer, ListingForSale } from './buy.ts'
import { insertFill } from './store/fills.ts'

export interface FillDeps extends RateDeps {
  readonly db: Db
  readonly clock: Clock
  /** Who buys for the order, with the fees and the trade URL of now; null: no one any more. */
  buyerOf(order: OpenOrder): Promise<Buyer | null>
}

/**
 * `bought` and `gone`: the listing is for no other order. `order_passed`: the order does not take it,
 * or not any more; `account_passed` and `key_passed`: nor does any other order of the account or the
 * key, as what it costs depends on the account alone. `tenant_full` and `market_full`: too much waits
 * at the market, of the tenant or of all; nothing was tried. `disabled`: trading is paused.
 */
export type FillOutcome =
  | 'bought'
  | 'gone'
  | 'order_passed'
  | 'account_passed'
  | 'key_passed'
  | 'tenant_full'
  | 'market_full'
  | 'disabled'

/** Fills the order, pauses it where its account or key cannot pay now, or leaves it as it is. */
export async function fill(
  deps: FillDeps,
  order: OpenOrder,
  listing: ListingForSale,
): Promise<FillOutcome> {
  const { db, clock } = deps
  const buyer = await deps.buyerOf(order)
  if (buyer === null || buyer.currency !== order.currency) return 'account_passed'
  const rate = await rateFor(deps, buyer).catch((error) => {
    // Nothing is known to be wrong with the order: it waits for a rate as those of others do.
    if (error instanceof Refusal) return undefined
    throw error
  })
  if (rate === undefined) return 'account_passed'
  const { price, houseFee, merchantFee } = priceListing(buyer, {
    priceMills: listing.priceMills,
    rate,
  })
  if (price > order.maxPrice) return 'account_passed'
  const recipient =
    order.tradeUrl !== null && order.platformId !== null
      ? { url: order.tradeUrl, platformId: order.platformId }
      : buyer.primaryTradeUrl
  const pause = (reason: PausedReason, needed: Cents | null) =>
    pauseOrder(db, order, { reason, needed, at: clock.now() })
  if (recipient === null) {
    await pause('TRADEURL_INVALID_TOKEN', null)
    return 'order_passed'
  }
  const { id: listingId, market, rawId: rawListingId, itemId: catalogItemId, description } = listing
  const { tenantId, accountId, keyId, currency } = order
  const newFill = {
    ...{ marketOrderId: order.id, tenantId, accountId, keyId, currency, usdPerEurMicros: rate },
    ...{ platformId: recipient.platformId, tradeUrl: recipient.url, game: listing.game },
    requestHash: createHash('sha256').update(`${order.id}:${listingId}`).digest(),
    requestId: newId(),
    at: clock.now(),
    item: {
      ...{ listingId, market, rawListingId, catalogItemId, description },
      ...{ sourcingMills: listing.priceMills, price, houseFee, merchantFee },
    },
  }
  try {
    await db.transaction((tx) => insertFill(tx, newFill))
    return 'bought'
  } catch (error) {
    const refused = refusedBy(error)
    if (refused === null) throw error
    if (typeof refused === 'string') return refused
    await pause(refused.pause, price)
    return refused.outcome
  }
}

/** What a refused fill means for the order; null for a fault. */
function refusedBy(
  error: unknown,
): FillOutcome | { readonly pause: PausedReason; readonly outcome: FillOutcome } | null {
  switch (sqlState(error)) {
    case 'PT410':
      return 'gone'
    case 'PT412':
      return 'order_passed'
    case 'PT503':
      return 'disabled'
    case 'PT403': {
      const isOfKey = limitRefusal(error)?.details?.limit === 'key'
      return {
        pause: 'SPENDING_LIMIT_REACHED',
        outcome: isOfKey ? 'key_passed' : 'account_passed',
      }
    }
    case 'PT429':
      return sqlHint(error) === undefined ? 'tenant_full' : 'market_full'
  }
  switch (violatedConstraint(error)) {
    case 'item_one_live_purchase':
      return 'gone'
    case 'fill_pkey':
      return 'order_passed'
    case 'no_overdraft':
      return { pause: 'INSUFFICIENT_BALANCE', outcome: 'account_passed' }
  }
  const ofAccount = accountRefusal(error)
  if (ofAccount === null) return null
  return ofAccount.key === 'ACCOUNT_SUSPENDED'
    ? { pause: 'ACCOUNT_SUSPENDED', outcome: 'account_passed' }
    : 'account_passed'
}
