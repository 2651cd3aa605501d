// Market A's list of prices: https://market.csgo.com/docs-v2, `prices/USD.json`. Keyless, and not counted in
// the call budget.
import type { ListedPrice, PriceList } from '#ports/catalog'
import { readPriceFile } from '../shared/price-file.ts'
import { type Fields, flagOf, integerOf, millsOfDecimal, own, textOf } from '../shared/reader.ts'

export const createPriceList = (baseUrl: string): PriceList => ({
  market: 'market_a',
  async fetch(signal) {
    const url = `${baseUrl}/api/v2/prices/USD.json`
    const { prices, unreadable, head } = await readPriceFile(url, readRow, signal)
    if (flagOf(own(head, 'success')) !== true) throw new Error('market A has no list of prices')
    if (own(head, 'currency') !== 'USD')
      throw new Error('market A names prices in another currency')
    const seconds = integerOf(own(head, 'time'))
    if (seconds === null) throw new Error('market A does not say how old its list of prices is')
    return { madeAt: new Date(Number(seconds) * 1000), prices, unreadable }
  },
})

/** Its names carry no phase: what it says of a Doppler is said of the cheapest phase, and holds for none. */
function readRow(row: Fields): ListedPrice | null {
  const marketHashName = textOf(own(row, 'market_hash_name'))
  const priceMills = millsOfDecimal(own(row, 'price'))
  if (marketHashName === null || priceMills === null || priceMills <= 0n) return null
  const volume = integerOf(own(row, 'volume'))
  return {
    marketHashName,
    phase: null,
    pricesMills: [priceMills],
    volume: volume !== null && volume >= 0n ? Number(volume) : null,
  }
}
