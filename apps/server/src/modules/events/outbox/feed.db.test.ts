import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { newId } from '#kernel/id'
import { type Queryable, sql } from '../../../infra/database/db.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { type EventQuery, findEvent, listEvents, type Waiter, watchEvents } from './index.ts'

let test: TestDatabase
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

it('an event committed after a younger one is not skipped by a reader that follows', async () => {
  const { db } = test
  const tenantId = newId()
  await add(db, tenantId, 'before')
  await dispatch(db)
  const [first] = (await read({ tenantId })).events
  assert.ok(first)

  let commit = (): void => {}
  const committing = new Promise<void>((resolve) => {
    commit = resolve
  })
  let added = (): void => {}
  const isAdded = new Promise<void>((resolve) => {
    added = resolve
  })
  const slow = db.transaction(async (tx) => {
    await add(tx, tenantId, 'slow')
    added()
    await committing
  })
  await isAdded
  await add(db, tenantId, 'quick')
  await dispatch(db)
  const quick = await read({ tenantId, position: first.position })
  assert.deepEqual(typesOf(quick), ['quick'])
  commit()
  await slow
  await dispatch(db)
  const rest = await read({ tenantId, position: quick.last?.position ?? 0n })
  assert.deepEqual(typesOf(rest), ['slow'])
})

it('pages go both ways without gaps or repeats, and only over the tenant’s own events', async () => {
  const tenantId = newId()
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) {
    await add(test.db, tenantId, name)
    await add(test.db, newId(), 'of another tenant')
  }
  await dispatch(test.db)
  const seen: string[] = []
  for (let position = 0n, hasMore = true; hasMore; ) {
    const slice = await read({ tenantId, position, limit: 2 })
    seen.push(...typesOf(slice))
    ;({ hasMore } = slice)
    position = slice.last?.position ?? position
  }
  assert.deepEqual(seen, names)
  const back = await read({ tenantId, direction: 'before', position: 2n ** 62n, limit: 3 })
  assert.deepEqual([typesOf(back), back.hasMore], [['e', 'd', 'c'], true])
  const rest = await read({
    tenantId,
    direction: 'before',
    position: back.last?.position ?? 0n,
    limit: 3,
  })
  assert.deepEqual([typesOf(rest), rest.hasMore], [['b', 'a'], false])
})

it('a search for a rare type scans a bounded number of events and says how far it came', async () => {
  const tenantId = newId()
  await test.db.query(ADD_MANY, [tenantId, 2500, new Date()])
  await add(test.db, tenantId, 'rare')
  await dispatch(test.db, 5000)
  const first = await read({ tenantId, types: ['rare'] })
  assert.deepEqual([typesOf(first), first.hasMore], [[], true])
  assert.ok(first.last)
  const second = await read({ tenantId, types: ['rare'], position: first.last.position })
  assert.deepEqual([typesOf(second), second.hasMore], [['rare'], false])
})

it('an event is found by its own tenant only, and not before it is dispatched', async () => {
  const tenantId = newId()
  await add(test.db, tenantId, 'x')
  const [row] = await test.db.query<{ id: string }>(ID_OF, [tenantId])
  const id = row?.id ?? ''
  assert.equal(await findEvent(test.db, { id, tenantId }), null)
  await dispatch(test.db)
  assert.equal((await findEvent(test.db, { id, tenantId }))?.eventType, 'x')
  assert.equal(await findEvent(test.db, { id, tenantId: newId() }), null)
})

it('a wait ends when its tenant has an event, and no other wait does', async () => {
  await using watch = await aWatch()
  const tenantId = newId()
  const mine = watch.wait({ tenantId, position: 0n }, 60_000)
  const others = watch.wait({ tenantId: newId(), position: 0n }, 60_000)
  await add(test.db, tenantId, 'x')
  await dispatch(test.db)
  assert.equal(await mine, true)
  watch.endWaits()
  assert.equal(await others, false)
})

