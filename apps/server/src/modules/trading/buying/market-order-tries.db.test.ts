// Market orders: what one tenant's orders may cost those of the others.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MarketOrder } from '#bidding'
import { sql } from '#infra/database/db'
import { recordingDb } from '#infra/testing/recording-db'
import type { Buyer } from './buy.ts'
import { CLONE_ORDERS, OPEN, SECOND, useBidding } from './testing/bidders.ts'
import { givenItem, givenMerchant } from './testing/buyers.ts'

const { world, aMatching, matchAll, sweep, givenBidder, order, read, stateOf, listing, raiseFee } =
  useBidding()

const HIGH = 2000n

/** Accounts of one merchant, each with so many orders that stand above every other. */
async function givenCrowd(
  itemId: string,
  { accounts, each, balance }: { accounts: number; each: number; balance?: bigint },
): Promise<{ readonly buyers: Buyer[]; readonly orders: MarketOrder[] }> {
  const tenantId = await givenMerchant(world.db)
  const [buyers, orders]: [Buyer[], MarketOrder[]] = [[], []]
  for (let i = 0; i < accounts; i++) {
    const buyer = await givenBidder({ tenantId, ...(balance === undefined ? {} : { balance }) })
    const first = await order(buyer, { itemId, maxPrice: HIGH })
    if (each > 1) await world.db.query(CLONE_ORDERS, [first.id, each - 1])
    buyers.push(buyer)
    orders.push(first)
  }
  return { buyers, orders }
}

describe('a sweep', () => {
  it('of an order that finds more than it looks at once goes on until all is bought', async () => {
    const itemId = await givenItem(world.db)
    const one = await order(await givenBidder(), { itemId, quantity: 45 })
    await world.db.script('update bidding.market_order set match_at = null')
    for (let i = 0; i < 45; i++) await listing(itemId)
    await sweep()
    await matchAll()
    assert.equal((await read(one)).pending, 45)
  })
})

describe('a listing', () => {
  it('goes past 5,000 orders of another merchant whose fees are too high without trying one', async () => {
    const itemId = await givenItem(world.db)
    const { buyers } = await givenCrowd(itemId, { accounts: 25, each: 200 })
    for (const buyer of buyers) await raiseFee(buyer, 10_000)
    const good = await order(await givenBidder(), { itemId })
    const id = await listing(itemId)
    const db = recordingDb(world.db)
    await aMatching(db).matchListings([{ id, itemId }])
    const calls = db.taken()
    assert.equal((await read(good)).pending, 1)
    assert.ok(calls.length < 10, calls.join())
  })

  it('goes past hundreds of orders whose wallets are empty after a few tries, one of each account', async () => {
    const itemId = await givenItem(world.db)
    const { orders } = await givenCrowd(itemId, { accounts: 12, each: 50, balance: 0n })
    const good = await order(await givenBidder(), { itemId })
    const id = await listing(itemId)
    const db = recordingDb(world.db)
    await aMatching(db).matchListings([{ id, itemId }])
    const calls = db.taken()
    assert.equal((await read(good)).pending, 1)
    const states = (await Promise.all(orders.map(read))).map(({ status }) => status)
    assert.equal(states.filter((status) => status === 'paused').length, 10)
    assert.ok(calls.length < 60, calls.join())
  })

  it('is offered again to the orders of a merchant that had no more tries, until one takes it', async () => {
    const itemId = await givenItem(world.db)
    const { buyers } = await givenCrowd(itemId, { accounts: 12, each: 1, balance: 0n })
    const { tenantId } = buyers[0] ?? assert.fail()
    const last = await order(await givenBidder({ tenantId }), { itemId })
    // From here on only what was put off is due.
    await world.db.script('update bidding.market_order set match_at = null')
    const id = await listing(itemId)
    await aMatching().matchListings([{ id, itemId }])
    assert.deepEqual(await stateOf(last), OPEN)
    world.clock.advance(10 * SECOND)
    await matchAll()
    assert.deepEqual(await stateOf(last), { ...OPEN, pending: 1, trades: 1 })
  })

  it('goes past all orders of a merchant whose queue is full after one try, and they look again soon', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const { buyers } = await givenCrowd(itemId, { accounts: 5, each: 100 })
    const good = await order(await givenBidder(), { itemId })
    await db.script(
      `update bidding.market_order set match_at = null;
       alter table buying.setting drop constraint setting_waiting_limit_fits_a_quick_buy;
       update buying.setting set waiting_limit = 1`,
    )
    const news = async () => [{ id: await listing(itemId), itemId }]
    await aMatching().matchListings(await news())
    const second = await news()
    const recorded = recordingDb(db)
    await aMatching(recorded).matchListings(second)
    const calls = recorded.taken()
    assert.equal((await read(good)).pending, 1)
    assert.ok(calls.length < 15, calls.join())
    await db.script('update buying.setting set waiting_limit = null')
    await listing(itemId)
    world.clock.advance(10 * SECOND)
    await matchAll()
    const [row] = await db.query<{ pending: bigint }>(PENDING_OF, [buyers[0]?.tenantId])
    assert.equal(row?.pending, 2n)
  })
})

const PENDING_OF = sql(
  'test.pending_of_tenant',
  'select sum(pending)::bigint pending from bidding.market_order where tenant_id = $1',
)
