import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#infra/database/db'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { refuseOtherMarkets } from './refuse-other-markets.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const run = (text: string): Promise<unknown> => database.db.query(sql('', text))

test('the migrated database has the markets of the registry, and no other', async () => {
  await refuseOtherMarkets(database.db)
})

test('a market without an adapter, and one without a row, end the start with their names', async () => {
  await run("insert into catalog.market (id) values ('market_of_tomorrow')")
  await run("delete from catalog.market where id = 'market_b'")
  await assert.rejects(refuseOtherMarkets(database.db), {
    name: 'CannotStart',
    message: /: market_b has no row in the table of markets, market_of_tomorrow has no adapter\.$/,
  })
})
