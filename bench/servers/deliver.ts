// Our delivery of webhooks: the jobs of a worker process that have to do with it, changes of the status among
// them, and nothing else.

import { createRenderEvents } from '../../apps/server/src/adapters/bridges/render-events.ts'
import { createWebhookSender } from '../../apps/server/src/adapters/webhook-sender/index.ts'
import { createDeliverWebhooks } from '../../apps/server/src/edges/jobs/deliver-webhooks.ts'
import { createAnnounceStatus } from '../../apps/server/src/edges/jobs/judge-status.ts'
import { type Db, openDb } from '../../apps/server/src/infra/database/db.ts'
import { type RunningJobs, startJobs } from '../../apps/server/src/infra/jobs/jobs.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import {
  isAllowedAddress,
  setEndpoint,
} from '../../apps/server/src/modules/events/webhooks/index.ts'
import { dialects } from '../../apps/server/src/wire/webhook.ts'
import { answerWith } from '../ipc.ts'

const clock = systemClock
const log = createLog({ level: 'warn' })
const metrics = createMetrics()
const secrets = createSecretBox([Buffer.alloc(32, 7)])
const attempts = metrics.histogram('webhook_attempt_seconds', 'Time of one webhook attempt', {
  labels: ['outcome'],
})
const POOL_SIZE = 16
let db: Db | null = null
let running: RunningJobs | null = null

const methods = {
  open: async (at: {
    databaseUrl: string
    endpoints: readonly { readonly tenantId: string; readonly url: string }[]
  }): Promise<void> => {
    db = openDb({ url: at.databaseUrl, poolSize: POOL_SIZE, applicationName: 'bench deliver' })
    const deps = { db, clock, secrets, allowPrivate: true }
    for (let i = 0; i < at.endpoints.length; i += POOL_SIZE) {
      await Promise.all(at.endpoints.slice(i, i + POOL_SIZE).map((one) => setEndpoint(deps, one)))
    }
  },
  start: async (): Promise<void> => {
    if (!db) throw new Error('not open')
    const webhooks = createDeliverWebhooks({
      db,
      clock,
      sender: createWebhookSender({
        isAllowedAddress: (address) => isAllowedAddress(address, { allowPrivate: true }),
      }),
      secrets,
      dialects,
      render: createRenderEvents({ db, log, metrics }),
      chance: Math.random,
      onAttempt: (_delivery, _endpoint, { kind }, durationMs) =>
        attempts.labels(kind).observe(durationMs / 1000),
    })
    const jobs = [...webhooks, createAnnounceStatus({ db, clock })]
    running = await startJobs(jobs, { db, clock, log, metrics, processId: `bench-${process.pid}` })
  },
  stop: async (): Promise<void> => {
    await running?.stop()
    running = null
  },
}
export type DeliverMethods = typeof methods

answerWith(methods)
