import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { changeKey, issueKey, readSpent } from '#identity'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { auditTrades, listSteps, readTrades } from '#trades'
import type { FailureCode, PurchaseAnswer } from './ports.ts'
import { createQuickBuy, type QuickOrder } from './quick-buy.ts'
import { readBuyInspection } from './store/inspection.ts'
import {
  balanceOf,
  givenBuyer,
  givenItem,
  givenListing,
  givenMerchant,
  testBuyDeps,
  testFindSeller,
} from './testing/buyers.ts'
import { followRound, placeRound } from './testing/rounds.ts'
import { orderUpdate, type ScriptedSupplier, scriptedSupplier } from './testing/supplier.ts'

const SECOND = 1000

let database: TestDatabase
let clock: ManualClock
let supplier: ScriptedSupplier

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(() => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  supplier = scriptedSupplier()
})
afterEach(async () => {
  const { db } = database
  assert.deepEqual(await auditTrades(db), [])
  assert.deepEqual(await db.query(sql('test.audit', 'select * from ledger.audit()')), [])
  await db.script(`update buying.item set due_at = 'infinity' where work <> 'none'`)
})

const refusal = (code: FailureCode): PurchaseAnswer => ({ kind: 'refused', code, detail: 'no' })
const place = () => placeRound({ db: database.db, clock, market: supplier, concurrency: 1 })
const follow = () => followRound({ db: database.db, clock, market: supplier, onCase: () => {} })

/** A quick-buy of one unit of an item of which these are for sale, the cheapest first. */
async function givenQuickBuy(
  pricesMills: readonly bigint[],
  { balance = 5_000n, maxPrice = 5_000n, spendLimit = null, ...overrides }: Overrides = {},
) {
  const { db } = database
  const itemId = await givenItem(db)
  const listingIds: bigint[] = []
  for (const priceMills of pricesMills)
    listingIds.push(await givenListing(db, { priceMills, itemId }))
  const tenantId = await givenMerchant(db)
  const keyId = spendLimit === null ? null : await limitedKey(tenantId, spendLimit)
  const buyer = { ...(await givenBuyer(db, { tenantId, balance })), keyId }
  const quickBuy = createQuickBuy({
    ...testBuyDeps({ db, clock }),
    findItem: (id) => ({ id, game: 'cs2', phase: null }),
    findSibling: () => null,
    findSeller: (wanted) => testFindSeller(db, wanted),
  })
  const order: QuickOrder = {
    requestId: newId(),
    externalId: newId(),
    tradeUrl: null,
    itemId,
    phase: null,
    maxPrice: cents(maxPrice),
    amount: 1,
    delivery: 'standard',
    externalIds: null,
    ...overrides,
  }
  const receipt = await quickBuy(buyer, order)
  const trade = async () => {
    const [read] = await readTrades(db, [receipt.tradeId])
    assert.ok(read?.items[0])
    return { ...read, item: read.items[0] }
  }
  const isForSale = async (id: bigint | undefined) => {
    const [row] = await db.query<{ free: boolean }>(
      sql('test.free', 'select not taken free from catalog.listing where id = $1'),
      [id],
    )
    return row?.free
  }
  return {
    itemId,
    listingIds,
    receipt,
    trade,
    isForSale,
    spent: async () => (await readSpent(db, [keyId ?? ''], clock.now())).get(keyId ?? ''),
    again: () => quickBuy(buyer, order),
    spot: () => balanceOf(db, buyer.accountId, 'spot'),
    escrow: () => balanceOf(db, buyer.accountId, 'escrow'),
  }
}

/** A key that may spend as many cents a day. */
async function limitedKey(accountId: string, amountCents: bigint): Promise<string> {
  const at = clock.now()
  return database.db.transaction(async (tx) => {
    const key = { accountId, kind: 'merchant', name: 'k', environment: 'test', at } as const
    const { id } = await issueKey(tx, key)
    const spendLimit = { amountCents: cents(amountCents), window: 'day' } as const
    await changeKey(tx, id, { spendLimit }, at)
    return id
  })
}

