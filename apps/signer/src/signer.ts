// Decides, records, signs; in this order, one request after the other.
import { type Address, keccak256 } from 'viem'
import { decide, type Rejection } from './decide.ts'
import type { KeyRing } from './keys.ts'
import type { Policy } from './policy.ts'
import type { Spending } from './spending.ts'
import { type SigningRequest, serializable } from './transaction.ts'

export interface Signature {
  readonly kind: 'signed'
  readonly purpose: 'payout' | 'sweep' | 'funding' | 'filler'
  readonly from: Address
  /** The signed transaction, ready for eth_sendRawTransaction. */
  readonly raw: `0x${string}`
  readonly hash: `0x${string}`
}

export type SigningAnswer = Signature | { readonly kind: 'rejected'; readonly reason: Rejection }

export interface Signer {
  /**
   * Signs or refuses. Signatures are deterministic (RFC 6979): the same request gives the same bytes, so a
   * lost answer can be asked for again. Throws when the spending cannot be recorded.
   */
  sign(request: SigningRequest): Promise<SigningAnswer>
}

export interface SignerDeps {
  readonly keys: KeyRing
  readonly policy: Policy
  readonly spending: Spending
}

export function createSigner({ keys, policy, spending }: SignerDeps): Signer {
  return {
    sign: async (request) => {
      const decision = decide(policy, keys, request)
      if (decision.kind === 'rejected') return decision
      const { key, transaction } = request
      const account = keys.account(key)
      const slot = `${transaction.chainId}:${account.address}:${transaction.nonce}`
      // Synchronous: between the check of a limit and its record no other request runs.
      const exceeded = spending.record(slot, decision.charges)
      if (exceeded !== null) {
        const isFee = exceeded.endsWith(':fees')
        return {
          kind: 'rejected',
          reason: isFee ? 'FEE_OVER_DAILY_LIMIT' : 'AMOUNT_OVER_DAILY_LIMIT',
        }
      }
      const raw = await account.signTransaction(serializable(transaction))
      return {
        kind: 'signed',
        purpose: decision.purpose,
        from: account.address,
        raw,
        hash: keccak256(raw),
      }
    },
  }
}
