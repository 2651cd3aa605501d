import type { MarketDefinition } from '../shared/market-definition.ts'
import { cancelAgeIn, firstKeyIn, SANDBOX_TIMING } from '../shared/sandbox-timing.ts'
import { createMarketB } from './index.ts'

export const marketB: MarketDefinition = {
  id: 'market_b',
  title: 'market B',
  variables: { url: 'MARKET_B_URL', key: 'MARKET_B_KEY' },
  sandbox: {
    path: '/market-b',
    apiKey: (variables) => firstKeyIn(variables.SANDBOX_MARKET_B_KEY, 'sandbox-market-b'),
    timing: (variables) => ({
      ...SANDBOX_TIMING,
      cancelAfterMs: cancelAgeIn(variables.SANDBOX_MARKET_B_SETTINGS),
      callsPerMinute: Number(variables.SANDBOX_MARKET_B_CALLS_PER_MINUTE ?? 60),
    }),
  },
  open: (tools, account, timing) => createMarketB({ ...tools, ...account, ...timing }),
}
