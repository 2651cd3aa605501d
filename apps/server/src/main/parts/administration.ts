// The administrators' part of the dashboard, put together.
import { createCatalog } from '#catalog'
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { StaleReads } from '#infra/database/replica'
import { readMarketHealth } from '#operations'
import type { PeopleDeps } from '#people'
import { createPauseReader } from '#trades'
import { dialects } from '#wire/webhook'
import { readKindsWithRests } from '../../adapters/game-platform/rests.ts'
import { createAccountRecordOperations } from '../../edges/http/dashboard/administration/account-records.ts'
import { createAdminAccountOperations } from '../../edges/http/dashboard/administration/accounts.ts'
import { createAdjustmentOperations } from '../../edges/http/dashboard/administration/adjustments.ts'
import {
  type AdministrationDeps,
  createAdministrationOperations,
} from '../../edges/http/dashboard/administration/administration.ts'
import { createMarketOrderInspection } from '../../edges/http/dashboard/administration/market-orders.ts'
import {
  createRecordOperations,
  type RecordDeps,
} from '../../edges/http/dashboard/administration/records.ts'
import { createSearchOperation } from '../../edges/http/dashboard/administration/search.ts'
import { createServiceOperations } from '../../edges/http/dashboard/administration/service.ts'
import { createTradeInspection } from '../../edges/http/dashboard/administration/trade.ts'
import type { DashboardOperations } from '../../edges/http/dashboard/operation.ts'
import type { Adapters } from '../adapters.ts'
import type { Config } from '../config.ts'
import type { Resources } from '../resources.ts'

type AdministrationOperations = ReturnType<typeof createAdministrationOperations> &
  ReturnType<typeof createAdminAccountOperations> &
  ReturnType<typeof createAccountRecordOperations> &
  ReturnType<typeof createServiceOperations> &
  ReturnType<typeof createRecordOperations> &
  ReturnType<typeof createMarketOrderInspection> &
  ReturnType<typeof createAdjustmentOperations> &
  ReturnType<typeof createTradeInspection> &
  Pick<DashboardOperations, 'searchEverywhere'>

/** What it needs of the process. */
export type AdministrationResources = Pick<Resources, 'db' | 'clock'> & {
  readonly config: Pick<Config, 'isDemo' | 'callKinds'>
  readonly adapters: Pick<Adapters, 'markets' | 'webhookSender'>
}

export function createAdministration(
  { config, db, clock, adapters }: AdministrationResources,
  {
    heavyReads,
    staleReads,
    publicUrl,
    readFigures,
    ...sending
  }: Pick<RecordDeps, 'render'> &
    Pick<PeopleDeps, 'secrets' | 'publicUrl'> &
    Pick<AdministrationDeps, 'readFigures'> & {
      readonly heavyReads: HeavyReads
      readonly staleReads: StaleReads
    },
): AdministrationOperations {
  const { listMarkets } = createCatalog({ db, clock })
  const deps = { db, clock }
  return {
    ...createAdministrationOperations({
      ...deps,
      readMarketHealth: () => readMarketHealth({ ...deps, listMarkets }),
      readPlatformKinds: () => readKindsWithRests(db, config.callKinds, clock.now()),
      // A reader of its own for each call remembers nothing: a page shows what it has just switched.
      isPaused: () => createPauseReader(db, clock)(),
      readFigures,
      marketIds: adapters.markets.map(({ market }) => market.id),
    }),
    ...createAdminAccountOperations({
      ...{ ...deps, secrets: sending.secrets, publicUrl },
      environment: config.isDemo ? 'test' : 'live',
    }),
    ...createAccountRecordOperations({ ...deps, heavyReads, staleReads }),
    ...createServiceOperations({ ...deps, listMarkets }),
    ...createRecordOperations({
      ...{ ...deps, ...sending, staleReads, dialects },
      sender: adapters.webhookSender,
    }),
    ...createMarketOrderInspection(deps),
    ...createAdjustmentOperations(deps),
    ...createTradeInspection({ ...deps, staleReads }),
    ...createSearchOperation(deps),
  }
}
