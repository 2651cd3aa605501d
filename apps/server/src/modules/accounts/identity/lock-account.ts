// Accounts that are not closed while something happens to them.
import { sql, type Tx, violatedConstraint } from '#infra/database/db'
import { Refusal, refuse } from '#kernel/refusal'

// Key share is the weakest lock that the `for update` of a close waits for.
const KEEP = sql(
  'identity.keep',
  `select id from identity.account where id = $1 and status <> 'deleted' for key share`,
)

/**
 * Until the transaction ends the account is not closed: for what gives it money or creates something below
 * it, before anything else is locked. Refuses USER_NOT_FOUND.
 */
export async function keepAccount(tx: Tx, id: string): Promise<void> {
  if ((await tx.query(KEEP, [id])).length === 0) refuse('USER_NOT_FOUND')
}

/**
 * The refusal behind an error of a statement that calls `identity.lock_active_account`, or inserts a row
 * below an account: the account was deleted or suspended after the request had found it. Null for every other
 * error.
 */
export function accountRefusal(error: unknown): Refusal | null {
  switch (violatedConstraint(error)) {
    case 'account_exists':
      return new Refusal('USER_NOT_FOUND')
    case 'account_is_active':
      return new Refusal('ACCOUNT_SUSPENDED')
    default:
      return null
  }
}
