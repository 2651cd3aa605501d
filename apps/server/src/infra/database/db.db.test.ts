// The pool and the listener through lost connections: they recover, and other callers are not affected.
import assert from 'node:assert/strict'
import dns from 'node:dns'
import { after, test } from 'node:test'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { openWire, type Wire } from '../testing/wire.ts'
import { isConnectionLoss, openDb, sql, sqlState } from './db.ts'
import { withTenant } from './tenant-context.ts'

const database = await testDatabase()
after(() => database.close())

const PID = sql('', 'select pg_backend_pid() pid')
const END = sql('', 'select pg_terminate_backend($1)')
const ALIVE = sql('', 'select from pg_stat_activity where pid = $1')
const ASLEEP = sql(
  '',
  `select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
)

async function givenWire(): Promise<Wire> {
  const wire = await openWire(database.url)
  after(() => wire.close())
  return wire
}

test('a statement that is refused costs no connection, and one that breaks its connection costs that one', async () => {
  const db = openDb({ url: database.url, poolSize: 1 })
  try {
    const backend = sql('test.backend', 'select pg_backend_pid() pid')
    const pid = async () => (await db.query<{ pid: number }>(backend))[0]?.pid
    const first = await pid()
    for (const refused of [
      'select 1 / 0 broken',
      `select ''::uuid`,
      'select 1 from no_such_table',
    ]) {
      await assert.rejects(db.query(sql(`test.${refused.length}`, refused)))
    }
    assert.equal(await pid(), first)
    await assert.rejects(
      db.query(sql('test.terminate', 'select pg_terminate_backend(pg_backend_pid())')),
      isConnectionLoss,
    )
    assert.notEqual(await pid(), first)
  } finally {
    await db.close()
  }
})

test('a plan that no longer fits its table is not tried again', async () => {
  const db = openDb({ url: database.url, poolSize: 1 })
  const all = sql('test.all_columns', 'select * from test_columns')
  try {
    await db.script('create table test_columns (one int)')
    await db.query(all)
    await db.script('alter table test_columns add two int')
    await assert.rejects(db.query(all), /cached plan/)
    assert.deepEqual(await db.query(all), [])
  } finally {
    await db.script('drop table test_columns')
    await db.close()
  }
})

test('a function that waits for a migration, which adds a column to the rows it returns, runs once more', async () => {
  const [db, migrating] = [openDb({ url: database.url, poolSize: 1 }), database.db]
  const more = sql('test.widened', 'select one from test_widened()')
  const waits = sql(
    '',
    `select from pg_stat_activity
     where wait_event_type = 'Lock' and datname = current_database() and query like '%test_widened()%'`,
  )
  try {
    await migrating.script(`create table test_widened (one int);
      insert into test_widened values (1);
      create function test_widened() returns setof test_widened language plpgsql as $$
      begin
        return query update test_widened set one = one + 1 returning test_widened.*;
      end $$`)
    assert.deepEqual(await db.query(more), [{ one: 2 }])
    for (const [column, one] of [
      ['two', 3],
      ['three', 4],
    ] as const) {
      let waiting: Promise<unknown> = Promise.resolve()
      await migrating.transaction(async (tx) => {
        await tx.query(sql('', `alter table test_widened add ${column} int`))
        waiting = column === 'two' ? db.query(more) : db.transaction((at) => at.query(more))
        // Not in the transaction, which would see one moment of pg_stat_activity all the time.
        await until('it waits', async () => (await migrating.query(waits)).length === 1)
      })
      assert.deepEqual(await waiting, [{ one }])
    }
  } finally {
    await db.close()
  }
})

test('a row type that fits at no attempt fails a statement at the second, and a transaction at the fourth', async () => {
  const { db } = database
  const misfit = sql('test.misfit', 'select test_misfit()')
  // Numbers of a sequence are not rolled back: the last one is the number of attempts.
  const attempts = sql('test.attempts', 'select last_value count from test_attempts')
  await db.script(`create sequence test_attempts;
    create function test_misfit() returns void language plpgsql as $$
    begin
      perform nextval('test_attempts');
      raise exception 'misfit' using errcode = '42804';
    end $$`)
  await assert.rejects(db.query(misfit), /misfit/)
  assert.deepEqual(await db.query(attempts), [{ count: 2n }])
  await assert.rejects(
    db.transaction((tx) => tx.query(misfit)),
    /misfit/,
  )
  assert.deepEqual(await db.query(attempts), [{ count: 6n }])
})

test('a connection that is lost in the middle of a transaction fails that transaction alone', async () => {
  const { db } = database
  await assert.rejects(
    db.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>(PID)
      await db.query(END, [row?.pid])
      // Between two statements, while no query is waiting for an answer.
      await until('it is gone', async () => (await db.query(ALIVE, [row?.pid])).length === 0)
      await tx.query(PID)
    }),
    isConnectionLoss,
  )
  assert.equal((await db.query(PID)).length, 1)
})

test('the name of the server is resolved without dns.lookup, whose threads others may hold up', async (t) => {
  const database = await testDatabase()
  t.after(database.close)
  const byThreads = t.mock.method(dns, 'lookup')
  const url = new URL(database.url)
  url.hostname = 'localhost'
  const db = openDb({ url: url.href, poolSize: 1 })
  t.after(db.close)
  const stop = await db.listen('named', () => {})
  await stop()
  const [row] = await db.query<{ one: number }>(sql('', 'select 1 one'))
  assert.equal(row?.one, 1)
  assert.equal(byThreads.mock.callCount(), 0)
})

test('a snapshot reads one moment, and writes nothing', async () => {
  const { db } = database
  await db.script('create table seen (at int)')
  const count = sql('', 'select count(*)::int count from seen')
  const add = sql('', 'insert into seen values (1)')
  const counts = await db.snapshot(async (at) => {
    const before = await at.query<{ count: number }>(count)
    await db.query(add)
    return [...before, ...(await at.query<{ count: number }>(count))]
  })
  assert.deepEqual(counts, [{ count: 0 }, { count: 0 }])
  assert.deepEqual(await db.query(count), [{ count: 1 }])
  await assert.rejects(
    db.snapshot((at) => at.query(add)),
    (error) => sqlState(error) === '25006',
  )
  assert.deepEqual(await db.query(count), [{ count: 1 }], 'and the connection is as good as before')
})

/** A pool of eight, and transactions that hold its connections until they may end. */
function holdingPool() {
  const db = openDb({ url: database.url, poolSize: 8 })
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const begun = { a: 0, b: 0 }
  const hold = (tenant: keyof typeof begun): Promise<void> =>
    withTenant(tenant, () =>
      db.transaction(async () => {
        begun[tenant]++
        await mayEnd
      }),
    )
  return { db, begun, hold, end }
}

test('requests of a tenant that is alone hold half of the pool, and leave the other half to the rest', async () => {
  const { db, begun, hold, end } = holdingPool()
  const all = Promise.all(Array.from({ length: 9 }, () => hold('a')))
  await until('its share is held', () => begun.a === 4)
  const [other] = await withTenant('b', () => db.query(PID))
  const [shared] = await db.query(PID)
  assert.ok(other && shared)
  assert.equal(begun.a, 4)
  end()
  await all
  assert.equal(begun.a, 9)
  await db.close()
})

test('a statement whose connection is lost is rejected as a loss', async () => {
  const wire = await givenWire()
  const db = openDb({ url: wire.url, poolSize: 2 })
  const under = db.query(sql('', 'select pg_sleep(5)'))
  const lost = assert.rejects(under, isConnectionLoss)
  await until('it is under way', async () => (await database.db.query(ASLEEP)).length === 1)
  await wire.cut()
  await lost
  await db.close()
})

test('a listener comes back after an outage, once, and says that notices may be missing', async () => {
  const wire = await givenWire()
  const db = openDb({ url: wire.url, poolSize: 1 })
  const notices: string[] = []
  const stop = await db.listen('channel', (payload) => notices.push(payload))
  const cutAt = performance.now()
  await wire.cut()
  await wire.restore({ isDown: true })
  const attemptsBefore = wire.attempts()
  await until('four more tries', () => wire.attempts() >= attemptsBefore + 4)
  // Each failed try leads to one other. Were it two, four tries would take one pause and not three.
  assert.ok(performance.now() - cutAt > 1900)
  await wire.cut()
  await wire.restore()
  await until('it is back', () => notices.length > 0)
  assert.deepEqual(notices, [''])
  await database.db.query(sql('', `select pg_notify('channel', 'payload')`))
  await until('the notification', () => notices.includes('payload'))
  assert.deepEqual(notices, ['', 'payload'])
  await stop()
  await db.close()
})

test('listeners share one connection, and each goes without the others', async () => {
  const wire = await givenWire()
  const db = openDb({ url: wire.url, poolSize: 1 })
  const notices: string[] = []
  const hear = (who: string, channel: string) =>
    db.listen(channel, (payload) => notices.push(`${who} ${payload}`))
  const [first, second, other] = await Promise.all([
    hear('first', 'one'),
    hear('second', 'one'),
    hear('other', 'two'),
  ])
  assert.equal(wire.attempts(), 1)
  const notify = (channel: string, payload: string) =>
    database.db.query(sql('', 'select pg_notify($1, $2)'), [channel, payload])
  const hears = async (...lines: string[]): Promise<void> => {
    await until(lines.join(), () => notices.length >= lines.length)
    assert.deepEqual(notices.splice(0).sort(), lines)
  }
  await notify('one', 'a')
  await hears('first a', 'second a')
  await first()
  await notify('one', 'b')
  await notify('two', 'c')
  await hears('other c', 'second b')
  await second()
  await wire.cut()
  await wire.restore()
  await hears('other ')
  const third = await hear('third', 'one')
  await notify('one', 'd')
  await notify('two', 'e')
  await hears('other e', 'third d')
  assert.equal(wire.attempts(), 2)
  await Promise.all([third(), other()])
  await db.close()
})

test('a listener whose first connection fails rejects its caller and does not retry', async () => {
  const wire = await givenWire()
  await wire.cut()
  const db = openDb({ url: wire.url, poolSize: 1 })
  await assert.rejects(
    db.listen('channel', () => {}),
    isConnectionLoss,
  )
  await wire.restore()
  await new Promise((resolve) => setTimeout(resolve, 1200))
  assert.equal(wire.attempts(), 0)
  await db.close()
})

test('work that loses a deadlock is done again', async () => {
  const { db } = database
  await db.script('create table if not exists public.pair (id int primary key, n int)')
  await db.script('insert into public.pair values (1, 0), (2, 0)')
  const lock = sql('', 'update public.pair set n = n + 1 where id = $1')
  let first = 0
  const crossing = (a: number, b: number) =>
    db.transaction(async (tx) => {
      await tx.query(lock, [a])
      first++
      await until('it was tried again', () => first >= 2)
      await tx.query(lock, [b])
    })
  await Promise.all([crossing(1, 2), crossing(2, 1)])
  const rows = await db.query<{ n: number }>(sql('', 'select n from public.pair order by id'))
  assert.deepEqual(rows, [{ n: 2 }, { n: 2 }])
})
