import { violatedConstraint } from '#infra/db'
import { Refusal } from '#kernel/refusal'

/**
 * The refusal behind an error of a statement that calls `identity.lock_active_account`: the account was
 * deleted or suspended after the request had found it. Null for every other error.
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
