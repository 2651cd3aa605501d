// A large backlog of one endpoint: disabling it costs one row, and the rest is skipped in batches.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import { createWebhookSender } from '../../apps/server/src/adapters/webhook-sender/index.ts'
import { sql, type Tx } from '../../apps/server/src/infra/database/db.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { until } from '../../apps/server/src/infra/testing/until.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import {
  createDelivering,
  recover,
  setEndpoint,
  skipOpenDeliveries,
} from '../../apps/server/src/modules/events/webhooks/index.ts'
import { claimDeliveries } from '../../apps/server/src/modules/events/webhooks/store/deliveries.ts'
import { disableEndpoint } from '../../apps/server/src/modules/events/webhooks/store/endpoints.ts'
import { dialects } from '../../apps/server/src/wire/webhook.ts'
import { startReceiver } from './receiver.ts'

/** `BACKLOG=1500000 npm test -- tests/webhooks/backlog.db.test.ts` tries it at full size. */
const BACKLOG = Number(process.env.BACKLOG ?? 5000)
const BATCH = 1000

const clock = manualClock(new Date('2026-11-21T10:00:00.000Z'))
const secrets = createSecretBox([randomBytes(32)])
const sender = createWebhookSender({ isAllowedAddress: () => true })
let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(async () => {
  await sender.close()
  await database.close()
})

const INSERT = sql(
  'test.backlog',
  `insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
     status, due_at, created_at)
   select $1::uuid, n, 'trade.initiated', $2::uuid, $2::uuid, uuidv7(), '{}', 'pending', $3, $3
   from generate_series(1, $4::int) n`,
)
/** At full size the insert takes longer than a statement of the service may. */
const UNBOUNDED = { statementTimeoutMs: 600_000 }
const COUNTS = sql(
  'test.counts',
  'select status, count(*)::int count from webhooks.delivery where endpoint_id = $1 group by status',
)
const UPDATED = sql(
  'test.updated',
  `select sum(pg_stat_get_xact_tuples_updated(relid))::int count
   from pg_partition_tree('webhooks.delivery') where isleaf`,
)

async function givenBacklog(count: number, url: string) {
  const { db } = database
  const tenantId = newId()
  const deps = { db, clock, secrets, allowPrivate: true }
  const { endpoint } = await setEndpoint(deps, { tenantId, url })
  await db.transaction(
    (tx) => tx.query(INSERT, [endpoint.id, tenantId, clock.now(), count]),
    UNBOUNDED,
  )
  return { ...endpoint, enable: () => setEndpoint(deps, { tenantId, url }) }
}

const countsOf = async (endpointId: string): Promise<Record<string, number>> => {
  const rows = await database.db.query<{ status: string; count: number }>(COUNTS, [endpointId])
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}
const skippedIn = async (tx: Tx, endpointId: string): Promise<number> => {
  const rows = await tx.query<{ status: string; count: number }>(COUNTS, [endpointId])
  return rows.find(({ status }) => status === 'skipped')?.count ?? 0
}
const updatedIn = async (tx: Tx): Promise<number> =>
  (await tx.query<{ count: number }>(UPDATED))[0]?.count ?? 0
const deliver = () =>
  createDelivering({
    ...{ db: database.db, clock, secrets, sender, chance: () => 0.5 },
    dialects,
    render: async (claimed) => claimed.map(() => ({ data: {} })),
  })(new AbortController().signal)

it('disabling an endpoint touches none of its deliveries', async () => {
  const { db } = database
  const endpoint = await givenBacklog(BACKLOG, 'http://127.0.0.1:9/hook')
  const touched = await db.transaction(async (tx) => {
    await disableEndpoint(tx, { id: endpoint.id, reason: 'a test', at: clock.now() })
    return updatedIn(tx)
  })
  assert.equal(touched, 0)
  assert.deepEqual(await countsOf(endpoint.id), { pending: BACKLOG })

  const skipped: number[] = []
  while (skipped.at(-1) !== 0) {
    skipped.push(await skipOpenDeliveries(db, { at: clock.now(), limit: BATCH }))
  }
  assert.deepEqual(skipped, [...Array<number>(Math.ceil(BACKLOG / BATCH)).fill(BATCH), 0])
  assert.deepEqual(await countsOf(endpoint.id), { skipped: BACKLOG })
})

