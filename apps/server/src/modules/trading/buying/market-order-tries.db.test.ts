// Market orders: what one tenant's orders may cost those of the others.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MarketOrder } from '#bidding'
import { changeKey, issueKey } from '#identity'
import { sql } from '#infra/database/db'
import { recordingDb } from '#infra/testing/recording-db'
import { cents } from '#kernel/money'
import type { Buyer } from './buy.ts'
import { AT, CLONE_ORDERS, OPEN, PRICE, SECOND, useBidding } from './testing/bidders.ts'
import { givenItem, givenMerchant } from './testing/buyers.ts'

const {
  world,
  aMatching,
  matchAll,
  sweep,
  givenBidder,
  enrol,
  order,
  read,
  stateOf,
  listing,
  eventsOf,
  raiseFee,
} = useBidding()

const HIGH = 2000n

type Bidder = Omit<NonNullable<Parameters<typeof givenBidder>[0]>, 'tenantId'>

/** Accounts of one merchant, each with so many orders that stand above every other. */
async function givenCrowd(
  itemId: string,
  { accounts, each, ...bidder }: { accounts: number; each: number } & Bidder,
): Promise<{ readonly buyers: Buyer[]; readonly orders: MarketOrder[] }> {
  const tenantId = await givenMerchant(world.db)
  const [buyers, orders]: [Buyer[], MarketOrder[]] = [[], []]
  for (let i = 0; i < accounts; i++) {
    const buyer = await givenBidder({ tenantId, ...bidder })
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
    assert.equal(states.filter((status) => status === 'paused').length, 12)
    assert.ok(calls.length < 60, calls.join())
  })

  it('goes at once to the best order that can pay, behind however many accounts of its merchant that cannot', async () => {
    const itemId = await givenItem(world.db)
    const { buyers, orders } = await givenCrowd(itemId, {
      accounts: 30,
      each: 1,
      balance: PRICE - 1n,
    })
    const { tenantId } = buyers[0] ?? assert.fail()
    const best = await order(await givenBidder({ tenantId, balance: PRICE }), {
      ...{ itemId, maxPrice: PRICE + 1n },
    })
    const worse = await order(await givenBidder(), { itemId })
    await world.db.script('update bidding.market_order set match_at = null')
    await aMatching().matchListings([{ id: await listing(itemId), itemId }])
    assert.deepEqual(await stateOf(best), { ...OPEN, pending: 1, trades: 1 })
    assert.deepEqual(await stateOf(worse), OPEN)
    for (const one of orders) assert.deepEqual(await stateOf(one), PENNILESS)
    assert.deepEqual(await eventsOf(orders.at(-1) ?? assert.fail()), [
      'market_order.paused INSUFFICIENT_BALANCE',
    ])
  })

  it('pauses no order that stands behind the one that takes it', async () => {
    const itemId = await givenItem(world.db)
    await givenCrowd(itemId, { accounts: 11, each: 1, balance: 0n })
    const good = await order(await givenBidder(), { itemId, maxPrice: PRICE + 1n })
    const behind = await order(await givenBidder({ balance: 0n }), { itemId })
    await aMatching().matchListings([{ id: await listing(itemId), itemId }])
    assert.equal((await read(good)).pending, 1)
    assert.deepEqual(await stateOf(behind), OPEN)
  })

  it('goes past accounts and keys whose limit is reached, in euros too, and not past what they may buy', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    await givenCrowd(itemId, { accounts: 10, each: 1, balance: 0n })
    const tenantId = await givenMerchant(db)
    const issue = { accountId: tenantId, kind: 'merchant', name: 'k', environment: 'test' } as const
    const { id: keyId } = await db.transaction((tx) => issueKey(tx, { ...issue, at: AT }))
    // A cent less than the listing costs, in euros or in dollars.
    const spendLimit = { amountCents: cents(PRICE - 1n), window: 'day' } as const
    await db.transaction((tx) => changeKey(tx, keyId, { spendLimit }, AT))
    const limited = await givenBidder({ tenantId })
    await db.query(SET_OPEN_TRADES, [limited.accountId])
    const [euro, both] = [
      await givenBidder({ tenantId, currency: 'EUR' }),
      await givenBidder({ tenantId }),
    ]
    // 15.00 EUR are 16.50 USD.
    const reached = [
      await order(limited, { itemId, maxPrice: HIGH - 1n }),
      await order(euro, { itemId, maxPrice: 1500n, keyId }),
    ]
    // Without the key the account can buy what it cannot with it.
    const good = await order(euro, { itemId, maxPrice: 1400n })
    const worse = await order(both, { itemId, maxPrice: PRICE })
    await aMatching().matchListings([{ id: await listing(itemId), itemId }])
    for (const one of reached) {
      assert.deepEqual(await stateOf(one), {
        ...{ ...OPEN, status: 'paused', pausedReason: 'SPENDING_LIMIT_REACHED' },
      })
    }
    assert.deepEqual(await stateOf(good), { ...OPEN, pending: 1, trades: 1 })
    assert.deepEqual(await stateOf(worse), OPEN)
  })

  it('is offered to two thousand accounts that cannot pay in one run, and to the rest ten seconds later', async () => {
    const { db } = world
    const itemId = await givenItem(db)
    const { buyers, orders } = await givenCrowd(itemId, { accounts: 10, each: 1, balance: 0n })
    const [buyer = assert.fail()] = buyers
    const crowd = await db.query<{ id: string }>(SUB_USERS, [buyer.tenantId, 2100])
    const ids = crowd.map(({ id }) => id)
    await db.query(WALLETS_OF, [ids])
    await db.query(ORDERS_OF, [ids, orders[0]?.id])
    for (const accountId of ids) enrol({ ...buyer, accountId })
    const good = await order(await givenBidder(), { itemId })
    await db.script('update bidding.market_order set match_at = null')
    const recorded = recordingDb(db)
    await aMatching(recorded).matchListings([{ id: await listing(itemId), itemId }])
    const calls = recorded.taken()
    assert.ok(calls.length < 60, calls.join())
    assert.deepEqual(await stateOf(good), OPEN)
    world.clock.advance(10 * SECOND)
    await matchAll()
    assert.deepEqual(await stateOf(good), { ...OPEN, pending: 1, trades: 1 })
  })

  it('is offered again to a merchant whose orders that could pay were tried in vain, until one takes it', async () => {
    const itemId = await givenItem(world.db)
    const crowd = { accounts: 22, each: 1, hasTradeUrl: false }
    const { buyers } = await givenCrowd(itemId, crowd)
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
    const changed = async () => [{ id: await listing(itemId), itemId }]
    await aMatching().matchListings(await changed())
    const second = await changed()
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

const PENNILESS = { ...OPEN, status: 'paused', pausedReason: 'INSUFFICIENT_BALANCE' }

const SET_OPEN_TRADES = sql(
  'test.set_open_trades',
  'update identity.account set limit_open_trades = 0 where id = $1',
)

const SUB_USERS = sql(
  'test.sub_users',
  `insert into identity.account (id, kind, parent_id, currency, created_at, updated_at)
   select uuidv7(), 'sub_user', $1, 'USD', now(), now() from generate_series(1, $2) returning id`,
)
const WALLETS_OF = sql(
  'test.wallets_of',
  `select count(ledger.open_account(id, kind, 'USD'))
   from unnest($1::uuid[]) id cross join unnest(array['spot', 'escrow']) kind`,
)
/** A copy of the order for each, a cent below its price. */
const ORDERS_OF = sql(
  'test.orders_of',
  `insert into bidding.market_order (tenant_id, account_id, external_id, request_hash, item_id, market_hash_name, filters,
     instant_only, currency, max_price, quantity, status, expires_at, created_at, updated_at)
   select tenant_id, one.id, external_id, request_hash, item_id, market_hash_name, filters, instant_only, currency,
     max_price - 1, quantity, 'open', expires_at, created_at, updated_at
   from bidding.market_order o cross join unnest($1::uuid[]) one (id) where o.id = $2`,
)

const PENDING_OF = sql(
  'test.pending_of_tenant',
  'select sum(pending)::bigint pending from bidding.market_order where tenant_id = $1',
)
