// What a partner's people read in the dashboard: its own children and orders, nothing of another partner.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createChild } from '#identity'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { type TestDatabase, testDatabase } from '../infra/testing/database.ts'
import { credit } from '../modules/ledger/testing/wallets.ts'
import { givenManyTrades } from '../modules/trades/testing/many-trades.ts'
import {
  type Browser,
  type DashboardServer,
  startDashboardServer,
} from './testing/dashboard-server.ts'

let database: TestDatabase
let server: DashboardServer
let browser: Browser
let partnerId: string
const children: string[] = []

before(async () => {
  database = await testDatabase()
  server = await startDashboardServer(database.db)
  const { email, accountId } = await server.partner()
  partnerId = accountId
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
after(async () => {
  await server.close()
  await database.close()
})

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
    assert.equal((await read(`orders?childId=${anna}`)).items.length, 8)
    assert.deepEqual((await read(`orders?childId=${bert}`)).items, [])
  })

  it('reads its totals and the health of the markets', async () => {
    const { balance, stats } = await read('overview')
    assert.deepEqual([balance, stats.orderAmount, stats.pendingOrderAmount], [0, 6, 0])
    const health = await read('market-health')
    assert.deepEqual([health.status, health.markets.market_a.workers], ['down', []])
  })

  it('finds no child and no order of another partner, and a merchant is refused', async () => {
    const own = browser
    const stranger = await server.partner()
    server.nextMinute()
    browser = server.browser()
    await browser.logIn(stranger.email)
    assert.deepEqual((await read('children')).items, [])
    assert.deepEqual((await read('orders')).items, [])
    assert.deepEqual((await read(`orders?childId=${children[0]}`)).items, [])
    for (const id of [children[0], newId()]) {
      const { status, key } = await browser.call('GET', `partner/children/${id}`)
      assert.deepEqual([status, key], [404, 'USER_NOT_FOUND'])
    }
    browser = own
    const merchant = await server.loggedIn()
    for (const path of ['overview', 'children', `children/${newId()}`, 'orders', 'market-health']) {
      const { status, key } = await merchant.call('GET', `partner/${path}`)
      assert.deepEqual([status, key], [403, 'FORBIDDEN'], path)
    }
  })
})
