// What administrators do in the dashboard, over real HTTP on a real database.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { listAudit } from '#audit'
import { deleteSubUser } from '#identity'
import { sql } from '#infra/database/db'
import { acquireLease } from '#infra/database/leases'
import { newId } from '#kernel/id'
import { insertDeliveries } from '#webhooks'
import { aSubUser } from '../../../modules/accounts/identity/testing/accounts.ts'
import { givenWithdrawal } from '../../../modules/crypto/payouts/testing/withdrawals.ts'
import { createReporter } from '../../../modules/trading/reconciliation/report.ts'
import { givenManyTrades } from '../../../modules/trading/trades/testing/many-trades.ts'
import type { Browser } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()
const admin = server.browser()
await admin.logIn((await server.person('administrator')).email)

/** A factor is asked for again after ten minutes; no test here is about that. */
const done = async ([method, path, body]: readonly [string, string, unknown?], status = 200) => {
  const answer = await admin.call(method, path, body)
  assert.equal(
    answer.status,
    status,
    `${method} ${path}: ${answer.key} ${JSON.stringify(answer.meta)}`,
  )
  return answer.data
}

const NEW_MERCHANT = { name: 'Shop', currency: 'EUR', tier: 'premium', feeBps: 250 }

describe('accounts', () => {
  it('a merchant is opened, priced, keyed and suspended, each with an entry of what changed', async () => {
    const order = { ...NEW_MERCHANT, email: 'shop@example.com', buyFeeBps: 100, sellFeeBps: 50 }
    const { id } = await done(['POST', 'admin/merchants', order], 201)
    const again = await admin.call('POST', 'admin/merchants', order)
    assert.deepEqual([again.status, again.meta.errors[0].pointer], [422, '/email'])
    const priced = await done([
      'PUT',
      `admin/merchants/${id}/fees`,
      { feeBps: 200, reason: 'agreed' },
    ])
    assert.deepEqual(priced.fees, {
      ...{ feeBps: 200, buyFeeBps: 100, sellFeeBps: 50 },
      childDefaultFeeBps: null,
    })
    assert.deepEqual([priced.hasLogin, priced.keys], [false, []])
    const key = await done(['POST', `admin/merchants/${id}/keys`, { name: 'first' }], 201)
    assert.match(key.apiKey, /^tp_test_/)
    const next = await done(['POST', `admin/keys/${key.id}/rotate`, { overlapHours: 24 }], 201)
    const revoked = await done(['POST', `admin/keys/${next.id}/revoke`, { reason: 'leaked' }])
    assert.equal(revoked.status, 'revoked')
    await done(['PATCH', `admin/merchants/${id}`, { status: 'suspended', reason: 'a drill' }])
    const { keys, status } = await done(['GET', `admin/merchants/${id}`])
    assert.deepEqual([status, keys.length], ['suspended', 2])
    assert.equal(JSON.stringify(keys).includes(key.apiKey), false)
  })

  it('is opened with an invitation to its owner, who logs in; an administrator invites again', async () => {
    const email = `opened-${newId()}@example.com`
    const order = { ...NEW_MERCHANT, email, buyFeeBps: 100, sellFeeBps: 50 }
    const { id } = await done(['POST', 'admin/merchants', order], 201)
    const tokenOf = async (to: string) =>
      /#token=([\w-]+)/.exec((await server.mailTo(to))[0]?.text ?? '')?.[1] ?? ''
    const first = await tokenOf(email)
    const invitation = { email, role: 'owner' }
    await done(['POST', `admin/merchants/${id}/invitations`, invitation], 201)
    const password = 'plenty of quiet rivers'
    const accept = (token: string) =>
      server.browser().call('POST', 'auth/invitation/accept', { token, password })
    assert.equal((await accept(first)).key, 'TOKEN_INVALID')
    assert.equal((await accept(await tokenOf(email))).status, 200)
    server.nextMinute()
    const owner = server.browser()
    const session = await owner.logIn(email, password)
    assert.deepEqual([session.data.user.accountId, session.data.user.memberRole], [id, 'owner'])
    const { members } = await done(['GET', `admin/merchants/${id}/members`])
    assert.equal(members[0].email, email)
    const log = await done(['GET', `admin/audit-log?accountId=${id}`])
    assert.deepEqual(log.items.map(({ act }: { act: string }) => act).reverse(), [
      ...['account.create', 'member.invite', 'member.invite', 'member.accept', 'person.log_in'],
    ])
    // A sub-user has no people, nor has an account that is not there.
    const { id: subUser } = await aSubUser(database.db, id, { externalId: 'shopper-10' })
    for (const other of [subUser, newId()]) {
      const refused = await admin.call('POST', `admin/merchants/${other}/invitations`, invitation)
      assert.equal(refused.key, 'USER_NOT_FOUND')
    }
  })

  it('a partner has no sell fee, and an administrator is no account to look at', async () => {
    const order = { email: 'partner@example.com', name: 'Partner', feeBps: 300, buyFeeBps: 200 }
    const { id, kind } = await done(['POST', 'admin/partners', order], 201)
    assert.equal(kind, 'partner')
    const refused = await admin.call('PUT', `admin/merchants/${id}/fees`, {
      sellFeeBps: 1,
      reason: 'x',
    })
    assert.equal(refused.key, 'USER_NOT_FOUND')
    const own = (await admin.call('GET', 'session')).data.user.accountId
    assert.equal((await admin.call('GET', `admin/merchants/${own}`)).key, 'USER_NOT_FOUND')
    const forAdmin = await admin.call('POST', `admin/merchants/${own}/keys`, { name: 'x' })
    assert.equal(forAdmin.key, 'USER_NOT_FOUND')
  })

  it('a sub-user and a deleted account have their page; neither is changed there', async () => {
    const { accountId: merchantId } = await server.person()
    const { id } = await aSubUser(database.db, merchantId, { externalId: 'shopper-9' })
    const user = await done(['GET', `admin/merchants/${id}`])
    assert.deepEqual(
      [user.kind, user.parentId, user.externalId, user.status],
      ['sub_user', merchantId, 'shopper-9', 'active'],
    )
    const { hits } = await done(['GET', 'admin/search?q=shopper-9'])
    assert.deepEqual([hits[0].kind, hits[0].id], ['account', id])
    const [at, nothing] = [server.clock.now(), { openBusiness: [], closeBusiness: [] }]
    await database.db.transaction((tx) => deleteSubUser(tx, id, at, nothing))
    assert.equal((await done(['GET', `admin/merchants/${id}`])).status, 'deleted')
    const change = { status: 'suspended', reason: 'a drill' }
    const refused = await admin.call('PATCH', `admin/merchants/${id}`, change)
    assert.equal(refused.key, 'USER_NOT_FOUND')
  })

  it('what belongs to an account is listed by its id, that of a sub-user alone too', async () => {
    const { db } = database
    const { accountId: id } = await server.person()
    const { id: userId } = await aSubUser(db, id, { externalId: 'shopper-10' })
    const from = server.clock.now()
    await givenManyTrades(db, { tenantId: id, accountId: userId, count: 3, from })
    const who = { accountId: id, tenantId: id, currency: 'USD' } as const
    const { id: depositId } = await server.deposits.given(who)
    const given = { merchantId: id, externalId: 'listed', at: from }
    const { id: withdrawalId } = await givenWithdrawal(db, given)
    const idsIn = async (path: string): Promise<string[]> =>
      (await done(['GET', `admin/merchants/${path}`])).items.map((one: { id: string }) => one.id)
    assert.equal((await idsIn(`${id}/trades`)).length, 3)
    assert.equal((await idsIn(`${userId}/trades?status=completed`)).length, 3)
    assert.deepEqual(await idsIn(`${userId}/trades?status=hold`), [])
    assert.deepEqual(await idsIn(`${id}/deposits`), [depositId])
    assert.deepEqual(await idsIn(`${userId}/deposits`), [])
    assert.deepEqual(await idsIn(`${id}/withdrawals`), [withdrawalId])
    const earlier = new Date(from.getTime() - 60_000).toISOString()
    assert.deepEqual(await idsIn(`${id}/withdrawals?to=${earlier}`), [])
    assert.deepEqual(await idsIn(`${id}/users`), [userId])
    assert.deepEqual(await idsIn(`${id}/deliveries`), [])
    const { members } = await done(['GET', `admin/merchants/${id}/members`])
    assert.deepEqual([members.length, members[0].role], [1, 'owner'])
    for (const list of ['trades', 'deposits', 'withdrawals', 'deliveries', 'users', 'members']) {
      const unknown = await admin.call('GET', `admin/merchants/${newId()}/${list}`)
      assert.equal(unknown.key, 'USER_NOT_FOUND', list)
    }
  })

  it('that repays what its users owe is set with a reason, by administrators alone, and audited', async () => {
    const { accountId } = await server.person()
    const { id: userId } = await aSubUser(database.db, accountId, { externalId: 'debtor' })
    const path = `admin/merchants/${accountId}`
    assert.equal((await done(['GET', path])).recoversDebts, false)
    const order = { recoversDebts: true, reason: 'agreed' }
    await done(['PATCH', path, order])
    assert.equal((await done(['GET', path])).recoversDebts, true)
    const { items } = await done(['GET', `admin/audit-log?accountId=${accountId}`])
    const [{ act, changes }] = items
    assert.deepEqual(
      [act, changes],
      ['account.set_debt_recovery', { recoversDebts: { from: false, to: true } }],
    )
    const ofUser = await admin.call('PATCH', `admin/merchants/${userId}`, order)
    assert.equal(ofUser.key, 'USER_NOT_FOUND')
  })

  it('a field that no form has changes nothing', async () => {
    const { accountId } = await server.person()
    const path = `admin/merchants/${accountId}`
    for (const extra of [{ balance: 1 }, { kind: 'admin' }, { email: 'x@example.com' }]) {
      const refused = await admin.call('PATCH', path, { tier: 'premium', ...extra })
      assert.equal(refused.key, 'VALIDATION_FAILED')
    }
    assert.equal((await done(['GET', path])).tier, 'standard')
  })
})

