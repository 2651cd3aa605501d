// What the operator's commands work with, from the settings of the service.
import { resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AccountRef } from '#buying'
import { createTakePermit } from '#infra/database/call-permits'
import { createReserveSlot } from '#infra/database/call-slots'
import { type Db, openDb } from '#infra/database/db'
import { createHttpClient, type HttpClient, leavingBy } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import { silentLog as log } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { assertDefined } from '#kernel/assert'
import { CLOSE_BUSINESS, OPEN_BUSINESS } from '#operations'
import { createKeepPages } from '#reconciliation'
import { isAllowedAddress } from '#webhooks'
import { createRenderDeliveries } from '../adapters/bridges/render-events.ts'
import { createItemSource } from '../adapters/catalog-source/index.ts'
import { forgetBot } from '../adapters/game-platform/memory.ts'
import { readKindsWithRests } from '../adapters/game-platform/rests.ts'
import { definitionOf, MARKETS, type Supplier } from '../adapters/markets.ts'
import { createWebhookSender } from '../adapters/webhook-sender/index.ts'
import type { Surroundings } from '../edges/cli/run.ts'
import type { Tools } from '../edges/cli/tools.ts'
import { type Config, findUpstreams, readConfig } from './config.ts'
import { readDemoOrigin } from './demo-file.ts'
import { findAnyDatabase } from './find-database.ts'
import { openChains } from './open-chains.ts'
import { openSecretBox } from './sealing-key.ts'

/** `env` unset: that of the process. */
export const opsParts = (
  clock: Clock,
  env?: NodeJS.ProcessEnv,
): Pick<Surroundings, 'markets' | 'clock' | 'open'> => ({
  markets: MARKETS.map(({ id }) => id),
  clock,
  open: () => openTools(clock, env),
})

function openTools(clock: Clock, env?: NodeJS.ProcessEnv): Tools {
  const given = readConfig(env)
  const { url, dataDir } = findAnyDatabase(given)
  const config = { ...given, dataDir }
  const db = openDb({ url, poolSize: 2, applicationName: 'tradepost-ops' })
  return {
    db,
    keyEnvironment: config.environment.kind === 'production' ? 'live' : 'test',
    communityHost: config.communityHost,
    openBusiness: OPEN_BUSINESS,
    closeBusiness: CLOSE_BUSINESS,
    allowPrivate: config.webhooks.allowPrivate,
    treasury: config.treasuryAddress,
    publicUrl: () =>
      config.publicUrl ?? demoOriginOf(config) ?? `http://localhost:${config.http.port}`,
    openSecrets: () => openSecretBox(config, { mayMake: false }),
    forgetBot,
    openCatalogSource: (from) => ({
      source: createItemSource({
        url: from === null ? findUpstreams(config).catalogUrl : addressOf(from),
        log,
        clock,
      }),
      name: from === null ? 'CATALOG_URL' : nameOf(from),
      pricesApart: config.catalogPrices,
    }),
    openPriceLists: () => {
      const { markets } = findUpstreams(config)
      return MARKETS.map(({ id, openPrices }) =>
        openPrices(assertDefined(markets[id], `an account at ${id}`).url),
      )
    },
    readPlatformKinds: () => readKindsWithRests(db, config.callKinds, clock.now()),
    withSender: async (act) => {
      const sender = createWebhookSender({
        isAllowedAddress: (address) => isAllowedAddress(address, config.webhooks),
      })
      const render = createRenderDeliveries({ db, log, metrics: createMetrics() })
      try {
        return await act({ sender, render })
      } finally {
        await sender.close()
      }
    },
    paceOf: (market) => definitionOf(market).paceOf,
    mainKey: (market) =>
      assertDefined(findUpstreams(config).markets[market], `an account at ${market}`).key.reveal(),
    withMarketKey: async ({ key, ...of }, act) => {
      const http = createHttpClient({ log, metrics: createMetrics() })
      try {
        const { market, readAccount } = openMarket({ db, clock, http, config }, { ...of, key })
        const { traits, lookUp } = market
        return await act({ traits, lookUp, read: readAccount })
      } finally {
        await http.close()
      }
    },
    withChains: async (act) => {
      const http = createHttpClient({ log, metrics: createMetrics() })
      try {
        return await act(openChains({ config, upstreams: findUpstreams(config), clock, log }, http))
      } finally {
        await http.close()
      }
    },
  }
}

/** Its calls count in the account's own budget, as those of the workers do. */
function openMarket(
  { db, clock, http, config }: { db: Db; clock: Clock; http: HttpClient; config: Config },
  { market, account, key: apiKey }: AccountRef & { readonly key: string },
): Supplier {
  const { url: baseUrl } = assertDefined(
    findUpstreams(config).markets[market],
    `an address of ${market}`,
  )
  return definitionOf(market).open(
    {
      http: leavingBy(http, config.egressAddresses[0] ?? null),
      ...{ clock, rng: Math.random, log, metrics: createMetrics() },
      reserveSlot: createReserveSlot({ db, clock }),
      takePermit: createTakePermit({ db, clock }),
      keepPages: createKeepPages({ db, clock, log }),
    },
    { account, keyVersion: 0, baseUrl, apiKey },
    { ...config.timing.markets[market], ...config.marketOptions[market] },
  )
}

const isAddress = (from: string): boolean => /^https?:\/\//.test(from)

const nameOf = (from: string): string => (isAddress(from) ? new URL(from).host : resolve(from))

/** A file or folder of this machine as an address; a folder ends in a slash, as it does on the web. */
function addressOf(from: string): string {
  if (isAddress(from)) return from
  const { href } = pathToFileURL(resolve(from))
  return from.endsWith('/') || from.endsWith(sep) ? `${href.replace(/\/$/, '')}/` : href
}

/** A file of a demo beside the embedded database is of that database; beside another one it is left over. */
const demoOriginOf = ({ database, dataDir }: Config): string | null =>
  database.url === null ? readDemoOrigin(dataDir) : null
