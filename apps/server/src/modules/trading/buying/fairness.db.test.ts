// Who is placed and who is looked up next: turns by tenant and account, oldest first within them; and how
// much may wait.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Queryable, sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { whileHeldUp } from '#infra/testing/held-up'
import { until } from '#infra/testing/until'
import { WAITING } from '#infra/testing/waiting'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import type { Buyer } from './buy.ts'
import { listPlaced, measureQueue } from './store/market-queue.ts'
import { beginOrder, claimFollowed, claimPlacements, releaseClaim } from './store/orders.ts'
import { findFullMarkets } from './store/waiting.ts'
import {
  balanceOf,
  givenBuyer,
  givenListing,
  givenManyFollowed,
  givenMerchant,
  testBuy,
} from './testing/buyers.ts'

const SECOND = 1000
const AT_ONCE = 20

let database: TestDatabase
let clock: ManualClock

before(async () => {
  // Beside those that buy at once: one that holds them up, and one that counts them.
  database = await testDatabase({ poolSize: AT_ONCE + 2 })
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-09-26T10:00:00Z'))
  await database.db.script(`update buying.item set work = 'none', is_live = false; delete from buying.turn;
    delete from buying.market_queue;
    update buying.setting set waiting_limit = 300`)
})

const aBuyer = async (tenantId?: string): Promise<Buyer> =>
  givenBuyer(database.db, {
    tenantId: tenantId ?? (await givenMerchant(database.db)),
    balance: 10_000_000n,
  })

/** A merchant with sub-users as a partner with children. */
const AS_PARTNER = sql(
  'test.as_partner',
  `update identity.account set kind = case when id = $1 then 'partner' else 'child' end
   where $1 in (id, parent_id)`,
)

const SET_TIER = sql('test.tier', 'update identity.account set tier = $2 where id = $1')

/** So many items in one buy, and a second later the next one. */
async function buy(
  buyer: Buyer,
  count: number,
  delivery: 'standard' | 'instant' = 'instant',
): Promise<void> {
  const { db } = database
  const items = []
  for (let i = 0; i < count; i++) {
    const listing = { id: await givenListing(db, { priceMills: 10_000n, delivery }) }
    items.push({ listing, maxPrice: cents(5000n), externalId: null })
  }
  const order = { requestId: newId(), externalId: null, tradeUrl: null, items }
  await testBuy({ db, clock })(buyer, order)
  clock.advance(SECOND)
}

const PLACE = sql(
  'test.place_some',
  `update buying.item set work = 'none', is_live = false where id in (
     select id from buying.item where tenant_id = $1 and work = 'place' order by created_at limit $2)`,
)
const COUNT_WAITING = sql(
  'test.waiting',
  `select count(*)::int count from buying.item where tenant_id = $1 and work = 'place'`,
)
const COUNT_CLAIMS = sql(
  'test.held_claims',
  `select count(*)::int count from pg_stat_activity
   where wait_event_type = 'Lock' and datname = current_database() and query like '%claim_placements%'`,
)

const KEY = { account: 'main', keyVersion: 1 }
const OURS = { market: 'market_b', account: 'main' }

const claim = (limit: number, by: Queryable = database.db) =>
  claimPlacements(by, {
    ...OURS,
    limit,
    at: clock.now(),
    leaseUntil: new Date(clock.now().getTime() + 60 * SECOND),
    placeableSince: new Date(0),
  })

const BY_HAND = sql('test.by_hand', 'select by_hand from buying.item where id = $1')

const READ_TENANTS = sql(
  'test.tenants',
  'select tenant_id, created_at from buying.item where id = any ($1::uuid[])',
)

const READ_ACCOUNTS = sql(
  'test.accounts',
  'select id, account_id from buying.item where id = any ($1::uuid[])',
)

/** The accounts of the items that are placed next, claimed so many at a time and placed at once. */
async function nextAccounts(count: number, atATime = 1): Promise<string[]> {
  const { db } = database
  const ids: string[] = []
  while (ids.length < count) {
    const claimed = await claim(atATime)
    assert.ok(claimed.length > 0, 'something waits')
    for (const item of claimed) {
      const at = clock.now()
      assert.ok(await beginOrder(db, item, { at, leaseUntil: at }, KEY))
      ids.push(item.id)
    }
  }
  const rows = await db.query<{ id: string; account_id: string }>(READ_ACCOUNTS, [ids])
  const accounts = new Map(rows.map((row) => [row.id, row.account_id]))
  return ids.slice(0, count).map((id) => accounts.get(id) ?? '')
}

