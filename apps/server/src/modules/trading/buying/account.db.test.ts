// Our account at a market on the way of items: what it does not cover is not sent, and nothing is sold by it.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents, mills } from '#kernel/money'
import { auditTrades, readTrades } from '#trades'
import type { Bought } from './buy.ts'
import { changeAccount, noteReading } from './keep-account.ts'
import { createMoving } from './move.ts'
import type { FailureCode, PurchaseAnswer } from './ports.ts'
import { createPreflight } from './preflight.ts'
import { createQuickBuy } from './quick-buy.ts'
import { listAccounts, moveWaiting, readFigures } from './store/accounts.ts'
import {
  balanceOf,
  givenBuyer,
  givenItem,
  givenListing,
  givenMerchant,
  testBuy,
  testBuyDeps,
  testFindSeller,
} from './testing/buyers.ts'
import { placeRound } from './testing/rounds.ts'
import { type ScriptedSupplier, scriptedSupplier } from './testing/supplier.ts'

const SECOND = 1000
const OURS = { market: 'market_b', account: 'main' } as const
let database: TestDatabase
let clock: ManualClock
let supplier: ScriptedSupplier

// One each: what an earlier test has waiting or has bought counts against the account of the next.
beforeEach(async () => {
  database = await testDatabase()
  clock = manualClock(new Date('2026-11-28T12:00:00.000Z'))
  supplier = scriptedSupplier()
})
afterEach(async () => {
  const { db } = database
  assert.deepEqual(await auditTrades(db), [])
  assert.deepEqual(await db.query(sql('test.audit', 'select * from ledger.audit()')), [])
  assert.deepEqual(await db.query(sql('test.audit_buys', 'select * from buying.audit()')), [])
  await database.close()
})

/** A reading that begins a second after everything before it. */
async function readBalance(balanceMills: bigint): Promise<void> {
  clock.advance(SECOND)
  const said = { kind: 'served', balanceMills: mills(balanceMills), currency: 'USD' } as const
  const reading = { askedAt: clock.now(), said }
  await noteReading(database.db, OURS, { reading, at: clock.now() })
  clock.advance(SECOND)
}

const judge = () => noteReading(database.db, OURS, { reading: null, at: clock.now() })

const buyOf = async (priceMills: bigint): Promise<Bought> => {
  const { db } = database
  const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 100_000n })
  const id = await givenListing(db, { priceMills })
  return testBuy({ db, clock })(buyer, {
    ...{ requestId: newId(), externalId: null, tradeUrl: null },
    items: [{ listing: { id }, maxPrice: cents(100_000n), externalId: null }],
  })
}

const place = () =>
  placeRound({ db: database.db, clock, market: supplier, concurrency: 16, onCase: () => {} })

const itemOf = async ({ tradeId }: { readonly tradeId: string }) => {
  const [trade] = await readTrades(database.db, [tradeId])
  assert.ok(trade?.items[0])
  return trade.items[0]
}

const accountOf = async () => {
  const account = (await listAccounts(database.db)).find(({ market }) => market === 'market_b')
  assert.ok(account)
  return account
}

const answer = (code: FailureCode, account?: 'no_funds' | 'forbidden'): PurchaseAnswer => ({
  ...{ kind: 'refused', code, detail: 'no' },
  ...(account && { account }),
})

