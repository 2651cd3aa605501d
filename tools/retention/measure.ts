// `npm run measure:growth`: trades of one item run to their end in an installation of its own, with webhooks
// and without a backlog, and what they leave in each table is counted. Writes measured.json.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { type Db, openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import { listTableSizes } from '../../apps/server/src/infra/database/table-sizes.ts'
import { createEnding, createSay } from '../../tests/support/long-run.ts'
import { startStack } from '../../tests/support/stack.ts'
import { buyNext, stock } from '../../tests/support/trading.ts'
import { until } from '../../tests/support/until.ts'
import { readOptions } from '../options.ts'
import { TABLES } from './tables.ts'

const { values } = readOptions({
  name: 'npm run measure:growth',
  about: 'Measures what a trade leaves in each table, for docs/retention.md.',
  options: { trades: { kind: 'whole', byDefault: 500, from: 100, to: 1000, about: 'of one item' } },
})

const BUYERS = 8
/** What grows with the time and not with trades is left out. */
const LEAST_ROWS = 0.1

const OPEN = sql(
  'growth.open',
  `select from trades.trade where status in ('initiated', 'pending', 'active', 'hold')
   union all select from outbox.event where dispatched_at is null
   union all select from webhooks.delivery where status in ('pending', 'retrying')
   limit 1`,
)
const VERSION = sql('growth.version', `select current_setting('server_version') version`)

const say = createSay()
const ending = createEnding({ mostMinutes: 30 })
const folder = mkdtempSync(join(tmpdir(), 'tradepost-growth-'))
ending.steps.push(() => rmSync(folder, { recursive: true, force: true }))
try {
  const postgres = await startPostgres({ folder: join(folder, 'postgres') })
  ending.steps.push(() => postgres.stop())
  await migrate(postgres.url)
  const db = openDb({ url: postgres.url, poolSize: 2 })
  const stack = await startStack({ db, url: postgres.url, close: () => db.close() })
  ending.steps.push(() => stack.close())
  const supplies = await Promise.all(
    (['market_a', 'market_b'] as const).map(async (market) => ({
      market,
      supply: await stock(stack.control, market),
    })),
  )
  const before = await count(db)
  let left = values.trades
  const buy = async (buyer: number): Promise<void> => {
    const from = supplies[buyer % supplies.length]
    while (from !== undefined && left-- > 0) await buyNext(stack.merchant, from)
  }
  await Promise.all(Array.from({ length: BUYERS }, (_, buyer) => buy(buyer)))
  say(`${values.trades} trades are bought`)
  await until('all have ended and are reported', async () => (await db.query(OPEN)).length === 0, {
    ...{ everyMs: 1000, deadlineMs: 900_000 },
  })
  const after = await count(db)
  const tables = Object.fromEntries(
    Object.entries(after).flatMap(([name, { rows, bytes }]) => {
      const grown = rows - (before[name]?.rows ?? 0)
      if (grown < LEAST_ROWS * values.trades) return []
      return [[name, { rows: grown, bytes: bytes - (before[name]?.bytes ?? 0) }]]
    }),
  )
  const [server] = await db.query<{ version: string }>(VERSION)
  const run = `PostgreSQL ${server?.version}, sandbox, one endpoint that answers, no backlog`
  writeFileSync(
    join(import.meta.dirname, 'measured.json'),
    `${JSON.stringify({ run, trades: values.trades, tables }, null, 2)}\n`,
  )
  await ending.end(0)
} catch (error) {
  await ending.fail(error)
}

async function count(db: Db): Promise<Record<string, { rows: number; bytes: number }>> {
  const found: Record<string, { rows: number; bytes: number }> = {}
  for (const { table, bytes } of await listTableSizes(db)) {
    if (!(table in TABLES)) throw new Error(`${table} has no line in tables.ts`)
    const rows = sql(`count ${table}`, `select count(*)::int rows from ${table}`)
    const [counted] = await db.query<{ rows: number }>(rows)
    found[table] = { rows: counted?.rows ?? 0, bytes: Number(bytes) }
  }
  return found
}
