// The public market data of an exchange, as Kraken serves them: best prices by pair, without a key.
import type { FastifyInstance } from 'fastify'
import { ASSETS, type Asset, type Prices, showUnits } from './prices.ts'

/** The exchange's own names of its pairs, which differ from those that it is asked for. */
const PAIR_NAMES: Readonly<Record<Asset, string>> = {
  ETH: 'XETHZUSD',
  BNB: 'BNBUSD',
  USDT: 'USDTZUSD',
  USDC: 'USDCUSD',
}

const DECIMALS = 8
/** Between a price and the best bid, and the best ask: two hundredths of a percent. */
const HALF_SPREAD = 5_000n

export function serveExchange(app: FastifyInstance, prices: Prices): void {
  app.get('/0/public/Ticker', (request) => {
    const { pair = '' } = request.query as { pair?: string }
    const asset = ASSETS.find((known) => `${known}USD` === pair || PAIR_NAMES[known] === pair)
    if (asset === undefined) return { error: ['EQuery:Unknown asset pair'] }
    const price = prices.of(asset).exchangeE8
    const show = (units: bigint): string => showUnits(units, DECIMALS)
    return {
      error: [],
      result: {
        [PAIR_NAMES[asset]]: {
          a: [show(price + price / HALF_SPREAD), '12', '12.000'],
          b: [show(price - price / HALF_SPREAD), '9', '9.000'],
          c: [show(price), '0.05000000'],
        },
      },
    }
  })
}
