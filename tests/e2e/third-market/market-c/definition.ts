import type {
  MarketDefinition,
  MarketPace,
} from '../../../../apps/server/src/adapters/shared/market-definition.ts'
import { createMarketC } from './adapter.ts'

const PACE: MarketPace = {
  variable: 'MARKET_C_CALLS_PER_MINUTE',
  field: 'callsPerMinute',
  unit: 'calls in a minute',
  text: 'Calls in a minute with one key at market C, over all processes.',
  bounds: [3, 600],
  unset: 60,
  inSandbox: 0,
}

export const marketC: MarketDefinition = {
  id: 'market_c',
  title: 'market C',
  variables: { url: 'MARKET_C_URL', key: 'MARKET_C_KEY' },
  paceOf: PACE,
  options: [PACE],
  sandbox: {
    path: '/market-c',
    apiKey: () => 'sandbox-market-c',
    timing: () => ({}),
  },
  openPrices: (baseUrl) => ({
    market: 'market_c',
    fetch: async () => {
      throw new Error(`market C publishes no prices at ${baseUrl}`)
    },
  }),
  open: (tools, account) => createMarketC(tools, account),
}
