// Market orders that a person creates, changes and cancels in the dashboard.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from '#infra/database/db'
import type { MemberRole } from '#people'
import type { LoggedInBrowser } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

const PLACE = sql(
  'test.place_order',
  `select (bidding.place_order(a.id, a.id, null, $2, '\\x00', '00000000000000aa', 'AK-47 | Redline', '{}', false, null,
     null, null, null, null, 'USD', 1000, 2, now() + interval '1 day', false, now())).id
   from identity.account a where a.id = $1`,
)
/** An order of the merchant itself. */
async function givenOrder({ accountId }: LoggedInBrowser, externalId: string): Promise<string> {
  const [row] = await database.db.query<{ id: string }>(PLACE, [accountId, externalId])
  return row?.id ?? ''
}

it('an order is listed, changed and canceled, each change with its audit row, and its depth names no one', async () => {
  const owner = await server.loggedIn('owner')
  const id = await givenOrder(owner, 'order-1')
  const { items } = (await owner.call('GET', 'market-orders?status=open&externalId=order-1')).data
  assert.deepEqual(
    items.map((order: { id: string }) => order.id),
    [id],
  )
  const changed = await owner.call('PATCH', `market-orders/${id}`, { maxPrice: '11.00' })
  assert.deepEqual([changed.status, changed.data.maxPrice], [200, 11])
  const ofItem = 'market/items/00000000000000aa/depth'
  const depth = await owner.call('GET', ofItem)
  assert.deepEqual(depth.data, { currency: 'USD', levels: [{ maxPrice: 11, quantity: 2 }] })
  const inEuros = await owner.call('GET', `${ofItem}?currency=EUR`)
  assert.deepEqual(inEuros.data, { currency: 'EUR', levels: [] })
  const canceled = await owner.call('POST', `market-orders/${id}/cancel`)
  assert.deepEqual([canceled.status, canceled.data.status], [200, 'cancelled'])
  assert.equal(
    (await owner.call('PATCH', `market-orders/${id}`, { quantity: 1 })).key,
    'MARKET_ORDER_CLOSED',
  )
  const audit = (await owner.call('GET', `audit?subjectId=${id}`)).data.items
  assert.deepEqual(
    audit.map(({ act, facts }: { act: string; facts: object }) => [act, facts]),
    [
      ['market_order.cancel', {}],
      ['market_order.change', { maxPrice: '11.00' }],
    ],
  )
})

it('an order for an item that is not there, or for a sub-user of another merchant, is refused', async () => {
  const owner = await server.loggedIn('owner')
  const body = { externalId: 'w', itemId: '00000000000000ff', maxPrice: '1.00', quantity: 1 }
  assert.equal((await owner.call('POST', 'market-orders', body)).key, 'ITEM_NOT_FOUND')
  const other = await owner.call('POST', 'market-orders', { ...body, subUserId: 'unknown' })
  assert.equal(other.key, 'USER_NOT_FOUND')
})

it('an administrator lists the orders of all accounts, by account, item and state, and reads one', async () => {
  const [admin, owner, other] = [
    await server.loggedIn('administrator'),
    await server.loggedIn('owner'),
    await server.loggedIn('owner'),
  ]
  const [open, canceled, foreign] = [
    await givenOrder(owner, 'of all 1'),
    await givenOrder(owner, 'of all 2'),
    await givenOrder(other, 'of all 3'),
  ]
  await owner.call('POST', `market-orders/${canceled}/cancel`)
  const idsOf = async (query: string): Promise<string[]> => {
    const { data } = await admin.call('GET', `admin/market-orders?${query}`)
    return data.items.map(({ id }: { id: string }) => id)
  }
  const all = await idsOf('limit=3&itemId=00000000000000aa')
  assert.deepEqual(all, [foreign, canceled, open])
  assert.deepEqual(await idsOf(`accountId=${owner.accountId}`), [canceled, open])
  assert.deepEqual(await idsOf(`accountId=${owner.accountId}&status=open`), [open])
  assert.deepEqual(await idsOf('itemId=00000000000000ab'), [])
  const unknown = await admin.call('GET', `admin/market-orders?accountId=${open}`)
  assert.equal(unknown.key, 'USER_NOT_FOUND')
  const { data } = await admin.call('GET', `admin/market-orders/${open}`)
  assert.deepEqual([data.id, data.tenantId, data.externalId], [open, owner.accountId, 'of all 1'])
  assert.ok(data.depth.levels.length > 0)
  const missing = await admin.call('GET', `admin/market-orders/${owner.accountId}`)
  assert.equal(missing.key, 'MARKET_ORDER_NOT_FOUND')
  assert.equal((await owner.call('GET', `admin/market-orders/${open}`)).key, 'FORBIDDEN')
})

for (const role of ['developer', 'read_only'] satisfies MemberRole[]) {
  it(`as ${role} orders are read, and neither created, changed nor canceled`, async () => {
    const member = await server.loggedIn(role)
    const id = await givenOrder(member, `of ${role}`)
    assert.equal((await member.call('GET', `market-orders/${id}`)).status, 200)
    for (const [method, path, body] of [
      ['POST', 'market-orders', { externalId: 'x', itemId: id, maxPrice: '1.00', quantity: 1 }],
      ['PATCH', `market-orders/${id}`, { quantity: 1 }],
      ['POST', `market-orders/${id}/cancel`],
    ] as const) {
      assert.equal((await member.call(method, path, body)).key, 'FORBIDDEN')
    }
  })
}
