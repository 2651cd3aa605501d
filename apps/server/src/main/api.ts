// A process that answers requests: `npm run start:api`. Any number of them share one database.
import { readConfig } from './config.ts'
import { runProcess } from './lifecycle.ts'
import {
  findDatabaseUrl,
  findOutside,
  listenTo,
  newMetrics,
  openApi,
  openBase,
  openLog,
  openMetrics,
  refuseOldDatabase,
} from './processes.ts'
import { openSecretBox } from './sealing-key.ts'

await runProcess(async (lifecycle) => {
  const config = readConfig()
  const log = openLog(config, 'api')
  const url = findDatabaseUrl(config)
  const secrets = openSecretBox(config, { mayMake: false })
  await refuseOldDatabase(url)
  const room = {
    config,
    role: 'api',
    url,
    outside: findOutside(config),
    log,
    metrics: newMetrics(),
    lifecycle,
  } as const
  const api = await openApi(room, { ...openBase(room, 'api'), secrets }, [])
  lifecycle.proceed()
  const metricsUrl = await openMetrics(room)
  const baseUrl = await listenTo(api, config)
  log.info({ baseUrl, metricsUrl }, 'ready')
  return log
})