it('the backlog of a disabled endpoint is not delivered, and another endpoint’s is', async (t) => {
  const { db } = database
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const disabled = await givenBacklog(200, 'http://127.0.0.1:9/hook')
  const good = await givenBacklog(200, receiver.url)
  await db.transaction((tx) =>
    disableEndpoint(tx, { id: disabled.id, reason: 'a test', at: clock.now() }),
  )
  await deliver()
  assert.equal(receiver.received.length, 200)
  assert.deepEqual(await countsOf(good.id), { delivered: 200 })
  assert.deepEqual(await countsOf(disabled.id), { pending: 200 })
})

it('an endpoint that is enabled again keeps what was not skipped yet', async () => {
  const { db } = database
  const endpoint = await givenBacklog(2 * BATCH, 'http://127.0.0.1:9/hook')
  await db.transaction((tx) =>
    disableEndpoint(tx, { id: endpoint.id, reason: 'a test', at: clock.now() }),
  )
  // The other tests' endpoints come first: one of them is still disabled with a backlog.
  while ((await countsOf(endpoint.id)).skipped !== BATCH) {
    await skipOpenDeliveries(db, { at: clock.now(), limit: BATCH })
  }
  await endpoint.enable()
  assert.equal(await skipOpenDeliveries(db, { at: clock.now(), limit: BATCH }), 0)
  assert.deepEqual(await countsOf(endpoint.id), { skipped: BATCH, pending: BATCH })
})

const WAITING = sql(
  'test.enabling',
  `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
     and query like '%update webhooks.endpoint e set url%'`,
)

it('an endpoint that is enabled while a batch is skipped waits for that batch, and for no other', async () => {
  const { db } = database
  const endpoint = await givenBacklog(2 * BATCH, 'http://127.0.0.1:9/hook')
  await db.transaction((tx) =>
    disableEndpoint(tx, { id: endpoint.id, reason: 'a test', at: clock.now() }),
  )
  let enabling: Promise<unknown> | undefined
  await db.transaction(async (tx) => {
    while ((await skippedIn(tx, endpoint.id)) === 0) {
      await skipOpenDeliveries(tx, { at: clock.now(), limit: BATCH })
    }
    enabling = endpoint.enable()
    const waits = until('enabling waits for the batch', async () => {
      const rows = await db.query(WAITING)
      return rows.length > 0
    }).then(() => 'waits')
    const enabled = enabling.then(() => 'is enabled in the middle of a batch')
    assert.equal(await Promise.race([waits, enabled]), 'waits')
  })
  await enabling
  assert.deepEqual(await countsOf(endpoint.id), { skipped: BATCH, pending: BATCH })
})

const LOSE = sql(
  'test.lose',
  "update webhooks.delivery set status = 'skipped', finished_at = due_at where endpoint_id = $1",
)
const FETCHED = sql(
  'test.fetched',
  `select sum(pg_stat_get_xact_tuples_fetched(relid))::int count
   from pg_partition_tree('webhooks.delivery') where isleaf`,
)
/** Also of transactions before it whose figures were not reported yet. */
const fetchedIn = async (tx: Tx): Promise<number> =>
  (await tx.query<{ count: number }>(FETCHED))[0]?.count ?? 0
const DUE = sql(
  'test.due',
  `select extract(epoch from greatest(due_at, leased_until) - $2) * 10 tenths from webhooks.delivery
   where endpoint_id = $1 and status = 'retrying' order by event_id`,
)

it('what was lost is put back by calls of bounded work, oldest first, each due after the one before', async () => {
  const { db } = database
  const { id, tenantId } = await givenBacklog(BACKLOG, 'http://127.0.0.1:9/hook')
  await db.transaction((tx) => tx.query(LOSE, [id]), UNBOUNDED)
  const order = { tenantId, since: clock.now(), limit: BATCH }
  for (let left = BACKLOG; left > 0; left -= BATCH) {
    await db.transaction(async (tx) => {
      const before = await fetchedIn(tx)
      assert.equal(await recover({ db: tx, clock }, order), BATCH)
      const fetched = (await fetchedIn(tx)) - before
      assert.ok(fetched <= 3 * BATCH, `${fetched} rows were read`)
    })
  }
  assert.equal(await recover({ db, clock }, order), 0)
  const due = await db.query<{ tenths: string }>(DUE, [id, clock.now()])
  assert.deepEqual(
    due.map(({ tenths }) => Number(tenths)),
    Array.from({ length: BACKLOG }, (_, i) => i + 1),
  )
})

it('what was lost is put back by one call at a time: a second one is refused until the first has ended', async () => {
  const { db } = database
  const { id, tenantId } = await givenBacklog(2, 'http://127.0.0.1:9/hook')
  await db.query(LOSE, [id])
  const order = { tenantId, since: clock.now(), limit: 1 }
  await db.transaction(async (tx) => {
    assert.equal(await recover({ db: tx, clock }, order), 1)
    await assert.rejects(recover({ db, clock }, order), { name: 'BusyError' })
  })
  assert.equal(await recover({ db, clock }, order), 1)
})

