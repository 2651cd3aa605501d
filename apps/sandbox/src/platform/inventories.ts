import type { DatasetKeeper } from '../dataset-keeper.ts'
import type { Order } from '../markets/order.ts'
import type { Orders } from '../markets/orders.ts'
import type { Store } from '../store/store.ts'
import type { Handovers } from './bots/handovers.ts'
import type { InventoryItem } from './inventory-item.ts'

export interface Inventories {
  /** The account's own items, then those that orders brought, in order. */
  of(platformId: string): readonly InventoryItem[]
  countOf(platformId: string): number
  /** Sets how many own items the account has, instead of the default. */
  setOwn(platformId: string, count: number): void
}

/** Own items of every account before its first trade. */
const OWN_ITEMS = 40

/** What one account can hold of the game's items is a thousand; with storage units it may be more. */
export const MOST_OWN_ITEMS = 4_000

/** Rebuilding one costs some milliseconds, so the most recently read ones are cached. */
const MOST_KEPT = 200

/**
 * Inventories follow from the orders and need no storage: an accepted offer brings the item under a
 * new id, protected until its hold ends; a reversal takes it away and gives the seller another id. The
 * same goes for what bots take and give.
 */
export function createInventories({
  orders,
  keeper,
  store,
  handovers,
  isBot,
}: {
  readonly orders: Orders
  readonly keeper: DatasetKeeper
  readonly store: Store
  readonly handovers: Handovers
  /** Bots begin with nothing. */
  readonly isBot: (platformId: string) => boolean
}): Inventories {
  const stored = store.readSetting('inventory_counts')
  const counts = new Map<string, number>(
    stored === null ? [] : Object.entries(JSON.parse(stored) as Record<string, number>),
  )
  const ordersOfOwner = new Map<string, Set<number>>()
  const own = new Map<string, readonly InventoryItem[]>()

  const note = (platformId: string, seq: number): void => {
    const seqs = ordersOfOwner.get(platformId) ?? new Set()
    ordersOfOwner.set(platformId, seqs.add(seq))
  }
  const follow = (order: Order): void => {
    if (order.progress.stage === 'held') note(order.buyer.platformId, order.seq)
    if (order.progress.stage === 'released') note(order.buyer.platformId, order.seq)
    if (order.progress.stage === 'reversed') note(order.listing.sellerId, order.seq)
  }
  for (const order of orders.index.all()) follow(order)
  orders.subscribe((order) => follow(order))

  const brought = (platformId: string): InventoryItem[] =>
    [...(ordersOfOwner.get(platformId) ?? [])]
      .sort((left, right) => left - right)
      .map((seq) => orders.index.bySeq(seq))
      .filter((order) => order !== undefined)
      .map((order) => broughtBy(order, platformId))
      .filter((item) => item !== null)

  const ownOf = (platformId: string): readonly InventoryItem[] => {
    const count = counts.get(platformId) ?? (isBot(platformId) ? 0 : OWN_ITEMS)
    const known = own.get(platformId)
    const kept = known?.length === count ? known : ownItems(platformId, count, keeper)
    own.delete(platformId)
    own.set(platformId, kept)
    const oldest = own.keys().next()
    if (own.size > MOST_KEPT && oldest.done !== true) own.delete(oldest.value)
    return kept
  }
  const of = (platformId: string): readonly InventoryItem[] => {
    const gone = handovers.goneFrom(platformId)
    const all = [...ownOf(platformId), ...brought(platformId), ...handovers.broughtTo(platformId)]
    return gone.size === 0 ? all : all.filter(({ assetId }) => !gone.has(assetId))
  }

  return {
    of,
    countOf: (platformId) => of(platformId).length,
    setOwn(platformId, count) {
      counts.set(platformId, count)
      store.writeSetting('inventory_counts', JSON.stringify(Object.fromEntries(counts)))
    },
  }
}

function ownItems(
  platformId: string,
  count: number,
  keeper: DatasetKeeper,
): readonly InventoryItem[] {
  return keeper.dataset.inventoryOf(platformId, count).map(({ assetId, asset, tradable }) => ({
    assetId,
    asset,
    tradable,
    marketable: tradable,
    context: 'normal',
    protectedUntilMs: null,
  }))
}

function broughtBy(order: Order, platformId: string): InventoryItem | null {
  const { progress, listing, buyer } = order
  const { asset } = listing
  const isReversed = progress.stage === 'reversed'
  if (isReversed && platformId === listing.sellerId && progress.returnedAssetId !== null) {
    return {
      assetId: progress.returnedAssetId,
      asset,
      tradable: true,
      marketable: true,
      context: 'normal',
      protectedUntilMs: null,
    }
  }
  if (isReversed || platformId !== buyer.platformId || progress.deliveredAssetId === null)
    return null
  const isReleased = progress.stage === 'released'
  return {
    assetId: progress.deliveredAssetId,
    asset,
    tradable: isReleased,
    marketable: isReleased,
    context: isReleased ? 'normal' : 'protected',
    protectedUntilMs: isReleased ? null : progress.settlesAtMs,
  }
}
