// The promises of the books as queries over slices of them. One statement is one snapshot, so traffic does
// not look like a fault, and none reads more than a slice, so none grows with the books.
import { type Queryable, sql } from '#infra/database/db'
import type { Violation } from '#infra/database/id-slices'
import { assertDefined } from '#kernel/assert'

const LAST_POSTING = sql(
  'ledger.last_posting',
  'select coalesce(max(id), 0)::bigint id from ledger.posting',
)

export async function lastPostingId(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ id: bigint }>(LAST_POSTING)
  return assertDefined(row, 'last posting').id
}

// Each posting continues the chain of its accounts. With the check that a balance is the end of its chain
// this proves by induction what a sum over all postings would.
const AUDIT_POSTINGS = sql(
  'ledger.audit_postings',
  `with leg as materialized (
     select id, debit_account_id account_id, debit_seq seq, debit_after after, -amount change, currency
       from ledger.posting where id > $1 and id <= $2
     union all
     select id, credit_account_id, credit_seq, credit_after, amount, currency
       from ledger.posting where id > $1 and id <= $2)
   select 'an account''s postings form a gapless chain' invariant,
       format('account %s at seq %s', leg.account_id, leg.seq) detail
     from leg
     left join lateral (
       (select p.debit_after after from ledger.posting p
          where p.debit_account_id = leg.account_id and p.debit_seq = leg.seq - 1)
       union all
       (select p.credit_after from ledger.posting p
          where p.credit_account_id = leg.account_id and p.credit_seq = leg.seq - 1)) previous on true
     where leg.account_id > 0
       and (leg.seq is null
         or leg.after is distinct from case when leg.seq = 1 then leg.change else previous.after + leg.change end)
   union all
   select 'a posting names accounts of its currency', leg.id::text
     from leg left join ledger.account a on a.id = leg.account_id
     where a.currency is distinct from leg.currency`,
)

export const auditPostings = (db: Queryable, after: bigint, upTo: bigint): Promise<Violation[]> =>
  db.query<Violation>(AUDIT_POSTINGS, [after, upTo])

const auditBalances = (which: string): string => `
  select 'balance is the sum of its postings' invariant,
      format('account %s: %s posted, %s in the chain at seq %s', b.account_id, b.posted, coalesce(last.after, 0), b.seq) detail
    from ledger.balance b
    left join lateral (
      (select p.debit_after after from ledger.posting p
         where p.debit_account_id = b.account_id and p.debit_seq = b.seq)
      union all
      (select p.credit_after from ledger.posting p
         where p.credit_account_id = b.account_id and p.credit_seq = b.seq)) last on true
    where ${which}
      and (b.posted is distinct from case when b.seq = 0 then 0 else last.after end
        or exists (select from ledger.posting p where p.debit_account_id = b.account_id and p.debit_seq > b.seq)
        or exists (select from ledger.posting p where p.credit_account_id = b.account_id and p.credit_seq > b.seq))
  union all
  select 'no balance below its floor', format('account %s: %s', b.account_id, b.posted)
    from ledger.balance b where ${which} and b.posted < b.floor`

const AUDIT_BALANCES = sql(
  'ledger.audit_balances',
  auditBalances('b.account_id > $1 and b.account_id <= $2'),
)

export const auditBalancesBetween = (
  db: Queryable,
  after: bigint,
  upTo: bigint,
): Promise<Violation[]> => db.query<Violation>(AUDIT_BALANCES, [after, upTo])

const AUDIT_TOUCHED_BALANCES = sql(
  'ledger.audit_touched_balances',
  auditBalances(
    `b.account_id in (
       select debit_account_id from ledger.posting where id > $1
       union select credit_account_id from ledger.posting where id > $1)`,
  ),
)

/** What the postings after this one, and the balances that they moved, can have broken. */
export const auditSince = async (db: Queryable, postingId: bigint): Promise<Violation[]> => [
  ...(await auditPostings(db, postingId, NO_END)),
  ...(await db.query<Violation>(AUDIT_TOUCHED_BALANCES, [postingId])),
]

const NO_END = 9_223_372_036_854_775_807n

const AUDIT_JOURNALS = sql(
  'ledger.audit_journals',
  `select 'every journal has a posting' invariant, j.id::text detail from ledger.journal j
   where j.id > $1 and j.id <= $2
     and not exists (select from ledger.posting p where p.journal_id = j.id)`,
)

export const auditJournals = (db: Queryable, after: string, upTo: string): Promise<Violation[]> =>
  db.query<Violation>(AUDIT_JOURNALS, [after, upTo])

const AUDIT_HOLDS = sql(
  'ledger.audit_holds',
  `select 'a resolved hold adds up' invariant, r.hold_id::text detail
   from ledger.hold_resolution r join ledger.hold h on h.id = r.hold_id
   where r.hold_id > $1 and r.hold_id <= $2
     and (r.amount <> h.amount or r.captured + r.refunded + r.penalty <> h.amount)`,
)

export const auditHolds = (db: Queryable, after: string, upTo: string): Promise<Violation[]> =>
  db.query<Violation>(AUDIT_HOLDS, [after, upTo])

// The one promise that is about all rows at once: it costs a scan of the holds.
const AUDIT_ESCROW = sql(
  'ledger.audit_escrow',
  `select 'escrow is the sum of the open holds' invariant,
     format('owner %s: %s in escrow, %s held', coalesce(e.owner_id, h.owner_id), coalesce(e.posted, 0), coalesce(h.amount, 0)) detail
   from (select a.owner_id, b.posted from ledger.account a join ledger.balance b on b.account_id = a.id
         where a.kind = 'escrow') e
   full join (select owner_id, sum(amount) amount from ledger.hold
              where not exists (select from ledger.hold_resolution r where r.hold_id = hold.id) group by 1) h using (owner_id)
   where coalesce(e.posted, 0) <> coalesce(h.amount, 0)`,
)

export const auditEscrow = (db: Queryable): Promise<Violation[]> =>
  db.query<Violation>(AUDIT_ESCROW)

const endOf = (table: string, id: string) =>
  sql(
    `ledger.end_of_slice_${table}`,
    `select id::text from (select ${id} id from ledger.${table} where ${id} > $1 order by ${id} limit $2) slice
     order by id desc limit 1`,
  )
const ENDS = {
  balance: endOf('balance', 'account_id'),
  journal: endOf('journal', 'id'),
  hold_resolution: endOf('hold_resolution', 'hold_id'),
}

/** The last of the next `limit` rows after this one; null when there is none. */
export async function endOfSlice(
  db: Queryable,
  table: keyof typeof ENDS,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(ENDS[table], [after, limit])
  return row?.id ?? null
}

export interface AuditRun {
  readonly part: string | null
  readonly position: string | null
  readonly finishedAt: Date | null
}

const READ_RUN = sql(
  'ledger.read_audit_run',
  'select part, position, finished_at "finishedAt" from ledger.audit_run',
)

export async function readAuditRun(db: Queryable): Promise<AuditRun> {
  const [row] = await db.query<AuditRun>(READ_RUN)
  return assertDefined(row, 'ledger.audit_run')
}

const WRITE_RUN = sql(
  'ledger.write_audit_run',
  `update ledger.audit_run set part = $1, position = $2, finished_at = coalesce($3, finished_at)`,
)

export async function writeAuditRun(db: Queryable, run: AuditRun): Promise<void> {
  await db.query(WRITE_RUN, [run.part, run.position, run.finishedAt])
}