describe('the service', () => {
  it('a chain is switched off with a reason and on again; once more changes nothing', async () => {
    const off = { enabled: false, reason: 'the node forks' }
    const path = 'admin/chains/base'
    assert.deepEqual(await done(['PUT', path, off]), { chain: 'base', enabled: false })
    await done(['PUT', path, { ...off, reason: 'again' }])
    const shown = async () =>
      (await done(['GET', 'admin/chains'])).find(({ chain }: { chain: string }) => chain === 'base')
    assert.deepEqual([(await shown()).enabled, (await shown()).reason], [false, 'the node forks'])
    await done(['PUT', path, { enabled: true, reason: 'it is over' }])
    assert.equal((await shown()).enabled, true)
    const unknown = await admin.call('PUT', 'admin/chains/none', off)
    assert.deepEqual([unknown.status, unknown.key], [404, 'NOT_FOUND'])
  })

  it('global defaults are set one by one, in their bounds', async () => {
    const reason = 'agreed in October'
    const first = await done(['GET', 'admin/defaults'])
    const set = await done(['PUT', 'admin/defaults', { feeBps: 450, reason }])
    assert.deepEqual(set, { ...first, feeBps: 450 })
    const limited = await done(['PUT', 'admin/defaults', { waitingLimit: null, reason }])
    assert.deepEqual(limited, { feeBps: 450, waitingLimit: null })
    for (const body of [{ reason }, { waitingLimit: 199, reason }, { feeBps: 10_001, reason }]) {
      assert.equal((await admin.call('PUT', 'admin/defaults', body)).key, 'VALIDATION_FAILED')
    }
    await done(['PUT', 'admin/defaults', { ...first, reason }])
  })

  it('is followed by a long poll of each session, which takes no slot of another one', async () => {
    const follow = (browser: Browser, after = '') =>
      browser.call('GET', `admin/changes?wait=25${after && `&after=${encodeURIComponent(after)}`}`)
    const { data: now } = await follow(admin)
    assert.deepEqual([now.topics, now.subjects, now.isMore], [[], [], false])
    const other = server.browser()
    server.nextMinute()
    await other.logIn((await server.person('administrator')).email)
    const { position } = (await follow(other)).data
    const own = [follow(admin, position), follow(admin, position)]
    const others = follow(other, position)
    // One of the two took the slot of its session.
    assert.deepEqual((await Promise.race(own)).data.topics, [])
    const report = createReporter({
      ...{ db: database.db, clock: server.clock, source: 'statement', onOpened() {} },
    })
    await report('orphan_purchase', { market: 'market_a', orderId: 'followed' })
    const ended = await Promise.all([...own, others])
    const topics = ended.map(({ data }) => data.topics.join())
    assert.deepEqual(topics.toSorted(), ['', 'cases', 'cases'])
    assert.equal(topics[2], 'cases')
    const lost = (await follow(admin, 'no-position')).data
    assert.equal(lost.topics.length, 6)
  })

  it('what the bots buy is changed setting by setting, in bounds, with its reason', async () => {
    const path = 'admin/selling-policy'
    const reason = 'agreed in October'
    const first = await done(['GET', path])
    const set = await done(['PUT', path, { offerSharePercent: 40, waitingLimit: 80, reason }])
    assert.deepEqual(set, { ...first, offerSharePercent: 40, waitingLimit: 80 })
    const entries = await listAudit(database.db, { act: 'selling.set_policy', limit: 5 })
    assert.deepEqual(
      entries.map(({ details, changes }) => [details.reason, changes.offerSharePercent]),
      [[reason, { from: first.offerSharePercent, to: 40 }]],
    )
    for (const wrong of [
      { offerSharePercent: 101 },
      { waitingLimit: 0 },
      { leastQuoteCents: first.mostQuoteCents + 1 },
      {},
    ]) {
      const { key } = await admin.call('PUT', path, { ...wrong, reason })
      assert.equal(key, 'VALIDATION_FAILED', JSON.stringify(wrong))
    }
    await done(['PUT', path, { ...first, reason }])
    assert.deepEqual(await done(['GET', path]), first)
  })

  it('queues, suppliers and the audit of the books are shown', async () => {
    const { queues } = await done(['GET', 'admin/queues'])
    const parked = queues.find(({ name }: { name: string }) => name === 'webhooks parked')
    assert.deepEqual(parked, { name: 'webhooks parked', count: 0, due: 0, oldestAgeMs: null })
    const names = queues.map(({ name }: { name: string }) => name)
    for (const name of [
      'mail',
      'visitor requests',
      'outbound payments',
      'deposits at providers',
      'sweeps',
    ]) {
      assert.ok(names.includes(name), name)
    }
    const suppliers = await done(['GET', 'admin/suppliers'])
    assert.ok(suppliers.some(({ market }: { market: string }) => market === 'market_a'))
    assert.deepEqual(await done(['GET', 'admin/books']), { status: 'unknown', runs: [] })
  })
})

