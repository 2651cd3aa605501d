// What an end is worth that one node shows: a refund follows from it, and money that was refunded and is paid
// all the same is lost.
import type { BroadcastNode, Receipt } from './ports.ts'

/** `not_shown`: not by all of them, perhaps not yet. `contradicted`: one of two nodes answers falsely. */
export type Proof = 'proven' | 'not_shown' | 'contradicted'

/**
 * The block of the receipt is the one of the chain now, and the second node, where there is one, shows the
 * same block and the same success or failure. At any amount: what a payment is worth is not known here, and
 * those that fail are few.
 */
export async function proveEnd(
  { blockHash, second }: Pick<BroadcastNode, 'blockHash' | 'second'>,
  receipt: Receipt,
): Promise<Proof> {
  if ((await blockHash(receipt.blockNumber)) !== receipt.blockHash) return 'not_shown'
  if (second === null) return 'proven'
  const other = await second.receipt(receipt.hash).catch(() => null)
  if (other === null) return 'not_shown'
  const isSame = other.status === receipt.status && other.blockHash === receipt.blockHash
  return isSame ? 'proven' : 'contradicted'
}
