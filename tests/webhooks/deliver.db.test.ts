import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import {
  createWebhookSender,
  type OpenWebhookSender,
} from '../../apps/server/src/adapters/webhook-sender/index.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { type ManualClock, manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { addPerson } from '../../apps/server/src/modules/accounts/people/index.ts'
import { createDispatch, listEvents } from '../../apps/server/src/modules/events/outbox/index.ts'
import {
  countDeadLetters,
  createDelivering,
  type DeliveriesQuery,
  type Delivery,
  type DeliveryDeps,
  findEndpoint,
  insertDeliveries,
  listAttempts,
  listDeliveries,
  recover,
  requeueDeadLetters,
  resend,
  rotateSecret,
  sendTest,
  setEndpoint,
  skipOpenDeliveries,
  TEST_EVENT,
} from '../../apps/server/src/modules/events/webhooks/index.ts'
import { dialects } from '../../apps/server/src/wire/webhook.ts'
import { answerWith, type Received, type Receiver, startReceiver } from './receiver.ts'

const HOUR = 3_600_000
const secrets = createSecretBox([randomBytes(32)])

let database: TestDatabase
let sender: OpenWebhookSender
let receiver: Receiver
let clock: ManualClock
let tenantId: string
let developer: string
let secret: string

before(async () => {
  database = await testDatabase()
  sender = createWebhookSender({ isAllowedAddress: () => true })
})
after(async () => {
  await sender.close()
  await database.close()
})
afterEach(() => receiver.close())
beforeEach(async () => {
  receiver = await startReceiver()
  clock = manualClock(new Date('2026-11-21T10:00:00.000Z'))
  tenantId = newId()
  developer = `d-${tenantId}@example.com`
  await database.db.transaction((tx) =>
    addPerson(tx, {
      ...{ email: developer, passwordHash: 'none', at: clock.now() },
      membership: { accountId: tenantId, accountKind: 'merchant', role: 'developer' },
    }),
  )
  const made = await setEndpoint(endpointDeps(), { tenantId, url: receiver.url })
  secret = made.secret ?? ''
})

const endpointDeps = () => ({ db: database.db, clock, secrets, allowPrivate: true })
const deps = (more: Partial<DeliveryDeps> = {}): DeliveryDeps => ({
  db: database.db,
  clock,
  sender,
  secrets,
  chance: () => 0.5,
  dialects,
  render: async (deliveries) => deliveries.map(({ subjectId }) => ({ data: { about: subjectId } })),
  ...more,
})

const ADD = sql(
  'test.add',
  `select outbox.add($1, 'trade', $2::uuid, $2::uuid, $3::uuid, '{}', $3::uuid, $4)`,
)
async function happen(...events: readonly [type: string, subjectId: string][]): Promise<void> {
  for (const [type, subjectId] of events) {
    await database.db.query(ADD, [type, tenantId, subjectId, clock.now()])
  }
  const dispatch = createDispatch({ db: database.db, clock, consumers: [insertDeliveries] })
  while (await dispatch());
}
const deliver = (more: Partial<DeliveryDeps> = {}): Promise<boolean> =>
  createDelivering(deps(more))(new AbortController().signal)
const skipAll = async (limit = 1000): Promise<void> => {
  while ((await skipOpenDeliveries(database.db, { at: clock.now(), limit })) > 0);
}
const bodyOf = (received: Received | undefined) =>
  JSON.parse(received?.body ?? '{}') as {
    id: string
    type: string
    createdAt: string
    data: unknown
  }
const endpoint = async () => {
  const found = await findEndpoint(database.db, tenantId)
  assert.ok(found)
  return found
}
const deliveries = async (status: string | null = null) => {
  const query = { endpointIds: [(await endpoint()).id], status, limit: 100 }
  return (await listDeliveries(database.db, query)).items
}

