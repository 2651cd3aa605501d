// The list of all trades, for administrators.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { givenManyTrades } from '../../../modules/trading/trades/testing/many-trades.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

/** The first items of a tenant of many trades, bought at a market. */
const BOUGHT = sql(
  'test.bought',
  `insert into buying.item (id, trade_id, tenant_id, account_id, listing_id, market, raw_listing_id, sourcing_mills,
     is_live, work, due_at, created_at)
   select i.id, t.id, t.tenant_id, t.account_id, 1, case t.external_id when 'many-2' then 'market_a' else 'market_b' end,
     'one', 1000, false, 'none', t.created_at, t.created_at
   from trades.trade t join trades.item i on i.trade_id = t.id
   where t.tenant_id = $1 and t.external_id in ('many-1', 'many-2', 'many-3')`,
)

it('trades of all accounts are listed newest first, by state, market, account and time, with the merchant and the markets', async () => {
  const { accountId: id } = await server.person()
  const { accountId: other } = await server.person()
  const from = server.clock.now()
  await givenManyTrades(database.db, { tenantId: id, count: 4, from })
  await givenManyTrades(database.db, { tenantId: other, count: 1, from })
  await database.db.query(BOUGHT, [id])
  const admin = await server.loggedIn('administrator')
  const list = async (query: string) => (await admin.call('GET', `admin/trades?${query}`)).data
  const namesIn = async (query: string): Promise<string[]> =>
    (await list(query)).items.map(({ externalId }: { externalId: string }) => externalId)
  const { items } = await list('limit=5')
  assert.deepEqual(
    items.map(({ tenantId, externalId }: Record<string, string>) => [tenantId, externalId]),
    [[other, 'many-1'], ...[4, 3, 2, 1].map((n) => [id, `many-${n}`])],
  )
  assert.deepEqual(
    items.map(({ markets }: { markets: string[] }) => markets),
    [[], [], ['market_b'], ['market_a'], ['market_b']],
  )
  const own = `accountId=${id}`
  assert.deepEqual(await namesIn(`${own}&status=failed`), ['many-4'])
  assert.deepEqual(await namesIn(`${own}&status=failed,hold&type=sell`), [])
  const second = new Date(from.getTime() + 2000).toISOString()
  assert.deepEqual(await namesIn(`${own}&to=${second}`), ['many-2', 'many-1'])
  assert.deepEqual(await namesIn(`${own}&from=${second}`), ['many-4', 'many-3', 'many-2'])
  const first = await list(`${own}&market=market_b&limit=1`)
  assert.equal(first.items[0].externalId, 'many-3')
  const rest = await list(`${own}&market=market_b&limit=1&cursor=${first.nextCursor}`)
  assert.deepEqual([rest.items[0].externalId, rest.nextCursor], ['many-1', null])
  assert.deepEqual(await list(`${own}&market=market_c`), { items: [], nextCursor: null })
  assert.equal((await admin.call('GET', `admin/trades?accountId=${newId()}`)).key, 'USER_NOT_FOUND')
  const owner = await server.loggedIn('owner')
  assert.equal((await owner.call('GET', 'admin/trades')).key, 'FORBIDDEN')
})
