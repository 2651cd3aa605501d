// Follows what was signed until the chain has decided for good. Every attempt of a nonce is asked for: any of
// them may have been mined. Nothing is decided by a clock: time only sends the same bytes again, or the same
// payment with higher fees.
import { post } from '#custody'
import { baseUnits } from '#kernel/chain'
import type { OutboundDeps } from './deps.ts'
import { FOREIGN_BLOCKS, halt } from './halt.ts'
import type { Finished } from './listener.ts'
import { firstNonceNotFinal } from './nonce.ts'
import type { Receipt } from './ports.ts'
import { proveEnd } from './proof.ts'
import { followFinal } from './resend.ts'
import { accept } from './send.ts'
import { type Attempt, readAttempts } from './store/attempts.ts'
import { watchFinal } from './store/final.ts'
import {
  finishTransaction,
  readOpen,
  type Transaction,
  wantMore,
  writeForeign,
  writeMined,
  writeSilent,
} from './store/transactions.ts'
import { findWallet, readKeysAtWork, type Wallet } from './store/wallets.ts'
import { outcomeOf, roleOf } from './transaction.ts'

export interface TrackingDeps extends OutboundDeps {
  /** In no block for so long, the first nonce in line is replaced with higher fees. */
  readonly stuckAfterMs: number
  /** Without a receipt for so long, the same bytes are sent again: a node may have lost them. */
  readonly resendAfterMs: number
}

/** A head that stands still, a halted sequencer for example, is no reason for higher fees. */
const STUCK_BLOCKS = 5n

/** Looks at everything that is under way on a chain once, and at what was final and is not certain. */
export function createTracking(deps: TrackingDeps): (signal: AbortSignal) => Promise<boolean> {
  return async (signal) => {
    await followFinal(deps)
    for (const keyRef of await readKeysAtWork(deps.db, deps.chain, deps.clock.now())) {
      if (signal.aborted) return false
      const wallet = await findWallet(deps.db, deps.chain, keyRef)
      if (wallet !== null) await trackWallet(deps, wallet)
    }
    return false
  }
}

interface View {
  readonly head: bigint
  readonly confirmed: bigint
  /** Transactions of the wallet in the newest block, and up to the confirmed one. */
  readonly used: number
  readonly usedForGood: number
}

async function trackWallet(deps: TrackingDeps, wallet: Wallet): Promise<void> {
  const { db, node } = deps
  const open = (await readOpen(db, wallet)).filter(({ state }) => state !== 'signing')
  if (open.length === 0) return
  const attempts = await readAttempts(
    db,
    open.map(({ id }) => id),
  )
  const head = await node.headNumber()
  const confirmed = await node.confirmedNumber()
  const [used, usedForGood] = await Promise.all([
    node.nonceOf(wallet.address),
    firstNonceNotFinal(node, wallet.address, confirmed),
  ])
  const view = { head, confirmed, used, usedForGood }
  const silent: string[] = []
  for (const transaction of open) {
    const own = attempts.get(transaction.id) ?? []
    const found = await findReceipt(deps, own)
    if (found !== null) await recordMined(deps, wallet, { transaction, found, view })
    else if (await lookForNothing(deps, wallet, { transaction, own, view }))
      silent.push(transaction.id)
  }
  await writeSilent(db, silent, { at: deps.clock.now(), block: head })
}

interface Mined {
  readonly attempt: Attempt
  /** A node may have taken the cancel transaction alone: then those who pay know of no payment yet. */
  readonly isBesideCancel: boolean
  readonly receipt: Receipt
}

async function findReceipt(
  { node }: TrackingDeps,
  attempts: readonly Attempt[],
): Promise<Mined | null> {
  // The newest one is the likeliest.
  for (const attempt of attempts.toReversed()) {
    const receipt = await node.receipt(attempt.hash)
    if (receipt === null) continue
    const hasCancel = attempts.some(({ kind }) => kind === 'filler')
    return { attempt, receipt, isBesideCancel: hasCancel && attempt.kind !== 'filler' }
  }
  return null
}

async function recordMined(
  deps: TrackingDeps,
  wallet: Wallet,
  {
    transaction,
    found,
    view,
  }: { readonly transaction: Transaction; readonly found: Mined; readonly view: View },
): Promise<void> {
  const { attempt, receipt } = found
  if (transaction.state === 'signed') {
    await deps.db.transaction((tx) => accept(deps, tx, [{ transaction, attempt }]))
  }
  if (transaction.minedHash !== attempt.hash || transaction.minedBlock !== receipt.blockNumber) {
    await writeMined(deps.db, transaction.id, { hash: attempt.hash, block: receipt.blockNumber })
  }
  if (receipt.blockNumber <= view.confirmed) await finish(deps, wallet, { transaction, found })
}

