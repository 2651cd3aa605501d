// What buys of every interface need: listings, the platform's word on trade URLs, the rate, the pause.
import { readTradeUrl } from '@tradepost/contract'
import type { BuyDeps } from '#buying'
import type { Catalog, CatalogueView } from '#catalog'
import { createRateReader } from '#fx'
import { createAskedPlatform, createTradeUrlResolver, type ResolveTradeUrl } from '#identity'
import { createMarkReader } from '#infra/database/recovery-mark'
import type { WorkerBeats } from '#infra/jobs/worker-beats'
import { readBalance } from '#ledger'
import { resolveAdopted } from '#reconciliation'
import { createPauseReader } from '#trades'
import { recoveryMarkFile } from '../data-folder.ts'
import type { Resources } from '../resources.ts'
import { createLookUpMeter } from './look-up-meter.ts'

export interface BuyingParts extends BuyDeps {
  readonly resolveTradeUrl: ResolveTradeUrl
}

export function createBuyingParts(
  { config: { communityHost, dataDir }, db, clock, log, metrics }: Omit<Resources, 'adapters'>,
  {
    catalog,
    view,
    workers,
  }: {
    readonly catalog: Catalog
    readonly view: CatalogueView
    readonly workers: Pick<WorkerBeats, 'areSilent'>
  },
): BuyingParts {
  const currentRate = createRateReader({ db, clock })
  const isPausedByHand = createPauseReader(db, clock)
  const countLookUp = createLookUpMeter(metrics)
  const refusedAtDoor = metrics.counter(
    'market_refused_at_door_total',
    'Buys that were refused because more waits at their market than it takes in ten minutes',
    ['market'],
  )
  const platform = createAskedPlatform({
    ...{ db, clock },
    onUnanswered: () => countLookUp('none', 'unavailable'),
  })
  const isMarkKnown = createMarkReader({
    ...{ db, clock, file: recoveryMarkFile(dataDir) },
    onUnknown: () =>
      log.warn(
        { event: 'recovery_mark_unknown' },
        'the database does not know the mark in DATA_DIR: trades wait until a worker has compared it',
      ),
  })
  return {
    db,
    clock,
    getListings: catalog.getListings,
    findListingByRawId: catalog.findListingByRawId,
    resolveTradeUrl: createTradeUrlResolver({
      ...{ platform, clock },
      readTradeUrl: (text) => readTradeUrl(text, communityHost),
    }),
    currentRate: async () => (await currentRate()).usdPerEurMicros,
    balanceOf: (accountId) => readBalance(db, accountId),
    // What is accepted while no worker lives would only wait, and what a restore has lost could be bought a
    // second time until a worker has noticed it: no trade is.
    isPaused: async () =>
      (await isPausedByHand()) || (await workers.areSilent()) || !(await isMarkKnown()),
    onAdopted: (tx, adopted) => resolveAdopted(tx, adopted, clock.now()),
    onRefusedAtDoor: (market) => refusedAtDoor.labels(market).inc(),
    onTaken: async (itemIds) => {
      for (const itemId of itemIds) catalog.forgetCheapest(itemId)
      await Promise.all(itemIds.map(view.recount)).catch((error) =>
        log.warn({ err: error }, 'what was bought is shown until the next refresh'),
      )
    },
  }
}
