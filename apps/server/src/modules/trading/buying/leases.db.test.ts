import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { until } from '#infra/testing/until'
import { WAITING } from '#infra/testing/waiting'
import { expediteItems } from './store/holds.ts'
import {
  beginOrder,
  claimFollowed,
  claimPlacements,
  releaseClaim,
  reschedule,
} from './store/orders.ts'
import { givenManyFollowed, givenTrade } from './testing/buyers.ts'

const SECOND = 1000
const LEASE_MS = 30 * SECOND
const KEY = { account: 'main', keyVersion: 1 }
const OURS = { market: 'market_b', account: 'main' } as const

let database: TestDatabase
let clock: ManualClock

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  // What a test left open is not due in the next one.
  await database.db.script(
    `update buying.item set due_at = 'infinity', created_at = 'infinity' where work <> 'none'`,
  )
})

const later = (milliseconds: number): Date => new Date(clock.now().getTime() + milliseconds)

const givenItem = async (): Promise<string> => (await givenTrade({ db: database.db, clock })).itemId

/** Returns how often it was tried. */
async function countTries(dues: Parameters<typeof reschedule>[1]): Promise<number> {
  let tries = 0
  await database.db.transaction(async (tx) => {
    tries++
    await reschedule(tx, dues, clock.now())
  })
  return tries
}
/** Of so many the planner finds those that are named one by one, in the order in which they are named. */
const MANY = { count: 10_000, dueAt: new Date('2999-01-01') }
const ANALYZE = sql('test.analyze', 'analyze buying.item')
const HOLD = sql('test.hold', 'select from buying.item where id = $1 for update')

const claim = (by: Queryable = database.db) =>
  claimPlacements(by, {
    ...{ ...OURS, limit: 10, at: clock.now(), leaseUntil: later(LEASE_MS) },
    placeableSince: new Date(0),
  })
const look = (by: Queryable = database.db) =>
  claimFollowed(by, {
    ...{ ...OURS, limit: 10, at: clock.now(), leaseUntil: later(LEASE_MS), alongMs: 0 },
  })
const idsOf = (looked: Awaited<ReturnType<typeof look>>) => looked.map(({ item }) => item.id)

/** An item whose order has begun, and is due for a look now. */
async function givenFollowed(): Promise<string> {
  const id = await givenItem()
  const item = (await claim()).find((one) => one.id === id)
  assert.ok(item)
  await beginOrder(database.db, item, { at: clock.now(), leaseUntil: clock.now() }, KEY)
  return id
}

/** As a process of the release before claims. */
const claimAsBefore = async (leaseUntil: Date): Promise<string[]> =>
  idsIn(
    'claim_placements_before',
    'select id from buying.claim_placements($1, 10, $3, $4, $5, $2)',
    [leaseUntil, new Date(0)],
  )
const lookAsBefore = async (leaseUntil: Date): Promise<string[]> =>
  idsIn(
    'claim_followed_before',
    'select claim_followed id from buying.claim_followed($1, 10, $3, $3, $4, $2)',
    [leaseUntil],
  )
async function idsIn(name: string, text: string, values: readonly Date[]): Promise<string[]> {
  const given = [OURS.market, OURS.account, clock.now(), ...values]
  const rows = await database.db.query<{ id: string }>(sql(`test.${name}`, text), given)
  return rows.map(({ id }) => id)
}

const UPDATES = sql(
  'test.updates',
  `select pg_stat_get_xact_tuples_updated(i)::int "all", pg_stat_get_xact_tuples_hot_updated(i)::int "inPlace"
   from (select 'buying.item'::regclass i) item`,
)
const updatesIn = async (tx: Tx, work: () => Promise<unknown>) => {
  const read = async () => {
    const [row] = await tx.query<{ all: number; inPlace: number }>(UPDATES)
    return row ?? { all: 0, inPlace: 0 }
  }
  const from = await read()
  await work()
  const to = await read()
  return { all: to.all - from.all, inPlace: to.inPlace - from.inPlace }
}

