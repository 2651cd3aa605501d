// A provider's statement beside our books: each line of one must be a line of the other. A difference is
// kept, and counts when the next comparison still finds it; what we have missed is looked at meanwhile.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { type Attos, ONE_TOKEN, parseDecimal } from '#kernel/decimal'
import { type ExactUsd, valueOfCents, valueOfTokens } from './amounts.ts'
import type { ProviderName } from './deposit.ts'
import type { CallContext, OnrampProvider, PaymentGateway, StatementLine } from './ports.ts'
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
/** Below it the provider's rounding and ours may differ; nothing is lost to either. */
const TOLERANCE: ExactUsd = valueOfCents(1n as never)

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
  const lines = statement.value
  const refs = lines.map(({ ref }) => ref)
  const books = await listBookLines(db, provider, { from: booksFrom, until, refs })
  const found = [
    ...(await missingInBooks(db, provider, { lines, books, until })),
    ...differingAmounts(lines, books),
    ...missingAtProvider(lines, books),
  ]
  const missed = found.flatMap(({ problem, depositId }) =>
    problem === 'missing in books' && depositId !== null
      ? [{ provider, key: { orderId: depositId } }]
      : [],
  )
  if (missed.length > 0) await makeDue(db, missed, until)
  const { confirmed, gone } = await noteDifferences(db, provider, found, until)
  return { kind: 'compared', lines: lines.length, confirmed, gone }
}

const keyOf = ({ kind, ref }: Pick<StatementLine, 'kind' | 'ref'>): string => `${kind} ${ref}`

const byKey = <Line extends Pick<StatementLine, 'kind' | 'ref'>>(lines: readonly Line[]) =>
  new Map(lines.map((line) => [keyOf(line), line]))

const ofLine = (
  { kind, ref, orderId, amountToken, currency, at }: StatementLine,
  problem: NewDifference['problem'],
): NewDifference => ({
  ...{ kind, ref, problem, depositId: orderId, at },
  facts: { statement: `${amountToken} ${currency}` },
})

/** Not yet: its deposit waits for the rest, or an operator holds or has refused it. */
async function missingInBooks(
  db: Db,
  provider: ProviderName,
  given: {
    readonly lines: readonly StatementLine[]
    readonly books: readonly BookLine[]
    readonly until: Date
  },
): Promise<NewDifference[]> {
  const known = byKey(given.books)
  const settledBy = given.until.getTime() - SETTLE_MS
  const missing = given.lines.filter(
    (line) => !known.has(keyOf(line)) && line.at.getTime() <= settledBy,
  )
  const expected = await findExpected(db, provider, {
    refs: missing.map(({ ref }) => ref),
    depositIds: missing.flatMap(({ orderId }) => (orderId === null ? [] : [orderId])),
  })
  return missing
    .filter(({ ref, orderId }) => !expected.has(ref) && !expected.has(orderId ?? ''))
    .map((line) => ofLine(line, 'missing in books'))
}

function differingAmounts(
  lines: readonly StatementLine[],
  books: readonly BookLine[],
): NewDifference[] {
  const known = byKey(books)
  return lines.flatMap((line) => {
    const booked = known.get(keyOf(line))
    if (booked === undefined || isSame(line, booked)) return []
    const { facts, ...difference } = ofLine(line, 'amount differs')
    return [
      {
        ...difference,
        depositId: booked.depositId,
        facts: { ...facts, books: booked.amountText },
      },
    ]
  })
}

/** Payments are compared by their dollars, refunds by the tokens that were paid. */
function isSame({ amountToken, orderId }: StatementLine, booked: BookLine): boolean {
  const stated = valueOfTokens(parseDecimal(amountToken) ?? (0n as Attos), ONE_TOKEN)
  const apart = stated > booked.amount ? stated - booked.amount : booked.amount - stated
  return apart < TOLERANCE && (orderId === null || orderId === booked.depositId)
}

function missingAtProvider(
  lines: readonly StatementLine[],
  books: readonly BookLine[],
): NewDifference[] {
  const stated = byKey(lines)
  return books
    .filter((booked) => !stated.has(keyOf(booked)))
    .map(({ kind, ref, depositId, amountText, beganAt }) => ({
      ...{ kind, ref, depositId, at: beganAt, problem: 'missing at provider' as const },
      facts: { books: amountText },
    }))
}
