// What goes wrong with one endpoint, with our name server or with this process stays there: silent name
// servers, rebinding, a busy host, a stalled process, a row that is locked.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'
import {
  createWebhookSender,
  type WebhookSenderOptions,
} from '../../apps/server/src/adapters/webhook-sender/index.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { type ManualClock, manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import {
  startNameServer,
  type TestNameServer,
} from '../../apps/server/src/infra/testing/name-server.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { createDispatch } from '../../apps/server/src/modules/events/outbox/index.ts'
import {
  createDelivering,
  type DeliveryDeps,
  findEndpoint,
  insertDeliveries,
  isAllowedAddress,
  listDeliveries,
  setEndpoint,
} from '../../apps/server/src/modules/events/webhooks/index.ts'
import { dialects } from '../../apps/server/src/wire/webhook.ts'
import { answerWith, startReceiver } from './receiver.ts'

/** Half of what production allows: a silent name server is waited for eight times in a row here. */
const NAME_DEADLINE_MS = 2000

const secrets = createSecretBox([randomBytes(32)])
let database: TestDatabase
let nameServer: TestNameServer
let clock: ManualClock
before(async () => {
  database = await testDatabase()
  nameServer = await startNameServer()
})
after(async () => {
  await nameServer.close()
  await database.close()
})
beforeEach(async () => {
  await database.db.script('truncate webhooks.endpoint, webhooks.delivery, outbox.event')
  nameServer.names.clear()
  clock = manualClock(new Date('2026-11-21T10:00:00.000Z'))
})

function givenSender(t: TestContext, options: Partial<WebhookSenderOptions> = {}) {
  const sender = createWebhookSender({
    isAllowedAddress: () => true,
    names: { servers: [nameServer.address], deadlineMs: NAME_DEADLINE_MS },
    ...options,
  })
  t.after(() => sender.close())
  return sender
}

async function givenReceiver(t: TestContext, name?: string) {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  if (name === undefined) return { receiver, url: receiver.url }
  nameServer.names.set(name, ['127.0.0.1'])
  return { receiver, url: receiver.url.replace('127.0.0.1', name) }
}

async function givenEndpoint(url: string): Promise<string> {
  const tenantId = newId()
  await setEndpoint({ db: database.db, clock, secrets, allowPrivate: true }, { tenantId, url })
  return tenantId
}

const ADD = sql(
  'test.add',
  `select outbox.add('trade.initiated', 'trade', $1::uuid, $1::uuid, uuidv7(), '{}', uuidv7(), $3)
   from generate_series(1, $2::int)`,
)
async function happen(tenantId: string, count = 1): Promise<void> {
  const { db } = database
  await db.query(ADD, [tenantId, count, clock.now()])
  const dispatch = createDispatch({ db, clock, consumers: [insertDeliveries] })
  while (await dispatch());
}

const deliver = (sender: DeliveryDeps['sender'], more: Partial<DeliveryDeps> = {}) =>
  createDelivering({
    ...{ db: database.db, clock, secrets, sender, chance: () => 0.5 },
    dialects,
    render: async (claimed) => claimed.map(() => ({ data: {} })),
    ...more,
  })(new AbortController().signal)

async function stateOf(tenantId: string) {
  const endpoint = await findEndpoint(database.db, tenantId)
  assert.ok(endpoint)
  const query = { endpointIds: [endpoint.id], limit: 200 }
  const { items: deliveries } = await listDeliveries(database.db, query)
  return { endpoint, deliveries, statuses: deliveries.map(({ status }) => status) }
}

