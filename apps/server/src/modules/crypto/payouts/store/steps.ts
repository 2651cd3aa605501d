// The SQL functions of other modules that a step of a withdrawal calls in its own transaction.
import { type Queryable, sql, type Tx } from '#infra/database/db'

const LOCK_ACCOUNT = sql('payouts.lock_account', 'select identity.lock_active_account($1)')
/** Against deletion, until the transaction ends; refused for an account that is not active. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.query(LOCK_ACCOUNT, [accountId])
}

const ADD_EVENTS = sql(
  'payouts.add_events',
  `select outbox.add($1, $2, s.merchant, s.account, s.subject, $7, s.subject, $6)
   from unnest($3::uuid[], $4::uuid[], $5::uuid[]) with ordinality s (merchant, account, subject, number)
   order by s.number`,
)
/** One event of a type for each subject, in their order. */
export async function addEvents(
  tx: Tx,
  {
    type,
    subjectType,
    subjects,
    at,
    payload = {},
  }: {
    readonly type: string
    readonly subjectType: 'withdrawal' | 'custody_deposit'
    readonly subjects: readonly {
      readonly merchantId: string
      readonly accountId: string
      readonly subjectId: string
    }[]
    readonly at: Date
    readonly payload?: Readonly<Record<string, unknown>>
  },
): Promise<void> {
  if (subjects.length === 0) return
  await tx.query(ADD_EVENTS, [
    type,
    subjectType,
    subjects.map(({ merchantId }) => merchantId),
    subjects.map(({ accountId }) => accountId),
    subjects.map(({ subjectId }) => subjectId),
    at,
    payload,
  ])
}

const REVERSE = sql('payouts.reverse_journal', 'select ledger.reverse($1, $2, $3, $4)')
/** The mirror image of a journal of a wallet. */
export async function reverseJournal(
  tx: Tx,
  journalId: string,
  { scopeId, key, at }: { scopeId: string; key: string; at: Date },
): Promise<void> {
  await tx.query(REVERSE, [journalId, scopeId, key, at])
}

const OPEN_UNITS = sql(
  'payouts.open_units',
  `select coalesce(sum(units), 0) units, coalesce(sum(units) filter (where source = 'wallet'), 0) "ofOwnFunds"
   from payouts.withdrawal where chain = $1 and token = $2 and status in ('queued', 'broadcast')`,
)
/** What approved withdrawals that are not at their end pay: all of them, and those from wallets in cents. */
export async function readOpenUnits(
  db: Queryable,
  { chain, token }: { chain: string; token: string },
): Promise<{ readonly all: bigint; readonly ofOwnFunds: bigint }> {
  const [row] = await db.query<{ units: string; ofOwnFunds: string }>(OPEN_UNITS, [chain, token])
  return { all: BigInt(row?.units ?? 0), ofOwnFunds: BigInt(row?.ofOwnFunds ?? 0) }
}

const PARENT = sql(
  'payouts.merchant_of',
  'select coalesce(identity.merchant_of($1), $1) "merchantId"',
)
/** The merchant of a sub-user; every other account is its own. */
export async function readMerchantOf(db: Queryable, accountId: string): Promise<string> {
  const [row] = await db.query<{ merchantId: string }>(PARENT, [accountId])
  return row?.merchantId ?? accountId
}
