import type { Market, OrderQuery, OrderUpdate } from '#ports/buying'

/** What was seen of an order from its purchase to now. */
export interface Followed {
  readonly update: OrderUpdate
  /** The different states, in the order in which they were seen. */
  readonly states: readonly OrderUpdate['state'][]
}

/** Watches many orders with one look-up for all of them, as a worker does. */
export interface Follower {
  follow(
    order: { readonly customId: string; readonly orderId: string | null },
    until: readonly OrderUpdate['state'][],
  ): Promise<Followed>
  stop(): Promise<void>
}

interface Watch {
  query: OrderQuery
  readonly states: OrderUpdate['state'][]
  readonly until: readonly OrderUpdate['state'][]
  readonly giveUpAtMs: number
  readonly resolve: (followed: Followed) => void
  readonly reject: (error: Error) => void
}

const EVERY_MS = 350
const WITHIN_MS = 60_000

export function startFollower(market: Market): Follower {
  const watches = new Set<Watch>()
  const ended = new AbortController()

  const look = async (): Promise<void> => {
    const batch = [...watches].slice(0, market.traits.lookUpBatch)
    const answer = await market.lookUp(
      batch.map(({ query }) => query),
      { requestId: 'follower' },
    )
    for (const watch of batch) {
      const update = answer.kind === 'read' ? answer.orders.get(watch.query.customId) : undefined
      if (update !== undefined && update !== 'absent') note(watch, update)
      else if (performance.now() > watch.giveUpAtMs) giveUp(watch)
    }
  }

  const note = (watch: Watch, update: OrderUpdate): void => {
    if (watch.states.at(-1) !== update.state) watch.states.push(update.state)
    watch.query = {
      customId: watch.query.customId,
      orderId: update.orderId,
      offerSeen: watch.query.offerSeen || update.state === 'active' || update.state === 'hold',
      acceptanceSeen: watch.query.acceptanceSeen || update.state === 'hold',
    }
    if (watch.until.includes(update.state)) {
      watches.delete(watch)
      watch.resolve({ update, states: watch.states })
    } else if (performance.now() > watch.giveUpAtMs) giveUp(watch)
  }

  const giveUp = (watch: Watch): void => {
    watches.delete(watch)
    const seen = watch.states.join(', ') || 'nothing'
    watch.reject(new Error(`waited for ${watch.until.join(' or ')}, saw ${seen}`))
  }

  const loop = (async () => {
    while (!ended.signal.aborted) {
      if (watches.size > 0) await look()
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
  })()

  return {
    follow: ({ customId, orderId }, until) =>
      new Promise((resolve, reject) => {
        watches.add({
          query: { customId, orderId, offerSeen: false, acceptanceSeen: false },
          states: [],
          until,
          giveUpAtMs: performance.now() + WITHIN_MS,
          resolve,
          reject,
        })
      }),
    async stop() {
      ended.abort()
      await loop
    },
  }
}
