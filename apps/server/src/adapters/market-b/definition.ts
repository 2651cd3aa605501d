import type { MarketDefinition, MarketPace } from '../shared/market-definition.ts'
import { cancelAgeIn, firstKeyIn, SANDBOX_TIMING } from '../shared/sandbox-timing.ts'
import { createMarketB } from './index.ts'
import { createPriceList } from './prices.ts'
import { MARKET_B_DEFAULTS } from './settings.ts'

const PACE: MarketPace = {
  variable: 'MARKET_B_CALLS_PER_MINUTE',
  field: 'callsPerMinute',
  unit: 'calls in a minute',
  text:
    'Ordinary calls in a minute with one key at market B, over all processes, of which two thirds are purchases; ' +
    'an account may have a pace of its own (`ops market:account set --pace`). The market documents 60 and blocks ' +
    'keys that make more.',
  bounds: [3, 60],
  unset: MARKET_B_DEFAULTS.callsPerMinute,
  inSandbox: null,
}

export const marketB: MarketDefinition = {
  id: 'market_b',
  title: 'market B',
  variables: { url: 'MARKET_B_URL', key: 'MARKET_B_KEY' },
  paceOf: PACE,
  options: [
    PACE,
    {
      variable: 'MARKET_B_PENALTIES',
      field: 'penalties',
      text:
        'What is made of an accepted trade that market B ends with `penalties` that name the buyer, which no ' +
        'document explains: `hold` leaves the item in its hold until an operator decides, `believe` takes its ' +
        'price from the buyer.',
      words: ['hold', 'believe'],
      unset: 'hold',
      inSandbox: 'believe',
    },
    {
      variable: 'MARKET_B_MANUAL_SELLERS',
      field: 'manualSellers',
      text: 'Sells listings of market B’s sellers who send by hand as well, which takes longer and fails more often.',
      unset: false,
      inSandbox: true,
    },
  ],
  sandbox: {
    path: '/market-b',
    apiKey: (variables) => firstKeyIn(variables.SANDBOX_MARKET_B_KEY, 'sandbox-market-b'),
    timing: (variables) => ({
      ...SANDBOX_TIMING,
      cancelAfterMs: cancelAgeIn(variables.SANDBOX_MARKET_B_SETTINGS),
      callsPerMinute: Number(variables.SANDBOX_MARKET_B_CALLS_PER_MINUTE ?? 60),
    }),
  },
  openPrices: (baseUrl) => createPriceList(baseUrl.replace(/\/+$/, '')),
  open: (tools, account, timing) => createMarketB({ ...tools, ...account, ...timing }),
}