function verify(received: Received, key: string, part: 's' | 's1' = 's'): boolean {
  const { headers, body } = received
  const fields = Object.fromEntries(
    String(headers['webhook-signature'])
      .split(',')
      .map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]),
  )
  assert.equal(fields.t, headers['webhook-timestamp'])
  const expected = createHmac('sha256', key)
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    .digest('base64url')
  return fields[part] === expected
}

describe('a delivery', () => {
  it('carries the envelope, the id of its event as webhook-id, and a signature over the raw body', async () => {
    const trade = newId()
    await happen(['trade.initiated', trade])
    await deliver()
    const [received] = receiver.received
    assert.ok(received)
    const body = bodyOf(received)
    assert.equal(body.type, 'trade.initiated')
    assert.equal(body.createdAt, '2026-11-21T10:00:00.000Z')
    assert.deepEqual(body.data, { about: trade })
    assert.equal(received.headers['webhook-id'], body.id)
    const events = { tenantId, direction: 'after', position: 0n, types: null, limit: 1 } as const
    assert.equal((await listEvents(database.db, events)).events[0]?.id, body.id)
    assert.equal(received.headers['user-agent'], 'Service-Webhooks/1.0')
    assert.equal(received.headers['content-type'], 'application/json')
    assert.ok(verify(received, secret))
    assert.equal((await deliveries('delivered')).length, 1)
  })

  it('is made once for each event, however often events are dispatched', async () => {
    await happen(['trade.initiated', newId()])
    await happen()
    await Promise.all([deliver(), deliver(), deliver()])
    assert.equal(receiver.received.length, 1)
  })

  it('is rendered from the state of each attempt, while id, type and time stay', async () => {
    await happen(['trade.initiated', newId()])
    receiver.answer = answerWith(500)
    await deliver({ render: async () => [{ data: { state: 'early' } }] })
    clock.advance(6_000)
    receiver.answer = answerWith(200)
    await deliver({ render: async () => [{ data: { state: 'late' } }] })
    const [first, second] = receiver.received.map(bodyOf)
    assert.deepEqual([first?.data, second?.data], [{ state: 'early' }, { state: 'late' }])
    assert.deepEqual({ ...first, data: null }, { ...second, data: null })
    const [one, two] = receiver.received
    assert.notEqual(one?.headers['webhook-timestamp'], two?.headers['webhook-timestamp'])
    assert.ok(two && verify(two, secret))
  })
})

describe('the order of deliveries', () => {
  it('of one trade is the order of its events, with several workers at once', async () => {
    const trades = Array.from({ length: 20 }, newId)
    const types = ['initiated', 'pending', 'active', 'hold', 'completed', 'settled']
    for (const type of types) {
      await happen(...trades.map((id): [string, string] => [`trade.${type}`, id]))
    }
    await Promise.all([deliver(), deliver(), deliver()])
    assert.equal(receiver.received.length, trades.length * types.length)
    for (const trade of trades) {
      const arrived = receiver.received
        .map(bodyOf)
        .filter((body) => (body.data as { about: string }).about === trade)
        .map((body) => body.type)
      assert.deepEqual(
        arrived,
        types.map((type) => `trade.${type}`),
      )
    }
  })

  it('lets a later event go as soon as the first attempt of an earlier one has failed', async () => {
    const trade = newId()
    await happen(['trade.initiated', trade], ['trade.pending', trade])
    receiver.answer = (received, response) =>
      answerWith(bodyOf(received).type === 'trade.initiated' ? 500 : 200)(received, response)
    await deliver()
    assert.deepEqual(
      receiver.received.map((received) => bodyOf(received).type),
      ['trade.initiated', 'trade.pending'],
    )
    assert.deepEqual((await deliveries()).map((delivery) => delivery.status).sort(), [
      'delivered',
      'retrying',
    ])
  })
})

