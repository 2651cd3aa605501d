// A deposit, and the table of steps that it may take. Everything here is pure.
import type { Attos } from '#kernel/decimal'
import { type Cents, type Currency, cents } from '#kernel/money'

export const DEPOSIT_STATUSES = [
  'initiated',
  'pending',
  'completed',
  'partial',
  'expired',
  'cancelled',
  'refunded',
  'failed',
] as const
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number]

/** The steps that exist, with what each means. The database holds the same and refuses all others. */
export const DEPOSIT_TRANSITIONS = {
  initiated: {
    pending: 'a payment was seen; of a chain, the transfer is in a block',
    expired: 'two minutes after it expired, a fresh look at the order found no payment',
    cancelled: 'cancelled before a payment was seen',
    failed: 'the provider refused it, the payer gave up, or the order never came to be',
  },
  pending: {
    completed: 'the whole amount is settled; of a chain, confirmed',
    partial: 'the order is over, and less than the whole amount is settled',
    failed: 'the payment was blocked, failed or never settled; of a chain, it is not accepted',
    refunded: 'the provider returned the payment',
  },
  partial: {
    completed: 'a later payment brought the rest',
    refunded: 'the provider took it back',
  },
  expired: {
    completed: 'the whole amount arrived late',
    partial: 'a part of it arrived late',
  },
  cancelled: {
    completed: 'the whole amount arrived all the same',
    partial: 'a part of it arrived all the same',
  },
  failed: {
    completed: 'the whole amount arrived all the same',
    partial: 'a part of it arrived all the same',
  },
  completed: {
    refunded: 'the provider took it back',
    failed: 'its chain gave up the transfer, deeper than it was confirmed',
  },
  refunded: {
    completed: 'an operator released what was paid after it: the whole amount is settled',
    partial: 'an operator released what was paid after it: a part is settled',
  },
} as const satisfies Record<DepositStatus, Partial<Record<DepositStatus, string>>>

export type ProviderName = 'gateway' | 'onramp'
export type DepositMethod = ProviderName | 'crypto'

/** What its provider says in more detail beside the status. */
export type DepositSubstate =
  | 'processing'
  | 'conversion_delay'
  | 'exchange_failed'
  | 'refund_rejected'

/** Why a deposit failed. */
export type FailureReason =
  | 'provider_unavailable'
  | 'provider_refused'
  | 'amount_out_of_range'
  | 'chain_unsupported'
  | 'payment_failed'
  | 'payment_blocked'
  | 'payment_not_settled'
  | 'exchange_failed'
  | 'abandoned'
  | 'timed_out'
  | 'name_mismatch'
  | 'amount_mismatch'
  | 'unsupported_token'
  | 'below_minimum'
  | 'chain_reorg'

export interface Deposit {
  readonly id: string
  readonly tenantId: string
  readonly accountId: string
  /** The merchant's own name of the account. */
  readonly externalId: string | null
  readonly method: DepositMethod
  readonly status: DepositStatus
  readonly substate: DepositSubstate | null
  readonly reason: string | null
  readonly currency: Currency
  readonly token: string | null
  readonly chain: string | null
  /** What was asked for: tokens, or units of the card's currency. Null of a chain deposit. */
  readonly payAmount: Attos | null
  /** Tokens that are settled, or the transfer. */
  readonly received: Attos
  /** Tokens that its provider reports as settled while the order still runs, those credited included. */
  readonly seen: Attos
  /** US cents: the asked amount, and what was promised after the fee. */
  readonly payUsd: Cents | null
  readonly receiveUsd: Cents | null
  /** Cents of the wallet at the rate of the quote. */
  readonly receiveAmount: Cents | null
  /** US dollars for one token or one unit of the card's currency. */
  readonly usdPerToken: Attos | null
  readonly feeBps: number
  /** Cents of the wallet. */
  readonly credited: Cents
  readonly reversed: Cents
  /** Of what was credited, what was put aside: its account had been deleted. */
  readonly unclaimed: Cents
  /** US cents. */
  readonly creditedUsd: Cents
  readonly feeUsd: Cents
  readonly address: string | null
  readonly txHash: string | null
  readonly confirmations: number | null
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly completedAt: Date | null
}

/**
 * What the wallet has of it: less what was put aside, or was taken back. With something put aside, refunds
 * are taken from that (`deposits.take_reversal`), and the wallet keeps the rest.
 */
export const creditedToWallet = ({
  credited,
  reversed,
  unclaimed,
}: Pick<Deposit, 'credited' | 'reversed' | 'unclaimed'>): Cents =>
  cents(credited - (unclaimed > 0n ? unclaimed : reversed))

const SEEN_STATUSES: readonly DepositStatus[] = ['pending', 'completed', 'partial', 'refunded']
/** A deposit fails with these only after a payment. */
const SEEN_REASONS: readonly (string | null)[] = [
  'payment_blocked',
  'payment_not_settled',
  'exchange_failed',
] satisfies readonly FailureReason[]

/** Whether we know of a payment for it, settled or not. */
export const isPaymentKnown = ({
  status,
  reason,
  seen,
  received,
}: Pick<Deposit, 'status' | 'reason' | 'seen' | 'received'>): boolean =>
  SEEN_STATUSES.includes(status) || seen > 0n || received > 0n || SEEN_REASONS.includes(reason)
