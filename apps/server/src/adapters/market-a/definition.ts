import type { MarketDefinition, MarketPace } from '../shared/market-definition.ts'
import { cancelAgeIn, firstKeyIn, SANDBOX_TIMING } from '../shared/sandbox-timing.ts'
import { createMarketA } from './index.ts'
import { createPriceList } from './prices.ts'
import { MARKET_A_DEFAULTS } from './settings.ts'

/** More than five calls in a second delete a key for good. */
const PACE: MarketPace = {
  variable: 'MARKET_A_CALL_SPACING_MS',
  field: 'callSpacingMs',
  unit: 'milliseconds between two calls',
  text:
    'Milliseconds between two calls with one key at market A, over all processes; an account may have a pace of ' +
    'its own (`ops market:account set --pace`). Below 200 the market would delete the key.',
  bounds: [200, 60_000],
  unset: MARKET_A_DEFAULTS.callSpacingMs,
  inSandbox: null,
}

export const marketA: MarketDefinition = {
  id: 'market_a',
  title: 'market A',
  variables: { url: 'MARKET_A_URL', key: 'MARKET_A_KEY' },
  paceOf: PACE,
  options: [
    PACE,
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