describe('a host whose name server is silent', () => {
  it('holds up no other host: 50 of its deliveries hang while those of another arrive', async (t) => {
    const sender = givenSender(t)
    nameServer.names.set('silent.example', null)
    const { receiver, url } = await givenReceiver(t, 'good.example')
    const silent = await givenEndpoint('http://silent.example/hook')
    const good = await givenEndpoint(url)
    await happen(silent, 50)
    await happen(good, 50)
    const order: string[] = []
    await deliver(sender, {
      onAttempt: ({ tenantId }) => void order.push(tenantId === good ? 'good' : 'silent'),
    })
    assert.equal(receiver.received.length, 50)
    assert.deepEqual(order, [...Array(50).fill('good'), ...Array(50).fill('silent')])
    assert.deepEqual(new Set((await stateOf(good)).statuses), new Set(['delivered']))
  })

  it('has its failure counted while other names are answered', async (t) => {
    const sender = givenSender(t)
    nameServer.names.set('silent.example', null)
    const { url } = await givenReceiver(t, 'good.example')
    const [silent, good] = [await givenEndpoint('http://silent.example/'), await givenEndpoint(url)]
    await happen(silent)
    await happen(good)
    await deliver(sender)
    const { endpoint, deliveries } = await stateOf(silent)
    assert.ok(endpoint.failingSince)
    assert.deepEqual(
      deliveries.map(({ status, attempts, lastError }) => [status, attempts, lastError]),
      [['retrying', 1, 'name not resolved']],
    )
  })
})

describe('a name server of ours that is silent about everything', () => {
  it('is no failure of an endpoint for an hour, and one afterwards', async (t) => {
    nameServer.names.set('good.example', null)
    const tenantId = await givenEndpoint('http://good.example/hook')
    await happen(tenantId)
    await deliver(givenSender(t))
    const deferred = await stateOf(tenantId)
    assert.equal(deferred.endpoint.failingSince, null)
    assert.deepEqual(
      deferred.deliveries.map(({ status, attempts }) => [status, attempts]),
      [['pending', 0]],
    )
    clock.advance(3_600_000)
    await deliver(givenSender(t))
    const failed = await stateOf(tenantId)
    assert.ok(failed.endpoint.failingSince)
    assert.deepEqual(failed.statuses, ['retrying'])
  })

  it('delays a delivery until it answers again', async (t) => {
    nameServer.names.set('good.example', null)
    const { receiver, url } = await givenReceiver(t)
    const tenantId = await givenEndpoint(url.replace('127.0.0.1', 'good.example'))
    await happen(tenantId)
    const sender = givenSender(t)
    await deliver(sender)
    nameServer.names.set('good.example', ['127.0.0.1'])
    clock.advance(20_000)
    await deliver(sender)
    assert.equal(receiver.received.length, 1)
    assert.deepEqual((await stateOf(tenantId)).statuses, ['delivered'])
  })
})

