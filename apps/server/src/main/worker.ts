// A process that does the work of clock and queues: `npm run start:worker`. Any number of them share one
// database; what must run once is held by a lease.

import { openDb, sql } from '#infra/database/db'
import { watchStarvedPool } from '#infra/database/starved-pool'
import { createJobs } from './compose-jobs.ts'
import { runProcess } from './lifecycle.ts'
import { allGates, openProcessIntents } from './parts/gates.ts'
import {
  logDisabled,
  openMarketAccounts,
  openMetrics,
  openResources,
  openRole,
  runJobs,
  watchReadiness,
} from './processes.ts'

const STARVED_MS = 60_000

await runProcess(async (lifecycle) => {
  const { context, secrets } = await openRole('worker', lifecycle)
  const metricsUrl = await openMetrics(context)
  const resources = openResources(context, 'worker', secrets)
  lifecycle.proceed()
  const starved = watchStarvedPool({
    db: resources.db,
    limitMs: STARVED_MS,
    askFresh: () => askFresh(context.url),
    onStarved: () =>
      lifecycle.fail(
        'the database answers, but no connection of the pool has come back for a minute',
      ),
  })
  lifecycle.onStop('watch of the pool', () => starved.stop())
  const intents = await openProcessIntents(context, resources, allGates(resources))
  const accounts = await openMarketAccounts(context, resources, secrets)
  const composed = createJobs({ ...resources, secrets, intents, accounts })
  await runJobs(context, resources, { ...composed, accounts })
  watchReadiness(context, resources)
  logDisabled(context)
  context.log.info({ metricsUrl, jobs: composed.names.length }, 'ready')
  return context.log
})

async function askFresh(url: string): Promise<void> {
  const db = openDb({ url, poolSize: 1, applicationName: 'tradepost probe' })
  try {
    await db.query(sql('', 'select 1'))
  } finally {
    await db.close()
  }
}
