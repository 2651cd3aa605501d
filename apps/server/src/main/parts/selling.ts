// What requests need of selling.
import type { CatalogueView } from '#catalog'
import type { ResolveTradeUrl } from '#identity'
import { createPolicyReader, createSell } from '#selling'
import { findReplay, lastMoveOf } from '#trades'
import { createSellingOperations } from '../../edges/http/merchant/sell/sell.ts'
import { createItemFinder } from '../../edges/http/merchant/sell/sell-appraisal.ts'
import type { Resources } from '../resources.ts'

export interface SellingParts {
  readonly view: CatalogueView
  readonly resolveTradeUrl: ResolveTradeUrl
  readonly currentRate: () => Promise<bigint>
  readonly isPaused: () => Promise<boolean>
}

export function createSelling(
  { db, clock, adapters }: Resources,
  { view, resolveTradeUrl, currentRate, isPaused }: SellingParts,
): ReturnType<typeof createSellingOperations> {
  const appraisal = {
    inventories: adapters.inventories,
    findItem: createItemFinder(view),
    readPolicy: createPolicyReader({ db, clock }),
    lastMoveOf: (accountId: string) => lastMoveOf(db, accountId),
  }
  const sell = createSell({
    ...appraisal,
    db,
    clock,
    bots: adapters.bots,
    isPaused,
    resolveTradeUrl,
    currentRate,
    findReplay: (key) => findReplay(db, key),
  })
  return createSellingOperations({ view, clock, appraisal, sell })
}
