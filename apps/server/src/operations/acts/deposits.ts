// What an operator does with payments that were held back.
import type { Actor } from '#audit'
import {
  decideHeld,
  explainDifference,
  findHeldPayment,
  type HeldPayment,
  listHeldOf,
} from '#deposits'
import { refuse } from '#kernel/refusal'
import { findOpenCase, paymentSubject, resolveCase } from '#reconciliation'
import { type ActDeps, perform } from './act.ts'

export interface HeldDecision {
  /** Of the held payment. */
  readonly id: string
  readonly state: 'released' | 'refused'
  readonly reason: string
}

/**
 * Releases a held payment, so that the next look at its order credits it, or refuses it for good: then the
 * money stays with the provider. With the deposit's last held payment its case is resolved. Refuses
 * DEPOSIT_NOT_FOUND for one that does not wait, or that is to be released and cannot be valued.
 */
export const decideHeldPayment = async (
  deps: ActDeps,
  actor: Actor,
  { id, state, reason }: HeldDecision,
): Promise<HeldPayment> => {
  const held = await findHeldPayment(deps.db, id)
  if (held === null) return refuse('DEPOSIT_NOT_FOUND')
  const { depositId, settlementRef } = held
  return perform(
    deps,
    actor,
    {
      act: state === 'released' ? 'deposit.release' : 'deposit.refuse',
      subject: { type: 'deposit', id: depositId },
      details: { reason, settlementRef },
    },
    async (tx, at) => {
      if (!(await decideHeld(tx, id, { state, by: actor.id, reason, at }))) {
        return refuse('DEPOSIT_NOT_FOUND', { state: held.state })
      }
      const all = await listHeldOf(tx, depositId)
      const open = all.some((one) => one.state === 'held')
        ? null
        : await findOpenCase(tx, 'deposit_held_back', `deposit:${depositId}`)
      if (open !== null) {
        const resolution = { by: actor.id, reason: `${state}: ${reason}` }
        await resolveCase({ db: tx, clock: deps.clock }, open, resolution)
      }
      return all.find((one) => one.id === id) ?? held
    },
  )
}

/**
 * Says why a provider's statement and the books disagree about a movement: audit and comparisons leave
 * it out from now on, and its case is resolved. Refuses NOT_FOUND where there is no such difference.
 */
export const explainStatement = (
  deps: ActDeps,
  actor: Actor,
  {
    provider,
    ref,
    reason,
  }: { readonly provider: 'gateway' | 'onramp'; readonly ref: string; readonly reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'deposit.explain',
      subject: { type: 'payment', id: `${provider}:${ref}` },
      details: { reason },
    },
    async (tx, at) => {
      if (!(await explainDifference(tx, { provider, ref, by: actor.id, at }))) {
        return refuse('NOT_FOUND')
      }
      const subject = paymentSubject(provider, ref).name
      const open = await findOpenCase(tx, 'deposit_statement_differs', subject)
      const resolution = { by: actor.id, reason }
      if (open !== null) await resolveCase({ db: tx, clock: deps.clock }, open, resolution)
    },
  )
