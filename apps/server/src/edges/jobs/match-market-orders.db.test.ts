// Matching as a worker runs it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseOpen, resumeDisabled } from '#bidding'
import { createCatalog } from '#catalog'
import { PRICE, useBidding } from '../../modules/trading/buying/testing/bidders.ts'
import { givenItem } from '../../modules/trading/buying/testing/buyers.ts'
import { createMatchMarketOrders } from './match-market-orders.ts'

const RUN = { signal: new AbortController().signal, processId: 'test' }
const { world, aMatching, givenBidder, order, read, listing } = useBidding()

test('after a pause of trading nothing is bought before every order goes on: a listing goes to the best of all', async () => {
  const { db, clock } = world
  const itemId = await givenItem(db)
  const first = await order(await givenBidder(), { itemId })
  const best = await order(await givenBidder(), { itemId, maxPrice: PRICE + 1n })
  await pauseOpen(db, clock.now(), 100)
  await listing(itemId)
  const job = createMatchMarketOrders({
    ...{ db, clock, matching: aMatching(), isPaused: async () => false },
    follower: createCatalog({ db, clock }).followChanges(),
  })
  assert.equal(await resumeDisabled(db, clock.now(), 1), 1)
  assert.equal(await job.work(RUN), false)
  assert.deepEqual([(await read(first)).status, (await read(first)).pending], ['open', 0])
  assert.equal(await resumeDisabled(db, clock.now(), 1), 1)
  await job.work(RUN)
  assert.deepEqual([(await read(first)).pending, (await read(best)).pending], [0, 1])
})