describe('a failed attempt', () => {
  it('is made again on the schedule, under the same webhook-id, until the retries are spent', async () => {
    await happen(['trade.initiated', newId()])
    receiver.answer = answerWith(500)
    const waits = [5, 30, 120, 300, 900, 1800, 3600, 7200, 10_800, 14_400, 14_400]
    await deliver()
    for (const [i, seconds] of waits.entries()) {
      clock.advance(seconds * 1000 - 1)
      await deliver()
      assert.equal(receiver.received.length, i + 1, `no attempt before ${seconds} s`)
      clock.advance(1)
      await deliver()
      assert.equal(receiver.received.length, i + 2)
    }
    assert.equal(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size, 1)
    const [delivery] = await deliveries('exhausted')
    assert.equal(delivery?.attempts, 12)
    assert.equal(delivery?.lastStatus, 500)
  })

  it('is also a redirect, which is not followed', async () => {
    await happen(['trade.initiated', newId()])
    receiver.answer = answerWith(307, { location: receiver.url })
    await deliver()
    assert.equal(receiver.received.length, 1)
    assert.equal((await deliveries('retrying'))[0]?.lastStatus, 307)
  })

  it('is also a connection that is cut, and an answer that never comes', async () => {
    receiver.answer = (_, response) => response.destroy()
    const request = { owner: 'o', url: receiver.url, headers: {}, body: '{}', deadlineMs: 300 }
    assert.equal((await sender.post(request)).kind, 'failed')
    receiver.answer = () => {}
    assert.equal((await sender.post(request)).kind, 'timeout')
    receiver.answer = (_, response) => void response.writeHead(200).write('drip')
    assert.equal((await sender.post(request)).kind, 'timeout')
  })

  it('keeps the first 16 KiB of what came back', async () => {
    receiver.answer = answerWith(500, {}, 'x'.repeat(1_000_000))
    const answer = await sender.post({
      owner: 'o',
      url: receiver.url,
      headers: {},
      body: '{}',
      deadlineMs: 5000,
    })
    assert.equal(answer.kind === 'answered' && answer.body.length, 16_384)
  })

  it('by a worker that died is made again when its lease is over', async () => {
    await happen(['trade.initiated', newId()])
    const died = new Error('killed')
    const dying = deliver({
      sender: {
        post: async () => {
          throw died
        },
      },
    })
    await assert.rejects(dying, died)
    await deliver()
    assert.equal(receiver.received.length, 0, 'the lease still holds')
    clock.advance(31_000)
    await deliver()
    assert.equal(receiver.received.length, 1)
  })
})

describe('the secret', () => {
  it('after a rotation signs as s1 for the overlap, and then no more', async () => {
    const rotated = await rotateSecret(endpointDeps(), { tenantId, overlapHours: 24 })
    await happen(['trade.initiated', newId()])
    await deliver()
    clock.advance(24 * HOUR)
    await happen(['trade.pending', newId()])
    await deliver()
    const [during, afterwards] = receiver.received
    assert.ok(during && afterwards)
    assert.ok(verify(during, rotated))
    assert.ok(verify(during, secret, 's1'))
    assert.ok(verify(afterwards, rotated))
    assert.doesNotMatch(String(afterwards.headers['webhook-signature']), /s1=/)
  })

  it('is not readable in the database', async () => {
    assert.ok(!(await endpoint()).secretSealed.includes(secret.slice(6)))
  })
})

