// What must hold after an upgrade and the way back, each broken promise in a sentence.
import type { DatabaseError } from 'pg'
import type { Db } from '../../apps/server/src/infra/database/db.ts'
import type { Traffic } from '../endurance/actors/traffic.ts'
import {
  auditAll,
  untilDelivered,
  untilNoCaseIsOpen,
  untilTradesAreOver,
} from '../endurance/judge/database.ts'
import { agreeOnTrades, answerAll } from '../endurance/judge/requests.ts'
import { readCanonical } from '../support/chains/canonical.ts'
import { eventsOnce, noncesContiguous, withdrawalsEnded } from '../support/chains/invariants.ts'
import { jsonLine } from '../support/child.ts'
import type { Sandbox } from '../support/sandbox.ts'
import type { Server } from '../support/server.ts'
import { auditBooks } from '../support/stack.ts'
import { until } from '../support/until.ts'
import type { Webhooks } from '../support/webhooks.ts'
import type { Followers } from './sockets.ts'
import { CHAIN, type Withdrawals } from './withdrawals.ts'

export interface Seen {
  readonly db: Db
  readonly databaseUrl: string
  readonly sandbox: Sandbox
  /** Every process that ran. */
  readonly servers: readonly Pick<Server, 'stdout'>[]
  readonly traffic: Traffic
  readonly withdrawals: Withdrawals
  readonly followers: Followers
  readonly webhooks: Webhooks
  /** How processes ended that did not end with 0. */
  readonly ends: readonly string[]
}

/** While processes are replaced nothing is refused for a reason of ours. */
const FAILURES = [
  'INTERNAL_ERROR',
  'SERVICE_DISABLED',
  'MARKET_UNAVAILABLE',
  'PLATFORM_UNAVAILABLE',
]

export async function judge(
  seen: Seen,
  { isUninterrupted }: { readonly isUninterrupted: boolean },
): Promise<string[]> {
  const { db, traffic, withdrawals } = seen
  const broken = [...seen.ends, ...(isUninterrupted ? listFailed(seen) : [])]
  const hold = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => broken.push(String(error)))
  await hold(Promise.all([answerAll(traffic), withdrawals.answerAll()]))
  await hold(untilTradesAreOver(db, ENDED_MS))
  await hold(agreeOnTrades(db, traffic))
  await hold(orderedOnce(seen))
  await hold(withdrawnOnce(seen))
  await hold(eventsOnce(db))
  await hold(deliveredOnce(seen, { isUninterrupted }))
  broken.push(...(await seen.followers.judge(db)), ...listFailedJobs(seen))
  await hold(untilNoCaseIsOpen(db))
  await hold(auditBooks({ db }))
  await hold(auditAll(seen.databaseUrl))
  return broken
}

/**
 * A job that the tables refuse is tried again for ever, and no merchant sees it at once. One whose call
 * waited for the migration while its rows got a column (42804) has done nothing and is well at its next
 * run: a release that does not run it again at once is not to blame.
 */
function listFailedJobs({ servers }: Seen): string[] {
  const errorOf = (line: ReturnType<typeof jsonLine>) => (line?.err ?? {}) as Partial<DatabaseError>
  const failed = servers
    .flatMap(({ stdout }) => stdout().split('\n').map(jsonLine))
    .filter((line) => line?.msg === 'job failed' && errorOf(line).code !== '42804')
    .map((line) => `the job ${line?.job} failed: ${errorOf(line).message}`)
  return [...new Set(failed)]
}

function listFailed({ traffic, withdrawals }: Seen): string[] {
  const refused = traffic.requests.filter(
    ({ outcome, refusal }) => outcome === 'refused' && FAILURES.includes(refusal ?? ''),
  )
  return [
    ...traffic.failures,
    ...withdrawals.failures,
    ...refused.map(({ externalId, refusal }) => `${externalId} was refused: ${refusal}`),
    ...[...traffic.cancels]
      .filter(([key]) => FAILURES.includes(key))
      .map(([key, count]) => `${count} cancels: ${key}`),
  ]
}

const ENDED_MS = 180_000

async function orderedOnce({ sandbox: { control } }: Seen): Promise<void> {
  const ids = (await control.orders()).map(({ customId }) => customId)
  const twice = ids.filter((id, i) => ids.indexOf(id) !== i)
  if (twice.length > 0) throw new Error(`ordered twice: ${twice.join(', ')}`)
}

async function withdrawnOnce({ db, sandbox, withdrawals }: Seen): Promise<void> {
  const view = await until(
    'every withdrawal has ended, once',
    async () => {
      const views = new Map([
        [CHAIN, await readCanonical(`${sandbox.url}/chains/${CHAIN}/second`, CHAIN)] as const,
      ])
      await withdrawalsEnded(db, withdrawals.asked, views)
      return views
    },
    { deadlineMs: ENDED_MS, everyMs: 1000 },
  )
  await noncesContiguous(db, view)
}

/**
 * A lease outlives its attempt by so long. What was posted while its result could not be recorded is posted
 * again after that: at least once. Sooner, a delivery was given to two claims.
 */
const LEASED_AFTER_ATTEMPT_MS = 20_000

async function deliveredOnce(
  { db, webhooks }: Seen,
  { isUninterrupted }: { readonly isUninterrupted: boolean },
): Promise<void> {
  await untilDelivered(db)
  const repeated = webhooks
    .repeated()
    .filter(({ afterMs }) => isUninterrupted || afterMs < LEASED_AFTER_ATTEMPT_MS)
  if (repeated.length > 0) {
    const words = repeated.map(({ id, afterMs }) => `${id} after ${afterMs} ms`)
    throw new Error(`webhooks that came again: ${words.join(', ')}`)
  }
}