describe('turns at a market', () => {
  for (const atATime of [1, 4]) {
    it(`go round by tenant, however much one of them has waiting (${atATime} at a time)`, async () => {
      const [hoarder, other] = [await aBuyer(), await aBuyer()]
      for (let i = 0; i < 4; i++) await buy(hoarder, 10)
      await buy(other, 3)
      const first = await nextAccounts(8, atATime)
      assert.equal(first.filter((id) => id === other.accountId).length, 3)
    })
  }

  it('are not saved up while nothing waits', async () => {
    const [busy, late] = [await aBuyer(), await aBuyer()]
    await buy(busy, 20)
    await nextAccounts(10)
    await buy(late, 10)
    const next = await nextAccounts(6)
    assert.equal(next.filter((id) => id === late.accountId).length, 3)
  })

  it('go round by account within a tenant, which shares one tenant’s turns', async () => {
    const tenantId = await givenMerchant(database.db)
    const accounts = [await aBuyer(tenantId), await aBuyer(tenantId), await aBuyer(tenantId)]
    const other = await aBuyer()
    for (const account of accounts) await buy(account, 9)
    await buy(other, 9)
    const first = await nextAccounts(12)
    assert.equal(first.filter((id) => id === other.accountId).length, 6)
    for (const { accountId } of accounts) {
      assert.equal(first.filter((id) => id === accountId).length, 2)
    }
  })

  it('weigh by tier: four of an enterprise for each of a standard tenant', async () => {
    const [standard, enterprise] = [await aBuyer(), await aBuyer()]
    await database.db.query(SET_TIER, [enterprise.tenantId, 'enterprise'])
    await buy(standard, 10)
    for (let i = 0; i < 2; i++) await buy(enterprise, 10)
    const first = await nextAccounts(10)
    assert.equal(first.filter((id) => id === enterprise.accountId).length, 8)
  })

  it('of one account go to what is sent at once, and then to what is sent by hand', async () => {
    const buyer = await aBuyer()
    await buy(buyer, 2, 'standard')
    await buy(buyer, 2, 'instant')
    await buy(buyer, 1, 'standard')
    const byHand: boolean[] = []
    for (const item of [...(await claim(1)), ...(await claim(4))]) {
      const [row] = await database.db.query<{ by_hand: boolean }>(BY_HAND, [item.id])
      byHand.push(row?.by_hand === true)
    }
    assert.deepEqual([byHand[0], byHand.filter(Boolean).length], [false, 3])
  })

  it('of two accounts of a tenant go round, whichever buys by hand', async () => {
    const tenantId = await givenMerchant(database.db)
    const [quick, byHand] = [await aBuyer(tenantId), await aBuyer(tenantId)]
    await buy(quick, 10)
    await buy(byHand, 2, 'standard')
    const first = await nextAccounts(4)
    assert.equal(first.filter((id) => id === byHand.accountId).length, 2)
  })

  it('go on where another worker has left them: its claim is waited for', async () => {
    const [first, second] = [await aBuyer(), await aBuyer()]
    await buy(first, 3)
    // A market that has given a turn before.
    assert.equal((await claim(1)).length, 1)
    await buy(second, 3)
    let later: ReturnType<typeof claim> | undefined
    const [one] = await database.db.transaction(async (tx) => {
      const claimed = await claim(1, tx)
      later = claim(1)
      await until('the second claim waits', async () => {
        const [row] = await database.db.query<{ count: number }>(COUNT_CLAIMS)
        return row?.count === 1
      })
      return claimed
    })
    const [two] = (await later) ?? []
    assert.ok(one && two, 'the second claim finds the next turn, not the one that is taken')
    const rows = await database.db.query<{ id: string; account_id: string }>(READ_ACCOUNTS, [
      [one.id, two.id],
    ])
    assert.equal(new Set(rows.map((row) => row.account_id)).size, 2)
  })

  it('keep an item that was put off in its place: the oldest is first', async () => {
    const buyer = await aBuyer()
    await buy(buyer, 1)
    const [oldest] = await claim(1)
    assert.ok(oldest)
    await releaseClaim(database.db, oldest, new Date(clock.now().getTime() + 10 * SECOND))
    await buy(buyer, 3)
    clock.advance(20 * SECOND)
    const [next] = await claim(1)
    assert.equal(next?.id, oldest.id)
  })
})

