// The adapters of all counterparts, behind the ports of the modules: which adapter speaks to what.
import { type AccountRef, MAIN } from '#buying'
import type { ItemSource, PictureSource } from '#catalog'
import type { AddressDeriver, PriceSource } from '#chains'
import type { OnrampProvider, PaymentGateway } from '#deposits'
import type { RateSource } from '#fx'
import type { GamePlatform } from '#identity'
import { createTakePermit } from '#infra/database/call-permits'
import { createReserveSlot } from '#infra/database/call-slots'
import type { Db } from '#infra/database/db'
import { createOutcomeLog, type OutcomeLog } from '#infra/http/call-outcomes'
import { createHttpClient, type HttpClient, leavingBy } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import type { SecretBox } from '#infra/process/secrets'
import { assertDefined } from '#kernel/assert'
import type { Mailer } from '#mail'
import type { ChatPlatform } from '#people'
import { createKeepPages } from '#reconciliation'
import { type Bots, hasIntent, type Inventories } from '#selling'
import { isAllowedAddress, type WebhookSender } from '#webhooks'
import { createItemSource } from '../adapters/catalog-source/index.ts'
import { createChatPlatform } from '../adapters/chat/index.ts'
import { withDemoPayer } from '../adapters/demo-payer/index.ts'
import { createAggregatorSources, type EvmChain } from '../adapters/evm/index.ts'
import { createExchange } from '../adapters/exchange/index.ts'
import { createFaucet, type Faucet } from '../adapters/faucet/index.ts'
import { createRateSource } from '../adapters/fx/index.ts'
import {
  createGamePlatform,
  type PlatformDrill,
  type WatchBots,
} from '../adapters/game-platform/index.ts'
import { createGateway, type GatewayDrill } from '../adapters/gateway/index.ts'
import { createMailer } from '../adapters/mail/index.ts'
import { definitionOf, MARKETS, type Supplier } from '../adapters/markets.ts'
import { createOnramp, type OnrampDrill } from '../adapters/onramp/index.ts'
import { createPictureSource } from '../adapters/pictures/index.ts'
import { createWebhookSender } from '../adapters/webhook-sender/index.ts'
import { createBotReader } from './bot-reader.ts'
import type { Config } from './config.ts'
import { openAddressDeriver } from './deposit-addresses.ts'
import { openChains } from './open-chains.ts'
import type { MailSource, OnrampAccount, Upstreams } from './upstreams.ts'

export interface Adapters {
  readonly http: HttpClient
  /** How calls of this process to parties outside have ended. */
  readonly outcomes: OutcomeLog
  /** Each market with our account `main`, whose key is in the settings. */
  readonly markets: readonly Supplier[]
  /** A market with one of our accounts. */
  openAccount(account: AccountToOpen): Supplier
  /** With the sessions of our accounts: it sees nothing in a process that has none of their secrets. */
  readonly platform: GamePlatform
  readonly hasBots: () => Promise<boolean>
  readonly inventories: Inventories
  readonly bots: Bots
  /** Looks after our bots once. */
  readonly watchBots: WatchBots
  readonly platformDrill: PlatformDrill
  readonly rates: RateSource
  readonly items: ItemSource
  readonly pictures: PictureSource
  readonly webhookSender: WebhookSender
  /** The sandbox’s console, for people; null where no sandbox plays the counterparts. */
  readonly sandboxUrl: string | null
  /** Those that are switched on. */
  readonly chains: readonly EvmChain[]
  readonly priceSources: readonly PriceSource[]
  /** Funds of the sandbox’s chains; null for real ones. */
  readonly faucet: Faucet | null
  /** Null: switched off. */
  readonly gateway: (PaymentGateway & { readonly drill: GatewayDrill }) | null
  readonly onramp: (OnrampProvider & { readonly drill: OnrampDrill }) | null
  /** Null: no deposit address is handed out. */
  readonly addresses: AddressDeriver | null
  /** Null: switched off. */
  readonly chat: ChatPlatform | null
  /** Null: SMTP_URL is not set, and no mail is sent. */
  readonly mailer: Mailer | null
  close(): Promise<void>
}

/** With its key, which is shown nowhere. */
export interface AccountToOpen extends AccountRef {
  readonly keyVersion: number
  /** In the unit of its market's setting; null: as that says. */
  readonly pace: number | null
  /** Null: the one in the settings. */
  readonly apiKey: string | null
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
  const outcomes = createOutcomeLog(clock)
  const http = createHttpClient({ log, metrics, onEnded: outcomes.note })
  // Markets know our addresses: calls with a key leave by the first.
  const byFirst = leavingBy(http, config.egressAddresses[0] ?? null)
  const reserveSlot = createReserveSlot({ db, clock })
  const items = createItemSource({ url: upstreams.catalogUrl, log, clock })
  const { gameBook } = items
  const shared = { http: byFirst, clock, reserveSlot, rng: Math.random, log, metrics, gameBook }
  const { timing } = config
  const webhookSender = createWebhookSender({
    isAllowedAddress: (address) => isAllowedAddress(address, config.webhooks),
    sendsTraceparent: config.traces?.inWebhooks ?? false,
  })