const BEATS = sql(
  'test.jobs_beat',
  `insert into infra.heartbeat (job, process_id, started_at, beat_at, succeeded_at, error)
   select job, process_id, $1::timestamptz, $1, case when has_succeeded then $1::timestamptz end, error
   from (values ('first', 'one', false, null), ('first', 'two', false, null), ('alone', 'one', false, null),
                ('later', 'one', true, null), ('broken', 'one', false, 'refused'))
     as beat (job, process_id, has_succeeded, error)`,
)

describe('a job', () => {
  it('that has not succeeded yet runs for the first time, or waits for the lease', async () => {
    const { db } = database
    await db.query(BEATS, [server.clock.now()])
    const until = new Date(Date.now() + 3_600_000)
    await acquireLease(db, { name: 'first', holder: 'one' }, { now: new Date(), until })
    const { jobs } = await done(['GET', 'admin/queues'])
    const seen = (jobs as Record<string, string>[]).map(
      ({ job, processId, status }) => `${job} ${processId}: ${status}`,
    )
    assert.deepEqual(seen.sort(), [
      'alone one: running',
      'broken one: failing',
      'first one: running',
      'first two: standby',
      'later one: ok',
    ])
  })
})

const FOLLOWED = sql(
  'test.followed',
  `insert into buying.item (id, trade_id, tenant_id, account_id, listing_id, market, raw_listing_id, sourcing_mills,
     work, due_at, created_at)
   values ($1, $1, $1, $1, 1, 'market_a', 'one', 1000, 'follow', now() + interval '1 day',
     $2::timestamptz - interval '5 minutes')`,
)

