// Who reaches which account: what belongs to one merchant, asked for by another, at every route that takes an
// id and in the search; its end, and an administrator who looks at it.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type DashboardRoute, dashboardRouteList, requestExample } from '@tradepost/contract'
import { listAudit } from '#audit'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { post } from '#ledger'
import { insertDeliveries } from '#webhooks'
import { givenWithdrawal } from '../../../modules/crypto/payouts/testing/withdrawals.ts'
import { givenManyTrades } from '../../../modules/trading/trades/testing/many-trades.ts'
import { createAuthenticator } from '../testing/authenticator.ts'
import {
  type Answer,
  type Browser,
  type LoggedInBrowser,
  tokenIn,
} from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()
const owner = await server.loggedIn()
let owned: Awaited<ReturnType<typeof givenOneOfEach>>

before(async () => {
  owned = await givenOneOfEach()
})

const NAME_OFFER = sql(
  'test_foreign_trade',
  `update trades.item i set offer_id = '6543210987' from trades.trade t
   where t.id = i.trade_id and t.tenant_id = $1 returning t.id "tradeId", i.id "itemId"`,
)
const NAME_ITEMS = sql(
  'test_foreign_items',
  `update trades.item i set external_id = 'item-7' from trades.trade t
   where t.id = i.trade_id and t.tenant_id = any ($1::uuid[])`,
)
/** No dispatcher runs here: the event gets its position by hand, so that its feed shows it. */
const EVENT = sql(
  'test_foreign_event',
  `update outbox.event set position = 1, dispatched_at = created_at
   where id = (select min(id) from outbox.event where tenant_id = $1) returning public_id id`,
)
const ORDER = sql(
  'test_foreign_order',
  'select provider_order_id "orderId" from deposits.provider_order where deposit_id = $1',
)

const BATCH = sql(
  'test_foreign_batch',
  `with batch as (
     insert into payouts.batch (id, owner_id, external_id, request_hash, total, created_at)
     values (uuidv7(), $1, 'b-1', '\\x00', 1, now()) returning id)
   insert into payouts.batch_withdrawal (batch_id, position, withdrawal_id)
   select id, 0, $2 from batch returning batch_id id`,
)

/** One of everything that a merchant has an id of. */
async function givenOneOfEach() {
  const { db } = database
  const { accountId: tenantId } = owner
  const at = server.clock.now()
  const user = (await owner.call('POST', 'users', { externalId: 'shopper-1' })).data
  const key = (await owner.call('POST', 'keys', { name: 'shop' })).data
  const passkey = await addPasskey()
  const [session] = (await owner.call('GET', 'sessions')).data
  await owner.call('POST', 'members/invitations', { email: 'two@example.com', role: 'finance' })
  const { members, invitations } = (await owner.call('GET', 'members')).data
  const who = { accountId: tenantId, tenantId, currency: 'USD' } as const
  const deposit = await server.deposits.given(who)
  const withdrawal = await givenWithdrawal(db, { merchantId: tenantId, externalId: 'w-1', at })
  await givenManyTrades(db, { tenantId, count: 1, from: at })
  const [trade] = await db.query<{ tradeId: string; itemId: string }>(NAME_OFFER, [tenantId])
  const [event] = await db.query<{ id: string }>(EVENT, [tenantId])
  const [order] = await db.query<{ orderId: string }>(ORDER, [deposit.id])
  const [batch] = await db.query<{ id: string }>(BATCH, [tenantId, withdrawal.id])
  assert.ok(trade && event && order && batch)
  await owner.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/hook' })
  await db.transaction((tx) =>
    insertDeliveries(
      tx,
      [
        {
          ...{ id: 1n, publicId: event.id, type: 'trade.completed', subjectType: 'trade' },
          ...{ position: 1n, subjectId: trade.tradeId, tenantId, accountId: tenantId },
          ...{ payload: {}, createdAt: at },
        },
      ],
      at,
    ),
  )
  const [delivery] = (await owner.call('GET', 'webhook/deliveries')).data.items
  const [endpoint] = (await owner.call('GET', 'webhooks')).data
  const view = (await owner.call('POST', 'views', VIEW)).data
  const ids = {
    users: user.id,
    views: view.id,
    keys: key.id,
    passkeys: passkey.id,
    sessions: session.id,
    'members/invitations': invitations[0].id,
    members: members[0].personId,
    deposits: deposit.id,
    'payouts/withdrawals': withdrawal.id,
    'payouts/batches': batch.id,
    trades: trade.tradeId,
    events: event.id,
    'webhook/deliveries': delivery.id,
    webhooks: endpoint.id,
  } as Readonly<Record<string, string>>
  return { ids, itemId: trade.itemId, orderId: order.orderId }
}