describe('an endpoint that fails', () => {
  /** The tenant's developer reads of it. */
  const mails = async (): Promise<string[]> => {
    const queued = await database.db.query<{ template: string }>(
      sql('test.mails', 'select template from mail.message where recipient = $1 order by id'),
      [developer],
    )
    return queued.map(({ template }) => template)
  }

  it('is disabled after 72 hours without a success, a spent delivery and ten failures, with two notices before', async () => {
    const notices: string[] = []
    const onNotice = (_: string, kind: string) => void notices.push(kind)
    receiver.answer = answerWith(500)
    await happen(['trade.initiated', newId()])
    for (let hours = 0; hours < 80; hours++) {
      await happen([`trade.test${hours}`, newId()])
      await deliver({ onNotice })
      clock.advance(HOUR)
      if ((await endpoint()).status === 'disabled') break
    }
    assert.deepEqual(notices, ['failing_24h', 'failing_48h', 'disabled'])
    assert.deepEqual(await mails(), ['webhook_failing', 'webhook_failing', 'webhook_disabled'])
    const { status, disabledReason, failingSince } = await endpoint()
    assert.equal(status, 'disabled')
    assert.match(String(disabledReason), /72 hours/)
    assert.ok(clock.now().getTime() - (failingSince?.getTime() ?? 0) >= 72 * HOUR)
    await skipAll()
    assert.equal((await deliveries('retrying')).length + (await deliveries('pending')).length, 0)
  })

  it('is forgiven by one success', async () => {
    receiver.answer = answerWith(500)
    await happen(['trade.initiated', newId()])
    await deliver()
    assert.ok((await endpoint()).failingSince)
    receiver.answer = answerWith(200)
    clock.advance(5_000)
    await deliver()
    assert.equal((await endpoint()).failingSince, null)
  })

  it('is unproven until its first success, and again at another address', async () => {
    const isProven = async () => (await endpoint()).provenAt !== null
    receiver.answer = answerWith(500)
    await happen(['trade.initiated', newId()])
    await deliver()
    assert.equal(await isProven(), false)
    receiver.answer = answerWith(200)
    clock.advance(5_000)
    await deliver()
    await setEndpoint(endpointDeps(), { tenantId, url: receiver.url })
    assert.equal(await isProven(), true)
    await setEndpoint(endpointDeps(), { tenantId, url: `${receiver.url}/other` })
    assert.equal(await isProven(), false)
  })

  it('is disabled at once by 410; what follows is skipped and can be recovered, oldest first', async () => {
    const trade = newId()
    receiver.answer = answerWith(410)
    await happen(['trade.initiated', trade])
    await deliver()
    assert.equal((await endpoint()).status, 'disabled')
    await happen(['trade.pending', trade])
    assert.equal((await deliveries('skipped')).length, 1)
    await deliver()
    assert.equal(receiver.received.length, 1)

    receiver.answer = answerWith(200)
    await setEndpoint(endpointDeps(), { tenantId, url: receiver.url })
    const since = new Date(clock.now().getTime() - HOUR)
    assert.equal(await recover({ db: database.db, clock }, { tenantId, since }), 2)
    clock.advance(1000)
    await deliver()
    assert.equal((await deliveries('delivered')).length, 2)
  })
})

describe('sending again by hand', () => {
  it('uses the same webhook-id and ends the delivery when it succeeds', async () => {
    await happen(['trade.initiated', newId()])
    receiver.answer = answerWith(500)
    await deliver()
    const [open] = await deliveries('retrying')
    assert.ok(open)
    const failed = await resend(deps(), { tenantId, deliveryId: open.id })
    assert.deepEqual(failed, { delivered: false, status: 500, error: 'answered 500' })
    const [still] = await deliveries('retrying')
    assert.equal(still?.attempts, 1, 'a manual attempt does not spend a retry')
    receiver.answer = answerWith(200)
    assert.equal((await resend(deps(), { tenantId, deliveryId: open.id })).delivered, true)
    assert.equal((await deliveries('delivered')).length, 1)
    assert.equal(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size, 1)
  })

  it('of another merchant’s delivery is not found', async () => {
    await happen(['trade.initiated', newId()])
    const [delivery] = await deliveries()
    await assert.rejects(
      resend(deps(), { tenantId: newId(), deliveryId: (delivery as Delivery).id }),
      /NOT_FOUND/,
    )
  })
})

