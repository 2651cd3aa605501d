// From a nonce to bytes that are written down. A nonce is given under the lock of its wallet, together
// with the unsigned form; what the signer returns is persisted before it is sent. Of two runs that sign the
// same form at once, the first that persists decides: the other drops its signature and goes on.
import type { Tx } from '#infra/database/db'
import { beginPart, within } from '#infra/tracing/tracing'
import type { Address } from '#kernel/chain'
import { newId } from '#kernel/id'
import type { SendingDeps } from './deps.ts'
import { nativeHeldBy } from './held.ts'
import type { BroadcastNode, SigningAnswer } from './ports.ts'
import type { Ready } from './preflight.ts'
import { type Attempt, insertSigned, type NewAttempt } from './store/attempts.ts'
import {
  claimSigning,
  lockAskedFor,
  lockClaimed,
  lockQueued,
  markSigned,
  releaseNonces,
  reserveNonces,
  type Transaction,
  writeSigning,
} from './store/transactions.ts'
import { lockWallet, setNextNonce, type Wallet } from './store/wallets.ts'
import { callOf, gasLimitOf, replacementFees, type SigningForm } from './transaction.ts'

type Numbered = Transaction & { readonly nonce: number }

/**
 * Gives the next nonces to what is ready and signs it, one after the other. At the first refusal or
 * silence of the signer the rest goes back to the queue without a nonce: the signer was certainly not
 * asked for it. One whose answer was lost keeps its nonce and is signed again by the next run.
 */
export async function signBatch(
  deps: SendingDeps,
  wallet: Wallet,
  ready: readonly Ready[],
): Promise<void> {
  const claim = newId()
  const batch = await reserve(deps, wallet, { ready, claim })
  const signed: NewAttempt[] = []
  let stopped: { at: number; answer: SigningAnswer } | null = null
  for (const [i, { transaction, form }] of batch.entries()) {
    const answer = await askSigner(deps, wallet, transaction, form)
    if (answer.kind !== 'signed') {
      stopped = { at: i, answer }
      break
    }
    signed.push(attemptOf(transaction, form, answer))
  }
  await deps.db.transaction(async (tx) => {
    await persist(deps, tx, signed)
    if (stopped === null) return
    // A silent signer may have signed the one that it was asked for.
    const from = stopped.answer.kind === 'refused' ? stopped.at : stopped.at + 1
    await release(deps, tx, wallet, { rest: batch.slice(from), stopped: stopped.answer, claim })
  })
}

/** Nonces from the wallet's next one on, without a hole. */
async function reserve(
  { db, chain }: SendingDeps,
  { keyRef }: Wallet,
  { ready, claim }: { readonly ready: readonly Ready[]; readonly claim: string },
): Promise<{ transaction: Numbered; form: SigningForm }[]> {
  return db.transaction(async (tx) => {
    const wallet = await lockWallet(tx, chain, keyRef)
    if (wallet?.state !== 'open') return []
    const queued = await lockQueued(
      tx,
      ready.map(({ transaction }) => transaction.id),
    )
    const batch = ready
      .filter(({ transaction }) => queued.has(transaction.id))
      .map(({ transaction, form }, i) => ({
        transaction: { ...transaction, nonce: wallet.nextNonce + i },
        form,
      }))
    const rows = batch.map(({ transaction: { id, nonce }, form }) => ({ id, nonce, signing: form }))
    await reserveNonces(tx, rows, claim)
    await setNextNonce(tx, wallet, wallet.nextNonce + batch.length)
    return batch
  })
}

/** The last nonces of the wallet are given back, while they are still this run's. */
async function release(
  { clock, chain, holdMs }: SendingDeps,
  tx: Tx,
  { keyRef }: Wallet,
  {
    rest,
    stopped,
    claim,
  }: {
    readonly rest: readonly { readonly transaction: Numbered }[]
    readonly stopped: SigningAnswer
    readonly claim: string
  },
): Promise<void> {
  const [first] = rest
  const wallet = await lockWallet(tx, chain, keyRef)
  if (first === undefined || wallet === null) return
  const { nonce } = first.transaction
  if (wallet.nextNonce !== nonce + rest.length) return
  const ids = rest.map(({ transaction: { id } }) => id)
  // Another run has taken them over: their nonces are in use.
  if ((await lockClaimed(tx, ids, claim)) !== rest.length) return
  const now = clock.now()
  const later = new Date(now.getTime() + holdMs)
  await releaseNonces(
    tx,
    ids.map((id, i) =>
      i === 0 && stopped.kind === 'refused'
        ? { id, reason: stopped.rule, dueAt: later }
        : { id, reason: null, dueAt: now },
    ),
  )
  await setNextNonce(tx, wallet, nonce)
}

/**
 * Signs again what an earlier run left between its nonce and its bytes. That run may have received a
 * signature, so a refusal is no proof that none exists: the nonce is filled instead. False: no signature
 * now.
 */
export async function finishSigning(
  deps: SendingDeps,
  wallet: Wallet,
  left: readonly Transaction[],
): Promise<boolean> {
  await claimSigning(
    deps.db,
    left.map(({ id }) => id),
    newId(),
  )
  for (const transaction of left) {
    const { signing } = transaction
    if (!hasNonce(transaction) || signing === null) return false
    const answer = await askSigner(deps, wallet, transaction, signing)
    if (answer.kind === 'signed') {
      await deps.db.transaction((tx) =>
        persist(deps, tx, [attemptOf(transaction, signing, answer)]),
      )
    } else if (answer.kind === 'unavailable' || signing.kind === 'filler') {
      return false
    } else {
      const filled = await signMore(deps, wallet, transaction, { kind: 'filler', last: signing })
      if (filled !== 'signed') return false
    }
  }
  return true
}

