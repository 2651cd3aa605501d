// What an operator does with withdrawals, destinations and the wallets that we sign from.
import type { Actor } from '#audit'
import type { Address, ChainName, Hex } from '#kernel/chain'
import { refuse } from '#kernel/refusal'
import { haltWallet, type KeyRef, reopenWallet, settleDisplaced } from '#outbound'
import * as payouts from '#payouts'
import { notifyMembers } from '#people'
import { type ActDeps, perform } from './act.ts'

const withdrawal = (id: string) => ({ type: 'withdrawal', id })

/** Lets a withdrawal above a limit go. Refuses CRYPTO_PAYOUT_NOT_FOUND for one that is not held. */
export const releaseWithdrawal = (
  deps: ActDeps,
  actor: Actor,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<payouts.Withdrawal> =>
  perform(
    deps,
    actor,
    { act: 'payout.release', subject: withdrawal(id), details: { reason } },
    (tx, at) => payouts.releaseHeld(tx, id, at),
  )

/** Refunds one that was never signed; of one that was signed, fills its nonce first. */
export const refuseWithdrawal = (
  deps: ActDeps,
  actor: Actor,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<payouts.RefuseAnswer> =>
  perform(
    deps,
    actor,
    { act: 'payout.refuse', subject: withdrawal(id), details: { reason } },
    (tx, at) => payouts.refuseWithdrawal(tx, id, at),
  )

/** Decides about a payment that was mined without moving its token. */
export const decideNoEffect = (
  deps: ActDeps,
  actor: Actor,
  { id, paid, reason }: { readonly id: string; readonly paid: boolean; readonly reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'payout.decide', subject: withdrawal(id), details: { paid, reason } },
    (tx, at) => payouts.decideNoEffect(tx, id, { paid, at }),
  )

/** Records that a withdrawal was paid by a transaction that a restored database does not know. */
export const recordLostPayment = (
  deps: ActDeps,
  actor: Actor,
  {
    id,
    hash,
    nonce,
    reason,
  }: {
    readonly id: string
    readonly hash: Hex
    readonly nonce: number
    readonly reason: string
  },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'payout.record', subject: withdrawal(id), details: { hash, nonce, reason } },
    (tx, at) => payouts.recordLostPayment(tx, id, { hash, nonce, at }),
  )

const ONLY_TO_REOPEN = {
  errors: [
    {
      ...{ in: 'body', pointer: '/foreignHashes', rule: 'only_to_reopen' },
      message: 'They are named to reopen a wallet, not to halt it.',
    },
  ],
} as const

/**
 * Halts a wallet, or lets a worker reopen it after a look at the chain; `foreignHashes` are the transactions
 * that took nonces of ours, for a reopening alone. One that is halted already takes the newer reason.
 * Refuses NOT_FOUND for one that is not known, or to be reopened and not halted.
 */
export const switchWallet = (
  deps: ActDeps,
  actor: Actor,
  wallet: { readonly chain: ChainName; readonly keyRef: KeyRef },
  {
    halt,
    reason,
    foreignHashes = [],
  }: { readonly halt: boolean; readonly reason: string; readonly foreignHashes?: readonly Hex[] },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: halt ? 'wallet.halt' : 'wallet.reopen',
      subject: { type: 'wallet', id: `${wallet.chain}:${wallet.keyRef}` },
      details: { reason, ...(foreignHashes.length > 0 && { foreignHashes }) },
    },
    async (tx, at) => {
      if (halt && foreignHashes.length > 0) refuse('VALIDATION_FAILED', ONLY_TO_REOPEN)
      const changed = halt
        ? await haltWallet(tx, wallet, { reason, at })
        : await reopenWallet(tx, wallet, { reason, foreignHashes, at })
      if (changed === null) refuse('NOT_FOUND')
    },
  )

/**
 * Records what was done about a payment that counts as paid and will never be mined again: it is not listed
 * any more. Refuses NOT_FOUND for a hash of none that waits for this.
 */
export const settleDisplacedPayment = (
  deps: ActDeps,
  actor: Actor,
  { hash, reason }: { readonly hash: Hex; readonly reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'wallet.settle', subject: { type: 'transaction', id: hash }, details: { reason } },
    async (tx, at) => {
      if ((await settleDisplaced(tx, hash, at)) === null) refuse('NOT_FOUND')
    },
  )

export type DestinationChange =
  | { readonly kind: 'add' | 'remove'; readonly address: Address }
  | { readonly kind: 'only_known'; readonly on: boolean }

/** A merchant's list of destinations; a new one can be used after a day. */
export const changeDestinations = (
  deps: ActDeps,
  actor: Actor,
  merchantId: string,
  change: DestinationChange,
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: `destination.${change.kind}`,
      subject: { type: 'account', id: merchantId },
      details: change.kind === 'only_known' ? { on: change.on } : { address: change.address },
    },
    async (tx, at) => {
      if (change.kind === 'add') {
        await payouts.addDestination(tx, merchantId, { address: change.address, at })
        const account = { id: merchantId, about: 'money' } as const
        const details = { address: change.address, at: at.toISOString() }
        await notifyMembers(tx, account, { template: 'destination_added', details, at })
      } else if (change.kind === 'only_known') {
        await payouts.setOnlyKnownDestinations(tx, merchantId, { on: change.on, at })
      } else if (!(await payouts.removeDestination(tx, merchantId, change.address))) {
        refuse('NOT_FOUND')
      }
    },
  )
