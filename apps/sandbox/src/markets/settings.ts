import { type Environment, integerSetting, keysSetting, objectSetting } from '../settings.ts'
import { MARKET_A_CHOICES, MARKET_A_DEFAULTS, type MarketASettings } from './market-a/settings.ts'
import { MARKET_B_CHOICES, MARKET_B_DEFAULTS, type MarketBSettings } from './market-b/settings.ts'

export interface MarketsSettings {
  readonly marketAKeys: readonly string[]
  readonly marketBKeys: readonly string[]
  /** 0 sets no limit. One call more in a second revokes the key, as market A does. */
  readonly marketACallsPerSecond: number
  /** Budget of market B's ordinary calls; the other groups follow it in proportion. 0 sets no limit. */
  readonly marketBCallsPerMinute: number
  /** What the markets' documents leave open, as JSON in one variable each. */
  readonly marketA: MarketASettings
  readonly marketB: MarketBSettings
}

export function readMarketsSettings(environment: Environment): MarketsSettings {
  return {
    marketAKeys: keysSetting(environment, 'SANDBOX_MARKET_A_KEY', 'sandbox-market-a'),
    marketBKeys: keysSetting(environment, 'SANDBOX_MARKET_B_KEY', 'sandbox-market-b'),
    marketACallsPerSecond: integerSetting(environment, 'SANDBOX_MARKET_A_CALLS_PER_SECOND', {
      fallback: 5,
      most: 100_000,
    }),
    marketBCallsPerMinute: integerSetting(environment, 'SANDBOX_MARKET_B_CALLS_PER_MINUTE', {
      fallback: 60,
      most: 1_000_000,
    }),
    marketA: objectSetting(environment, 'SANDBOX_MARKET_A_SETTINGS', {
      defaults: MARKET_A_DEFAULTS,
      choices: MARKET_A_CHOICES,
    }),
    marketB: objectSetting(environment, 'SANDBOX_MARKET_B_SETTINGS', {
      defaults: MARKET_B_DEFAULTS,
      choices: MARKET_B_CHOICES,
    }),
  }
}
