// What our own transactions have changed on the chain up to a block and not in the books, which follow when a
// transaction is final; less what the books have of blocks above it.
import type { Address, TokenSymbol } from '#kernel/chain'
import type { BroadcastNode } from './ports.ts'
import type { Unsettled } from './store/effects.ts'
import { hasPaid, type Purpose, roleOf } from './transaction.ts'

export interface Effect {
  /** Of the wallet that signed. */
  readonly role: ReturnType<typeof roleOf>
  readonly purpose: Purpose
  readonly token: TokenSymbol
  readonly recipient: Address
  /** Base units that left the wallet to the recipient; below zero: the books have them, the block not. */
  readonly units: bigint
  /** Wei, in the same sense. */
  readonly fee: bigint
}

const RECEIPTS_AT_ONCE = 16

/** By the receipts of every attempt: the chain is asked, not what was last seen of it. */
export async function readEffects(
  node: Pick<BroadcastNode, 'receipt'>,
  unsettled: readonly Unsettled[],
  upTo: bigint,
): Promise<Effect[]> {
  const effects: Effect[] = []
  for (let i = 0; i < unsettled.length; i += RECEIPTS_AT_ONCE) {
    const group = unsettled.slice(i, i + RECEIPTS_AT_ONCE)
    const found = await Promise.all(group.map((one) => effectOf(node, one, upTo)))
    effects.push(...found.filter((effect) => effect !== null))
  }
  return effects
}

async function effectOf(
  node: Pick<BroadcastNode, 'receipt'>,
  transaction: Unsettled,
  upTo: bigint,
): Promise<Effect | null> {
  const { purpose, token, recipient, units, from, booked } = transaction
  const about = { role: roleOf(transaction.keyRef), purpose, token, recipient }
  if (booked !== null) {
    return { ...about, units: booked.state === 'confirmed' ? -units : 0n, fee: -booked.feePaid }
  }
  for (const { hash, kind } of transaction.attempts) {
    const receipt = await node.receipt(hash)
    if (receipt === null) continue
    if (receipt.blockNumber > upTo) return null
    const hasMoved = kind === 'payment' && hasPaid(transaction, from, receipt)
    return { ...about, units: hasMoved ? units : 0n, fee: receipt.feePaid }
  }
  return null
}
