// `npm run drill:migrations`: the migrations since the first release, on large tables whose items are worked
// on meanwhile, and then the first run of the job that divides tables by the day. The longest wait for a lock
// is measured. Everything that it makes is gone when it ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import { type DailyTable, keepPartitions } from '../../apps/server/src/infra/database/partitions.ts'
import { readMigrations } from '../../apps/server/src/infra/database/schema-history.ts'
import { ATTEMPTS_BY_DAY } from '../../apps/server/src/modules/events/webhooks/index.ts'
import { CALLS_BY_DAY } from '../../apps/server/src/modules/trading/reconciliation/index.ts'
import { createEnding, createSay } from '../../tests/support/long-run.ts'
import { readOptions } from '../options.ts'
import { LAST_OF_THE_FIRST_RELEASE } from './rules.ts'

const { values } = readOptions({
  name: 'npm run drill:migrations',
  about: 'Applies the migrations since the first release to large tables, and measures who waits.',
  options: {
    items: { kind: 'whole', byDefault: 2_000_000, from: 1, to: 50_000_000, about: 'in each table' },
  },
})

const MOST_WAITED_MS = 2000
const CHUNK = 200_000
const PROBE_EVERY_MS = 5

/** Trades of one item, bought and completed. Foreign keys are not checked: what they lead to is not there. */
const FILL = [
  `create temp table drawn as
     select n, uuidv7() id, now() - make_interval(secs => $2 - n) as at
     from generate_series($1::bigint, $1 + ${CHUNK} - 1) n where n < $2`,
  `insert into trades.trade (id, type, tenant_id, account_id, platform_id, trade_url, external_id, request_hash,
     game, currency, status, item_count, total, created_at, updated_at)
   select id, 'buy', id, id, '76561198000000001', 'https://steamcommunity.com/tradeoffer/new/', 'large-' || n,
     '\\x00', 'cs2', 'USD', 'completed', 1, 1000, at, at from drawn`,
  `insert into trades.item (id, trade_id, position, catalog_item_id, description, house_fee, merchant_fee, price,
     hold_id, status, status_at, settled_at)
   select id, id, 1, 'item', '{"name": "AK-47 | Redline", "exterior": "Field-Tested"}', 10, 0, 1000, id, 'completed',
     at, at from drawn`,
  `insert into buying.item (id, trade_id, tenant_id, account_id, listing_id, market, raw_listing_id,
     sourcing_mills, work, due_at, created_at)
   select id, id, id, id, n, 'market_a', n::text, 9000, 'none', at, at from drawn`,
  `insert into buying.supplier_order (item_id, market, custom_id, state, sent_at, order_id, paid_mills)
   select id, 'market_a', id::text, 'placed', at, n::text, 9000 from drawn`,
  `insert into webhooks.attempt (delivery_id, number, manual, started_at, duration_ms, request_headers, request_body,
     response_status)
   select id, 1, false, at, 12, '{"webhook-id": "x"}', repeat('x', 300), 204 from drawn`,
  `insert into reconciliation.supplier_call (market, custom_id, operation, started_at, duration_ms, outcome, answer)
   select 'market_a', id::text, 'place', at, 12, 'accepted', '{"orderId": "1"}' from drawn`,
  'drop table drawn',
]

/** What workers do with items, orders and logs, again and again, with the longest time that each took. */
const PROBES = [
  `update buying.item set due_at = now() where id = (select id from buying.item order by id limit 1)`,
  `select i.id, o.state from buying.item i join buying.supplier_order o on o.item_id = i.id
   join trades.item t on t.id = i.id order by i.id desc limit 1`,
  `insert into webhooks.attempt (delivery_id, number, manual, started_at, duration_ms, request_headers, request_body)
   values (gen_random_uuid(), 1, false, now(), 12, '{}', 'probe')`,
  `insert into reconciliation.supplier_call (market, custom_id, operation, started_at, duration_ms, outcome, answer)
   values ('market_a', gen_random_uuid()::text, 'place', now(), 12, 'accepted', '{}')`,
]

const say = createSay()
const ending = createEnding({ mostMinutes: 60 })
const folder = mkdtempSync(join(tmpdir(), 'tradepost-large-'))
ending.steps.push(() => rmSync(folder, { recursive: true, force: true }))
try {
  const postgres = await startPostgres({ folder: join(folder, 'postgres') })
  ending.steps.push(() => postgres.stop())
  const all = readMigrations()
  const first = all.filter(({ name }) => name <= LAST_OF_THE_FIRST_RELEASE)
  await migrate(postgres.url, { migrations: first })
  await fill(postgres.url)
  const slow: string[] = []
  for (let count = first.length + 1; count <= all.length; count++) {
    const { name } = all[count - 1] ?? { name: '' }
    const step = () => migrate(postgres.url, { migrations: all.slice(0, count) })
    if ((await timed(name, postgres.url, step)) >= MOST_WAITED_MS) slow.push(name)
  }
  for (const daily of [ATTEMPTS_BY_DAY, CALLS_BY_DAY]) {
    const name = `keep-partitions of ${daily.table}`
    const step = () => keep(postgres.url, daily)
    if ((await timed(name, postgres.url, step)) >= MOST_WAITED_MS) slow.push(name)
  }
  say(slow.length === 0 ? `nothing waited ${MOST_WAITED_MS} ms` : `too slow: ${slow.join(', ')}`)
  await ending.end(slow.length === 0 ? 0 : 1)
} catch (error) {
  await ending.fail(error)
}

/** The longest wait beside it, in milliseconds. */
async function timed(name: string, url: string, step: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  const waitedMs = await whileProbing(url, step)
  const tookMs = performance.now() - startedAt
  say(`${name}: ${tookMs.toFixed(0)} ms, and no one waited longer than ${waitedMs.toFixed(0)} ms`)
  return waitedMs
}

async function keep(url: string, daily: DailyTable): Promise<void> {
  const db = openDb({ url, poolSize: 1 })
  try {
    await keepPartitions(db, daily, {
      ...{ at: new Date(), keptDays: 30 },
      signal: new AbortController().signal,
    })
  } finally {
    await db.close()
  }
}

async function fill(url: string): Promise<void> {
  const client = await connect(url)
  try {
    await client.query('set session_replication_role = replica; set synchronous_commit = off')
    for (let from = 0; from < values.items; from += CHUNK) {
      const [draw = '', ...writes] = FILL
      await client.query(draw, [from, values.items])
      for (const text of writes) await client.query(text)
      say(`${Math.min(from + CHUNK, values.items).toLocaleString('en')} items are written`)
    }
    await client.query('vacuum analyze')
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
        await client.query(text)
        longest = Math.max(longest, performance.now() - startedAt)
        await sleep(PROBE_EVERY_MS)
      } while (!stopping.signal.aborted)
      return longest
    } finally {
      await client.end()
    }
  })
  try {
    await work()
  } finally {
    stopping.abort()
  }
  return Math.max(...(await Promise.all(probing)))
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