describe('a queue', () => {
  it('says since when its oldest waits, also while nothing in it is due', async () => {
    await database.db.query(FOLLOWED, [newId(), server.clock.now()])
    const { queues } = await done(['GET', 'admin/queues'])
    const found = queues.find(({ name }: { name: string }) => name === 'follow market_a')
    const oldestAgeMs = 5 * 60_000
    assert.deepEqual(found, { name: 'follow market_a', count: 1, due: 0, oldestAgeMs })
  })

  it('is counted and listed, and each row leads to what it is about', async () => {
    const { db } = database
    const { accountId } = await server.person()
    const who = { accountId, tenantId: accountId, currency: 'USD' } as const
    const { id: depositId } = await server.deposits.given(who)
    const given = { merchantId: accountId, externalId: 'queued', at: server.clock.now() }
    const { id: withdrawalId } = await givenWithdrawal(db, given)
    const { queues } = await done(['GET', 'admin/queues'])
    for (const { name, count } of queues as { name: string; count: number }[]) {
      const { rows } = await done(['GET', `admin/queues/${name}`])
      assert.equal(rows.length, Math.min(count, 100), name)
    }
    for (const [name, kind, id] of [
      ['deposits at providers', 'deposit', depositId],
      ['withdrawals to approve', 'withdrawal', withdrawalId],
    ] as const) {
      const { rows } = await done(['GET', `admin/queues/${name}`])
      const found = rows.find(({ leadsTo }: { leadsTo: string }) => leadsTo === id)
      assert.equal(found?.kind, kind, name)
    }
    for (const name of ['place market_a', 'follow market_b', 'sells hold', 'webhooks to deliver']) {
      assert.deepEqual(await done(['GET', `admin/queues/${name}`]), { rows: [] }, name)
    }
    assert.equal((await admin.call('GET', 'admin/queues/none')).key, 'NOT_FOUND')
  })
})