describe('an item that the account does not cover', () => {
  it('is not sent, and those that it covers go out', async () => {
    const dear = await buyOf(50_000n)
    const cheap = await buyOf(10_000n)
    await readBalance(30_000n)
    const turns: bigint[] = []
    supplier.beforeTurn = async ({ ceilingMills }) => void turns.push(ceilingMills)
    await place()
    // It takes no turn at the market either.
    assert.deepEqual(turns, [10_000n])
    assert.deepEqual(
      supplier.purchases.map(({ ceilingMills }) => ceilingMills),
      [10_000n],
    )
    assert.deepEqual(
      [(await itemOf(dear)).status, (await itemOf(cheap)).status],
      ['initiated', 'pending'],
    )
    // What was bought is spent until the next reading says so itself.
    assert.equal((await readFigures(database.db, OURS)).spendableMills, 20_000n)
    await readBalance(50_000n)
    await place()
    assert.equal((await itemOf(dear)).status, 'pending')
  })

  it('takes no turn at the market while nothing else waits there', async () => {
    await buyOf(50_000n)
    await readBalance(30_000n)
    let asked = 0
    const { takeTurns } = supplier
    const counting = {
      ...supplier,
      takeTurns: (...args: Parameters<typeof takeTurns>) => {
        asked += 1
        return takeTurns(...args)
      },
    }
    await placeRound({
      db: database.db,
      clock,
      market: counting,
      concurrency: 16,
      onCase: () => {},
    })
    assert.equal(asked, 0)
    await readBalance(60_000n)
    await placeRound({
      db: database.db,
      clock,
      market: counting,
      concurrency: 16,
      onCase: () => {},
    })
    assert.ok(asked > 0)
  })

  it('is not sent on the strength of money that another item spends at the same moment', async () => {
    const bought = await Promise.all(Array.from({ length: 8 }, () => buyOf(10_000n)))
    await readBalance(35_000n)
    await place()
    assert.equal(supplier.purchases.length, 3)
    const statuses = await Promise.all(bought.map(async (one) => (await itemOf(one)).status))
    assert.equal(statuses.filter((status) => status === 'initiated').length, 5)
  })

  it('waits while it is the reserve that would pay', async () => {
    const bought = await buyOf(10_000n)
    await readBalance(30_000n)
    const reserve = (amount: bigint) =>
      database.db.transaction((tx) =>
        changeAccount(tx, OURS, { changes: { reserveMills: mills(amount) }, at: clock.now() }),
      )
    await reserve(25_000n)
    assert.equal((await accountOf()).closedBecause, 'low')
    await place()
    assert.equal((await itemOf(bought)).status, 'initiated')
    await reserve(20_000n)
    assert.equal((await accountOf()).closedBecause, null)
    await place()
    assert.equal((await itemOf(bought)).status, 'pending')
  })
})

describe('a refusal for lack of money', () => {
  it('fails its item and closes the account: nothing else is sent until a reading shows more', async () => {
    const first = await buyOf(10_000n)
    await readBalance(1_000_000n)
    supplier.answers.push(answer('MARKET_UNAVAILABLE', 'no_funds'))
    supplier.balance = async () => ({ mills: mills(2_000n) })
    await place()
    const { status, failure } = await itemOf(first)
    assert.deepEqual([status, failure], ['failed', 'MARKET_UNAVAILABLE'])
    const closed = await accountOf()
    assert.deepEqual([closed.closedBecause, closed.balanceMills], ['no_funds', 2_000n])
    await assert.rejects(buyOf(1_000n), /MARKET_UNAVAILABLE/)
    await readBalance(2_000n)
    await assert.rejects(buyOf(1_000n), /MARKET_UNAVAILABLE/)
    await readBalance(3_000n)
    const second = await buyOf(1_000n)
    await place()
    assert.equal((await itemOf(second)).status, 'pending')
    assert.equal(supplier.purchases.length, 2)
  })

  it('of which the balance knows nothing closes no market', async () => {
    const first = await buyOf(10_000n)
    await readBalance(1_000_000n)
    supplier.answers.push(answer('MARKET_UNAVAILABLE', 'no_funds'))
    await place()
    assert.equal((await itemOf(first)).failure, 'MARKET_UNAVAILABLE')
    assert.deepEqual((await accountOf()).closedBecause, null)
    const second = await buyOf(10_000n)
    await place()
    assert.equal((await itemOf(second)).status, 'pending')
    assert.equal((await accountOf()).refusals, 0, 'an order that is accepted ends the row')
  })

  it('leaves what waits unsent while the balance cannot be read', async () => {
    const items = [await buyOf(10_000n)]
    await readBalance(1_000_000n)
    supplier.answers.push(answer('MARKET_UNAVAILABLE', 'no_funds'))
    supplier.balance = async () => ({ unavailable: 'no answer' })
    await place()
    items.push(await buyOf(10_000n))
    await place()
    assert.equal(supplier.purchases.length, 1)
    assert.equal((await accountOf()).closedBecause, 'in_question')
    clock.advance(30 * SECOND)
    await judge()
    assert.equal((await accountOf()).closedBecause, 'no_funds')
    await assert.rejects(buyOf(1_000n), /MARKET_UNAVAILABLE/)
  })
})