interface Overrides extends Partial<Omit<QuickOrder, 'maxPrice'>> {
  readonly spendLimit?: bigint | null
  readonly balance?: bigint
  readonly maxPrice?: bigint
}

describe('a quick-bought listing that is gone before it is placed', () => {
  it('counts under the limit of the key what its replacement costs', async () => {
    const buy = await givenQuickBuy([10_000n, 12_000n], { spendLimit: 1_284n })
    assert.equal(await buy.spent(), 1_070n)
    supplier.answers.push(refusal('LISTING_UNAVAILABLE'))
    await place()
    assert.equal((await buy.trade()).item.price, 1_284n)
    assert.equal(await buy.spent(), 1_284n)
  })

  it('is not replaced by one that the limit of the key does not cover, and all is given back', async () => {
    const buy = await givenQuickBuy([10_000n, 12_000n], { spendLimit: 1_283n })
    supplier.answers.push(refusal('LISTING_UNAVAILABLE'))
    await place()
    assert.equal((await buy.trade()).status, 'failed')
    assert.equal(await buy.isForSale(buy.listingIds[1]), true)
    assert.deepEqual([await buy.spot(), await buy.spent()], [5_000n, 0n])
  })

  it('is replaced by the next cheapest, with the money exact to the end', async () => {
    const buy = await givenQuickBuy([10_000n, 12_000n, 15_000n])
    const { item } = await buy.trade()
    supplier.answers.push(refusal('LISTING_UNAVAILABLE'))
    await place()
    assert.deepEqual(
      supplier.purchases.map(({ customId, ceilingMills }) => [customId, ceilingMills]),
      [
        [item.id, 10_000n],
        [`${item.id}-2`, 12_000n],
      ],
    )
    const trade = await buy.trade()
    assert.deepEqual([trade.status, trade.item.price, trade.total], ['pending', 1_284n, 1_284n])
    assert.deepEqual([await buy.spot(), await buy.escrow()], [5_000n - 1_284n, 1_284n])
    assert.equal(await buy.isForSale(buy.listingIds[0]), false, 'gone means gone')
    assert.deepEqual(
      { ...(await buy.again()), replayed: false },
      buy.receipt,
      'a replay answers the first answer',
    )
    const inspection = await readBuyInspection(database.db, trade.id)
    assert.deepEqual(
      inspection?.items[0]?.orders.map(({ customId, state }) => [customId, state]),
      [
        [item.id, 'refused'],
        [`${item.id}-2`, 'placed'],
      ],
    )
    const steps = await listSteps(database.db, trade.id)
    assert.deepEqual(
      steps.map(({ what, status, price }) => [what, status, price]),
      [
        ['replaced', 'initiated', 1_284n],
        ['moved', 'pending', 1_284n],
      ],
    )

    supplier.orders.set(`${item.id}-2`, orderUpdate('hold', { offerId: '9' }))
    clock.advance(2 * SECOND)
    await follow()
    clock.advance(61 * SECOND)
    await follow()
    assert.equal((await buy.trade()).status, 'completed')
    assert.deepEqual([await buy.spot(), await buy.escrow()], [5_000n - 1_284n, 0n])
  })

  it('is replaced again and again, five listings in all, and refunded whole at last', async () => {
    const buy = await givenQuickBuy([10_000n, 10_010n, 10_020n, 10_030n, 10_040n, 10_050n])
    for (let i = 0; i < 6; i++) supplier.answers.push(refusal('LISTING_UNAVAILABLE'))
    await place()
    assert.equal(supplier.purchases.length, 5)
    assert.equal(new Set(supplier.purchases.map(({ customId }) => customId)).size, 5)
    const { item } = await buy.trade()
    assert.deepEqual([item.status, item.failure], ['failed', 'NO_LISTING_AT_PRICE'])
    assert.deepEqual([await buy.spot(), await buy.escrow()], [5_000n, 0n])
    assert.equal(await buy.isForSale(buy.listingIds[4]), false)
    assert.equal(await buy.isForSale(buy.listingIds[5]), true)
  })

  it('is replaced by a cheaper one that came meanwhile, and the difference comes back', async () => {
    const buy = await givenQuickBuy([10_000n])
    await givenListing(database.db, { priceMills: 8_000n, itemId: buy.itemId })
    supplier.answers.push(refusal('LISTING_UNAVAILABLE'))
    await place()
    assert.deepEqual([await buy.spot(), await buy.escrow()], [5_000n - 856n, 856n])
  })

  it('may be replaced by a listing of another market, whose worker places it', async () => {
    const buy = await givenQuickBuy([10_000n])
    await givenListing(database.db, {
      priceMills: 10_000n,
      market: 'market_a',
      itemId: buy.itemId,
    })
    supplier.answers.push(refusal('LISTING_UNAVAILABLE'))
    await place()
    assert.equal(supplier.purchases.length, 1)
    const [row] = await database.db.query<{ market: string; work: string; first_hold: boolean }>(
      sql(
        'test.where',
        `select i.market, i.work, t.hold_id = t.id first_hold from buying.item i join trades.item t on t.id = i.id
         where i.trade_id = $1`,
      ),
      [(await buy.trade()).id],
    )
    assert.deepEqual(row, { market: 'market_a', work: 'place', first_hold: true })
  })

  it('with nothing else within maxPrice fails with NO_LISTING_AT_PRICE, refunded', async () => {
    const buy = await givenQuickBuy([10_000n, 20_000n], { maxPrice: 1_100n })
    supplier.answers.push(refusal('LISTING_UNAVAILABLE'))
    await place()
    const { item } = await buy.trade()
    assert.deepEqual([item.status, item.failure], ['failed', 'NO_LISTING_AT_PRICE'])
    assert.equal(await buy.spot(), 5_000n)
    assert.equal(await buy.isForSale(buy.listingIds[0]), false)
    assert.equal(await buy.isForSale(buy.listingIds[1]), true)
  })

  it('is not replaced by what the wallet does not cover', async () => {
    const buy = await givenQuickBuy([10_000n, 12_000n], { balance: 1_283n })
    supplier.answers.push(refusal('LISTING_UNAVAILABLE'))
    await place()
    assert.equal((await buy.trade()).item.failure, 'NO_LISTING_AT_PRICE')
    assert.deepEqual([await buy.spot(), await buy.escrow()], [1_283n, 0n])
    assert.equal(await buy.isForSale(buy.listingIds[1]), true)
  })
})

