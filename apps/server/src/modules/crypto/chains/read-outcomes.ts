// Whether the native sends of a block that touch our addresses succeeded: only their receipts say so. Anyone
// can fill a block with sends of one wei, and nothing else is read of the chain meanwhile.
import { mapAtOnce } from '#infra/limits/at-once'
import type { Hex } from '#kernel/chain'
import type { ChainNode, Outcomes } from './ports.ts'
import type { Movement } from './read-transfers.ts'

/** So many are asked for one by one, all at once; of more the receipts of the whole block are read. */
const RECEIPTS_AT_ONCE = 16

/** Null: a receipt is of another block, or not there. */
export async function readOutcomes(
  node: ChainNode,
  blockHash: Hex,
  movements: readonly Movement[],
): Promise<Outcomes | null> {
  const sends = movements.filter(({ kind }) => kind === 'native').map(({ txHash }) => txHash)
  if (sends.length > RECEIPTS_AT_ONCE) {
    const all = await node.outcomes(blockHash)
    if (all === null) return null
    if (all !== 'unsupported') return sends.every((txHash) => all.has(txHash)) ? all : null
  }
  const receipts = await mapAtOnce(sends, RECEIPTS_AT_ONCE, (txHash) => node.receipt(txHash))
  const outcomes = new Map<Hex, boolean>()
  for (const receipt of receipts) {
    if (receipt?.blockHash !== blockHash) return null
    outcomes.set(receipt.txHash, receipt.succeeded)
  }
  return outcomes
}