describe('a refusal that does not name the balance', () => {
  /** The balance turns out to be below the price while the order is under way. */
  async function refusedShort(code: FailureCode): Promise<string | null> {
    const bought = await buyOf(10_000n)
    await readBalance(1_000_000n)
    supplier.answers.push(answer(code))
    supplier.balance = async () => ({ mills: mills(9_000n) })
    supplier.afterTurn = () => readBalance(9_000n)
    await place()
    return (await itemOf(bought)).failure
  }

  it('is ours while the balance is below the price', async () => {
    assert.equal(await refusedShort('LISTING_UNAVAILABLE'), 'MARKET_UNAVAILABLE')
    assert.equal((await accountOf()).closedBecause, 'no_funds')
  })

  it('and names the recipient is the recipient’s, and closes the account all the same', async () => {
    assert.equal(await refusedShort('TRADE_URL_INVALID'), 'TRADE_URL_INVALID')
    assert.equal((await accountOf()).closedBecause, 'no_funds')
  })

  it('says nothing of an account that covers the price', async () => {
    const bought = await buyOf(10_000n)
    await readBalance(10_000n)
    supplier.answers.push(answer('LISTING_UNAVAILABLE'))
    await place()
    assert.equal((await itemOf(bought)).failure, 'LISTING_UNAVAILABLE')
    assert.notEqual((await accountOf()).closedBecause, 'no_funds')
  })
})

it('an account whose key is bad fails the item that was answered, and lets the others wait until it is served', async () => {
  const first = await buyOf(10_000n)
  await readBalance(1_000_000n)
  supplier.answers.push(answer('MARKET_UNAVAILABLE', 'forbidden'))
  await place()
  assert.equal((await itemOf(first)).failure, 'MARKET_UNAVAILABLE')
  assert.equal((await accountOf()).closedBecause, 'forbidden')
  await assert.rejects(buyOf(10_000n), /MARKET_UNAVAILABLE/)
  await readBalance(1_000n)
  assert.equal((await accountOf()).closedBecause, null)
})

describe('at the door', () => {
  it('a listing that costs more than may be spent is MARKET_UNAVAILABLE, in a preflight too, and nothing is escrowed', async () => {
    const { db } = database
    await readBalance(10_000n)
    const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 100_000n })
    const lines = [20_000n, 9_000n].map(async (priceMills) => ({
      listing: { id: await givenListing(db, { priceMills }) },
      ...{ maxPrice: cents(100_000n), externalId: null },
    }))
    const [dear, cheap] = await Promise.all(lines)
    assert.ok(dear && cheap)
    const order = { requestId: newId(), externalId: null, tradeUrl: null }
    const buy = testBuy({ db, clock })
    await assert.rejects(buy(buyer, { ...order, items: [dear] }), /MARKET_UNAVAILABLE/)
    const tryBuy = createPreflight({
      ...testBuyDeps({ db, clock }),
      resolveTradeUrl: async (url) => ({
        ...{ url, platformId: '76561197960265729', persona: { personaName: 'a' } },
        ...{ holdDays: 0, probation: false },
      }),
    })
    const { refusals } = await tryBuy(buyer, { ...order, items: [dear] })
    assert.deepEqual(refusals, ['MARKET_UNAVAILABLE'])
    assert.equal(await balanceOf(db, buyer.accountId, 'escrow'), 0n)
    await buy(buyer, { ...order, items: [cheap] })
    // What waits is spoken for.
    await judge()
    const another = { ...cheap, listing: { id: await givenListing(db, { priceMills: 2_000n }) } }
    await assert.rejects(buy(buyer, { ...order, items: [another] }), /MARKET_UNAVAILABLE/)
  })
})