describe('a test of the endpoint', () => {
  it('is listed as a test with its attempt and answer, is not retried, and can be sent again', async () => {
    receiver.answer = answerWith(500, {}, 'not yet')
    const test = await sendTest(deps(), { tenantId })
    assert.deepEqual([test.delivered, test.status], [false, 500])
    const [listed] = await deliveries()
    assert.ok(listed)
    assert.deepEqual([listed.id, listed.eventType], [test.deliveryId, TEST_EVENT])
    assert.deepEqual([listed.status, listed.attempts, listed.lastStatus], ['exhausted', 1, 500])
    const [attempt] = await listAttempts(database.db, { deliveryId: listed.id, tenantId })
    assert.deepEqual([attempt?.responseBody, attempt?.manual], ['not yet', false])
    clock.advance(HOUR)
    await deliver()
    assert.equal(receiver.received.length, 1)
    assert.equal((await endpoint()).failingSince, null)

    receiver.answer = answerWith(200)
    const again = await resend(deps(), { tenantId, deliveryId: listed.id })
    assert.equal(again.delivered, true)
    assert.equal((await deliveries('delivered'))[0]?.id, listed.id)
    const ids = receiver.received.map((received) => bodyOf(received).id)
    assert.deepEqual(ids, [listed.id, listed.id])
  })

  it('is found among the events of its time, and is none of them', async () => {
    await happen(['trade.initiated', newId()])
    clock.advance(HOUR)
    await sendTest(deps(), { tenantId })
    clock.advance(HOUR)
    await happen(['trade.pending', newId()])
    const newestFirst = (await deliveries()).map(({ eventType }) => eventType)
    assert.deepEqual(newestFirst, ['trade.pending', TEST_EVENT, 'trade.initiated'])
    const events = { tenantId, direction: 'after', position: 0n, types: null, limit: 9 } as const
    assert.equal((await listEvents(database.db, events)).events.length, 2)
  })
})

describe('an address of the own network', () => {
  const guarded = createWebhookSender({
    isAllowedAddress: (address) => !address.startsWith('127.') && address !== '::1',
  })
  after(() => guarded.close())

  it('is not posted to, be it written as a number or as a name that resolves to it', async () => {
    const port = new URL(receiver.url).port
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433']) {
      const url = `http://${host}:${port}/hook`
      const answer = await guarded.post({
        owner: 'o',
        url,
        headers: {},
        body: '{}',
        deadlineMs: 2000,
      })
      assert.deepEqual(answer, { kind: 'blocked' }, host)
    }
    assert.equal(receiver.received.length, 0)
  })

  it('is refused when the endpoint is set', async () => {
    const strict = { ...endpointDeps(), allowPrivate: false }
    for (const url of ['http://example.com/', 'https://localhost/', 'https://169.254.169.254/']) {
      await assert.rejects(setEndpoint(strict, { tenantId, url }), /VALIDATION_FAILED/)
    }
  })
})

it('deliveries are listed newest first, page by page', async () => {
  const types = ['trade.initiated', 'trade.pending', 'trade.active', 'trade.hold', 'trade.settled']
  for (const type of types) await happen([type, newId()])
  const endpointId = (await endpoint()).id
  const seen: string[] = []
  for (let cursor: string | null = null; ; ) {
    const page = await listDeliveries(database.db, { endpointIds: [endpointId], cursor, limit: 2 })
    seen.push(...page.items.map(({ eventType }) => eventType))
    cursor = page.nextCursor
    if (cursor === null) break
  }
  assert.deepEqual(seen, types.toReversed())
})

