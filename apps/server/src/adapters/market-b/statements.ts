// What market B says that it sold us. Its history has fifty rows a page and no ids of ours; the trades
// behind the rows are looked up for those, for what is held and for what was kept.
import { mills } from '#kernel/money'
import type { StatementAnswer, StatementLine, Statements } from '#ports/reconciliation'
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
/** Ten thousand purchases: beyond it the statement says that it is not whole. */
const MOST_PAGES = 200

interface HistoryRow {
  readonly orderId: string
  readonly placedAt: Date
}

type Context = { readonly requestId: string }
type Rows<Row> =
  | { readonly kind: 'rows'; readonly rows: readonly Row[]; readonly isWhole: boolean }
  | Extract<StatementAnswer, { kind: 'unavailable' }>

export function createStatements({
  settings,
  calls,
}: {
  readonly settings: MarketBSettings
  readonly calls: Calls
}): Statements {
  const { callDeadlineMs: deadlineMs } = settings

  /** New purchases push rows to later pages, so a row may come twice and none is passed over. */
  const readHistory = async (from: Date, context: Context): Promise<Rows<HistoryRow>> => {
    const found = new Map<string, HistoryRow>()
    let skip = 0
    for (let page = 0; page < MOST_PAGES; page++) {
      const outcome = await calls({
        path: '/v1/history',
        query: { skip },
        budget: 'account',
        patienceMs: PAGE_PATIENCE_MS,
        deadlineMs,
        context,
      })
      const rows = rowsOf(outcome, 'history')
      if (typeof rows === 'string') return { kind: 'unavailable', detail: rows }
      const read = rows.map(readHistoryRow).filter((row) => row !== null)
      for (const row of read) if (row.placedAt >= from) found.set(row.orderId, row)
      if (read.length < rows.length)
        return { kind: 'rows', rows: [...found.values()], isWhole: false }
      const isPast = read.some(({ placedAt }) => placedAt < from)
      if (rows.length === 0 || isPast) {
        return { kind: 'rows', rows: [...found.values()], isWhole: true }
      }
      skip += rows.length
    }
    return { kind: 'rows', rows: [...found.values()], isWhole: false }
  }

  const readTrades = async (ids: readonly string[], context: Context): Promise<Rows<TradeRow>> => {
    const found: TradeRow[] = []
    for (let at = 0; at < ids.length; at += TRADES_A_CALL) {
      const outcome = await calls({
        path: '/v1/check-many-steam',
        query: { id: ids.slice(at, at + TRADES_A_CALL) },
        budget: 'look-ups',
        patienceMs: PAGE_PATIENCE_MS,
        deadlineMs,
        context,
      })
      const rows = rowsOf(outcome, 'trades')
      if (typeof rows === 'string') return { kind: 'unavailable', detail: rows }
      found.push(...rows.map(readTradeRow).filter((row) => row !== null))
    }
    return { kind: 'rows', rows: found, isWhole: found.length === ids.length }
  }

  return {
    id: 'market_b',
    // What is kept of the price when the recipient reverses is in no document.
    traits: { settleMs: settings.statementSettleMs, keptOnUserReversalBps: null },
    async read(from, context) {
      const history = await readHistory(from, context)
      if (history.kind === 'unavailable') return history
      const ids = history.rows.map(({ orderId }) => orderId)
      const trades = await readTrades(ids, context)
      if (trades.kind === 'unavailable') return trades
      const byId = new Map(trades.rows.map((trade) => [trade.orderId, trade]))
      const lines = history.rows
        .map((row) => lineOf(row, byId.get(row.orderId)))
        .filter((line) => line !== null)
      const isWhole = history.isWhole && trades.isWhole && lines.length === history.rows.length
      return { kind: 'read', lines, isWhole }
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

function readHistoryRow(row: unknown): HistoryRow | null {
  const fields = fieldsOf(row)
  const orderId = fields === null ? null : idOf(own(fields, 'id'))
  const created = fields === null ? null : textOf(own(fields, 'created'))
  const placedAt = new Date(created ?? '')
  return orderId === null || Number.isNaN(placedAt.getTime()) ? null : { orderId, placedAt }
}

/** A trade that could not be looked up says nothing: its line is left out, and the statement not whole. */
function lineOf(row: HistoryRow, trade: TradeRow | undefined): StatementLine | null {
  if (trade === undefined) return null
  const paidMills = priceOf(own(trade.fields, 'price'))
  const state = stateOf(trade)
  return {
    ...row,
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
