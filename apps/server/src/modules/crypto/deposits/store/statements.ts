// SQL of the comparison with providers' statements.
import { type Db, type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { ExactUsd } from '../amounts.ts'
import type { ProviderName } from '../deposit.ts'
import { exactOf } from '../exact.ts'
import type { StatementMovement } from '../ports.ts'

export interface BookLine {
  readonly kind: StatementMovement['kind']
  readonly ref: string
  readonly depositId: string
  /** Of a payment its value in dollars, of a refund the tokens that were paid; in 10^-36. */
  readonly amount: ExactUsd
  readonly amountText: string
  /** Of the deposit. */
  readonly token: string
  readonly bookedAt: Date
  /** When its deposit was created: no payment is older. */
  readonly beganAt: Date
}

export interface NewDifference {
  readonly kind: StatementMovement['kind']
  readonly ref: string
  readonly problem: 'missing in books' | 'amount differs' | 'missing at provider'
  readonly depositId: string | null
  /** The next statement begins before this moment. */
  readonly at: Date
  readonly details: Readonly<Record<string, string>>
}

export interface FoundDifference extends NewDifference {
  readonly provider: ProviderName
}

const WINDOW = sql(
  'deposits.statement_window',
  `select statement_from "from", books_from "booksFrom" from deposits.statement_window($1, $2)`,
)
/**
 * The next comparison goes back to before the one before, to what it has found, and to the beginning of each
 * deposit that was credited since.
 */
export async function readStatementWindow(
  db: Queryable,
  provider: ProviderName,
  until: Date,
): Promise<{ readonly from: Date; readonly booksFrom: Date }> {
  const [row] = await db.query<{ from: Date; booksFrom: Date }>(WINDOW, [provider, until])
  return assertDefined(row, 'the window of a statement')
}

const BOOKS = sql(
  'deposits.book_lines',
  `with asked as (
     select unnest($4::text[]) ref
     union select s.ref from deposits.statement_difference s where s.provider = $1 and s.explained_at is null)
   select 'payment' kind, c.settlement_ref ref, c.deposit_id, c.value_usd amount, d.token, d.created_at began_at,
     c.created_at booked_at
   from deposits.credit c join deposits.deposit d on d.id = c.deposit_id
   where c.provider = $1 and (c.created_at between $2 and $3 or c.settlement_ref in (select ref from asked)
     or c.deposit_id = any ($5::uuid[]))
   union all
   select 'refund', r.refund_ref, r.deposit_id, r.amount_token, d.token, d.created_at, r.created_at
   from deposits.reversal r join deposits.deposit d on d.id = r.deposit_id
   where r.provider = $1 and (r.created_at between $2 and $3 or r.refund_ref in (select ref from asked)
     or r.deposit_id = any ($6::uuid[]))`,
)
/**
 * What was credited or taken back in a window, under these references or of these deposits, and where there
 * was a difference.
 */
export async function listBookLines(
  db: Queryable,
  provider: ProviderName,
  {
    from,
    until,
    refs,
    paid,
    refunded,
  }: {
    readonly from: Date
    readonly until: Date
    readonly refs: string[]
    /** Deposits of which all credits are listed, and those of which all reversals are. */
    readonly paid: string[]
    readonly refunded: string[]
  },
): Promise<BookLine[]> {
  const rows = await db.query<{
    kind: StatementMovement['kind']
    ref: string
    deposit_id: string
    amount: string
    token: string
    began_at: Date
    booked_at: Date
  }>(BOOKS, [provider, from, until, refs, paid, refunded])
  return rows.map(({ kind, ref, deposit_id, amount, token, began_at, booked_at }) => ({
    ...{ kind, ref, depositId: deposit_id, token, beganAt: began_at, bookedAt: booked_at },
    amount: exactOf(amount),
    amountText: amount.replace(/\.?0+$/, ''),
  }))
}

const DEPOSITS_OF = sql(
  'deposits.deposits_of_orders',
  `select o.provider_order_id "providerOrderId", o.deposit_id "depositId"
   from deposits.provider_order o where o.provider = $1 and o.provider_order_id = any ($2::text[])`,
)
/** Our deposits by the provider's ids of their orders. */
export async function findDepositsOfOrders(
  db: Queryable,
  provider: ProviderName,
  providerOrderIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ providerOrderId: string; depositId: string }>(DEPOSITS_OF, [
    provider,
    providerOrderIds,
  ])
  return new Map(rows.map(({ providerOrderId, depositId }) => [providerOrderId, depositId]))
}

