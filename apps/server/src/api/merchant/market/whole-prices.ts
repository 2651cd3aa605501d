// The prices of the whole catalogue in one answer.
import type { CatalogueView } from '#catalog'
import type { Clock } from '#infra/clock'
import type { ItemTexts } from '#wire/merchant/market'
import type { Tagged } from '../../shared/market/price-tags.ts'
import { createWholeAnswers, type WholeAnswer } from '../../shared/whole-answers/whole-answers.ts'

export interface WholePricesDeps {
  readonly view: CatalogueView
  readonly clock: Clock
}

/** A millisecond or two: a request that comes meanwhile waits for several pieces. */
const ITEMS_A_TURN = 100

export const createWholePrices = ({
  view,
  clock,
}: WholePricesDeps): ((texts: Tagged<ItemTexts>) => Promise<WholeAnswer>) =>
  createWholeAnswers({
    clock,
    keyOf: (texts) => texts.tag.key,
    versionOf: () => String(view.version),
    dataOf: (texts) => dataOf(view, texts),
  })

/** The text of the answer's data, in pieces; between two of them other requests are served. */
async function* dataOf(view: CatalogueView, texts: Tagged<ItemTexts>): AsyncGenerator<string> {
  // The entries of one moment. A price that moves while this is written is read once, before or after.
  const { entries, total } = view.list({ offset: 0, limit: Number.MAX_SAFE_INTEGER })
  yield '{"items":['
  for (let from = 0; from < total; from += ITEMS_A_TURN) {
    const items = entries.slice(from, from + ITEMS_A_TURN).map(texts.priceItem)
    yield `${from === 0 ? '' : ','}${items.join(',')}`
    await new Promise((resolve) => setImmediate(resolve))
  }
  yield `],"total":${total},"page":1,"limit":-1,"totalPages":${total > 0 ? 1 : 0}}`
}
