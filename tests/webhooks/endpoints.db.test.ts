// Several endpoints of one account: each with its own events, secret, order, retries and state.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  createWebhookSender,
  type OpenWebhookSender,
} from '../../apps/server/src/adapters/webhook-sender/index.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { type ManualClock, manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { createDispatch } from '../../apps/server/src/modules/events/outbox/index.ts'
import {
  changeEndpoint,
  createDelivering,
  createEndpoint,
  type DeliveryDeps,
  type Endpoint,
  findEndpoint,
  insertDeliveries,
  listDeliveries,
  removeEndpoint,
  resend,
  rotateSecret,
  sendTest,
  setEndpoint,
} from '../../apps/server/src/modules/events/webhooks/index.ts'
import { disableEndpoint } from '../../apps/server/src/modules/events/webhooks/store/endpoints.ts'
import { dialects } from '../../apps/server/src/wire/webhook.ts'
import { verifySignature } from '../../packages/sdk/src/webhooks/signature.ts'
import { answerWith, type Received, type Receiver, startReceiver } from './receiver.ts'

const secrets = createSecretBox([randomBytes(32)])
let database: TestDatabase
let sender: OpenWebhookSender
let clock: ManualClock
before(async () => {
  database = await testDatabase()
  sender = createWebhookSender({ isAllowedAddress: () => true })
})
after(async () => {
  await sender.close()
  await database.close()
})
beforeEach(async () => {
  await database.db.script('truncate webhooks.endpoint, webhooks.delivery, outbox.event')
  clock = manualClock(new Date())
})

const settings = () => ({ clock, secrets, allowPrivate: true })

async function givenReceiver(t: TestContext): Promise<Receiver> {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  return receiver
}

/** Another endpoint of an account; each is created a second after the one before. */
async function add(
  tenantId: string,
  url: string,
  more: Partial<Pick<Endpoint, 'events' | 'signature' | 'dialect' | 'parentId'>> = {},
) {
  clock.advance(1000)
  return database.db.transaction((tx) =>
    createEndpoint(
      { ...settings(), db: tx },
      {
        ...{ tenantId, url, description: '', mayApprove: true },
        ...{ events: null, signature: 'service', dialect: 'merchant', parentId: null },
        ...more,
      },
    ),
  )
}

const ADD = sql(
  'test.add',
  `select outbox.add($1, 'trade', $2::uuid, $3::uuid, coalesce($4::uuid, uuidv7()), '{}', uuidv7(), $5)
   from generate_series(1, $6::int)`,
)
async function happen(
  tenantId: string,
  type: string,
  more: { readonly subject?: string; readonly account?: string; readonly count?: number } = {},
): Promise<void> {
  const { subject = null, account = tenantId, count = 1 } = more
  await database.db.query(ADD, [type, tenantId, account, subject, clock.now(), count])
  const dispatch = createDispatch({ db: database.db, clock, consumers: [insertDeliveries] })
  while (await dispatch());
}

const deps = (more: Partial<DeliveryDeps> = {}): DeliveryDeps => ({
  ...{ db: database.db, clock, secrets, sender, dialects, chance: () => 0.5 },
  render: async (claimed) => claimed.map(({ subjectId }) => ({ data: { about: subjectId } })),
  ...more,
})
const deliver = (more: Partial<DeliveryDeps> = {}) =>
  createDelivering(deps(more))(new AbortController().signal)

const typesOf = ({ received }: Receiver): string[] =>
  received.map(({ body }) => (JSON.parse(body) as { type: string }).type)
const statusesOf = async (...endpoints: readonly Pick<Endpoint, 'id'>[]): Promise<string[]> => {
  const endpointIds = endpoints.map(({ id }) => id)
  const { items } = await listDeliveries(database.db, { endpointIds, limit: 100 })
  return items.map(({ status }) => status)
}

