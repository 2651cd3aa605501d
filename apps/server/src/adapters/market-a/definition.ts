import type { MarketDefinition } from '../shared/market-definition.ts'
import { cancelAgeIn, firstKeyIn, SANDBOX_TIMING } from '../shared/sandbox-timing.ts'
import { createMarketA } from './index.ts'
import { createPriceList } from './prices.ts'

export const marketA: MarketDefinition = {
  id: 'market_a',
  title: 'market A',
  variables: { url: 'MARKET_A_URL', key: 'MARKET_A_KEY' },
  options: [
    {
      variable: 'MARKET_A_LEAST_CHANCE',
      field: 'leastChance',
      text:
        'Percent of their sales that a seller at market A must deliver, by the market’s own count: listings of ' +
        'others are not for sale, and a purchase refuses them. 0: all are taken.',
      bounds: [0, 100],
      unset: 90,
      inSandbox: 0,
    },
  ],
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
  openPrices: (baseUrl) => createPriceList(baseUrl.replace(/\/+$/, '')),
  open: (tools, account, timing) => createMarketA({ ...tools, ...account, ...timing }),
}
