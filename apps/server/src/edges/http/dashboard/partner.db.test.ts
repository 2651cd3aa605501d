// What a partner's people read and do in the dashboard: with its own children, with nothing of another
// partner.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type DashboardRoute, dashboardRouteList, requestExample } from '@tradepost/contract'
import { createChild } from '#identity'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { capabilitiesOf, findPersonId, type MemberRole, removeMember } from '#people'
import { findEndpoint, insertDeliveries } from '#webhooks'
import { givenWalletWithdrawal } from '../../../modules/crypto/payouts/testing/withdrawals.ts'
import { credit } from '../../../modules/money/ledger/testing/wallets.ts'
import { givenManyTrades } from '../../../modules/trading/trades/testing/many-trades.ts'
import type { Browser } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()
let browser: Browser
let partnerId: string
let ownerEmail: string
const children: string[] = []

before(async () => {
  const { email, accountId } = await server.partner()
  partnerId = accountId
  ownerEmail = email
  for (const name of ['anna', 'bert', 'carl']) {
    const { child } = await database.db.transaction((tx) =>
      createChild(tx, {
        ...{ partnerId, email: `${name}@shops.example`, name, description: null },
        ...{ environment: 'test', at: server.clock.now() },
      }),
    )
    children.push(child.id)
    server.nextMinute()
  }
  const [anna = ''] = children
  await credit(database.db, { id: anna, currency: 'USD' }, cents(12_345n))
  const from = new Date(server.clock.now().getTime() - 3_600_000)
  await givenManyTrades(database.db, { tenantId: partnerId, accountId: anna, count: 8, from })
  browser = server.browser()
  assert.equal((await browser.logIn(email)).status, 200)
})

const GIVE_UP = sql(
  'test.give_up',
  `update webhooks.delivery set status = 'exhausted', finished_at = $2 where id = $1`,
)

const HOLD_BACK = sql(
  'test.hold_back',
  'update outbound.transaction set hold_reason = $2 where ref_id = $1',
)

const SET_STATUS = sql(
  'test.set_status',
  'update trades.trade set status = $2::trades.status where external_id = $1',
)

const read = async (path: string) => {
  const answer = await browser.call('GET', `partner/${path}`)
  assert.equal(answer.status, 200, `${path}: ${answer.key}`)
  return answer.data
}

