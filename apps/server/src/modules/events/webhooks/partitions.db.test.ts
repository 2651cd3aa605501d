// Deliveries by month against one table of them, and what keeps a month.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { firstNumberOf, keepPartitions, listPartitions, SPANS } from '#infra/database/partitions'
import { newId } from '#kernel/id'
import { beginNumbersOf, type DispatchedEvent } from '#outbox'
import { type Db, sql } from '../../../infra/database/db.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { until } from '../../../infra/testing/until.ts'
import { beginMonth, DELIVERIES_BY_MONTH } from './index.ts'
import {
  addDeadLetters,
  claimDeliveries,
  type Delivery,
  findDelivery,
  finishDeliveries,
  insertDeliveries,
  markDelivered,
  recoverDeliveries,
  requeueDeadLetters,
  skipOpenDeliveries,
  type Verdict,
} from './store/deliveries.ts'
import { disableEndpoint } from './store/endpoints.ts'
import { listDeliveries } from './store/list-deliveries.ts'

const DAY_MS = 24 * 3_600_000
const KEPT_DAYS = 60
/** Goes on from test to test, ahead of the clock of the database. */
let now = new Date('2100-03-01T12:00:00Z')
const { signal } = new AbortController()

let parted: TestDatabase
let plain: TestDatabase
before(async () => {
  parted = await testDatabase()
  plain = await testDatabase()
  for (const { db } of [parted, plain]) await db.script(BY_OUR_CLOCK)
  await plain.db.script(ONE_TABLE)
})
after(async () => {
  await parted.close()
  await plain.close()
})

/** The id of a delivery says when it was written: here by the clock of the test. */
const BY_OUR_CLOCK = `
  create table public.shift (of interval not null);
  insert into public.shift values ('0');
  create function public.shift() returns interval language sql as 'select of from public.shift';
  alter table webhooks.delivery alter column id set default uuidv7(public.shift());`
const SHIFT = sql('test.shift', 'update public.shift set of = $1::timestamptz - now()')

/** The schema without partitions: the table of before takes the place of its parent. */
const ONE_TABLE = `do $$ declare
  functions text := (
    select string_agg(pg_get_functiondef(oid), ';' order by proname desc) from pg_proc
    where prorettype = 'webhooks.delivery'::regtype);
  triggers text := (
    select string_agg(pg_get_triggerdef(oid), ';') from pg_trigger
    where tgrelid = 'webhooks.delivery'::regclass and not tgisinternal);
begin
  drop function webhooks.claim;
  drop function webhooks.claim_due;
  drop function webhooks.claim_next;
  alter table webhooks.delivery detach partition webhooks.delivery_first;
  drop table webhooks.delivery;
  alter table webhooks.delivery_first rename to delivery;
  execute functions;
  execute triggers;
end $$`

/** A month that no test before has touched. */
async function keepNewMonth(): Promise<string> {
  advance(40)
  await keep()
  return monthOf(now)
}
async function keep(): Promise<void> {
  for (const { db } of [parted, plain]) await db.query(SHIFT, [now])
  const run = { at: now, keptDays: KEPT_DAYS, signal }
  const partitions = await keepPartitions(parted.db, DELIVERIES_BY_MONTH, run)
  await beginMonth(parted.db, { partitions, at: now })
}
const advance = (days: number): void => {
  now = new Date(now.getTime() + Math.round(days * DAY_MS))
}
const months = () => listPartitions(parted.db, DELIVERIES_BY_MONTH)
const namesOfMonths = async () => (await months()).map(({ name }) => name)
const monthOf = (at: Date): string => `webhooks.delivery_${SPANS.month.suffix(at)}`

/** The same endpoint in both. */
async function givenEndpoint(tenantId: string): Promise<string> {
  const id = newId()
  for (const { db } of [parted, plain]) await db.query(ENDPOINT, [id, tenantId, now])
  return id
}
const ENDPOINT = sql(
  'test.endpoint',
  `insert into webhooks.endpoint (id, account_id, url, secret_sealed, proven_at, created_at, updated_at)
   values ($1, $2, 'https://shop.example/hooks', 'sealed', $3, $3, $3)`,
)

type GivenEvent = Omit<DispatchedEvent, 'id'> & { readonly numbers: readonly [bigint, bigint] }

const NUMBER = sql('test.number', 'select outbox.next_number() "number"')
const nextNumber = async ({ db }: TestDatabase): Promise<bigint> =>
  (await db.query<{ number: bigint }>(NUMBER))[0]?.number ?? 0n

async function anEvent(tenantId: string): Promise<GivenEvent> {
  const numbers = [await nextNumber(parted), await nextNumber(plain)] as const
  return {
    ...{ numbers, publicId: newId(now.getTime()), type: 'trade.hold', tenantId },
    ...{ accountId: tenantId, subjectId: newId(), payload: {}, createdAt: now },
  }
}

