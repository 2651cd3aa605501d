import type { Market, OrderNews, OrderQuestion } from '#ports/buying'

/** What was seen of an order from its purchase to now. */
export interface Followed {
  readonly news: OrderNews
  /** The different states, in the order in which they were seen. */
  readonly states: readonly OrderNews['state'][]
}

/** Watches many orders with one look-up for all of them, as a worker does. */
export interface Follower {
  follow(
    order: { readonly customId: string; readonly orderId: string | null },
    until: readonly OrderNews['state'][],
  ): Promise<Followed>
  stop(): Promise<void>
}

interface Watch {
  question: OrderQuestion
  readonly states: OrderNews['state'][]
  readonly until: readonly OrderNews['state'][]
  readonly giveUpAtMs: number
  readonly resolve: (followed: Followed) => void
  readonly reject: (error: Error) => void
}

const EVERY_MS = 350
const WITHIN_MS = 25_000

export function startFollower(market: Market): Follower {
  const watches = new Set<Watch>()
  const ended = new AbortController()

  const look = async (): Promise<void> => {
    const batch = [...watches].slice(0, market.traits.lookUpBatch)
    const answer = await market.lookUp(
      batch.map(({ question }) => question),
      { requestId: 'follower' },
    )
    for (const watch of batch) {
      const news = answer.kind === 'read' ? answer.orders.get(watch.question.customId) : undefined
      if (news !== undefined && news !== 'absent') note(watch, news)
      else if (performance.now() > watch.giveUpAtMs) giveUp(watch)
    }
  }

  const note = (watch: Watch, news: OrderNews): void => {
    if (watch.states.at(-1) !== news.state) watch.states.push(news.state)
    watch.question = {
      customId: watch.question.customId,
      orderId: news.orderId,
      offerSeen: watch.question.offerSeen || news.state === 'active' || news.state === 'hold',
      acceptanceSeen: watch.question.acceptanceSeen || news.state === 'hold',
    }
    if (watch.until.includes(news.state)) {
      watches.delete(watch)
      watch.resolve({ news, states: watch.states })
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
          question: { customId, orderId, offerSeen: false, acceptanceSeen: false },
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