const FOLLOW = sql(
  'test.follow',
  `with placed as (
     update buying.supplier_order set state = 'placed', order_id = item_id where item_id = any ($1::uuid[])
     returning item_id)
   update buying.item i set due_at = i.created_at from placed where i.id = placed.item_id`,
)
/** Look-ups of one tenant, due before all others. */
const MANY = { count: 100_000, dueAt: new Date('2026-01-01') }
/** The plan is that of a short queue then. */
const VACUUM = sql('test.vacuum', 'vacuum (analyze) buying.item, buying.supplier_order')
const READ_SO_FAR = sql(
  'test.read_so_far',
  `select (pg_stat_get_xact_tuples_returned(i) + pg_stat_get_xact_tuples_fetched(i))::int count
   from (select 'buying.item'::regclass i union all
     select indexrelid from pg_index where indrelid = 'buying.item'::regclass) relation`,
)

describe('turns of look-ups at a market', () => {
  /** Everything that waits is placed, and its order due for a look since the item was bought. */
  async function placeAll(): Promise<void> {
    const { db } = database
    const items = await claim(1000)
    for (const item of items)
      await beginOrder(db, item, { at: clock.now(), leaseUntil: clock.now() }, KEY)
    await db.query(FOLLOW, [items.map(({ id }) => id)])
  }
  const look = async (limit: number, by: Queryable = database.db) => {
    const at = clock.now()
    const leaseUntil = new Date(at.getTime() + 60 * SECOND)
    return claimFollowed(by, { ...OURS, limit, at, leaseUntil, alongMs: 0 })
  }
  const tenantsOf = (looked: Awaited<ReturnType<typeof look>>) =>
    database.db.query<{ tenant_id: string; created_at: Date }>(READ_TENANTS, [
      looked.map(({ item }) => item.id),
    ])

  it('go round by tenant, however many of one are due, and within it the oldest is first', async () => {
    const [slow, other] = [await aBuyer(), await aBuyer()]
    for (let i = 0; i < 6; i++) await buy(slow, 10)
    await buy(other, 1)
    await placeAll()
    const [first, second] = [await tenantsOf(await look(10)), await tenantsOf(await look(10))]
    assert.equal(first.filter((row) => row.tenant_id === other.tenantId).length, 1)
    assert.deepEqual([first.length, second.length], [10, 10])
    const newestOf = (rows: typeof first) =>
      Math.max(
        ...rows
          .filter((row) => row.tenant_id === slow.tenantId)
          .map((row) => row.created_at.getTime()),
      )
    assert.ok(newestOf(first) <= Math.min(...second.map((row) => row.created_at.getTime())))
  })

  it('go on where another worker has left them: its claim is waited for', async () => {
    const slow = await aBuyer()
    for (let i = 0; i < 2; i++) await buy(slow, 10)
    await placeAll()
    let later: ReturnType<typeof look> | undefined
    const first = await database.db.transaction(async (tx) => {
      const looked = await look(10, tx)
      later = look(10)
      await until('the second claim waits', async () => {
        return (await database.db.query(WAITING)).length === 1
      })
      return looked
    })
    const ids = [...first, ...((await later) ?? [])].map(({ item }) => item.id)
    assert.equal(new Set(ids).size, 20)
  })

  it('cost no more the more of one tenant are due', async () => {
    const other = await aBuyer()
    await buy(other, 1)
    await placeAll()
    const end = new Error('rolled back')
    const looking = database.db.transaction(async (tx) => {
      await givenManyFollowed(tx, MANY)
      // Beside the transaction: it finds a large table with few rows, none of which may be due.
      await database.db.query(VACUUM)
      const readSoFar = async () =>
        (await tx.query<{ count: number }>(READ_SO_FAR)).reduce((sum, row) => sum + row.count, 0)
      const before = await readSoFar()
      const looked = await look(50, tx)
      const count = (await readSoFar()) - before
      assert.deepEqual(
        looked.map(({ item }) => item.market),
        ['market_b'],
        'the one with a trade is among them',
      )
      // Some hundreds; rows that tests before it have left dead are counted, too.
      assert.ok(count < 10_000, `${count} rows were read`)
      throw end
    })
    await assert.rejects(looking, end)
  })
})

