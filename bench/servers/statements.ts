// Both markets, as far as they state what they sold us: prepared rows, the newest first, cut as they cut.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerWith } from '../ipc.ts'

/** One that came to nothing and was paid back whole. */
export interface StatedOrder {
  readonly market: 'market_a' | 'market_b'
  readonly customId: string
  readonly orderId: string
  readonly mills: number
  readonly placedAtMs: number
}

const A_ROWS = 5000
const B_ROWS = 50
const BALANCE = 1_000_000

/** Newest first. */
const orders: Record<StatedOrder['market'], StatedOrder[]> = { market_a: [], market_b: [] }
const byId = new Map<string, StatedOrder>()
const calls: Record<StatedOrder['market'], number> = { market_a: 0, market_b: 0 }

const seconds = ({ placedAtMs }: StatedOrder): number => Math.floor(placedAtMs / 1000)

const rowOfA = (order: StatedOrder): object => ({
  item_id: order.orderId,
  market_hash_name: 'AK-47 | Redline (Field-Tested)',
  time: String(seconds(order)),
  event: 'buy',
  stage: '5',
  for: '123456',
  custom_id: order.customId,
  paid: String(order.mills),
  received: null,
  currency: 'USD',
  causer: 'seller',
  settlement: 0,
})

const rowOfB = (order: StatedOrder): object => ({
  id: Number(order.orderId),
  name: 'AK-47 | Redline (Field-Tested)',
  price: order.mills,
  created: new Date(order.placedAtMs).toISOString(),
})

const tradeOfB = (order: StatedOrder): object => ({
  id: Number(order.orderId),
  name: 'AK-47 | Redline (Field-Tested)',
  status: 6,
  project_id: order.customId,
  custom_id: order.customId,
  trade_id: null,
  done: true,
  for_steamid64: '76561198000000000',
  reason: 'The seller did not send the item',
  release_date: null,
  is_released: false,
  seller_name: 'a seller',
  price: order.mills,
  send_until: String(seconds(order) + 300),
  last_updated: String(seconds(order) + 300),
  counter: '1',
})

function answer(path: string): object | null {
  const { pathname, searchParams } = new URL(path, 'http://statements')
  calls[pathname.startsWith('/api/v2/') ? 'market_a' : 'market_b']++
  switch (pathname) {
    case '/api/v2/history': {
      const from = Number(searchParams.get('date'))
      const until = Number(searchParams.get('date_end'))
      const isIn = (order: StatedOrder) => seconds(order) >= from && seconds(order) <= until
      return { success: true, data: orders.market_a.filter(isIn).slice(0, A_ROWS).map(rowOfA) }
    }
    case '/api/v2/get-money':
      return { success: true, money: BALANCE, money_settlement: 0, currency: 'USD' }
    case '/v1/history': {
      const skip = Number(searchParams.get('skip') ?? 0)
      return { success: true, history: orders.market_b.slice(skip, skip + B_ROWS).map(rowOfB) }
    }
    case '/v1/check-many-steam': {
      const found = searchParams.getAll('id').flatMap((id) => byId.get(id) ?? [])
      return { success: true, trades: found.map(tradeOfB) }
    }
    case '/v1/user':
      return { success: true, user: { wallet: BALANCE * 1000, can_p2p: true } }
    default:
      return null
  }
}

const server = createServer((request, response) => {
  request.resume()
  const body = answer(request.url ?? '')
  response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body ?? {}))
})

const methods = {
  listen: (): Promise<number> =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  /** Newest first. */
  state: (stated: readonly StatedOrder[]): void => {
    for (const order of stated) {
      orders[order.market].push(order)
      if (order.market === 'market_b') byId.set(order.orderId, order)
    }
  },
  /** How often each was called since the last time. */
  calls: (): Record<StatedOrder['market'], number> => {
    const counted = { ...calls }
    calls.market_a = 0
    calls.market_b = 0
    return counted
  },
}
export type StatementsMethods = typeof methods

answerWith(methods)
