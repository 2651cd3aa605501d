// What market B says that it sold us. Its history has fifty rows a page and no ids of ours; the trades
// behind the rows are looked up for those, for what is held and for what was kept of the price.
import { mills } from '#kernel/money'
import type { ListedOrder, OrderLine, StatementLine, StatementPages } from '#ports/reconciliation'
import {
  fieldsOf,
  flagOf,
  idOf,
  integerOf,
  isNone,
  listOf,
  own,
  priceOf,
  servedOf,
  textOf,
} from '../shared/reader.ts'
import type { CallOutcome, Calls } from './calls.ts'
import { readTradeRow, type TradeRow } from './order-update.ts'
import { detailOf } from './purchase-answer.ts'
import type { MarketBSettings } from './settings.ts'

const TRADES_A_CALL = 100
/** Pages come one by one at the pace of the budget: only the reconciliation waits for a statement. */
const PAGE_PATIENCE_MS = 15_000

export function createStatementPages({
  settings,
  calls,
}: {
  readonly settings: MarketBSettings
  readonly calls: Calls
}): StatementPages {
  const shared = { patienceMs: PAGE_PATIENCE_MS, deadlineMs: settings.callDeadlineMs }
  return {
    id: 'market_b',
    account: settings.account,
    // What is kept of the price when the recipient reverses is in no document.
    traits: { settleMs: settings.statementSettleMs, keptOnUserReversalBps: null },
    async page(skip, context) {
      const call = { path: '/v1/history', query: { skip }, budget: 'account', context } as const
      const rows = rowsOf(await calls({ ...shared, ...call }), 'history')
      if (typeof rows === 'string') return { kind: 'unavailable', detail: rows }
      return { kind: 'read', rows: rows.map(readHistoryRow) }
    },
    async lookUp(orderIds, context) {
      const lines: OrderLine[] = []
      for (let at = 0; at < orderIds.length; at += TRADES_A_CALL) {
        const id = orderIds.slice(at, at + TRADES_A_CALL)
        const path = '/v1/check-many-steam'
        const call = { path, query: { id }, budget: 'look-ups', context } as const
        const rows = rowsOf(await calls({ ...shared, ...call }), 'trades')
        if (typeof rows === 'string') return { kind: 'unavailable', detail: rows }
        const trades = rows.map(readTradeRow).filter((row) => row !== null)
        lines.push(...trades.filter(({ orderId }) => id.includes(orderId)).map(lineOf))
      }
      return { kind: 'read', lines }
    },
  }
}

function rowsOf(outcome: CallOutcome, name: 'history' | 'trades'): readonly unknown[] | string {
  if (outcome.kind !== 'answer') return outcome.detail
  if (outcome.status === 429) return 'too many requests'
  const fields = servedOf(outcome)
  if (fields === null) return `status ${outcome.status}`
  const rows = listOf(own(fields, name))
  return rows !== null && flagOf(own(fields, 'success')) === true ? rows : detailOf(fields)
}

function readHistoryRow(row: unknown): ListedOrder | null {
  const fields = fieldsOf(row)
  const orderId = fields === null ? null : idOf(own(fields, 'id'))
  const created = fields === null ? null : textOf(own(fields, 'created'))
  const placedAt = new Date(created ?? '')
  return orderId === null || Number.isNaN(placedAt.getTime()) ? null : { orderId, placedAt }
}

function lineOf(trade: TradeRow): OrderLine {
  const paidMills = priceOf(own(trade.fields, 'price'))
  const state = stateOf(trade)
  return {
    orderId: trade.orderId,
    customId: trade.projectId,
    paidMills,
    state,
    returnedMills: state === 'ended' && paidMills !== null ? returnedOf(trade, paidMills) : null,
    detail: `status ${trade.status}, reason ${textOf(own(trade.fields, 'reason')) ?? 'none'}`,
  }
}

function stateOf({ status, fields }: TradeRow): StatementLine['state'] {
  if (status === 6) return 'ended'
  if (status === 5 || flagOf(own(fields, 'is_released')) === true) return 'completed'
  return status === 4 && textOf(own(fields, 'release_date')) !== null ? 'held' : 'open'
}

/** `penalties` maps parties to what was kept; what it holds otherwise cannot be counted. */
function returnedOf({ fields }: TradeRow, paidMills: bigint): StatementLine['returnedMills'] {
  const stated = own(fields, 'penalties')
  if (isNone(stated)) return mills(paidMills)
  const penalties = fieldsOf(stated)
  if (penalties === null) return null
  let keptMills = 0n
  for (const value of Object.values(penalties)) {
    const amount = integerOf(value)
    if (amount === null || amount < 0n) return null
    keptMills += amount
  }
  return mills(paidMills - keptMills)
}
