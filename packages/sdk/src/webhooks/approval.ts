// The approval callback: the response to this delivery decides on a withdrawal.

/** The type of an approval callback. */
export const APPROVAL_EVENT = 'payout.crypto.withdraw.approval'

/** A withdrawal out of the payout custody, as its events carry it. */
export interface WithdrawalRecord {
  id: string
  userId: string
  /** Your own reference, from your request. */
  externalId: string
  forUserId: string | null
  forUserExternalId: string | null
  /** `pending_callback` in an approval callback. */
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
 * True approves the withdrawal, false refunds it at once. When it throws or takes longer than 5 seconds the
 * service retries, three times at most, and then refunds. So it can be called twice for one withdrawal.
 */
export type DecideWithdrawal = (withdrawal: WithdrawalRecord) => boolean | Promise<boolean>

/** What you stored when you requested the withdrawal. */
export interface ExpectedWithdrawal {
  readonly destination: string
  readonly amountCents: number
  /** Null for one that is for none of your sub-users. */
  readonly forUserExternalId: string | null
  readonly chain?: string | undefined
  readonly token?: string | undefined
}

/** Whether it is the withdrawal that you requested: all its details are equal. */
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

// The case of an EVM address is a checksum; on other chains addresses that differ in case are different.
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i

const sameAddress = (one: string, other: string): boolean =>
  EVM_ADDRESS.test(one) && EVM_ADDRESS.test(other)
    ? one.toLowerCase() === other.toLowerCase()
    : one === other

/** The record of an approval callback; null for any other delivery and for an incomplete record. */
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
