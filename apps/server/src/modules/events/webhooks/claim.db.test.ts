import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Db, sql } from '../../../infra/database/db.ts'
import type { Capacity } from '../../../infra/jobs/permits.ts'
import { testDatabase } from '../../../infra/testing/database.ts'
import { rowsRead, wholeScans } from '../../../infra/testing/indexes-only.ts'
import { claimDeliveries, finishDeliveries } from './store/deliveries.ts'

const at = new Date()
const CLAIM = {
  at,
  leaseUntil: new Date(at.getTime() + 30_000),
  capacity: {
    ...{ limit: 256, perKey: 128, perUnhealthyKey: 8, perOwner: 256, slow: 256, unproven: 256 },
    broadcasts: 256,
    ...{ heldByOwner: {}, slowKeys: [], busyKeys: [] },
  },
} as const

const ENDPOINT = sql(
  'test_endpoint',
  `insert into webhooks.endpoint (tenant_id, parent_id, url, secret_sealed, proven_at, created_at, updated_at)
   values (uuidv7(), $1, 'https://shop.example/hooks', 'sealed', case when $2::boolean then now() end, now(), now())
   returning id, tenant_id "tenantId"`,
)

test('a claim never reads the table as a whole, however empty it was when the claim was planned', async (t) => {
  const { db, close } = await testDatabase()
  t.after(close)
  await db.query(ENDPOINT, [null, true])
  await db.script('vacuum analyze webhooks.delivery')
  await db.transaction(async (tx) => {
    const scans = await wholeScans(tx, 'webhooks.delivery', async () => {
      // More often than a plan made for given values is tried before one for all values is kept.
      for (let i = 0; i < 8; i++) assert.deepEqual(await claimDeliveries(tx, CLAIM), [])
      await tx.query(BACKLOG, [at])
      const claimed = await claimDeliveries(tx, CLAIM)
      assert.equal(claimed.length, 128)
    })
    assert.equal(scans, 0)
  })
})

test('a claim writes to no index', async (t) => {
  const { db, close } = await testDatabase()
  t.after(close)
  await db.query(ENDPOINT, [null, true])
  await db.query(BACKLOG, [at])
  await db.transaction(async (tx) => {
    const claimed = await claimDeliveries(tx, {
      ...CLAIM,
      capacity: { ...CLAIM.capacity, perKey: 4 },
    })
    assert.equal(claimed.length, 4)
    const [{ inPlace } = { inPlace: 0 }] = await tx.query<{ inPlace: number }>(CHANGED_IN_PLACE)
    assert.equal(inPlace, 4)
  })
})

/** Rows that this transaction has changed without a new entry in any index. */
const CHANGED_IN_PLACE = sql(
  'test.changed_in_place',
  `select sum(pg_stat_get_xact_tuples_hot_updated(relid))::int "inPlace"
   from pg_partition_tree('webhooks.delivery') where isleaf`,
)

async function givenBacklogs(t: TestContext) {
  const { db, close } = await testDatabase()
  t.after(close)
  return {
    db,
    endpoint: async (parentId: string | null = null, isProven = true) => {
      const [row] = await db.query<{ id: string; tenantId: string }>(ENDPOINT, [parentId, isProven])
      assert.ok(row)
      return row
    },
    begin: () => db.query(BACKLOG, [at]),
    /** To each endpoint, or to one. */
    deliver: (some: { type: string; count: number; dueFor: string; endpointId?: string }) =>
      db.query(DELIVER, [some.type, some.count, some.dueFor, some.endpointId ?? null, at]),
  }
}

/** How many of a claim are of each endpoint. */
async function claimOf(
  db: Db,
  endpoints: readonly { readonly id: string }[],
  capacity: Partial<Capacity> = {},
): Promise<number[]> {
  const claimed = await claimDeliveries(db, {
    ...CLAIM,
    capacity: { ...CLAIM.capacity, ...capacity },
  })
  return endpoints.map(({ id }) => claimed.filter(({ endpointId }) => endpointId === id).length)
}