const FAIL = sql(
  'test.fail',
  `update webhooks.delivery set status = 'retrying', attempts = 3, due_at = $2::timestamptz + interval '14 minutes'
   where endpoint_id = $1`,
)
const STATUS = sql(
  'test.standing',
  `select status, attempts, count(*)::int count from webhooks.delivery
   where endpoint_id = $1 and due_at <= $2 group by 1, 2 order by 1, 2`,
)

it('what waits for its next attempt is due now, and counted; a second call finds none of it', async () => {
  const { db } = database
  const { id, tenantId } = await givenBacklog(18, 'http://127.0.0.1:9/hook')
  const other = await givenBacklog(3, 'http://127.0.0.1:9/hook')
  await db.query(FAIL, [id, clock.now()])
  await db.query(FAIL, [other.id, clock.now()])
  const order = { tenantId, since: clock.now() }
  assert.equal(await recover({ db, clock }, order), 18)
  assert.equal(await recover({ db, clock }, order), 0)
  const soon = new Date(clock.now().getTime() + 1800)
  assert.deepEqual(await db.query(STATUS, [id, soon]), [
    { status: 'retrying', attempts: 0, count: 18 },
  ])
  assert.deepEqual(await db.query(STATUS, [other.id, soon]), [])
})

it('what waits is put back together with what was lost, by calls that go on, and never later than it was', async () => {
  const { db } = database
  const { id, tenantId } = await givenBacklog(2 * BATCH, 'http://127.0.0.1:9/hook')
  await db.query(FAIL, [id, clock.now()])
  await db.query(LOSE_EVEN, [id])
  await db.query(DUE_SOON, [id, clock.now()])
  const order = { tenantId, since: clock.now(), limit: BATCH }
  assert.equal(await recover({ db, clock }, order), BATCH)
  assert.equal(await recover({ db, clock }, order), BATCH)
  assert.equal(await recover({ db, clock }, order), 0)
  const due = await db.query<{ tenths: string }>(DUE, [id, clock.now()])
  assert.deepEqual(
    due.map(({ tenths }) => Number(tenths)),
    Array.from({ length: 2 * BATCH }, (_, i) => (i === 98 ? 50 : i + 1)),
  )
})

const LOSE_EVEN = sql(
  'test.lose_even',
  `update webhooks.delivery set status = 'exhausted', attempts = 12, finished_at = due_at
   where endpoint_id = $1 and event_id % 2 = 0`,
)
/** The 99th would come at its own retry before its turn. */
const DUE_SOON = sql(
  'test.due_soon',
  `update webhooks.delivery set due_at = $2::timestamptz + interval '5 seconds' where endpoint_id = $1 and event_id = 99`,
)

it('a delivery whose attempt is under way is left to it', async () => {
  const { db } = database
  const { id, tenantId } = await givenBacklog(2, 'http://127.0.0.1:9/hook')
  await db.query(FAIL, [id, new Date(clock.now().getTime() - 15 * 60_000)])
  const leaseUntil = new Date(clock.now().getTime() + 30_000)
  const capacity = {
    ...{
      limit: 100,
      perKey: 1,
      perUnhealthyKey: 1,
      slow: 100,
      unproven: 100,
      broadcasts: 0,
      perOwner: 100,
    },
    ...{ heldByOwner: {}, slowKeys: [], busyKeys: await otherEndpoints(id) },
  }
  const [claimed] = await claimDeliveries(db, { at: clock.now(), leaseUntil, capacity })
  assert.equal(claimed?.endpointId, id)
  await db.query(LATER, [id, claimed?.id, clock.now()])
  assert.equal(await recover({ db, clock }, { tenantId, since: clock.now() }), 1)
  const due = await db.query<{ tenths: string }>(DUE, [id, clock.now()])
  assert.deepEqual(due.map(({ tenths }) => Number(tenths)).sort(), [1, 300])
})

const LATER = sql(
  'test.later',
  `update webhooks.delivery set due_at = $3::timestamptz + interval '14 minutes' where endpoint_id = $1 and id <> $2`,
)
const OTHERS = sql('test.others', 'select id from webhooks.endpoint where id <> $1')
const otherEndpoints = async (endpointId: string): Promise<string[]> =>
  (await database.db.query<{ id: string }>(OTHERS, [endpointId])).map(({ id }) => id)
