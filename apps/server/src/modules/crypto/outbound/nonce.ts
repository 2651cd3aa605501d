// Which nonces of an address can no longer be used.
import type { Address } from '#kernel/chain'
import type { BroadcastNode } from './ports.ts'

/**
 * Nonces below the answer are used for good: by transactions of the address, ours or not, up to and with the
 * confirmed block. While a chain is shorter than its depth, `confirmed` is negative and none is.
 */
export const firstNonceNotFinal = async (
  node: Pick<BroadcastNode, 'nonceOf'>,
  address: Address,
  confirmed: bigint,
): Promise<number> => (confirmed < 0n ? 0 : node.nonceOf(address, confirmed))
