// Signs and sends, one wallet of a chain after the other. The order of the steps is what makes it safe:
//   1 a nonce is given under the lock of the wallet, with the unsigned form
//   2 the signer signs                                      (crash before 3: the same form is signed again)
//   3 what was signed is written
//   4 it is sent in the order of the nonces                 (crash: the same bytes are sent again)
// A nonce has the same bytes after every crash, and the chain takes one transaction for each nonce.
import type { Tx } from '#infra/database/db'
import type { Address, Hex } from '#kernel/chain'
import type { SendingDeps } from './deps.ts'
import { halt } from './halt.ts'
import type { KeyRef, SendAnswer } from './ports.ts'
import { type Preflight, preflight } from './preflight.ts'
import { reopen } from './reopen.ts'
import { finishSigning, signBatch, signMore } from './sign.ts'
import { type Attempt, readAttempts, readToSend, writeAnswers } from './store/attempts.ts'
import {
  finishTransaction,
  holdTransactions,
  markAccepted,
  noteFeeCap,
  readOpen,
  readQueued,
  type Transaction,
  wantedDone,
  wantMore,
} from './store/transactions.ts'
import { findWallet, insertWallet, readKeysAtWork, type Wallet } from './store/wallets.ts'
import { MOST_ATTEMPTS } from './transaction.ts'

/** Signed and sent in one go; more waits for the answers to these. */
const AT_ONCE = 32
/** Nodes keep only so many unmined transactions of one sender. */
const MAX_UNMINED = 64
/** A node that did not take a transaction is not asked at once again. */
const ASK_AGAIN_MS = 2_000

/** Works through the wallets of a chain once; true when more can be done at once. */
export function createSending(deps: SendingDeps): (signal: AbortSignal) => Promise<boolean> {
  return async (signal) => {
    let more = false
    const keys = await readKeysAtWork(deps.db, deps.chain, deps.clock.now())
    if (keys.length === 0 || !(await deps.mayPay())) return false
    for (const keyRef of keys) {
      if (signal.aborted) return false
      const wallet = await openWallet(deps, keyRef)
      if (wallet !== null && (await workWallet(deps, wallet, signal))) more = true
    }
    return more
  }
}

/** The wallet, made at its first use; null while it is halted. */
async function openWallet(deps: SendingDeps, keyRef: KeyRef): Promise<Wallet | null> {
  const { db, clock, chain, node } = deps
  const known = await findWallet(db, chain, keyRef)
  if (known?.state === 'halted') return null
  if (known?.state === 'reopening') return known
  if (known === null) {
    const address = await addressOf(deps, keyRef)
    if (address === null) return null
    const nextNonce = await node.nonceOf(address)
    await insertWallet(db, { chain, keyRef, address, nextNonce }, clock.now())
    return findWallet(db, chain, keyRef)
  }
  const used = await node.nonceOf(known.address)
  if (used <= known.nextNonce) return known
  // Read again: a nonce that was given since then is no foreign one.
  const wallet = (await findWallet(db, chain, keyRef)) ?? known
  if (used <= wallet.nextNonce) return wallet
  const reason = `the chain has ${used} transactions, we made ${wallet.nextNonce}`
  await halt(deps, wallet, { reason })
  return null
}

/** Null while the signer does not answer. */
async function addressOf(
  { signer, chain, onAlarm }: SendingDeps,
  keyRef: KeyRef,
): Promise<Address | null> {
  try {
    return await signer.address(keyRef)
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'failed'
    onAlarm('outbound_signer_unavailable', { chain, keyRef, detail })
    return null
  }
}

async function workWallet(
  deps: SendingDeps,
  wallet: Wallet,
  signal: AbortSignal,
): Promise<boolean> {
  if (wallet.state === 'reopening') {
    await reopen(deps, wallet)
    return true
  }
  const open = await readOpen(deps.db, wallet)
  const unsigned = open.filter(({ state }) => state === 'signing')
  if (unsigned.length > 0 && !(await finishSigning(deps, wallet, unsigned))) return false
  await signWanted(deps, wallet, open)
  if (await sendSigned(deps, wallet, signal)) return false
  return signNext(deps, wallet, { room: MAX_UNMINED - open.length, signal })
}

/** Replacements and cancel transactions that were asked for. */
async function signWanted(
  deps: SendingDeps,
  wallet: Wallet,
  open: readonly Transaction[],
): Promise<void> {
  const wanted = open.filter((one) => one.wanted === 'replacement' || one.wanted === 'filler')
  const attempts = await readAttempts(
    deps.db,
    wanted.map(({ id }) => id),
  )
  for (const transaction of wanted) {
    const last = attempts.get(transaction.id)?.at(-1)
    if (last === undefined) continue
    // A nonce that is to be filled stays so: its payment is not made dearer any more.
    const kind = transaction.wanted === 'filler' || last.kind === 'filler' ? 'filler' : 'payment'
    const isSpent = kind === 'payment' && last.number >= MOST_ATTEMPTS
    const answer = isSpent ? 'too_dear' : await signMore(deps, wallet, transaction, { kind, last })
    if (answer === 'not_signed') return
    if (answer === 'too_dear') await noteFeeCap(deps.db, transaction.id)
  }
}

/**
 * Sends in the order of the nonces. It needs no guard of the lease: a nonce is used once, however often its
 * bytes are sent and by whichever process, and every attempt of it is looked for. So what a suspended process
 * sends late is under way already, or the chain refuses it. A wallet that was halted meanwhile sends nothing
 * more: what is signed waits with its nonce until it is reopened.
 *
 * True when one is not taken, or not sent, which keeps later ones from being sent.
 */
