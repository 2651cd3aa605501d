// How many calls of a named budget may be out at once, over all processes. Where `reserveSlot` says when a
// call may leave, a permit says that those before it have arrived: a counterpart that stands still reads
// all that was sent meanwhile in one moment, however far apart it left.
import { newId } from '#kernel/id'
import type { Clock } from './clock.ts'
import { type Queryable, sql } from './db.ts'

export interface Permit {
  /** The call has ended. Its permit is free again `lingerMs` later. */
  end(): Promise<void>
}

export interface PermitRules {
  /** So many are out at once. */
  readonly most: number
  /** A counterpart may have counted the call as late as its end; it is counted with for so long after it. */
  readonly lingerMs: number
  /** Longer than any call: of a process that died, permits are free again after this. */
  readonly holdMs: number
}

/** Null while all are out. */
export type TakePermit = (name: string, rules: PermitRules) => Promise<Permit | null>

/** Permits are leases of places that have numbers. */
export function createTakePermit({ db, clock }: { db: Queryable; clock: Clock }): TakePermit {
  return async (name, { most, lingerMs, holdMs }) => {
    const places = Array.from({ length: most }, (_, i) => `${name} call ${i + 1}`)
    const holder = newId()
    const now = clock.now()
    const [taken] = await db.query<{ name: string }>(TAKE_PLACE, [
      places,
      holder,
      later(now, holdMs),
      now,
    ])
    if (taken === undefined) return null
    return {
      end: async () => {
        await db.query(FREE_PLACE, [taken.name, holder, later(clock.now(), lingerMs)])
      },
    }
  }
}

const later = (at: Date, byMs: number): Date => new Date(at.getTime() + byMs)

// Of two that see the same place free one gets nothing: it asks again, and nobody has one too many.
const TAKE_PLACE = sql(
  'platform_take_place',
  `insert into infra.lease as held (name, holder, until)
     select place.name, $2, $3 from unnest($1::text[]) as place (name)
       where not exists (select from infra.lease l where l.name = place.name and l.until > $4)
       limit 1
   on conflict (name) do update set holder = excluded.holder, until = excluded.until
     where held.until <= $4
   returning name`,
)
const FREE_PLACE = sql(
  'platform_free_place',
  'update infra.lease set until = $3 where name = $1 and holder = $2',
)
