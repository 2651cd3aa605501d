// What answers requests, in the processes that do: api and all-in-one.
import type { AddressInfo } from 'node:net'
import { readTradeUrlSource } from '#identity'
import type { Intents } from '#infra/database/intents'
import { openValkey, type Valkey } from '#infra/limits/valkey'
import type { SecretBox } from '#infra/process/secrets'
import { prepareDashboardPages } from '../edges/http/dashboard/pages.ts'
import { openRateLimits } from '../edges/http/shared/open-rate-limits.ts'
import { type Api, createApi } from './compose-api.ts'
import type { Config } from './config.ts'
import { statusFile } from './data-folder.ts'
import { refuseOtherXpub } from './deposit-addresses.ts'
import { listenFailure, urlOf } from './listen.ts'
import { keepMarketAccounts } from './market-accounts.ts'
import { confirmHistory, openProcessIntents, paymentsGate } from './parts/gates.ts'
import { describeReplica, openReadReplica } from './parts/replica.ts'
import {
  beatAsApi,
  openMarketAccounts,
  openResources,
  type ProcessContext,
  watchReadiness,
} from './processes.ts'
import type { Resources } from './resources.ts'

/**
 * The HTTP server, made and stopped with the process; `listenTo` opens its port. `worker`: the jobs that this
 * process runs itself, and what they note; without any it beats for itself.
 */
export async function openApi(
  context: ProcessContext,
  secrets: SecretBox,
  worker: { readonly jobs: readonly string[]; readonly intents: Intents } | null = null,
): Promise<Api> {
  const resources = openResources(context, 'api', null)
  const { config, db, log, metrics } = resources
  await refuseOtherXpub(db, resources.adapters.addresses)
  const valkey = await openStore(context)
  const rateLimits = await openRateLimits({ valkey, scale: config.rateLimitScale, log, metrics })
  context.lifecycle.onStop('rate limits', () => rateLimits.stop())
  const replica = await openReadReplica(context, resources)
  const { checkReady, workers } = watchReadiness(context, resources, {
    jobs: worker?.jobs ?? [],
    notes: {
      tradeUrls: async () => (await readTradeUrlSource(db)) ?? 'unknown',
      ...(replica && { replica: async () => describeReplica(replica) }),
    },
  })
  if (worker === null) beatAsApi(context, resources)
  const intents = worker?.intents ?? (await openOwnIntents(context, resources))
  const pagesFolder = await prepareDashboardPages(log)
  const accounts = await openMarketAccounts(context, resources, secrets)
  const keeping = keepMarketAccounts(accounts, { log })
  context.lifecycle.onStop('accounts at markets', () => keeping.stop())
  const api = await createApi({
    ...resources,
    ...{
      replica,
      secrets,
      accounts,
      intents,
      checkReady,
      workers,
      rateLimits,
      pagesFolder,
    },
    statusFile: statusFile(config.dataDir),
  })
  context.lifecycle.onStop('api', () => api.stop())
  return api
}

async function openOwnIntents(context: ProcessContext, resources: Resources): Promise<Intents> {
  const gates = [paymentsGate(resources.config)]
  const intents = await openProcessIntents(context, resources, gates)
  confirmHistory(context, { ...resources, intents })
  return intents
}

/** What several api processes share beside the database; null for one that is alone. */
async function openStore({ config, log, lifecycle }: ProcessContext): Promise<Valkey | null> {
  if (config.redisUrl === null) return null
  const valkey = await openValkey({ url: config.redisUrl.reveal(), log })
  lifecycle.onStop('connection to Valkey', () => valkey.close())
  return valkey
}

/** Opens the service's port and returns its address. */
export async function listenTo({ app }: Api, { http }: Config): Promise<string> {
  try {
    await app.listen(http)
  } catch (error) {
    throw listenFailure(error, 'PORT', http)
  }
  const address = app.server.address() as AddressInfo
  return urlOf(http.host, address.port)
}
