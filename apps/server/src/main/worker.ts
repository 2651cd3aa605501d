// A process that does the work of clock and queues: `npm run start:worker`. Any number of them share one
// database; what must run once is held by a lease.

import { createJobs } from './compose-jobs.ts'
import { findUpstreams, readConfig } from './config.ts'
import { findDatabase } from './find-database.ts'
import { runProcess } from './lifecycle.ts'
import {
  logDisabled,
  newMetrics,
  openLog,
  openMetrics,
  openResources,
  refuseOldDatabase,
  runJobs,
} from './processes.ts'
import { openSecretBox } from './sealing-key.ts'

await runProcess(async (lifecycle) => {
  const config = readConfig()
  const log = openLog(config, 'worker')
  const url = findDatabase(config)
  const secrets = openSecretBox(config, { mayMake: false })
  await refuseOldDatabase(url)
  const context = {
    config,
    role: 'worker',
    url,
    upstreams: findUpstreams(config),
    log,
    metrics: newMetrics(),
    lifecycle,
  } as const
  const metricsUrl = await openMetrics(context)
  const resources = openResources(context, 'worker', { secrets })
  lifecycle.proceed()
  const jobs = createJobs({ ...resources, secrets })
  await runJobs(context, resources, jobs)
  logDisabled(context)
  log.info({ metricsUrl, jobs: jobs.length }, 'ready')
  return log
})
