// `npm run drill:migrations`: the migrations since the first release, on large tables whose items are worked
// on meanwhile, and then the first run of the job that divides tables by the day and month; it is killed
// while it writes the keys of events, and goes on. The longest wait for a lock is measured. Everything that
// it makes is gone when it ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import {
  keepPartitions,
  type PartitionedTable,
} from '../../apps/server/src/infra/database/partitions.ts'
import { readMigrations } from '../../apps/server/src/infra/database/schema-history.ts'
import { EVENTS_BY_MONTH, fillKeys } from '../../apps/server/src/modules/events/outbox/index.ts'
import { ATTEMPTS_BY_DAY } from '../../apps/server/src/modules/events/webhooks/index.ts'
import { CALLS_BY_DAY } from '../../apps/server/src/modules/trading/reconciliation/index.ts'
import { createEnding, createSay } from '../../tests/support/long-run.ts'
import { readOptions } from '../options.ts'
import { LAST_OF_THE_FIRST_RELEASE } from './rules.ts'

const { values } = readOptions({
  name: 'npm run drill:migrations',
  about: 'Applies the migrations since the first release to large tables, and measures who waits.',
  options: {
    items: {
      kind: 'whole',
      byDefault: 2_000_000,
      from: 1,
      to: 50_000_000,
      about: 'in each table, and three times as many events',
    },
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
  `insert into outbox.event (type, subject_type, subject_id, tenant_id, account_id, dedupe_key, created_at,
     dispatched_at, position)
   select e.type, 'trade', id, id, id, e.type || ':' || id, at, at, nextval('outbox.event_position')
   from drawn, unnest(array['trade.initiated', 'trade.hold', 'trade.completed']) with ordinality e (type, nth)
   order by n, e.nth`,
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
  `select outbox.add('trade.initiated', 'trade', uuidv7(), uuidv7(), uuidv7(), '{}', uuidv7(), now())`,
  'select count(*) from outbox.dispatch(500, now())',
  `select outbox.has_event('trade.initiated', (select id from trades.trade order by id limit 1))`,
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
  const steps: readonly (readonly [name: string, step: () => Promise<unknown>])[] = [
    ['keys of events, killed', () => writeKeys(postgres.url, { killAfterMs: 3000 })],
    ['keys of events, to the end', () => writeKeys(postgres.url)],
    ...[ATTEMPTS_BY_DAY, CALLS_BY_DAY, EVENTS_BY_MONTH].map(
      (parted) => [`keep-partitions of ${parted.table}`, () => keep(postgres.url, parted)] as const,
    ),
  ]
  for (const [name, step] of steps) {
    if ((await timed(name, postgres.url, step)) >= MOST_WAITED_MS) slow.push(name)
  }
  await assertKeyed(postgres.url)
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

/** `killAfterMs`: its session is ended then, as by a worker that is killed. */
async function writeKeys(url: string, { killAfterMs = 0 } = {}): Promise<void> {
  const db = openDb({ url, poolSize: 1, applicationName: KEYS })
  try {
    const writing = fillKeys(db, { signal: new AbortController().signal })
    if (killAfterMs === 0) return void (await writing)
    const ended = writing.then(
      () => say('they were all written before it was killed'),
      () => {},
    )
    await sleep(killAfterMs)
    const client = await connect(url)
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      [KEYS],
    )
    await client.end()
    await ended
  } finally {
    await db.close()
  }
}

const KEYS = 'large-keys'

/** Every event has its key, and every key its event. */
async function assertKeyed(url: string): Promise<void> {
  const db = openDb({ url, poolSize: 1 })
  try {
    const [counted] = await db.query<{ without: number; keys: number }>(
      sql(
        'large.unkeyed',
        `select count(*) filter (where k.public_id is null)::int without, count(k.public_id)::int keys
         from outbox.event e left join outbox.event_key k
           on k.public_id = e.public_id and e.dedupe_key = k.type || ':' || k.dedupe_id`,
      ),
    )
    say(
      `${counted?.keys.toLocaleString('en')} events have their keys, ${counted?.without} have none`,
    )
    if (counted?.without !== 0) throw new Error('events are without their keys')
  } finally {
    await db.close()
  }
}

async function keep(url: string, parted: PartitionedTable): Promise<void> {
  const db = openDb({ url, poolSize: 1 })
  try {
    await keepPartitions(db, parted, {
      ...{ at: new Date(), keptDays: 400 },
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
