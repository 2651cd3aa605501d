// Connections that swallow what is sent, databases that take no writes, pools that give nothing out: callers
// get an error in its time, and the process goes on without a restart.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { openWire, type Wire } from '../testing/wire.ts'
import { type Db, isConnectionLoss, openDb, sql } from './db.ts'
import { createListener } from './listener.ts'
import { watchStarvedPool } from './starved-pool.ts'

const database = await testDatabase()
after(() => database.close())

const PID = sql('', 'select pg_backend_pid() pid')
const NOTIFY = sql('', 'select pg_notify($1, $2)')
const CONNECTIONS = 4

async function givenWire(): Promise<Wire> {
  const wire = await openWire(database.url)
  after(() => wire.close())
  return wire
}

/** A pool of which every connection has answered and is idle. */
async function givenPool(url: string, onConnectionError: (error: Error) => void): Promise<Db> {
  const db = openDb({ url, poolSize: CONNECTIONS, statementTimeoutMs: 1000, onConnectionError })
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  let open = 0
  const all = Array.from({ length: CONNECTIONS }, () =>
    db.transaction(async (tx) => {
      await tx.query(PID)
      if (++open === CONNECTIONS) end()
      await mayEnd
    }),
  )
  await Promise.all(all)
  return db
}

test('what was asked of a silent connection fails as lost, and the connections beside it are not tried', async () => {
  const wire = await givenWire()
  const dropped: Error[] = []
  const db = await givenPool(wire.url, (error) => dropped.push(error))
  assert.equal(db.stats().idle, CONNECTIONS)
  wire.silence()
  await assert.rejects(db.query(PID), isConnectionLoss)
  const before = wire.attempts()
  await Promise.all(Array.from({ length: CONNECTIONS }, () => db.query(PID)))
  assert.equal(wire.attempts() - before, CONNECTIONS, 'each over a new connection')
  assert.equal(dropped.length, CONNECTIONS - 1)
  await db.close()
})

test('a transaction whose connection goes silent fails as lost', async () => {
  const wire = await givenWire()
  const db = openDb({ url: wire.url, poolSize: 1, statementTimeoutMs: 1000 })
  const lost = db.transaction(async (tx) => {
    await tx.query(PID)
    wire.silence()
    await tx.query(PID)
  })
  await assert.rejects(lost, isConnectionLoss)
  assert.equal((await db.query(PID)).length, 1)
  await db.close()
})

test('statements one after the other on one connection have the limit each', async () => {
  const db = openDb({ url: database.url, poolSize: 1, statementTimeoutMs: 1500 })
  const slow = sql('', 'select pg_sleep(1.2)')
  await db.transaction(async (tx) => {
    await Promise.all([tx.query(slow), tx.query(slow), tx.query(slow), tx.query(slow)])
  })
  await db.close()
})

test('a transaction may be given more time than others, by database and connection alike', async () => {
  const db = openDb({ url: database.url, poolSize: 1, statementTimeoutMs: 100 })
  const slow = sql('', 'select pg_sleep(2.5)')
  await db.transaction((tx) => tx.query(slow), { statementTimeoutMs: 10_000 })
  await assert.rejects(
    db.transaction((tx) => tx.query(slow)),
    /statement timeout/,
    'the next has the limit of the pool again',
  )
  await db.close()
})

test('a listener whose connection goes silent finds out, comes back and says that notices may be missing', async () => {
  const wire = await givenWire()
  let reconnects = 0
  const notices: string[] = []
  const listener = createListener(
    { connectionString: wire.url, silenceMs: 1000 },
    { onError: () => {}, onReconnect: () => reconnects++, probeMs: 50, silenceMs: 500 },
  )
  await listener.listen('channel', (payload) => notices.push(payload))
  wire.silence()
  await until('it is back', () => notices.length > 0)
  assert.deepEqual({ notices, reconnects }, { notices: [''], reconnects: 1 })
  await database.db.query(NOTIFY, ['channel', 'payload'])
  await until('the notification', () => notices.includes('payload'))
  await listener.close()
})

test('a database that takes no writes is left, and found again when it takes them', async () => {
  const name = new URL(database.url).pathname.slice(1)
  const write = sql('', 'create table written (at int)')
  const db = openDb({ url: database.url, poolSize: 1 })
  await db.query(PID)
  await database.db.script(`alter database ${name} set default_transaction_read_only = on`)
  // An open connection keeps the settings that it began with; PostgreSQL reports when one of them changes.
  await db.query(sql('', 'set default_transaction_read_only = on'))
  await assert.rejects(db.query(write), isConnectionLoss)
  await assert.rejects(
    db.listen('channel', () => {}),
    isConnectionLoss,
  )
  await database.db.script(`alter database ${name} reset default_transaction_read_only`)
  await db.query(write)
  await db.close()
})

test('a write that a transaction refuses as read only costs its connection, and is a loss', async () => {
  const db = openDb({ url: database.url, poolSize: 1 })
  const pid = async () => (await db.query<{ pid: number }>(PID))[0]?.pid
  const first = await pid()
  const refused = db.transaction(async (tx) => {
    await tx.query(sql('', 'set local transaction_read_only = on'))
    await tx.query(sql('', 'create table refused (at int)'))
  })
  await assert.rejects(refused, isConnectionLoss)
  assert.notEqual(await pid(), first)
  await db.close()
})

test('a pool that gives nothing out while the database answers is found, and one whose database is away is not', async () => {
  const db = openDb({ url: database.url, poolSize: 1 })
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const stuck = db.transaction(() => mayEnd)
  const waiting = db.query(PID)
  let isAway = true
  let asked = 0
  const watch = (onStarved: () => void) =>
    watchStarvedPool({
      db,
      limitMs: 100,
      askFresh: async () => {
        asked++
        if (isAway) throw new Error('the database is away')
        await database.db.query(PID)
      },
      onStarved,
    })
  let starved = 0
  const watching = watch(() => starved++)
  await until('the database was asked', () => asked >= 2)
  assert.equal(starved, 0)
  isAway = false
  await until('it is found', () => starved > 0)
  assert.equal(starved, 1)
  watching.stop()
  end()
  await Promise.all([stuck, waiting])
  await db.close()
})
