// Events by month against one table of them, and the keys that outlive them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { keepPartitions, listPartitions, SPANS } from '#infra/database/partitions'
import { newId } from '#kernel/id'
import { sql } from '../../../infra/database/db.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { EVENTS_BY_MONTH, fillKeys, findEvent, listEvents, listEventsByKey } from './index.ts'

const DAY_MS = 24 * 3_600_000
/** Goes on from test to test, ahead of the clock of the database: events from before the keys are older. */
let now = new Date('2100-03-01T12:00:00Z')
const { signal } = new AbortController()

let database: TestDatabase
before(async () => {
  database = await testDatabase()
  await database.db.script(BY_OUR_CLOCK)
})
after(() => database.close())

const keep = (keptDays: number) =>
  keepPartitions(database.db, EVENTS_BY_MONTH, { at: now, keptDays, signal })
const advance = (days: number): void => {
  now = new Date(now.getTime() + Math.round(days * DAY_MS))
}

interface Given {
  readonly tenantId: string
  readonly dedupeId: string
}

/** The public id of an event says when it was written: here by the clock of the test. */
const BY_OUR_CLOCK = `do $$ begin
  execute replace(pg_get_functiondef('outbox.add'::regproc), 'uuidv7()', $to$current_setting('test.id')::uuid$to$);
end $$`

/** False: it was written before. */
async function written({ tenantId, dedupeId }: Given): Promise<boolean> {
  try {
    await database.db.query(ADD, [tenantId, dedupeId, now, newId(now.getTime())])
    return true
  } catch (error) {
    assert.match(String(error), /event_once|event_first_once/)
    return false
  }
}
const ADD = sql(
  'test.add',
  `select set_config('test.id', $4, true),
     outbox.add('x', 'trade', $1::uuid, $1::uuid, $1::uuid, '{}', $2, $3)`,
)

const dispatch = () => database.db.query(DISPATCH)
const DISPATCH = sql('test.dispatch', 'select count(*) from outbox.dispatch(1000, now())')

const hasEvent = async (dedupeId: string): Promise<boolean> =>
  (await database.db.query<{ has: boolean }>(HAS, [dedupeId]))[0]?.has ?? false
const HAS = sql('test.has', `select outbox.has_event('x', $1) has`)

const keysOf = async (keys: readonly string[]) =>
  (
    await listEventsByKey(
      database.db,
      keys.map((key) => `x:${key}`),
    )
  ).map(({ publicId }) => publicId)

/** As the release before has left them: events without keys. */
const fromBefore = async (tenantId: string, dedupeIds: readonly string[]): Promise<void> => {
  await database.db.query(FROM_BEFORE, [tenantId, dedupeIds])
  await database.db.script('insert into outbox.unkeyed (after_id) values (0)')
}
const FROM_BEFORE = sql(
  'test.from_before',
  `insert into outbox.event (type, subject_type, subject_id, tenant_id, account_id, dedupe_key, created_at)
   select 'x', 'trade', $1, $1, $1, 'x:' || key, now() from unnest($2::uuid[]) key`,
)

describe('of events from before the keys, whose partition is not closed', () => {
  const tenantId = newId()
  const some = () => Array.from({ length: 5 }, () => newId())
  const known = async (keys: readonly string[]) => ({
    has: await Promise.all(keys.map(hasEvent)),
    read: (await keysOf(keys)).length,
    again: await Promise.all(keys.map((dedupeId) => written({ tenantId, dedupeId }))),
  })
  const all = { has: some().map(() => true), read: 5, again: some().map(() => false) }

  it('each is known and refused a second time before, between and after the writing of their keys', async () => {
    const keys = some()
    await fromBefore(tenantId, keys)
    assert.deepEqual(await known(keys), all)
    await database.db.query(sql('test.two', FILL_TWO))
    assert.deepEqual(await known(keys), all)
    assert.equal(await fillKeys(database.db, { signal, slice: 2 }), true)
    assert.deepEqual(await known(keys), all)
    assert.deepEqual(await database.db.query(sql('test.left', 'select from outbox.unkeyed')), [])
  })
  // A run that was killed in between.
  const FILL_TWO = `
    with two as (
      select id, public_id, right(dedupe_key, 36)::uuid dedupe_id from outbox.event order by id limit 2),
    keyed as (insert into outbox.event_key select dedupe_id, 'x', public_id from two)
    update outbox.unkeyed set after_id = (select max(id) from two)`

  it('a run that is cut off says so', async () => {
    const keys = some()
    await fromBefore(tenantId, keys)
    assert.equal(await fillKeys(database.db, { signal: AbortSignal.abort() }), false)
    assert.deepEqual(await known(keys), all)
    assert.equal(await fillKeys(database.db, { signal }), true)
  })

  it('one that is written meanwhile has its key already', async () => {
    const keys = some()
    await fromBefore(tenantId, keys)
    const dedupeId = newId()
    await written({ tenantId, dedupeId })
    assert.equal(await fillKeys(database.db, { signal }), true)
    assert.deepEqual([await hasEvent(dedupeId), (await keysOf([dedupeId])).length], [true, 1])
  })
})

