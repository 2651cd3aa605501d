// The administrators' part of the dashboard, put together.
import { createCatalog } from '#catalog'
import { readMarketHealth } from '#operations'
import { createPauseReader } from '#trades'
import { createAdminAccountOperations } from '../api/dashboard/administration/accounts.ts'
import { createAdministrationOperations } from '../api/dashboard/administration/administration.ts'
import { createServiceOperations } from '../api/dashboard/administration/service.ts'
import type { DashboardOperations } from '../api/dashboard/operation.ts'
import type { Adapters } from './adapters.ts'
import type { Config } from './config.ts'
import type { Resources } from './resources.ts'

type AdministrationOperations = Pick<
  DashboardOperations,
  | keyof ReturnType<typeof createAdministrationOperations>
  | keyof ReturnType<typeof createAdminAccountOperations>
  | keyof ReturnType<typeof createServiceOperations>
>

/** What it needs of the process. */
export type AdministrationResources = Pick<Resources, 'db' | 'clock'> & {
  readonly config: Pick<Config, 'isDemo'>
  readonly adapters: Pick<Adapters, 'markets'>
}

export function createAdministration({
  config,
  db,
  clock,
  adapters,
}: AdministrationResources): AdministrationOperations {
  const { listMarkets } = createCatalog({ db, clock })
  const deps = { db, clock }
  return {
    ...createAdministrationOperations({
      ...deps,
      readMarketHealth: () => readMarketHealth({ ...deps, listMarkets }),
      // A reader of its own for each call remembers nothing: a page shows what it has just switched.
      isPaused: () => createPauseReader(db, clock)(),
      marketIds: adapters.markets.map(({ market }) => market.id),
    }),
    ...createAdminAccountOperations({ ...deps, environment: config.isDemo ? 'test' : 'live' }),
    ...createServiceOperations({ ...deps, listMarkets }),
  }
}
