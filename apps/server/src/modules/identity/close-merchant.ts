import { sql, type Tx } from '#infra/db'
import { refuse } from '#kernel/refusal'
import { lockAndSum } from '#ledger'
import type { DeletionDeps } from './delete-sub-user.ts'

// The merchant first: who opens something for one of its users waits at the user's row or at this one.
const LOCK_MERCHANT = sql(
  'identity.lock_merchant',
  `select id from identity.account where id = $1 and kind = 'merchant' and status <> 'deleted' for update`,
)
const LOCK_USERS = sql(
  'identity.lock_users_of_merchant',
  `select id from identity.account where parent_id = $1 and status <> 'deleted' order by id for update`,
)
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
 * Closes a merchant and its users: no cent in a wallet or in escrow of any of them, nothing open. Their rows
 * and balances stay locked to the commit, as in `deleteSubUser`. The address of the merchant is free again.
 * Refuses USER_NOT_FOUND and ACCOUNT_HAS_FUNDS.
 */
export async function closeMerchant(
  tx: Tx,
  merchantId: string,
  at: Date,
  { openBusiness }: DeletionDeps,
): Promise<void> {
  if ((await tx.query(LOCK_MERCHANT, [merchantId])).length === 0) refuse('USER_NOT_FOUND')
  const users = await tx.query<{ id: string }>(LOCK_USERS, [merchantId])
  const ids = [merchantId, ...users.map(({ id }) => id)]
  if ((await lockAndSum(tx, ids)) !== 0n) refuse('ACCOUNT_HAS_FUNDS')
  for (const find of openBusiness) {
    if ((await find(tx, ids)).length > 0) refuse('ACCOUNT_HAS_FUNDS')
  }
  await tx.query(CLOSE, [ids, at])
}
