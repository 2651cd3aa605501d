// Where a merchant approves its withdrawals: set, tested and rotated in the dashboard; and its webhook
// endpoint, where else they are approved, when it is removed.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { listAudit } from '#audit'
import { post } from '#custody'
import { baseUnits } from '#kernel/chain'
import { newId } from '#kernel/id'
import { setPayoutCallback } from '#operations'
import { addPerson, createPasswords, type MemberRole } from '#people'
import { insertDeliveries, skipOpenDeliveries } from '#webhooks'
import { PASSWORD } from './testing/dashboard-server.ts'
import { givenDashboardServer } from './testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

describe('the payout callback of a merchant', () => {
  type Received = { readonly headers: IncomingHttpHeaders; readonly body: string }
  /** Answers what it is set to, and keeps what it was sent. */
  async function givenCallback() {
    const received: Received[] = []
    const callback = { received, status: 204, url: '', close: () => http.close() }
    const http = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      received.push({ headers: request.headers, body })
      response.writeHead(callback.status).end()
    }).listen(0, '127.0.0.1')
    await once(http, 'listening')
    callback.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/approve?key=hidden`
    return callback
  }
  const isSigned = ({ headers, body }: Received, secret: string): boolean => {
    const [, ...signatures] = /^t=\d+,s=([\w-]{43})(?:,s1=([\w-]{43}))?$/.exec(
      String(headers['webhook-signature']),
    ) ?? ['']
    const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    return signatures.includes(createHmac('sha256', secret).update(text).digest('base64url'))
  }
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
  const path = 'payouts/callback'

  it('is set with a secret that is shown once, tested, rotated with an overlap, and cleared', async (t) => {
    const callback = await givenCallback()
    t.after(callback.close)
    const owner = await server.loggedIn()
    assert.deepEqual((await owner.call('GET', path)).data, {
      ...{ url: null, signedBy: null, previousSecretUntil: null, secret: null },
    })
    const none = await owner.call('POST', `${path}/test`)
    assert.deepEqual([none.status, none.key], [409, 'CRYPTO_PAYOUT_NO_CALLBACK_URL'])
    const { secret: first, signedBy } = (await owner.call('PUT', path, { url: callback.url })).data
    assert.match(first, /^whsec_/)
    assert.equal(signedBy, 'callback')
    assert.equal((await owner.call('GET', path)).data.secret, null)
    assert.equal((await owner.call('PUT', path, { url: callback.url })).data.secret, null)
    const tested = await owner.call('POST', `${path}/test`)
    assert.deepEqual(tested.data, { delivered: true, status: 204, error: null })
    callback.status = 403
    const refused = await owner.call('POST', `${path}/test`)
    assert.deepEqual(refused.data, { delivered: false, status: 403, error: 'answered 403' })
    const rotate = (overlapHours: number) =>
      owner.call('POST', `${path}/secret/rotate`, { overlapHours })
    const { secret: second } = (await rotate(1)).data
    await owner.call('POST', `${path}/test`)
    const signed = callback.received.at(-1)
    assert.ok(signed && isSigned(signed, first) && isSigned(signed, second))
    const until = (await owner.call('GET', path)).data.previousSecretUntil
    assert.equal(Date.parse(until) - server.clock.now().getTime(), 3_600_000)
    server.clock.advance(3_600_000)
    await owner.call('POST', `${path}/test`)
    const later = callback.received.at(-1)
    assert.ok(later && !isSigned(later, first) && isSigned(later, second))
    await owner.logIn(owner.email)
    assert.equal((await owner.call('DELETE', path)).data.url, null)
    assert.equal((await owner.call('DELETE', path)).key, 'NOT_FOUND')
    assert.equal((await rotate(1)).key, 'NOT_FOUND')
    const entries = await listAudit(database.db, { accountId: owner.accountId, limit: 20 })
    const acts = entries.map(({ act }) => act).filter((act) => act.startsWith('payout.'))
    const test = 'payout.test_callback'
    assert.deepEqual(acts.reverse(), [
      ...['payout.set_callback', 'payout.set_callback', test, test],
      ...['payout.rotate_callback_secret', test, test, 'payout.clear_callback'],
    ])
    const log = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? '' : value))
    assert.ok(!log.includes('hidden') && !log.includes('whsec_'))
    const subjects = (await server.mailTo(owner.email)).map(({ subject }) => subject)
    assert.equal(subjects.filter((text) => /approved at another/.test(text)).length, 3)
  })

  it('and its webhook endpoint have one secret: the first endpoint takes it over', async (t) => {
    const callback = await givenCallback()
    t.after(callback.close)
    const owner = await server.loggedIn()
    const { secret } = (await owner.call('PUT', path, { url: callback.url })).data
    const endpoint = await owner.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/hook' })
    assert.equal(endpoint.data.secret, secret)
    assert.equal((await owner.call('GET', path)).data.signedBy, 'webhook')
    const overlap = { overlapHours: 0 }
    assert.equal((await owner.call('POST', `${path}/secret/rotate`, overlap)).key, 'NOT_FOUND')
    const rotated = (await owner.call('POST', 'webhook/secret/rotate', overlap)).data.secret
    await owner.call('POST', `${path}/test`)
    const signed = callback.received.at(-1)
    assert.ok(signed && isSigned(signed, rotated) && !isSigned(signed, secret))
    // Of a merchant that has an endpoint already, nothing new is made.
    await owner.call('DELETE', path)
    assert.equal((await owner.call('PUT', path, { url: callback.url })).data.secret, null)
  })

  it('is set by owners and finance with a fresh factor, at an address that webhooks may have', async () => {
    const url = 'https://shop.example/approve'
    const developer = await server.loggedIn('developer')
    for (const method of ['PUT', 'DELETE']) {
      assert.equal((await developer.call(method, path, { url })).key, 'FORBIDDEN')
    }
    const rotation = await developer.call('POST', `${path}/secret/rotate`, { overlapHours: 0 })
    assert.equal(rotation.key, 'FORBIDDEN')
    const finance = await server.loggedIn('finance')
    for (const bad of [
      'ftp://shop.example',
      'https://user@shop.example',
      'approve',
      'http://a#b',
    ]) {
      const refused = await finance.call('PUT', path, { url: bad })
      assert.deepEqual([refused.key, refused.meta.errors[0].pointer], ['VALIDATION_FAILED', '/url'])
    }
    const deps = { db: database.db, clock: server.clock, allowPrivate: false }
    const secrets = { seal: () => assert.fail('nothing is sealed'), open: () => '' }
    const actor = { kind: 'operator', id: 'test', request: {} } as const
    for (const bad of ['http://shop.example', 'https://10.0.0.7/', 'https://localhost/']) {
      const order = { merchantId: finance.accountId, url: bad }
      await assert.rejects(
        setPayoutCallback({ ...deps, secrets }, actor, order),
        /VALIDATION_FAILED/,
      )
    }
    assert.equal((await finance.call('GET', path)).data.url, null)
    server.clock.advance(11 * 60_000)
    const late = await finance.call('PUT', path, { url })
    assert.equal(late.key, 'TWO_FACTOR_FRESH_REQUIRED')
    const partner = await server.partner()
    const browser = server.browser()
    await browser.logIn(partner.email)
    assert.equal((await browser.call('PUT', path, { url })).key, 'FORBIDDEN')
  })

  it('that is its webhook endpoint gets another address from owners alone, once money is in custody', async () => {
    const owner = await server.loggedIn()
    const developer = await givenMember(owner.accountId, 'developer')
    const finance = await givenMember(owner.accountId, 'finance')
    const set = (url: string, by = developer) => by.call('PUT', 'webhook', { url })
    const first = await set('http://127.0.0.1:9/first')
    assert.deepEqual([first.status, first.data.approvesWithdrawals], [200, false])
    await giveCustody(owner.accountId)
    assert.equal((await developer.call('GET', 'webhook')).data.approvesWithdrawals, true)
    assert.equal((await set('http://127.0.0.1:9/mine')).key, 'FORBIDDEN')
    assert.equal((await set('http://127.0.0.1:9/mine', finance)).key, 'FORBIDDEN')
    // The same address enables an endpoint again, and changes nothing of who is asked.
    assert.equal((await set('http://127.0.0.1:9/first')).status, 200)
    assert.equal(
      (await set('http://127.0.0.1:9/second', owner)).data.url,
      'http://127.0.0.1:9/second',
    )
    // With an address of their own, approvals do not depend on the endpoint any more.
    await finance.call('PUT', path, { url: 'http://127.0.0.1:9/approve' })
    const third = await set('http://127.0.0.1:9/third')
    assert.deepEqual([third.status, third.data.approvesWithdrawals], [200, false])
    await finance.call('DELETE', path)
    assert.equal((await set('http://127.0.0.1:9/fourth')).key, 'FORBIDDEN')
    assert.equal((await developer.call('DELETE', 'webhook')).key, 'FORBIDDEN')
    assert.equal((await owner.call('GET', 'webhook')).data.url, 'http://127.0.0.1:9/third')
  })

  it('goes on with the secret of a webhook endpoint that is removed', async (t) => {
    const callback = await givenCallback()
    t.after(callback.close)
    const owner = await server.loggedIn()
    await owner.call('PUT', path, { url: callback.url })
    await owner.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/hook' })
    const overlap = { overlapHours: 0 }
    const { secret } = (await owner.call('POST', 'webhook/secret/rotate', overlap)).data
    assert.equal((await owner.call('DELETE', 'webhook')).status, 200)
    assert.equal((await owner.call('GET', path)).data.signedBy, 'callback')
    await owner.call('POST', `${path}/test`)
    const signed = callback.received.at(-1)
    assert.ok(signed && isSigned(signed, secret))
    // An endpoint that is set again takes it over, as the first one does.
    const again = await owner.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/hook' })
    assert.equal(again.data.secret, secret)
  })

  it('that is set twice at once has the secret that one of them was shown', async (t) => {
    const callback = await givenCallback()
    t.after(callback.close)
    const owner = await server.loggedIn()
    const answers = await Promise.all(
      [1, 2, 3].map(() => owner.call('PUT', path, { url: callback.url })),
    )
    const shown = answers.flatMap(({ data }) => data.secret ?? [])
    assert.equal(shown.length, 1)
    await owner.call('POST', `${path}/test`)
    const signed = callback.received.at(-1)
    assert.ok(signed && isSigned(signed, shown[0]))
  })
})

describe('a webhook endpoint that is removed', () => {
  it('is sent nothing any more, keeps what was sent, and gets a new secret when it is set again', async () => {
    const browser = await server.loggedIn()
    const { accountId: tenantId } = browser
    const missing = await browser.call('DELETE', 'webhook')
    assert.deepEqual([missing.status, missing.key], [404, 'NOT_FOUND'])
    const url = 'http://127.0.0.1:9/hook'
    const first = (await browser.call('PUT', 'webhook', { url })).data.secret
    const happen = async (id: bigint): Promise<void> => {
      const at = server.clock.now()
      const event = { id, publicId: newId(), type: 'trade.completed', subjectType: 'trade' }
      const about = { position: id, subjectId: newId(), tenantId, accountId: tenantId }
      const events = [{ ...event, ...about, payload: {}, createdAt: at }]
      await database.db.transaction((tx) => insertDeliveries(tx, events, at))
    }
    await happen(900_001n)
    const removed = await browser.call('DELETE', 'webhook')
    assert.deepEqual(
      [removed.status, removed.data.url, removed.data.status, removed.data.secret],
      [200, null, null, null],
    )
    await happen(900_002n)
    await skipOpenDeliveries(database.db, { at: server.clock.now(), limit: 1000 })
    const { items } = (await browser.call('GET', 'webhook/deliveries')).data
    assert.deepEqual(
      items.map(({ status }: { readonly status: string }) => status),
      ['skipped'],
    )
    const since = new Date(0).toISOString()
    for (const [method, path, body] of [
      ['DELETE', 'webhook', undefined],
      ['POST', 'webhook/test', undefined],
      ['POST', 'webhook/secret/rotate', { overlapHours: 0 }],
      ['POST', 'webhook/recover', { since }],
      ['POST', `webhook/deliveries/${items[0].id}/resend`, undefined],
    ] as const) {
      assert.equal((await browser.call(method, path, body)).key, 'NOT_FOUND', `${method} ${path}`)
    }
    const again = (await browser.call('PUT', 'webhook', { url })).data
    assert.match(again.secret, /^whsec_/)
    assert.notEqual(again.secret, first)
    const [entry] = (await listAudit(database.db, { accountId: tenantId, limit: 20 })).filter(
      ({ act }) => act === 'webhook.remove_endpoint',
    )
    assert.deepEqual(entry?.changes, { url: { from: url, to: null } })
  })
})
