// What moved in an owner's wallets in a month. A month that is over is closed when it is first read, and the
// same for ever; how is in 0040_statements.sql.
import { type Db, type Queryable, sql } from '#infra/database/db'
import { createStaleReads, type StaleReads } from '#infra/database/replica'
import { assertDefined } from '#kernel/assert'
import { type Cents, type Currency, cents, ZERO_CENTS } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import type { EntryType } from './entry.ts'
import { readWallets } from './store.ts'
import type { WalletKind } from './wallet.ts'

export interface MonthlyStatement {
  /** `2026-10`, UTC. */
  readonly month: string
  /** The month and how many of the owner are closed with it, `2026-10-0003`; null while it is open. */
  readonly number: string | null
  readonly isClosed: boolean
  readonly wallets: readonly WalletMonth[]
}

/** Opening + credits − debits = closing. */
export interface WalletMonth {
  readonly kind: WalletKind
  readonly currency: Currency
  readonly opening: Cents
  readonly closing: Cents
  readonly rows: readonly TypeMonth[]
  /** Of trades that settled in the month; those of the owner, in its spot wallet. */
  readonly fees: { readonly house: Cents; readonly merchant: Cents }
}

/** All entries of one type. */
export interface TypeMonth {
  readonly type: EntryType
  readonly count: number
  readonly credit: Cents
  readonly debit: Cents
}

export interface MonthlyQuery {
  readonly ownerId: string
  /** `2026-10`; null for the running one. */
  readonly month: string | null
  readonly at: Date
}

/**
 * A month to come is VALIDATION_FAILED; one before the owner had a wallet is closed, with zeros and the
 * ordinal 0. Writes: the months up to this one that are over are closed, each in a transaction of its own.
 */
export async function readMonthlyStatement(
  db: Db,
  { ownerId, month, at }: MonthlyQuery,
  staleReads: StaleReads = createStaleReads(null, db),
): Promise<MonthlyStatement> {
  const running = at.toISOString().slice(0, 7)
  if (month === null || month === running) {
    await closeMonths(db, ownerId, running)
    const rows = await db.query<Row>(OPEN_MONTH, [ownerId])
    return { month: running, number: null, isClosed: false, wallets: walletsOf(rows) }
  }
  if (month > running) return refuseMonth()
  // A month that is closed never changes; one that the replica does not know yet is closed already.
  const closed = await staleReads((stale) => readClosed(stale, ownerId, month))
  if (closed !== null) return closed
  await closeMonths(db, ownerId, followingOf(month))
  return (await readClosed(db, ownerId, month)) ?? emptyMonth(db, ownerId, month)
}

async function closeMonths(db: Db, ownerId: string, before: string): Promise<void> {
  const closeOne = () =>
    db.transaction(async (tx) => {
      const [row] = await tx.query<{ month: string | null }>(CLOSE_MONTH, [ownerId, dayOf(before)])
      return assertDefined(row, 'an answer of ledger.close_month').month
    })
  while ((await closeOne()) !== null);
}

async function readClosed(
  db: Queryable,
  ownerId: string,
  month: string,
): Promise<MonthlyStatement | null> {
  const rows = await db.query<Row & { ordinal: number }>(CLOSED_MONTH, [ownerId, dayOf(month)])
  const [first] = rows
  if (first === undefined) return null
  return { month, number: numberOf(month, first.ordinal), isClosed: true, wallets: walletsOf(rows) }
}

async function emptyMonth(
  db: Queryable,
  ownerId: string,
  month: string,
): Promise<MonthlyStatement> {
  const wallets = await readWallets(db, [ownerId])
  return {
    month,
    number: numberOf(month, 0),
    isClosed: true,
    wallets: wallets.map(({ kind, currency }) => ({
      ...{ kind, currency, opening: ZERO_CENTS, closing: ZERO_CENTS, rows: [], fees: NO_FEES },
    })),
  }
}

const NO_FEES = { house: ZERO_CENTS, merchant: ZERO_CENTS }

const numberOf = (month: string, ordinal: number): string =>
  `${month}-${String(ordinal).padStart(4, '0')}`

const dayOf = (month: string): string => `${month}-01`

function followingOf(month: string): string {
  const [year, nth] = month.split('-').map(Number) as [number, number]
  return nth < 12
    ? `${month.slice(0, 4)}-${String(nth + 1).padStart(2, '0')}`
    : `${String(year + 1).padStart(4, '0')}-01`
}

interface Row {
  readonly kind: WalletKind
  readonly currency: Currency
  readonly opening: bigint
  readonly closing: bigint
  readonly house: bigint
  readonly merchant: bigint
  /** Null on the only row of a wallet in which nothing moved. */
  readonly type: EntryType | null
  readonly count: bigint
  readonly credit: bigint
  readonly debit: bigint
}

/** Of rows that are ordered by wallet. */
function walletsOf(rows: readonly Row[]): WalletMonth[] {
  const wallets = new Map<WalletKind, WalletMonth & { readonly rows: TypeMonth[] }>()
  for (const { kind, currency, opening, closing, house, merchant, type, ...sums } of rows) {
    const wallet = wallets.get(kind) ?? {
      ...{ kind, currency, opening: cents(opening), closing: cents(closing), rows: [] },
      fees: kind === 'spot' ? { house: cents(house), merchant: cents(merchant) } : NO_FEES,
    }
    wallets.set(kind, wallet)
    if (type === null) continue
    const { count, credit, debit } = sums
    wallet.rows.push({ type, count: Number(count), credit: cents(credit), debit: cents(debit) })
  }
  return [...wallets.values()]
}

const CLOSE_MONTH = sql(
  'ledger.close_month',
  `select ledger.close_month($1, $2::date)::text "month"`,
)

const IN_ORDER = `order by a.kind desc, "type"`

const CLOSED_MONTH = sql(
  'ledger.closed_month',
  `select s.ordinal, a.kind, a.currency, w.opening, w.closing, s.house_fees house, s.merchant_fees merchant,
     r.entry_type "type", r.entries count, r.credit, r.debit
   from ledger.statement s
     join ledger.account a on a.owner_id = s.owner_id and a.kind in ('spot', 'earnings')
     join ledger.statement_account w on w.account_id = a.id and w.month = s.month
     left join ledger.statement_row r on r.account_id = a.id and r.month = s.month
   where s.owner_id = $1 and s.month = $2::date ${IN_ORDER}`,
)

const OPEN_MONTH = sql(
  'ledger.open_month',
  `with chain as materialized (select * from ledger.open_chains($1, null)),
     fees as materialized (
       select f.* from ledger.sum_fees(array(select c::ledger.open_chain from chain c)) f)
   select a.kind, a.currency, c.opening, c.closing, fees.house, fees.merchant,
     e.entry_type "type", e.entries count, e.credit, e.debit
   from chain c join ledger.account a on a.id = c.account_id and a.kind in ('spot', 'earnings')
     cross join fees
     left join lateral ledger.sum_entries(c.account_id, c.after_seq, c.through_seq) e on true
   ${IN_ORDER}`,
)

const refuseMonth = (): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      { in: 'query', pointer: '/month', rule: 'past', message: 'must not be in the future' },
    ],
  })