test('a slow or unproven endpoint gets few at a time, and leaves the rest of a claim to the others', async (t) => {
  const { db, endpoint, begin } = await givenBacklogs(t)
  const [slow, unproven, quick] = [await endpoint(), await endpoint(null, false), await endpoint()]
  await begin()
  const of = (capacity: Partial<Capacity>) =>
    claimOf(db, [slow, unproven, quick], { slowKeys: [slow.id], ...capacity })
  assert.deepEqual(await of({}), [8, 8, 128])
  assert.deepEqual(await of({ slow: 3, unproven: 0 }), [3, 0, 128])
})

test('all slow endpoints and all unproven ones share what there is for their kind', async (t) => {
  const { db, endpoint, begin } = await givenBacklogs(t)
  const slow = [await endpoint(), await endpoint(), await endpoint()]
  const unproven = [await endpoint(null, false), await endpoint(null, false)]
  await begin()
  const slowKeys = slow.map(({ id }) => id)
  const claimed = await claimOf(db, [...slow, ...unproven], { slowKeys, slow: 6, unproven: 4 })
  assert.deepEqual(claimed, [2, 2, 2, 2, 2])
})

test('an owner gets what is left of its share, for all of its endpoints, and owners take turns', async (t) => {
  const { db, endpoint, begin } = await givenBacklogs(t)
  const partner = await endpoint()
  const children = [await endpoint(partner.tenantId), await endpoint(partner.tenantId)]
  const other = await endpoint()
  await begin()
  const all = [partner, ...children, other]
  const heldByOwner = { [partner.tenantId]: 20, [other.tenantId]: 30 }
  assert.deepEqual(await claimOf(db, all, { perOwner: 32, heldByOwner }), [4, 4, 4, 2])
  // One that holds fewer comes first, however long the others have waited.
  const [ofOther, ...ofPartner] = (await claimOf(db, all, { limit: 12, heldByOwner })).toReversed()
  assert.equal(ofOther, 1)
  assert.deepEqual(ofPartner.sort(), [3, 4, 4])
})

test('an owner that holds its share hides no other one, however many endpoints it has', async (t) => {
  const { db, endpoint, deliver } = await givenBacklogs(t)
  const partner = await endpoint()
  for (let i = 0; i < 30; i++) await endpoint(partner.tenantId)
  await deliver({ type: 'trade.initiated', count: 1, dueFor: '1 hour' })
  const other = await endpoint()
  await deliver({ type: 'trade.hold', count: 1, dueFor: '1 second', endpointId: other.id })
  const heldByOwner = { [partner.tenantId]: 16 }
  assert.deepEqual(await claimOf(db, [other], { limit: 4, perOwner: 16, heldByOwner }), [1])
})

test('events of its own go before what is sent to all merchants, however long that has been due', async (t) => {
  const { db, endpoint, deliver } = await givenBacklogs(t)
  const busy = await endpoint()
  for (let i = 0; i < 40; i++) await endpoint()
  await deliver({ type: 'service.status_changed', count: 1, dueFor: '1 hour' })
  await deliver({ type: 'trade.initiated', count: 2, dueFor: '1 second', endpointId: busy.id })
  const claim = (capacity: Partial<Capacity>) =>
    claimDeliveries(db, { ...CLAIM, capacity: { ...CLAIM.capacity, ...capacity } })
  const first = await claim({ limit: 3 })
  assert.deepEqual(
    first.map(({ endpointId, eventType }) => [endpointId === busy.id, eventType]).slice(0, 2),
    Array(2).fill([true, 'trade.initiated']),
  )
  assert.equal(first[2]?.eventType, 'service.status_changed')
  // And what is sent to all takes its own capacity alone.
  assert.equal((await claim({ limit: 12, broadcasts: 5 })).length, 5)
})

test('a claim reads no endpoint that has nothing due', async (t) => {
  const { db, endpoint, deliver } = await givenBacklogs(t)
  const [waiting, ...idle] = await Promise.all(Array.from({ length: 60 }, () => endpoint()))
  assert.ok(waiting)
  await deliver({ type: 'trade.initiated', count: 1, dueFor: '1 second', endpointId: waiting.id })
  for (const { id } of idle) {
    await deliver({ type: 'trade.pending', count: 1, dueFor: '-1 hour', endpointId: id })
  }
  await db.transaction(async (tx) => {
    const read = await rowsRead(tx, 'webhooks.endpoint', async () => {
      assert.equal((await claimDeliveries(tx, CLAIM)).length, 1)
    })
    assert.ok(read < 10, `${read} rows of endpoints`)
  })
})