it('the waits of one tenant are ended, and those of no other', async () => {
  await using watch = await aWatch()
  const [one, other] = [newId(), newId()]
  const ended: string[] = []
  const waiting = [one, other].map((tenantId) =>
    watch.wait({ tenantId, position: 0n }, 60_000).then(() => ended.push(tenantId)),
  )
  watch.endWaits(one)
  await waiting[0]
  assert.deepEqual(ended, [one])
  watch.endWaits()
  await Promise.all(waiting)
})

it('an event dispatched before the wait began is found all the same', async () => {
  await using watch = await aWatch()
  const tenantId = newId()
  await add(test.db, tenantId, 'x')
  await dispatch(test.db)
  assert.equal(await watch.wait({ tenantId, position: 0n }, 60_000), true)
})

it('one wait too many ends the oldest of the tenant, then of the process', async () => {
  await using watch = await aWatch({ waits: 4, waitsOfTenant: 2 })
  const [one, other] = [newId(), newId()]
  const ended: string[] = []
  const wait = (name: string, tenantId: string): void => {
    void watch.wait({ tenantId, position: 0n }, 60_000).then(() => ended.push(name))
  }
  wait('other-1', other)
  wait('one-1', one)
  wait('one-2', one)
  wait('one-3', one)
  wait('third', newId())
  await settled()
  assert.deepEqual(ended, ['one-1'])
  wait('fourth', newId())
  await settled()
  assert.deepEqual(ended, ['one-1', 'other-1'])
})

it('pages of a tenant take no slot of its keys, and have a bound of their own', async () => {
  await using watch = await aWatch({ waits: 2, waitsOfTenant: 1, pagesOfTenant: 2 })
  const mark = { tenantId: newId(), position: 0n }
  const ended: string[] = []
  const wait = (name: string, waiter: Waiter): void => {
    void watch.wait(mark, 60_000, waiter).then(() => ended.push(name))
  }
  wait('key', 'key')
  for (const page of ['page-1', 'page-2', 'page-3']) wait(page, 'page')
  await settled()
  assert.deepEqual(ended, ['page-1'])
})

it('a wait ends by itself, and at once after the stop', async () => {
  const watch = await aWatch()
  const mark = { tenantId: newId(), position: 0n }
  assert.equal(await watch.wait(mark, 20), false)
  const late = watch.wait(mark, 60_000)
  await watch.stop()
  assert.equal(await late, false)
  assert.equal(await watch.wait(mark, 60_000), false)
})

const ADD = sql(
  'test.add',
  `select outbox.add($2, 'trade', $1::uuid, $1::uuid, $1::uuid, '{}', uuidv7(), $3)`,
)
const ADD_MANY = sql(
  'test.add_many',
  `select outbox.add('common', 'trade', $1::uuid, $1::uuid, $1::uuid, '{}', uuidv7(), $3)
   from generate_series(1, $2::int)`,
)
const DISPATCH = sql('test.dispatch', 'select count(*) from outbox.dispatch($1, $2)')
const ID_OF = sql('test.id_of', 'select public_id id from outbox.event where tenant_id = $1')

const add = (db: Queryable, tenantId: string, type: string): Promise<unknown> =>
  db.query(ADD, [tenantId, type, new Date()])

const dispatch = (db: Queryable, limit = 100): Promise<unknown> =>
  db.query(DISPATCH, [limit, new Date()])

const read = (query: Partial<EventQuery> & { readonly tenantId: string }) =>
  listEvents(test.db, { direction: 'after', position: 0n, types: null, limit: 10, ...query })

const typesOf = ({ events }: { events: readonly { eventType: string }[] }): string[] =>
  events.map(({ eventType }) => eventType)

async function aWatch(limits = {}) {
  const watch = await watchEvents({ db: test.db, onError: assert.fail, limits })
  return { ...watch, [Symbol.asyncDispose]: () => watch.stop() }
}

/** The reactions to all that was resolved have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
