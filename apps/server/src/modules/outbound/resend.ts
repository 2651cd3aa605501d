// A re-organisation that is deeper than what counts as final takes out what was confirmed. Nodes put most of
// it back into their pools; where none does, its receiver has nothing, and every later nonce of the wallet
// waits for it for ever.
import type { Db } from '#infra/db'
import type { ChainName, Hex } from '#kernel/chain'
import type { BroadcastNode } from './ports.ts'
import { readFinalIn } from './store/attempts.ts'

export interface Resent {
  readonly purpose: string
  readonly refId: string
  readonly hash: Hex
  readonly answer: string
}

/**
 * Looks at what was mined for good in the block of this number. What is in no block of the chain any more is
 * sent again, the same bytes in the order of their nonces. It needs no guard of the lease: a nonce is used
 * once, however often its bytes are sent. Returns what was sent with the answer; `nonce_too_low`: a
 * transaction that is not ours has the nonce.
 */
export async function resendFinal(
  { db, node, chain }: { readonly db: Db; readonly node: BroadcastNode; readonly chain: ChainName },
  block: bigint,
): Promise<readonly Resent[]> {
  const lost: Resent[] = []
  for (const { raw, ...about } of await readFinalIn(db, chain, block)) {
    if ((await node.receipt(about.hash)) !== null) continue
    const { kind: answer } = await node.send(raw)
    lost.push({ ...about, answer })
  }
  return lost
}
