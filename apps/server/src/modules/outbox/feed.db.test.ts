import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { newId } from '#kernel/id'
import { type Queryable, sql } from '../../infra/db.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { type EventQuery, findEvent, listEvents, watchNews } from './index.ts'

let test: TestDatabase
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

it('an event committed after a younger one is not stepped over by whoever follows', async () => {
  const { db } = test
  const merchantId = newId()
  await add(db, merchantId, 'before')
  await dispatch(db)
  const [first] = (await read({ merchantId })).events
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
    await add(tx, merchantId, 'slow')
    added()
    await committing
  })
  await isAdded
  await add(db, merchantId, 'quick')
  await dispatch(db)
  const quick = await read({ merchantId, position: first.position })
  assert.deepEqual(typesOf(quick), ['quick'])
  commit()
  await slow
  await dispatch(db)
  const rest = await read({ merchantId, position: quick.last?.position ?? 0n })
  assert.deepEqual(typesOf(rest), ['slow'])
})

it('pages go both ways without gaps or repeats, and only over the merchant’s own events', async () => {
  const merchantId = newId()
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) {
    await add(test.db, merchantId, name)
    await add(test.db, newId(), 'somebody else’s')
  }
  await dispatch(test.db)
  const seen: string[] = []
  for (let position = 0n, hasMore = true; hasMore; ) {
    const slice = await read({ merchantId, position, limit: 2 })
    seen.push(...typesOf(slice))
    ;({ hasMore } = slice)
    position = slice.last?.position ?? position
  }
  assert.deepEqual(seen, names)
  const back = await read({ merchantId, direction: 'before', position: 2n ** 62n, limit: 3 })
  assert.deepEqual([typesOf(back), back.hasMore], [['e', 'd', 'c'], true])
  const rest = await read({
    merchantId,
    direction: 'before',
    position: back.last?.position ?? 0n,
    limit: 3,
  })
  assert.deepEqual([typesOf(rest), rest.hasMore], [['b', 'a'], false])
})

it('a search for a rare type looks at so many events and says how far it came', async () => {
  const merchantId = newId()
  await test.db.query(ADD_MANY, [merchantId, 2500, new Date()])
  await add(test.db, merchantId, 'rare')
  await dispatch(test.db, 5000)
  const first = await read({ merchantId, types: ['rare'] })
  assert.deepEqual([typesOf(first), first.hasMore], [[], true])
  assert.ok(first.last)
  const second = await read({ merchantId, types: ['rare'], position: first.last.position })
  assert.deepEqual([typesOf(second), second.hasMore], [['rare'], false])
})

it('an event is found by its own merchant only, and not before it was taken', async () => {
  const merchantId = newId()
  await add(test.db, merchantId, 'x')
  const [row] = await test.db.query<{ id: string }>(ID_OF, [merchantId])
  const id = row?.id ?? ''
  assert.equal(await findEvent(test.db, { id, merchantId }), null)
  await dispatch(test.db)
  assert.equal((await findEvent(test.db, { id, merchantId }))?.eventType, 'x')
  assert.equal(await findEvent(test.db, { id, merchantId: newId() }), null)
})

it('those who wait are told when there is news for them, and nobody else is', async () => {
  await using watch = await aWatch()
  const merchantId = newId()
  const mine = watch.wait({ merchantId, position: 0n }, 60_000)
  const others = watch.wait({ merchantId: newId(), position: 0n }, 60_000)
  await add(test.db, merchantId, 'x')
  await dispatch(test.db)
  assert.equal(await mine, true)
  watch.endWaits()
  assert.equal(await others, false)
})

it('what was told before the wait began is found all the same', async () => {
  await using watch = await aWatch()
  const merchantId = newId()
  await add(test.db, merchantId, 'x')
  await dispatch(test.db)
  assert.equal(await watch.wait({ merchantId, position: 0n }, 60_000), true)
})

it('one wait too many ends the oldest of the merchant, then of the process', async () => {
  await using watch = await aWatch({ waits: 4, waitsOfMerchant: 2 })
  const [one, other] = [newId(), newId()]
  const ended: string[] = []
  const wait = (name: string, merchantId: string): void => {
    void watch.wait({ merchantId, position: 0n }, 60_000).then(() => ended.push(name))
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

it('a wait ends by itself, and at once after the stop', async () => {
  const watch = await aWatch()
  const mark = { merchantId: newId(), position: 0n }
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

const add = (db: Queryable, merchantId: string, type: string): Promise<unknown> =>
  db.query(ADD, [merchantId, type, new Date()])

const dispatch = (db: Queryable, limit = 100): Promise<unknown> =>
  db.query(DISPATCH, [limit, new Date()])

const read = (query: Partial<EventQuery> & { readonly merchantId: string }) =>
  listEvents(test.db, { direction: 'after', position: 0n, types: null, limit: 10, ...query })

const typesOf = ({ events }: { events: readonly { eventType: string }[] }): string[] =>
  events.map(({ eventType }) => eventType)

async function aWatch(limits = {}) {
  const watch = await watchNews({ db: test.db, onError: assert.fail, limits })
  return { ...watch, [Symbol.asyncDispose]: () => watch.stop() }
}

/** All that was resolved has been told. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
