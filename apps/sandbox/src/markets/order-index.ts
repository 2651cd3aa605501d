import type { MarketId } from '../dataset/types.ts'
import type { Order } from './order.ts'

/** All orders in memory, found by every name that the markets know them by. */
export interface OrderIndex {
  put(order: Order): void
  bySeq(seq: number): Order | undefined
  /** All orders of one key under one custom id, oldest first. */
  byCustomId(market: MarketId, account: string, customId: string): readonly Order[]
  /** Newest first. */
  ofAccount(market: MarketId, account: string): Iterable<Order>
  /** Newest first. */
  all(): Iterable<Order>
  lastSeq(): number
}

export function createOrderIndex(): OrderIndex {
  // Numbers are given without gaps, so a list in their order is the index.
  const orders: Order[] = []
  const seqsByCustomId = new Map<string, number[]>()

  const bySeq = (seq: number): Order | undefined => orders[seq - 1]
  const newestFirst = function* (): Iterable<Order> {
    for (let seq = orders.length; seq > 0; seq -= 1) {
      const order = bySeq(seq)
      if (order !== undefined) yield order
    }
  }

  return {
    put(order) {
      const isNew = bySeq(order.seq) === undefined
      orders[order.seq - 1] = order
      if (!isNew || order.customId === null) return
      const name = nameOf(order.market, order.account, order.customId)
      const seqs = seqsByCustomId.get(name)
      if (seqs === undefined) seqsByCustomId.set(name, [order.seq])
      else seqs.push(order.seq)
    },
    bySeq,
    byCustomId: (market, account, customId) =>
      (seqsByCustomId.get(nameOf(market, account, customId)) ?? [])
        .map(bySeq)
        .filter((order) => order !== undefined),
    *ofAccount(market, account) {
      for (const order of newestFirst()) {
        if (order.market === market && order.account === account) yield order
      }
    },
    all: newestFirst,
    lastSeq: () => orders.length,
  }
}

function nameOf(market: MarketId, account: string, customId: string): string {
  return `${market}\u0000${account}\u0000${customId}`
}
