// The rows of a wallet's ledger as the wallet's owner sees them. Which kind of journal reads as which type
// of entry is in ledger.journal_kind.
import type { Cents } from '#kernel/money'

export type Side = 'debit' | 'credit'

export type EntryType =
  | 'deposit_credit'
  | 'withdrawal_debit'
  | 'trade_payment'
  | 'trade_refund'
  | 'trade_payout'
  | 'fee_credit'
  | 'fund_in'
  | 'fund_out'
  | 'transfer_in'
  | 'transfer_out'
  | 'adjustment'

export type EntryStatus = 'posted' | 'reversed'

export interface Entry {
  /** The journal's id: the same row in the ledgers of both sides. */
  readonly id: string
  readonly type: EntryType
  readonly description: string
  readonly status: EntryStatus
  /** Signed: plus is a credit. */
  readonly amount: Cents
  readonly occurredAt: Date
  readonly externalRef: string | null
}

const DESCRIPTIONS: Readonly<Record<EntryType, string>> = {
  deposit_credit: 'Deposit',
  withdrawal_debit: 'Withdrawal',
  trade_payment: 'Payment for a trade',
  trade_refund: 'Refund of a trade item',
  trade_payout: 'Payout for a trade',
  fee_credit: 'Fee earned on a trade of a sub-user',
  fund_in: 'Funds received',
  fund_out: 'Funds sent',
  transfer_in: 'Transfer from earnings',
  transfer_out: 'Transfer to spot',
  adjustment: 'Adjustment',
}

export const describe = (type: EntryType, isReversal: boolean): string =>
  isReversal ? `Reversal: ${DESCRIPTIONS[type].toLowerCase()}` : DESCRIPTIONS[type]
