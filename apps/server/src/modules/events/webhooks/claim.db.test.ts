import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Db, sql } from '../../../infra/database/db.ts'
import type { Room } from '../../../infra/jobs/slots.ts'
import { testDatabase } from '../../../infra/testing/database.ts'
import { wholeScans } from '../../../infra/testing/indexes-only.ts'
import { claimDeliveries } from './store/deliveries.ts'

const at = new Date()
const CLAIM = {
  at,
  leaseUntil: new Date(at.getTime() + 30_000),
  room: {
    ...{ limit: 256, perKey: 128, perDoubtfulKey: 8, perOwner: 256, slow: 256, unproven: 256 },
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
    const claimed = await claimDeliveries(tx, { ...CLAIM, room: { ...CLAIM.room, perKey: 4 } })
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
  }
}

/** How many of a claim are of each endpoint. */
async function claimOf(
  db: Db,
  endpoints: readonly { readonly id: string }[],
  room: Partial<Room> = {},
): Promise<number[]> {
  const claimed = await claimDeliveries(db, { ...CLAIM, room: { ...CLAIM.room, ...room } })
  return endpoints.map(({ id }) => claimed.filter(({ endpointId }) => endpointId === id).length)
}

test('a slow or unproven endpoint gets few at a time, and leaves the rest of a claim to the others', async (t) => {
  const { db, endpoint, begin } = await givenBacklogs(t)
  const [slow, unproven, quick] = [await endpoint(), await endpoint(null, false), await endpoint()]
  await begin()
  const of = (room: Partial<Room>) =>
    claimOf(db, [slow, unproven, quick], { slowKeys: [slow.id], ...room })
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

const BACKLOG = sql(
  'test_backlog',
  `insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
     status, due_at, created_at)
   select e.id, n, 'trade.initiated', e.tenant_id, uuidv7(), md5((n / 3)::text)::uuid, '{}', 'pending',
     $1::timestamptz - interval '1 second', $1 from webhooks.endpoint e, generate_series(1, 1500) n order by n`,
)
