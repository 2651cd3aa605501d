// What a wallet has to pay with.
import { type BaseUnits, baseUnits } from '#kernel/chain'
import type { BroadcastNode } from './ports.ts'
import type { Wallet } from './store/wallets.ts'

/**
 * Wei of the native coin. Of a deposit address it is what is there for good: a transaction that is signed
 * with coins which a re-organisation takes back is in no block, and an address is not refilled.
 */
export async function nativeHeldBy(
  node: Pick<BroadcastNode, 'balanceOf' | 'confirmedNumber'>,
  { address, keyRef }: Pick<Wallet, 'address' | 'keyRef'>,
): Promise<BaseUnits> {
  if (!keyRef.startsWith('deposit/')) return node.balanceOf(address, null)
  const confirmed = await node.confirmedNumber()
  return confirmed < 0n ? baseUnits(0n) : node.balanceOf(address, null, confirmed)
}
