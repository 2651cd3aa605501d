// The peer of following: a loop that asks the markets about the same orders at the same intervals, reads the
// answers and keeps nothing.
import { Pool } from 'undici'
import { answerWith } from '../ipc.ts'
import type { Intervals, OpenOrder } from './suppliers.ts'

const BATCH = { market_a: 50, market_b: 100 } as const
let timers: NodeJS.Timeout[] = []
let pool: Pool | null = null
let asking: Promise<unknown>[] = []

function pathOf(batch: readonly OpenOrder[]): string {
  const isA = batch[0]?.market === 'market_a'
  const query = new URLSearchParams()
  for (const { customId, orderId } of batch) {
    query.append(isA ? 'custom_id[]' : 'id', isA ? customId : orderId)
  }
  const path = isA ? '/api/v2/get-list-buy-info-by-custom-id' : '/v1/check-many-steam'
  return `${path}?${query}`
}

async function ask(path: string): Promise<void> {
  const answer = await pool?.request({ path, method: 'GET' })
  const body = (await answer?.body.json()) as { success?: boolean }
  if (body.success !== true) throw new Error('a look-up was not answered')
}

const methods = {
  start: (from: {
    suppliersUrl: string
    orders: readonly OpenOrder[]
    startsAtMs: number
    intervals: Intervals
  }): void => {
    pool = new Pool(from.suppliersUrl, { connections: 8 })
    for (const market of ['market_a', 'market_b'] as const) {
      const orders = from.orders.filter((order) => order.market === market)
      const size = BATCH[market]
      const everyMs = from.intervals[market]
      for (let i = 0; i < orders.length; i += size) {
        const path = pathOf(orders.slice(i, i + size))
        // Its last order is due then.
        const dueMs =
          from.startsAtMs + (everyMs * Math.min(i + size, orders.length)) / orders.length
        const go = (): void => void asking.push(ask(path))
        timers.push(
          setTimeout(() => {
            go()
            timers.push(setInterval(go, everyMs))
          }, dueMs - Date.now()),
        )
      }
    }
  },
  stop: async (): Promise<void> => {
    for (const timer of timers) clearTimeout(timer)
    timers = []
    await Promise.all(asking)
    asking = []
    await pool?.close()
  },
}
export type AskMethods = typeof methods

answerWith(methods)
