// A re-organisation that is deeper than what counts as final takes out what was confirmed. Nodes put most of
// it back into their pools; where none does, its receiver has nothing, and every later nonce of the wallet
// waits for it for ever. The same bytes are sent again until they are in a final block. It needs no guard of
// the lease: a nonce is used once, however often its bytes are sent.
//
// Once another transaction has the nonce for good, they can never be mined again. Then nothing is sent, and
// the wallet is halted: an operator names that transaction when reopening it. Bytes that are mined again may
// come to another end than before, which is an operator's to settle too.
import type { Db } from '#infra/database/db'
import type { Address, ChainName, Hex } from '#kernel/chain'
import type { OutboundDeps } from './deps.ts'
import { FOREIGN_BLOCKS, halt } from './halt.ts'
import { firstNonceNotFinal } from './nonce.ts'
import type { BroadcastNode, Receipt } from './ports.ts'
import { readAttempts } from './store/attempts.ts'
import {
  endWatch,
  type Final,
  listWatched,
  noteDisplaced,
  noteForeign,
  noteMissing,
  readFinalIn,
  type Watched,
  watchFinal,
} from './store/final.ts'
import type { Wallet } from './store/wallets.ts'
import { outcomeOf } from './transaction.ts'

export interface Resent {
  readonly purpose: string
  readonly refId: string
  readonly hash: Hex
  readonly answer: string
}

/**
 * Looks at what was mined for good in the block of this number. What is in no block of the chain any more is
 * sent again, in the order of the nonces, and watched until it is final again. Returns what was sent with the
 * answer; `nonce_too_low`: another transaction has the nonce.
 */
export async function resendFinal(
  { db, node, chain }: { readonly db: Db; readonly node: BroadcastNode; readonly chain: ChainName },
  block: bigint,
  at: Date,
): Promise<readonly Resent[]> {
  const lost: Resent[] = []
  for (const one of await readFinalIn(db, chain, block)) {
    const { id, purpose, refId, hash } = one
    const receipt = await node.receipt(hash)
    if (receipt !== null) {
      // Mined again: how it ends there is decided when that block is final.
      if (receipt.blockNumber !== block || !isAsBooked(one, receipt)) await watchFinal(db, id)
      continue
    }
    await noteMissing(db, id, at)
    const { kind: answer } = await node.send(one.raw)
    lost.push({ purpose, refId, hash, answer })
  }
  return lost
}

/**
 * Looks again at what became final a moment ago, for the scanner may have passed its block before that was
 * written, and at what left its chain. What is in no block is sent again while it can be mined. The watch of
 * one ends when it is final again as it is booked.
 */
export async function followFinal(deps: OutboundDeps): Promise<void> {
  const { db, clock, node, chain } = deps
  const watched = await listWatched(db, chain)
  if (watched.length === 0) return
  const head = await node.headNumber()
  const confirmed = await node.confirmedNumber()
  const usedBy = new Map<Address, number>()
  const seen: Watched[] = []
  for (const one of watched) {
    const receipt = await node.receipt(one.hash)
    if (receipt !== null) {
      if (receipt.blockNumber > confirmed) continue
      if (isAsBooked(one, receipt)) seen.push(one)
      else await noteOtherEnd(deps, one, receipt)
      continue
    }
    const usedForGood =
      usedBy.get(one.from) ?? (await firstNonceNotFinal(node, one.from, confirmed))
    usedBy.set(one.from, usedForGood)
    const isUsed = one.nonce < usedForGood
    if (isUsed && (await endedAlike(deps, one, confirmed))) {
      seen.push(one)
      continue
    }
    await noteMissing(db, one.id, clock.now())
    if (isUsed) await suspectForeign(deps, one, head)
    else {
      if (one.foreignSinceBlock !== null) await noteForeign(db, one.id, null)
      await node.send(one.raw)
    }
  }
  await endWatch(db, seen)
}

const isAsBooked = (one: Final, receipt: Receipt): boolean =>
  outcomeOf(one, one.from, { kind: one.kind, receipt }) === one.state

/**
 * The same bytes were mined again, for good, and came to another end: what counts as paid was not, or what
 * was refunded is paid. Nothing moves by itself, in the books or for whom it was made: an operator settles
 * it.
 */
async function noteOtherEnd(
  { db, clock, node, chain, onAlarm }: OutboundDeps,
  { id, from, kind, purpose, refId, hash, nonce, state, ...payment }: Watched,
  receipt: Receipt,
): Promise<void> {
  // A receipt of a block that was replaced is an old answer.
  if ((await node.blockHash(receipt.blockNumber)) !== receipt.blockHash) return
  const at = clock.now()
  const noted = await db.transaction(async (tx) => {
    await noteMissing(tx, id, at)
    return noteDisplaced(tx, [id], at)
  })
  if (noted.length === 0) return
  const mined = outcomeOf(payment, from, { kind, receipt })
  onAlarm('outbound_final_differs', { chain, purpose, refId, hash, nonce, booked: state, mined })
}

/** Another attempt at it was mined in its place, for good, and came to the same end. */
async function endedAlike(
  { db, node }: Pick<OutboundDeps, 'db' | 'node'>,
  one: Watched,
  confirmed: bigint,
): Promise<boolean> {
  for (const attempt of (await readAttempts(db, [one.id])).get(one.id) ?? []) {
    const receipt = await node.receipt(attempt.hash)
    if (receipt === null || receipt.blockNumber > confirmed) continue
    return outcomeOf(one, one.from, { kind: attempt.kind, receipt }) === one.state
  }
  return false
}

async function suspectForeign(deps: OutboundDeps, one: Watched, head: bigint): Promise<void> {
  const { id, hash, nonce, foreignSinceBlock } = one
  if (foreignSinceBlock === null) await noteForeign(deps.db, id, head)
  else if (head - foreignSinceBlock >= FOREIGN_BLOCKS) {
    const reason = `nonce ${nonce} of the final ${hash}, which left the chain, was used by another transaction`
    await halt(deps, { chain: deps.chain, keyRef: one.keyRef }, { reason })
  }
}

/** What was final on a wallet and will never be mined again, as far as this node shows. */
export async function findDisplacedFinals(
  deps: Pick<OutboundDeps, 'db' | 'node' | 'chain'>,
  { keyRef }: Pick<Wallet, 'keyRef'>,
  { confirmed, usedForGood }: { readonly confirmed: bigint; readonly usedForGood: number },
): Promise<Watched[]> {
  const displaced: Watched[] = []
  for (const one of await listWatched(deps.db, deps.chain)) {
    if (one.keyRef !== keyRef || one.nonce >= usedForGood) continue
    if ((await deps.node.receipt(one.hash)) !== null) continue
    if (!(await endedAlike(deps, one, confirmed))) displaced.push(one)
  }
  return displaced
}
