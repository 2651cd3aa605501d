// Closes accounts without a balance row: what their postings come to is kept, so that a balance reads only
// what was posted since. The sum itself is the database's (0015_custody.sql).
import { type Db, sql, sqlState } from '#infra/database/db'

const DUE = sql(
  'custody.accounts_to_close',
  `select a.id "accountId", above.last "postingId"
   from custody.account a
     left join lateral (select c.posting_id from custody.closing c
       where c.account_id = a.id order by c.posting_id desc limit 1) closed on true
     cross join lateral (select max(p.id) last, count(*) count from (
       (select id from custody.posting where debit_account_id = a.id and debit_seq is null
          and id > coalesce(closed.posting_id, 0) order by id limit $2)
       union all
       (select id from custody.posting where credit_account_id = a.id and credit_seq is null
          and id > coalesce(closed.posting_id, 0) order by id limit $2)
       order by id limit $2) p) above
   where not a.is_tracked and above.count >= $1 order by a.id`,
)
const CLOSE = sql(
  'custody.close',
  'insert into custody.closing (account_id, posting_id) values ($1, $2) on conflict do nothing',
)

/** How many postings a closing takes in. */
export interface ClosingSize {
  /** With fewer an account is left as it is: a balance reads so many at once. */
  readonly least: number
  readonly most: number
}
const SIZE: ClosingSize = { least: 500, most: 5_000 }

/** PostgreSQL: lock_not_available. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Closes each account that has so many postings above its last closing, a commit each; how many closings were
 * made. It ends early when transactions hold postings open: the next run tries again.
 */
export async function closeAccounts(
  db: Db,
  { signal, size = SIZE }: { readonly signal: AbortSignal; readonly size?: ClosingSize },
): Promise<number> {
  let made = 0
  const due = await db.query<{ accountId: bigint; postingId: bigint }>(DUE, [size.least, size.most])
  for (const { accountId, postingId } of due) {
    if (signal.aborted) return made
    try {
      await db.query(CLOSE, [accountId, postingId])
    } catch (error) {
      if (sqlState(error) === LOCK_NOT_AVAILABLE) return made
      throw error
    }
    made++
  }
  return made
}
