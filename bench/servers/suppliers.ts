// Both markets, as far as they answer look-ups of orders that still move: what their protocols show of
// each order, prepared before, and a note of when it was asked about.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerWith } from '../ipc.ts'

export interface OpenOrder {
  readonly market: 'market_a' | 'market_b'
  readonly customId: string
  readonly orderId: string
  readonly mills: number
}

export interface Looks {
  readonly count: number
  /** How long after it was due each look came, in milliseconds, ascending; what is overdue included. */
  readonly lateMs: readonly number[]
}

interface Row {
  readonly text: string
  /** When the next look is due. */
  dueMs: number
}

const A_PATH = '/api/v2/get-list-buy-info-by-custom-id'
const B_PATH = '/v1/check-many-steam'

/** Between two looks at an order before its delivery. */
export type Intervals = Readonly<Record<OpenOrder['market'], number>>

/** By what the market is asked for: our id at market A, its own number at market B. */
const rows = { market_a: new Map<string, Row>(), market_b: new Map<string, Row>() }
let intervals: Intervals = { market_a: 0, market_b: 0 }
let count = 0
let lateMs: number[] = []

function look(row: Row, everyMs: number): string {
  const now = Date.now()
  count++
  lateMs.push(Math.max(0, now - row.dueMs))
  row.dueMs = now + everyMs
  return row.text
}

function answer(path: string): string | null {
  const url = new URL(path, 'http://suppliers')
  if (url.pathname === A_PATH) {
    const found = url.searchParams.getAll('custom_id[]').flatMap((customId) => {
      const row = rows.market_a.get(customId)
      return row === undefined ? [] : [`"${customId}":${look(row, intervals.market_a)}`]
    })
    return `{"success":true,"data":{${found.join()}}}`
  }
  if (url.pathname !== B_PATH) return null
  const found = url.searchParams.getAll('id').flatMap((id) => {
    const row = rows.market_b.get(id)
    return row === undefined ? [] : [look(row, intervals.market_b)]
  })
  return `{"success":true,"trades":[${found.join()}]}`
}

const server = createServer((request, response) => {
  request.resume()
  const body = answer(request.url ?? '')
  response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' })
  response.end(body ?? '{}')
})

function rowOf({ market, customId, orderId, mills }: OpenOrder): string {
  const soon = Math.floor(Date.now() / 1000) + 3600
  if (market === 'market_a') {
    return JSON.stringify({
      item_id: orderId,
      market_hash_name: 'AK-47 | Redline (Field-Tested)',
      classid: '310777179',
      instance: '302028390',
      time: String(soon - 3600),
      settlement: 0,
      send_until: soon,
      receive_until: 0,
      stage: '1',
      causer: null,
      cancellation_reason: null,
      paid: mills / 1000,
      currency: 'USD',
      for: '123456',
      trade_id: '0',
      bot_id: null,
      assetid: '34567890123',
    })
  }
  return JSON.stringify({
    id: Number(orderId),
    name: 'AK-47 | Redline (Field-Tested)',
    status: 0,
    project_id: customId,
    custom_id: customId,
    trade_id: null,
    done: false,
    for_steamid64: '76561198000000000',
    reason: null,
    release_date: null,
    is_released: false,
    seller_name: 'a seller',
    price: mills,
    send_until: String(soon),
    last_updated: String(soon - 3600),
    counter: '1',
  })
}

const methods = {
  listen: (): Promise<number> =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  /** From then on these are the orders: each market's first is due at once, its last after one interval. */
  begin: (
    orders: readonly OpenOrder[],
    settings: { readonly startsAtMs: number; readonly intervals: Intervals },
  ): void => {
    intervals = settings.intervals
    count = 0
    lateMs = []
    for (const each of Object.values(rows)) each.clear()
    for (const market of ['market_a', 'market_b'] as const) {
      const own = orders.filter((order) => order.market === market)
      for (const [i, order] of own.entries()) {
        rows[market].set(market === 'market_a' ? order.customId : order.orderId, {
          text: rowOf(order),
          dueMs: settings.startsAtMs + (intervals[market] * i) / own.length,
        })
      }
    }
  },
  end: (): Looks => {
    const now = Date.now()
    const all = [...rows.market_a.values(), ...rows.market_b.values()]
    const overdue = all.flatMap(({ dueMs }) => (dueMs < now ? [now - dueMs] : []))
    return { count, lateMs: [...lateMs, ...overdue].sort((a, b) => a - b) }
  },
}
export type SuppliersMethods = typeof methods

answerWith(methods)
