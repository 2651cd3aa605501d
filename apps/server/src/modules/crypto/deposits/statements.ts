// A provider's statement beside our books: each line of one must be a line of the other, and lines that name
// their order only must make the same sum. A difference is kept, and counts when the next comparison still
// finds it; what we have missed is looked at meanwhile.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { ProviderName } from './deposit.ts'
import { type OrderSum, statedAmount, sumDifferences, sumsOf, TOLERANCE } from './order-sums.ts'
import type { CallContext, OnrampProvider, PaymentGateway, StatementMovement } from './ports.ts'
import { makeDue } from './store/orders.ts'
import {
  type BookLine,
  type FoundDifference,
  findExpected,
  listBookLines,
  type NewDifference,
  noteDifferences,
  readStatementWindow,
} from './store/statements.ts'

export interface StatementDeps {
  readonly db: Db
  readonly clock: Clock
  readonly gateway: PaymentGateway | null
  readonly onramp: OnrampProvider | null
}

export type StatementCompared =
  | {
      readonly kind: 'compared'
      readonly lines: number
      /** Found by this comparison and by the one before. */
      readonly confirmed: readonly FoundDifference[]
      /** Found before, and no longer so. */
      readonly gone: readonly string[]
    }
  | { readonly kind: 'unavailable'; readonly detail: string }

/** A payment is credited within this time after it settled, unless its deposit still waits. */
const SETTLE_MS = 15 * 60_000

export async function compareStatement(
  deps: StatementDeps,
  provider: ProviderName,
  context: CallContext,
): Promise<StatementCompared> {
  const { db, clock } = deps
  const port = deps[provider]
  if (port === null) return { kind: 'unavailable', detail: 'switched off' }
  const until = clock.now()
  const { from, booksFrom } = await readStatementWindow(db, provider, until)
  const statement = await port.readStatement({ from, until }, context)
  if (statement.kind === 'unavailable') return { kind: 'unavailable', detail: statement.detail }
  const movements = statement.value.filter((line) => line.kind !== 'other')
  const lines = movements.filter(isNamed)
  const sums = await sumsOf(db, provider, movements)
  const books = await listBookLines(db, provider, {
    ...{ from: booksFrom, until },
    refs: lines.map(({ ref }) => ref),
    ...{ paid: depositsOf(sums, 'payment'), refunded: depositsOf(sums, 'refund') },
  })
  const alone = books.filter(isIn(sums, false))
  const settledBy = new Date(until.getTime() - SETTLE_MS)
  const summed = sumDifferences(sums, unstated(books.filter(isIn(sums, true)), lines), {
    ...{ from, settledBy },
  })
  const found = [
    ...(await notExpected(db, provider, [
      ...missingInBooks(lines, books, settledBy),
      ...summed.missing,
    ])),
    ...summed.differing,
    ...differingAmounts(lines, books),
    ...missingAtProvider(lines, alone),
  ]
  const missed = found.flatMap(({ problem, depositId }) =>
    problem === 'missing in books' && depositId !== null
      ? [{ provider, key: { orderId: depositId } }]
      : [],
  )
  if (missed.length > 0) await makeDue(db, missed, until)
  const { confirmed, gone } = await noteDifferences(db, provider, found, until)
  return { kind: 'compared', lines: statement.value.length, confirmed, gone }
}

/** A movement that its line names. */
type NamedLine = StatementMovement & { readonly ref: string }

const isNamed = (line: StatementMovement): line is NamedLine => line.ref !== null

const depositsOf = (sums: readonly OrderSum[], kind: OrderSum['kind']): string[] =>
  sums.flatMap((sum) => (sum.kind === kind && sum.depositId !== null ? [sum.depositId] : []))

/** Whether a line of the books is of an order whose lines are compared by their sum. */
function isIn(sums: readonly OrderSum[], wanted: boolean): (line: BookLine) => boolean {
  const summed = new Set(sums.map(({ kind, depositId }) => `${kind} ${depositId}`))
  return ({ kind, depositId }) => summed.has(`${kind} ${depositId}`) === wanted
}

const unstated = (books: readonly BookLine[], lines: readonly NamedLine[]): BookLine[] => {
  const stated = byKey(lines)
  return books.filter((booked) => !stated.has(keyOf(booked)))
}

interface Named {
  readonly kind: string
  readonly ref: string
}
const keyOf = ({ kind, ref }: Named): string => `${kind} ${ref}`

const byKey = <Line extends Named>(lines: readonly Line[]) =>
  new Map(lines.map((line) => [keyOf(line), line]))

const ofLine = (
  { kind, ref, orderId, amountToken, currency, at }: NamedLine,
  problem: NewDifference['problem'],
): NewDifference => ({
  ...{ kind, ref, problem, depositId: orderId, at },
  details: { statement: `${amountToken} ${currency}` },
})

function missingInBooks(
  lines: readonly NamedLine[],
  books: readonly BookLine[],
  settledBy: Date,
): NewDifference[] {
  const known = byKey(books)
  return lines
    .filter((line) => !known.has(keyOf(line)) && line.at <= settledBy)
    .map((line) => ofLine(line, 'missing in books'))
}

/** Not yet in the books: its deposit waits for the rest, or an operator holds or has refused it. */
async function notExpected(
  db: Db,
  provider: ProviderName,
  missing: readonly NewDifference[],
): Promise<NewDifference[]> {
  const expected = await findExpected(db, provider, {
    refs: missing.map(({ ref }) => ref),
    depositIds: missing.flatMap(({ depositId }) => (depositId === null ? [] : [depositId])),
  })
  return missing.filter(
    ({ ref, depositId }) => !expected.has(ref) && !expected.has(depositId ?? ''),
  )
}

function differingAmounts(
  lines: readonly NamedLine[],
  books: readonly BookLine[],
): NewDifference[] {
  const known = byKey(books)
  return lines.flatMap((line) => {
    const booked = known.get(keyOf(line))
    if (booked === undefined || isSame(line, booked)) return []
    const { details, ...difference } = ofLine(line, 'amount differs')
    return [
      {
        ...difference,
        depositId: booked.depositId,
        details: { ...details, books: booked.amountText },
      },
    ]
  })
}

function isSame(line: NamedLine, booked: BookLine): boolean {
  const stated = statedAmount(line, booked)
  const difference = stated === null ? 0n : stated - booked.amount
  const apart = difference < 0n ? -difference : difference
  return apart < TOLERANCE && (line.orderId === null || line.orderId === booked.depositId)
}

function missingAtProvider(
  lines: readonly NamedLine[],
  books: readonly BookLine[],
): NewDifference[] {
  return unstated(books, lines).map(({ kind, ref, depositId, amountText, beganAt }) => ({
    ...{ kind, ref, depositId, at: beganAt, problem: 'missing at provider' as const },
    details: { books: amountText },
  }))
}
