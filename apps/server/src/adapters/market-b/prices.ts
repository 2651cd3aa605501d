// Market B's list of prices, keyless: the cheapest offer of each name, and what the platform's own market
// asks for it. Its count is of offers, and says nothing of sales.
import type { ListedPrice, PriceList } from '#ports/catalog'
import { splitPhase } from '../shared/phase.ts'
import { readPriceFile } from '../shared/price-file.ts'
import { type Fields, flagOf, isNone, own, priceOf, textOf } from '../shared/reader.ts'

export const createPriceList = (baseUrl: string): PriceList => ({
  market: 'market_b',
  async fetch(signal) {
    const url = `${baseUrl}/v1/prices?game=csgo&minified=0`
    const { prices, unreadable, head } = await readPriceFile(url, readRow, signal)
    if (flagOf(own(head, 'success')) !== true) throw new Error('market B has no list of prices')
    return { madeAt: null, prices, unreadable }
  },
})

function readRow(row: Fields): ListedPrice | null {
  const name = textOf(own(row, 'name'))
  const [cheapest, ofPlatform] = [own(row, 'min'), own(row, 'steam_price')]
  const pricesMills = [cheapest, ofPlatform].map(priceOf).filter((price) => price !== null)
  // A name may lack one of the two; what is there must be a price.
  const isBroken = [cheapest, ofPlatform].some((said) => !isNone(said) && priceOf(said) === null)
  if (name === null || isBroken) return null
  return { ...splitPhase(name), pricesMills, volume: null }
}