describe('the audit log', () => {
  it('shows who did what and what it changed, by account, act, actor and time', async () => {
    const { accountId } = await server.person()
    await done(['PATCH', `admin/merchants/${accountId}`, { tier: 'premium', reason: 'grown' }])
    await done(['PUT', `admin/merchants/${accountId}/fees`, { feeBps: 120, reason: 'agreed' }])
    const log = await done(['GET', `admin/audit-log?accountId=${accountId}`])
    const { email } = (await admin.call('GET', 'session')).data.user
    assert.deepEqual(
      log.items.map(
        (entry: {
          act: string
          changes: object
          actor: { name: string }
          subject: { name: string }
        }) => [...[entry.act, entry.changes, entry.actor.name, entry.subject.name]],
      ),
      [
        ['account.set_fees', { feeBps: { from: 300, to: 120 } }, email, 'M'],
        ['account.set_tier', { tier: { from: 'standard', to: 'premium' } }, email, 'M'],
      ],
    )
    assert.equal(log.items[0].facts.reason, 'agreed')
    const first = await done(['GET', `admin/audit-log?accountId=${accountId}&limit=1`])
    const rest = await done([
      'GET',
      `admin/audit-log?accountId=${accountId}&limit=1&cursor=${first.nextCursor}`,
    ])
    assert.deepEqual([rest.items[0].act, rest.nextCursor], ['account.set_tier', null])
    const byAct = `admin/audit-log?accountId=${accountId}&act=account.set_tier&actor=${email}`
    assert.equal((await done(['GET', byAct])).items.length, 1)
    const later = `admin/audit-log?accountId=${accountId}&from=2030-01-01T00:00:00.000Z`
    assert.equal((await done(['GET', later])).items.length, 0)
  })
})

