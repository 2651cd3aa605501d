// Opens a halted wallet after an operator asked for it. What the chain says now decides: a transaction
// whose nonce another one has for good is displaced, and only then is it refunded by those who pay. That
// there is no receipt of ours at one node proves nothing: the other transaction itself must be confirmed, at
// two nodes.
import type { Tx } from '#infra/database/db'
import type { Hex } from '#kernel/chain'
import type { SendingDeps } from './deps.ts'
import { halt } from './halt.ts'
import { firstNonceNotFinal } from './nonce.ts'
import type { TransactionReader } from './ports.ts'
import { findDisplacedFinals } from './resend.ts'
import { readAttempts } from './store/attempts.ts'
import { noteDisplaced, type Watched } from './store/final.ts'
import { findSent } from './store/find.ts'
import { finishTransaction, readOpen, type Transaction, writeMined } from './store/transactions.ts'
import {
  lockWallet,
  setNextNonce,
  setWalletState,
  skipNonces,
  type Wallet,
} from './store/wallets.ts'

export async function reopen(deps: SendingDeps, wallet: Wallet): Promise<void> {
  const { db, clock, node, onAlarm } = deps
  const confirmed = await node.confirmedNumber()
  const [used, usedForGood] = await Promise.all([
    node.nonceOf(wallet.address),
    firstNonceNotFinal(node, wallet.address, confirmed),
  ])
  const displaced = await findDisplaced(deps, wallet, usedForGood)
  const finals = await findDisplacedFinals(deps, wallet, { confirmed, usedForGood })
  const nonces = [...displaced, ...finals].flatMap(({ nonce }) => nonce ?? [])
  const doubt =
    (await doubtOfSkipping(deps, wallet, { used, usedForGood, confirmed })) ??
    (await findDoubt(deps, wallet, { nonces, finals, confirmed }))
  if (doubt !== null) return halt(deps, wallet, { from: 'reopening', reason: doubt })
  const lost = await db.transaction(async (tx) => {
    const now = await lockWallet(tx, wallet.chain, wallet.keyRef)
    // An operator may have halted it since: then nothing is refunded. Nonces that another run has given back
    // since are looked at anew.
    if (now?.state !== 'reopening' || now.nextNonce !== wallet.nextNonce) return []
    for (const transaction of displaced) await displace(deps, tx, transaction)
    const at = clock.now()
    if (used > now.nextNonce) {
      await skipNonces(tx, now, { first: now.nextNonce, next: used, at })
      await setNextNonce(tx, now, used)
    }
    await setWalletState(tx, now, { from: ['reopening'], to: 'open', reason: null, at })
    const ids = finals.map(({ id }) => id)
    return noteDisplaced(tx, ids, at)
  })
  // Nothing moves for these by itself: they count as paid, in the books and for whom they were made.
  for (const { id, purpose, refId, hash, nonce } of finals) {
    if (!lost.includes(id)) continue
    onAlarm('outbound_final_displaced', { chain: wallet.chain, purpose, refId, hash, nonce })
  }
}

/**
 * Why nonces that were not given yet cannot be skipped now; null: none is, or others used them for good. One
 * that a re-organisation frees after it was skipped is a hole, behind which nothing of the wallet is mined.
 */
async function doubtOfSkipping(
  { node }: SendingDeps,
  { address, nextNonce }: Wallet,
  {
    used,
    usedForGood,
    confirmed,
  }: { readonly used: number; readonly usedForGood: number; readonly confirmed: bigint },
): Promise<string | null> {
  if (used <= nextNonce) return null
  if (used !== usedForGood) {
    return `nonces ${usedForGood} to ${used - 1} are used in blocks that are not confirmed yet: reopen it when they are`
  }
  if (node.second === null) return null
  const other = await node.second.nonceOf(address, confirmed).catch(() => null)
  if (other === null) return 'the second node does not answer for the nonces of the wallet'
  return other === used
    ? null
    : `the chain has ${used} transactions of the wallet, and the second node ${other}: reopen it when they agree`
}

/** Their nonces are used for good, and no attempt of theirs has a receipt. */
async function findDisplaced(
  { db, node }: SendingDeps,
  wallet: Wallet,
  usedForGood: number,
): Promise<Transaction[]> {
  const passed = (await readOpen(db, wallet)).filter(
    ({ nonce, state }) => nonce !== null && nonce < usedForGood && state !== 'signing',
  )
  const attempts = await readAttempts(
    db,
    passed.map(({ id }) => id),
  )
  const displaced: Transaction[] = []
  for (const transaction of passed) {
    const receipts = await Promise.all(
      (attempts.get(transaction.id) ?? []).map(({ hash }) => node.receipt(hash)),
    )
    if (receipts.every((receipt) => receipt === null)) displaced.push(transaction)
  }
  return displaced
}

/** Why it is not proven that other transactions have these nonces; null: it is. */
async function findDoubt(
  { db, node }: SendingDeps,
  { address, foreignHashes }: Wallet,
  {
    nonces,
    finals,
    confirmed,
  }: {
    readonly nonces: readonly number[]
    readonly finals: readonly Watched[]
    readonly confirmed: bigint
  },
): Promise<string | null> {
  if (nonces.length === 0) return null
  const { second } = node
  if (second === null)
    return 'a second node has to confirm what used our nonces, and none is configured'
  const own = await findSent(db, foreignHashes)
  const other = await otherAttempts(db, finals)
  const named = foreignHashes.filter((hash) => !own.has(hash) || other.has(hash))
  const shown = async (reader: TransactionReader): Promise<Set<number>> => {
    const found = await Promise.all(named.map((hash) => reader.mined(hash)))
    const ours = found.filter(
      (one) => one?.from.toLowerCase() === address.toLowerCase() && one.blockNumber <= confirmed,
    )
    return new Set(ours.flatMap((one) => (one === null ? [] : [one.nonce])))
  }
  const first = await shown(node)
  const unnamed = nonces.find((nonce) => !first.has(nonce))
  if (unnamed !== undefined) {
    return `name the confirmed transaction that used nonce ${unnamed}: it is not among those given`
  }
  const confirming = await shown(second).catch(() => null)
  if (confirming === null) return 'the second node does not answer for what used our nonces'
  const denied = nonces.find((nonce) => !confirming.has(nonce))
  return denied === undefined
    ? null
    : `the second node does not show the transaction that used nonce ${denied}`
}

/** Of what was final: an attempt that was mined in the place of another may have come to another end. */
async function otherAttempts(
  db: SendingDeps['db'],
  finals: readonly Watched[],
): Promise<ReadonlySet<Hex>> {
  const attempts = await readAttempts(
    db,
    finals.map(({ id }) => id),
  )
  const hashes = new Set([...attempts.values()].flat().map(({ hash }) => hash))
  for (const { hash } of finals) hashes.delete(hash)
  return hashes
}

async function displace(
  { clock, listeners }: SendingDeps,
  tx: Tx,
  { id, purpose, refId }: Transaction,
): Promise<void> {
  const at = clock.now()
  // It may have been in a block that a re-organisation removed since it was looked for.
  await writeMined(tx, id, null)
  if (!(await finishTransaction(tx, id, { state: 'displaced', at, feePaid: null }))) return
  const detail = 'a transaction that is not ours has its nonce'
  await listeners[purpose]?.finished(tx, { refId, outcome: 'displaced', detail, hash: null, at })
}
