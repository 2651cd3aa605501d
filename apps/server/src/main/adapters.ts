// Everything upstreams, behind the ports of the modules: which adapter speaks to what, with which patience.

import type { Market } from '#buying'
import type { ItemSource, MarketFeed } from '#catalog'
import type { RateSource } from '#fx'
import type { GamePlatform } from '#identity'
import { createTakePermit } from '#infra/call-permits'
import { createReserveSlot } from '#infra/call-slots'
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { createHttpClient } from '#infra/http-client'
import type { Log } from '#infra/log'
import type { Metrics } from '#infra/metrics'
import type { SecretBox } from '#infra/secrets'
import type { Statements } from '#reconciliation'
import { type Bots, hasIntent, type Inventories } from '#selling'
import { isPublicAddress, type WebhookSender } from '#webhooks'
import { createItemSource } from '../providers/catalog-source/index.ts'
import { createRateSource } from '../providers/fx/index.ts'
import {
  createGamePlatform,
  type PlatformPatience,
  type WatchBots,
} from '../providers/game-platform/index.ts'
import { createMarketA } from '../providers/market-a/index.ts'
import { createMarketB } from '../providers/market-b/index.ts'
import { createWebhookSender } from '../providers/webhook-sender/index.ts'
import { createBotReader } from './bot-reader.ts'
import type { Config, SandboxEnvironment, Upstreams } from './config.ts'

export interface Adapters {
  readonly markets: readonly Supplier[]
  readonly platform: GamePlatform
  readonly inventories: Inventories
  readonly bots: Bots
  /** Looks after our bots once. */
  readonly watchBots: WatchBots
  readonly rates: RateSource
  readonly items: ItemSource
  readonly webhookSender: WebhookSender
  close(): Promise<void>
}

/** One market, in its three roles. */
export interface Supplier {
  readonly market: Market
  readonly feed: MarketFeed
  readonly statements: Statements
  /** Of this process. */
  readonly breaker: { state(): 'closed' | 'open' | 'half-open' }
}

export interface AdaptersDeps {
  readonly config: Config
  readonly upstreams: Upstreams
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Null in a process that never acts as one of our bots. */
  readonly secrets: SecretBox | null
}

export function openAdapters(deps: AdaptersDeps): Adapters {
  const { config, upstreams, db, clock, log, metrics, secrets } = deps
  const http = createHttpClient({ log, metrics })
  const reserveSlot = createReserveSlot({ db, clock })
  const items = createItemSource({ url: upstreams.catalogUrl, log, clock })
  const { gameBook } = items
  const shared = { http, clock, reserveSlot, rng: Math.random, log, metrics, gameBook }
  const { environment } = config
  const webhookSender = createWebhookSender({
    allowPrivate: config.webhooks.allowPrivate,
    isPublicAddress,
  })

  const marketA = createMarketA({
    ...shared,
    takePermit: createTakePermit({ db, clock }),
    baseUrl: upstreams.marketA.url,
    apiKey: upstreams.marketA.key.reveal(),
    pollMs: config.followIntervalMs,
    ...(environment.kind === 'sandbox' ? sandboxPatience(environment).marketA : {}),
  })
  const marketB = createMarketB({
    ...shared,
    baseUrl: upstreams.marketB.url,
    apiKey: upstreams.marketB.key.reveal(),
    pollMs: config.followIntervalMs,
    ...(environment.kind === 'sandbox' ? sandboxPatience(environment).marketB : {}),
  })
  return {
    markets: [marketA, marketB],
    ...createGamePlatform({
      ...{ http, db, clock, reserveSlot, log, metrics, gameBook },
      communityUrl: upstreams.platformUrl,
      communityHost: config.communityHost,
      apiUrl: upstreams.platformApiUrl,
      acting: secrets && { secrets, readBots: createBotReader(upstreams.bots, http) },
      hasIntent: (words) => hasIntent(db, words),
      ...(environment.kind === 'sandbox' ? { patience: SANDBOX_PLATFORM_PATIENCE } : {}),
    }),
    rates: createRateSource({ url: upstreams.fxUrl, http }),
    items,
    webhookSender,
    close: async () => {
      await Promise.all([http.close(), webhookSender.close()])
    },
  }
}

/** Nobody shuts us out of the sandbox, and its people decide within a second. */
const SANDBOX_PLATFORM_PATIENCE: Partial<PlatformPatience> = {
  callDeadlineMs: 5000,
  sendDeadlineMs: 8000,
  settleMs: 3000,
  inventorySpacingMs: 0,
  inventoryKeptMs: 500,
  botSpacingMs: 0,
  siteSpacingMs: 0,
  shutOutMs: 1000,
  staleMs: 20_000,
  slowlyMs: 5000,
}

/** The sandbox lives in seconds what the markets live in minutes. */
function sandboxPatience({ variables }: SandboxEnvironment) {
  const hasNoLimit = variables.SANDBOX_MARKET_A_CALLS_PER_SECOND === '0'
  const callsPerMinute = Number(variables.SANDBOX_MARKET_B_CALLS_PER_MINUTE ?? 60)
  const brief = {
    buyDeadlineMs: 8000,
    callDeadlineMs: 5000,
    lookUpSettleMs: 3000,
    statementSettleMs: 2000,
    breaker: { faultsToOpen: 5, openMs: 500, maxOpenMs: 2000 },
    resyncMs: 120_000,
  }
  return {
    marketA: {
      ...brief,
      buyPatienceMs: 4000,
      cancelAfterMs: cancelAgeOf(variables.SANDBOX_MARKET_A_SETTINGS),
      ...(hasNoLimit ? { callSpacingMs: 0 } : {}),
    },
    marketB: {
      ...brief,
      buyPatienceMs: 4000,
      callsPerMinute,
      cancelAfterMs: cancelAgeOf(variables.SANDBOX_MARKET_B_SETTINGS),
    },
  }
}

/** What the sandbox is told of itself; it refuses settings that are no JSON before anybody reads them. */
function cancelAgeOf(settings: string | undefined): number {
  const { cancelAfterMs } = JSON.parse(settings || '{}') as { cancelAfterMs?: number }
  return cancelAfterMs ?? SANDBOX_CANCEL_AGE_MS
}

const SANDBOX_CANCEL_AGE_MS = 3000