async function sendSigned(
  deps: SendingDeps,
  wallet: Wallet,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, clock } = deps
  const taken: { transaction: Transaction; attempt: Attempt }[] = []
  const answers: { hash: Hex; answer: string }[] = []
  const dearer: string[] = []
  const resent: string[] = []
  let isBlocked = false
  for (const { transaction, attempt } of await readToSend(db, wallet)) {
    const isFirst = transaction.state !== 'broadcast'
    const isOpen = (await findWallet(db, wallet.chain, wallet.keyRef))?.state === 'open'
    if (
      signal.aborted ||
      !isOpen ||
      attempt === null ||
      (isFirst && wasAskedJustNow(attempt, clock.now()))
    ) {
      isBlocked = true
      break
    }
    const isNoted =
      attempt.sentAt !== null || ((await deps.noteSend?.(transaction, attempt.hash)) ?? true)
    if (!isNoted) {
      isBlocked = true
      break
    }
    const answer = await deps.node.send(attempt.raw)
    answers.push({ hash: attempt.hash, answer: describe(answer) })
    if (isTaken(answer)) taken.push({ transaction, attempt })
    if (transaction.wanted === 'resend') resent.push(transaction.id)
    if (answer.kind === 'underpriced' || answer.kind === 'fee_too_low') dearer.push(transaction.id)
    if (isFirst && leavesGap(answer)) {
      isBlocked = true
      break
    }
  }
  if (answers.length === 0) return isBlocked
  await db.transaction(async (tx) => {
    await writeAnswers(tx, answers, clock.now())
    await wantedDone(tx, resent, 'resend')
    await wantMore(tx, dearer, 'replacement')
    await accept(deps, tx, taken)
  })
  return isBlocked
}

const isTaken = ({ kind }: SendAnswer): boolean => kind === 'accepted' || kind === 'already_known'

/** After these the chain or the pool has no transaction with this nonce, as far as we know. */
const leavesGap = ({ kind }: SendAnswer): boolean =>
  kind === 'unknown' || kind === 'insufficient_funds' || kind === 'fee_too_low'

const describe = (answer: SendAnswer): string =>
  answer.kind === 'unknown' ? `unknown: ${answer.detail}`.slice(0, 300) : answer.kind

const wasAskedJustNow = ({ sentAt }: Attempt, now: Date): boolean =>
  sentAt !== null && now.getTime() - sentAt.getTime() < ASK_AGAIN_MS

/** Records that a node has them for the first time, and notifies those who pay. */
export async function accept(
  { clock, listeners }: Pick<SendingDeps, 'clock' | 'listeners'>,
  tx: Tx,
  taken: readonly { readonly transaction: Transaction; readonly attempt: Attempt }[],
): Promise<void> {
  if (taken.length === 0) return
  const at = clock.now()
  const ids = taken.map(({ transaction }) => transaction.id)
  const first = new Set(await markAccepted(tx, ids, at))
  const begun = taken.flatMap(({ transaction: { id, purpose, refId, nonce }, attempt }) =>
    first.has(id) && attempt.kind !== 'filler' && nonce !== null
      ? [{ purpose, sent: { refId, hash: attempt.hash, nonce, at } }]
      : [],
  )
  for (const [purpose, group] of Map.groupBy(begun, (one) => one.purpose)) {
    await listeners[purpose]?.accepted(
      tx,
      group.map(({ sent }) => sent),
    )
  }
}

/** What waits for these keeps nothing behind it from being signed, however many they are. */
const OF_THEIR_TOKEN: ReadonlySet<string> = new Set([
  ...['hot_wallet_low', 'capital_low', 'wallet_frozen'],
  ...['gas_low', 'gas_capital_low'],
])

async function signNext(
  deps: SendingDeps,
  wallet: Wallet,
  { room, signal }: { readonly room: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const { db, clock, holdMs } = deps
  const limit = Math.min(AT_ONCE, room)
  if (limit <= 0) return false
  const queued = await readQueued(db, wallet, { at: clock.now(), limit })
  if (queued.length === 0) return false
  const { ready, held, refused } = await preflight(deps, wallet, queued)
  const dueAt = new Date(clock.now().getTime() + holdMs)
  for (const reason of new Set(held.map((one) => one.reason))) {
    const ids = held.filter((one) => one.reason === reason).map(({ transaction: { id } }) => id)
    await holdTransactions(db, ids, { reason, dueAt })
  }
  reportFrozen(deps, wallet, held)
  for (const { transaction, reason } of refused) await cancelRefused(deps, transaction, reason)
  if (ready.length === 0) {
    return refused.length > 0 || held.some(({ reason }) => OF_THEIR_TOKEN.has(reason))
  }
  await signBatch(deps, wallet, ready)
  return !(await sendSigned(deps, wallet, signal))
}

/** Of each token once, and not again while the same payments wait. */
function reportFrozen(
  { onAlarm }: Pick<SendingDeps, 'onAlarm'>,
  { chain, keyRef }: Wallet,
  held: Preflight['held'],
): void {
  const isNew = ({ transaction, reason }: Preflight['held'][number]): boolean =>
    reason === 'wallet_frozen' && transaction.holdReason !== reason
  for (const token of new Set(held.filter(isNew).map(({ transaction }) => transaction.token))) {
    onAlarm('outbound_wallet_frozen', { chain, keyRef, token })
  }
}

/** The chain would refuse it, and it was never signed. */
const cancelRefused = (
  { db, clock, listeners }: SendingDeps,
  { id, purpose, refId }: Transaction,
  reason: string,
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    if (!(await finishTransaction(tx, id, { state: 'canceled', at, feePaid: null }))) return
    const end = { refId, outcome: 'canceled', detail: reason, hash: null, at } as const
    await listeners[purpose]?.finished(tx, end)
  })