describe('a partner', () => {
  it('lists its children, newest first, by pages, by e-mail address and by state', async () => {
    const first = await read('children?limit=2')
    assert.deepEqual(
      first.items.map(({ name }: { name: string }) => name),
      ['carl', 'bert'],
    )
    const rest = await read(`children?limit=2&cursor=${first.nextCursor}`)
    assert.deepEqual(
      [rest.items[0].name, rest.items[0].balance, rest.nextCursor],
      ['anna', 123.45, null],
    )
    const found = await read('children?q=BER')
    assert.deepEqual(
      found.items.map(({ email }: { email: string }) => email),
      ['bert@shops.example'],
    )
    assert.deepEqual((await read('children?status=suspended')).items, [])
  })

  it('reads a child and the orders of all children or of one', async () => {
    const [anna, bert] = children
    const child = await read(`children/${anna}`)
    assert.deepEqual([child.id, child.email, child.status], [anna, 'anna@shops.example', 'active'])
    const { items, nextCursor } = await read('orders?limit=5')
    assert.equal(items.length, 5)
    assert.deepEqual(
      [items[0].accountId, items[0].email, items[0].status.code, items[0].amount],
      [anna, 'anna@shops.example', 'FAILED', 10.5],
    )
    assert.equal((await read(`orders?limit=5&cursor=${nextCursor}`)).items.length, 3)
    assert.equal((await read('orders?itemName=oldest')).items.length, 1)
    assert.equal((await read('orders?status=FAILED')).items.length, 2)
    assert.deepEqual((await read('orders?status=HOLD')).items, [])
    assert.equal((await read(`orders?childId=${anna}`)).items.length, 8)
    assert.deepEqual((await read(`orders?childId=${bert}`)).items, [])
  })

  it('finds an order and a deposit of a child by its id, and reads the page of each', async () => {
    const [anna = ''] = children
    const [{ id: orderId }] = (await read('orders?limit=1')).items
    const who = { accountId: anna, tenantId: partnerId, currency: 'USD' } as const
    const { id: depositId } = await server.deposits.given(who)
    const [listed] = (await browser.call('GET', 'deposits')).data.items
    assert.deepEqual([listed.id, listed.userEmail], [depositId, 'anna@shops.example'])
    const otherTenant = await loggedIn()
    for (const [kind, id, page, refusal] of [
      ['trade', orderId, `trades/${orderId}`, 'TRADE_NOT_FOUND'],
      ['deposit', depositId, `deposits/${depositId}`, 'DEPOSIT_NOT_FOUND'],
    ] as const) {
      const { hits } = (await browser.call('GET', `search?q=${id}`)).data
      assert.deepEqual([hits[0].kind, hits[0].id], [kind, id])
      assert.equal((await browser.call('GET', page)).status, 200)
      assert.deepEqual((await otherTenant.call('GET', `search?q=${id}`)).data.hits, [])
      assert.equal((await otherTenant.call('GET', page)).key, refusal)
    }
    const { trade, deliveries } = (await browser.call('GET', `trades/${orderId}`)).data
    assert.deepEqual([trade.userId, trade.items.length, deliveries], [anna, 1, []])
  })

  it('reads its totals and the health of the markets', async () => {
    const { totals, byStatus, unit, buckets, webhook } = await read('overview')
    assert.deepEqual(byStatus, { COMPLETED: 6, FAILED: 2 })
    assert.deepEqual(
      [totals.tradeCount, totals.gmv, totals.feesEarned, totals.spotBalance, totals.currency],
      [8, 63, 1.2, 0, 'USD'],
    )
    const sumsOf = (all: readonly Record<string, number>[]): number[] =>
      ['trades', 'completed', 'inProgress', 'volume'].map((name) =>
        all.reduce((sum, bucket) => sum + (bucket[name] ?? 0), 0),
      )
    assert.deepEqual([unit, sumsOf(buckets)], ['day', [8, 6, 0, 63]])
    // In its hold an order is under way, and not completed.
    await database.db.query(SET_STATUS, ['many-3', 'hold'])
    assert.deepEqual(sumsOf((await read('overview')).buckets), [8, 5, 1, 52.5])
    await database.db.query(SET_STATUS, ['many-3', 'completed'])
    assert.deepEqual(webhook, { status: null, failingSince: null })
    const before = server.clock.now().getTime() - 2 * 3_600_000
    const [from, to] = [new Date(before - 1).toISOString(), new Date(before).toISOString()]
    const earlier = await read(`overview?from=${from}&to=${to}`)
    assert.deepEqual([earlier.byStatus, earlier.unit], [{}, 'hour'])
    assert.deepEqual(earlier.previous, { volume: 0, feesEarned: 0, trades: 0, completed: 0 })
    // All orders are in the period before one that begins now.
    const now = server.clock.now().getTime()
    const [start, end] = [now + 1, now + 30 * 86_400_000].map((at) => new Date(at).toISOString())
    const { previous } = await read(`overview?from=${start}&to=${end}`)
    assert.deepEqual(previous, { volume: 63, feesEarned: 1.2, trades: 8, completed: 6 })
    const health = await read('market-health')
    assert.deepEqual([health.status, health.markets.market_a.workers], ['down', []])
  })

  it('reads figures of its own orders, and none of another partner', async () => {
    const kept = sql(
      'test.kept_partner_figure',
      `insert into operations.partner_figure (tenant_id, unit, at, figure, label, count, usd_cents)
       select unnest($1::uuid[]), 'day', date_trunc('day', $2::timestamptz, 'UTC') - interval '1 day', f.figure,
         f.label, f.count, f.cents
       from (values ('begun', 'buy', 7, 0), ('ended', 'failed', 2, 0), ('items', 'market_b failed', 2, 0),
         ('refunds', 'PURCHASE_FAILED', 2, 1050), ('attempts', 'succeeded', 9, 0)) f (figure, label, count, cents)`,
    )
    const other = await server.partner()
    await database.db.query(kept, [[partnerId, other.accountId], server.clock.now()])
    const { unit, current, previous } = await read('figures?span=week')
    assert.deepEqual([unit, current.begun, current.ended.failed, previous.begun], ['day', 7, 2, 0])
    assert.deepEqual(current.markets, [{ id: 'market_b', ended: 2, completed: 0 }])
    assert.deepEqual(current.refunds, [{ cause: 'PURCHASE_FAILED', count: 2, amount: 10.5 }])
    assert.deepEqual(current.webhooks, { succeeded: 9, failed: 0 })
    assert.deepEqual((await read('figures?span=day')).current.begun, 0)
    const refused = await browser.call('GET', 'partner/figures?span=century')
    assert.equal(refused.key, 'VALIDATION_FAILED')
  })

  it('lists the withdrawals of its children, of one or of all, and none of another partner', async () => {
    const [anna = '', bert = ''] = children
    const at = server.clock.now()
    const own = await givenWalletWithdrawal(database.db, {
      ...{ accountId: anna, tenantId: partnerId, at },
    })
    const list = async (who: Browser, query = '') => {
      const { data, key } = await who.call('GET', `payouts/withdrawals${query}`)
      return key ?? data.items.map(({ id, userId }: Record<string, string>) => [id, userId])
    }
    assert.deepEqual(await list(browser), [[own.id, anna]])
    assert.deepEqual(await list(browser, `?userId=${anna}`), [[own.id, anna]])
    assert.deepEqual(await list(browser, `?userId=${bert}`), [])
    assert.deepEqual(await list(browser, `?userId=${partnerId}`), [])
    const otherTenant = await loggedIn()
    assert.deepEqual(await list(otherTenant), [])
    assert.equal(await list(otherTenant, `?userId=${anna}`), 'USER_NOT_FOUND')
    const [shown] = (await browser.call('GET', 'payouts/withdrawals')).data.items
    assert.equal(shown.userEmail, 'anna@shops.example')
    const page = await browser.call('GET', `payouts/withdrawals/${own.id}`)
    assert.deepEqual([page.status, page.data.withdrawal.userId], [200, anna])
  })

  it('reads that a withdrawal which is held back goes by itself; administrators see why', async () => {
    const { db } = database
    const [anna = ''] = children
    const given = { accountId: anna, tenantId: partnerId, at: server.clock.now() }
    const { id } = await givenWalletWithdrawal(db, given)
    const admin = await server.loggedIn('administrator')
    const [low, stuck] = ['docs/runbooks/hot-wallet-low.md', 'docs/runbooks/payout-stuck.md']
    for (const [reason, waitsFor, runbook] of [
      [null, null, null],
      ['capital_low', 'funds', low],
      ['gas_capital_low', 'funds', low],
      ['fee_cap', 'fees', stuck],
      ['POLICY_DESTINATION', 'service', stuck],
    ] as const) {
      await db.query(HOLD_BACK, [id, reason])
      const theirs = await browser.call('GET', `payouts/withdrawals/${id}`)
      assert.equal(theirs.data.waitsFor, waitsFor)
      assert.ok(reason === null || !JSON.stringify(theirs.data).includes(reason), 'not theirs')
      const { data } = await admin.call('GET', `admin/withdrawals/${id}`)
      assert.deepEqual(data.transactionHold, reason && { reason, runbook })
    }
  })

  it('follows events of its children by a long poll, and learns of one that it cannot follow', async () => {
    const [anna = ''] = children
    const at = server.clock.now()
    await database.db.query(DISPATCH, [at])
    const follow = async (query = '') => {
      const answer = await browser.call('GET', `changes${query}`)
      assert.equal(answer.status, 200, answer.key)
      return answer.data
    }
    const { position, ...nothing } = await follow()
    assert.deepEqual(nothing, { topics: [], subjects: [], isMore: false })
    assert.deepEqual(await follow(`?after=${position}`), { position, ...nothing })
    const waiting = follow(`?after=${position}&wait=25`)
    const subjectId = newId()
    await database.db.query(ADD_EVENT, [partnerId, anna, subjectId, at])
    await database.db.query(DISPATCH, [at])
    const changed = await waiting
    assert.notEqual(changed.position, position)
    assert.deepEqual(
      [changed.topics, changed.subjects, changed.isMore],
      [['trade.completed'], [subjectId], false],
    )
    const lost = await follow(`?after=${newId()}`)
    assert.deepEqual(lost, { ...nothing, position: changed.position, isMore: true })
    const otherTenant = await loggedIn()
    const foreign = (await otherTenant.call('GET', `changes?after=${position}`)).data
    assert.deepEqual(foreign, { ...nothing, position: 'start', isMore: true })
  })

  it('finds no order of another partner', async () => {
    const otherTenant = await loggedIn()
    assert.deepEqual((await otherTenant.call('GET', 'partner/children')).data.items, [])
    assert.deepEqual((await otherTenant.call('GET', 'partner/orders')).data.items, [])
    const ofChild = await otherTenant.call('GET', `partner/orders?childId=${children[0]}`)
    assert.deepEqual(ofChild.data.items, [])
  })
})

