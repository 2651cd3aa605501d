// How many calls of a named budget may be out at once, over all processes. Where `reserveSlot` says when a
// call may leave, a permit says that those before it have arrived: a counterpart that was
// stopped reads all that was sent meanwhile at once, however far apart it left.
import { newId } from '#kernel/id'
import type { Clock } from '../process/clock.ts'
import { type Queryable, sql } from './db.ts'

export interface Permit {
  /** The call has ended. Its permit is free again `lingerMs` later. */
  end(): Promise<void>
  /** There was no call: the permit is free at once. */
  giveBack(): Promise<void>
}

export interface PermitRules {
  /** At most this many are out at once. */
  readonly most: number
  /** The counterpart may have counted the call as late as at its end, so it counts for this long after it. */
  readonly lingerMs: number
  /** Longer than any call: the permits of a process that died are free again after this. */
  readonly holdMs: number
}

/** Null while all are out. */
export type TakePermit = (name: string, rules: PermitRules) => Promise<Permit | null>

/** Permits are leases of numbered slots. */
export function createTakePermit({ db, clock }: { db: Queryable; clock: Clock }): TakePermit {
  return async (name, { most, lingerMs, holdMs }) => {
    const slots = Array.from({ length: most }, (_, i) => `${name} call ${i + 1}`)
    const holder = newId()
    const now = clock.now()
    const [taken] = await db.query<{ name: string }>(TAKE_SLOT, [
      slots,
      holder,
      later(now, holdMs),
      now,
    ])
    if (taken === undefined) return null
    const freeIn = async (byMs: number): Promise<void> => {
      await db.query(FREE_SLOT, [taken.name, holder, later(clock.now(), byMs)])
    }
    return { end: () => freeIn(lingerMs), giveBack: () => freeIn(0) }
  }
}

const later = (at: Date, byMs: number): Date => new Date(at.getTime() + byMs)

// Of two callers that see the same slot free one gets none and asks again: the bound is never exceeded.
const TAKE_SLOT = sql(
  'infra_take_permit',
  `insert into infra.lease as held (name, holder, until)
     select slot.name, $2, $3 from unnest($1::text[]) as slot (name)
       where not exists (select from infra.lease l where l.name = slot.name and l.until > $4)
       limit 1
   on conflict (name) do update set holder = excluded.holder, until = excluded.until
     where held.until <= $4
   returning name`,
)
const FREE_SLOT = sql(
  'infra_free_permit',
  'update infra.lease set until = $3 where name = $1 and holder = $2',
)
