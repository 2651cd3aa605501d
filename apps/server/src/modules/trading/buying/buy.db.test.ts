import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { systemClock } from '#infra/process/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { auditTrades, pauseTrading, readTrades, resumeTrading } from '#trades'
import type { Buy, Buyer, BuyOrder } from './buy.ts'
import {
  balanceOf,
  closeAccount,
  givenBuyer,
  givenListing,
  givenMerchant,
  testBuy,
} from './testing/buyers.ts'

let database: TestDatabase
let buy: Buy
let tenantId: string

before(async () => {
  database = await testDatabase({ poolSize: 20 })
  buy = testBuy({ db: database.db, clock: systemClock })
  tenantId = await givenMerchant(database.db)
})
after(async () => {
  assert.deepEqual(await auditTrades(database.db), [])
  await database.close()
})

const buyer = (balance: bigint): Promise<Buyer> => givenBuyer(database.db, { tenantId, balance })
const listing = (priceMills = 10_000n): Promise<bigint> => givenListing(database.db, { priceMills })
const order = (ids: readonly bigint[], overrides: Partial<BuyOrder> = {}): BuyOrder => ({
  requestId: newId(),
  externalId: null,
  tradeUrl: null,
  items: ids.map((id) => ({ listing: { id }, maxPrice: cents(100_000_00n), externalId: null })),
  ...overrides,
})
const refused = (key: string) => (error: unknown) => error instanceof Refusal && error.key === key
const outcomes = async (attempts: Promise<unknown>[]) => {
  const settled = await Promise.allSettled(attempts)
  for (const one of settled) {
    if (one.status === 'rejected' && !(one.reason instanceof Refusal)) throw one.reason
  }
  return {
    passed: settled.filter((one) => one.status === 'fulfilled').length,
    refusals: settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.key] : [])),
  }
}

describe('a buy', () => {
  it('moves the price with both fees from the wallet to escrow, and nothing else', async () => {
    const alice = await buyer(5000n)
    const receipt = await buy(alice, order([await listing(10_001n)]))
    // 10.001 USD cost, rounded up to 1001 cents; 5% = 50.05 and 2% = 20.02, half up.
    assert.equal(receipt.total, 1001n + 50n + 20n)
    assert.equal(await balanceOf(database.db, alice.accountId, 'spot'), 5000n - 1071n)
    assert.equal(await balanceOf(database.db, alice.accountId, 'escrow'), 1071n)
    const [trade] = await readTrades(database.db, [receipt.tradeId])
    assert.equal(trade?.status, 'initiated')
    assert.equal(trade?.items[0]?.price, 1071n)
  })

  it('of several items totals the sum of the items, each rounded by itself', async () => {
    const alice = await buyer(10_000n)
    const ids = [await listing(1_010n), await listing(1_010n), await listing(1_010n)]
    const receipt = await buy(alice, order(ids))
    assert.equal(receipt.total, 3n * (101n + 5n + 2n))
    assert.equal(receipt.itemCount, 3)
  })

  it('that the wallet cannot cover is refused with what is required and what is there', async () => {
    const poor = await buyer(500n)
    await assert.rejects(buy(poor, order([await listing()])), (error: Refusal) => {
      assert.equal(error.key, 'INSUFFICIENT_BALANCE')
      assert.deepEqual(error.details, { requiredCents: 1070n, availableCents: 500n })
      return true
    })
    assert.equal(await balanceOf(database.db, poor.accountId, 'spot'), 500n)
  })

  it('above maxPrice is refused with the price of the moment and nothing escrowed', async () => {
    const alice = await buyer(5000n)
    const id = await listing()
    const line = { listing: { id }, maxPrice: cents(1069n), externalId: null }
    await assert.rejects(buy(alice, order([], { items: [line] })), (error: Refusal) => {
      assert.equal(error.key, 'PRICE_MISMATCH')
      assert.deepEqual(error.details, { listingId: String(id), currentPriceCents: 1070n })
      return true
    })
    assert.equal(await balanceOf(database.db, alice.accountId, 'escrow'), 0n)
  })

  it('at exactly maxPrice passes', async () => {
    const line = { listing: { id: await listing() }, maxPrice: cents(1070n), externalId: null }
    await buy(await buyer(5000n), order([], { items: [line] }))
  })

  it('of one listing twice is refused, also when it is named in two ways', async () => {
    const id = await listing()
    const [raw] = await database.db.query<{ raw_id: string }>(
      sql('test.raw_id', 'select raw_id from catalog.listing where id = $1'),
      [id],
    )
    const alice = await buyer(5000n)
    await assert.rejects(buy(alice, order([id, id])), refused('DUPLICATE_LISTING_ID'))
    const twice = [
      { listing: { id }, maxPrice: cents(9999n), externalId: null },
      {
        listing: { market: 'market_b' as const, rawId: raw?.raw_id ?? '' },
        maxPrice: cents(9999n),
        externalId: null,
      },
    ]
    await assert.rejects(buy(alice, order([], { items: twice })), refused('DUPLICATE_LISTING_ID'))
  })

  it('of an unknown listing, or one already sold, is LISTING_NOT_FOUND', async () => {
    const alice = await buyer(5000n)
    const id = await listing()
    await buy(await buyer(5000n), order([id]))
    await assert.rejects(buy(alice, order([id])), refused('LISTING_NOT_FOUND'))
    await assert.rejects(buy(alice, order([999_999_999n])), refused('LISTING_NOT_FOUND'))
    assert.equal(await balanceOf(database.db, alice.accountId, 'spot'), 5000n)
  })

  it('with one bad item of two escrows nothing and leaves the good one for sale', async () => {
    const good = await listing()
    await assert.rejects(
      buy(await buyer(50_000n), order([good, 999_999_999n])),
      refused('LISTING_NOT_FOUND'),
    )
    await buy(await buyer(5000n), order([good]))
  })

  it('without any trade URL is TRADEURL_REQUIRED', async () => {
    const withoutUrl = { ...(await buyer(5000n)), primaryTradeUrl: null }
    await assert.rejects(buy(withoutUrl, order([await listing()])), refused('TRADEURL_REQUIRED'))
  })

  it('while trading is paused is SERVICE_DISABLED, replays included', async () => {
    const alice = await buyer(5000n)
    const first = order([await listing()], { externalId: 'paused' })
    await buy(alice, first)
    await pauseTrading(database.db, systemClock, 'a drill')
    const fresh = testBuy({ db: database.db, clock: systemClock })
    await assert.rejects(fresh(alice, first), refused('SERVICE_DISABLED'))
    await resumeTrading(database.db, systemClock, 'the drill is over')
    const again = await testBuy({ db: database.db, clock: systemClock })(alice, first)
    assert.equal(again.replayed, true)
  })

  it('of an account that was deleted or suspended meanwhile is refused, and nothing is escrowed', async () => {
    for (const [as, key] of [
      ['deleted', 'USER_NOT_FOUND'],
      ['suspended', 'ACCOUNT_SUSPENDED'],
    ] as const) {
      const alice = await buyer(0n)
      await closeAccount(database.db, alice.accountId, as)
      await assert.rejects(buy(alice, order([await listing()])), refused(key))
      assert.equal(await balanceOf(database.db, alice.accountId, 'escrow'), 0n)
    }
  })

  it('in euros locks the rate with the trade and prices at it', async () => {
    const euro = await givenBuyer(database.db, { tenantId, balance: 5000n, currency: 'EUR' })
    const receipt = await buy(euro, order([await listing(11_000n)]))
    // 11 USD at 1.10 USD for a euro: 10.00 EUR, and 5% and 2% of it.
    assert.equal(receipt.total, 1070n)
    assert.equal(await balanceOf(database.db, euro.accountId, 'escrow'), 1070n)
  })
})

