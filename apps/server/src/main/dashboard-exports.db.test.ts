import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from '#infra/db'
import { cents } from '#kernel/money'
import { type TestDatabase, testDatabase } from '../infra/testing/database.ts'
import { credit } from '../modules/ledger/testing/wallets.ts'
import { givenManyTrades } from '../modules/trades/testing/many-trades.ts'
import { type DashboardServer, startDashboardServer } from './testing/dashboard-server.ts'

let database: TestDatabase
let server: DashboardServer

before(async () => {
  database = await testDatabase()
  server = await startDashboardServer(database.db)
})
after(async () => {
  await server.close()
  await database.close()
})

const SPOIL = sql(
  'test_spoil_names',
  `update trades.trade set external_id = $2 where tenant_id = $1 and external_id = 'many-1'`,
)

it('rows leave as CSV with their count; formulas are text, amounts are numbers', async () => {
  const browser = await server.loggedIn()
  const tenantId = browser.accountId
  const { accountId: stranger } = await server.person()
  const from = new Date('2026-11-01T00:00:00Z')
  await givenManyTrades(database.db, { tenantId, count: 300, from })
  await givenManyTrades(database.db, { tenantId: stranger, count: 1, from })
  await database.db.query(SPOIL, [tenantId, '=cmd|"/c calc"!A0'])
  await credit(database.db, { id: tenantId, currency: 'USD' }, cents(123_456n))
  const read = async (path: string): Promise<string> => {
    const response = await fetch(`${server.url}/dashboard/api/exports/${path}`, {
      headers: { cookie: browser.cookie ?? '' },
    })
    assert.equal(response.status, 200, path)
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/)
    return response.text()
  }
  assert.equal((await browser.call('POST', 'exports', { what: 'trades' })).status, 200)
  const trades = (await read('trades')).trimEnd().split('\n')
  assert.equal(trades.length, 302)
  assert.equal(trades.at(-1), '# 300 rows')
  assert.match(trades.at(-2) ?? '', /"'=cmd\|""\/c calc""!A0"/)
  assert.match(trades[1] ?? '', /,10\.50,USD$/)
  assert.match(await read('trades?status=failed'), /# 75 rows\n$/)
  assert.match(await read('ledger'), /,deposit_credit,posted,1234\.56,/)
  assert.match(await read('ledger?walletType=earnings'), /# 0 rows\n$/)
  const audit = await read('audit')
  assert.match(audit, /account\.export/)
})

it('asks for a fresh factor, and for a session', async () => {
  const browser = await server.loggedIn()
  server.clock.advance(11 * 60_000)
  assert.equal((await browser.call('GET', 'exports/trades')).key, 'TWO_FACTOR_FRESH_REQUIRED')
  assert.equal((await fetch(`${server.url}/dashboard/api/exports/trades`)).status, 401)
})