describe('a session that ends while it waits', () => {
  it('gets the refusal when its long poll is over, and no subject of a later event', async () => {
    const follow = async (browser: Browser, path: string, slots: number) => {
      const polls = Array.from({ length: slots + 1 }, () => browser.call('GET', `${path}&wait=25`))
      // There is one slot too few: when the first poll has lost its own, all others wait.
      assert.equal((await Promise.race(polls)).status, 200)
      return async (key: string) => {
        const answers = await Promise.all(polls)
        const seen = answers.map((answer) => answer.key ?? answer.data.topics.join())
        assert.deepEqual(seen.toSorted(), ['', ...Array.from({ length: slots }, () => key)])
      }
    }
    const account = (browser: Browser) => follow(browser, 'changes?after=start', 32)
    const event = (accountId: string) =>
      database.db.query(ADD_EVENT, [accountId, accountId, newId(), server.clock.now()])
    const dispatch = () => database.db.query(DISPATCH, [server.clock.now()])

    const owner = await server.loggedIn()
    const ofOwner = await account(owner)
    assert.equal((await owner.call('POST', 'auth/logout')).status, 200)

    // As another process removes the member, so that this one still remembers the session.
    const member = await server.loggedIn('read_only')
    const ofMember = await account(member)
    const { accountId } = member
    const personId = await findPersonId(database.db, member.email)
    assert.ok(personId)
    await database.db.transaction((tx) =>
      removeMember(tx, { personId, accountId, at: server.clock.now() }),
    )

    const looking = await server.loggedIn('administrator')
    const looked = await server.person()
    const begin = `admin/merchants/${looked.accountId}/impersonation`
    assert.equal((await looking.call('POST', begin, { reason: 'a stuck trade' })).status, 201)
    const ofLooking = await account(looking)
    assert.equal((await looking.call('DELETE', 'impersonation')).status, 200)

    const leaving = await server.loggedIn('administrator')
    const { position } = (await leaving.call('GET', 'admin/changes')).data
    const after = encodeURIComponent(position)
    const ofLeaving = await follow(leaving, `admin/changes?after=${after}`, 1)
    assert.equal((await leaving.call('POST', 'auth/logout')).status, 200)

    for (const id of [owner.accountId, accountId, looked.accountId]) await event(id)
    await dispatch()
    await ofOwner('SESSION_EXPIRED')
    await ofMember('UNAUTHENTICATED')
    await ofLooking('FORBIDDEN')
    await ofLeaving('SESSION_EXPIRED')
  })
})

