import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BusyError, createTenantShares } from './tenant-shares.ts'

const LONG_MS = 60_000

/** Work that the test ends. */
function held() {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let hasBegun = false
  const work = (): Promise<void> => {
    hasBegun = true
    return ended
  }
  return { work, end, hasBegun: () => hasBegun }
}

test('a tenant runs a few at once, a few wait, and more are refused', async () => {
  const shares = createTenantShares({ atOnce: 2, waiting: 1, waitMs: LONG_MS })
  const [one, two, three] = [held(), held(), held()]
  const first = shares('a', one.work)
  const second = shares('a', two.work)
  const third = shares('a', three.work)
  await assert.rejects(
    shares('a', async () => {}),
    BusyError,
  )
  assert.equal(three.hasBegun(), false)
  one.end()
  await first
  three.end()
  await third
  assert.equal(three.hasBegun(), true)
  two.end()
  await second
})

test('one tenant’s work does not wait for another’s', async () => {
  const shares = createTenantShares({ atOnce: 1, waiting: 0, waitMs: LONG_MS })
  const slow = held()
  const first = shares('a', slow.work)
  assert.equal(await shares('b', async () => 7), 7)
  slow.end()
  await first
})

test('work that fails hands its place over', async () => {
  const shares = createTenantShares({ atOnce: 1, waiting: 5, waitMs: LONG_MS })
  const answers = await Promise.allSettled(
    Array.from({ length: 5 }, (_, i) =>
      shares('a', async () => {
        if (i % 2 === 0) throw new Error('no such table')
        return i
      }),
    ),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected'],
  )
  assert.equal(await shares('a', async () => 'again'), 'again')
})

test('work whose turn does not come in time is refused, never begins, and holds up no later work', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const shares = createTenantShares({ atOnce: 1, waiting: 5, waitMs: 1000 })
  const [slow, late] = [held(), held()]
  const first = shares('a', slow.work)
  const refused = assert.rejects(shares('a', late.work), BusyError)
  t.mock.timers.tick(1000)
  await refused
  const next = shares('a', async () => 'next')
  slow.end()
  await first
  assert.equal(await next, 'next')
  assert.equal(late.hasBegun(), false)
})

test('all tenants together leave places, in which each that has nothing running begins one work', async () => {
  const bounds = { atOnce: 4, ofAll: 6, waiting: 9, waitMs: LONG_MS }
  const shares = createTenantShares(bounds)
  const works = ['a', 'b', 'c'].map((tenant) => {
    const of = Array.from({ length: 4 }, held)
    return { of, all: of.map(({ work }) => shares(tenant, work)) }
  })
  const begun = () => works.map(({ of }) => of.filter(({ hasBegun }) => hasBegun()).length)
  assert.deepEqual(begun(), [4, 2, 1])
  works[0]?.of[0]?.end()
  works[0]?.of[1]?.end()
  await Promise.all(works[0]?.all.slice(0, 2) ?? [])
  assert.deepEqual(begun(), [4, 3, 1], 'a place of another tenant’s is taken by who waits first')
  for (const { of } of works) for (const { end } of of) end()
  await Promise.all(works.flatMap(({ all }) => all))
})