const VIEW = { list: 'listTrades', name: 'Failed', query: 'status=failed' }

async function addPasskey(): Promise<{ readonly id: string }> {
  const { ceremonyId, options } = (await owner.call('POST', 'passkeys/options')).data
  const origin = server.url.replace('127.0.0.1', 'localhost')
  const credential = createAuthenticator().create(options, { origin })
  await owner.call('POST', 'passkeys', { ceremonyId, name: 'laptop', credential })
  const [passkey] = (await owner.call('GET', 'passkeys')).data
  return passkey
}

/** Where the contract has no example of a body. */
const BODIES: Readonly<Record<string, unknown>> = {
  renamePasskey: { name: 'x' },
  renameView: { name: 'x' },
  changeMemberRole: { role: 'read_only' },
  updateKey: { name: 'x' },
  rotateKey: { overlapHours: 1 },
  rotateEndpointSecret: { overlapHours: 1 },
  fundUser: { amount: '1.00' },
  defundUser: { amount: '1.00' },
}
const ID = /\/\{(?:id|tradeId)\}/

const send = (browser: LoggedInBrowser, route: DashboardRoute, id: string): Promise<Answer> => {
  const { body } = requestExample(route)
  const path = route.path.replace('/dashboard/api/', '').replace(ID, `/${id}`)
  const headers = route.headers === undefined ? {} : { 'idempotency-key': newId() }
  return browser.call(route.method, path, BODIES[route.id] ?? body, headers)
}

it('every route with an id answers another merchant as if there were no such thing', async () => {
  const otherTenant = await server.loggedIn()
  // A partner's pages have their own test: a merchant has no children.
  const walked = dashboardRouteList.filter(
    ({ path, capability, tag }) =>
      ID.test(path) && capability !== 'administration' && tag !== 'Partner',
  )
  assert.ok(walked.length > 20, `${walked.length} routes`)
  for (const route of walked) {
    const place = route.path.replace('/dashboard/api/', '').split(ID, 1)[0] ?? ''
    const id = owned.ids[place]
    assert.ok(id, `this test has no id for ${route.method} ${route.path}`)
    const [foreign, unknown] = [
      await send(otherTenant, route, id),
      await send(otherTenant, route, newId()),
    ]
    assert.match(foreign.key ?? `status ${foreign.status}`, /NOT_FOUND$/, route.id)
    assert.deepEqual([foreign.status, foreign.key], [unknown.status, unknown.key], route.id)
    // Its owner reads it still: the id is a real one, and nothing was changed or removed.
    if (route.method === 'GET') assert.equal((await send(owner, route, id)).status, 200, route.id)
  }
  assert.equal((await owner.call('GET', 'keys')).data[0].name, 'shop')
  assert.equal((await owner.call('GET', 'members')).data.invitations.length, 1)
})

