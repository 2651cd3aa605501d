// Filling: one listing bought for one market order.
import { createHash } from 'node:crypto'
import { type OpenOrder, pauseOrder } from '#bidding'
import { accountRefusal } from '#identity'
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
 * `bought` and `gone`: the listing is for no other order. `passed`: the order does not take it, or
 * not any more. `paused`: neither does it take any other. `tenant_full` and `market_full`: too much
 * waits at the market, of the tenant or of all; nothing was tried. `disabled`: trading is paused.
 */
export type FillOutcome =
  | 'bought'
  | 'gone'
  | 'passed'
  | 'paused'
  | 'tenant_full'
  | 'market_full'
  | 'disabled'

export async function fill(
  deps: FillDeps,
  order: OpenOrder,
  listing: ListingForSale,
): Promise<FillOutcome> {
  const { db, clock } = deps
  const buyer = await deps.buyerOf(order)
  if (buyer === null || buyer.currency !== order.currency) return 'passed'
  const rate = await rateFor(deps, buyer).catch((error) => {
    // Nothing is known to be wrong with the order: it waits for a rate as those of others do.
    if (error instanceof Refusal) return undefined
    throw error
  })
  if (rate === undefined) return 'passed'
  const { price, houseFee, merchantFee } = priceListing(buyer, {
    priceMills: listing.priceMills,
    rate,
  })
  if (price > order.maxPrice) return 'passed'
  const recipient =
    order.tradeUrl !== null && order.platformId !== null
      ? { url: order.tradeUrl, platformId: order.platformId }
      : buyer.primaryTradeUrl
  const pause = async (reason: Parameters<typeof pauseOrder>[2]['reason'], needed?: Cents) => {
    await pauseOrder(db, order, { reason, needed: needed ?? null, at: clock.now() })
    return 'paused' as const
  }
  if (recipient === null) return pause('TRADEURL_INVALID_TOKEN')
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
    return typeof refused === 'string' ? refused : pause(refused.pause, price)
  }
}

type PauseReason = 'INSUFFICIENT_BALANCE' | 'SPENDING_LIMIT_REACHED' | 'ACCOUNT_SUSPENDED'

/** What a refused fill means for the order; null for a fault. */
function refusedBy(error: unknown): FillOutcome | { readonly pause: PauseReason } | null {
  switch (sqlState(error)) {
    case 'PT410':
      return 'gone'
    case 'PT412':
      return 'passed'
    case 'PT503':
      return 'disabled'
    case 'PT403':
      return { pause: 'SPENDING_LIMIT_REACHED' }
    case 'PT429':
      return sqlHint(error) === undefined ? 'tenant_full' : 'market_full'
  }
  switch (violatedConstraint(error)) {
    case 'item_one_live_purchase':
      return 'gone'
    case 'fill_pkey':
      return 'passed'
    case 'no_overdraft':
      return { pause: 'INSUFFICIENT_BALANCE' }
  }
  const ofAccount = accountRefusal(error)
  if (ofAccount === null) return null
  return ofAccount.key === 'ACCOUNT_SUSPENDED' ? { pause: 'ACCOUNT_SUSPENDED' } : 'passed'
}