describe('a quick-bought listing', () => {
  it('that is dearer now is replaced, and a buyer with a higher limit may have it', async () => {
    const buy = await givenQuickBuy([10_000n, 10_000n])
    supplier.answers.push(refusal('PRICE_CHANGED'))
    await place()
    assert.equal((await buy.trade()).status, 'pending')
    assert.equal(supplier.purchases.length, 2)
    assert.equal(await buy.isForSale(buy.listingIds[0]), true)
    assert.equal(await buy.isForSale(buy.listingIds[1]), false)
  })

  it('of which the buyer is refused is not replaced', async () => {
    const buy = await givenQuickBuy([10_000n, 10_000n])
    supplier.answers.push(refusal('BUYER_TRADE_RESTRICTED'))
    await place()
    assert.equal((await buy.trade()).item.failure, 'BUYER_TRADE_RESTRICTED')
    assert.equal(supplier.purchases.length, 1)
  })

  it('after an unknown answer is never replaced, whatever becomes of it', async () => {
    const buy = await givenQuickBuy([10_000n, 10_000n])
    supplier.answers.push({ kind: 'unknown', detail: 'lost' })
    await place()
    for (let i = 0; i < 4; i++) {
      clock.advance(40 * SECOND)
      await follow()
      await place()
    }
    assert.equal((await buy.trade()).item.failure, 'PURCHASE_FAILED')
    assert.equal(supplier.purchases.length, 1)
  })
})
