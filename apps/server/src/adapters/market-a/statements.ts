// What market A says that it sold us. Its history has our custom ids; amounts there are in thousandths,
// unlike those of the look-ups.

import type { Clock } from '#infra/process/clock'
import { type Mills, mills } from '#kernel/money'
import type { CallContext } from '#ports/buying'
import type { StatementLine, Statements } from '#ports/reconciliation'
import type { Log } from '../shared/feed-counters.ts'
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
/** The market cuts its list somewhere above, at no documented length: a longer one is read in parts. */
const MOST_ROWS = 4500
/** After one with fewer the next part is twice as long. */
const FEW_ROWS = 1500
/** No window is cut below this. */
const LEAST_WINDOW_SECONDS = 300

export function createStatements({
  settings,
  calls,
  clock,
  log,
}: {
  readonly settings: MarketASettings
  readonly calls: KeyedCalls
  readonly clock: Clock
  readonly log: Log
}): Statements {
  const readRows = async (
    { from, until }: Window,
    context: CallContext,
  ): Promise<readonly unknown[] | { readonly unavailable: string }> => {
    const outcome = await calls.call({
      method: 'history',
      query: { date: from, date_end: until },
      urgency: 'look-up',
      patienceMs: settings.lookUpPatienceMs,
      deadlineMs: settings.callDeadlineMs,
      maxBytes: MAX_BYTES,
      context,
    })
    if (outcome.kind !== 'answer') return { unavailable: outcome.detail }
    const fields = servedOf(outcome)
    const rows = fields === null ? null : listOf(own(fields, 'data'))
    if (fields !== null && rows !== null && flagOf(own(fields, 'success')) === true) return rows
    return { unavailable: fields === null ? `status ${outcome.status}` : detailOf(fields) }
  }

  return {
    id: 'market_a',
    account: settings.account,
    // When the recipient reverses, 20 percent go to the seller and 10 to the market.
    traits: { settleMs: settings.statementSettleMs, keptOnUserReversalBps: 3000 },
    async read(from, context) {
      const lines = new Map<string, StatementLine>()
      let isWhole = true
      const first = Math.floor(from.getTime() / 1000)
      // Whatever their clock gives for a purchase that was made just now, it is before this.
      let until = Math.floor(clock.now().getTime() / 1000) + DAY_SECONDS
      // What the window before has shown: longer ones would be read for nothing.
      let seconds = Number.POSITIVE_INFINITY
      do {
        const window = { from: Math.max(first, until - seconds), until }
        const rows = await readRows(window, context)
        if ('unavailable' in rows) return { kind: 'unavailable', detail: rows.unavailable }
        const length = until - window.from
        if (rows.length >= MOST_ROWS && length > LEAST_WINDOW_SECONDS) {
          seconds = Math.ceil(length / 2)
          continue
        }
        // The next one has the second in which they meet, too: a row that is in both is one.
        until = window.from
        if (rows.length < FEW_ROWS) seconds *= 2
        if (rows.length >= MOST_ROWS) {
          isWhole = false
          log.error(
            { alarm: 'statement_cut', market: 'market_a', ...window, rows: rows.length },
            'market A has more purchases in five minutes than it states',
          )
        }
        for (const row of rows.filter(isPurchase)) {
          const line = readLine(row)
          if (line === null) isWhole = false
          else lines.set(line.orderId, line)
        }
      } while (until > first)
      return { kind: 'read', lines: [...lines.values()], isWhole }
    },
  }
}

/** In Unix seconds, both ends included. */
interface Window {
  readonly from: number
  readonly until: number
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