const dispatch = (db: Db, event: GivenEvent, id: bigint): Promise<void> =>
  db.transaction((tx) => insertDeliveries(tx, [{ ...event, id }], now))

async function dispatchInBoth(event: GivenEvent): Promise<void> {
  await dispatch(parted.db, event, event.numbers[0])
  await dispatch(plain.db, event, event.numbers[1])
}

const CAPACITY = {
  ...{ limit: 1000, perKey: 1000, perUnhealthyKey: 1000, perOwner: 1000, slow: 1000 },
  ...{ unproven: 1000, broadcasts: 1000, heldByOwner: {}, slowKeys: [], busyKeys: [] },
}
/** What is due, in one order for both. */
const claim = async (db: Db): Promise<Delivery[]> => {
  const leaseUntil = new Date(now.getTime() + 30_000)
  return (await claimDeliveries(db, { at: now, leaseUntil, capacity: CAPACITY })).sort(
    (one, other) => (keyOf(one) < keyOf(other) ? -1 : 1),
  )
}
const keyOf = ({ webhookId, endpointId }: Delivery): string => `${webhookId} ${endpointId}`

const finish = (db: Db, claimed: readonly Delivery[], status: Verdict['status']): Promise<void> =>
  db.transaction((tx) =>
    finishDeliveries(
      tx,
      claimed.map(({ id, number }) => ({ deliveryId: id, number, status, dueAt: now })),
      now,
    ),
  )

const ENABLE = sql(
  'test.enable',
  `update webhooks.endpoint set status = 'enabled', disabled_reason = null where id = $1`,
)

const VERDICTS = ['delivered', 'retrying', 'exhausted', 'deferred'] as const
const ACTS = [
  ...(['dispatch', 'again', 'park', 'requeueDeadLetters', 'resend', 'recover'] as const),
  ...(['disable', 'enable', ...VERDICTS] as const),
] as const
type Act = (typeof ACTS)[number]

/** On one of the two: what it answers must be the same on both. */
async function act(
  db: Db,
  kind: Act,
  { endpointId, tenantId }: { readonly endpointId: string; readonly tenantId: string },
): Promise<unknown> {
  switch (kind) {
    case 'park': {
      const claimed = await claim(db)
      await addDeadLetters(
        db,
        claimed.map((one) => ({ ...one, reason: 'a test' })),
      )
      return claimed.map(keyOf)
    }
    case 'requeueDeadLetters':
      return requeueDeadLetters(db, now)
    case 'recover': {
      const since = new Date(now.getTime() - 40 * DAY_MS)
      return recoverDeliveries(db, { endpointId, since, at: now, limit: 100 })
    }
    case 'resend': {
      const { items } = await listDeliveries(db, { endpointIds: [endpointId], limit: 1 })
      const found = await findDelivery(db, items[0]?.id ?? newId())
      if (found) await db.transaction((tx) => markDelivered(tx, found, now))
      return found && [found.tenantId === tenantId, keyOf(found)]
    }
    case 'disable':
      await db.transaction((tx) => disableEndpoint(tx, { id: endpointId, reason: 'x', at: now }))
      return skipOpenDeliveries(db, { at: now, limit: 100 })
    case 'enable':
      return db.query(ENABLE, [endpointId])
    case 'dispatch':
    case 'again':
      return null
    default: {
      const claimed = await claim(db)
      await finish(db, claimed, kind)
      return claimed.map(keyOf)
    }
  }
}

it('delivers, refuses a second one and lists as one table does, but for whole months that are over', async () => {
  const step = fc.record({
    days: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 25, noNaN: true })),
    kind: fc.oneof(fc.constant('dispatch' as const), fc.constantFrom(...ACTS)),
    which: fc.nat({ max: 20 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const tenantId = newId()
      const endpointIds = [await givenEndpoint(tenantId), await givenEndpoint(tenantId)] as const
      const events: GivenEvent[] = []
      for (const { days, which, kind } of steps) {
        advance(days)
        await keep()
        const known = events[which % Math.max(1, events.length)]
        if (kind === 'dispatch') {
          const event = await anEvent(tenantId)
          events.push(event)
          await dispatchInBoth(event)
        } else if (kind === 'again' && known && isYoung(known)) {
          await dispatchInBoth(known)
        }
        const of = { endpointId: endpointIds[which % 2] ?? endpointIds[0], tenantId }
        assert.deepEqual(await act(parted.db, kind, of), await act(plain.db, kind, of), kind)
        for (const status of [null, 'exhausted', 'retrying,skipped']) {
          assert.deepEqual(
            await listed(parted.db, { endpointIds, status }),
            await listed(plain.db, { endpointIds, status }),
          )
        }
      }
    }),
    { numRuns: 10 },
  )
})