  const isSandbox = config.environment.kind === 'sandbox'
  const pictures = createPictureSource({
    baseUrl: upstreams.pictureUrl,
    // Whatever webhooks may reach: lists of others name these addresses.
    isAllowedAddress: (address) => isAllowedAddress(address, { allowPrivate: isSandbox }),
    isSandbox,
  })
  const mailer = openMailer(upstreams.mail, { http, from: config.mailFrom })
  const { communityHost } = config
  const keepPages = createKeepPages({ db, clock, log })
  const takePermit = createTakePermit({ db, clock })
  const tools = { ...shared, communityHost, keepPages, takePermit }
  const openAccount: Adapters['openAccount'] = ({ market, pace, apiKey, ...one }) => {
    const { open, paceOf } = definitionOf(market)
    const { url: baseUrl, key } = assertDefined(upstreams.markets[market], `ours at ${market}`)
    const settings = { ...timing.markets[market], ...config.marketOptions[market] }
    const paced = { ...settings, ...(pace !== null && { [paceOf.field]: pace }) }
    return open(tools, { ...one, baseUrl, apiKey: apiKey ?? key.reveal() }, paced)
  }
  const markets = MARKETS.map(({ id: market }) =>
    openAccount({ market, account: MAIN, keyVersion: 1, pace: null, apiKey: null }),
  )
  const chains = openChains(deps, http)
  return {
    ...{ http, outcomes, markets, openAccount, chains },
    priceSources: [
      ...createAggregatorSources(chains),
      createExchange({ baseUrl: upstreams.exchangeUrl, http }),
    ],
    ...createGamePlatform({
      ...{ http: byFirst, db, clock, reserveSlot, log, metrics, gameBook },
      egress: config.egressAddresses,
      communityUrl: upstreams.platformUrl,
      communityHost,
      apiUrl: upstreams.platformApiUrl,
      callKinds: config.callKinds,
      acting: secrets && { secrets, readBots: createBotReader(upstreams.bots, http) },
      hasIntent: (words) => hasIntent(db, words),
      timing: timing.platform,
    }),
    rates: createRateSource({ url: upstreams.fxUrl, http }),
    items,
    pictures,
    webhookSender,
    sandboxUrl: upstreams.faucetUrl && new URL('/', upstreams.faucetUrl).href,
    faucet: upstreams.faucetUrl === null ? null : createFaucet(upstreams.faucetUrl),
    addresses: openAddressDeriver(config),
    mailer,
    chat: openChat(upstreams.chat, { http, log }),
    ...openDepositProviders(deps, http),
    close: async () => {
      mailer?.close()
      await Promise.all([http.close(), webhookSender.close(), pictures.close()])
    },
  }
}

function openDepositProviders(
  { config, upstreams, clock, log, metrics }: AdaptersDeps,
  http: HttpClient,
): Pick<Adapters, 'gateway' | 'onramp'> {
  const { gateway, onramp } = upstreams
  const deps = { http, clock, log, metrics }
  const timing = config.timing.depositProviders
  const openOnramp = ({ url, key, secret, ...page }: OnrampAccount) => {
    const account = { baseUrl: url, apiKey: key.reveal(), secret: secret.reveal() }
    const provider = createOnramp({ ...account, ...page, timing }, deps)
    return config.environment.kind === 'sandbox' ? withDemoPayer(provider) : provider
  }
  return {
    gateway:
      gateway &&
      createGateway(
        {
          ...{ baseUrl: gateway.url, feeBps: gateway.feeBps, timing },
          ...{ clientId: gateway.key.reveal(), secret: gateway.secret.reveal() },
        },
        deps,
      ),
    onramp: onramp && openOnramp(onramp),
  }
}

function openChat(
  account: Upstreams['chat'],
  deps: { readonly http: HttpClient; readonly log: Log },
): ChatPlatform | null {
  if (account === null) return null
  const { secret, ...options } = account
  return createChatPlatform({ ...options, secret: secret.reveal() }, deps)
}

function openMailer(
  source: MailSource,
  { http, from }: { readonly http: HttpClient; readonly from: string },
) {
  if (source.kind === 'off') return null
  if (source.kind === 'smtp') {
    const url = source.url.reveal()
    return createMailer({ findServer: async () => ({ url }), from })
  }
  return createMailer({ findServer: () => findSandboxServer(source.url, http), from })
}

/** The sandbox's mail server has another port after each start. */
async function findSandboxServer(url: string, http: HttpClient): Promise<{ readonly url: string }> {
  const outcome = await http.request({
    ...{ provider: 'sandbox', operation: 'mail server', method: 'GET', url, routine: true },
    deadlineMs: 3000,
  })
  if (outcome.kind !== 'answer' || outcome.status !== 200) {
    throw new Error('the mail server of the sandbox is not known')
  }
  const { host, port } = JSON.parse(String(outcome.body)) as { host: string; port: number }
  return { url: `smtp://${host}:${port}` }
}
