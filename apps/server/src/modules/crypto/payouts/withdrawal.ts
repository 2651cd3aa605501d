// A withdrawal: its states, its amounts, and what may be asked for. Pure.
import { getAddress, isAddress } from 'viem/utils'
import {
  type Address,
  type BaseUnits,
  baseUnits,
  type ChainName,
  type TokenSymbol,
} from '#kernel/chain'
import { type Cents, cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'

export const WITHDRAWAL_STATUSES = [
  'pending_callback',
  'queued',
  'broadcast',
  'confirmed',
  'refunded',
] as const
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number]

/** Every step that exists, and when it happens; the database keeps the same. */
export const WITHDRAWAL_TRANSITIONS: Readonly<
  Record<WithdrawalStatus, Readonly<Partial<Record<WithdrawalStatus, string>>>>
> = {
  pending_callback: {
    queued: 'the callback answered 2xx within five seconds',
    refunded:
      'the callback answered 4xx, or four attempts were in vain, or an operator refused the withdrawal',
  },
  queued: {
    broadcast: 'a node has the transaction',
    refunded:
      'it was never signed: the chain would refuse it, or an operator refused it; or another transaction has its nonce for good',
  },
  broadcast: {
    confirmed: 'the transfer is in a block that counts as final',
    refunded:
      'the transaction reverted, or another one has its nonce, in a block that counts as final; or an operator found that it paid nothing',
  },
  confirmed: {},
  refunded: {},
}

/**
 * `custody`: in kind, from a merchant's payout custody. `wallet`: in cents, from an account's own wallet.
 */
export type Source = 'custody' | 'wallet'

/** Why an operator has to look at it. */
export type HeldReason =
  | 'over_transaction_limit'
  | 'over_merchant_limit'
  | 'over_day_limit'
  /** Its account was suspended before it was approved. */
  | 'account_suspended'
  /** Its merchant restricted payouts to a list, after it was asked for, that lacks the destination. */
  | 'destination_not_listed'
  | 'no_effect'

export interface Withdrawal {
  readonly id: string
  readonly source: Source
  readonly ownerId: string
  /** The merchant or partner whose daily limit it counts against. */
  readonly tenantId: string
  readonly externalId: string
  readonly forUserId: string | null
  readonly forUserExternalId: string | null
  readonly chain: ChainName
  readonly token: TokenSymbol
  readonly tokenAddress: Address | null
  readonly decimals: number
  /** As it was given. */
  readonly destination: string
  readonly amountCents: Cents
  readonly feeCents: Cents
  readonly siteFeeCents: Cents
  /** What the destination gets. */
  readonly units: BaseUnits
  readonly feeUnits: BaseUnits
  /** The hot wallet could pay it when it was submitted, from a wallet in cents out of our own funds. */
  readonly wasCovered: boolean
  readonly status: WithdrawalStatus
  readonly heldReason: HeldReason | null
  readonly approvalId: string
  readonly callbackAttempts: number
  readonly callbackFailures: number
  readonly txHash: string | null
  /** Of the transaction that pays it, from its broadcast on; null for one that an operator named. */
  readonly nonce: number | null
  readonly failureReason: string | null
  readonly journalId: string | null
  readonly createdAt: Date
  readonly broadcastAt: Date | null
  readonly confirmedAt: Date | null
}

/** The record as the request that made it was answered: what a replay returns, whatever came later. */
export const asSubmitted = (withdrawal: Withdrawal): Withdrawal => ({
  ...withdrawal,
  status: withdrawal.source === 'custody' ? 'pending_callback' : 'queued',
  heldReason: null,
  callbackAttempts: 0,
  txHash: null,
  nonce: null,
  failureReason: null,
  broadcastAt: null,
  confirmedAt: null,
})

/** What the owner of a wallet is shown: `queued` waits for the hot wallet to be refilled. */
export type WalletStage = 'pending' | 'queued' | 'completed' | 'refunded'

export function walletStageOf({
  status,
  wasCovered,
}: Pick<Withdrawal, 'status' | 'wasCovered'>): WalletStage {
  if (status === 'confirmed') return 'completed'
  if (status === 'refunded') return 'refunded'
  return status === 'queued' && !wasCovered ? 'queued' : 'pending'
}

