// The rows of a wallet's ledger: how the books' own words (kind of the journal, side of the posting)
// are told to the wallet's owner.
import type { Cents } from '#kernel/money'

export type JournalKind =
  | 'buy'
  | 'refund'
  | 'penalty'
  | 'settle'
  | 'fund'
  | 'defund'
  | 'earnings_transfer'
  | 'deposit'
  | 'adjustment'
  | 'reversal'
  | 'payout'

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

/** A kind of journal without a line here, or on a side without a word, reads as an adjustment. */
const TYPES: Readonly<Record<JournalKind, Readonly<Partial<Record<Side, EntryType>>>>> = {
  buy: { debit: 'trade_payment' },
  refund: { credit: 'trade_refund' },
  // Penalties go from escrow to the house and never pass a wallet.
  penalty: {},
  settle: { credit: 'fee_credit' },
  fund: { debit: 'fund_out', credit: 'fund_in' },
  defund: { debit: 'fund_out', credit: 'fund_in' },
  earnings_transfer: { debit: 'transfer_out', credit: 'transfer_in' },
  deposit: { credit: 'deposit_credit' },
  adjustment: { debit: 'adjustment', credit: 'adjustment' },
  reversal: {},
  payout: { credit: 'trade_payout' },
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

const opposite = (side: Side): Side => (side === 'debit' ? 'credit' : 'debit')

/**
 * The type of a posting on a wallet. A reversal keeps the type of what it reverses: it is found by the
 * same filter, and the two cancel out.
 */
export function typeOf(kind: JournalKind, side: Side, reversed: JournalKind | null): EntryType {
  if (kind !== 'reversal') return TYPES[kind][side] ?? 'adjustment'
  return (reversed !== null && TYPES[reversed][opposite(side)]) || 'adjustment'
}

export function describe(type: EntryType, kind: JournalKind): string {
  const what = DESCRIPTIONS[type]
  return kind === 'reversal' ? `Reversal: ${what.toLowerCase()}` : what
}

const KINDS = Object.keys(TYPES) as JournalKind[]

/** Which postings on a side are shown as `type`: those of these kinds, and reversals of those. */
export function kindsOf(
  type: EntryType,
  side: Side,
): { kinds: JournalKind[]; reversing: JournalKind[] } {
  return {
    kinds: KINDS.filter((kind) => kind !== 'reversal' && typeOf(kind, side, null) === type),
    reversing: KINDS.filter((kind) => typeOf('reversal', side, kind) === type),
  }
}