const ADD_EVENT = sql(
  'test_partner_add_event',
  `select outbox.add('trade.completed', 'trade', $1, $2, $3, '{}', $3, $4)`,
)
const DISPATCH = sql('test_partner_dispatch', 'select count(*) from outbox.dispatch(10000, $1)')

/** Of a partner of their own. */
async function loggedIn(role: MemberRole = 'owner'): Promise<Browser> {
  server.nextMinute()
  const { email } = await server.partner(role)
  const other = server.browser()
  assert.equal((await other.logIn(email)).status, 200)
  return other
}

/** Without those about the login of the person. */
const actsIn = async (path: string): Promise<string[]> => {
  const { data } = await browser.call('GET', path)
  const acts = data.items.map(({ act }: { act: string }) => act)
  return acts.filter((act: string) => !act.startsWith('person.'))
}

describe('what a partner does', () => {
  const send = (method: string, path: string, body?: unknown) =>
    browser.call(method, `partner/${path}`, body)

  it('has no payout custody, and is given no address of one', async () => {
    const { status, key } = await browser.call('GET', 'payouts/address')
    assert.deepEqual([status, key], [403, 'FORBIDDEN'])
  })

  it('is refused a list of known destinations, which would not hold for its withdrawals', async () => {
    const { status, key } = await browser.call('PUT', 'payouts/destinations', { onlyKnown: true })
    assert.deepEqual([status, key], [403, 'FORBIDDEN'])
  })

  it('opens a child once, with a key that is shown this once', async () => {
    const body = { email: 'dora@shops.example', name: 'Dora' }
    const { data: opened } = await send('POST', 'children', body)
    assert.match(opened.apiKey, /^tp_test_/)
    const { data: again } = await send('POST', 'children', { ...body, name: 'Other' })
    assert.deepEqual([again.apiKey, again.apiKeyId], [undefined, opened.apiKeyId])
    assert.equal((await read('children?q=dora')).items[0].name, 'Dora')
    assert.deepEqual(await actsIn('audit'), ['child.create'])
  })

  it('moves money to a child once for each key, and sees it from both sides', async () => {
    await credit(database.db, { id: partnerId, currency: 'USD' }, cents(10_000n))
    const { apiKeyId, email } = await read(`children/${children[1]}`)
    const transfer = { toApiKeyId: apiKeyId, amountCents: 2_500, idempotencyKey: 'week-1' }
    const made = await send('POST', 'transfers', transfer)
    assert.deepEqual([made.status, made.data.userApiKeyId], [200, apiKeyId])
    assert.match((await send('POST', 'transfers', transfer)).data.message, /before/)
    const changed = await send('POST', 'transfers', { ...transfer, amountCents: 2_501 })
    assert.deepEqual([changed.status, changed.key], [409, 'IDEMPOTENCY_CONFLICT'])
    const tooMuch = { toEmail: email, amountCents: 7_501, idempotencyKey: 'week-2' }
    assert.equal((await send('POST', 'transfers', tooMuch)).key, 'INSUFFICIENT_BALANCE')
    assert.equal((await read(`children/${children[1]}`)).balance, 25)
    const [row] = (await read('transfers')).items
    assert.deepEqual(
      [row.childId, row.email, row.amount, row.reference],
      [children[1], email, 25, 'week-1'],
    )
    assert.deepEqual((await read(`transfers?childId=${children[1]}`)).items, [row])
    assert.deepEqual((await read(`transfers?childId=${children[2]}`)).items, [])
    const ledgers = await Promise.all(
      ['ledger', `children/${children[1]}/ledger`].map(async (path) => (await read(path)).items[0]),
    )
    assert.deepEqual(
      ledgers.map(({ id, type, amount }) => [id, type, amount]),
      [
        [row.id, 'fund_out', -25],
        [row.id, 'fund_in', 25],
      ],
    )
    assert.deepEqual(await actsIn('audit'), ['child.transfer', 'child.create'])
  })

  it('sets its own fee and no other', async () => {
    const fees = await read('fees')
    assert.deepEqual(fees, {
      ...{ platformFeeBps: 300, isAgreed: true, partnerFeeBps: 200, withdrawFeeBps: 50 },
    })
    const set = await send('PUT', 'fees', { partnerFeeBps: 250 })
    assert.deepEqual(set.data, { ...fees, partnerFeeBps: 250 })
    for (const body of [{ partnerFeeBps: 10_001 }, { partnerFeeBps: 1, platformFeeBps: 0 }]) {
      assert.equal((await send('PUT', 'fees', body)).key, 'VALIDATION_FAILED')
    }
    assert.equal((await actsIn('audit'))[0], 'account.set_fees')
  })

  it('keeps the keys and the endpoint of a child; what it did is in the log of the child', async () => {
    const ofChild = `children/${children[2]}`
    const { data: key } = await send('POST', `${ofChild}/keys`, { name: 'shop' })
    assert.match(key.apiKey, /^tp_test_/)
    await send('DELETE', `${ofChild}/keys/${key.id}`)
    const keys = (await read(`${ofChild}/keys`)) as { name: string; status: string }[]
    assert.deepEqual(
      keys.map(({ name, status }) => [name, status]),
      [
        ['shop', 'revoked'],
        ['First key', 'active'],
      ],
    )
    const url = 'http://127.0.0.1:9/child'
    const { data: endpoint } = await send('PUT', `${ofChild}/webhook`, { url })
    assert.match(endpoint.secret, /^whsec_/)
    assert.equal((await read(`${ofChild}/webhook`)).url, url)
    const kept = await findEndpoint(database.db, children[2] ?? '')
    assert.equal(kept?.parentId, partnerId, 'it shares the slots of its partner')
    assert.equal((await browser.call('GET', 'webhook')).data.url, null)
    assert.deepEqual(await actsIn(`partner/${ofChild}/audit`), [
      ...['webhook.set_endpoint', 'key.revoke', 'key.issue'],
    ])
  })

  it('reads the totals of one child', async () => {
    const [anna, , carl] = await Promise.all(children.map((id) => read(`children/${id}`)))
    assert.deepEqual(
      [anna.stats.orderAmount, anna.stats.volume, anna.stats.partnerRevenue],
      [6, 63, 1.2],
    )
    assert.equal(carl.stats.orderAmount, 0)
  })

  it('is asked for a factor again after ten minutes before money moves', async () => {
    const late = await loggedIn()
    server.clock.advance(11 * 60_000)
    const transfer = { toEmail: 'a@example.com', amountCents: 1, idempotencyKey: 'late' }
    const refused = await late.call('POST', 'partner/transfers', transfer)
    assert.deepEqual([refused.status, refused.key], [403, 'TWO_FACTOR_FRESH_REQUIRED'])
  })
})

