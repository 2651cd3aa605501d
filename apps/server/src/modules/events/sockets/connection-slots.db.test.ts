import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from '#infra/database/db'
import { until } from '#infra/testing/until'
import { newId } from '#kernel/id'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { type ConnectionSlots, openConnectionSlots } from './connection-slots.ts'
import type { Caps } from './store.ts'

const clock = manualClock()
const LEASE_MS = 600_000
const CAPS: Caps = { perAccount: 5, perTenant: 100, inAll: 1000 }
let database: TestDatabase
const processes: ConnectionSlots[] = []
const errors: unknown[] = []

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
afterEach(async () => {
  await Promise.all(processes.splice(0).map((slots) => slots.stop()))
  assert.deepEqual(errors.splice(0), [])
})

/** As an api process has them; it renews its lease far more rarely than a test lasts. */
async function aProcess(more: Partial<Caps> = {}): Promise<ConnectionSlots> {
  const { db } = database
  const caps = { ...CAPS, ...more }
  const onError = (error: unknown) => errors.push(error)
  const slots = await openConnectionSlots({ db, clock, caps, onError, leaseMs: LEASE_MS })
  processes.push(slots)
  return slots
}

/** What a call holds while it takes slots of this tenant. */
const HOLD = sql(
  'test_hold_tenant',
  `select pg_advisory_xact_lock(hashtextextended('sockets.slots:' || $1::uuid, 0))`,
)
const COUNT = sql(
  'test_slots',
  'select coalesce(sum(taken), 0)::integer as taken from sockets.slot',
)
const counted = async (): Promise<number> =>
  (await database.db.query<{ taken: number }>(COUNT))[0]?.taken ?? -1

const untilCounted = (wanted: number): Promise<unknown> =>
  until(`${wanted} slots`, async () => (await counted()) === wanted)

const tally = (answers: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(answers, (answer) => answer)].map(([answer, all]) => [answer, all.length]),
  )

test('of many who ask at once in several processes an account gets as many as it may have', async () => {
  const all = await Promise.all([aProcess(), aProcess(), aProcess()])
  const slot = { channel: 'market', tenantId: newId(), accountId: newId() } as const
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => (all[i % 3] as ConnectionSlots).take(slot)),
  )
  assert.deepEqual(tally(answers), { taken: 5, account_full: 55 })
  assert.equal(await all[0]?.take({ ...slot, channel: 'user' }), 'taken', 'channels count apart')
  assert.equal(await all[0]?.take({ ...slot, accountId: newId() }), 'taken', 'accounts too')
})

test('all accounts together get as many as there are, of each channel', async () => {
  const all = await Promise.all([aProcess({ inAll: 30 }), aProcess({ inAll: 30 })])
  const ask = (channel: 'market' | 'user') =>
    Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (all[i % 2] as ConnectionSlots).take({
          ...{ channel, tenantId: newId(), accountId: newId() },
        }),
      ),
    )
  assert.deepEqual(tally(await ask('market')), { taken: 30, full: 20 })
  assert.deepEqual(tally(await ask('user')), { taken: 30, full: 20 })
})

test('near the total cap calls run one by one, and it is used to the last slot and never exceeded', async () => {
  // Far from it: two processes that do not see one batch of each other may take all but 200.
  const all = await Promise.all([aProcess({ inAll: 260 }), aProcess({ inAll: 260 })])
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      (all[i % 2] as ConnectionSlots).take({
        ...{ channel: 'market', tenantId: newId(), accountId: newId() },
      }),
    ),
  )
  assert.deepEqual(tally(answers), { taken: 260, full: 40 })
})

test('the accounts of a tenant share its cap, over all processes, of each channel', async () => {
  const all = await Promise.all([aProcess({ perTenant: 12 }), aProcess({ perTenant: 12 })])
  const tenantId = newId()
  const ask = (channel: 'market' | 'user', tenant = tenantId) =>
    Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (all[i % 2] as ConnectionSlots).take({ channel, tenantId: tenant, accountId: newId() }),
      ),
    )
  assert.deepEqual(tally(await ask('market')), { taken: 12, tenant_full: 8 })
  assert.deepEqual(tally(await ask('user')), { taken: 12, tenant_full: 8 })
  assert.deepEqual(tally(await ask('market', newId())), { taken: 12, tenant_full: 8 })
})

test('a tenant whose slots are being taken holds up no other', async () => {
  const [one, other] = [await aProcess(), await aProcess()]
  const slot = { channel: 'market', tenantId: newId(), accountId: newId() } as const
  const { held } = await database.db.transaction(async (tx) => {
    await tx.query(HOLD, [slot.tenantId])
    const held = one.take(slot)
    assert.equal(await other.take({ ...slot, tenantId: newId() }), 'taken')
    return { held }
  })
  assert.equal(await held, 'taken')
})

test('a slot that is given back is free for others', async () => {
  const [one, other] = [await aProcess(), await aProcess()]
  const slot = { channel: 'market', tenantId: newId(), accountId: newId() } as const
  for (let i = 0; i < 5; i++) assert.equal(await one.take(slot), 'taken')
  assert.equal(await other.take(slot), 'account_full')
  one.release(slot)
  one.release(slot)
  await untilCounted(3)
  assert.equal(await other.take(slot), 'taken')
  assert.equal(await other.take(slot), 'taken')
  assert.equal(await other.take(slot), 'account_full')
})

test('the slots of a process that died are free once its lease is over', async () => {
  const [dead, other] = [await aProcess(), await aProcess()]
  const slot = { channel: 'market', tenantId: newId(), accountId: newId() } as const
  for (let i = 0; i < 5; i++) await dead.take(slot)
  assert.equal(await other.take(slot), 'account_full')
  clock.advance(LEASE_MS + 1)
  assert.equal(await other.take(slot), 'taken')
})

test('one that was taken for dead registers again, with everything that it has', async () => {
  const [stopped, other] = [await aProcess(), await aProcess()]
  const slot = { channel: 'market', tenantId: newId(), accountId: newId() } as const
  for (let i = 0; i < 3; i++) await stopped.take(slot)
  clock.advance(LEASE_MS + 1)
  assert.equal(await other.take({ ...slot, accountId: newId() }), 'taken')
  assert.equal(await stopped.take(slot), 'taken', 'it is known again')
  assert.equal(await other.take(slot), 'taken')
  assert.equal(await other.take(slot), 'account_full', 'its four count')
})