describe('items that wait', () => {
  it('are limited for a tenant and market: beyond it nothing is escrowed, and others buy on', async () => {
    await database.db.script('update buying.setting set waiting_limit = 200')
    const [hoarder, other] = [await aBuyer(), await aBuyer()]
    for (let i = 0; i < 20; i++) await buy(hoarder, 10)
    const before = await balanceOf(database.db, hoarder.accountId, 'spot')
    await assert.rejects(buy(hoarder, 1), (error) => {
      assert.ok(error instanceof Refusal && error.key === 'MARKET_UNAVAILABLE')
      assert.deepEqual(error.details, { market: 'market_b', retryAfterSeconds: 30 })
      return true
    })
    assert.equal(await balanceOf(database.db, hoarder.accountId, 'spot'), before)
    await buy(other, 1)
    // One of them is placed: there is a place again.
    await nextAccounts(2)
    await buy(hoarder, 1)
  })

  it('are limited also for 20 buys at the same moment: exactly as many pass as may', async () => {
    await database.db.script('update buying.setting set waiting_limit = 200')
    const hoarder = await aBuyer()
    for (let i = 0; i < 19; i++) await buy(hoarder, 10)
    const buyers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => aBuyer(hoarder.tenantId)),
    )
    // Each of them has written its items, and counts them when the row of the limit can be read again.
    const limit = { table: 'buying.setting', named: 'place_buy', count: AT_ONCE }
    const results = await whileHeldUp(database.db, limit, () =>
      Promise.allSettled(buyers.map((one) => buy(one, 1))),
    )
    const refused = results.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, AT_ONCE - 10)
    for (const result of refused) {
      assert.ok(result.status === 'rejected' && result.reason.key === 'MARKET_UNAVAILABLE')
    }
    const [waiting] = await database.db.query<{ count: number }>(COUNT_WAITING, [hoarder.tenantId])
    assert.equal(waiting?.count, 200)
  })

  it('are shared by the children of a partner: each may have as many as are left', async () => {
    const { db } = database
    await db.script('update buying.setting set waiting_limit = 200')
    const partnerId = await givenMerchant(db)
    const [greedy, next, last] = [
      await aBuyer(partnerId),
      await aBuyer(partnerId),
      await aBuyer(partnerId),
    ]
    await db.query(AS_PARTNER, [partnerId])
    const refused = (buyer: Buyer, count: number) =>
      assert.rejects(buy(buyer, count), { key: 'MARKET_UNAVAILABLE' })
    for (let i = 0; i < 10; i++) await buy(greedy, 10)
    await refused(greedy, 1)
    for (let i = 0; i < 5; i++) await buy(next, 10)
    await refused(next, 1)
    await buy(last, 10)
    await refused(greedy, 1)
    const full = (accountId: string) =>
      findFullMarkets(db, { tenantId: partnerId, accountId }, ['market_b'])
    assert.deepEqual(await full(greedy.accountId), ['market_b'])
    assert.deepEqual(await full(last.accountId), [])
  })
})

