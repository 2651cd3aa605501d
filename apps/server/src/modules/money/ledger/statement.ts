// A wallet's ledger by page number, with the balance after each row.
import { type Queryable, sql } from '#infra/database/db'
import { type Cents, cents } from '#kernel/money'
import { describe, type EntryType, type Side } from './entry.ts'

export interface StatementRow {
  /** The journal's id: the same row in the ledgers of both sides. */
  readonly id: string
  readonly type: EntryType
  readonly side: Side
  /** Never negative. */
  readonly amount: Cents
  readonly balanceAfter: Cents
  readonly description: string
  readonly occurredAt: Date
  readonly externalRef: string | null
}

/** Rows of one type on one side. */
export interface ShownRow {
  readonly type: EntryType
  readonly side: Side
}

export interface StatementQuery {
  readonly page: number
  readonly limit: number
  /** Null for every row. */
  readonly shown: readonly ShownRow[] | null
}

/** Newest first. Without a filter a page costs the same at any depth: rows are numbered without gaps. */
export async function statement(
  db: Queryable,
  ownerId: string,
  { page, limit, shown }: StatementQuery,
): Promise<{ readonly total: number; readonly rows: readonly StatementRow[] }> {
  const skipped = BigInt(page - 1) * BigInt(limit)
  const rows =
    shown === null
      ? await db.query<Row>(NUMBERED, [ownerId, skipped, limit])
      : await db.query<Row>(FILTERED, [
          ...[ownerId, skipped, limit],
          shown.map(({ type, side }) => `${type}:${side}`),
        ])
  const [first] = rows
  return {
    total: Number(first?.total ?? 0n),
    rows: rows.flatMap((row) => (row.id === null ? [] : [rowOf(row)])),
  }
}

interface Row {
  readonly total: bigint
  /** Null on the only row of an empty page. */
  readonly id: string | null
  readonly type: EntryType
  readonly side: Side
  readonly is_reversal: boolean
  readonly amount: bigint
  readonly after: bigint
  readonly created_at: Date
  readonly external_ref: string | null
}

const rowOf = (row: Row): StatementRow => ({
  id: row.id as string,
  type: row.type,
  side: row.side,
  amount: cents(row.amount),
  balanceAfter: cents(row.after),
  description: describe(row.type, row.is_reversal),
  occurredAt: row.created_at,
  externalRef: row.external_ref,
})

const sideOf = (side: Side, postings: string): string => `
  select p.journal_id id, p.kind, '${side}' side, p.amount, p.${side}_after "after", p.created_at, p.external_ref,
    p.${side}_seq seq
  from wallet join ${postings}`

const allOf = (side: Side): string =>
  sideOf(side, `ledger.posting p on p.${side}_account_id = wallet.id and p.${side}_seq is not null`)

// By its index also where most postings are of one wallet: with a join alone they would all be read.
const pageOf = (side: Side): string =>
  sideOf(
    side,
    `lateral (
      select * from ledger.posting own
      where own.${side}_account_id = wallet.id
        and own.${side}_seq <= wallet.seq - $2::bigint and own.${side}_seq > wallet.seq - $2::bigint - $3::bigint
      order by own.${side}_seq desc limit $3::bigint) p on true`,
  )

const WALLET = `wallet as materialized (
  select a.id, b.seq from ledger.account a join ledger.balance b on b.account_id = a.id
  where a.owner_id = $1 and a.kind = 'spot')`

// A reversal reads as what it reverses, on the other side.
const NAMED = `
  select row.*, original.kind is not null is_reversal,
    case when (row.side = 'debit') = (original.kind is null) then k.debit_entry else k.credit_entry end "type"
  from row
  left join ledger.journal own on row.kind = 'reversal' and own.id = row.id
  left join ledger.journal original on original.id = own.reverses_id
  join ledger.journal_kind k on k.name = coalesce(original.kind, row.kind)`

const NUMBERED = sql(
  'ledger.statement',
  `with ${WALLET},
   row as (${pageOf('debit')} union all ${pageOf('credit')}),
   named as (${NAMED})
   select wallet.seq total, named.* from wallet left join named on true order by named.seq desc`,
)

const FILTERED = sql(
  'ledger.filtered_statement',
  `with ${WALLET},
   row as (${allOf('debit')} union all ${allOf('credit')}),
   named as (select * from (${NAMED}) n where n."type" || ':' || n.side = any ($4::text[])),
   page as (select * from named order by seq desc limit $3::bigint offset $2::bigint)
   select (select count(*) from named) total, page.* from wallet left join page on true order by page.seq desc`,
)
