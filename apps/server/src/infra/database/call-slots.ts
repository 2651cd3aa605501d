// The moments at which calls of a named budget may leave, one spacing apart over all processes.
import type { Clock } from '../process/clock.ts'
import { type Queryable, sql } from './db.ts'

/** A moment for one call, or the advice to come back later. */
export type Slot =
  | {
      readonly kind: 'granted'
      readonly waitMs: number
      /** No call left in it: it is free again, unless a later one was reserved since. */
      giveBack(): Promise<void>
    }
  | { readonly kind: 'refused'; readonly retryAfterMs: number }

export type ReserveSlot = (
  name: string,
  spacingMs: number,
  options?: {
    readonly maxWaitMs?: number
    /** How many unused slots of the past may be used at once. */
    readonly burst?: number
  },
) => Promise<Slot>

/**
 * Reserves the next slot of the budget. The caller waits `waitMs` and calls. No slot is reserved further
 * ahead than `maxWaitMs` (5 s), so that a burst is refused early and does not pile up.
 */
export function createReserveSlot({ db, clock }: { db: Queryable; clock: Clock }): ReserveSlot {
  return async (name, spacingMs, { maxWaitMs = 5000, burst = 0 } = {}) => {
    const now = clock.now()
    const values = [name, spacingMs, now, maxWaitMs, burst]
    const [slot] = await db.query<{ at: Date }>(RESERVE_SLOT, values)
    if (!slot) return { kind: 'refused', retryAfterMs: Math.max(maxWaitMs, spacingMs) }
    return {
      kind: 'granted',
      waitMs: Math.max(0, slot.at.getTime() - now.getTime()),
      giveBack: async () => {
        await db.query(GIVE_BACK_SLOT, [name, spacingMs, slot.at])
      },
    }
  }
}

/** A call of one tenant, out of a budget that all tenants share. */
export type ReserveFairSlot = (
  name: string,
  spacingMs: number,
  caller: {
    readonly tenantId: string
    readonly maxWaitMs: number
    /** It goes on with what a call within the share began: it waits as that one did, and is owed. */
    readonly goesOn?: boolean
  },
) => Promise<Slot>

/** Of so many calls one is a tenant's own, however much the others ask for. */
const SHARE_OF = 4
/** Calls of its share that a tenant may have saved up. */
const SAVED = 4
/** So far ahead a tenant may owe. */
const MOST_OWED_MS = 600_000

/**
 * A tenant within its share waits for its turn. One beyond it gets what is free at this moment, and never
 * stands in the queue before others: a tenant that asks without end uses what is left, and no more.
 */
export function createReserveFairSlot(reserveSlot: ReserveSlot): ReserveFairSlot {
  return async (name, spacingMs, { tenantId, maxWaitMs, goesOn = false }) => {
    const share = await reserveSlot(`${name}:${tenantId}`, SHARE_OF * spacingMs, {
      maxWaitMs: goesOn ? MOST_OWED_MS : 0,
      burst: SAVED,
    })
    const waits = goesOn || share.kind === 'granted'
    return reserveSlot(name, spacingMs, { maxWaitMs: waits ? maxWaitMs : 0 })
  }
}

const RESERVE_SLOT = sql(
  'infra_reserve_slot',
  `insert into infra.rate_slot as slot (name, next_at)
     values ($1, $3::timestamptz + (1 - $5::integer) * $2 * interval '1 millisecond')
   on conflict (name) do update
     set next_at = greatest(slot.next_at, $3::timestamptz - $5::integer * $2 * interval '1 millisecond')
       + $2 * interval '1 millisecond'
     where slot.next_at <= $3::timestamptz + $4 * interval '1 millisecond'
   returning next_at - $2 * interval '1 millisecond' as at`,
)
const GIVE_BACK_SLOT = sql(
  'infra_give_back_slot',
  `update infra.rate_slot set next_at = $3::timestamptz
   where name = $1 and next_at = $3::timestamptz + $2 * interval '1 millisecond'`,
)
