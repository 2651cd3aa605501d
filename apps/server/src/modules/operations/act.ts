// What an act of an operator needs. Each act opens one transaction, and its audit entry is written in it.
import type { Act, Actor, Changes } from '#audit'
import { recordAct } from '#audit'
import type { Clock } from '#infra/clock'
import type { Db, Tx } from '#infra/db'
import { refuse } from '#kernel/refusal'
import { type Capability, lockCapabilities } from '#people'

export interface ActDeps {
  readonly db: Db
  readonly clock: Clock
}

type Entry = Pick<Act, 'act' | 'subject' | 'facts' | 'accountId'>

/** What `work` finds out for the entry: what changed, and whose log it belongs in. */
export type Note = (found: { readonly changes?: Changes; readonly accountId?: string }) => void

/** Runs `work` and records the act, in one transaction. A refusal thrown by `work` leaves no entry. */
export function perform<T>(
  { db, clock }: ActDeps,
  actor: Actor,
  entry: Entry,
  work: (tx: Tx, at: Date, note: Note) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const at = clock.now()
    let noted: Parameters<Note>[0] = {}
    const result = await work(tx, at, (found) => {
      noted = { ...noted, ...found }
    })
    await recordAct(tx, { ...entry, ...noted, actor, at })
    return result
  })
}

/**
 * Whether the actor may do this when it is done: of a member it is read under the lock of the membership,
 * which a change of the role waits for. To be asked before anything else is locked. Who acts for no account,
 * an operator or an administrator, may.
 */
export const mayNow = async (tx: Tx, actor: Actor, capability: Capability): Promise<boolean> =>
  (await capabilitiesNow(tx, actor))?.has(capability) ?? true

/** As `mayNow`; FORBIDDEN to who may not, any more. */
export const requireNow = async (tx: Tx, actor: Actor, capability: Capability): Promise<void> =>
  (await mayNow(tx, actor, capability)) ? undefined : refuse('FORBIDDEN')

/** Null: one who acts for no account. */
const capabilitiesNow = async (
  tx: Tx,
  { id: personId, accountId }: Actor,
): Promise<ReadonlySet<Capability> | null> =>
  accountId === undefined ? null : lockCapabilities(tx, { personId, accountId })
