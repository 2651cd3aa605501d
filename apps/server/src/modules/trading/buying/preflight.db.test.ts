import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '#infra/process/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { lookUpTrades, pauseTrading, resumeTrading } from '#trades'
import type { Buyer, BuyLine, BuyOrder } from './buy.ts'
import { createBuy } from './buy.ts'
import { createPreflight, type TryBuy } from './preflight.ts'
import { setWaitingLimit } from './store/waiting.ts'
import {
  balanceOf,
  givenBuyer,
  givenListing,
  givenMerchant,
  testBuyDeps,
} from './testing/buyers.ts'

let database: TestDatabase
let tryBuy: TryBuy
let tenantId: string
let platform: 'ready' | 'away'

before(async () => {
  database = await testDatabase({ poolSize: 4 })
  tryBuy = createPreflight({
    ...testBuyDeps({ db: database.db, clock: systemClock }),
    resolveTradeUrl: async (url) =>
      platform === 'away'
        ? refuse('PLATFORM_UNAVAILABLE')
        : {
            url,
            platformId: '76561197960265729',
            persona: { personaName: 'Anna' },
            holdDays: 15,
            probation: false,
          },
  })
  tenantId = await givenMerchant(database.db)
  platform = 'ready'
})
after(() => database.close())

const buyer = (balance: bigint): Promise<Buyer> => givenBuyer(database.db, { tenantId, balance })
const line = (id: bigint, maxPrice = 100_000_00n): BuyLine => ({
  listing: { id },
  maxPrice: cents(maxPrice),
  externalId: null,
})
const order = (items: readonly BuyLine[], overrides: Partial<BuyOrder> = {}): BuyOrder => ({
  requestId: newId(),
  externalId: null,
  tradeUrl: null,
  items,
  ...overrides,
})

