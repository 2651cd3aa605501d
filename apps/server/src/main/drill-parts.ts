// What the drill works with: the counterparts of the settings, opened as a worker opens them, on the budgets
// that it shares with every process of the service.
import { openDb } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { silentLog as log } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { type Check, notTried } from '#kernel/check'
import { MARKETS } from '../adapters/markets.ts'
import { partOf } from '../edges/drill/run.ts'
import type { Given, Surroundings, Tools } from '../edges/drill/tools.ts'
import { type Adapters, openAdapters } from './adapters.ts'
import { createBotReader } from './bot-reader.ts'
import { findUpstreams, readConfig } from './config.ts'
import { findAnyDatabase } from './find-database.ts'
import { openSecretBox } from './sealing-key.ts'
import { concealer, secretsOf } from './secrets-of.ts'

/** `env` unset: that of the process. */
export const drillParts = (
  clock: Clock,
  env?: NodeJS.ProcessEnv,
): Pick<Surroundings, 'markets' | 'clock' | 'open'> => ({
  markets: MARKETS.map(({ id }) => id),
  clock,
  open: () => openTools(clock, env),
})

async function openTools(clock: Clock, env?: NodeJS.ProcessEnv): Promise<Tools> {
  const given = readConfig(env)
  const { url, dataDir } = findAnyDatabase(given)
  const config = { ...given, dataDir }
  const secrets = openSecretBox(config, { mayMake: false })
  const upstreams = findUpstreams(config)
  const db = openDb({ url, poolSize: 2, applicationName: 'tradepost-drill' })
  const metrics = createMetrics()
  const adapters = openAdapters({ config, upstreams, db, clock, log, metrics, secrets })
  const readBots = createBotReader(upstreams.bots, adapters.http)
  const concealed = concealer([
    ...secretsOf(upstreams),
    ...secretsOf({ url, key: config.secretsKey, xpub: config.depositXpub }),
    ...(await readBots()).flatMap(({ identitySecret, refreshToken }) => [
      identitySecret,
      refreshToken,
    ]),
  ])
  return {
    db,
    communityHost: config.communityHost,
    suppliers: adapters.markets,
    checksOf: (part, at) => checksOf(part, adapters, at),
    concealed,
    close: async () => {
      await adapters.close()
      await db.close()
    },
  }
}

async function checksOf(
  part: string,
  { platformDrill, markets, gateway, onramp, chains }: Adapters,
  { testBuyer, guard }: Given,
): Promise<readonly Check[]> {
  switch (part) {
    case 'platform':
      return platformDrill(testBuyer)
    case 'gateway':
      return gateway === null ? unset('GATEWAY_KEY') : gateway.drill(guard)
    case 'onramp':
      return onramp === null ? unset('ONRAMP_KEY') : onramp.drill(guard)
    case 'chains':
      return chains.length === 0
        ? unset('CHAIN_<NAME>_RPC_URLS')
        : chains.flatMap((chain) => chain.drill())
    default:
      return markets
        .filter(({ market }) => partOf(market.id) === part)
        .flatMap(({ drill }) => drill(testBuyer))
  }
}

const unset = (name: string): readonly Check[] => [
  { name: 'settings', run: async () => notTried(`${name} is not set`) },
]
