// A process that answers requests: `npm run start:api`. Any number of them share one database.
import { listenTo, openApi } from './api-process.ts'
import { runProcess } from './lifecycle.ts'
import { logDisabled, openMetrics, openRole } from './processes.ts'

await runProcess(async (lifecycle) => {
  const { context, secrets } = await openRole('api', lifecycle)
  const { config, log } = context
  const api = await openApi(context, secrets)
  lifecycle.proceed()
  const metricsUrl = await openMetrics(context)
  const baseUrl = await listenTo(api, config)
  logDisabled(context)
  log.info({ baseUrl, metricsUrl }, 'ready')
  return log
})
