// What the database must say when a run is over.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import { ROOT } from '../../support/child.ts'
import { until } from '../../support/until.ts'
import { explain, readCases } from './cases.ts'

// A transfer that a re-organisation removed for good waits for two hours, and is not under way.
const COUNT_OPEN = sql(
  'endurance_open',
  `select (select count(*) from buying.item where work in ('place', 'follow'))::int buys,
     (select count(*) from selling.item where is_open)::int sells,
     (select count(*) from payouts.withdrawal where status not in ('confirmed', 'refunded'))::int withdrawals,
     (select count(*) from outbound.transaction where finished_at is null)::int transactions,
     (select count(*) from chains.transfer where state = 'pending' and orphaned_at is null)::int transfers,
     (select count(*) from chains.sweep where ended_at is null)::int sweeps,
     (select string_agg(concat_ws(' ', chain, key_ref, halted_reason), '; ') from outbound.wallet where state <> 'open') halted`,
)
type Open = Readonly<Record<string, number | string | null>>

async function untilOver(db: Db, deadlineMs: number, names?: readonly string[]): Promise<void> {
  await until(
    'everything has ended',
    async () => {
      const [open = {}] = await db.query<Open>(COUNT_OPEN)
      const left = Object.entries(open).filter(
        ([name, count]) => count && (names === undefined || names.includes(name)),
      )
      if (left.length === 0) return true
      throw new Error(`open: ${JSON.stringify(Object.fromEntries(left))}`)
    },
    { deadlineMs, everyMs: 500 },
  )
}

/** No buy and no sell goes on. */
export const untilTradesAreOver = (db: Db, deadlineMs: number): Promise<void> =>
  untilOver(db, deadlineMs, ['buys', 'sells'])

/** Nor a deposit, a withdrawal or a transaction of ours, and no wallet is halted. */
export const untilAllIsOver = (db: Db, deadlineMs: number): Promise<void> =>
  untilOver(db, deadlineMs)

const DELIVERED = sql(
  'endurance_delivered',
  `select count(*)::int events, count(*) filter (where not exists (
     select from webhooks.delivery d where d.event_id = e.id and d.status = 'delivered'))::int "left"
   from outbox.event e where $1::uuid is null or e.tenant_id = $1`,
)

/** Every event, or every one of a tenant, is delivered. Returns how many there are. */
export const untilDelivered = (db: Db, tenantId: string | null = null): Promise<number> =>
  until(
    'every event is delivered',
    async () => {
      const [row] = await db.query<{ events: number; left: number }>(DELIVERED, [tenantId])
      if (row?.left === 0) return row.events
      throw new Error(`${row?.left} are left`)
    },
    { deadlineMs: 240_000, everyMs: 500 },
  )

/**
 * Passes over the cases of a buyer who ended an offer before a look-up showed it: market A does not say whose
 * fault that was.
 */
export async function untilNoCaseIsOpen(db: Db): Promise<void> {
  await until(
    'no case is open',
    async () => {
      const open = (await readCases(db)).filter(({ cleared }) => !cleared)
      const { unexplained } = explain(open, [])
      if (unexplained.length === 0) return true
      throw new Error(JSON.stringify(unexplained))
    },
    { deadlineMs: 150_000, everyMs: 2000 },
  )
}

/** All of the books, as `npm run audit:books` does; throws with what is broken. */
export async function auditAll(databaseUrl: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'tools/audit.ts'), databaseUrl])
}
