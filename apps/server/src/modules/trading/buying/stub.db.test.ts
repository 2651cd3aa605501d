// Purchases of an item of which a market's name is all that is known when they are made.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createCatalog } from '#catalog'
import { systemClock as clock } from '#infra/process/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { readTrades } from '#trades'
import { chunksOf, sourceItem, sourceListing, sourceOf } from '../catalog/testing/fixtures.ts'
import { createBuy } from './buy.ts'
import { givenBuyer, givenMerchant, testBuyDeps } from './testing/buyers.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

it('a trade keeps its description, and its item its id, when the list of items completes what was bought', async () => {
  const { db } = database
  const catalog = createCatalog({ db, clock })
  await catalog.markMarket('market_a', { online: true, balanceMills: null, detail: 'ok' })
  const item = sourceItem({
    marketHashName: 'AK-47 | Brand New (Field-Tested)',
    name: 'AK-47 | Brand New, as the list spells it',
    exterior: 'Field-Tested',
  })
  const listing = sourceListing(item, { rawId: '77' })
  const ingest = catalog.openIngest('market_a')
  for (let read = 1; read <= 3; read++) await ingest.applySnapshot(chunksOf([listing]))

  const tenantId = await givenMerchant(db)
  const buyer = await givenBuyer(db, { tenantId, balance: 10_000n })
  const { getListings, findListingByRawId } = catalog
  const buy = createBuy({ ...testBuyDeps({ db, clock }), getListings, findListingByRawId })
  const { tradeId } = await buy(buyer, {
    ...{ requestId: newId(), externalId: null, tradeUrl: null },
    items: [
      {
        listing: { market: 'market_a', rawId: '77' },
        maxPrice: cents(10_000n),
        externalId: null,
      },
    ],
  })
  const [before] = await readTrades(db, [tradeId])
  assert.deepEqual(
    [before?.items[0]?.description.name, before?.items[0]?.description.iconUrl],
    ['AK-47 | Brand New', ''],
  )

  await catalog.refreshItems(sourceOf([item]), null)
  assert.equal(await catalog.countStubs(), 0)
  const whole = await catalog.findListingByRawId('market_a', '77')
  assert.deepEqual(
    [whole?.description.name, whole?.itemId],
    [item.name, before?.items[0]?.catalogItemId],
  )
  assert.deepEqual(await readTrades(db, [tradeId]), [before])
})
