// The decision about one transaction: what it would spend from which budget, or why it is refused. Pure.
//
// Four kinds of transactions exist, and nothing else is signed:
//   payout    key hot         a native send or a `transfer` of a token of the policy
//   sweep     key deposit/<i> the same, to the treasury or the hot wallet
//   funding   key gas         a native send to a deposit address of this seed
//   filler    any key         0 wei to the key's own address: it uses up a nonce that must not stay open
import type { Address } from 'viem'
import type { KeyRing } from './keys.ts'
import type { ChainPolicy, Limit, Policy } from './policy.ts'
import { parseTransfer, type SigningRequest, type Transaction } from './transaction.ts'

export type Rejection =
  | 'CHAIN_NOT_ALLOWED'
  | 'TOKEN_NOT_ALLOWED'
  | 'CALL_NOT_ALLOWED'
  | 'DESTINATION_NOT_ALLOWED'
  | 'AMOUNT_ZERO'
  | 'AMOUNT_OVER_TRANSACTION_LIMIT'
  | 'AMOUNT_OVER_DAILY_LIMIT'
  | 'FEE_OVER_TRANSACTION_LIMIT'
  | 'FEE_OVER_DAILY_LIMIT'

/** What a transaction takes from a budget that is limited by transaction and by day; base units. */
export interface Charge {
  /** `<chain>:<token symbol>`, `<chain>:gas-funding` or `<chain>:fees`. */
  readonly budget: string
  readonly amount: bigint
  readonly limit: Limit
}

export type Decision =
  | {
      readonly kind: 'allowed'
      readonly purpose: 'payout' | 'sweep' | 'funding' | 'filler'
      readonly charges: readonly Charge[]
    }
  | { readonly kind: 'rejected'; readonly reason: Rejection }

interface Payment {
  readonly budget: string
  readonly limit: Limit | null
  readonly destination: Address
  readonly amount: bigint
}

/** Limits of a day are the spending record's to check; those of a transaction are checked here. */
export function decide(policy: Policy, keys: KeyRing, request: SigningRequest): Decision {
  const { key, transaction } = request
  const chain = policy.get(transaction.chainId)
  if (!chain) return rejected('CHAIN_NOT_ALLOWED')
  const fee: Charge = {
    budget: `${chain.name}:fees`,
    amount: transaction.gas * transaction.maxFeePerGas,
    limit: chain.fees,
  }
  if (fee.amount > fee.limit.perTransaction) return rejected('FEE_OVER_TRANSACTION_LIMIT')
  if (isFiller(transaction, keys.address(key))) {
    return { kind: 'allowed', purpose: 'filler', charges: [fee] }
  }
  const payment = paymentOf(chain, transaction)
  if (typeof payment === 'string') return rejected(payment)
  if (key === 'hot') return decidePayout(chain, payment, fee)
  if (key === 'gas') return decideFunding(chain, keys, request, fee)
  return decideSweep(chain, keys, payment, fee)
}

const rejected = (reason: Rejection): Decision => ({ kind: 'rejected', reason })

const isFiller = ({ to, value, data }: Transaction, own: Address): boolean =>
  to === own && value === 0n && data === '0x'

function paymentOf(chain: ChainPolicy, { to, value, data }: Transaction): Payment | Rejection {
  if (data === '0x') {
    // A send to a contract runs its code; tokens are moved by `transfer` alone.
    if (chain.tokens.has(to)) return 'DESTINATION_NOT_ALLOWED'
    return { budget: `${chain.name}:NATIVE`, limit: chain.native, destination: to, amount: value }
  }
  const transfer = parseTransfer(data)
  if (transfer === null || value !== 0n) return 'CALL_NOT_ALLOWED'
  const token = chain.tokens.get(to)
  if (!token) return 'TOKEN_NOT_ALLOWED'
  return {
    budget: `${chain.name}:${token.symbol}`,
    limit: token,
    destination: transfer.recipient,
    amount: transfer.amount,
  }
}

const ZERO = '0x0000000000000000000000000000000000000000'

function decidePayout(chain: ChainPolicy, payment: Payment, fee: Charge): Decision {
  const { budget, limit, destination, amount } = payment
  if (limit === null) return rejected('TOKEN_NOT_ALLOWED')
  if (amount === 0n) return rejected('AMOUNT_ZERO')
  if (destination === ZERO || chain.tokens.has(destination))
    return rejected('DESTINATION_NOT_ALLOWED')
  if (chain.destinations && !chain.destinations.has(destination)) {
    return rejected('DESTINATION_NOT_ALLOWED')
  }
  if (amount > limit.perTransaction) return rejected('AMOUNT_OVER_TRANSACTION_LIMIT')
  return { kind: 'allowed', purpose: 'payout', charges: [{ budget, amount, limit }, fee] }
}

function decideFunding(
  chain: ChainPolicy,
  keys: KeyRing,
  { depositIndex, transaction: { to, value, data } }: SigningRequest,
  fee: Charge,
): Decision {
  if (data !== '0x') return rejected('CALL_NOT_ALLOWED')
  if (depositIndex === null || keys.address(`deposit/${depositIndex}`) !== to) {
    return rejected('DESTINATION_NOT_ALLOWED')
  }
  if (value === 0n) return rejected('AMOUNT_ZERO')
  const limit = chain.gasFunding
  if (value > limit.perTransaction) return rejected('AMOUNT_OVER_TRANSACTION_LIMIT')
  const funding = { budget: `${chain.name}:gas-funding`, amount: value, limit }
  return { kind: 'allowed', purpose: 'funding', charges: [funding, fee] }
}

/** The amount is not limited: a sweep leaves the money with its owner. */
function decideSweep(chain: ChainPolicy, keys: KeyRing, payment: Payment, fee: Charge): Decision {
  const { destination, amount } = payment
  if (amount === 0n) return rejected('AMOUNT_ZERO')
  if (destination !== chain.treasury && destination !== keys.address('hot')) {
    return rejected('DESTINATION_NOT_ALLOWED')
  }
  return { kind: 'allowed', purpose: 'sweep', charges: [fee] }
}
