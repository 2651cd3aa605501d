// Up to ten webhook endpoints of an account: added, limited to events, changed, tested and removed in the
// dashboard; the oldest is where withdrawals are approved.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { listAudit } from '#audit'
import { post } from '#custody'
import { baseUnits } from '#kernel/chain'
import { newId } from '#kernel/id'
import { addPerson, createPasswords, type MemberRole } from '#people'
import { PASSWORD } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

const URL = 'http://127.0.0.1:9/hook'

/** A person of the account who has just logged in. */
async function givenMember(accountId: string, role: MemberRole) {
  const email = `m-${newId()}@example.com`
  const membership = { accountId, accountKind: 'merchant', role } as const
  const passwordHash = await createPasswords().hash(PASSWORD, 'test')
  const at = server.clock.now()
  await database.db.transaction((tx) => addPerson(tx, { email, passwordHash, membership, at }))
  const browser = server.browser()
  assert.equal((await browser.logIn(email)).status, 200)
  return browser
}

const giveCustody = (ownerId: string) =>
  database.db.transaction((tx) =>
    post(
      tx,
      [
        {
          ...{ key: `transfer:${newId()}`, reason: 'deposit', refId: null },
          ...{ chain: 'base', token: 'USDC', units: baseUnits(1n) },
          debit: 'deposit_address',
          credit: { role: 'merchant', ownerId },
        },
      ],
      server.clock.now(),
    ),
  )

