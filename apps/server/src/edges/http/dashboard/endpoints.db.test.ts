// The keys of a merchant, its webhook endpoint with deliveries, and where it approves its withdrawals: set,
// tested and rotated in the dashboard.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import type { DeliveryDetail } from '@tradepost/contract'
import { listAudit } from '#audit'
import { post } from '#custody'
import { sql } from '#infra/database/db'
import { baseUnits } from '#kernel/chain'
import { newId } from '#kernel/id'
import { setPayoutCallback } from '#operations'
import { findMerchantSettings, type Withdrawal } from '#payouts'
import { addPerson, createPasswords, type MemberRole } from '#people'
import { insertDeliveries, skipOpenDeliveries } from '#webhooks'
import { dialects } from '#wire/webhook'
import { createApprovalCallback } from '../../../adapters/bridges/approval-callback.ts'
import { WAITING } from '../../../infra/testing/waiting.ts'
import { PASSWORD } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

const SET_ROLE = sql(
  'test_set_role',
  'update people.membership set role = $3 where account_id = $1 and person_id = $2',
)
const A_DAY_AGO = sql(
  'test_a_day_ago',
  `update identity.api_key set created_at = created_at - interval '1 day' where account_id = $1`,
)
const REVOKED_KEYS = sql(
  'test_revoked_keys',
  `insert into identity.api_key (id, account_id, kind, name, hash, prefix, last4, status, revoked_at, created_at)
   select uuidv7(), $1, 'merchant', 'old', sha256(('old' || n)::bytea), 'tp_test_', '0000', 'revoked', now(), now()
   from generate_series(1, 200) n`,
)
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
      ...{ url: null, signedBy: null, awaitsConfirmation: false },
      ...{ previousSecretUntil: null, secret: null },
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

  it('is signed with a secret that no developer is shown, whatever becomes of the webhook endpoint', async (t) => {
    const callback = await givenCallback()
    t.after(callback.close)
    const owner = await server.loggedIn()
    const developer = await givenMember(owner.accountId, 'developer')
    const { secret: first } = (await owner.call('PUT', path, { url: callback.url })).data
    const { secret } = (await owner.call('POST', `${path}/secret/rotate`, { overlapHours: 72 }))
      .data
    const isSignedWithBoth = async (): Promise<boolean> => {
      await owner.call('POST', `${path}/test`)
      const signed = callback.received.at(-1)
      return signed !== undefined && isSigned(signed, secret) && isSigned(signed, first)
    }
    const endpoint = await developer.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/hook' })
    assert.match(endpoint.data.secret, /^whsec_/)
    assert.ok(![first, secret].includes(endpoint.data.secret))
    assert.equal((await owner.call('GET', path)).data.signedBy, 'callback')
    assert.ok(await isSignedWithBoth(), 'the overlap goes on')
    await developer.call('POST', 'webhook/secret/rotate', { overlapHours: 0 })
    assert.ok(await isSignedWithBoth())
    await developer.call('DELETE', 'webhook')
    assert.ok(await isSignedWithBoth())
    // Beside an endpoint too, the callback gets a secret of its own.
    await owner.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/hook' })
    await owner.call('DELETE', path)
    assert.match((await owner.call('PUT', path, { url: callback.url })).data.secret, /^whsec_/)
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
      'http://169.254.169.254/latest',
      'http://[fe80::1]/hook',
    ]) {
      const refused = await finance.call('PUT', path, { url: bad })
      assert.deepEqual([refused.key, refused.meta.errors[0].pointer], ['VALIDATION_FAILED', '/url'])
    }
    const names = { resolve: async () => [{ address: '10.0.0.7', family: 4 }] }
    const deps = { db: database.db, clock: server.clock, allowPrivate: false, names }
    const secrets = { seal: () => assert.fail('nothing is sealed'), open: () => '' }
    const actor = { kind: 'operator', id: 'test', request: {} } as const
    // The last one is a name of that address.
    const bads = [
      'http://shop.example',
      'https://10.0.0.7/',
      'https://localhost/',
      'https://shop.example/',
    ]
    for (const bad of bads) {
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

  it('the endpoint, keys, users, fees and the team are changed by no call that waits while its owner loses the role', async () => {
    const owner = await server.loggedIn()
    const second = await givenMember(owner.accountId, 'owner')
    const { id: secondId } = (await second.call('GET', 'session')).data.user
    const url = 'http://127.0.0.1:9/approve'
    await owner.call('PUT', 'webhook', { url })
    await owner.call('PUT', path, { url })
    const { id: keyId } = (await owner.call('POST', 'keys', { name: 'of the owner' })).data
    const { id: userId } = (await owner.call('POST', 'users', { externalId: 'anna' })).data
    const shown = () =>
      Promise.all(
        [path, 'webhook', 'keys', 'payouts/destinations', 'users', 'fees'].map(
          async (each) => (await owner.call('GET', each)).data,
        ),
      )
    const before = await shown()
    const mine = { url: 'http://127.0.0.1:9/mine' }
    const now = { overlapHours: 0 }
    // No more at once than the account has connections.
    const rounds: (readonly Parameters<typeof second.call>[])[] = [
      [
        ['PUT', path, mine],
        ['POST', `${path}/secret/rotate`, now],
        ['DELETE', path],
      ],
      [
        ['PUT', 'webhook', mine],
        ['POST', 'webhook/secret/rotate', now],
        ['DELETE', 'webhook'],
      ],
      [
        ['POST', 'keys', { name: 'mine' }],
        ['PATCH', `keys/${keyId}`, { name: 'mine' }],
        ['POST', `keys/${keyId}/rotate`, now],
      ],
      [
        ['POST', 'webhook/test'],
        ['POST', 'webhook/recover', { since: new Date().toISOString() }],
        ['PUT', 'fees', { buyFeeBps: 300, sellFeeBps: 300 }],
      ],
      [
        ['POST', 'users', { externalId: 'mine' }],
        ['POST', `users/${userId}/suspend`],
        ['POST', `users/${userId}/reactivate`],
      ],
      [
        ['PATCH', `users/${userId}`, { externalId: 'mine' }],
        ['DELETE', `users/${userId}`],
        ['POST', 'payouts/destinations', { address: `0x${'11'.repeat(20)}` }],
      ],
      [['POST', 'members/invitations', { email: 'mine@shop.example', role: 'owner' }]],
      [['PUT', 'account/name', { name: 'mine' }]],
      [['POST', 'account/close', { confirmation: 'M' }]],
    ]
    for (const calls of rounds) {
      await database.db.query(SET_ROLE, [owner.accountId, secondId, 'owner'])
      let answered = 0
      const late = await database.db.transaction(async (tx) => {
        await tx.query(SET_ROLE, [owner.accountId, secondId, 'read_only'])
        const begun = calls.map((call) => second.call(...call))
        for (const call of begun) void call.then(() => answered++)
        const waiting = async () => (await database.db.query(WAITING)).length
        while (answered + (await waiting()) < calls.length);
        return begun
      })
      for (const [n, { key }] of (await Promise.all(late)).entries()) {
        assert.equal(key, 'FORBIDDEN', String(calls[n]))
      }
    }
    assert.deepEqual(await shown(), before)
    assert.deepEqual((await owner.call('GET', 'members')).data.invitations, [])
  })

  it('is no webhook endpoint that a developer has set, until an owner sets it too', async (t) => {
    const callback = await givenCallback()
    t.after(callback.close)
    const owner = await server.loggedIn()
    const developer = await givenMember(owner.accountId, 'developer')
    await developer.call('PUT', 'webhook', { url: callback.url })
    await giveCustody(owner.accountId)
    const state = async () => {
      const { awaitsConfirmation, signedBy } = (await owner.call('GET', path)).data
      return { awaitsConfirmation, signedBy }
    }
    assert.deepEqual(await state(), { awaitsConfirmation: true, signedBy: 'webhook' })
    const refused = await owner.call('POST', `${path}/test`)
    assert.deepEqual([refused.status, refused.key], [409, 'CRYPTO_PAYOUT_NO_CALLBACK_URL'])
    // The developer who sets it again does not confirm it.
    assert.equal((await developer.call('PUT', 'webhook', { url: callback.url })).status, 200)
    assert.equal((await state()).awaitsConfirmation, true)
    // A withdrawal that waits for its approval is not posted there either.
    const approvals = createApprovalCallback({
      ...{ db: database.db, clock: server.clock, dialects, allowPrivate: true },
      sender: { post: () => assert.fail('posted') },
      secrets: { seal: () => '', open: () => assert.fail('opened') },
    })
    const settings = await findMerchantSettings(database.db, owner.accountId)
    const withdrawal = { ownerId: owner.accountId } as Withdrawal
    const { answer } = await approvals.post(withdrawal, { settings, deadlineMs: 1000 })
    assert.equal(answer.kind, 'failed')
    assert.deepEqual(callback.received, [])

    await owner.call('PUT', 'webhook', { url: callback.url })
    assert.deepEqual(await state(), { awaitsConfirmation: false, signedBy: 'webhook' })
    assert.equal((await owner.call('POST', `${path}/test`)).data.delivered, true)
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

describe('an address that is set', () => {
  it('is stored as it is called: ASCII, without spaces and line breaks', async () => {
    const owner = await server.loggedIn()
    const url = ' http://127.0.0.1:9/a\tb\n\u202e\u009b?k=1 '
    for (const path of ['webhook', 'payouts/callback']) {
      const kept = (await owner.call('PUT', path, { url })).data.url
      assert.equal(kept, 'http://127.0.0.1:9/ab%E2%80%AE%C2%9B?k=1', path)
    }
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

describe('keys and the webhook endpoint', () => {
  it('are managed by their owner, and no other account finds them', async () => {
    const browser = await server.loggedIn()
    const created = await browser.call('POST', 'keys', {
      name: 'shop',
      allowlist: ['203.0.113.7', '2001:db8::/32'],
    })
    assert.match(created.data.apiKey, /^tp_test_/)
    assert.deepEqual(created.data.allowlist, ['203.0.113.7/32', '2001:db8::/32'])
    const { id } = created.data
    for (const name of ['a\u001b[2J', 'a\nb', 'a\u009bb', '\ud800']) {
      assert.equal((await browser.call('POST', 'keys', { name })).key, 'VALIDATION_FAILED')
      assert.equal((await browser.call('PATCH', `keys/${id}`, { name })).key, 'VALIDATION_FAILED')
    }
    const otherTenant = await server.loggedIn()
    for (const [method, path, body] of [
      ['PATCH', `keys/${id}`, { name: 'x' }],
      ['DELETE', `keys/${id}`, undefined],
      ['POST', `keys/${id}/rotate`, { overlapHours: 1 }],
    ] as const) {
      assert.equal((await otherTenant.call(method, path, body)).key, 'NOT_FOUND')
    }
    assert.equal((await browser.call('PATCH', `keys/${id}`, { name: 'store' })).data.name, 'store')
    const bad = await browser.call('PATCH', `keys/${id}`, { allowlist: ['1.2.3.4/99'] })
    assert.equal(bad.key, 'VALIDATION_FAILED')
    const rotated = await browser.call('POST', `keys/${id}/rotate`, { overlapHours: 24 })
    assert.equal(rotated.status, 201)
    const listed = await browser.call('GET', 'keys')
    assert.deepEqual(
      listed.data.map(({ status }: { status: string }) => status),
      ['active', 'rotating'],
    )
    assert.equal(JSON.stringify(listed.data).includes('apiKey'), false)
    assert.equal((await browser.call('DELETE', `keys/${rotated.data.id}`)).data.status, 'revoked')
    const acts = await database.db.query<{ act: string; actor_kind: string }>(
      sql(
        'test.acts',
        `select act, actor_kind from audit.entry where facts::text like '%' || $1 || '%' or subject_id = $2 order by id`,
      ),
      [browser.accountId, id],
    )
    assert.deepEqual(
      acts.map(({ act }) => act),
      ['key.issue', 'key.change', 'key.rotate'],
    )
    assert.ok(acts.every(({ actor_kind }) => actor_kind === 'member'))
  })

  it('keys are fifty in a day and a hundred in all, each mailed, and every good one is listed', async () => {
    const browser = await server.loggedIn()
    const make = () => browser.call('POST', 'keys', { name: 'k' })
    const keysOf = (answers: readonly { key: string | undefined }[]) =>
      answers.map(({ key }) => key ?? 'made')
    const atOnce = keysOf(await Promise.all(Array.from({ length: 53 }, make)))
    assert.equal(atOnce.filter((key) => key === 'made').length, 50)
    assert.equal(atOnce.filter((key) => key === 'RATE_LIMITED').length, 3)
    const mails = await server.mailTo(browser.email)
    assert.equal(mails.filter(({ subject }) => /key/i.test(subject)).length, 50)
    const [{ id }] = (await browser.call('GET', 'keys')).data
    const rotate = () => browser.call('POST', `keys/${id}/rotate`, { overlapHours: 1 })
    assert.equal((await rotate()).key, 'RATE_LIMITED')
    await database.db.query(A_DAY_AGO, [browser.accountId])
    await Promise.all(Array.from({ length: 50 }, make))
    await database.db.query(A_DAY_AGO, [browser.accountId])
    assert.equal((await make()).meta.errors[0].rule, 'maxItems')
    assert.equal((await rotate()).status, 201)
    assert.equal((await browser.call('DELETE', `keys/${id}`)).status, 200)
    await database.db.query(REVOKED_KEYS, [browser.accountId])
    const listed: { status: string }[] = (await browser.call('GET', 'keys')).data
    assert.equal(listed.filter(({ status }) => status === 'active').length, 100)
  })

  it('an endpoint is set, its secret shown once and rotated', async () => {
    const browser = await server.loggedIn()
    assert.equal((await browser.call('GET', 'webhook')).data.url, null)
    const set = await browser.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/hook' })
    assert.match(set.data.secret, /^whsec_/)
    assert.equal((await browser.call('GET', 'webhook')).data.secret, null)
    const rotated = await browser.call('POST', 'webhook/secret/rotate', { overlapHours: 0 })
    assert.notEqual(rotated.data.secret, set.data.secret)
    const sent: { readonly signature: string; readonly body: string }[] = []
    const endpoint = createServer(async (request, response) => {
      const signature = String(request.headers['webhook-signature'])
      sent.push({ signature, body: await text(request) })
      response.writeHead(410).end()
    }).listen(0, '127.0.0.1')
    await once(endpoint, 'listening')
    const { port } = endpoint.address() as AddressInfo
    await browser.call('PUT', 'webhook', { url: `http://127.0.0.1:${port}/hook` })
    const tested = await browser.call('POST', 'webhook/test')
    const { deliveryId, ...outcome } = tested.data
    assert.deepEqual(outcome, { delivered: false, status: 410, error: 'answered 410' })
    assert.match(sent[0]?.signature ?? '', /^t=\d+,s=[\w-]{43}$/)
    // A test says something to its reader and nothing to the endpoint's health.
    assert.equal((await browser.call('GET', 'webhook')).data.status, 'enabled')
    const path = `webhook/deliveries/${deliveryId}`
    const resent = await browser.call('POST', `${path}/resend`)
    assert.deepEqual(resent.data, outcome)
    endpoint.close()
    const [listed] = (await browser.call('GET', 'webhook/deliveries')).data.items
    assert.deepEqual([listed.id, listed.type, listed.isTest], [deliveryId, 'webhook.test', true])
    const shown = (await browser.call('GET', path)).data
    assert.equal(shown.event, null)
    const attempts = shown.history as DeliveryDetail['history']
    assert.deepEqual(
      attempts.map(({ manual, status }) => [manual, status]),
      [
        [false, 410],
        [true, 410],
      ],
    )
    // Byte for byte.
    assert.deepEqual(
      attempts.map(({ requestHeaders, requestBody }) => ({
        signature: requestHeaders['webhook-signature'],
        body: requestBody,
      })),
      sent,
    )
  })
})

describe('a delivery', () => {
  it('is shown with what was sent and answered, to its own account only', async () => {
    const browser = await server.loggedIn()
    await browser.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/hook' })
    const { accountId: tenantId } = browser
    const at = server.clock.now()
    const event = {
      id: 1n,
      publicId: tenantId,
      type: 'trade.initiated',
      subjectType: 'trade',
      position: 1n,
    }
    await database.db.transaction((tx) =>
      insertDeliveries(
        tx,
        [
          {
            ...event,
            subjectId: tenantId,
            tenantId,
            accountId: tenantId,
            payload: {},
            createdAt: at,
          },
        ],
        at,
      ),
    )
    const [{ id }] = (await browser.call('GET', 'webhook/deliveries?status=pending')).data.items
    const shown = await browser.call('GET', `webhook/deliveries/${id}`)
    assert.deepEqual([shown.data.type, shown.data.history], ['trade.initiated', []])
    assert.deepEqual(
      [shown.data.subjectId, shown.data.event === null || 'subjectType' in shown.data.event],
      [tenantId, true],
    )
    const found = async (query: string): Promise<number> =>
      (await browser.call('GET', `webhook/deliveries?${query}`)).data.items.length
    const later = new Date(at.getTime() + 1).toISOString()
    assert.equal(await found(`type=trade.initiated&from=${at.toISOString()}&to=${later}`), 1)
    assert.equal(await found(`subjectId=${tenantId}&status=retrying,pending`), 1)
    for (const none of ['status=parked', 'type=trade.hold', `from=${later}`, `subjectId=${id}`]) {
      assert.equal(await found(none), 0, none)
    }
    const otherTenant = await server.loggedIn()
    assert.equal((await otherTenant.call('GET', `webhook/deliveries/${id}`)).key, 'NOT_FOUND')
    assert.equal(
      (await otherTenant.call('POST', `webhook/deliveries/${id}/resend`)).key,
      'NOT_FOUND',
    )
  })
})
