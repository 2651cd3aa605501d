// Our delivery of webhooks: the jobs of a worker process that have to do with it, and nothing else.

import { createRenderEvents } from '../../apps/server/src/adapters/bridges/render-events.ts'
import { createWebhookSender } from '../../apps/server/src/adapters/webhook-sender/index.ts'
import { createDeliverWebhooks } from '../../apps/server/src/edges/jobs/deliver-webhooks.ts'
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
let db: Db | null = null
let running: RunningJobs | null = null

const methods = {
  open: async (at: {
    databaseUrl: string
    endpoints: readonly { readonly tenantId: string; readonly url: string }[]
  }): Promise<void> => {
    db = openDb({ url: at.databaseUrl, poolSize: 16, applicationName: 'bench deliver' })
    for (const endpoint of at.endpoints) {
      await setEndpoint({ db, clock, secrets, allowPrivate: true }, endpoint)
    }
  },
  start: async (): Promise<void> => {
    if (!db) throw new Error('not open')
    const jobs = createDeliverWebhooks({
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
    running = await startJobs(jobs, { db, clock, log, metrics, processId: `bench-${process.pid}` })
  },
  stop: async (): Promise<void> => {
    await running?.stop()
    running = null
  },
}
export type DeliverMethods = typeof methods

answerWith(methods)