const isYoung = ({ createdAt }: { readonly createdAt: Date }): boolean =>
  createdAt.getTime() >= now.getTime() - KEPT_DAYS * DAY_MS
const isOpen = ({ status }: Delivery): boolean => ['pending', 'retrying', 'parked'].includes(status)

/** What must be kept: the young, and what is not final. */
async function listed(
  db: Db,
  query: { readonly endpointIds: readonly string[]; readonly status: string | null },
) {
  const { items } = await listDeliveries(db, { ...query, limit: 100 })
  return items
    .filter((one) => isYoung(one) || isOpen(one))
    .map((one) => [keyOf(one), one.status, one.attempts, one.dueAt])
}

it('a month with a delivery that waits or is parked stays, and goes with the last of them', async () => {
  for (const open of ['pending', 'retrying', 'deferred', 'parked'] as const) {
    const month = await keepNewMonth()
    const endpointId = await givenEndpoint(newId())
    const id = await delivered(endpointId)
    await parted.db.query(SET, [id, open === 'deferred' ? 'pending' : open])
    advance(KEPT_DAYS + 40)
    await keep()
    assert.ok((await namesOfMonths()).includes(month), open)
    assert.ok(await findDelivery(parted.db, id))
    await parted.db.query(SET, [id, 'skipped'])
    await keep()
    assert.ok(!(await namesOfMonths()).includes(month), open)
    assert.equal(await findDelivery(parted.db, id), null)
  }
})

/** A delivery of this moment, in the partitioned table alone. */
async function delivered(endpointId: string): Promise<string> {
  const [row] = await parted.db.query<{ id: string }>(DELIVERED, [endpointId, now])
  return row?.id ?? ''
}
const DELIVERED = sql(
  'test.delivered',
  `insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
     status, due_at, created_at)
   values ($1, outbox.next_number(), 'trade.hold', $1, $1, $1, '{}', 'delivered', $2::timestamptz, $2) returning id`,
)
const SET = sql(
  'test.set',
  `update webhooks.delivery set status = $2, parked_reason = case when $2 = 'parked' then 'a test' end where id = $1`,
)

it('a month stays until its youngest delivery is as old, also where the next began late', async () => {
  const month = await keepNewMonth()
  const endpointId = await givenEndpoint(newId())
  // The job has not run since: the numbers are still those of the month before.
  advance(50)
  for (const { db } of [parted, plain]) await db.query(SHIFT, [now])
  const late = await delivered(endpointId)
  advance(KEPT_DAYS - 1)
  await keep()
  assert.ok((await namesOfMonths()).includes(month))
  assert.ok(await findDelivery(parted.db, late))
  advance(2)
  await keep()
  assert.ok(!(await namesOfMonths()).includes(month))
})

it('a month stays while an event of it waits to be dispatched, whose deliveries need their place', async () => {
  const month = await keepNewMonth()
  const tenantId = newId()
  await parted.db.query(EVENT, [tenantId, now])
  advance(KEPT_DAYS + 40)
  await keep()
  assert.ok((await namesOfMonths()).includes(month))
  await parted.db.query(DISPATCHED)
  await keep()
  assert.ok(!(await namesOfMonths()).includes(month))
})
const EVENT = sql(
  'test.event',
  `select outbox.add('trade.hold', 'trade', $1::uuid, $1::uuid, $1::uuid, '{}', $1, $2)`,
)
const DISPATCHED = sql('test.dispatched', 'select count(*) from outbox.dispatch(100, now())')

it('numbers begin with the month once it has its partition, and never go back', async () => {
  await keep()
  const first = firstNumberOf(SPANS.month.startOf(now))
  const given = await nextNumber(parted)
  assert.ok(given >= first && given < first + 10_000n, String(given))
  const begin = async (days: number) =>
    beginMonth(parted.db, {
      partitions: await months(),
      at: new Date(now.getTime() + days * DAY_MS),
    })
  await begin(-90)
  assert.equal(await nextNumber(parted), given + 1n)
  // A month that only the last partition has, which may get an end before it.
  await begin(200)
  assert.equal(await nextNumber(parted), given + 2n)
})

it('one caller at a time moves the numbers, so that none reads what another has left behind', async () => {
  await keep()
  const month = SPANS.month.startOf(now)
  const second = await parted.db.transaction(async (tx) => {
    await beginNumbersOf(tx, month)
    const waiting = beginNumbersOf(parted.db, month).then(() => true)
    await until('it waits', async () => (await parted.db.query(WAITING)).length > 0)
    return { waiting }
  })
  assert.equal(await second.waiting, true)
})
const WAITING = sql(
  'test.waiting',
  `select from pg_locks l join pg_database d on d.oid = l.database
   where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
)