it('reads, refuses and answers as one table does, but for whole months that are over', async () => {
  const step = fc.record({
    days: fc.double({ min: 0, max: 45, noNaN: true }),
    key: fc.nat({ max: 9 }),
    isDispatched: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const [tenantId, keys] = [newId(), Array.from({ length: 10 }, () => newId())]
      const all = new Map<string, Date>()
      const waiting = new Set<string>()
      const dispatched: string[] = []
      for (const { days, key, isDispatched } of steps) {
        advance(days)
        await keep(60)
        const dedupeId = keys[key] ?? ''
        assert.equal(await written({ tenantId, dedupeId }), !all.has(dedupeId))
        if (!all.has(dedupeId)) waiting.add(dedupeId)
        all.set(dedupeId, all.get(dedupeId) ?? now)
        if (!isDispatched) continue
        await dispatch()
        dispatched.push(...waiting)
        waiting.clear()
      }
      const since = new Date(now.getTime() - 60 * DAY_MS)
      const isYoung = (key: string): boolean => (all.get(key) ?? since) >= since
      for (const key of keys) assert.equal(await hasEvent(key), all.has(key))
      const query = { tenantId, direction: 'after', position: 0n, types: null, limit: 100 } as const
      const { events } = await listEvents(database.db, query)
      const young = dispatched.filter(isYoung)
      const read = await keysOf(young)
      assert.equal(read.length, young.length)
      assert.deepEqual(events.map(({ id }) => id).slice(events.length - young.length), read)
      assert.equal((await keysOf([...waiting])).length, waiting.size, 'what waits is kept')
      for (const [i, event] of events.entries()) {
        assert.deepEqual(await findEvent(database.db, { id: event.id, tenantId }), event)
        const { position, id } = event
        const rest = await listEvents(database.db, { ...query, position, id })
        assert.deepEqual(rest.events, events.slice(i + 1))
      }
    }),
    { numRuns: 8 },
  )
})

it('an event that waits to be dispatched keeps its month, and goes with it afterwards', async () => {
  const given = { tenantId: newId(), dedupeId: newId() }
  await keep(400)
  await written(given)
  advance(500)
  await keep(400)
  assert.equal((await keysOf([given.dedupeId])).length, 1)
  await dispatch()
  await keep(400)
  assert.deepEqual(await keysOf([given.dedupeId]), [])
  assert.equal(await hasEvent(given.dedupeId), true)
  assert.equal(await written(given), false, 'and it is not written again')
})

it('each month is one partition, and a reader that follows looks into those since its last event', async () => {
  const tenantId = newId()
  const months: string[] = []
  for (let i = 0; i < 3; i++) {
    advance(40)
    await keep(400)
    await written({ tenantId, dedupeId: newId() })
    await dispatch()
    months.push(`outbox.event_${SPANS.month.suffix(now)}`)
  }
  const names = (await listPartitions(database.db, EVENTS_BY_MONTH)).map(({ name }) => name)
  assert.deepEqual(
    months.filter((name) => !names.includes(name)),
    [],
  )
  const query = { tenantId, direction: 'after', position: 0n, types: null, limit: 10 } as const
  const [, second] = (await listEvents(database.db, query)).events
  assert.ok(second)
  await database.db.transaction(async (tx) => {
    const before = await tx.query<Reads>(READS)
    const { position, id } = second
    assert.equal((await listEvents(tx, { ...query, position, id })).events.length, 1)
    const read = (await tx.query<Reads>(READS)).filter(
      ({ name, count }) => count > (before.find((one) => one.name === name)?.count ?? 0),
    )
    assert.deepEqual(
      read.map(({ name }) => `outbox.${name}`),
      names.slice(names.indexOf(months[1] ?? '')),
    )
  })
})

interface Reads {
  readonly name: string
  readonly count: number
}
const READS = sql(
  'test.partitions_read',
  `select relname name, (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::int count
   from pg_stat_xact_all_tables where relname ~ '^event_' order by 1`,
)
