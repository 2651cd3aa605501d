// Opens a halted wallet after an operator asked for it. What the chain says now decides: a transaction whose
// nonce another one has for good is displaced, and only then is it refunded by those who pay.
import type { Tx } from '#infra/db'
import type { SendingDeps } from './deps.ts'
import { readAttempts } from './store/attempts.ts'
import { finishTransaction, readOpen, type Transaction } from './store/transactions.ts'
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
  await db.transaction(async (tx) => {
    for (const transaction of displaced) await displace(deps, tx, transaction)
    const now = await lockWallet(tx, wallet.chain, wallet.keyRef)
    if (now?.state !== 'reopening') return
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

async function displace(
  { clock, listeners }: SendingDeps,
  tx: Tx,
  { id, purpose, refId }: Transaction,
): Promise<void> {
  const at = clock.now()
  if (!(await finishTransaction(tx, id, { state: 'displaced', at, feePaid: null }))) return
  const detail = 'a transaction that is not ours has its nonce'
  await listeners[purpose]?.finished(tx, { refId, outcome: 'displaced', detail, hash: null, at })
}