it('the search finds every id of the account and its users, and nothing of another one', async () => {
  const otherTenant = await server.loggedIn()
  const { ids, itemId, orderId } = owned
  const expected: readonly (readonly [text: string, kind: string, id: string | undefined])[] = [
    [ids.trades ?? '', 'trade', ids.trades],
    [itemId, 'trade', ids.trades],
    ['6543210987', 'trade', ids.trades],
    ['many-1', 'trade', ids.trades],
    [ids.users ?? '', 'account', ids.users],
    ['shopper-1', 'account', ids.users],
    [owner.email, 'account', owner.accountId],
    [ids.keys ?? '', 'key', ids.keys],
    [ids.deposits ?? '', 'deposit', ids.deposits],
    [orderId, 'deposit', ids.deposits],
    [ids['payouts/withdrawals'] ?? '', 'withdrawal', ids['payouts/withdrawals']],
    ['w-1', 'withdrawal', ids['payouts/withdrawals']],
    [ids.events ?? '', 'event', ids.events],
    [ids['webhook/deliveries'] ?? '', 'delivery', ids['webhook/deliveries']],
    // The trade that a delivery is about.
    [ids['webhook/deliveries'] ?? '', 'trade', ids.trades],
  ]
  const hitsOf = async (browser: LoggedInBrowser, text: string) =>
    (await browser.call('GET', `search?q=${encodeURIComponent(text)}`)).data.hits as {
      readonly kind: string
      readonly id: string
    }[]
  for (const [text, kind, id] of expected) {
    const own = await hitsOf(owner, text)
    assert.ok(
      own.some((hit) => hit.kind === kind && hit.id === id),
      `${kind} by ${text}`,
    )
    assert.deepEqual(await hitsOf(otherTenant, text), [], `${kind} by ${text}`)
  }
})

it('another merchant’s items with the same external id hide none of one’s own', async () => {
  const { db } = database
  const otherTenant = await server.loggedIn()
  const from = new Date(server.clock.now().getTime() + 1000)
  await givenManyTrades(db, { tenantId: otherTenant.accountId, count: 25, from })
  await db.query(NAME_ITEMS, [[owner.accountId, otherTenant.accountId]])
  const { hits } = (await owner.call('GET', 'search?q=item-7')).data
  assert.deepEqual(
    hits.map(({ id }: { id: string }) => id),
    [owned.ids.trades],
  )
})

