// `npm run drill:migrations`: the migrations since the first release, on an installation full of trades in
// which a merchant goes on buying, and then the first run of the job that divides tables by the day and
// month. It is killed while it writes the keys of events and while it reads a table, and goes on. The longest
// wait is measured, the books are audited before and after. Everything that it makes is gone when it ends.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { type Db, openDb } from '../../apps/server/src/infra/database/db.ts'
import type { Violation } from '../../apps/server/src/infra/database/id-slices.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import {
  keepPartitions,
  type PartitionedTable,
} from '../../apps/server/src/infra/database/partitions.ts'
import { readMigrations } from '../../apps/server/src/infra/database/schema-history.ts'
import { EVENTS_BY_MONTH, fillKeys } from '../../apps/server/src/modules/events/outbox/index.ts'
import {
  ATTEMPTS_BY_DAY,
  beginMonth,
  DELIVERIES_BY_MONTH,
} from '../../apps/server/src/modules/events/webhooks/index.ts'
import { CALLS_BY_DAY } from '../../apps/server/src/modules/trading/reconciliation/index.ts'
import { ROOT } from '../../tests/support/child.ts'
import { createSay, createShutdown } from '../../tests/support/long-run.ts'
import { readOptions } from '../options.ts'
import { divideBooks } from './books-by-month.ts'
import { fillInstallation } from './full-installation.ts'
import { LAST_OF_THE_FIRST_RELEASE } from './rules.ts'
import { repeated, startTrader, type Trader } from './trader.ts'

const { values } = readOptions({
  name: 'npm run drill:migrations',
  about:
    'Applies the migrations since the first release to a full installation, and measures who waits.',
  options: {
    trades: {
      kind: 'whole',
      byDefault: 1_000_000,
      from: 1000,
      to: 50_000_000,
      about: 'with their postings, events, deliveries, attempts and calls',
    },
    books: { kind: 'flag', about: 'then also divides copies of ledger and trades by the month' },
  },
})

const MOST_WAITED_MS = 2000
const PROBE_EVERY_MS = 5
const WORKER = 'large-worker'
const KILL = 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1'

/** What workers do with items, orders and logs, again and again, with the longest time that each took. */
const PROBES = [
  `update buying.item set due_at = now() where id = (select id from buying.item order by id limit 1)`,
  `select i.id, o.state from buying.item i join buying.supplier_order o on o.item_id = i.id
   join trades.item t on t.id = i.id order by i.id desc limit 1`,
  `insert into webhooks.attempt (delivery_id, number, manual, started_at, duration_ms, request_headers, request_body)
   values (gen_random_uuid(), 1, false, now(), 12, '{}', 'probe')`,
  `insert into reconciliation.supplier_call (market, custom_id, operation, started_at, duration_ms, outcome, answer)
   values ('market_a', gen_random_uuid()::text, 'place', now(), 12, 'accepted', '{}')`,
  `select outbox.add('trade.initiated', 'trade', uuidv7(), uuidv7(), uuidv7(), '{}', uuidv7(), now())`,
  `select outbox.has_event('trade.initiated', (select id from trades.trade order by id limit 1))`,
]

interface Step {
  readonly name: string
  readonly work: (db: Db) => Promise<unknown>
  /** A condition on the statement of one of its sessions. */
  readonly killWhen: string
}

const { signal } = new AbortController()
const keep = (parted: PartitionedTable): Step => ({
  name: `keep-partitions of ${parted.table}`,
  work: async (db) => {
    const at = new Date()
    const partitions = await keepPartitions(db, parted, { at, keptDays: 400, signal })
    if (parted === DELIVERIES_BY_MONTH) await beginMonth(db, { partitions, at })
  },
  killWhen: "query like '%validate constraint%'",
})

/** What the job does at its first run. */
const STEPS: readonly Step[] = [
  {
    name: 'keys of events',
    work: (db) => fillKeys(db, { signal }),
    killWhen: "query like '%outbox.event_key%' and (select after_id > 0 from outbox.unkeyed)",
  },
  ...[ATTEMPTS_BY_DAY, CALLS_BY_DAY, EVENTS_BY_MONTH, DELIVERIES_BY_MONTH].map(keep),
]

