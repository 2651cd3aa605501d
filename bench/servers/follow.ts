// The following of orders as a worker process does it, with the adapters of production, and nothing else.

import { MARKETS } from '../../apps/server/src/adapters/markets.ts'
import { createFollowOrders } from '../../apps/server/src/edges/jobs/follow-orders.ts'
import { createTakePermit } from '../../apps/server/src/infra/database/call-permits.ts'
import { createReserveSlot } from '../../apps/server/src/infra/database/call-slots.ts'
import { type Db, openDb } from '../../apps/server/src/infra/database/db.ts'
import { createHttpClient } from '../../apps/server/src/infra/http/http-client.ts'
import { type RunningJobs, startJobs } from '../../apps/server/src/infra/jobs/jobs.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import {
  createCallLog,
  createKeepPages,
  withCallLog,
} from '../../apps/server/src/modules/trading/reconciliation/index.ts'
import { answerWith } from '../ipc.ts'
import type { Intervals } from './suppliers.ts'

const clock = systemClock
const log = createLog({ level: 'warn' })
const metrics = createMetrics()
const DAY_MS = 24 * 3_600_000
let db: Db | null = null
let running: RunningJobs | null = null

const methods = {
  open: (at: { databaseUrl: string }): void => {
    db = openDb({ url: at.databaseUrl, poolSize: 16, applicationName: 'bench follow' })
  },
  start: async (from: { suppliersUrl: string; intervals: Intervals }): Promise<void> => {
    if (!db) throw new Error('not open')
    const open = db
    const tools = {
      http: createHttpClient({ log, metrics }),
      reserveSlot: createReserveSlot({ db: open, clock }),
      takePermit: createTakePermit({ db: open, clock }),
      keepPages: createKeepPages({ db: open, clock, log }),
      rng: Math.random,
      clock,
      log,
      metrics,
    }
    const account = { baseUrl: from.suppliersUrl, apiKey: 'bench', account: 'main', keyVersion: 1 }
    // Ten thousand orders that all move are more than any market would let us ask about.
    const budget = { callSpacingMs: 0, callsPerMinute: 0 }
    const calls = createCallLog({ db: open })
    const markets = MARKETS.map(
      (market) =>
        market.open(tools, account, {
          ...budget,
          pollMs: from.intervals[market.id as keyof Intervals],
        }).market,
    )
    const jobs = markets.flatMap((market) =>
      createFollowOrders({
        db: open,
        clock,
        market: withCallLog(market, { log: calls, clock }),
        holdMs: 8 * DAY_MS,
        leaseMs: 60_000,
        holdPollMs: 600_000,
        watchMs: DAY_MS,
        watchEveryMs: 60_000,
        onCase: (kind) => {
          throw new Error(`nothing is wrong here, and yet: ${kind}`)
        },
      }),
    )
    running = await startJobs(jobs, {
      db: open,
      clock,
      log,
      metrics,
      processId: `bench-${process.pid}`,
    })
  },
  stop: async (): Promise<void> => {
    await running?.stop()
    running = null
  },
}
export type FollowMethods = typeof methods

answerWith(methods)
