// A process that answers requests: `npm run start:api`. Any number of them share one database.
import { listenTo, openApi } from './api-process.ts'
import { findUpstreams, readConfig } from './config.ts'
import { findDatabase } from './find-database.ts'
import { runProcess } from './lifecycle.ts'
import { logDisabled, newMetrics, openLog, openMetrics, refuseOldDatabase } from './processes.ts'
import { openSecretBox } from './sealing-key.ts'

await runProcess(async (lifecycle) => {
  const config = readConfig()
  const log = openLog(config, 'api')
  const url = findDatabase(config)
  const secrets = openSecretBox(config, { mayMake: false })
  await refuseOldDatabase(url)
  const context = {
    config,
    role: 'api',
    url,
    upstreams: findUpstreams(config),
    log,
    metrics: newMetrics(),
    lifecycle,
  } as const
  const api = await openApi(context, secrets, [])
  lifecycle.proceed()
  const metricsUrl = await openMetrics(context)
  const baseUrl = await listenTo(api, config)
  logDisabled(context)
  log.info({ baseUrl, metricsUrl }, 'ready')
  return log
})