async function givenReceiver(t: TestContext) {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
  const http = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ headers: request.headers, body })
    response.writeHead(202).end('taken')
  }).listen(0, '127.0.0.1')
  t.after(() => http.close())
  await once(http, 'listening')
  return { received, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/hook` }
}

describe('an endpoint', () => {
  it('is added with its secret shown once, listed oldest first, changed, disabled, and removed', async () => {
    const browser = await server.loggedIn()
    await browser.call('PUT', 'webhook', { url: URL })
    server.clock.advance(1000)
    const added = await browser.call('POST', 'webhooks', {
      ...{ url: `${URL}?key=hidden`, description: 'books', events: ['trade.settled'] },
      signature: 'standard',
    })
    assert.equal(added.status, 201)
    const { id, secret, createdAt, ...rest } = added.data
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(createdAt, server.clock.now().toISOString())
    assert.deepEqual(rest, {
      ...{ url: `${URL}?key=hidden`, description: 'books', events: ['trade.settled'] },
      ...{ signature: 'standard', status: 'active', disabledReason: null },
      ...{ failingSince: null, isOldest: false },
    })
    const listed = (await browser.call('GET', 'webhooks')).data as { readonly id: string }[]
    assert.deepEqual([listed.length, listed[1]?.id], [2, id])
    assert.deepEqual(listed[1], { id, createdAt, ...rest })
    const path = `webhooks/${id}`
    const changed = await browser.call('PATCH', path, { events: null, status: 'disabled' })
    assert.deepEqual(
      [changed.data.events, changed.data.status, changed.data.description],
      [null, 'disabled', 'books'],
    )
    assert.equal((await browser.call('PATCH', path, { status: 'active' })).data.status, 'active')
    const rotated = await browser.call('POST', `${path}/secret/rotate`, { overlapHours: 1 })
    assert.notEqual(rotated.data.secret, secret)
    const left = await browser.call('DELETE', path)
    assert.deepEqual([left.status, left.data.length], [200, 1])
    assert.equal((await browser.call('GET', path)).key, 'NOT_FOUND')
    assert.equal((await browser.call('POST', `${path}/test`)).key, 'NOT_FOUND')
    const entries = await listAudit(database.db, { accountId: browser.accountId, limit: 20 })
    const acts = entries.map(({ act }) => act).filter((act) => act.startsWith('webhook.'))
    assert.deepEqual(acts.toSorted(), [
      'webhook.create_endpoint',
      'webhook.remove_endpoint',
      'webhook.rotate_secret',
      'webhook.set_endpoint',
      'webhook.update_endpoint',
      'webhook.update_endpoint',
    ])
    const logged = entries.map(({ details, changes }) => JSON.stringify({ details, changes }))
    assert.equal(logged.join().includes('hidden'), false)
  })

  it('that is the oldest is what its entries in the log are about, by its address', async () => {
    const browser = await server.loggedIn()
    await browser.call('PUT', 'webhook', { url: `${URL}?key=hidden` })
    await browser.call('POST', 'webhook/secret/rotate', { overlapHours: 1 })
    await browser.call('POST', 'webhook/recover', { since: server.clock.now().toISOString() })
    await browser.call('POST', 'webhook/test')
    const [{ id }] = (await browser.call('GET', 'webhooks')).data
    await browser.call('DELETE', 'webhook')
    const { items } = (await browser.call('GET', 'audit')).data as {
      items: { act: string; subject: unknown }[]
    }
    const acts = items.filter(({ act }) => act.startsWith('webhook.'))
    assert.equal(acts.length, 5)
    for (const { act, subject } of acts) {
      assert.deepEqual([act, subject], [act, { type: 'webhook_endpoint', id, name: URL }])
    }
  })

  it('is one of ten at most, however many are added at once', async () => {
    const browser = await server.loggedIn()
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => browser.call('POST', 'webhooks', { url: URL })),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    assert.deepEqual(
      refused.map(({ status, key }) => [status, key]),
      Array(4).fill([409, 'WEBHOOK_LIMIT_REACHED']),
    )
    assert.equal((await browser.call('GET', 'webhooks')).data.length, 10)
  })

  it('that is not right is refused with the field, and nothing is kept', async () => {
    const browser = await server.loggedIn()
    for (const [body, pointer] of [
      [{ url: 'ftp://shop.example/' }, '/url'],
      [{ url: URL, events: [] }, '/events'],
      [{ url: URL, events: ['trade.vanished'] }, '/events/0'],
      [{ url: URL, events: ['trade.hold', 'trade.hold'] }, '/events'],
      [{ url: URL, events: ['trade.hold', 'order.updated'] }, '/events/1'],
      [{ url: URL, events: ['payout.crypto.withdraw.approval'] }, '/events/0'],
      [{ url: URL, signature: 'other' }, '/signature'],
      [{ url: URL, description: 'x'.repeat(65_536) }, '/description'],
      [{ url: URL, secret: 'whsec_mine' }, ''],
    ] as const) {
      const { status, key, ...answer } = await browser.call('POST', 'webhooks', body)
      assert.deepEqual([status, key], [422, 'VALIDATION_FAILED'], JSON.stringify(body).slice(0, 80))
      assert.ok(JSON.stringify(answer).includes(pointer))
    }
    assert.deepEqual((await browser.call('GET', 'webhooks')).data, [])
    const { id } = (await browser.call('POST', 'webhooks', { url: URL })).data
    const empty = await browser.call('PATCH', `webhooks/${id}`, {})
    assert.equal(empty.key, 'VALIDATION_FAILED')
  })

  it('is tested in its own form; the test is listed with its answer and can be sent to it again', async (t) => {
    const browser = await server.loggedIn()
    const [first, second] = [await givenReceiver(t), await givenReceiver(t)]
    await browser.call('POST', 'webhooks', { url: first.url })
    server.clock.advance(1000)
    const { id, secret } = (
      await browser.call('POST', 'webhooks', { url: second.url, signature: 'standard' })
    ).data
    const tested = await browser.call('POST', `webhooks/${id}/test`)
    const { deliveryId, ...outcome } = tested.data
    assert.deepEqual(outcome, { delivered: true, status: 202, error: null })
    assert.deepEqual(
      (await browser.call('POST', `webhook/deliveries/${deliveryId}/resend`)).data,
      outcome,
    )
    assert.deepEqual([first.received.length, second.received.length], [0, 2])
    for (const { body, headers } of second.received) {
      // The clock of this server stands in the past, which the library's `verify` refuses.
      const at = new Date(Number(headers['webhook-timestamp']) * 1000)
      const expected = new Webhook(secret).sign(String(headers['webhook-id']), at, body)
      assert.equal(headers['webhook-signature'], expected)
    }
    await browser.call('POST', 'webhook/test')
    assert.match(String(first.received[0]?.headers['webhook-signature']), /^t=\d+,s=/)
    const listOf = async (path: string) =>
      ((await browser.call('GET', path)).data.items as Listed[]).map(
        ({ endpointId, isTest, lastStatus }) => ({ isOwn: endpointId === id, isTest, lastStatus }),
      )
    const [own, other] = [
      { isOwn: true, isTest: true, lastStatus: 202 },
      { isOwn: false, isTest: true, lastStatus: 202 },
    ]
    assert.deepEqual(await listOf(`webhooks/${id}/deliveries`), [own])
    assert.deepEqual(await listOf('webhook/deliveries'), [other])
    assert.deepEqual(await listOf('webhooks/deliveries'), [other, own])
    assert.deepEqual(await listOf(`webhooks/deliveries?endpointId=${id}`), [own])
    const since = server.clock.now().toISOString()
    const recovered = await browser.call('POST', `webhooks/${id}/recover`, { since })
    assert.deepEqual(recovered.data, { count: 0 })
    await browser.call('DELETE', `webhooks/${id}`)
    assert.deepEqual(await listOf('webhooks/deliveries'), [other, own])
  })
})

interface Listed {
  readonly endpointId: string
  readonly isTest: boolean
  readonly lastStatus: number
}

describe('where withdrawals are approved', () => {
  const awaits = async (owner: {
    call: (method: 'GET', path: string) => Promise<{ data: Callback }>
  }) => (await owner.call('GET', 'payouts/callback')).data.awaitsConfirmation
  interface Callback {
    readonly awaitsConfirmation: boolean
  }

  it('no developer changes, disables or removes the oldest endpoint, and may do so with the others', async () => {
    const owner = await server.loggedIn()
    const developer = await givenMember(owner.accountId, 'developer')
    const oldest = (await owner.call('POST', 'webhooks', { url: URL })).data.id
    await giveCustody(owner.accountId)
    server.clock.advance(1000)
    const other = (await developer.call('POST', 'webhooks', { url: `${URL}/other` })).data.id
    const send = async (id: string) => [
      (await developer.call('PATCH', `webhooks/${id}`, { url: `${URL}/mine` })).status,
      (await developer.call('PATCH', `webhooks/${id}`, { status: 'disabled' })).status,
      (await developer.call('DELETE', `webhooks/${id}`)).status,
    ]
    assert.deepEqual(await send(oldest), [403, 403, 403])
    assert.deepEqual(await send(other), [200, 200, 200])
    const described = await developer.call('PATCH', `webhooks/${oldest}`, { description: 'shop' })
    assert.equal(described.status, 200)
    assert.equal(await awaits(owner), false)
  })

  it('an endpoint that a developer has added approves nothing when it becomes the oldest, until an owner sets it', async () => {
    const owner = await server.loggedIn()
    const developer = await givenMember(owner.accountId, 'developer')
    const oldest = (await owner.call('POST', 'webhooks', { url: URL })).data.id
    server.clock.advance(1000)
    const second = (await developer.call('POST', 'webhooks', { url: `${URL}/second` })).data.id
    await owner.call('DELETE', `webhooks/${oldest}`)
    assert.equal(await awaits(owner), true)
    await owner.call('PATCH', `webhooks/${second}`, { url: `${URL}/second` })
    assert.equal(await awaits(owner), false)
    server.clock.advance(1000)
    const third = (await owner.call('POST', 'webhooks', { url: `${URL}/third` })).data.id
    await owner.call('DELETE', `webhooks/${second}`)
    assert.deepEqual([await awaits(owner), third.length], [false, 36])
  })
})