describe('a claim', () => {
  it('of a placement and of a look writes no index', async () => {
    await givenItem()
    await database.db.transaction(async (tx) => {
      assert.deepEqual(await updatesIn(tx, () => claim(tx)), { all: 1, inPlace: 1 })
    })
    clock.advance(LEASE_MS)
    await givenFollowed()
    await database.db.transaction(async (tx) => {
      assert.deepEqual(await updatesIn(tx, () => look(tx)), { all: 1, inPlace: 1 })
    })
  })

  it('is taken by no other until its lease is over', async () => {
    const waiting = await givenItem()
    const claimIds = async () => (await claim()).map(({ id }) => id)
    assert.deepEqual(await claimIds(), [waiting])
    clock.advance(LEASE_MS - 1)
    assert.deepEqual(await claimIds(), [])
    clock.advance(1)
    assert.deepEqual(await claimIds(), [waiting])
    clock.advance(LEASE_MS)
    const followed = await givenFollowed()
    assert.deepEqual(idsOf(await look()), [followed])
    clock.advance(LEASE_MS - 1)
    assert.deepEqual(idsOf(await look()), [])
    clock.advance(1)
    assert.deepEqual(idsOf(await look()), [followed])
  })

  it('ends when the item is put back, and begins no order then', async () => {
    await givenItem()
    const [first] = await claim()
    assert.ok(first)
    await releaseClaim(database.db, first, clock.now())
    const times = { at: clock.now(), leaseUntil: later(LEASE_MS) }
    assert.equal(await beginOrder(database.db, first, times, KEY), false)
    clock.advance(1)
    const [second] = await claim()
    assert.equal(second?.id, first.id)
    assert.equal(await beginOrder(database.db, first, times, KEY), false)
    assert.ok(second)
    assert.equal(await beginOrder(database.db, second, times, KEY), true)
  })

  it('ends with the next look that it sets, unless something has made the item due meanwhile', async () => {
    const id = await givenFollowed()
    const { db } = database
    await look()
    await reschedule(db, [{ id, dueAt: later(SECOND) }], clock.now())
    assert.deepEqual(idsOf(await look()), [])
    clock.advance(SECOND)
    assert.deepEqual(idsOf(await look()), [id])
    await expediteItems(db, [id], clock.now())
    await reschedule(db, [{ id, dueAt: later(SECOND) }], clock.now())
    assert.deepEqual(idsOf(await look()), [id])
  })

  it('ends for two workers that set the next looks of the same items at once, each in its order', async () => {
    const { db } = database
    const ids = [await givenFollowed(), await givenFollowed()]
    await look()
    await givenManyFollowed(db, MANY)
    await db.query(ANALYZE)
    const [one = '', two = ''] = ids
    const dues = [one, two].map((id) => ({ id, dueAt: later(SECOND) }))
    let both: Promise<unknown> = Promise.resolve()
    await db.transaction(async (tx) => {
      await tx.query(HOLD, [one])
      const untilWaiting = (count: number) =>
        until('it waits', async () => (await db.query(WAITING)).length === count)
      const first = countTries(dues)
      await untilWaiting(1)
      both = Promise.all([first, countTries(dues.toReversed())])
      await untilWaiting(2)
    })
    assert.deepEqual(await both, [1, 1], 'neither was tried again after a deadlock')
    clock.advance(SECOND)
    assert.deepEqual(idsOf(await look()).toSorted(), ids.toSorted())
  })
})

describe('processes of this release and of the one before', () => {
  it('pass over what the other has claimed to place, and each begins what it has claimed', async () => {
    const first = await givenItem()
    const leaseUntil = later(LEASE_MS)
    assert.deepEqual(await claimAsBefore(leaseUntil), [first])
    assert.deepEqual(await claim(), [])
    const times = { at: clock.now(), leaseUntil }
    const other = await givenItem()
    const [ours] = await claim()
    assert.equal(ours?.id, other)
    assert.deepEqual(await claimAsBefore(later(LEASE_MS + 1)), [])
    assert.ok(ours)
    for (const one of [{ id: first, claimedUntil: leaseUntil }, ours])
      assert.equal(await beginOrder(database.db, one, times, KEY), true)
  })

  it('pass over what the other looks at', async () => {
    const first = await givenFollowed()
    assert.deepEqual(await lookAsBefore(later(LEASE_MS)), [first])
    assert.deepEqual(idsOf(await look()), [])
    const second = await givenFollowed()
    assert.deepEqual(idsOf(await look()), [second])
    assert.deepEqual(await lookAsBefore(later(LEASE_MS)), [])
  })
})