describe('an event', () => {
  it('goes to each endpoint of its account that wants it, under one id', async (t) => {
    const [all, some, none] = [
      await givenReceiver(t),
      await givenReceiver(t),
      await givenReceiver(t),
    ]
    const tenantId = newId()
    await add(tenantId, all.url)
    await add(tenantId, some.url, { events: ['trade.hold', 'trade.settled'] })
    await add(tenantId, none.url, { events: ['deposit.completed'] })
    for (const type of ['trade.initiated', 'trade.hold']) await happen(tenantId, type)
    await deliver()
    assert.deepEqual(typesOf(all).sort(), ['trade.hold', 'trade.initiated'])
    assert.deepEqual(typesOf(some), ['trade.hold'])
    assert.deepEqual(typesOf(none), [])
    const ofAll = all.received.find(({ body }) => body.includes('"trade.hold"'))
    assert.equal(ofAll?.headers['webhook-id'], some.received[0]?.headers['webhook-id'])
  })

  it('goes to an endpoint that is added later from then on', async (t) => {
    const [first, later] = [await givenReceiver(t), await givenReceiver(t)]
    const tenantId = newId()
    await add(tenantId, first.url)
    await happen(tenantId, 'trade.initiated')
    await add(tenantId, later.url)
    await happen(tenantId, 'trade.hold')
    await deliver()
    assert.equal(first.received.length, 2)
    assert.deepEqual(typesOf(later), ['trade.hold'])
  })

  it('of a child goes to the child’s endpoints, and to all of its partner’s once it has none', async (t) => {
    const [own, partners, others] = [
      await givenReceiver(t),
      await givenReceiver(t),
      await givenReceiver(t),
    ]
    const [partner, child] = [newId(), newId()]
    await add(partner, partners.url, { dialect: 'partner' })
    await add(partner, others.url, { dialect: 'partner', events: ['order.updated'] })
    const { endpoint } = await add(child, own.url, { dialect: 'partner', parentId: partner })
    await happen(partner, 'trade.hold', { account: child })
    await deliver()
    const counts = () => [own, partners, others].map(({ received }) => received.length)
    assert.deepEqual(counts(), [1, 0, 0])
    await database.db.transaction((tx) => removeEndpoint(tx, endpoint.id, clock.now()))
    await happen(partner, 'trade.hold', { account: child })
    await deliver()
    assert.deepEqual(counts(), [1, 1, 1])
  })
})

describe('one endpoint', () => {
  it('that fails is retried and disabled by itself: another of its account gets everything', async (t) => {
    const [bad, good] = [await givenReceiver(t), await givenReceiver(t)]
    const tenantId = newId()
    const { endpoint: failing } = await add(tenantId, bad.url)
    const { endpoint: well } = await add(tenantId, good.url)
    const subject = newId()
    bad.answer = answerWith(500)
    await happen(tenantId, 'trade.initiated', { subject })
    await deliver()
    assert.deepEqual(
      [await statusesOf(failing), await statusesOf(well)],
      [['retrying'], ['delivered']],
    )
    bad.answer = answerWith(410)
    await happen(tenantId, 'trade.pending', { subject })
    await deliver()
    await happen(tenantId, 'trade.hold', { subject })
    await deliver()
    assert.deepEqual(typesOf(good), ['trade.initiated', 'trade.pending', 'trade.hold'])
    assert.equal((await findEndpoint(database.db, tenantId))?.status, 'disabled')
    assert.ok((await statusesOf(failing)).includes('skipped'))
    assert.deepEqual(new Set(await statusesOf(well)), new Set(['delivered']))
  })

  it('that hangs with a backlog leaves those of its account at the same host their permits', async (t) => {
    const receiver = await givenReceiver(t)
    const tenantId = newId()
    const { endpoint: hung } = await add(tenantId, `${receiver.url}/hangs`)
    const { endpoint: well } = await add(tenantId, `${receiver.url}/well`)
    // Both have answered before, so that neither is held back for being new.
    await happen(tenantId, 'trade.initiated')
    await deliver()
    const waiting: (() => void)[] = []
    receiver.answer = ({ path }, response) => {
      if (path.endsWith('/hangs')) waiting.push(() => response.end())
      else response.end()
    }
    await happen(tenantId, 'trade.hold', { count: 200 })
    const order: string[] = []
    await deliver({
      onAttempt: ({ endpointId }) => {
        order.push(endpointId)
        const count = order.filter((id) => id === well.id).length
        // The hung ones are answered only when all of the other's have arrived.
        if (count === 200) {
          receiver.answer = (_, response) => response.end()
          for (const answer of waiting.splice(0)) answer()
        }
      },
    })
    assert.deepEqual(new Set(order.slice(0, 200)), new Set([well.id]))
    assert.deepEqual(new Set(await statusesOf(hung)), new Set(['delivered']))
  })

  it('is disabled and made active again by its account, and what came meanwhile is kept as skipped', async (t) => {
    const receiver = await givenReceiver(t)
    const tenantId = newId()
    const { endpoint } = await add(tenantId, receiver.url)
    const change = (was: Endpoint, status: Endpoint['status']) =>
      database.db.transaction((tx) => changeEndpoint({ ...settings(), db: tx }, was, { status }))
    const disabled = await change(endpoint, 'disabled')
    assert.deepEqual(
      [disabled.status, disabled.disabledReason],
      ['disabled', 'it was disabled by its account'],
    )
    await happen(tenantId, 'trade.initiated')
    const active = await change(disabled, 'enabled')
    assert.deepEqual([active.status, active.disabledReason], ['enabled', null])
    await happen(tenantId, 'trade.hold')
    await deliver()
    assert.deepEqual(typesOf(receiver), ['trade.hold'])
    assert.deepEqual(await statusesOf(endpoint), ['delivered', 'skipped'])
  })
})

