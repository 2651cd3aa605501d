// Adopting: an order that was bought before a restore, and whose trade is gone, gets a trade again when its
// buyer sends the same buy once more. Whether its listing is for sale does not matter: it is bought already.
import type { Db, Tx } from '#infra/database/db'
import { isHistoryConfirmed } from '#infra/database/senders'
import type { Cents, Currency } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import type { NewTrade, Receipt } from '#trades'
import type { MarketId } from './ports.ts'
import { adoptOrder, type LostOrder, listLostOf } from './store/lost-orders.ts'

/** A trade was made of a lost order. */
export interface Adopted {
  readonly market: MarketId
  readonly customId: string
  readonly tradeId: string
}
export type OnAdopted = (tx: Tx, adopted: Adopted) => Promise<void>

/**
 * The orders of a refused request that may have been bought before; none without an external id. Refuses
 * SERVICE_DISABLED while it is not known which are lost.
 */
export async function listLost(
  { db }: { readonly db: Db },
  { tenantId, accountId }: { readonly tenantId: string; readonly accountId: string },
  { externalId }: { readonly externalId: string | null },
  error: unknown,
): Promise<LostOrder[]> {
  if (!(error instanceof Refusal) || externalId === null || error.key === 'SERVICE_DISABLED') {
    return []
  }
  if (!(await isHistoryConfirmed(db))) refuse('SERVICE_DISABLED')
  return listLostOf(db, { tenantId, accountId, externalId })
}

/** It was bought, and no repeat of this kind adopts it: a person decides. */
export const refuseLost = ([first]: readonly LostOrder[]): never =>
  refuse('MARKET_UNAVAILABLE', { market: first?.market ?? '' })

interface Line {
  readonly listing:
    | { readonly id: bigint; readonly market?: MarketId }
    | { readonly market: MarketId; readonly rawId: string }
  readonly maxPrice?: Cents | undefined
  readonly basePrice?: Cents | undefined
}

interface Repeated {
  readonly lines: readonly Line[]
  /** As it is resolved. */
  readonly tradeUrl: string
  readonly currency: Currency
}

/**
 * The one lost order that is the one listing of the request, for the same trade URL, at a price that the
 * request allows. Refuses MARKET_UNAVAILABLE when there is none.
 */
export function adoptableOf(
  lost: readonly LostOrder[],
  { lines, tradeUrl, currency }: Repeated,
): LostOrder {
  const [line, ...furtherLines] = lines
  const [order, ...furtherOrders] = lost
  const isOneOfOne = furtherLines.length === 0 && furtherOrders.length === 0
  if (line === undefined || order === undefined || !isOneOfOne) return refuseLost(lost)
  const isSame =
    order.closedAt === null &&
    order.currency === currency &&
    order.tradeUrl === tradeUrl &&
    isListing(order, line.listing) &&
    isWithin(line, order)
  return isSame ? order : refuseLost(lost)
}

const isListing = (lost: LostOrder, listing: Line['listing']): boolean =>
  (listing.market ?? lost.market) === lost.market &&
  ('id' in listing ? listing.id === lost.listingId : listing.rawId === lost.rawListingId)

const isWithin = ({ maxPrice, basePrice }: Line, { price, sourcing }: LostOrder): boolean =>
  (maxPrice === undefined || price <= maxPrice) &&
  (basePrice === undefined || sourcing <= basePrice)

/**
 * A trade of a lost order, with its escrow, at the price of that time. The order is followed as after a lost
 * answer. Raises what `buying.adopt_order` does.
 */
export const adopt = (
  { db, onAdopted }: { readonly db: Db; readonly onAdopted?: OnAdopted | undefined },
  { customId, market, price }: LostOrder,
  {
    trade,
    itemExternalId,
    keyId,
  }: {
    readonly trade: NewTrade
    readonly itemExternalId: string | null
    readonly keyId: string | null
  },
): Promise<Receipt> =>
  db.transaction(async (tx) => {
    const receipt = await adoptOrder(tx, trade, { customId, itemExternalId, price, keyId })
    if (!receipt.replayed) await onAdopted?.(tx, { market, customId, tradeId: receipt.tradeId })
    return receipt
  })