const EXPECTED = sql(
  'deposits.expected_uncredited',
  `select h.settlement_ref name from deposits.held_payment h
   where h.provider = $1 and h.settlement_ref = any ($2::text[])
   union all
   select o.provider_order_id from deposits.provider_order o
   where o.provider = $1 and o.provider_order_id = any ($2::text[])
     and exists (select from deposits.held_payment h where h.deposit_id = o.deposit_id and not exists (
       select from deposits.credit c where c.provider = h.provider and c.settlement_ref = h.settlement_ref))
   union all
   select d.id::text from deposits.deposit d where d.id = any ($3::uuid[]) and d.status in ('initiated', 'pending')`,
)
/**
 * References that are held back, orders with a payment that is, and deposits that still wait: their payments
 * are not in the books yet.
 */
export async function findExpected(
  db: Queryable,
  provider: ProviderName,
  { refs, depositIds }: { readonly refs: string[]; readonly depositIds: string[] },
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>(EXPECTED, [provider, refs, depositIds])
  return new Set(rows.map(({ name }) => name))
}

const NOTE = sql(
  'deposits.note_difference',
  `insert into deposits.statement_difference as s (provider, kind, ref, problem, deposit_id, at, facts, first_seen_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (provider, kind, ref) do update set sightings = s.sightings + 1, problem = excluded.problem,
     facts = excluded.facts
   returning sightings > 1 and explained_at is null confirmed`,
)
const FORGET = sql(
  'deposits.forget_differences',
  `delete from deposits.statement_difference s
   where s.provider = $1 and s.kind || ' ' || s.ref <> all ($2::text[]) and s.explained_at is null
   returning s.ref`,
)
const COMPARED = sql(
  'deposits.statement_compared',
  `insert into deposits.statement_check (provider, compared_until) values ($1, $2)
   on conflict (provider) do update set compared_until = excluded.compared_until`,
)
/** Keeps what was found, forgets what is no longer so, and moves the window; one commit. */
export const noteDifferences = (
  db: Db,
  provider: ProviderName,
  found: readonly NewDifference[],
  until: Date,
): Promise<{ readonly confirmed: FoundDifference[]; readonly gone: string[] }> =>
  db.transaction(async (tx) => {
    const confirmed: FoundDifference[] = []
    for (const one of found) {
      const { kind, ref, problem, depositId, at, details } = one
      const values = [provider, kind, ref, problem, depositId, at, JSON.stringify(details), until]
      const [row] = await tx.query<{ confirmed: boolean }>(NOTE, values)
      if (row?.confirmed) confirmed.push({ ...one, provider })
    }
    const kept = found.map(({ kind, ref }) => `${kind} ${ref}`)
    const gone = await tx.query<{ ref: string }>(FORGET, [provider, kept])
    await tx.query(COMPARED, [provider, until])
    return { confirmed, gone: gone.map(({ ref }) => ref) }
  })

const EXPLAIN = sql(
  'deposits.explain_difference',
  `update deposits.statement_difference s set explained_at = $4, explained_by = $3
   where s.provider = $1 and s.ref = $2 and s.explained_at is null returning s.deposit_id`,
)
/** An operator has found why: it is no difference any more. False when there is none. */
export async function explainDifference(
  tx: Tx,
  { provider, ref, by, at }: { provider: ProviderName; ref: string; by: string; at: Date },
): Promise<boolean> {
  return (await tx.query(EXPLAIN, [provider, ref, by, at])).length > 0
}
