// Which item of the catalogue an asset is a copy of, and what the bots pay for everything that there is.
import { DOPPLER_PHASES } from '@tradepost/contract'
import { type CatalogueView, type Entry, itemIdOf } from '#catalog'
import { inChunks } from '#infra/limits/in-chunks'
import type { Clock } from '#infra/process/clock'
import { type CatalogMatch, type Policy, quoteOf } from '#selling'
import { sellPriceNumber } from '#wire/merchant/selling'
import { fixed, type Segment, segmentsOf } from '../../shared/whole-answers/shared-tail.ts'
import { createWholeAnswers, type WholeAnswer } from '../../shared/whole-answers/whole-answers.ts'

/** Items with phases are distinguished by their paint index; without it the phase is unknown. */
export const createItemFinder =
  (view: CatalogueView) =>
  (marketHashName: string, paintIndex: number | null): CatalogMatch | null => {
    const plain = view.find(itemIdOf(marketHashName, null))
    if (plain) return plain.item
    if (paintIndex === null || !/\bDoppler\b/.test(marketHashName)) return null
    for (const phase of DOPPLER_PHASES) {
      const item = view.find(itemIdOf(marketHashName, phase))?.item
      if (item?.paintIndex === paintIndex) return item
    }
    return null
  }

/** What the bots pay for each market hash name, in one answer that is shared by all who ask. */
export const createSellPrices = ({
  view,
  clock,
}: {
  readonly view: CatalogueView
  readonly clock: Clock
}): ((policy: Policy) => Promise<WholeAnswer>) =>
  createWholeAnswers({
    clock,
    keyOf: () => '',
    versionOf: (policy) => `${view.version}:${policy.version}`,
    dataOf: (policy) => dataOf(view, policy),
  })

const NAMES_A_TURN = 200

async function* dataOf(view: CatalogueView, policy: Policy): AsyncGenerator<Segment> {
  const { entries } = view.list({ offset: 0, limit: Number.MAX_SAFE_INTEGER })
  const byName = new Map<string, Entry[]>()
  for await (const piece of inChunks(entries, NAMES_A_TURN)) {
    for (const entry of piece) {
      const group = byName.get(entry.item.marketHashName)
      if (group === undefined) byName.set(entry.item.marketHashName, [entry])
      else group.push(entry)
    }
  }
  yield fixed('[')
  yield* segmentsOf([...byName], {
    versionOf: ([, group]) => `${policy.version} ${group.map(({ version }) => version)}`,
    textOf: ([marketHashName, group]) => rowOf(marketHashName, group, policy),
  })
  yield fixed(']')
}

/** A name that stands for several phases shows what the cheapest of them brings. */
function rowOf(marketHashName: string, entries: readonly Entry[], policy: Policy): string {
  const quotes = entries.map(({ item }) => quoteOf(item, policy)).filter((quote) => quote !== null)
  const least = quotes.reduce<(typeof quotes)[number] | null>(
    (low, quote) => (low === null || quote < low ? quote : low),
    null,
  )
  return JSON.stringify({
    marketHashName,
    deposit: sellPriceNumber(least),
    accepted: least !== null,
  })
}
