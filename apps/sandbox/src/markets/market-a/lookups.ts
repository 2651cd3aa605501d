import { createCallLimit } from '../../http/call-limit.ts'
import { many, one, type Query } from '../../http/query.ts'
import { millsToUnits } from '../../kernel/mills.ts'
import type { Order } from '../order.ts'
import type { MarketADeps } from './deps.ts'
import { openOfferOf, viewHistoryRow, viewOrder } from './order-view.ts'

type Answer = Record<string, unknown>

/** Everything that reads orders and money. A purchase is visible only to the key that made it. */
export interface MarketALookups {
  byCustomId(query: Query, account: string): Answer
  listByCustomId(query: Query, account: string): Answer
  checkReversed(query: Query, account: string): Answer
  history(query: Query, account: string): Answer
  money(account: string): Answer
}

const MOST_HISTORY_ROWS = 5_000
const DAY_MS = 86_400_000

export function createMarketALookups(deps: MarketADeps): MarketALookups {
  const { clock, orders, accounts, faults, settings } = deps
  const reversalChecks = createCallLimit(clock, DAY_MS)
  let misses = 0

  const newest = (account: string, customId: string): Order | undefined => {
    if (faults.areLookupsBlind('market_a')) return undefined
    return orders.index
      .byCustomId('market_a', account, customId)
      .findLast((order) => order.hiddenUntilMs <= clock.nowMs())
  }
  const show = (order: Order): Answer => {
    if (openOfferOf(order) !== null) orders.offersShown.add(order.seq)
    return viewOrder(order, settings)
  }
  const notFound = (): Answer => {
    misses += 1
    return {
      success: false,
      data: false,
      error: misses % 2 === 1 ? 'Order not found' : 'not found',
    }
  }

  return {
    byCustomId(query, account) {
      const order = newest(account, one(query, 'custom_id') ?? '')
      return order === undefined ? notFound() : { success: true, data: show(order) }
    },
    listByCustomId(query, account) {
      const customIds = many(query, 'custom_id[]', 'custom_id')
      if (customIds.length === 0 || customIds.length > settings.lookupBatchMost) {
        return {
          success: false,
          error: `custom_id takes 1 to ${settings.lookupBatchMost} values`,
        }
      }
      const data: Record<string, unknown> = {}
      for (const customId of customIds) {
        const order = newest(account, customId)
        if (order !== undefined) data[customId] = show(order)
      }
      return { success: true, data }
    },
    checkReversed(query, account) {
      if (reversalChecks.spend(account, settings.reversalChecksADay) > 0) {
        return { success: false, error: 'The daily limit of checks is used up' }
      }
      const order = newest(account, one(query, 'custom_id') ?? '')
      if (order === undefined) return notFound()
      const isReversed = order.progress.stage === 'reversed'
      return { success: true, message: isReversed ? 'Trade is reversed' : 'Trade is not reversed' }
    },
    history(query, account) {
      const fromMs = Number(one(query, 'date') ?? 0) * 1000
      const untilMs = Number(one(query, 'date_end') ?? Number.POSITIVE_INFINITY) * 1000
      const data: Answer[] = []
      if (faults.areLookupsBlind('market_a')) return { success: true, data }
      for (const order of orders.index.ofAccount('market_a', account)) {
        if (order.placedAtMs < fromMs || data.length >= MOST_HISTORY_ROWS) break
        const isHidden = order.hiddenUntilMs > clock.nowMs()
        if (order.placedAtMs <= untilMs && !isHidden) data.push(viewHistoryRow(order, settings))
      }
      return { success: true, data }
    },
    money(account) {
      return {
        money: millsToUnits(accounts.balanceMills('market_a', account)),
        money_settlement: millsToUnits(accounts.settlingMills('market_a', account)),
        currency: accounts.currency('market_a', account),
        success: true,
      }
    },
  }
}
