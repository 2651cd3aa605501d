// Items of the catalogue: one, its variants, and all of them in one answer.
import { type ItemMapResponse, partnerRoutes } from '@tradepost/contract'
import type { CatalogueView, Entry } from '#catalog'
import { inChunks } from '#infra/limits/in-chunks'
import type { Clock } from '#infra/process/clock'
import { refuse } from '#kernel/refusal'
import type { PriceTag } from '#pricing'
import { moneyNumber } from '#wire/money'
import { itemOfMapView, itemView, type PartnerItemTexts, variantView } from '#wire/partner/market'
import type { PriceTags } from '../../shared/market/price-tags.ts'
import { fixed, type Segment, segmentsOf } from '../../shared/whole-answers/shared-tail.ts'
import { createWholeAnswers } from '../../shared/whole-answers/whole-answers.ts'
import { pricedAccount } from '../caller.ts'
import { DONE, marketRead, type PartnerOperations } from '../operation.ts'

export interface ItemsDeps {
  readonly view: CatalogueView
  readonly clock: Clock
  readonly priceTags: PriceTags<PartnerItemTexts>
}

export function createItemOperations({
  view,
  clock,
  priceTags,
}: ItemsDeps): Pick<PartnerOperations, 'getItemOverview' | 'getItem' | 'listItems'> {
  const wholeMap = createWholeAnswers<MapQuestion>({
    clock,
    keyOf: ({ tag, fastOnly }) => `${tag.key}:${fastOnly}`,
    versionOf: () => String(view.version),
    dataOf: (question) => mapText(view, question),
  })
  return {
    getItemOverview: marketRead(partnerRoutes.getItemOverview, async ({ caller, params }) => {
      const { tag } = await priceTags(pricedAccount(caller))
      const entry = getEntry(view, params.id)
      const variants = view.variantsOf(entry)
      return {
        item: itemView(entry, tag, view.popularityOf(entry)),
        variants: variants.map((each) => variantView(each, tag)),
        inStock: variants.some(({ lowest }) => lowest !== null),
        message: DONE,
      }
    }),

    getItem: marketRead(partnerRoutes.getItem, async ({ caller, params }) => {
      const { tag } = await priceTags(pricedAccount(caller))
      const entry = getEntry(view, params.id)
      return { item: itemView(entry, tag, view.popularityOf(entry)), message: DONE }
    }),

    listItems: marketRead(partnerRoutes.listItems, async ({ caller, query, headers }) => {
      const { tag } = await priceTags(pricedAccount(caller))
      const whole = await wholeMap({ tag, fastOnly: query.fastDeliveryOnly ?? false })
      return whole.respond(caller.requestId, headers)
    }),
  }
}

/** Refuses ITEM_NOT_FOUND. */
export const getEntry = (view: CatalogueView, itemId: string): Entry =>
  view.find(itemId) ?? refuse('ITEM_NOT_FOUND', { itemId })

export const platformPriceOf = ({ item }: Entry, tag: PriceTag): number | null =>
  item.referenceMills === null ? null : moneyNumber(tag.reference(item.referenceMills))

interface MapQuestion {
  readonly tag: PriceTag
  readonly fastOnly: boolean
}

async function* mapText(
  view: CatalogueView,
  { tag, fastOnly }: MapQuestion,
): AsyncGenerator<Segment> {
  const entries = [...(await cheapestByName(view, fastOnly))]
  yield fixed('{"items":{')
  yield* segmentsOf(entries, {
    versionOf: ([, { version }]) => version,
    textOf: ([name, entry]) => `${JSON.stringify(name)}:${itemText(entry, tag, fastOnly)}`,
  })
  yield fixed(`},"itemsCount":${entries.length},"message":"${DONE}"}`)
}

const itemText = (entry: Entry, tag: PriceTag, fastOnly: boolean): string => {
  const item: ItemMapResponse['items'][string] = itemOfMapView(entry, tag, fastOnly)
  return JSON.stringify(item)
}

const NAMES_A_TURN = 200

/** Phases share a name: the cheapest stands for all of them. */
async function cheapestByName(
  view: CatalogueView,
  fastOnly: boolean,
): Promise<ReadonlyMap<string, Entry>> {
  const priceOf = (entry: Entry): bigint | null => (fastOnly ? entry.instant : entry.lowest)
  const chosen = new Map<string, Entry>()
  const { entries } = view.list({ offset: 0, limit: Number.MAX_SAFE_INTEGER })
  const choose = (entry: Entry): void => {
    const price = priceOf(entry)
    if (fastOnly && price === null) return
    const known = chosen.get(entry.item.marketHashName)
    const knownPrice = known === undefined ? null : priceOf(known)
    if (known === undefined || (price !== null && (knownPrice === null || price < knownPrice))) {
      chosen.set(entry.item.marketHashName, entry)
    }
  }
  for await (const piece of inChunks(entries, NAMES_A_TURN)) piece.forEach(choose)
  return chosen
}
