// The comparison of statements as a worker process makes it, with the adapters of production, and nothing
// else.

import { definitionOf } from '../../apps/server/src/adapters/markets.ts'
import { createTakePermit } from '../../apps/server/src/infra/database/call-permits.ts'
import { createReserveSlot } from '../../apps/server/src/infra/database/call-slots.ts'
import { type Db, openDb } from '../../apps/server/src/infra/database/db.ts'
import { createHttpClient } from '../../apps/server/src/infra/http/http-client.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import {
  createKeepPages,
  reconcile,
} from '../../apps/server/src/modules/trading/reconciliation/index.ts'
import { answerWith } from '../ipc.ts'
import type { StatedOrder } from './statements.ts'

const clock = systemClock
const log = createLog({ level: 'warn' })
const metrics = createMetrics()
/** As the whole statement is compared. */
const WINDOW = { scope: 'whole', lengthMs: 9 * 24 * 3_600_000 }
let db: Db | null = null

export interface ReconciledWhole {
  readonly ms: number
  /** How many reads it took until the statement lacked nothing. */
  readonly reads: number
  readonly lines: number
  readonly findings: number
}

const methods = {
  open: (at: { databaseUrl: string }): void => {
    db = openDb({ url: at.databaseUrl, poolSize: 8, applicationName: 'bench reconcile' })
  },
  /** Reads and compares until the statement is whole. */
  whole: async (from: {
    market: StatedOrder['market']
    marketsUrl: string
    mostReads: number
  }): Promise<ReconciledWhole> => {
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
    const account = { baseUrl: from.marketsUrl, apiKey: 'bench', account: 'main', keyVersion: 1 }
    const budget = { callSpacingMs: 0, callsPerMinute: 0 }
    const { market, statements } = definitionOf(from.market).open(tools, account, budget)
    const report = async (kind: string): Promise<never> => {
      throw new Error(`nothing is wrong here, and yet: ${kind}`)
    }
    const startedAt = performance.now()
    for (let reads = 1; reads <= from.mostReads; reads++) {
      const found = await reconcile(
        {
          ...{ db: open, clock, log, market, statements, absent: new Map() },
          ...{ reportStatement: report, reportBalance: report },
        },
        WINDOW,
      )
      if (found.kind === 'unavailable') throw new Error(found.detail)
      if (!found.isWhole) continue
      const { lines, findings } = found
      return { ms: performance.now() - startedAt, reads, lines, findings }
    }
    throw new Error(`no whole statement in ${from.mostReads} reads`)
  },
}
export type ReconcileMethods = typeof methods

answerWith(methods)
