// What an act of an operator needs. Each act opens one transaction, and its audit entry is written in it.
import type { Act, Actor } from '#audit'
import { recordAct } from '#audit'
import type { Clock } from '#infra/clock'
import type { Db, Tx } from '#infra/db'

export interface ActDeps {
  readonly db: Db
  readonly clock: Clock
}

type Entry = Pick<Act, 'act' | 'subject' | 'facts'>

/** Runs `work` and records the act, in one transaction. A refusal thrown by `work` leaves no entry. */
export function perform<T>(
  { db, clock }: ActDeps,
  actor: Actor,
  entry: Entry,
  work: (tx: Tx, at: Date) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const at = clock.now()
    const result = await work(tx, at)
    await recordAct(tx, { ...entry, actor, at })
    return result
  })
}