describe('deliveries are found', () => {
  const find = async (query: Omit<DeliveriesQuery, 'endpointIds' | 'limit'>, limit = 10) => {
    const asked = { ...query, endpointIds: [(await endpoint()).id], limit }
    const { items, nextCursor } = await listDeliveries(database.db, asked)
    return { types: items.map(({ eventType }) => eventType), nextCursor }
  }

  it('by type, by what they are about, and by the time of their events', async () => {
    const subjectId = newId()
    const times: Date[] = []
    for (const type of ['trade.initiated', 'trade.pending', 'trade.active', 'trade.hold']) {
      times.push(clock.now())
      await happen([type, subjectId], ['trade.settled', newId()])
      clock.advance(HOUR)
    }
    const [, from = null, , to = null] = times
    assert.deepEqual((await find({ type: 'trade.active' })).types, ['trade.active'])
    const ofSubject = ['trade.hold', 'trade.active', 'trade.pending', 'trade.initiated']
    assert.deepEqual((await find({ subjectId })).types, ofSubject)
    const middle = ofSubject.slice(1, 3)
    assert.deepEqual((await find({ subjectId, from, to })).types, middle)
    const between = await find({ from, to })
    assert.deepEqual(
      between.types.filter((type) => type !== 'trade.settled'),
      middle,
    )
    assert.equal(between.types.length, 4)
    const first = await find({ from, to }, 3)
    assert.equal(first.types.length, 3)
    const rest = await find({ from, to, cursor: first.nextCursor })
    assert.deepEqual([...first.types, ...rest.types], between.types)
    assert.deepEqual(await find({ subjectId: newId() }), { types: [], nextCursor: null })
    assert.deepEqual(await find({ from: clock.now() }), { types: [], nextCursor: null })
  })

  it('among 10,000 in one call, which reports where the next call goes on', async () => {
    await happen(['trade.declined', newId()])
    await database.db.query(MANY, [tenantId, clock.now(), 10_500])
    const first = await find({ type: 'trade.declined' })
    assert.deepEqual(first.types, [])
    assert.notEqual(first.nextCursor, null)
    const next = await find({ type: 'trade.declined', cursor: first.nextCursor })
    assert.deepEqual(next, { types: ['trade.declined'], nextCursor: null })
    assert.equal((await find({})).types.length, 10)
  })

  const MANY = sql(
    'test.many_deliveries',
    `insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
       status, due_at, created_at, finished_at)
     select e.id, 1000000 + n, 'trade.pending', e.tenant_id, e.tenant_id, gen_random_uuid(), '{}', 'delivered', $2, $2, $2
     from webhooks.endpoint e, generate_series(1, $3) n where e.tenant_id = $1`,
  )
})

describe('an event that cannot be rendered', () => {
  const failing = (bad: string): Partial<DeliveryDeps> => ({
    render: async (claimed) =>
      claimed.map(({ subjectId }) =>
        subjectId === bad ? { error: new Error('no renderer') } : { data: { about: subjectId } },
      ),
  })

  it('parks its own delivery, and every other one goes on, also of the same subject', async () => {
    const [good, bad] = [newId(), newId()]
    const deadLetters: string[] = []
    await happen(['trade.initiated', bad], ['trade.initiated', good])
    await deliver({
      ...failing(bad),
      onDeadLetter: ({ subjectId }) => void deadLetters.push(subjectId),
    })
    await happen(['trade.pending', bad])
    await deliver()
    const arrived = receiver.received.map(bodyOf).map(({ type, data }) => ({ type, data }))
    assert.deepEqual(arrived, [
      { type: 'trade.initiated', data: { about: good } },
      { type: 'trade.pending', data: { about: bad } },
    ])
    assert.deepEqual(deadLetters, [bad])
    assert.equal((await deliveries('parked')).length, 1)
    assert.equal((await endpoint()).failingSince, null, 'the endpoint did not fail')
    assert.equal(await requeueDeadLetters(database.db, clock.now()), 1)
    await deliver()
    assert.equal(receiver.received.length, 3)
  })

  it('is visible to operators by type and reason, and is delivered when it is tried again', async () => {
    const bad = newId()
    await happen(['trade.initiated', bad])
    await deliver(failing(bad))
    const [group] = await countDeadLetters(database.db)
    assert.deepEqual(
      { type: group?.eventType, reason: group?.reason, count: group?.count },
      { type: 'trade.initiated', reason: 'no renderer', count: 1 },
    )
    assert.equal(await requeueDeadLetters(database.db, clock.now()), 1)
    await deliver()
    assert.deepEqual(bodyOf(receiver.received[0]).data, { about: bad })
    assert.deepEqual(await countDeadLetters(database.db), [])
    const [delivery] = await deliveries('delivered')
    assert.equal(delivery?.attempts, 1, 'no retry was spent')
  })
})
