import type { Order } from '../markets/order.ts'
import type { Orders } from '../markets/orders.ts'
import type { Asset } from '../world/types.ts'
import type { WorldKeeper } from '../world-keeper.ts'

/** Where an item lies: `normal` is the platform's context 2, `protected` its context 16. */
export type InventoryContext = 'normal' | 'protected'

export interface InventoryItem {
  readonly assetId: string
  readonly asset: Asset
  readonly tradable: boolean
  readonly marketable: boolean
  readonly context: InventoryContext
  /** When a protected item may be traded again. */
  readonly protectedUntilMs: number | null
}

export interface Inventories {
  /** What the persona owned from the start, and then what orders brought, in order. */
  of(platformId: string): readonly InventoryItem[]
  countOf(platformId: string): number
}

/** Every persona owns so many items before the first trade. */
export const OWN_ITEMS = 40

/** Rebuilding one costs some milliseconds, so those that were read last are kept. */
const MOST_KEPT = 200

/**
 * Inventories follow from the orders and need no storage: an accepted offer brings the item under a
 * new id, protected until its hold ends; a reversal takes it away and gives the seller another id.
 */
export function createInventories(orders: Orders, keeper: WorldKeeper): Inventories {
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

  return {
    of(platformId) {
      const kept = own.get(platformId) ?? ownItems(platformId, keeper)
      own.delete(platformId)
      own.set(platformId, kept)
      const oldest = own.keys().next()
      if (own.size > MOST_KEPT && oldest.done !== true) own.delete(oldest.value)
      return [...kept, ...brought(platformId)]
    },
    countOf: (platformId) => OWN_ITEMS + brought(platformId).length,
  }
}

function ownItems(platformId: string, keeper: WorldKeeper): readonly InventoryItem[] {
  return keeper.world.inventoryOf(platformId, OWN_ITEMS).map(({ assetId, asset, tradable }) => ({
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