/** US cents: 1.00 to 100,000.00. */
export const AMOUNT_BOUNDS = { least: cents(100n), most: cents(10_000_000n) } as const

const FORM = /^0x[0-9a-fA-F]{40}$/
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** Null when the text is no address: 20 bytes in hex, in mixed case with its EIP-55 checksum. */
export function parseDestination(text: string): Address | null {
  if (!FORM.test(text)) return null
  const digits = text.slice(2)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  const lower = `0x${digits.toLowerCase()}` as const
  if (!isOneCase && !isAddress(text)) return null
  return lower === ZERO_ADDRESS ? null : getAddress(lower)
}

/** The address that a text names. Refuses CRYPTO_PAYOUT_DESTINATION_INVALID with what is wrong with it. */
export function destinationOf(text: string): Address {
  const address = parseDestination(text)
  if (address !== null) return address
  if (!FORM.test(text)) return refuseDestination('malformed')
  return refuseDestination(text.toLowerCase() === ZERO_ADDRESS ? 'zero_address' : 'checksum')
}

export const refuseDestination = (
  reason:
    | 'malformed'
    | 'checksum'
    | 'zero_address'
    | 'token_contract'
    | 'own_address'
    | 'not_listed',
): never => refuse('CRYPTO_PAYOUT_DESTINATION_INVALID', { reason })

export const refuseAmount = (): never =>
  refuse('CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE', {
    minUsdCents: Number(AMOUNT_BOUNDS.least),
    maxUsdCents: Number(AMOUNT_BOUNDS.most),
  })

/** Its minimum is what the fees of this moment leave something of; the network's follow its price of gas. */
export const refuseFees = (fees: WithdrawalFees): never => {
  const least = leastAfterFees(fees)
  return refuse('CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE', {
    ...(least !== null && { minUsdCents: Number(least) }),
    maxUsdCents: Number(AMOUNT_BOUNDS.most),
    reason: 'fees',
  })
}

const scaleOf = (decimals: number): bigint => 10n ** BigInt(decimals + 6)

/** Cents in base units: cents × 10^(decimals + 6) ÷ rate, rounded down. The rate is in 1e-8 US dollars. */
export const unitsOfCents = (amount: bigint, decimals: number, usdE8: bigint): BaseUnits =>
  baseUnits((amount * scaleOf(decimals)) / usdE8)

/** The same rounded up, for what we are to receive. */
export const unitsOfFee = (amount: bigint, decimals: number, usdE8: bigint): BaseUnits =>
  baseUnits((amount * scaleOf(decimals) + usdE8 - 1n) / usdE8)

/** What base units are worth, rounded down. */
export const centsOfUnits = (units: bigint, decimals: number, usdE8: bigint): Cents =>
  cents((units * usdE8) / scaleOf(decimals))

/** A share of an amount in basis points, half up to a cent. */
export const siteFeeOf = (amount: Cents, bps: number): Cents =>
  cents((2n * amount * BigInt(bps) + 10_000n) / 20_000n)

export interface WithdrawalFees {
  readonly feeCents: Cents
  readonly siteFeeBps: number
}

/**
 * The least amount within the bounds of which the fees leave a cent; null when they leave nothing of any.
 *
 * With f the network's fee and s the site's share of 10,000, an amount a leaves a cent when
 * a - floor((2as + 10,000) / 20,000) > f, which is a(10,000 - s) > 10,000 f + 5,000.
 */
export function leastAfterFees({ feeCents, siteFeeBps }: WithdrawalFees): Cents | null {
  const kept = 10_000n - BigInt(siteFeeBps)
  if (kept <= 0n) return null
  const least = (10_000n * feeCents + 5_000n) / kept + 1n
  if (least > AMOUNT_BOUNDS.most) return null
  return cents(least < AMOUNT_BOUNDS.least ? AMOUNT_BOUNDS.least : least)
}

/** After a failed POST: one attempt and up to three retries. */
export const CALLBACK_RETRY_MS = [2_000, 5_000, 15_000] as const
export const CALLBACK_DEADLINE_MS = 5_000
