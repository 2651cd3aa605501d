// SQL of the comparison with providers' statements.
import { type Db, type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { ExactUsd } from '../amounts.ts'
import type { ProviderName } from '../deposit.ts'
import { exactOf } from '../exact.ts'
import type { StatementLine } from '../ports.ts'

export interface BookLine {
  readonly kind: StatementLine['kind']
  readonly ref: string
  readonly depositId: string
  /** Of a payment its value in dollars, of a refund the tokens that were paid; in 10^-36. */
  readonly amount: ExactUsd
  readonly amountText: string
  /** When its deposit was created: no payment is older. */
  readonly beganAt: Date
}

export interface NewDifference {
  readonly kind: StatementLine['kind']
  readonly ref: string
  readonly problem: 'missing in books' | 'amount differs' | 'missing at provider'
  readonly depositId: string | null
  /** The next statement begins before this moment. */
  readonly at: Date
  readonly facts: Readonly<Record<string, string>>
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
   select 'payment' kind, c.settlement_ref ref, c.deposit_id, c.value_usd amount, d.created_at began_at
   from deposits.credit c join deposits.deposit d on d.id = c.deposit_id
   where c.provider = $1 and (c.created_at between $2 and $3 or c.settlement_ref in (select ref from asked))
   union all
   select 'refund', r.refund_ref, r.deposit_id, r.amount_token, d.created_at
   from deposits.reversal r join deposits.deposit d on d.id = r.deposit_id
   where r.provider = $1 and (r.created_at between $2 and $3 or r.refund_ref in (select ref from asked))`,
)
/** What was credited or taken back in a window, under these references, and where there was a difference. */
export async function listBookLines(
  db: Queryable,
  provider: ProviderName,
  { from, until, refs }: { readonly from: Date; readonly until: Date; readonly refs: string[] },
): Promise<BookLine[]> {
  const rows = await db.query<{
    kind: StatementLine['kind']
    ref: string
    deposit_id: string
    amount: string
    began_at: Date
  }>(BOOKS, [provider, from, until, refs])
  return rows.map(({ kind, ref, deposit_id, amount, began_at }) => ({
    ...{ kind, ref, depositId: deposit_id, beganAt: began_at },
    amount: exactOf(amount),
    amountText: amount.replace(/\.?0+$/, ''),
  }))
}

const EXPECTED = sql(
  'deposits.expected_uncredited',
  `select h.settlement_ref name from deposits.held_payment h
   where h.provider = $1 and h.settlement_ref = any ($2::text[])
   union all
   select d.id::text from deposits.deposit d where d.id = any ($3::uuid[]) and d.status in ('initiated', 'pending')`,
)
/** References that are held back, and deposits that still wait: their payments are not in the books yet. */
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
      const { kind, ref, problem, depositId, at, facts } = one
      const values = [provider, kind, ref, problem, depositId, at, JSON.stringify(facts), until]
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
