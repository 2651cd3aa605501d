// A process that does what clock and queues tell it: `npm run start:worker`. Any number of them share one
// database; what must run once is held by a lease.
import { readConfig } from './config.ts'
import { runProcess } from './lifecycle.ts'
import {
  findDatabaseUrl,
  findOutside,
  newMetrics,
  openBase,
  openLog,
  openMetrics,
  refuseOldDatabase,
  runJobs,
} from './processes.ts'
import { openSecretBox } from './sealing-key.ts'
import { createJobs } from './wire.ts'

await runProcess(async (lifecycle) => {
  const config = readConfig()
  const log = openLog(config, 'worker')
  const url = findDatabaseUrl(config)
  const secrets = openSecretBox(config, { mayMake: false })
  await refuseOldDatabase(url)
  const room = {
    config,
    role: 'worker',
    url,
    outside: findOutside(config),
    log,
    metrics: newMetrics(),
    lifecycle,
  } as const
  const metricsUrl = await openMetrics(room)
  const base = openBase(room, 'worker', secrets)
  lifecycle.proceed()
  const jobs = createJobs({ ...base, secrets })
  await runJobs(room, base, jobs)
  log.info({ metricsUrl, jobs: jobs.length }, 'ready')
  return log
})