const say = createSay()
const shutdown = createShutdown({ mostMinutes: 180 })
const folder = mkdtempSync(join(tmpdir(), 'tradepost-large-'))
shutdown.steps.push(() => rmSync(folder, { recursive: true, force: true }))
try {
  const postgres = await startPostgres({ folder: join(folder, 'postgres') })
  shutdown.steps.push(() => postgres.stop())
  const { url } = postgres
  const all = readMigrations()
  const first = all.filter(({ name }) => name <= LAST_OF_THE_FIRST_RELEASE)
  await migrate(url, { migrations: first })
  await fillInstallation(url, { trades: values.trades, say })
  await auditBefore(url)
  const trader = await startTrader(url)
  const slow: string[] = []
  const run = async (name: string, step: () => Promise<unknown>): Promise<void> => {
    if ((await timed({ name, url, trader }, step)) >= MOST_WAITED_MS) slow.push(name)
  }
  for (let count = first.length + 1; count <= all.length; count++) {
    const migrations = all.slice(0, count)
    await run(migrations.at(-1)?.name ?? '', () => migrate(url, { migrations }))
  }
  for (const { name, work, killWhen } of STEPS) {
    await run(`${name}, killed`, () => killed(url, { work, killWhen }))
    await run(`${name}, to the end`, () => asWorker(url, work))
  }
  await trader.untilTraded(20)
  say(await trader.stop())
  await assertKeyed(url)
  await auditAfter(url)
  if (values.books) await divideBooks(url, { trades: values.trades, say })
  say(slow.length === 0 ? `nothing waited ${MOST_WAITED_MS} ms` : `too slow: ${slow.join(', ')}`)
  await shutdown.end(slow.length === 0 ? 0 : 1)
} catch (error) {
  await shutdown.fail(error)
}

/** The longest wait beside it, in milliseconds. */
async function timed(
  { name, url, trader }: { readonly name: string; readonly url: string; readonly trader: Trader },
  step: () => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now()
  trader.longestMs()
  const probedMs = await whileProbing(url, step)
  const tookMs = performance.now() - startedAt
  const waitedMs = Math.max(probedMs, trader.longestMs())
  say(`${name}: ${tookMs.toFixed(0)} ms, and no one waited longer than ${waitedMs.toFixed(0)} ms`)
  return waitedMs
}

/** As far as the schema of the first release knows the books. */
async function auditBefore(url: string): Promise<void> {
  const client = await connect(url)
  try {
    const { rows } = await client.query<Violation>(
      `select invariant, detail from ledger.audit() union all select invariant, detail from trades.audit()
       union all select invariant, detail from buying.audit()`,
    )
    const broken = rows.map(({ invariant, detail }) => `${invariant} (${detail})`)
    if (broken.length > 0) throw new Error(`the books are broken before: ${broken.join('; ')}`)
    say('before: the books are right')
  } finally {
    await client.end()
  }
}

/** `npm run audit:books`. Throws what it says when a promise is broken. */
async function auditAfter(url: string): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, ['tools/audit.ts', url], {
    cwd: ROOT,
  })
  say(`after: ${stdout.trim()}`)
}

/** As by a worker, on connections of its own. */
async function asWorker(url: string, work: Step['work']): Promise<void> {
  const db = openDb({ url, poolSize: 2, applicationName: WORKER })
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

/** As by a worker that is killed: all its connections end while a statement of its is under way. */
async function killed(
  url: string,
  { work, killWhen }: Pick<Step, 'work' | 'killWhen'>,
): Promise<void> {
  const working = asWorker(url, work).then(
    () => 'ended',
    () => 'killed',
  )
  const client = await connect(url)
  try {
    let kill = `${KILL} and state = 'active' and ${killWhen}`
    for (;;) {
      const { rowCount } = await client.query(kill, [WORKER])
      if (rowCount) kill = KILL
      const how = await Promise.race([working, sleep(PROBE_EVERY_MS)])
      if (how === undefined) continue
      if (how === 'ended') say('it had ended before it was killed')
      return
    }
  } finally {
    await client.end()
  }
}

/** Every event has its key, and every key its event. */
async function assertKeyed(url: string): Promise<void> {
  const client = await connect(url)
  try {
    const { rows } = await client.query<{ unkeyed: number; keys: number }>(
      `select count(*) filter (where k.public_id is null)::int unkeyed, count(k.public_id)::int keys
       from outbox.event e left join outbox.event_key k
         on k.public_id = e.public_id and e.dedupe_key = k.type || ':' || k.dedupe_id`,
    )
    const { unkeyed = 0, keys = 0 } = rows[0] ?? {}
    if (unkeyed !== 0) throw new Error(`${unkeyed} events are without their keys`)
    say(`${keys.toLocaleString('en')} events have their keys`)
  } finally {
    await client.end()
  }
}

/** The longest that one statement took meanwhile, in milliseconds. */
async function whileProbing(url: string, work: () => Promise<unknown>): Promise<number> {
  const stopping = new AbortController()
  const probing = PROBES.map(async (text) => {
    const client = await connect(url)
    let longest = 0
    try {
      // At least once: the migration may be over at once.
      do {
        const startedAt = performance.now()
        await repeated(client, text)
        longest = Math.max(longest, performance.now() - startedAt)
        await sleep(PROBE_EVERY_MS)
      } while (!stopping.signal.aborted)
      return longest
    } finally {
      await client.end()
    }
  })
  const probed = Promise.all(probing)
  // What has stopped one is thrown once the work is over.
  probed.catch(() => {})
  try {
    await work()
  } finally {
    stopping.abort()
  }
  return Math.max(...(await probed))
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
