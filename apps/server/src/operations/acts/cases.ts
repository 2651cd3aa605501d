// A person says what a case was and what was done about it; of a contested delivery, also how it ends.
import type { Actor } from '#audit'
import { recordAct } from '#audit'
import { decideContested, findUndecided, type Outcome } from '#buying'
import type { Tx } from '#infra/database/db'
import type { MarketId } from '#kernel/market-id'
import * as reconciliation from '#reconciliation'
import { type ActDeps, perform, transactionOf } from './act.ts'

export interface Resolution {
  readonly reason: string
  /** The name that the case keeps; without it, the actor's. */
  readonly by?: string
  /** Of a contested delivery, and of nothing else. */
  readonly outcome?: Outcome | undefined
}

export type Resolved =
  | reconciliation.Resolved
  /** The delivery that it is about is not decided: without an outcome the case stays open. */
  | 'needs-outcome'
  /** It is about no contested delivery, or one that was decided. */
  | 'takes-no-outcome'
  /** The delivery is not in its hold yet. */
  | 'not-in-hold'

class Unresolved extends Error {
  readonly why: Exclude<Resolved, reconciliation.Resolved>
  constructor(why: Unresolved['why']) {
    super(why)
    this.why = why
  }
}

/** The case, the item's end with its money and its event, and the entry in the log are one commit. */
export const resolveCase = (
  { db, clock }: ActDeps,
  actor: Actor,
  caseId: string,
  { reason, by = actor.id, outcome }: Resolution,
): Promise<Resolved> =>
  transactionOf(db, actor, async (tx): Promise<Resolved> => {
    const said = outcome === undefined ? reason : `${outcome}: ${reason}`
    const result = await reconciliation.resolveCase({ db: tx, clock }, caseId, { by, reason: said })
    if (result !== 'resolved') return result
    const at = clock.now()
    await decide(tx, caseId, { outcome, at })
    const subject = { type: 'case', id: caseId }
    const details = { reason, by, ...(outcome && { outcome }) }
    await recordAct(tx, { actor, act: 'case.resolve', subject, details, at })
    return result
  }).catch((error: unknown) => {
    if (error instanceof Unresolved) return error.why
    throw error
  })

/** Every open case of these orders, with one entry in the log. How many there were. */
export const resolveUnmatchedPurchases = (
  deps: ActDeps,
  actor: Actor,
  { market, since }: { readonly market: MarketId; readonly since: Date },
  { reason, by = actor.id }: { readonly reason: string; readonly by?: string },
): Promise<number> =>
  perform(
    deps,
    actor,
    {
      act: 'case.resolve_orphans',
      subject: { type: 'market', id: market },
      details: { since: since.toISOString(), reason, by },
    },
    async (tx, at, note) => {
      const count = await reconciliation.resolveUnmatchedPurchases(
        tx,
        { market, since },
        { by, reason, at },
      )
      note({ changes: { openCases: { from: count, to: 0 } } })
      return count
    },
  )

/** Throws where the outcome does not fit the case: then nothing is closed. */
async function decide(
  tx: Tx,
  caseId: string,
  { outcome, at }: { readonly outcome: Outcome | undefined; readonly at: Date },
): Promise<void> {
  const file = await reconciliation.findCase(tx, caseId)
  const isContest = file?.kind === 'reversal_unclear' && file.itemId !== null
  const item = isContest ? await findUndecided(tx, file.itemId) : null
  if (outcome === undefined && item !== null) throw new Unresolved('needs-outcome')
  if (outcome === undefined) return
  if (item === null) throw new Unresolved('takes-no-outcome')
  if (!(await decideContested(tx, { itemId: item.id, outcome, at }))) {
    throw new Unresolved('not-in-hold')
  }
}