describe('records', () => {
  it('a case is shown with its evidence and resolved once', async () => {
    const { db } = database
    const report = createReporter({ db, clock: server.clock, source: 'statement', onOpened() {} })
    await report('missing', { market: 'market_a', orderId: '<b>17</b>' })
    const { items } = await done(['GET', 'admin/cases?state=open&kind=missing'])
    const [{ id, subject, meaning }] = items
    assert.equal(subject, 'order:market_a:<b>17</b>')
    assert.match(meaning, /does not know it/)
    assert.equal((await done(['GET', `admin/cases/${id}`])).facts.orderId, '<b>17</b>')
    const { email } = (await admin.call('GET', 'session')).data.user
    const path = `admin/cases/${id}/resolve`
    const resolved = await done(['POST', path, { reason: 'their statement was late' }])
    assert.deepEqual([resolved.state, resolved.resolvedBy], ['resolved', email])
    const again = await done(['POST', path, { reason: 'other words' }])
    assert.equal(again.resolution, 'their statement was late')
    assert.deepEqual((await done(['GET', `admin/search?q=${id}`])).hits[0].kind, 'case')
    assert.equal((await admin.call('GET', `admin/cases/${newId()}`)).key, 'NOT_FOUND')
  })

  it('deliveries of all accounts are listed, and parked ones are tried again', async () => {
    assert.deepEqual(await done(['GET', 'admin/deliveries?status=parked']), {
      items: [],
      nextCursor: null,
    })
    assert.deepEqual(await done(['POST', 'admin/deliveries/parked/retry']), { retried: 0 })
    for (const [method, path] of [
      ['GET', `admin/deliveries/${newId()}`],
      ['POST', `admin/deliveries/${newId()}/resend`],
    ] as const) {
      assert.equal((await admin.call(method, path)).key, 'NOT_FOUND')
    }
  })
})

describe('an event', () => {
  it('of any account is shown with what it carries and where it was sent', async () => {
    const { db } = database
    const owner = await server.loggedIn()
    const { accountId: tenantId } = owner
    const at = server.clock.now()
    const subjectId = newId()
    await db.query(ADD_EVENT, [tenantId, subjectId, at, 'trade.completed', 'trade'])
    const [written] = await db.query<{ id: string; number: bigint }>(EVENT_OF_TENANT, [tenantId])
    assert.ok(written)
    await owner.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/hook' })
    const about = { type: 'trade.completed', subjectType: 'trade', subjectId }
    const delivered = {
      ...{ id: written.number, publicId: written.id, ...about, position: 1n },
      ...{ tenantId, accountId: tenantId, payload: {}, createdAt: at },
    }
    await db.transaction((tx) => insertDeliveries(tx, [delivered], at))
    await admin.logIn((await server.person('administrator')).email)
    const event = await done(['GET', `admin/events/${written.id}`])
    assert.deepEqual(
      [event.accountName, event.subjectType, event.subjectId, event.deliveries[0].accountName],
      ['M', 'trade', subjectId, 'M'],
    )
    const { hits } = await done(['GET', `admin/search?q=${written.id}`])
    const found = hits.find(({ kind }: { kind: string }) => kind === 'event')
    assert.equal(found.subjectId, subjectId)
    assert.equal((await admin.call('GET', `admin/events/${newId()}`)).key, 'NOT_FOUND')
  })

  it('of a withdrawal carries the withdrawal, as its account reads it', async () => {
    const { db } = database
    const { accountId } = await server.person()
    const given = { merchantId: accountId, externalId: 'carried', at: server.clock.now() }
    const { id } = await givenWithdrawal(db, given)
    const about = ['payout.crypto.withdraw.confirmed', 'withdrawal']
    await db.query(ADD_EVENT, [accountId, id, given.at, ...about])
    const [written] = await db.query<{ id: string }>(EVENT_OF_TENANT, [accountId])
    const { payload } = await done(['GET', `admin/events/${written?.id}`])
    assert.equal(payload.withdrawal.id, id)
  })
})

