import type { FastifyReply } from 'fastify'
import { one, type Query } from '../../http/query.ts'
import { cut } from '../../http/reply.ts'
import { type Canceled, cancelOrder } from '../cancel.ts'
import type { MarketBDeps } from './deps.ts'
import { say } from './messages.ts'
import { seqOfTradeId, tradeIdOf } from './trade-view.ts'

const REFUSALS: Readonly<Record<Exclude<Canceled, 'canceled' | 'cut'>, readonly string[]>> = {
  not_found: ['Trade not found'],
  too_early: ['Too early to cancel'],
  offer_out: ['Trade was sent already'],
  ended: ['Trade is finished'],
}

/** `cancel-trade?id=`: not of the market's documents, in the manner of its other calls. */
export function createMarketBCancel(deps: MarketBDeps) {
  const { clock, orders, faults, settings } = deps
  return (query: Query, account: string, reply: FastifyReply): unknown => {
    const order = orders.index.bySeq(seqOfTradeId(one(query, 'id') ?? '') ?? 0)
    const own = order?.market === 'market_b' && order.account === account ? order : undefined
    const { cancelAfterMs } = settings
    const outcome = cancelOrder(own, { clock, orders, faults, cancelAfterMs })
    if (outcome === 'cut') {
      cut(reply)
      return reply
    }
    if (outcome === 'canceled') return { success: true, msg: '', id: own && tradeIdOf(own) }
    return say(REFUSALS[outcome][0] ?? '')
  }
}