describe('a quick-buy', () => {
  async function givenQuickBuy({ maxPrice = 5_000n } = {}) {
    const { db } = database
    const itemId = await givenItem(db)
    const listings = {
      market_b: await givenListing(db, { priceMills: 10_000n, itemId }),
      market_a: await givenListing(db, { priceMills: 12_000n, market: 'market_a', itemId }),
    }
    const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 5_000n })
    const quickBuy = createQuickBuy({
      ...testBuyDeps({ db, clock }),
      findItem: (id) => ({ id, game: 'cs2', phase: null }),
      findSibling: () => null,
      findSeller: (wanted) => testFindSeller(db, wanted),
    })
    const buy = () =>
      quickBuy(buyer, {
        ...{ requestId: newId(), externalId: null, tradeUrl: null, itemId, phase: null, amount: 1 },
        ...{ maxPrice: cents(maxPrice), delivery: 'standard', externalIds: null },
      })
    const wallet = async () => [
      await balanceOf(db, buyer.accountId, 'spot'),
      await balanceOf(db, buyer.accountId, 'escrow'),
    ]
    return { buy, listings, wallet }
  }
  const marketOf = async (itemId: string): Promise<unknown> => {
    const market = sql('test.market', 'select market, attempt from buying.item where id = $1')
    return (await database.db.query(market, [itemId]))[0]
  }
  const isTaken = async (id: bigint) => {
    const taken = sql('test.taken', 'select taken from catalog.listing where id = $1')
    const [row] = await database.db.query<{ taken: boolean }>(taken, [id])
    return row?.taken
  }
  const move = (mayPlace = true) =>
    createMoving({
      ...{ db: database.db, clock, market: 'market_b' },
      mayPlace: async () => mayPlace,
    })(new AbortController().signal)

  it('goes to the other market while the account of the cheaper one is closed', async () => {
    const { buy, listings } = await givenQuickBuy()
    await readBalance(0n)
    const bought = await buy()
    assert.deepEqual(await marketOf((await itemOf(bought)).id), { market: 'market_a', attempt: 1 })
    assert.equal(await isTaken(listings.market_b), false)
  })

  it('moves there from the queue, with the money exact and its old listing for sale again', async () => {
    const { buy, listings, wallet } = await givenQuickBuy()
    const bought = await buy()
    assert.deepEqual(await wallet(), [5_000n - 1_070n, 1_070n])
    await move()
    const { id } = await itemOf(bought)
    assert.deepEqual(await marketOf(id), { market: 'market_b', attempt: 1 }, 'its account is open')
    await readBalance(0n)
    await move(false)
    assert.deepEqual(await marketOf(id), { market: 'market_b', attempt: 1 }, 'it may be placed')
    await move()
    assert.deepEqual(await marketOf(id), { market: 'market_a', attempt: 2 })
    assert.deepEqual(await wallet(), [5_000n - 1_284n, 1_284n])
    assert.deepEqual(
      [await isTaken(listings.market_b), await isTaken(listings.market_a)],
      [false, true],
    )
    await place()
    assert.equal(supplier.purchases.length, 0)
    const other = Object.assign(scriptedSupplier(), { id: 'market_a' as const })
    await placeRound({ db: database.db, clock, market: other, concurrency: 1 })
    assert.deepEqual(
      other.purchases.map(({ customId, ceilingMills }) => [customId, ceilingMills]),
      [[`${id}-2`, 12_000n]],
    )
  })

  it('moves as well when accounts are open and none of them has as much as it costs', async () => {
    const { buy } = await givenQuickBuy()
    await readBalance(30_000n)
    const bought = await buy()
    const { id } = await itemOf(bought)
    // What is spent meanwhile leaves the account open, for cheaper items.
    await database.db.script(
      `update buying.market_account set balance_mills = 9000 where market = 'market_b'`,
    )
    await move()
    assert.deepEqual(await marketOf(id), { market: 'market_a', attempt: 2 })
  })

  it('is checked again under its lock: neither what is covered by then moves, nor what was begun', async () => {
    const { buy } = await givenQuickBuy()
    const { id } = await itemOf(await buy())
    const moveOne = () =>
      database.db.transaction((tx) => moveWaiting(tx, id, { at: clock.now(), isLastTry: true }))
    assert.equal(await moveOne(), false)
    await place()
    await readBalance(0n)
    assert.equal(await moveOne(), false)
    assert.deepEqual(await marketOf(id), { market: 'market_b', attempt: 1 })
  })

  it('stays where it is when the other market asks more than its limit', async () => {
    const { buy, wallet } = await givenQuickBuy({ maxPrice: 1_100n })
    const bought = await buy()
    await readBalance(0n)
    await move()
    assert.deepEqual(await marketOf((await itemOf(bought)).id), { market: 'market_b', attempt: 1 })
    assert.deepEqual(await wallet(), [5_000n - 1_070n, 1_070n])
  })

  it('that a worker has claimed moves, and the worker sends nothing; one that was begun stays', async () => {
    const { buy } = await givenQuickBuy()
    const claimed = await buy()
    supplier.beforeTurn = async () => {
      await readBalance(0n)
      await move()
    }
    await place()
    assert.equal(supplier.purchases.length, 0)
    assert.deepEqual(await marketOf((await itemOf(claimed)).id), { market: 'market_a', attempt: 2 })
    await readBalance(1_000_000n)
    const begun = await (await givenQuickBuy()).buy()
    supplier = Object.assign(scriptedSupplier(), {
      afterTurn: async () => {
        await readBalance(0n)
        await move()
      },
    })
    await place()
    const { id, status } = await itemOf(begun)
    assert.deepEqual([await marketOf(id), status], [{ market: 'market_b', attempt: 1 }, 'pending'])
  })
})