const ADD_EVENT = sql('test_admin_add_event', `select outbox.add($4, $5, $1, $1, $2, '{}', $2, $3)`)
const EVENT_OF_TENANT = sql(
  'test_admin_event',
  'select id "number", public_id id from outbox.event where tenant_id = $1',
)

describe('an adjustment', () => {
  let second: Browser
  before(async () => {
    second = server.browser()
    await second.logIn((await server.person('administrator')).email)
  })
  const post = (browser: Browser, path: string, body?: unknown) =>
    browser.call('POST', `admin/adjustments${path}`, body)
  const balanceOf = async (id: string): Promise<number> =>
    (await done(['GET', `admin/merchants/${id}`])).balance

  async function proposed(amount = '12.34', side: 'credit' | 'debit' = 'credit') {
    const { accountId } = await server.person()
    const order = {
      ...{ id: newId(), accountId, wallet: 'spot', side, amount },
      ...{ reason: 'a transfer that came twice', reference: `bank-${newId()}` },
    }
    return { order, answer: await post(admin, '', order) }
  }

  it('is posted when a second administrator approves what the first one froze, once', async () => {
    const { order, answer } = await proposed()
    const { accountId, id } = order
    assert.deepEqual([answer.status, answer.data.state, answer.data.isOwn], [201, 'proposed', true])
    assert.equal((await post(admin, '', order)).data.id, id)
    const changed = await post(admin, '', { ...order, amount: '99.00' })
    assert.deepEqual([changed.status, changed.key], [409, 'IDEMPOTENCY_CONFLICT'])
    assert.equal(await balanceOf(accountId), 0)
    const own = await post(admin, `/${id}/approve`)
    assert.deepEqual([own.status, own.key], [403, 'FORBIDDEN'])
    const seen = (await second.call('GET', `admin/adjustments/${id}`)).data
    assert.deepEqual([seen.amount, seen.side, seen.isOwn], [12.34, 'credit', false])
    assert.deepEqual([seen.accountId, seen.accountName], [accountId, 'M'])
    assert.deepEqual(
      [seen.debit, seen.credit, seen.balanceBefore, seen.balanceAfter],
      ['house adjustment', `spot of ${accountId}`, 0, 12.34],
    )
    const approvals = await Promise.all([1, 2, 3].map(() => post(second, `/${id}/approve`)))
    assert.deepEqual(
      approvals.map(({ data }) => data.state),
      ['approved', 'approved', 'approved'],
    )
    assert.equal(await balanceOf(accountId), 12.34)
    const log = await done(['GET', `admin/audit-log?accountId=${accountId}`])
    const acts = log.items.map(({ act }: { act: string }) => act)
    assert.deepEqual(acts, ['adjustment.approve', 'adjustment.propose'])
    assert.equal(log.items[0].facts.amount, '12.34')
  })

  it('shows its posting before it is proposed, and proposes no debit of more than there is', async () => {
    const { accountId, email } = await server.person()
    const body = { account: accountId, wallet: 'spot', side: 'debit', amount: '5.00' }
    const plan = await done(['POST', 'admin/adjustments/plan', body])
    assert.deepEqual(
      [plan.debit, plan.credit, plan.balanceAfter],
      [`spot of ${accountId}`, 'house adjustment', -5],
    )
    assert.deepEqual([plan.accountId, plan.accountName, plan.accountEmail], [accountId, 'M', email])
    const { answer } = await proposed('5.00', 'debit')
    assert.deepEqual([answer.status, answer.key], [402, 'INSUFFICIENT_BALANCE'])
  })

  it('is of the account that an e-mail address or a name means, and of none where several are meant', async () => {
    const plan = (account: string) =>
      post(admin, '/plan', { account, wallet: 'spot', side: 'credit', amount: '5.00' })
    const open = async (name: string) => {
      const order = { ...NEW_MERCHANT, name, buyFeeBps: 0, sellFeeBps: 0 }
      const email = `${newId()}@example.com`
      return { email, id: (await done(['POST', 'admin/merchants', { ...order, email }], 201)).id }
    }
    const { id, email } = await open('Northwind Adjusted')
    for (const each of [id, email.toUpperCase(), 'northwind adjusted']) {
      assert.equal((await plan(each)).data.accountId, id, each)
    }
    await open('Northwind Adjusted')
    const foreign = 'treasury@northwind.example'
    await open(foreign)
    const { email: administrator } = await server.person('administrator')
    for (const [each, rule] of [
      ['Northwind Adjusted', 'unique'],
      ['Northwind', 'known'],
      ['missing@example.com', 'known'],
      [foreign, 'known'],
      [newId(), 'known'],
      [administrator, 'known'],
    ] as const) {
      const { status, meta } = await plan(each)
      const [problem] = meta.errors
      assert.deepEqual([status, problem.pointer, problem.rule], [422, '/account', rule], each)
    }
    assert.equal((await plan(email)).data.accountId, id)
  })

  it('is void when it was withdrawn, when its reference was posted before, and after 72 hours', async () => {
    const first = await proposed()
    const reason = 'the bank took it back'
    await post(admin, `/${first.order.id}/withdraw`, { reason })
    const late = await post(second, `/${first.order.id}/approve`)
    assert.deepEqual([late.data.state, late.data.decision], ['withdrawn', reason])
    const again = { ...first.order, id: newId() }
    await post(admin, '', again)
    assert.equal((await post(second, `/${again.id}/approve`)).data.state, 'approved')
    const twice = { ...again, id: newId(), amount: '1.00' }
    await post(admin, '', twice)
    assert.equal((await post(second, `/${twice.id}/approve`)).key, 'IDEMPOTENCY_CONFLICT')
    assert.equal(await balanceOf(again.accountId), 12.34)
    await database.db.script(
      `alter table operations.adjustment disable trigger adjustment_kept;
       update operations.adjustment set proposed_at = proposed_at - interval '73 hours' where id = '${twice.id}';
       alter table operations.adjustment enable trigger adjustment_kept`,
    )
    assert.equal((await post(second, `/${twice.id}/approve`)).data.state, 'expired')
  })

  it('is guarded by the database: not changed, not deleted, not approved by the one who proposed it', async () => {
    const { order } = await proposed()
    const where = `where id = '${order.id}'`
    const decided = `state = 'approved', decided_by = proposed_by, decided_at = now(), journal_id = id`
    for (const [text, problem] of [
      [`update operations.adjustment set amount = 1 ${where}`, /does not change/],
      [`delete from operations.adjustment ${where}`, /does not change/],
      [`update operations.adjustment set ${decided} ${where}`, /adjustment_by_two/],
    ] as const) {
      await assert.rejects(database.db.script(text), problem)
    }
  })
})
