// Between which amounts a deposit is quoted.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ONE_TOKEN } from '#kernel/decimal'
import { cents } from '#kernel/money'
import type { OnrampPayCurrency } from './ports.ts'
import { context } from './testing/depositors.ts'
import { type Deposits, useDeposits } from './testing/use-deposits.ts'

let a: Deposits
await useDeposits((given) => {
  ;({ a } = given)
})

/** Null: it is quoted. */
const refusalOf = (quoting: Promise<unknown>): Promise<string | null> =>
  quoting.then(
    () => null,
    ({ key, details }) => `${key} ${details.minUsdCents}-${details.maxUsdCents}`,
  )

describe('a card is quoted for 20.00 to 10,000.00 US dollars of the amount that is named, before fees', () => {
  const refused = 'DEPOSIT_AMOUNT_OUT_OF_RANGE 2000-1000000'
  const quote = async (
    payCurrency: OnrampPayCurrency,
    amount: { pay: bigint } | { receiveUsd: bigint },
  ) => {
    const named = 'pay' in amount ? amount : { receiveUsd: cents(amount.receiveUsd) }
    const who = await a.depositor('EUR')
    const request = { amount: named, payCurrency, countryCode: null, coin: null }
    return refusalOf(a.onrampDeposits.quote(who, request, context))
  }

  // A dollar costs 1.005 dollars: the spread is a fee. 0.92 euros are a dollar, and 0.7999 pounds.
  for (const [currency, rate, least, most] of [
    ['USD', 1_0050n, 20_00n, 10_000_00n],
    ['EUR', 9200n, 18_40n, 9_200_00n],
    ['GBP', 7999n, 16_00n, 7_999_00n],
  ] as const) {
    it(`paid in ${currency}, at the quote's rate`, async () => {
      a.onramp.ratePerUsdE18 = rate * (ONE_TOKEN / 10_000n)
      for (const [pay, wanted] of [
        [least - 1n, refused],
        [least, null],
        [most, null],
        [most + 1n, refused],
      ] as const) {
        assert.equal(await quote(currency, { pay }), wanted, `${pay} ${currency}`)
      }
    })

    it(`received, whatever it costs in ${currency}`, async () => {
      a.onramp.ratePerUsdE18 = rate * (ONE_TOKEN / 10_000n)
      for (const [receiveUsd, wanted] of [
        [19_99n, refused],
        [20_00n, null],
        [10_000_00n, null],
        [10_000_01n, refused],
      ] as const) {
        assert.equal(await quote(currency, { receiveUsd }), wanted, `${receiveUsd} received`)
      }
    })
  }
})

describe('a gateway deposit is quoted for 5.00 to 25,000.00 US dollars before fees', () => {
  // The scripted gateway takes no bitcoin for less than 10.00.
  for (const [currency, least] of [
    ['USDT', 5_00n],
    ['BTC', 10_00n],
  ] as const) {
    it(`of ${currency}`, async () => {
      const who = await a.depositor()
      for (const [usd, isIn] of [
        [least - 1n, false],
        [least, true],
        [25_000_00n, true],
        [25_000_01n, false],
      ] as const) {
        const quoting = a.gatewayDeposits.quote(who, { usd: cents(usd), currency }, context)
        const refused = `DEPOSIT_AMOUNT_OUT_OF_RANGE ${least}-2500000`
        assert.equal(await refusalOf(quoting), isIn ? null : refused, `${usd} cents`)
      }
    })
  }
})