describe('an account', () => {
  const join = async (owner: Browser, role: string): Promise<LoggedInBrowser> => {
    const member = await server.loggedIn()
    await owner.call('POST', 'members/invitations', { email: member.email, role })
    const token = tokenIn((await server.mailTo(member.email))[0]?.text ?? '')
    server.clock.advance(1000)
    await member.call('POST', 'auth/invitation/accept', { token })
    return member
  }

  it('is left by a member of their own will; its last owner stays', async () => {
    const owner = await server.loggedIn()
    const last = await owner.call('DELETE', 'session/account')
    assert.deepEqual([last.key, last.meta.errors[0].rule], ['VALIDATION_FAILED', 'lastOwner'])
    const member = await join(owner, 'read_only')
    await member.call('PUT', 'session/account', { accountId: owner.accountId })
    const { cookie } = member
    assert.equal((await member.call('DELETE', 'session/account')).status, 200)
    const old = Object.assign(server.browser(), { cookie })
    assert.equal((await old.call('GET', 'session')).status, 401)
    assert.equal((await owner.call('GET', 'members')).data.members.length, 1)
    assert.match((await server.mailTo(owner.email))[0]?.subject ?? '', /member has left/)
    server.nextMinute()
    // The account of their own is still theirs.
    const session = await server.browser().logIn(member.email)
    assert.equal(session.data.user.accountId, member.accountId)
  })

  it('is named by its owner, as the service calls it from then on', async () => {
    const owner = await server.loggedIn()
    const developer = await join(owner, 'developer')
    await developer.call('PUT', 'session/account', { accountId: owner.accountId })
    const rename = (browser: Browser, name: string) => browser.call('PUT', 'account/name', { name })
    assert.equal((await rename(developer, 'Mine')).key, 'FORBIDDEN')
    assert.equal((await rename(owner, ' ')).key, 'VALIDATION_FAILED')
    assert.equal((await rename(owner, 'Skins & more')).status, 200)
    const accounts = (await owner.call('GET', 'session/accounts')).data
    assert.deepEqual(
      accounts.map(({ name }: { name: string }) => name),
      ['Skins & more'],
    )
    const [{ act, changes }] = (await owner.call('GET', 'audit')).data.items
    assert.deepEqual(
      [act, changes],
      ['account.rename', { name: { from: 'M', to: 'Skins & more' } }],
    )
  })

  it('is closed by its owner with its name, once nothing is left in it', async () => {
    const owner = await server.loggedIn()
    const member = await join(owner, 'developer')
    const { apiKey } = (await owner.call('POST', 'keys', { name: 'k' })).data
    await owner.call('PUT', 'webhook', { url: 'http://127.0.0.1:9/hook' })
    const user = (await owner.call('POST', 'users', { externalId: 'shopper' })).data
    const close = (browser: Browser, confirmation = 'M') =>
      browser.call('POST', 'account/close', { confirmation })
    assert.equal((await close(owner, 'm')).meta.errors[0].pointer, '/confirmation')
    const pay = (ownerId: string, side: 'credit' | 'debit', reference: string) => {
      const [house, wallet] = [{ house: 'adjustment' }, { ownerId, kind: 'spot' }] as const
      const [from, to] = side === 'credit' ? [house, wallet] : [wallet, house]
      return database.db.transaction((tx) =>
        post(tx, {
          ...{ kind: 'adjustment', refId: null, externalRef: null, scopeId: ownerId },
          ...{ idempotencyKey: reference, requestHash: Buffer.alloc(32), at: server.clock.now() },
          legs: [{ from, to, currency: 'USD', amount: cents(1n) }],
        }),
      )
    }
    // A cent of one of its users is enough.
    await pay(user.id, 'credit', `in ${user.id}`)
    assert.deepEqual((await close(owner)).key, 'ACCOUNT_HAS_FUNDS')
    await pay(user.id, 'debit', `out ${user.id}`)
    const who = { accountId: owner.accountId, tenantId: owner.accountId, currency: 'USD' } as const
    const deposit = await server.deposits.given(who)
    assert.equal((await close(owner)).key, 'ACCOUNT_HAS_FUNDS')
    await owner.call('POST', `deposits/${deposit.id}/cancel`)
    server.clock.advance(11 * 60_000)
    assert.equal((await close(owner)).key, 'TWO_FACTOR_FRESH_REQUIRED')
    server.nextMinute()
    await owner.logIn(owner.email)
    await member.call('PUT', 'session/account', { accountId: owner.accountId })
    assert.equal((await close(member)).key, 'FORBIDDEN')
    const { cookie } = owner
    assert.equal((await close(owner)).status, 200)
    for (const session of [cookie, member.cookie]) {
      const old = Object.assign(server.browser(), { cookie: session })
      assert.equal((await old.call('GET', 'session')).status, 401)
    }
    const [left] = await database.db.query<{ keys: number; endpoints: number; users: number }>(
      sql(
        'test.closed',
        `select (select count(*)::int from identity.api_key where account_id = $1 and status <> 'revoked') keys,
           (select count(*)::int from webhooks.endpoint where tenant_id = $1 and status = 'enabled') endpoints,
           (select count(*)::int from identity.account where parent_id = $1 and status <> 'deleted') users`,
      ),
      [owner.accountId],
    )
    assert.deepEqual(left, { keys: 0, endpoints: 0, users: 0 })
    assert.match(apiKey, /^tp_test_/)
    assert.match((await server.mailTo(owner.email))[0]?.subject ?? '', /account is closed/)
    server.nextMinute()
    // Its owner acted for no other account, its developer does.
    assert.equal((await server.browser().logIn(owner.email)).key, 'INVALID_CREDENTIALS')
    assert.equal((await server.browser().logIn(member.email)).status, 200)
    const [entry] = await database.db.query<{ changes: { email: { from: string } } }>(
      sql(
        'test.closing',
        `select changes from audit.entry where act = 'account.close' and subject_id = $1`,
      ),
      [owner.accountId],
    )
    assert.equal(entry?.changes.email.from, owner.email)
    // The address may begin anew.
    const again = { email: owner.email, password: 'plenty of quiet rivers' }
    await server.browser().call('POST', 'auth/register', again)
    const token = tokenIn((await server.mailTo(owner.email))[0]?.text ?? '')
    assert.equal((await server.browser().call('POST', 'auth/verify-email', { token })).status, 200)
  })
})