/**
 * `not_signed`: the signer gave no signature. `too_dear`: it was not asked, the fees would be too high or
 * more than the wallet has.
 */
export type MoreAnswer = 'signed' | 'not_signed' | 'too_dear'

/**
 * Another attempt for the same nonce, with higher fees: the payment again, or a cancel transaction. The form
 * is written first; one that was written by a run that ended is asked for again.
 */
export async function signMore(
  deps: SendingDeps,
  wallet: Wallet,
  transaction: Transaction,
  { kind, last }: { readonly kind: SigningForm['kind']; readonly last: SigningForm | Attempt },
): Promise<MoreAnswer> {
  if (!hasNonce(transaction)) return 'not_signed'
  const begun = transaction.signing?.kind === kind ? transaction.signing : null
  const form = begun ?? (await dearerForm(deps, wallet, transaction, { kind, last }))
  if (form === null) return 'too_dear'
  if (begun === null) await writeSigning(deps.db, transaction.id, form)
  const answer = await askSigner(deps, wallet, transaction, form)
  if (answer.kind !== 'signed') return 'not_signed'
  await deps.db.transaction((tx) => persist(deps, tx, [attemptOf(transaction, form, answer)]))
  return 'signed'
}

/**
 * Null: too dear. A form that the wallet cannot pay is never signed: nodes refuse it, and as the newest
 * attempt it would keep the one before it, which they may take when fees have fallen, from being sent
 * again.
 */
async function dearerForm(
  { node, mostFeePerGas }: SendingDeps,
  wallet: Wallet,
  { token, units }: Numbered,
  { kind, last }: { readonly kind: SigningForm['kind']; readonly last: SigningForm | Attempt },
): Promise<SigningForm | null> {
  const [estimate, held] = await Promise.all([node.estimateFees(), nativeHeldBy(node, wallet)])
  const fees = replacementFees(kind, last, { estimate, mostFeePerGas })
  if (fees === null) return null
  const gas = kind === 'filler' ? await cancelGas(node, wallet.address, last) : last.gas
  const paid = kind === 'payment' && token === 'NATIVE' ? units : 0n
  const isCovered = paid + gas * fees.maxFeePerGas + estimate.dataFee <= held
  return isCovered ? { kind, gas, ...fees } : null
}

/** Where a chain takes the price of data in gas (arbitrum), a plain send needs more than 21,000. */
async function cancelGas(
  node: BroadcastNode,
  address: Address,
  last: SigningForm | Attempt,
): Promise<bigint> {
  if (last.kind === 'filler') return last.gas
  const tried = await node.simulate({ from: address, to: address, value: 0n, data: '0x' })
  return gasLimitOf(tried.kind === 'succeeds' ? tried.gas : 0n)
}

const hasNonce = (transaction: Transaction): transaction is Numbered => transaction.nonce !== null

async function askSigner(
  { signer, node, onAlarm }: SendingDeps,
  wallet: Wallet,
  transaction: Numbered,
  form: SigningForm,
): Promise<SigningAnswer> {
  const { kind, ...fees } = form
  const call =
    kind === 'filler' ? { to: wallet.address, value: 0n, data: '0x' as const } : callOf(transaction)
  const span = beginPart('sign transaction')
  const given = await within(span, signer.sign, {
    key: transaction.keyRef,
    depositIndex: kind === 'filler' ? null : transaction.depositIndex,
    transaction: { chainId: node.chainId, nonce: transaction.nonce, ...call, ...fees },
  })
  span?.set('tradepost.outcome', given.kind)
  span?.end(given.kind === 'signed' ? undefined : given.kind)
  const answer = ofWallet(given, wallet)
  const details = { chain: transaction.chain, keyRef: transaction.keyRef, refId: transaction.refId }
  if (answer.kind === 'refused') {
    onAlarm('outbound_signer_refused', { ...details, rule: answer.rule, kind })
  } else if (answer.kind === 'unavailable') {
    onAlarm('outbound_signer_unavailable', { ...details, detail: answer.detail })
  }
  return answer
}

/** A signature of another key cannot use a nonce of this wallet: the signer has another seed. */
const ofWallet = (answer: SigningAnswer, { address }: Wallet): SigningAnswer =>
  answer.kind === 'signed' && answer.from.toLowerCase() !== address.toLowerCase()
    ? { kind: 'unavailable', detail: `the signer has the key of ${answer.from}, not of ${address}` }
    : answer

const attemptOf = (
  { id }: Transaction,
  form: SigningForm,
  { raw, hash }: Extract<SigningAnswer, { kind: 'signed' }>,
): NewAttempt => ({ ...form, transactionId: id, raw, hash })

/** Nothing for those that another run has signed meanwhile: their attempts are there. */
async function persist(
  { clock }: SendingDeps,
  tx: Tx,
  signed: readonly NewAttempt[],
): Promise<void> {
  if (signed.length === 0) return
  const asked = await lockAskedFor(
    tx,
    signed.map(({ transactionId, kind, gas, maxFeePerGas, maxPriorityFeePerGas }) => ({
      id: transactionId,
      form: { kind, gas, maxFeePerGas, maxPriorityFeePerGas },
    })),
  )
  const first = signed.filter(({ transactionId }) => asked.has(transactionId))
  if (first.length === 0) return
  await insertSigned(tx, first, clock.now())
  await markSigned(
    tx,
    first.map(({ transactionId }) => transactionId),
  )
}