describe('what waits at a market, of all tenants', () => {
  const MINUTES = 60 * SECOND
  let day = 1
  beforeEach(() => {
    // What earlier tests have placed is long ago.
    clock = manualClock(new Date(Date.UTC(2026, 10, day++)))
  })
  /** As a worker measures it now, with a pace of so many orders a minute. */
  const measure = (pacePerMinute: number | null) =>
    measureQueue(database.db, { market: 'market_b', at: clock.now(), pacePerMinute })
  const waitingOf = async ({ tenantId }: Buyer): Promise<number> => {
    const [row] = await database.db.query<{ count: number }>(COUNT_WAITING, [tenantId])
    return row?.count ?? 0
  }
  /** So many of its items are ordered. */
  const place = async ({ tenantId }: Buyer, count: number): Promise<void> => {
    await database.db.query(PLACE, [tenantId, count])
  }
  /** Buys so many at a time until it is refused. */
  const fill = async (buyer: Buyer, pacePerMinute: number, count: number): Promise<void> => {
    do await measure(pacePerMinute)
    while ((await refusalOf(buy(buyer, count))) === null)
  }
  const refusalOf = async (buying: Promise<void>) => {
    try {
      await buying
      return null
    } catch (error) {
      assert.ok(error instanceof Refusal)
      return error
    }
  }

  it('is no more than the market takes in ten minutes: a buy beyond it is refused, with when to ask again, and nothing is escrowed', async () => {
    const [one, other, third] = [await aBuyer(), await aBuyer(), await aBuyer()]
    await measure(2)
    for (const buyer of [one, other]) await buy(buyer, 10)
    assert.deepEqual(await measure(2), {
      ...{ market: 'market_b', placedPerMinute: 2, placeable: 20, waiting: 20 },
      expectedWaitSeconds: 600,
    })
    const before = await balanceOf(database.db, one.accountId, 'spot')
    const refused = await refusalOf(buy(one, 5))
    assert.equal(refused?.key, 'MARKET_UNAVAILABLE')
    // 21 of them are counted, at two a minute, less ten minutes.
    assert.deepEqual(refused?.details, { market: 'market_b', retryAfterSeconds: 30 })
    assert.equal(await balanceOf(database.db, one.accountId, 'spot'), before)
    assert.deepEqual(await findFullMarkets(database.db, one, ['market_b']), ['market_b'])
    assert.deepEqual(await findFullMarkets(database.db, third, ['market_b']), [])
  })

  it('refuses no tenant below its equal share for what others have waiting', async () => {
    const [hoarder, other] = [await aBuyer(), await aBuyer()]
    await measure(3)
    for (let i = 0; i < 3; i++) await buy(hoarder, 10)
    await measure(3)
    assert.ok(await refusalOf(buy(hoarder, 1)))
    await buy(other, 5)
    await place(hoarder, 20)
    for (let i = 0; i < 2; i++) await buy(other, 5)
    for (let i = 0; i < 4; i++) await refusalOf(buy(hoarder, 5))
    assert.equal(await waitingOf(hoarder), 15, 'with those of the other they are thirty')
    assert.ok(await refusalOf(buy(other, 5)), 'fifteen of thirty are its half')
  })

  it('weighs by tier: a standard tenant has a fifth beside an enterprise, which has more than half beside it', async () => {
    for (const [tier, expected] of [
      ['standard', 18],
      ['enterprise', 12],
    ] as const) {
      await database.db.script(`update buying.item set work = 'none', is_live = false`)
      const [hoarder, other] = [await aBuyer(), await aBuyer()]
      await database.db.query(SET_TIER, [hoarder.tenantId, tier])
      await database.db.query(SET_TIER, [
        other.tenantId,
        expected === 18 ? 'enterprise' : 'standard',
      ])
      await measure(6)
      for (const count of [10, 10, 10, 10, 8]) await buy(hoarder, count)
      await fill(other, 6, 2)
      assert.equal(await waitingOf(other), expected)
    }
  })

  it('is never more than fourteen minutes of it, however many tenants join one after the other, and each finds room', async () => {
    const tenants = await Promise.all(Array.from({ length: 6 }, () => aBuyer()))
    for (const tenant of tenants) {
      await fill(tenant, 20, 10)
      await fill(tenant, 20, 1)
    }
    const waiting = await Promise.all(tenants.map(waitingOf))
    const sum = waiting.reduce((all, one) => all + one, 0)
    assert.ok(sum > 200 && sum <= 280, `${sum} wait, of 200 in ten minutes`)
    assert.ok(
      waiting.every((count) => count > 0),
      `each has some: ${waiting}`,
    )
  })

  it('bounds nothing at a market without a limit, until items have waited there for long', async () => {
    const buyer = await aBuyer()
    assert.equal((await measure(null)).placeable, null)
    await buy(buyer, 10)
    assert.equal((await measure(null)).placeable, null)
    clock.advance(6 * MINUTES)
    const full = await measure(null)
    assert.deepEqual([full.placedPerMinute, full.placeable], [0, 0])
    assert.ok(await refusalOf(buy(await aBuyer(), 1)))
  })

  it('goes by what was placed while items have waited for long, and by the pace otherwise', async () => {
    const buyer = await aBuyer()
    for (let i = 0; i < 3; i++) await buy(buyer, 10)
    for (const item of await claim(20)) {
      await beginOrder(database.db, item, { at: clock.now(), leaseUntil: clock.now() }, KEY)
    }
    assert.equal((await measure(8)).placedPerMinute, 8)
    clock.advance(5 * MINUTES)
    const full = await measure(8)
    assert.deepEqual([Math.round(full.placedPerMinute), full.placeable, full.waiting], [4, 40, 10])
    assert.equal((await measure(32)).placedPerMinute, 32, 'ten items are no queue at such a pace')
    assert.deepEqual(await listPlaced(database.db, 'market_b', clock.now()), [
      { account: 'main', perMinute: 2 },
    ])
  })

  it('is not measured by items that no account can pay: they keep others from nothing', async () => {
    const { db } = database
    await buy(await aBuyer(), 10)
    await db.query(SET_BALANCE, [1n])
    try {
      clock.advance(6 * MINUTES)
      const { placeable, waiting } = await measure(8)
      assert.deepEqual([placeable, waiting], [80, 0])
    } finally {
      await db.query(SET_BALANCE, [null])
    }
  })
})
const SET_BALANCE = sql(
  'test.set_balance',
  `update buying.market_account set balance_mills = $1, balance_at = case when $1::bigint is not null then now() end
   where market = 'market_b' and name = 'main'`,
)
