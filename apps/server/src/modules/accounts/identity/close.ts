// Closing accounts for good: a sub-user or a child alone, a merchant with its users. Their history stays.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type RefusalKey, refuse } from '#kernel/refusal'
import { lockOwnersWithMoney } from '#ledger'

/** Which of these accounts have something that has not ended, for example a trade. */
export type FindOpenBusiness = (
  db: Queryable,
  accountIds: readonly string[],
) => Promise<readonly string[]>

/** Ends what needs no one's consent to end, in the transaction of the deletion. */
export type CloseBusiness = (tx: Tx, accountIds: readonly string[], at: Date) => Promise<void>

export interface DeletionDeps {
  /** A module that opens something for accounts adds itself in operations/acts/open-business.ts. */
  readonly openBusiness: readonly FindOpenBusiness[]
  /** The same, for what is not waited for. */
  readonly closeBusiness: readonly CloseBusiness[]
}

const LOCK_ACCOUNT = sql(
  'identity.lock_for_deletion',
  `select id from identity.account where id = $1 and status <> 'deleted' for update`,
)

/**
 * Deletes a sub-user or a child that has nothing left. Its external id stays taken. Refuses USER_NOT_FOUND
 * and USER_HAS_FUNDS_OR_OPEN_TRADES.
 */
export async function deleteSubUser(
  tx: Tx,
  id: string,
  at: Date,
  deps: DeletionDeps,
): Promise<void> {
  if ((await tx.query(LOCK_ACCOUNT, [id])).length === 0) refuse('USER_NOT_FOUND')
  await close(tx, [id], at, { ...deps, refusal: 'USER_HAS_FUNDS_OR_OPEN_TRADES' })
}

// The merchant first: who opens something for one of its users waits at the user's row or at this one, and no
// user is made after it.
const LOCK_MERCHANT = sql(
  'identity.lock_merchant',
  `select id from identity.account where id = $1 and kind = 'merchant' and status <> 'deleted' for update`,
)
const LOCK_USERS = sql(
  'identity.lock_users_of_merchant',
  `select id from identity.account where parent_id = $1 and status <> 'deleted' order by id for update`,
)

/**
 * Closes a merchant and its users, when none of them has anything left. The address of the merchant is free
 * again. Refuses USER_NOT_FOUND and ACCOUNT_HAS_FUNDS.
 */
export async function closeMerchant(
  tx: Tx,
  merchantId: string,
  at: Date,
  deps: DeletionDeps,
): Promise<void> {
  if ((await tx.query(LOCK_MERCHANT, [merchantId])).length === 0) refuse('USER_NOT_FOUND')
  const users = await tx.query<{ id: string }>(LOCK_USERS, [merchantId])
  const ids = [merchantId, ...users.map(({ id }) => id)]
  await close(tx, ids, at, { ...deps, refusal: 'ACCOUNT_HAS_FUNDS' })
}

const CLOSE = sql(
  'identity.close_accounts',
  `with url as (delete from identity.trade_url where account_id = any ($1::uuid[])),
     key as (update identity.api_key set status = 'revoked', revoked_at = $2
       where account_id = any ($1::uuid[]) and status <> 'revoked')
   update identity.account set status = 'deleted', name = null, description = null, platform_id = null, country = null,
     email = case when kind = 'merchant' then 'closed-' || id || '@invalid' end, deleted_at = $2, updated_at = $2
   where id = any ($1::uuid[])`,
)

/**
 * The rows of the accounts are locked: what opens something for one of them, gives it money or creates
 * something below it has committed, and is seen here, or waits and is refused. Balances stay locked to the
 * commit.
 */
async function close(
  tx: Tx,
  ids: readonly string[],
  at: Date,
  { openBusiness, closeBusiness, refusal }: DeletionDeps & { readonly refusal: RefusalKey },
): Promise<void> {
  if ((await lockOwnersWithMoney(tx, ids)).length > 0) refuse(refusal)
  for (const find of openBusiness) {
    if ((await find(tx, ids)).length > 0) refuse(refusal)
  }
  for (const end of closeBusiness) await end(tx, ids, at)
  await tx.query(CLOSE, [ids, at])
}
