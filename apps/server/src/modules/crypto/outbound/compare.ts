// Compares our own wallets with a chain after a restore of the database.
import type { OutboundDeps } from './deps.ts'
import { listServiceWallets } from './store/wallets.ts'

/**
 * Why a chain shows more transactions of a wallet than we know of; null: it shows none. What was sent and is
 * in no block yet counts. Throws while the node does not answer. Addresses of deposits are not compared: they
 * pay only ourselves.
 */
export async function findUnknownPayments({
  db,
  node,
}: Pick<OutboundDeps, 'db' | 'node'>): Promise<string | null> {
  const wallets = (await listServiceWallets(db)).filter(({ chain }) => chain === node.chain)
  for (const { chain, keyRef, address, nextNonce } of wallets) {
    const used = await node.nonceOf(address, 'pending')
    if (used > nextNonce) {
      return `${chain}:${keyRef}: the chain has ${used} transactions, we know of ${nextNonce}`
    }
  }
  return null
}
