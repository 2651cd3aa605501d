// A re-organisation that is deeper than what counts as final takes out what was confirmed. Nodes put most of
// it back into their pools; where none does, its receiver has nothing, and every later nonce of the wallet
// waits for it for ever. The same bytes are sent again until they are in a final block. It needs no guard of
// the lease: a nonce is used once, however often its bytes are sent.
import type { Db } from '#infra/db'
import type { ChainName, Hex } from '#kernel/chain'
import type { OutboundDeps } from './deps.ts'
import type { BroadcastNode } from './ports.ts'
import { endWatch, listWatched, noteMissing, readFinalIn, type Watched } from './store/final.ts'

export interface Resent {
  readonly purpose: string
  readonly refId: string
  readonly hash: Hex
  readonly answer: string
}

/**
 * Looks at what was mined for good in the block of this number. What is in no block of the chain any more is
 * sent again, in the order of the nonces, and watched until it is final again. Returns what was sent with the
 * answer; `nonce_too_low`: a transaction that is not ours has the nonce.
 */
export async function resendFinal(
  { db, node, chain }: { readonly db: Db; readonly node: BroadcastNode; readonly chain: ChainName },
  block: bigint,
  at: Date,
): Promise<readonly Resent[]> {
  const lost: Resent[] = []
  for (const { id, raw, ...about } of await readFinalIn(db, chain, block)) {
    if ((await node.receipt(about.hash)) !== null) continue
    await noteMissing(db, id, at)
    const { kind: answer } = await node.send(raw)
    lost.push({ ...about, answer })
  }
  return lost
}

/**
 * Looks again at what became final a moment ago, for the scanner may have passed its block before that was
 * written, and at what left its chain. What is in no block is sent again.
 */
export async function followFinal({ db, clock, node, chain }: OutboundDeps): Promise<void> {
  const watched = await listWatched(db, chain)
  if (watched.length === 0) return
  const confirmed = await node.confirmedNumber()
  const seen: Watched[] = []
  for (const one of watched) {
    const receipt = await node.receipt(one.hash)
    if (receipt === null) {
      await noteMissing(db, one.id, clock.now())
      await node.send(one.raw)
    } else if (receipt.blockNumber <= confirmed) seen.push(one)
  }
  await endWatch(db, seen)
}