describe('every route of a partner', () => {
  before(async () => {
    server.nextMinute()
    await browser.logIn(ownerEmail)
  })
  const routes = dashboardRouteList.filter(({ tag }) => tag === 'Partner')
  /** Where the contract has no example of a body. */
  const BODIES: Readonly<Record<string, unknown>> = {
    createKeyOfChild: { name: 'x' },
    updateKeyOfChild: { name: 'x' },
    rotateKeyOfChild: { overlapHours: 1 },
    setWebhookOfChild: { url: 'http://127.0.0.1:9/hook' },
    rotateWebhookSecretOfChild: { overlapHours: 1 },
    createEndpointOfChild: { url: 'http://127.0.0.1:9/hook' },
    rotateEndpointSecretOfChild: { overlapHours: 1 },
  }
  /** With a child, and a key or delivery of it, in the path. */
  const send = (
    by: Browser,
    route: DashboardRoute,
    { childId, id = newId() }: { readonly childId: string; readonly id?: string },
  ) => {
    const path = route.path
      .replace('/dashboard/api/', '')
      .replace('{childId}', childId)
      .replace('{id}', route.path.includes('{childId}') ? id : childId)
    return by.call(route.method, path, BODIES[route.id] ?? requestExample(route).body)
  }
  const ofChild = routes.filter(({ path }) => path.includes('{'))

  it('answers for a child of another partner as if there were no such child', async () => {
    const otherTenant = await loggedIn()
    const [childId = ''] = children
    assert.ok(ofChild.length > 14, `${ofChild.length} routes`)
    for (const route of ofChild) {
      const [foreign, unknown] = [
        await send(otherTenant, route, { childId }),
        await send(otherTenant, route, { childId: newId() }),
      ]
      assert.deepEqual([foreign.status, foreign.key], [404, 'USER_NOT_FOUND'], route.id)
      assert.deepEqual([unknown.status, unknown.key], [404, 'USER_NOT_FOUND'], route.id)
    }
    const { apiKeyId, email } = await read(`children/${childId}`)
    for (const to of [{ toApiKeyId: apiKeyId }, { toEmail: email }]) {
      const transfer = { ...to, amountCents: 1, idempotencyKey: 'theft' }
      const { key } = await otherTenant.call('POST', 'partner/transfers', transfer)
      assert.equal(key, 'USER_NOT_FOUND')
    }
    const listed = await otherTenant.call('GET', `partner/transfers?childId=${childId}`)
    assert.equal(listed.key, 'USER_NOT_FOUND')
  })

  it('finds no key and no delivery of one child below another', async () => {
    const [anna = '', bert = ''] = children
    const [key] = await read(`children/${anna}/keys`)
    await browser.call('PUT', `partner/children/${anna}/webhook`, { url: 'http://127.0.0.1:9/a' })
    const event = { id: 1n, publicId: newId(), type: 'trade.completed', subjectType: 'trade' }
    const about = { position: 1n, subjectId: newId(), tenantId: partnerId, accountId: anna }
    const at = server.clock.now()
    const events = [{ ...event, ...about, payload: {}, createdAt: at }]
    await database.db.transaction((tx) => insertDeliveries(tx, events, at))
    const [delivery] = (await read(`children/${anna}/webhook/deliveries`)).items
    const things = ofChild.filter(({ path }) => path.includes('{childId}') && path.includes('{id}'))
    assert.equal(things.length, 13)
    const [endpoint] = await read(`children/${anna}/webhooks`)
    for (const route of things) {
      const id = route.path.includes('/webhooks/')
        ? endpoint.id
        : route.path.includes('deliveries')
          ? delivery.id
          : key.id
      const { status, key: refusal } = await send(browser, route, { childId: bert, id })
      assert.deepEqual([status, refusal], [404, 'NOT_FOUND'], route.id)
    }
    assert.equal((await read(`children/${anna}/keys`))[0].status, 'active')
  })

  it('recovers what was given up at the endpoint of one child', async () => {
    const [anna = ''] = children
    const path = `partner/children/${anna}/webhook`
    await browser.call('PUT', path, { url: 'http://127.0.0.1:9/a' })
    const at = server.clock.now()
    const since = at.toISOString()
    const event = { id: 2n, publicId: newId(), type: 'trade.failed', subjectType: 'trade' }
    const about = { position: 2n, subjectId: newId(), tenantId: partnerId, accountId: anna }
    const events = [{ ...event, ...about, payload: {}, createdAt: at }]
    await database.db.transaction((tx) => insertDeliveries(tx, events, at))
    const [{ id }] = (await read(`children/${anna}/webhook/deliveries`)).items
    await database.db.query(GIVE_UP, [id, at])
    const recover = () => browser.call('POST', `${path}/recover`, { since })
    assert.deepEqual((await recover()).data, { count: 1 })
    assert.deepEqual((await recover()).data, { count: 0 })
    const [again] = (await read(`children/${anna}/webhook/deliveries`)).items
    assert.deepEqual([again.id, again.status], [id, 'retrying'])
    const { items } = (await read(`children/${anna}/audit?act=webhook.recover`)) as {
      items: { act: string }[]
    }
    assert.equal(items.length, 2)
  })

  it('removes the endpoint of one child, whose events then come to its own', async () => {
    const [anna = ''] = children
    const path = `partner/children/${anna}/webhook`
    await browser.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/partner' })
    await browser.call('PUT', path, { url: 'http://127.0.0.1:9/a' })
    const subjectId = newId()
    const happen = async (id: bigint) => {
      const at = server.clock.now()
      const event = { id, publicId: newId(), type: 'trade.failed', subjectType: 'trade' }
      const about = { position: id, subjectId, tenantId: partnerId, accountId: anna }
      const events = [{ ...event, ...about, payload: {}, createdAt: at }]
      await database.db.transaction((tx) => insertDeliveries(tx, events, at))
      const count = async (of: string) =>
        (await browser.call('GET', `${of}/deliveries?subjectId=${subjectId}`)).data.items.length
      return [await count(path), await count('webhook')]
    }
    assert.deepEqual(await happen(3n), [1, 0])
    assert.equal((await browser.call('DELETE', path)).data.url, null)
    assert.deepEqual(await happen(4n), [1, 1])
  })

  it('is for partners alone, and for those of its people whose role allows it', async () => {
    const merchant = await server.loggedIn()
    for (const route of routes) {
      const { status, key } = await send(merchant, route, { childId: newId() })
      assert.deepEqual([status, key], [403, 'FORBIDDEN'], route.id)
    }
    for (const role of ['developer', 'finance', 'read_only'] as const) {
      const member = await loggedIn(role)
      for (const route of routes) {
        const mayCall = (capabilitiesOf(role) as ReadonlySet<string>).has(route.capability)
        if (mayCall && route.method !== 'GET') continue
        const { key } = await send(member, route, { childId: newId() })
        const expected = mayCall ? [undefined, 'USER_NOT_FOUND'] : ['FORBIDDEN']
        assert.ok(expected.includes(key), `${route.id} as ${role}: ${key}`)
      }
    }
  })
})
