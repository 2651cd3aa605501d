// A change that a person makes through an operation that keys call, too: it leaves an audit row for the
// person, in the commit of the change.
import type { AuditAct } from '@tradepost/contract'
import { type Act, type Actor, recordAct } from '#audit'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { requireRight } from '#operations'

// Everything that writes to the audit log names an act of the contract, or does not compile.
declare module '#kernel/act-name' {
  interface ActCatalogue extends Record<AuditAct, unknown> {}
}

/** What was done, from the request: its subject and details without secrets. */
export type AuditedAct = Pick<Act, 'act' | 'subject' | 'details'>

/**
 * A database whose transactions record the act before they commit, if the person may still do it; `describe`
 * receives what they return. A replay, which changes nothing, records nothing.
 */
export const audited = (
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  actor: Actor,
  describe: (result: unknown) => AuditedAct,
): Db => ({
  ...db,
  transaction: (work, options) =>
    db.transaction(async (tx) => {
      await requireRight(tx, actor)
      const result = await work(tx)
      const isReplay = Array.isArray(result)
        ? result.length === 0
        : (result as { replayed?: boolean } | null)?.replayed === true
      if (!isReplay) await recordAct(tx, { ...describe(result), actor, at: clock.now() })
      return result
    }, options),
})
