// Placing market orders, for keys and for persons.
import { createPlaceMarketOrder, type PlaceMarketOrder } from '#bidding'
import { chooseItem, type QuickBuyDeps } from '#buying'
import { type CatalogueView, itemIdOf } from '#catalog'
import type { Db } from '#infra/database/db'
import type { WorkerBeats } from '#infra/jobs/worker-beats'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import type { BuyingParts } from './buying.ts'

export interface MarketOrderParts {
  readonly buying: Pick<BuyingParts, 'resolveTradeUrl' | 'isPaused'>
  readonly view: CatalogueView
  readonly workers: Pick<WorkerBeats, 'areSilent'>
}

/** On the database that is given: that of a person records who acted. */
export function createMarketOrderPlacing(
  { clock }: { readonly clock: Clock },
  { buying, view, workers }: MarketOrderParts,
): (db: Db) => PlaceMarketOrder {
  const items = createItemFinders(view)
  return (db) =>
    createPlaceMarketOrder({
      ...{ db, clock, resolveTradeUrl: buying.resolveTradeUrl, isPaused: buying.isPaused },
      areWorkersSilent: workers.areSilent,
      getItem: (wanted) => {
        const { id } = chooseItem(items, wanted)
        const { marketHashName } = assertDefined(view.find(id), 'an item that was found').item
        return { id, marketHashName }
      },
    })
}

export const createItemFinders = (
  view: CatalogueView,
): Pick<QuickBuyDeps, 'findItem' | 'findSibling'> => ({
  findItem: (itemId) => view.find(itemId)?.item ?? null,
  findSibling: ({ id, game }, phase) => {
    const name = view.find(id)?.item.marketHashName
    return name === undefined ? null : (view.find(itemIdOf(name, phase, game))?.item ?? null)
  },
})
