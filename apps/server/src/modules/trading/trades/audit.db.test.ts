// What the auditor of trades finds when an account was deleted with something of its own left.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Queryable } from '#infra/database/db'
import { systemClock } from '#infra/process/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import {
  closeAccount,
  givenBuyer,
  givenListing,
  givenMerchant,
  testBuy,
} from '../buying/testing/buyers.ts'
import { auditTrades } from './store/audit.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const strandedIn = async (db: Queryable): Promise<string[]> =>
  (await auditTrades(db))
    .filter(({ invariant }) => /deleted account/.test(invariant))
    .map(({ detail }) => detail)

it('a deleted account with money or with a trade under way is found', async () => {
  const { db } = database
  const tenantId = await givenMerchant(db)
  const [rich, busy, empty] = [
    await givenBuyer(db, { tenantId, balance: 1n }),
    await givenBuyer(db, { tenantId, balance: 1070n }),
    await givenBuyer(db, { tenantId, balance: 0n }),
  ]
  const listing = { id: await givenListing(db, { priceMills: 10_000n }) }
  await testBuy({ db, clock: systemClock })(busy, {
    requestId: newId(),
    externalId: null,
    tradeUrl: null,
    items: [{ listing, maxPrice: cents(5000n), externalId: null }],
  })
  assert.deepEqual(await strandedIn(db), [])
  for (const { accountId } of [rich, busy, empty]) await closeAccount(db, accountId, 'deleted')
  assert.deepEqual((await strandedIn(db)).sort(), [rich.accountId, busy.accountId].sort())
})