test('a lease that has not run out is given to no other claim, and one that has is given to one of them', async (t) => {
  const { db, endpoint, deliver } = await givenBacklogs(t)
  for (let i = 0; i < 20; i++) await endpoint()
  await deliver({ type: 'trade.initiated', count: 10, dueFor: '1 second' })
  const claimAll = async (moment: Date): Promise<string[]> => {
    const capacity = { ...CLAIM.capacity, limit: 30 }
    const leaseUntil = new Date(moment.getTime() + 30_000)
    const lane = async (): Promise<string[]> => {
      const ids: string[] = []
      for (let empty = 0; empty < 3; ) {
        const claimed = await claimDeliveries(db, { at: moment, leaseUntil, capacity })
        ids.push(...claimed.map(({ id }) => id))
        if (claimed.length === 0) empty++
      }
      return ids
    }
    return (await Promise.all(Array.from({ length: 4 }, lane))).flat()
  }
  const first = await claimAll(at)
  assert.deepEqual([first.length, new Set(first).size], [200, 200])
  assert.deepEqual(await claimAll(new Date(at.getTime() + 29_999)), [])
  const again = await claimAll(new Date(at.getTime() + 30_000))
  assert.deepEqual(again.toSorted(), first.toSorted())
})

test('no delivery is passed over that is written, fails or is enabled again while others are claimed', async (t) => {
  const { db, endpoint, deliver } = await givenBacklogs(t)
  const endpoints = await Promise.all(Array.from({ length: 6 }, () => endpoint()))
  let isWriting = true
  const write = async (): Promise<void> => {
    for (let i = 0; i < 30; i++) {
      const { id } = endpoints[i % endpoints.length] ?? assert.fail()
      if (i % 10 === 4) await db.query(ENABLE, [id, 'disabled', at])
      await deliver({ type: 'trade.initiated', count: 3, dueFor: '1 second', endpointId: id })
      if (i % 10 === 4) await db.query(ENABLE, [id, 'enabled', at])
    }
    isWriting = false
  }
  const seen = new Map<string, number>()
  const claim = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3; ) {
      const claimed = await claimDeliveries(db, CLAIM)
      for (const { id } of claimed) seen.set(id, (seen.get(id) ?? 0) + 1)
      const verdicts = claimed.map((one) => ({
        ...{ ...one, deliveryId: one.id, dueAt: at },
        status: seen.get(one.id) === 1 ? ('retrying' as const) : ('delivered' as const),
      }))
      await db.transaction((tx) => finishDeliveries(tx, verdicts, at))
      quiet = claimed.length === 0 && !isWriting ? quiet + 1 : 0
    }
  }
  await Promise.all([write(), claim(), claim()])
  assert.deepEqual([seen.size, new Set(seen.values())], [90, new Set([2])])
  assert.deepEqual(await db.query(PASSED_OVER), [])
})

const ENABLE = sql(
  'test.enable',
  `update webhooks.endpoint set status = $2, updated_at = $3,
     disabled_reason = case $2 when 'disabled' then 'a test' end where id = $1`,
)

/** Open deliveries of enabled endpoints that no claim will look at in time. */
const PASSED_OVER = sql(
  'test.passed_over',
  `select d.id from webhooks.delivery d join webhooks.endpoint e on e.id = d.endpoint_id and e.status = 'enabled'
   where d.status in ('pending', 'retrying') and not exists (
     select from webhooks.due_endpoint q
     where q.endpoint_id = e.id and q.due_at <= greatest(d.due_at, d.leased_until))`,
)

const DELIVER = sql(
  'test.deliver',
  `insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
     status, due_at, created_at)
   select e.id, outbox.next_number(), $1, e.account_id, e.account_id, uuidv7(), '{}', 'pending',
     $5::timestamptz - $3::interval, $5
   from webhooks.endpoint e, generate_series(1, $2::int) n where e.id = coalesce($4, e.id)`,
)

const BACKLOG = sql(
  'test_backlog',
  `insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
     status, due_at, created_at)
   select e.id, n, 'trade.initiated', e.tenant_id, uuidv7(), md5((n / 3)::text)::uuid, '{}', 'pending',
     $1::timestamptz - interval '1 second', $1 from webhooks.endpoint e, generate_series(1, 1500) n order by n`,
)
