// What keeps an account from being deleted, and what a deleted one must not have: one list for the service
// and for the audit from the command line.
import { cancelOrdersOf } from '#bidding'
import { findOwnersInCustody } from '#custody'
import { findAccountsWithOpenDeposits } from '#deposits'
import type { CloseBusiness, FindOpenBusiness } from '#identity'
import { findOwnersWithOpenWithdrawals } from '#payouts'
import { findAccountsWithOpenTrades } from '#trades'

/** A module that opens something for accounts adds itself: such an account is not deleted. */
export const OPEN_BUSINESS: readonly FindOpenBusiness[] = [
  findAccountsWithOpenTrades,
  findAccountsWithOpenDeposits,
  findOwnersWithOpenWithdrawals,
  findOwnersInCustody,
]

/** What ends with its account. */
export const CLOSE_BUSINESS: readonly CloseBusiness[] = [cancelOrdersOf]