describe('an administrator who looks at an account', () => {
  it('sees its pages for an hour, changes nothing, and both names are in its audit log', async () => {
    const { accountId } = await server.person()
    const browser = server.browser()
    await browser.logIn((await server.person('administrator')).email)
    const { email } = (await browser.call('GET', 'session')).data.user
    const begin = { reason: 'a stuck trade' }
    const path = `admin/merchants/${accountId}/impersonation`
    assert.equal((await browser.call('POST', path, begin)).status, 201)
    const { data: session } = await browser.call('GET', 'session')
    assert.deepEqual(
      [session.user.accountId, session.user.memberRole, session.user.email],
      [accountId, 'read_only', email],
    )
    assert.deepEqual(
      [session.impersonation.accountName, session.impersonation.reason],
      ['M', 'a stuck trade'],
    )
    assert.equal((await browser.call('GET', 'keys')).status, 200)
    assert.equal((await browser.call('GET', 'admin/health')).key, 'FORBIDDEN')
    for (const route of dashboardRouteList) {
      if (route.method === 'GET' || route.capability === 'anonymous') continue
      if (route.whileImpersonating) continue
      const { params, body } = requestExample(route)
      const at = route.path
        .replace('/dashboard/api/', '')
        .replace(/\{(\w+)\}/g, (_, name: string) => String(params[name as never] ?? 'x'))
      const refused = await browser.call(route.method, at, body)
      assert.deepEqual([refused.status, refused.key], [403, 'FORBIDDEN'], `${route.method} ${at}`)
      server.clock.advance(1_000)
    }
    // The cookie belongs to this session alone.
    const otherTenant = server.browser()
    await otherTenant.logIn((await server.person('administrator')).email)
    otherTenant.impersonation = browser.impersonation
    assert.equal((await otherTenant.call('GET', 'keys')).key, 'FORBIDDEN')
    assert.equal((await browser.call('DELETE', 'impersonation')).status, 200)
    assert.equal((await browser.call('GET', 'session')).data.impersonation, null)
    const log = await browser.call('GET', `admin/audit-log?accountId=${accountId}`)
    assert.deepEqual(
      log.data.items.map(({ act, actor }: { act: string; actor: { name: string } }) => [
        ...[act, actor.name],
      ]),
      [
        ['impersonation.end', email],
        ['impersonation.begin', email],
      ],
    )
    await browser.call('POST', path, begin)
    server.clock.advance(20 * 60_000)
    await browser.call('GET', 'session')
    server.clock.advance(20 * 60_000)
    await browser.call('GET', 'session')
    server.clock.advance(20 * 60_000)
    assert.equal((await browser.call('GET', 'session')).data.impersonation, null)
  })

  it('logs out: the look ends with the session, and only its end is in the log of the account', async () => {
    const { accountId } = await server.person()
    const browser = server.browser()
    await browser.logIn((await server.person('administrator')).email)
    const path = `admin/merchants/${accountId}/impersonation`
    await browser.call('POST', path, { reason: 'a stuck trade' })
    const { status, data } = await browser.call('POST', 'auth/logout')
    assert.deepEqual([status, data], [200, { loggedOut: true }])
    assert.equal(browser.impersonation, 'tp_impersonation=')
    assert.equal((await browser.call('GET', 'session')).status, 401)
    const entries = await listAudit(database.db, { accountId, limit: 20 })
    assert.deepEqual(
      entries.map(({ act }) => act),
      ['impersonation.end', 'impersonation.begin'],
    )
  })
})
