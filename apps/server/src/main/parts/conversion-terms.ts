// How money is converted between wallets, from the settings.
import { cents } from '#kernel/money'
import type { Config } from '../config.ts'

export const conversionTerms = ({ conversions }: Pick<Config, 'conversions'>) => ({
  spreadBps: conversions.spreadBps,
  exposureLimit: cents(BigInt(conversions.exposureLimitDollars) * 100n),
  exposureSharePercent: conversions.exposureSharePercent,
})
