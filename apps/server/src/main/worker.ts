// A process that does the work of clock and queues: `npm run start:worker`. Any number of them share one
// database; what must run once is held by a lease.

import { createJobs } from './compose-jobs.ts'
import { runProcess } from './lifecycle.ts'
import {
  logDisabled,
  openMetrics,
  openResources,
  openRole,
  runJobs,
  watchReadiness,
} from './processes.ts'

await runProcess(async (lifecycle) => {
  const { context, secrets } = await openRole('worker', lifecycle)
  const metricsUrl = await openMetrics(context)
  const resources = openResources(context, 'worker', { secrets })
  lifecycle.proceed()
  const jobs = createJobs({ ...resources, secrets })
  await runJobs(context, resources, jobs)
  watchReadiness(context, resources)
  logDisabled(context)
  context.log.info({ metricsUrl, jobs: jobs.length }, 'ready')
  return context.log
})