/** Final: the state, the gas that we paid and what it means to those who pay, in one commit. */
async function finish(
  deps: TrackingDeps,
  wallet: Wallet,
  { transaction, found }: { transaction: Transaction; found: Mined },
): Promise<void> {
  const { db, clock, listeners, onAlarm } = deps
  const { attempt, receipt, isBesideCancel } = found
  const { id, chain, keyRef, purpose, refId, nonce } = transaction
  const outcome = outcomeOf(transaction, wallet.address, { kind: attempt.kind, receipt })
  const isRefunded = outcome === 'reverted' || outcome === 'displaced'
  if (isRefunded && !(await isProven(deps, transaction, { receipt, outcome }))) return
  const at = clock.now()
  await db.transaction(async (tx) => {
    const change = { state: outcome, at, feePaid: receipt.feePaid }
    if (!(await finishTransaction(tx, id, change))) return
    await watchFinal(tx, id)
    if (receipt.feePaid > 0n) {
      const fee = {
        key: `outbound:${id}:gas`,
        reason: 'network_fee',
        refId: id,
        chain,
        token: 'NATIVE',
        debit: 'network_fees',
        credit: roleOf(keyRef),
        units: baseUnits(receipt.feePaid),
      } as const
      await post(tx, [fee], at)
    }
    const { hash } = attempt
    if (isBesideCancel && nonce !== null) {
      await listeners[purpose]?.accepted(tx, [{ refId, hash, nonce, at }])
    }
    const end: Finished = { refId, outcome, detail: null, hash, at }
    await listeners[purpose]?.finished(tx, end)
  })
  if (outcome === 'no_effect') {
    onAlarm('outbound_no_effect', { chain, purpose, refId, hash: attempt.hash })
  }
}

/** Until it is, the transaction is followed, and its end is looked at again with the next ones. */
async function isProven(
  { node, onAlarm }: TrackingDeps,
  { chain, purpose, refId }: Transaction,
  { receipt, outcome }: { readonly receipt: Receipt; readonly outcome: string },
): Promise<boolean> {
  const proof = await proveEnd(node, receipt)
  if (proof === 'contradicted') {
    onAlarm('outbound_end_contradicted', { chain, purpose, refId, hash: receipt.hash, outcome })
  }
  return proof === 'proven'
}

/**
 * None of its attempts is in a block: lost, slow, or its nonce was used by another transaction. True: its
 * silence begins now. It is not counted from `sentAt`, which every resend moves on.
 */
async function lookForNothing(
  deps: TrackingDeps,
  wallet: Wallet,
  {
    transaction,
    own,
    view,
  }: { readonly transaction: Transaction; readonly own: readonly Attempt[]; readonly view: View },
): Promise<boolean> {
  const { db, clock, resendAfterMs } = deps
  const { id, nonce, silentSince } = transaction
  if (nonce === null) return false
  if (transaction.minedHash !== null) {
    // A re-organisation took it out of its block: the same bytes are sent again.
    await writeMined(db, id, null)
    await wantMore(db, [id], 'resend')
    return false
  }
  if (nonce < view.usedForGood) {
    await lookForForeign(deps, wallet, { transaction, head: view.head })
    return false
  }
  if (transaction.foreignSinceBlock !== null) await writeForeign(db, id, null)
  const last = own.at(-1)
  if (nonce < view.used || last?.sentAt == null) return false
  if (nonce === view.used && isStuck(deps, transaction, { last, head: view.head })) {
    await wantMore(db, [id], 'replacement')
  } else if (clock.now().getTime() - last.sentAt.getTime() >= resendAfterMs) {
    await wantMore(db, [id], 'resend')
  }
  return silentSince === null
}

/** Where the wallet is empty, higher fees would not help. */
function isStuck(
  { clock, stuckAfterMs }: TrackingDeps,
  { silentSince }: Transaction,
  { last, head }: { readonly last: Attempt; readonly head: bigint },
): boolean {
  if (silentSince === null || last.answer === 'insufficient_funds') return false
  const silentMs = clock.now().getTime() - silentSince.at.getTime()
  return silentMs >= stuckAfterMs && head - silentSince.block >= STUCK_BLOCKS
}

/**
 * The nonce is used up for good, and by none of ours: the key is used elsewhere, or a node answers falsely.
 * Nothing is refunded by that; the wallet is halted, and an operator looks.
 */
async function lookForForeign(
  deps: TrackingDeps,
  wallet: Wallet,
  { transaction, head }: { readonly transaction: Transaction; readonly head: bigint },
): Promise<void> {
  const { id, nonce, foreignSinceBlock } = transaction
  if (foreignSinceBlock === null) await writeForeign(deps.db, id, head)
  else if (head - foreignSinceBlock >= FOREIGN_BLOCKS) {
    const reason = `nonce ${nonce} was used by a transaction that is not ours`
    await halt(deps, wallet, { reason })
  }
}
