// The prices of the whole catalogue in one answer.
import type { CatalogueView } from '#catalog'
import type { Clock } from '#infra/process/clock'
import type { ItemTexts } from '#wire/merchant/market'
import type { Tagged } from '../../shared/market/price-tags.ts'
import { fixed, type Segment, segmentsOf } from '../../shared/whole-answers/shared-tail.ts'
import { createWholeAnswers, type WholeAnswer } from '../../shared/whole-answers/whole-answers.ts'

export interface WholePricesDeps {
  readonly view: CatalogueView
  readonly clock: Clock
}

/** Behind the items of an answer that is no page of many: everything is on page one. */
export const wholeFields = (total: number, page: number): string =>
  `"total":${total},"page":${page},"limit":-1,"totalPages":${total > 0 ? 1 : 0}`

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

async function* dataOf(view: CatalogueView, texts: Tagged<ItemTexts>): AsyncGenerator<Segment> {
  // Before anything is read: what moves meanwhile is of a later version too, and is sent again.
  const { listVersion } = view
  // The entries of one moment. A price that moves while this is written is read once, before or after.
  const { entries, total } = view.list({ offset: 0, limit: Number.MAX_SAFE_INTEGER })
  yield fixed('{"items":[')
  yield* segmentsOf(entries, { versionOf: ({ version }) => version, textOf: texts.priceItem })
  yield fixed(`],${wholeFields(total, 1)},"version":"${listVersion}","full":true}`)
}
