// `npm run cluster`: three api and two worker processes on one PostgreSQL and one Valkey, behind a
// balancer on PORT (3000), and the sandbox. It shows several processes at work; everything that it
// makes is gone when it ends.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../apps/server/embedded-postgres/postgres.ts'
import { openDb } from '../apps/server/src/infra/database/db.ts'
import { migrate } from '../apps/server/src/infra/database/migrations.ts'
import { noValkey } from '../apps/server/src/infra/testing/valkey-server.ts'
import { CLUSTER_FOLDER } from '../apps/server/src/main/find-database.ts'
import { startCluster } from '../tests/support/cluster.ts'
import { newSecretsKey } from '../tests/support/server.ts'
import { readOptions } from './options.ts'

readOptions({
  name: 'npm run cluster',
  about: 'Three api and two worker processes with all they need, behind a balancer on PORT (3000).',
  options: {},
})
if (noValkey) {
  console.error(`The cluster cannot start: ${noValkey}.`)
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), CLUSTER_FOLDER))
const cleanups: (() => Promise<unknown>)[] = [
  async () => rmSync(folder, { recursive: true, force: true }),
]
let shutdownSince = Number.POSITIVE_INFINITY
/** npm forwards a signal that the terminal has sent already, so one Ctrl-C may arrive twice. */
const ONE_REQUEST_MS = 1000
const end = async (code: number): Promise<never> => {
  for (let step = cleanups.pop(); step; step = cleanups.pop()) await step()
  process.exit(code)
}
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // A second Ctrl-C does not wait; children are killed when this process ends.
    if (performance.now() - shutdownSince > ONE_REQUEST_MS) process.exit(1)
    if (shutdownSince < Number.POSITIVE_INFINITY) return
    shutdownSince = performance.now()
    console.log('stopping')
    void end(0)
  })
}

try {
  console.log('starting PostgreSQL, Valkey, the sandbox, three api and two worker processes')
  const postgres = await startPostgres({ folder: join(folder, 'postgres') })
  cleanups.push(() => postgres.stop())
  await migrate(postgres.url)
  const db = openDb({ url: postgres.url, poolSize: 2, applicationName: 'tradepost cluster' })
  cleanups.push(() => db.close())
  // Where `npm run ops` finds it together with the database.
  const secretsKey = newSecretsKey()
  writeFileSync(join(folder, 'secrets.key'), `${secretsKey}\n`, { mode: 0o600 })
  const cluster = await startCluster({
    secretsKey,
    database: { url: postgres.url, db },
    port: Number(process.env.PORT ?? 3000),
    // Its sandbox runs no chains, so nothing looks for their nodes.
    settings: { RATE_LIMIT_SCALE: process.env.RATE_LIMIT_SCALE ?? '1', SANDBOX_CHAINS: 'off' },
    dataset: { SANDBOX_LISTINGS: process.env.SANDBOX_LISTINGS ?? '20000', HOLD_SECONDS: '20' },
  })
  cleanups.push(() => cluster.close())
  const rows = [
    ['balancer', cluster.baseUrl],
    ...cluster.apis.map(({ pid, baseUrl, metricsUrl }) => [
      `api ${pid}`,
      `${baseUrl}  ${metricsUrl}/metrics`,
    ]),
    ...cluster.workers.map(({ pid, metricsUrl }) => [`worker ${pid}`, `${metricsUrl}/metrics`]),
    ['sandbox', cluster.sandbox.url],
    ['valkey', cluster.valkey.url],
    ['api-key', cluster.demo.merchant.apiKey],
  ]
  for (const [name = '', address] of rows) console.log(`  ${name.padEnd(14)} ${address}`)
  console.log('\nTry it, again and again; then kill one of the processes:')
  console.log(
    `  curl -s -H 'api-key: ${cluster.demo.merchant.apiKey}' ${cluster.baseUrl}/merchant/limits`,
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  await end(1)
}
