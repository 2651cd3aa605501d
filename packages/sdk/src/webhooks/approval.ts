// The one delivery that asks: may this withdrawal leave? Its answer is the decision.

/** The type of a delivery that asks. */
export const APPROVAL_EVENT = 'payout.crypto.withdraw.approval'

/** A withdrawal out of the payout custody, as its events carry it. */
export interface WithdrawalRecord {
  id: string
  userId: string
  /** Your own reference, under which you asked for it. */
  externalId: string
  forUserId: string | null
  forUserExternalId: string | null
  /** `pending_callback` while it is asked about. */
  status: string
  chain: string
  token: string
  tokenAddress: string
  /** The address on the chain that would receive it. */
  destination: string
  amountCents: number
  feeCents: number
  /** In the smallest unit of the token. */
  amountWei: string
  txHash: string | null
  failureReason: string | null
  callbackAttempts: number
  createdAt: string | null
  broadcastAt: string | null
  confirmedAt: string | null
}

/**
 * True lets the withdrawal go, false refunds it at once. When it throws, or takes longer than 5 seconds,
 * the service asks again, three times at most, and refunds it then: so it can be asked about twice.
 */
export type DecideWithdrawal = (withdrawal: WithdrawalRecord) => boolean | Promise<boolean>

/** What you wrote down when you asked for the withdrawal. */
export interface ExpectedWithdrawal {
  readonly destination: string
  readonly amountCents: number
  /** Null for one that is for none of your sub-users. */
  readonly forUserExternalId: string | null
  readonly chain?: string | undefined
  readonly token?: string | undefined
}

/** Whether it is the withdrawal that you asked for: nothing in it is another. */
export function isExpectedWithdrawal(
  withdrawal: WithdrawalRecord,
  expected: ExpectedWithdrawal | null | undefined,
): boolean {
  if (expected === null || expected === undefined) return false
  const { destination, amountCents, forUserExternalId, chain, token } = expected
  return (
    sameAddress(withdrawal.destination, destination) &&
    withdrawal.amountCents === amountCents &&
    withdrawal.forUserExternalId === forUserExternalId &&
    (chain === undefined || withdrawal.chain === chain) &&
    (token === undefined || withdrawal.token === token)
  )
}

// Upper and lower case of an EVM address are a checksum; other chains tell addresses apart by them.
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i

const sameAddress = (one: string, other: string): boolean =>
  EVM_ADDRESS.test(one) && EVM_ADDRESS.test(other)
    ? one.toLowerCase() === other.toLowerCase()
    : one === other

/** The record of a delivery that asks; null for any other delivery, and for a record without its facts. */
export function withdrawalOf(event: {
  readonly type: string
  readonly data: object
}): WithdrawalRecord | null {
  if (event.type !== APPROVAL_EVENT) return null
  const { withdrawal } = event.data as { readonly withdrawal?: Partial<WithdrawalRecord> | null }
  const isWhole =
    typeof withdrawal?.externalId === 'string' &&
    typeof withdrawal.destination === 'string' &&
    Number.isSafeInteger(withdrawal.amountCents)
  return isWhole ? (withdrawal as WithdrawalRecord) : null
}
