// A re-organisation that is deeper than what counts as final takes out what was confirmed. Nodes put most of
// it back into their pools; where none does, its receiver has nothing, and every later nonce of the wallet
// waits for it for ever.
import type { Db } from '#infra/db'
import type { ChainName, Hex } from '#kernel/chain'
import type { BroadcastNode } from './ports.ts'
import { readFinalAbove } from './store/attempts.ts'

export interface Resent {
  readonly purpose: string
  readonly refId: string
  readonly hash: Hex
  readonly answer: string
}

/**
 * Sends what was mined for good above a block of the chain again: the same bytes, in the order of their
 * nonces. It needs no guard of the lease: a nonce is used once, however often its bytes are sent. Returns
 * those that are in no block any more, with the answer; `nonce_too_low`: a transaction that is not ours has
 * the nonce.
 */
export async function resendFinal(
  { db, node, chain }: { readonly db: Db; readonly node: BroadcastNode; readonly chain: ChainName },
  above: bigint,
): Promise<readonly Resent[]> {
  const lost: Resent[] = []
  for (const { raw, ...about } of await readFinalAbove(db, chain, above)) {
    const { kind: answer } = await node.send(raw)
    const isMined = answer === 'nonce_too_low' && (await node.receipt(about.hash)) !== null
    if (!isMined) lost.push({ ...about, answer })
  }
  return lost
}
