import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../infra/db.ts'
import { testDatabase } from '../../infra/testing/database.ts'
import { claimDeliveries } from './store/deliveries.ts'

const at = new Date()
const CLAIM = {
  at,
  leaseUntil: new Date(at.getTime() + 30_000),
  room: { limit: 256, perKey: 128, perSlowKey: 8, slowKeys: [], busyKeys: [] },
} as const

const ENDPOINT = `insert into webhooks.endpoint (tenant_id, url, secret_sealed, created_at, updated_at)
  values (uuidv7(), 'https://shop.example/hooks', 'sealed', now(), now())`

const SCANS = sql(
  'test_scans',
  "select pg_stat_get_xact_numscans('webhooks.delivery'::regclass)::int scans",
)

test('a claim never reads the table as a whole, however empty it was when the claim was planned', async (t) => {
  const { db, close } = await testDatabase()
  t.after(close)
  await db.script(ENDPOINT)
  await db.script('vacuum analyze webhooks.delivery')
  await db.transaction(async (tx) => {
    // More often than a plan made for given values is tried before one for all values is kept.
    for (let i = 0; i < 8; i++) assert.deepEqual(await claimDeliveries(tx, CLAIM), [])
    await tx.query(BACKLOG, [at])
    const claimed = await claimDeliveries(tx, CLAIM)
    assert.equal(claimed.length, 128)
    const [row] = await tx.query<{ scans: number }>(SCANS)
    assert.equal(row?.scans, 0)
  })
})

test('a slow endpoint gets few at a time, and leaves the rest of a claim to the others', async (t) => {
  const { db, close } = await testDatabase()
  t.after(close)
  await db.script(`${ENDPOINT}; ${ENDPOINT}`)
  await db.query(BACKLOG, [at])
  const [slow, quick] = await db.query<{ id: string }>(ENDPOINTS)
  assert.ok(slow && quick)
  const claimed = await claimDeliveries(db, {
    ...CLAIM,
    room: { ...CLAIM.room, slowKeys: [slow.id] },
  })
  const of = ({ id }: { id: string }): number =>
    claimed.filter(({ endpointId }) => endpointId === id).length
  assert.deepEqual([of(slow), of(quick)], [8, 128])
})

const ENDPOINTS = sql('test_endpoints', 'select id from webhooks.endpoint order by id')

const BACKLOG = sql(
  'test_backlog',
  `insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
     status, due_at, created_at)
   select e.id, n, 'trade.initiated', e.tenant_id, uuidv7(), md5((n / 3)::text)::uuid, '{}', 'pending',
     $1::timestamptz - interval '1 second', $1 from webhooks.endpoint e, generate_series(1, 1500) n order by n`,
)