it('a change of an endpoint does not enable one that was disabled since it was read', async () => {
  const tenantId = newId()
  const { endpoint } = await add(tenantId, 'http://127.0.0.1:9/hook')
  const change = (changes: Parameters<typeof changeEndpoint>[2]) =>
    database.db.transaction((tx) => changeEndpoint({ ...settings(), db: tx }, endpoint, changes))
  await database.db.transaction((tx) =>
    disableEndpoint(tx, { id: endpoint.id, reason: 'no success for 72 hours', at: clock.now() }),
  )
  const described = await change({ description: 'books' })
  assert.deepEqual(
    [described.description, described.status, described.disabledReason],
    ['books', 'disabled', 'no success for 72 hours'],
  )
  assert.equal((await change({ status: 'disabled' })).disabledReason, 'no success for 72 hours')
  assert.deepEqual((await change({ status: 'enabled' })).disabledReason, null)
})

describe('the signature of Standard Webhooks', () => {
  const verifiedBy = ({ headers, body }: Received, secret: string) =>
    new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string }

  it('is verified by the published library and by the SDK, also by both secrets of a rotation', async (t) => {
    const receiver = await givenReceiver(t)
    const tenantId = newId()
    const { endpoint, secret } = await add(tenantId, receiver.url, { signature: 'standard' })
    await happen(tenantId, 'trade.initiated')
    await deliver()
    const [first] = receiver.received
    assert.ok(first)
    assert.equal(verifiedBy(first, secret).type, 'trade.initiated')
    const name = { tenantId, endpointId: endpoint.id }
    const rotated = await rotateSecret(
      { ...settings(), db: database.db },
      { ...name, overlapHours: 24 },
    )
    await sendTest(deps(), name)
    const second = receiver.received.at(-1)
    assert.ok(second)
    for (const one of [secret, rotated]) {
      assert.equal(verifiedBy(second, one).type, 'webhook.test')
      const { id } = await verifySignature(second, { secret: one })
      assert.equal(id, second.headers['webhook-id'])
      await assert.rejects(
        verifySignature({ ...second, body: '{}' }, { secret: one }),
        /no signature is that/,
      )
    }
    assert.throws(() => verifiedBy(first, rotated))
    await assert.rejects(verifySignature(first, { secret: rotated }), /no signature is that/)
  })

  it('is keyed with the same bytes when an endpoint of our own form is changed to it', async (t) => {
    const receiver = await givenReceiver(t)
    const tenantId = newId()
    const { endpoint, secret } = await add(tenantId, receiver.url)
    await database.db.transaction((tx) =>
      changeEndpoint({ ...settings(), db: tx }, endpoint, { signature: 'standard' }),
    )
    await happen(tenantId, 'trade.initiated')
    await deliver()
    const [received] = receiver.received
    assert.ok(received)
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64url').toString('base64')
    assert.equal(verifiedBy(received, `whsec_${bytes}`).type, 'trade.initiated')
    assert.ok(await verifySignature(received, { secret }))
  })

  it('is none that the partner interface has', async () => {
    const partner = { dialect: 'partner', signature: 'standard' } as const
    await assert.rejects(add(newId(), 'http://127.0.0.1:9/', partner), /VALIDATION_FAILED/)
  })
})