it('a name that leads elsewhere the second time is blocked then (DNS rebinding)', async (t) => {
  // 127.0.0.2 stands for a public address: no test may depend on one.
  const server = createServer((_, response) => response.setHeader('connection', 'close').end('ok'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const sender = givenSender(t, {
    isAllowedAddress: (address) => address === '127.0.0.2',
  })
  const request = {
    ...{ owner: 'o', url: `http://rebinding.example:${port}/`, headers: {}, body: '{}' },
    deadlineMs: 5000,
  }
  nameServer.names.set('rebinding.example', ['127.0.0.2'])
  assert.equal((await sender.post(request)).kind, 'answered')
  for (const answers of [['127.0.0.1'], ['127.0.0.2', '127.0.0.1']]) {
    nameServer.names.set('rebinding.example', answers)
    assert.deepEqual(await sender.post(request), { kind: 'blocked' })
  }
})

it('a link-local or metadata address is blocked as a number and behind a name, where private ones are allowed', async (t) => {
  const sender = givenSender(t, {
    isAllowedAddress: (address) => isAllowedAddress(address, { allowPrivate: true }),
  })
  const { receiver, url } = await givenReceiver(t, 'shop.example')
  const post = (to: string) =>
    sender.post({ owner: 'o', url: to, headers: {}, body: '{}', deadlineMs: 5000 })
  assert.equal((await post(url)).kind, 'answered')
  const metadata = '169.254.169.254'
  for (const answers of [[metadata], ['127.0.0.1', metadata], ['0.0.0.0'], ['224.0.0.1']]) {
    nameServer.names.set('meta.example', answers)
    const answer = await post(url.replace('shop.example', 'meta.example'))
    assert.deepEqual(answer, { kind: 'blocked' }, `${answers}`)
  }
  for (const host of [metadata, '2852039166', '[fe80::1]', '[::ffff:a9fe:a9fe]', '0']) {
    assert.deepEqual(await post(url.replace('shop.example', host)), { kind: 'blocked' }, host)
  }
  assert.equal(receiver.received.length, 1)
})

it('one host has a bounded number of attempts under way, one owner half of them; more are deferred and not counted', async (t) => {
  const sender = givenSender(t, { perHost: 6 })
  const { receiver, url } = await givenReceiver(t)
  const held: (() => void)[] = []
  receiver.answer = (_, response) => {
    held.push(() => response.end('ok'))
    if (held.length === 6) for (const release of held) release()
  }
  const [first, second, third] = [
    await givenEndpoint(url),
    await givenEndpoint(url),
    await givenEndpoint(url),
  ]
  await happen(first, 5)
  await happen(second, 4)
  await happen(third, 1)
  await deliver(sender)
  const states = await Promise.all([first, second, third].map(stateOf))
  const counted = states.map(({ deliveries }) =>
    deliveries.map(({ status, attempts }) => `${status} ${attempts}`).sort(),
  )
  const sum = counted.flat().filter((each) => each === 'delivered 1').length
  assert.equal(sum, 6)
  assert.ok(counted.every((each) => each.filter((one) => one === 'delivered 1').length <= 3))
  assert.equal(counted.flat().filter((each) => each === 'pending 0').length, 4)
  for (const { endpoint } of states) assert.equal(endpoint.failingSince, null)
})

it('a timeout while this process stood still is not the endpoint’s', async (t) => {
  const sender = givenSender(t)
  const { receiver, url } = await givenReceiver(t)
  receiver.answer = () => {}
  const request = { owner: 'o', url, headers: {}, body: '{}', deadlineMs: 1500 }
  assert.equal((await sender.post(request)).kind, 'timeout')
  const posting = sender.post(request)
  // The event loop does nothing at all, as when the process is suspended.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)
  assert.deepEqual(await posting, { kind: 'deferred', cause: 'stalled' })
})

const LOCK = sql('test.lock', 'select id from webhooks.endpoint where tenant_id = $1 for update')

it('results that cannot be recorded for one tenant are recorded for the others', async (t) => {
  const { db } = database
  const sender = givenSender(t)
  const { receiver, url } = await givenReceiver(t)
  // All at once, so that their results are recorded together.
  const held: (() => void)[] = []
  receiver.answer = (request, response) => {
    held.push(() => answerWith(500)(request, response))
    if (held.length === 3) for (const release of held) release()
  }
  const [locked, ...others] = await Promise.all([1, 2, 3].map(() => givenEndpoint(url)))
  for (const tenantId of [locked, ...others]) await happen(tenantId ?? '')
  const lost: number[] = []
  await db.transaction(async (tx) => {
    await tx.query(LOCK, [locked])
    await deliver(sender, { onUnrecorded: (_, count) => void lost.push(count) })
  })
  assert.deepEqual(lost, [1])
  for (const tenantId of others) {
    assert.deepEqual((await stateOf(tenantId)).statuses, ['retrying'])
  }
  assert.deepEqual((await stateOf(locked ?? '')).statuses, ['pending'])
  clock.advance(31_000)
  receiver.answer = answerWith(200)
  await deliver(sender)
  assert.deepEqual((await stateOf(locked ?? '')).statuses, ['delivered'])
})
