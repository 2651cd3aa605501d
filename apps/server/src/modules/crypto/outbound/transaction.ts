// An outbound transaction: its states, and the pure decisions about what is signed.
import type { Address, BaseUnits, ChainName, Hex, TokenSymbol } from '#kernel/chain'
import type { Call, FeeEstimate, KeyRef, Receipt } from './ports.ts'

export type Purpose = 'payout' | 'sweep' | 'gas'

/**
 * `no_effect`: mined and confirmed as a success, but the token moved nothing. `displaced`: another
 * transaction has its nonce for good, ours to fill it or a foreign one.
 */
export type State =
  | 'queued'
  | 'signing'
  | 'signed'
  | 'broadcast'
  | 'confirmed'
  | 'reverted'
  | 'displaced'
  | 'no_effect'
  | 'canceled'

/** What a transaction pays to whom; fixed when it is queued. */
export interface Payment {
  readonly token: TokenSymbol
  /** Null for the native coin. */
  readonly tokenAddress: Address | null
  readonly recipient: Address
  readonly units: BaseUnits
}

export interface NewTransaction extends Payment {
  readonly id: string
  readonly chain: ChainName
  readonly keyRef: KeyRef
  /** With key `gas`: the number of the deposit address that is funded. */
  readonly depositIndex: number | null
  readonly purpose: Purpose
  /** The withdrawal or sweep; with the purpose it names one transaction. */
  readonly refId: string
  /**
   * Pays out what the service owes in cents: its own funds in the token, and in native coin for the gas, have
   * to cover it, and what it owes to owners in kind is never used for it.
   */
  readonly needsCapital: boolean
}

/** What is asked of the signer, amounts in wei. */
export interface SigningForm {
  readonly kind: 'payment' | 'filler'
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

type Fees = Pick<SigningForm, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/** ERC-20: transfer(address,uint256). */
const TRANSFER_SELECTOR = 'a9059cbb'
/** keccak256 of Transfer(address,address,uint256). */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const word = (hex: string): string => hex.toLowerCase().replace(/^0x/, '').padStart(64, '0')

/** The call of a payment: a plain send, or `transfer` of its token. */
export function callOf(payment: Payment): Omit<Call, 'from'> {
  const { tokenAddress, recipient, units } = payment
  if (tokenAddress === null) return { to: recipient, value: units, data: '0x' }
  const data: Hex = `0x${TRANSFER_SELECTOR}${word(recipient)}${word(units.toString(16))}`
  return { to: tokenAddress, value: 0n, data }
}

/** True when a mined payment did what it was to do: a send always, a token when it logged the transfer. */
export function hasPaid(payment: Payment, from: Address, receipt: Receipt): boolean {
  if (receipt.status !== 'success') return false
  const { tokenAddress } = payment
  if (tokenAddress === null) return true
  return receipt.logs.some(
    ({ address, topics, data }) =>
      address.toLowerCase() === tokenAddress.toLowerCase() &&
      topics[0]?.toLowerCase() === TRANSFER_TOPIC &&
      topics.length === 3 &&
      word(topics[1] ?? '') === word(from) &&
      word(topics[2] ?? '') === word(payment.recipient) &&
      BigInt(data) === payment.units,
  )
}

/** What it came to, by the attempt that was mined. */
export function outcomeOf(
  payment: Payment,
  from: Address,
  { kind, receipt }: { readonly kind: SigningForm['kind']; readonly receipt: Receipt },
): 'confirmed' | 'reverted' | 'displaced' | 'no_effect' {
  if (kind === 'filler') return 'displaced'
  if (receipt.status === 'reverted') return 'reverted'
  return hasPaid(payment, from, receipt) ? 'confirmed' : 'no_effect'
}

const NATIVE_GAS = 21_000n

/**
 * Units of gas of a payment to a customer, beside what its chain takes for data in gas. The fee is priced by
 * `priced`: a plain send, or a transfer of a token with room for a first entry of its receiver. What is used
 * is up to the contract that receives it, and a payment that reverts returns its fee; `most` bounds what one
 * can cost us. Wallets that are contracts need about 30,000 to receive native coin, tokens behind proxies
 * less than 100,000.
 */
const PAYMENT_GAS = {
  native: { priced: NATIVE_GAS, most: 100_000n },
  token: { priced: 65_000n, most: 200_000n },
} as const

export const paymentGasOf = ({
  tokenAddress,
}: Pick<Payment, 'tokenAddress'>): { readonly priced: bigint; readonly most: bigint } =>
  tokenAddress === null ? PAYMENT_GAS.native : PAYMENT_GAS.token

/** A margin over the estimate; a plain send to an account takes exactly 21,000. */
export const gasLimitOf = (estimated: bigint): bigint =>
  estimated <= NATIVE_GAS ? NATIVE_GAS : (estimated * 5n) / 4n

/** Holds for several blocks of rising base fees (EIP-1559: at most one eighth a block). */
export const firstFees = (estimate: FeeEstimate): Fees => ({
  maxFeePerGas: 2n * estimate.baseFeePerGas + estimate.maxPriorityFeePerGas,
  maxPriorityFeePerGas: estimate.maxPriorityFeePerGas,
})

/** No payment offers more than so many times what a new transaction would offer now. */
const MOST_TIMES_NEW = 4n
/** An eighth more each time: after so many attempts it is not the fee that keeps a payment out of a block. */
export const MOST_ATTEMPTS = 20

/**
 * Fees in place of `last`, in wei for a unit of gas. Nodes ask at least 10 % more on both fees of a
 * replacement; an eighth leaves room for rounding. Null: they would be above `mostFeePerGas` or, for a
 * payment, far above the market. A cancel transaction may go beyond the market: an operator waits for it.
 */
export function replacementFees(
  kind: SigningForm['kind'],
  last: Fees,
  { estimate, mostFeePerGas }: { readonly estimate: FeeEstimate; readonly mostFeePerGas: bigint },
): Fees | null {
  const raised = (wei: bigint): bigint => (wei * 9n + 7n) / 8n + 1n
  const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b)
  const now = firstFees(estimate)
  const fees = {
    maxFeePerGas: greater(raised(last.maxFeePerGas), now.maxFeePerGas),
    maxPriorityFeePerGas: greater(raised(last.maxPriorityFeePerGas), now.maxPriorityFeePerGas),
  }
  const isBeyondMarket = kind === 'payment' && fees.maxFeePerGas > MOST_TIMES_NEW * now.maxFeePerGas
  return isBeyondMarket || fees.maxFeePerGas > mostFeePerGas ? null : fees
}

/** The asset account that a key's balance is booked on. */
export const roleOf = (keyRef: KeyRef): 'hot_wallet' | 'gas_station' | 'deposit_address' => {
  if (keyRef === 'hot') return 'hot_wallet'
  return keyRef === 'gas' ? 'gas_station' : 'deposit_address'
}