describe('an account', () => {
  it('has ten endpoints and no eleventh; one that is removed makes room', async () => {
    const tenantId = newId()
    const url = 'http://127.0.0.1:9/hook'
    const { endpoint } = await add(tenantId, url)
    for (let i = 1; i < 10; i++) await add(tenantId, url)
    await assert.rejects(add(tenantId, url), /WEBHOOK_LIMIT_REACHED/)
    await database.db.transaction((tx) => removeEndpoint(tx, endpoint.id, clock.now()))
    await add(tenantId, url)
    assert.notEqual((await findEndpoint(database.db, tenantId))?.id, endpoint.id)
  })

  it('keeps its oldest endpoint when another is added by a process whose clock is late', async () => {
    const tenantId = newId()
    const url = 'http://127.0.0.1:9/hook'
    const { endpoint } = await add(tenantId, url)
    clock.advance(-10_000)
    await add(tenantId, url)
    assert.equal((await findEndpoint(database.db, tenantId))?.id, endpoint.id)
  })

  it('limits an endpoint to events of its own interface', async () => {
    const url = 'http://127.0.0.1:9/hook'
    await assert.rejects(add(newId(), url, { events: ['order.updated'] }), /VALIDATION_FAILED/)
    const partner = { dialect: 'partner', events: ['trade.hold'] } as const
    await assert.rejects(add(newId(), url, partner), /VALIDATION_FAILED/)
  })

  it('sees the deliveries of all its endpoints in one list, each page going on where the last ended', async (t) => {
    const receiver = await givenReceiver(t)
    const tenantId = newId()
    const endpoints = []
    for (let i = 0; i < 3; i++) endpoints.push((await add(tenantId, receiver.url)).endpoint)
    for (let i = 0; i < 4; i++) await happen(tenantId, 'trade.hold')
    const endpointIds = endpoints.map(({ id }) => id)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof listDeliveries>> = await listDeliveries(database.db, {
        ...{ endpointIds, cursor, limit: 5 },
      })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== null)
    assert.deepEqual([seen.length, new Set(seen).size], [12, 12])
    const { items: whole } = await listDeliveries(database.db, { endpointIds, limit: 100 })
    assert.deepEqual(
      seen,
      whole.map(({ id }) => id),
    )
    const [one] = endpoints
    assert.ok(one)
    const alone = await listDeliveries(database.db, { endpointIds: [one.id], limit: 100 })
    assert.deepEqual(
      alone.items.map(({ endpointId }) => endpointId),
      Array(4).fill(one.id),
    )
  })

  it('has a delivery sent again to the endpoint that it was for, and to no other', async (t) => {
    const [first, second] = [await givenReceiver(t), await givenReceiver(t)]
    const tenantId = newId()
    await add(tenantId, first.url)
    const { endpoint } = await add(tenantId, second.url)
    await happen(tenantId, 'trade.hold')
    await deliver()
    const query = { endpointIds: [endpoint.id], limit: 1 }
    const [delivery] = (await listDeliveries(database.db, query)).items
    assert.ok(delivery)
    await resend(deps(), { tenantId, deliveryId: delivery.id })
    assert.deepEqual([first.received.length, second.received.length], [1, 2])
  })

  it('has its oldest endpoint set where none is named, and its first one again when all were removed', async () => {
    const tenantId = newId()
    const first = await setEndpoint(
      { ...settings(), db: database.db },
      { tenantId, url: 'http://127.0.0.1:9/a' },
    )
    const { endpoint: second } = await add(tenantId, 'http://127.0.0.1:9/b')
    const set = (url: string) => setEndpoint({ ...settings(), db: database.db }, { tenantId, url })
    const { endpoint, secret } = await set('http://127.0.0.1:9/c')
    assert.deepEqual([endpoint.id, secret], [first.endpoint.id, null])
    const remove = (id: string) =>
      database.db.transaction((tx) => removeEndpoint(tx, id, clock.now()))
    await remove(endpoint.id)
    assert.equal((await set('http://127.0.0.1:9/d')).endpoint.id, second.id)
    await remove(second.id)
    const again = await set('http://127.0.0.1:9/e')
    assert.equal(again.endpoint.id, first.endpoint.id)
    assert.ok(again.secret)
  })
})

describe('a process of the release before', () => {
  const CLAIM = sql(
    'test.claim_as_before',
    `select endpoint_id "endpointId" from webhooks.claim($1, $1::timestamptz + interval '30 seconds', 256, 128, 8, 256, 256, 256,
       '{}', '{}', '{}')`,
  )
  const SET = sql(
    'test.set_as_before',
    `insert into webhooks.endpoint as known (tenant_id, url, secret_sealed, created_at, updated_at, dialect, parent_id)
     values ($1, $2, 'sealed', $3, $3, 'merchant', null)
     on conflict (tenant_id) do update set url = excluded.url returning id, account_id "accountId"`,
  )

  it('sets the endpoint that it knows, and is given deliveries of that one alone, in our own form', async () => {
    const tenantId = newId()
    const values = [tenantId, 'http://127.0.0.1:9/a', clock.now()]
    const [set] = await database.db.query<{ id: string; accountId: string }>(SET, values)
    assert.equal(set?.accountId, tenantId)
    await add(tenantId, 'http://127.0.0.1:9/b')
    const other = newId()
    await add(other, 'http://127.0.0.1:9/c', { signature: 'standard' })
    for (const id of [tenantId, other]) await happen(id, 'trade.hold')
    const claimed = await database.db.query<{ endpointId: string }>(CLAIM, [clock.now()])
    assert.deepEqual(
      claimed.map(({ endpointId }) => endpointId),
      [set?.id],
    )
    const [again] = await database.db.query<{ id: string }>(SET, values)
    assert.equal(again?.id, set?.id)
  })
})