describe('a buy with an external id', () => {
  it('is answered with the first receipt when it is sent again, whatever became of the listing', async () => {
    const alice = await buyer(5000n)
    const request = order([await listing()], { externalId: 'again' })
    const first = await buy(alice, request)
    const second = await buy(alice, request)
    assert.deepEqual({ ...second, replayed: false, taken: first.taken }, first)
    assert.equal(second.replayed, true)
    assert.equal(await balanceOf(database.db, alice.accountId, 'spot'), 5000n - 1070n)
  })

  it('is a conflict under another body', async () => {
    const alice = await buyer(5000n)
    await buy(alice, order([await listing()], { externalId: 'other' }))
    await assert.rejects(
      buy(alice, order([await listing()], { externalId: 'other' })),
      refused('IDEMPOTENCY_CONFLICT'),
    )
  })

  it('belongs to its account: another buyer may use the same', async () => {
    await buy(await buyer(5000n), order([await listing()], { externalId: 'mine' }))
    await buy(await buyer(5000n), order([await listing()], { externalId: 'mine' }))
  })

  it('32 times at once makes one trade and 32 equal answers', async () => {
    const alice = await buyer(100_000n)
    const request = order([await listing()], { externalId: 'thirty-two' })
    const receipts = await Promise.all(Array.from({ length: 32 }, () => buy(alice, request)))
    assert.equal(new Set(receipts.map((receipt) => receipt.tradeId)).size, 1)
    assert.equal(receipts.filter((receipt) => !receipt.replayed).length, 1)
    assert.equal(await balanceOf(database.db, alice.accountId, 'escrow'), 1070n)
  })
})

describe('under a race', () => {
  it('of 32 buyers for one listing one wins, and no other is debited', async () => {
    const id = await listing()
    const rivals = await Promise.all(Array.from({ length: 32 }, () => buyer(5000n)))
    const { passed, refusals } = await outcomes(rivals.map((rival) => buy(rival, order([id]))))
    assert.equal(passed, 1)
    assert.deepEqual(refusals, Array(31).fill('LISTING_NOT_FOUND'))
    const balances = await Promise.all(
      rivals.map((rival) => balanceOf(database.db, rival.accountId, 'spot')),
    )
    assert.equal(balances.filter((balance) => balance === 5000n).length, 31)
  })

  it('of 40 buys on one wallet exactly as many pass as it covers', async () => {
    const alice = await buyer(3n * 1070n + 1069n)
    const ids = await Promise.all(Array.from({ length: 40 }, () => listing()))
    const { passed, refusals } = await outcomes(ids.map((id) => buy(alice, order([id]))))
    assert.equal(passed, 3)
    assert.deepEqual(refusals, Array(37).fill('INSUFFICIENT_BALANCE'))
    assert.equal(await balanceOf(database.db, alice.accountId, 'spot'), 1069n)
  })

  it('baskets that share listings in opposite order end without a deadlock', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => listing()))
    const rivals = await Promise.all(Array.from({ length: 16 }, () => buyer(50_000n)))
    const { passed, refusals } = await outcomes(
      rivals.map((rival, i) => buy(rival, order(i % 2 === 0 ? ids : ids.toReversed()))),
    )
    assert.equal(passed, 1)
    assert.deepEqual(refusals, Array(15).fill('LISTING_NOT_FOUND'))
  })
})