describe('a preflight', () => {
  it('says what a buy would cost, who receives it and what would be left, and takes nothing', async () => {
    const anna = await buyer(5000n)
    const id = await givenListing(database.db, { priceMills: 10_000n })
    const tried = await tryBuy(anna, order([line(id)]))
    assert.deepEqual(tried.refusals, [])
    assert.deepEqual(tried.lines[0]?.price, {
      sourcing: 1000n,
      houseFee: 50n,
      merchantFee: 20n,
      price: 1070n,
    })
    assert.deepEqual([tried.balance, tried.required], [5000n, 1070n])
    assert.equal(tried.recipient?.holdDays, 15)
    assert.equal(await balanceOf(database.db, anna.accountId, 'spot'), 5000n)
    const receipt = await createBuy(testBuyDeps({ db: database.db, clock: systemClock }))(
      anna,
      order([line(id)]),
    )
    assert.equal(receipt.total, 1070n, 'the buy that follows costs the same')
  })

  it('reports every trouble at once, in the order in which a buy meets them', async () => {
    const poor = await buyer(1n)
    const [dear, fine] = [
      await givenListing(database.db, { priceMills: 10_000n }),
      await givenListing(database.db, { priceMills: 10_000n }),
    ]
    platform = 'away'
    const tried = await tryBuy(
      poor,
      order([line(dear, 1069n), line(fine), line(fine), line(999_999_999n)]),
    )
    platform = 'ready'
    assert.deepEqual(
      tried.lines.map(({ refusal }) => refusal),
      ['PRICE_MISMATCH', null, 'DUPLICATE_LISTING_ID', 'LISTING_NOT_FOUND'],
    )
    assert.deepEqual(tried.refusals, [
      'DUPLICATE_LISTING_ID',
      'LISTING_NOT_FOUND',
      'PRICE_MISMATCH',
      'PLATFORM_UNAVAILABLE',
      'INSUFFICIENT_BALANCE',
    ])
    assert.equal(tried.required, 1070n, 'of what passes')
  })

  it('refuses an external id that another body has used, and passes a replay, which takes nothing', async () => {
    const anna = await buyer(1070n)
    const { db } = database
    const body = order([line(await givenListing(db, { priceMills: 10_000n }))], {
      externalId: 'used',
    })
    const receipt = await createBuy(testBuyDeps({ db, clock: systemClock }))(anna, body)
    const replay = await tryBuy(anna, { ...body, requestId: newId() })
    assert.deepEqual([replay.refusals, replay.tradeId], [[], receipt.tradeId])
    assert.deepEqual([replay.required, replay.balance], [0n, 0n], 'the wallet is empty by now')
    const other = await tryBuy(anna, { ...body, items: [line(1n)] })
    assert.deepEqual(other.refusals[0], 'IDEMPOTENCY_CONFLICT')
    assert.equal(other.tradeId, receipt.tradeId)
  })

  it('says that a market has too many items of the tenant waiting, and counts those it would add', async () => {
    const { db } = database
    const merchant = await givenMerchant(db)
    const anna = await givenBuyer(db, { tenantId: merchant, balance: 1_000_000n })
    const buy = createBuy(testBuyDeps({ db, clock: systemClock }))
    const lines = (count: number) =>
      Promise.all(
        Array.from({ length: count }, async () =>
          line(await givenListing(db, { priceMills: 10_000n })),
        ),
      )
    const setLimit = (limit: number | null) => setWaitingLimit(db, { limit, at: systemClock.now() })
    await setLimit(200)
    for (let i = 0; i < 20; i++) await buy(anna, order((await lines(10)).slice(0, i < 19 ? 10 : 9)))
    const [one, two] = [order(await lines(1)), order(await lines(2))]
    assert.deepEqual((await tryBuy(anna, one)).refusals, [])
    assert.deepEqual((await tryBuy(anna, two)).refusals, ['MARKET_UNAVAILABLE'])
    await assert.rejects(buy(anna, two), /MARKET_UNAVAILABLE/)
    await buy(anna, one)
    await setLimit(null)
    assert.deepEqual((await tryBuy(anna, two)).refusals, [])
    await setLimit(300)
  })

  it('says that trading is paused, and that there is no trade URL', async () => {
    const anna = { ...(await buyer(5000n)), primaryTradeUrl: null }
    const id = await givenListing(database.db, { priceMills: 10_000n })
    await pauseTrading(database.db, systemClock, 'a test')
    try {
      const deps = testBuyDeps({ db: database.db, clock: systemClock })
      const fresh = createPreflight({
        ...deps,
        resolveTradeUrl: async () => refuse('INTERNAL_ERROR'),
      })
      const tried = await fresh(anna, order([line(id)]))
      assert.deepEqual(tried.refusals, ['SERVICE_DISABLED', 'TRADEURL_REQUIRED'])
    } finally {
      await resumeTrading(database.db, systemClock, 'the test is over')
    }
  })
})

describe('a look-up', () => {
  it('answers each id in order, all accounts that used it, and no other tenant’s', async () => {
    const { db } = database
    const deps = testBuyDeps({ db, clock: systemClock })
    const buy = createBuy(deps)
    const [anna, bert] = [await buyer(50_000n), await buyer(50_000n)]
    const otherTenant = await givenBuyer(db, {
      tenantId: await givenMerchant(db),
      balance: 50_000n,
    })
    const buyAs = async (who: Buyer, externalId: string) =>
      (
        await buy(
          who,
          order([line(await givenListing(db, { priceMills: 10_000n }))], { externalId }),
        )
      ).tradeId
    const first = await buyAs(anna, 'shared')
    const second = await buyAs(bert, 'shared')
    const third = await buyAs(anna, 'own')
    await buyAs(otherTenant, 'shared')

    const found = await db.snapshot((at) =>
      lookUpTrades(at, tenantId, ['own', 'never', 'shared', 'own'], { shown: 5, counted: 100 }),
    )
    assert.deepEqual(
      found.map(({ trades }) => trades.map(({ id }) => id)),
      [[third], [], [second, first], [third]],
    )
    const [short] = await db.snapshot((at) =>
      lookUpTrades(at, tenantId, ['shared'], { shown: 1, counted: 100 }),
    )
    assert.deepEqual([short?.trades.length, short?.total], [1, 2])
    const known = await tryBuy(anna, order([line(1n)], { externalId: 'own' }))
    assert.equal(known.tradeId, third, 'a preflight names the trade that has the id already')
  })
})
