// Opens a halted wallet after an operator asked for it. What the chain says now decides: a transaction
// whose nonce another one has for good is displaced, and only then is it refunded by those who pay. That
// there is no receipt of ours at one node proves nothing: the other transaction itself must be confirmed, at
// two nodes.
import type { Tx } from '#infra/db'
import type { SendingDeps } from './deps.ts'
import type { TransactionReader } from './ports.ts'
import { readAttempts } from './store/attempts.ts'
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
  const { db, clock, node } = deps
  const confirmed = await node.confirmedNumber()
  const [used, usedForGood] = await Promise.all([
    node.nonceOf(wallet.address),
    confirmed < 0n ? 0 : node.nonceOf(wallet.address, confirmed),
  ])
  const displaced = await findDisplaced(deps, wallet, usedForGood)
  const doubt = await findDoubt(deps, wallet, { displaced, confirmed })
  if (doubt !== null) return stayHalted(deps, wallet, doubt)
  await db.transaction(async (tx) => {
    const now = await lockWallet(tx, wallet.chain, wallet.keyRef)
    // An operator may have halted it since: then nothing is refunded.
    if (now?.state !== 'reopening') return
    for (const transaction of displaced) await displace(deps, tx, transaction)
    const at = clock.now()
    if (used > now.nextNonce) {
      await skipNonces(tx, now, { first: now.nextNonce, next: used, at })
      await setNextNonce(tx, now, used)
    }
    await setWalletState(tx, now, { from: ['reopening'], to: 'open', reason: null, at })
  })
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

/** Why it is not proven that other transactions have the nonces of these; null: it is. */
async function findDoubt(
  { db, node }: SendingDeps,
  { address, foreignHashes }: Wallet,
  {
    displaced,
    confirmed,
  }: { readonly displaced: readonly Transaction[]; readonly confirmed: bigint },
): Promise<string | null> {
  if (displaced.length === 0) return null
  const { second } = node
  if (second === null)
    return 'a second node has to confirm what used our nonces, and none is configured'
  const own = await findSent(db, foreignHashes)
  const named = foreignHashes.filter((hash) => !own.has(hash))
  const shown = async (reader: TransactionReader): Promise<Set<number>> => {
    const found = await Promise.all(named.map((hash) => reader.mined(hash)))
    const ours = found.filter(
      (one) => one?.from.toLowerCase() === address.toLowerCase() && one.blockNumber <= confirmed,
    )
    return new Set(ours.flatMap((one) => (one === null ? [] : [one.nonce])))
  }
  const first = await shown(node)
  const unnamed = displaced.find(({ nonce }) => nonce === null || !first.has(nonce))
  if (unnamed !== undefined) {
    return `name the confirmed transaction that used nonce ${unnamed.nonce}: it is not among those given`
  }
  const other = await shown(second).catch(() => null)
  if (other === null) return 'the second node does not answer for what used our nonces'
  const denied = displaced.find(({ nonce }) => nonce === null || !other.has(nonce))
  return denied === undefined
    ? null
    : `the second node does not show the transaction that used nonce ${denied.nonce}`
}

async function stayHalted(
  { db, clock, onAlarm }: SendingDeps,
  { chain, keyRef }: Wallet,
  reason: string,
): Promise<void> {
  const change = { from: ['reopening'], to: 'halted', reason, at: clock.now() } as const
  if ((await setWalletState(db, { chain, keyRef }, change)) === null) return
  onAlarm('outbound_wallet_halted', { chain, keyRef, reason })
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
