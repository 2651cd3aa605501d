import type { FastifyReply } from 'fastify'
import { one, type Query } from '../../http/query.ts'
import { cut } from '../../http/reply.ts'
import { type Canceled, cancelOrder } from '../cancel.ts'
import type { MarketADeps } from './deps.ts'
import { itemIdOf } from './order-view.ts'

/** Why not, in the market's manner: a code and a text in one of two languages. */
const REFUSALS: Readonly<
  Record<Exclude<Canceled, 'canceled' | 'cut'>, readonly (readonly [number, string])[]>
> = {
  not_found: [
    [40, 'Order not found'],
    [40, 'not found'],
  ],
  too_early: [
    [41, 'It is too early to cancel this order'],
    [41, 'Ещё нельзя отменить этот заказ'],
  ],
  offer_out: [
    [42, 'The trade offer was sent already'],
    [42, 'Обмен уже отправлен'],
  ],
  ended: [
    [43, 'The order is finished'],
    [43, 'Заказ уже завершён'],
  ],
}

/** `cancel-order?custom_id=`: not of the market's documents, in the manner of its other methods. */
export function createMarketACancel(deps: MarketADeps) {
  const { clock, orders, faults, settings } = deps
  let turn = 0
  return (query: Query, account: string, reply: FastifyReply): unknown => {
    const customId = one(query, 'custom_id') ?? ''
    const order = orders.index.byCustomId('market_a', account, customId).at(-1)
    const { cancelAfterMs } = settings
    const outcome = cancelOrder(order, { clock, orders, faults, cancelAfterMs })
    if (outcome === 'cut') {
      cut(reply)
      return reply
    }
    if (outcome === 'canceled') return { success: true, id: order && itemIdOf(order) }
    const wordings = REFUSALS[outcome]
    turn += 1
    const [code, error] = wordings[turn % wordings.length] ?? [2, 'unknown error']
    return { success: false, error, code }
  }
}
