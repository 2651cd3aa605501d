import assert from 'node:assert/strict'
import { after, before, describe, test as it } from 'node:test'
import fc from 'fast-check'
import { sql } from '#infra/database/db'
import { type Currency, cents, mills, shareHalfUp } from '#kernel/money'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import {
  convertHalfUp,
  convertRoundedDown,
  createGlobalDefaultReader,
  priceListing,
  sourcingIn,
  writeGlobalDefaultBps,
} from './index.ts'

let test: TestDatabase
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

it('the global default is 500 bps, and a change is seen within a second', async () => {
  const { db } = test
  const clock = manualClock()
  const read = createGlobalDefaultReader({ db, clock })
  assert.equal(await read(), 500)
  await db.transaction((tx) => writeGlobalDefaultBps(tx, 450, clock.now()))
  clock.advance(1000)
  assert.equal(await read(), 450)
})

it('an impossible default is refused by the database', async () => {
  for (const bps of [-1, 10_001]) {
    await assert.rejects(
      test.db.transaction((tx) => writeGlobalDefaultBps(tx, bps, new Date())),
      /setting_default_in_range/,
    )
  }
})

describe('a function of the database computes what its TypeScript twin computes', () => {
  const anyCurrency = fc.constantFrom<Currency>('USD', 'EUR')
  const anyRate = fc.bigInt({ min: 500_000n, max: 2_000_000n })
  const anyBps = fc.integer({ min: 0, max: 10_000 })
  const anyMills = fc.bigInt({ min: 1n, max: 2_000_000_000n })
  const anyCents = fc.bigInt({ min: 0n, max: 10n ** 13n })
  const RUNS = { numRuns: 500 }

  it('for the price of a listing', async () => {
    const PRICE = sql(
      'test.price_listing',
      `select p.*, pricing.sourcing_in($1::ledger.currency, $2, $3) sourcing_alone
       from pricing.price_listing($1::ledger.currency, $2, $3, $4, $5) p`,
    )
    const property = fc.asyncProperty(
      anyCurrency,
      anyMills,
      anyRate,
      anyBps,
      anyBps,
      async (currency, asked, rate, houseFeeBps, merchantFeeBps) => {
        const values = [currency, asked, rate, houseFeeBps, merchantFeeBps]
        const [row] = await test.db.query<Record<string, bigint>>(PRICE, values)
        const terms = { currency, houseFeeBps, merchantFeeBps }
        const { sourcing, houseFee, merchantFee, price } = priceListing(terms, {
          priceMills: mills(asked),
          rate,
        })
        const twin = { sourcing, house_fee: houseFee, merchant_fee: merchantFee, price }
        const sourcingAlone = sourcingIn(currency, mills(asked), rate)
        assert.deepEqual({ ...row }, { ...twin, sourcing_alone: sourcingAlone })
      },
    )
    await fc.assert(property, RUNS)
  })

  it('for a share', async () => {
    const SHARE = sql('test.share', 'select pricing.share_half_up($1, $2) share')
    const property = fc.asyncProperty(anyCents, anyBps, async (amount, bps) => {
      const [row] = await test.db.query<{ share: bigint }>(SHARE, [amount, bps])
      assert.equal(row?.share, shareHalfUp(cents(amount), bps))
    })
    await fc.assert(property, RUNS)
  })

  it('for a conversion', async () => {
    const CONVERT = sql(
      'test.convert',
      `select pricing.convert_half_up($1, $2::ledger.currency, $3::ledger.currency, $4) half_up,
         pricing.convert_rounded_down($1, $2::ledger.currency, $3::ledger.currency, $4) rounded_down`,
    )
    const property = fc.asyncProperty(
      anyCents,
      anyCurrency,
      anyCurrency,
      anyRate,
      async (amount, from, to, usdPerEurMicros) => {
        const values = [amount, from, to, usdPerEurMicros]
        const [row] = await test.db.query<Record<string, bigint>>(CONVERT, values)
        const conversion = { from, to, usdPerEurMicros }
        assert.deepEqual(
          { ...row },
          {
            half_up: convertHalfUp(cents(amount), conversion),
            rounded_down: convertRoundedDown(cents(amount), conversion),
          },
        )
      },
    )
    await fc.assert(property, RUNS)
  })

  it('within one currency without a rate', async () => {
    const SAME = sql(
      'test.convert_without_rate',
      `select pricing.convert_half_up(333, 'USD', 'USD', null) half_up,
         pricing.convert_rounded_down(333, 'EUR', 'EUR', null) rounded_down,
         pricing.sourcing_in('USD', 1231, null) sourcing`,
    )
    const [row] = await test.db.query<Record<string, bigint>>(SAME)
    assert.deepEqual({ ...row }, { half_up: 333n, rounded_down: 333n, sourcing: 124n })
  })
})
