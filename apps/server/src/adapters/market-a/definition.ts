import type { MarketDefinition } from '../shared/market-definition.ts'
import { cancelAgeIn, firstKeyIn, SANDBOX_TIMING } from '../shared/sandbox-timing.ts'
import { createMarketA } from './index.ts'

export const marketA: MarketDefinition = {
  id: 'market_a',
  title: 'market A',
  variables: { url: 'MARKET_A_URL', key: 'MARKET_A_KEY' },
  sandbox: {
    path: '/market-a',
    apiKey: (variables) => firstKeyIn(variables.SANDBOX_MARKET_A_KEY, 'sandbox-market-a'),
    timing: (variables) => ({
      ...SANDBOX_TIMING,
      offerPollMs: 100,
      cancelAfterMs: cancelAgeIn(variables.SANDBOX_MARKET_A_SETTINGS),
      ...(variables.SANDBOX_MARKET_A_CALLS_PER_SECOND === '0' ? { callSpacingMs: 0 } : {}),
    }),
  },
  open: (tools, account, timing) => createMarketA({ ...tools, ...account, ...timing }),
}
