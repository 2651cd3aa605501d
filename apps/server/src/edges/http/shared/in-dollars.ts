import type { Cents, Currency } from '#kernel/money'
import { convertRoundedUp } from '#pricing'

/** What must arrive so that a wallet receives at least `amount` of its currency. */
export const inDollars = async (
  amount: Cents,
  currency: Currency,
  currentRate: () => Promise<bigint>,
): Promise<Cents> =>
  currency === 'USD'
    ? amount
    : convertRoundedUp(amount, { from: currency, to: 'USD', usdPerEurMicros: await currentRate() })
