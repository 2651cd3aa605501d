// What an act of an operator needs. Each act opens one transaction, and its audit entry is written in it.
import type { Act, Actor } from '#audit'
import { recordAct } from '#audit'
import { accountRefusal } from '#identity'
import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { refuse } from '#kernel/refusal'
import { type Capability, lockCapabilities } from '#people'

export interface ActDeps {
  readonly db: Db
  readonly clock: Clock
}

type Entry = Pick<Act, 'act' | 'subject' | 'details' | 'accountId'>

/** What `work` finds out for the entry: what it was about, what changed, and whose log it belongs in. */
export type Note = (found: Partial<Pick<Act, 'subject' | 'changes' | 'accountId'>>) => void

/** Runs `work` and records the act, in one transaction. A refusal thrown by `work` leaves no entry. */
export const perform = <T>(
  { db, clock }: ActDeps,
  actor: Actor,
  entry: Entry,
  work: (tx: Tx, at: Date, note: Note) => Promise<T>,
): Promise<T> =>
  transactionOf(db, actor, async (tx) => {
    const at = clock.now()
    let noted: Parameters<Note>[0] = {}
    const result = await work(tx, at, (found) => {
      noted = { ...noted, ...found }
    })
    await recordAct(tx, { ...entry, ...noted, actor, at })
    return result
  })

/**
 * A transaction of an act. Refuses FORBIDDEN when the actor has lost the right to it meanwhile, and
 * USER_NOT_FOUND when the account below which it creates something was closed.
 */
export const transactionOf = <T>(db: Db, actor: Actor, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db
    .transaction(async (tx) => {
      await requireRight(tx, actor)
      return work(tx)
    })
    .catch((error: unknown) => {
      throw accountRefusal(error) ?? error
    })

/**
 * Refuses FORBIDDEN to a person who has lost the right to the act since the request was admitted. The
 * membership stays as it is until the transaction ends; so ask before anything else is locked.
 */
export async function requireRight(tx: Tx, actor: Actor): Promise<void> {
  const { right } = actor
  if (right === undefined) return
  if (!(await mayNow(tx, actor, right.capability as Capability))) refuse('FORBIDDEN')
}

/** Whether the actor may do something more than the act needs. An operator may. */
export async function mayNow(
  tx: Tx,
  { id: personId, right }: Actor,
  capability: Capability,
): Promise<boolean> {
  if (right === undefined) return true
  const { accountId } = right
  const isOfTeam = capability === 'members.write'
  return (await lockCapabilities(tx, { personId, accountId, isOfTeam })).has(capability)
}
