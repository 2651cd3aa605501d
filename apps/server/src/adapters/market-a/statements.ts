// What market A says that it sold us. Its history has our custom ids; amounts there are in thousandths,
// unlike those of the look-ups.

import type { Clock } from '#infra/process/clock'
import { type Mills, mills } from '#kernel/money'
import type { StatementLine, Statements } from '#ports/reconciliation'
import {
  type Fields,
  fieldsOf,
  flagOf,
  idOf,
  integerOf,
  isNone,
  listOf,
  millsOfDecimal,
  own,
  priceOf,
  servedOf,
  textOf,
} from '../shared/reader.ts'
import type { KeyedCalls } from './calls.ts'
import { detailOf } from './purchase-answer.ts'
import type { MarketASettings } from './settings.ts'

/** Who keeps a part of the price after a reversal by the recipient. */
const KEEPERS: ReadonlySet<string> = new Set(['seller', 'market'])
const DAY_SECONDS = 86_400
const MAX_BYTES = 16 * 1024 * 1024
/** As many rows as this are taken for a list that was cut. */
const CUT_ROWS = 5000

export function createStatements({
  settings,
  calls,
  clock,
}: {
  readonly settings: MarketASettings
  readonly calls: KeyedCalls
  readonly clock: Clock
}): Statements {
  return {
    id: 'market_a',
    // When the recipient reverses, 20 percent go to the seller and 10 to the market.
    traits: { settleMs: settings.statementSettleMs, keptOnUserReversalBps: 3000 },
    async read(from, context) {
      const outcome = await calls.call({
        method: 'history',
        query: {
          date: Math.floor(from.getTime() / 1000),
          // Whatever their clock gives for a purchase that was made just now, it is before this.
          date_end: Math.floor(clock.now().getTime() / 1000) + DAY_SECONDS,
        },
        urgency: 'look-up',
        patienceMs: settings.lookUpPatienceMs,
        deadlineMs: settings.callDeadlineMs,
        maxBytes: MAX_BYTES,
        context,
      })
      if (outcome.kind !== 'answer') return { kind: 'unavailable', detail: outcome.detail }
      const fields = servedOf(outcome)
      const rows = fields === null ? null : listOf(own(fields, 'data'))
      if (fields === null || rows === null || flagOf(own(fields, 'success')) !== true) {
        const detail = fields === null ? `status ${outcome.status}` : detailOf(fields)
        return { kind: 'unavailable', detail }
      }
      const bought = rows.filter(isPurchase)
      const lines = bought.map(readLine).filter((line) => line !== null)
      const isWhole = lines.length === bought.length && rows.length < CUT_ROWS
      return { kind: 'read', lines, isWhole }
    },
  }
}

/** Sales and payouts of the account are in the same list. A row that names no event is looked at. */
function isPurchase(row: unknown): boolean {
  const fields = fieldsOf(row)
  const event = fields === null ? null : textOf(own(fields, 'event'))
  return event === null || event === 'buy'
}

function readLine(row: unknown): StatementLine | null {
  const fields = fieldsOf(row)
  if (fields === null) return null
  const orderId = idOf(own(fields, 'item_id'))
  const stage = integerOf(own(fields, 'stage'))
  const time = integerOf(own(fields, 'time'))
  if (orderId === null || stage === null || time === null) return null
  const currency = textOf(own(fields, 'currency'))
  const paidMills = currency === null || currency === 'USD' ? priceOf(own(fields, 'paid')) : null
  return {
    orderId,
    customId: textOf(own(fields, 'custom_id')),
    placedAt: new Date(Number(time) * 1000),
    paidMills,
    state: stateOf(stage, fields),
    returnedMills: stage === 5n && paidMills !== null ? returnedOf(fields, paidMills) : null,
    detail: `stage ${stage}, causer ${textOf(own(fields, 'causer')) ?? 'none'}`,
  }
}

function stateOf(stage: bigint, fields: Fields): StatementLine['state'] {
  if (stage === 2n) return 'completed'
  if (stage === 5n) return 'ended'
  return (integerOf(own(fields, 'settlement')) ?? 0n) > 0n ? 'held' : 'open'
}

/** `refund` has the parts that were kept, in whole units. What it holds otherwise cannot be counted. */
function returnedOf(fields: Fields, paidMills: Mills): Mills | null {
  const stated = own(fields, 'refund')
  if (isNone(stated)) return paidMills
  const refund = fieldsOf(stated)
  if (refund === null) return null
  let keptMills = 0n
  for (const [party, part] of Object.entries(refund)) {
    if (isNone(part)) continue
    const amount = millsOfDecimal(own(fieldsOf(part) ?? {}, 'amount'))
    if (!KEEPERS.has(party) || amount === null || amount < 0n) return null
    keptMills += amount
  }
  return mills(paidMills - keptMills)
}
