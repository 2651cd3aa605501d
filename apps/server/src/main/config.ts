// The only reader of the environment. Settings are read once; what follows from them is decided here, so
// that no other file asks "is this the demo?".
import { resolve } from 'node:path'
import { CHAIN_IDS, type ChainId } from '#chains'
import { CannotStart } from '#infra/process/cannot-start'
import type { Address } from '#kernel/chain'
import type { MarketId } from '#kernel/market-id'
import type { CallKinds } from '../adapters/game-platform/call-kinds.ts'
import { forEachMarket, MARKETS, type MarketOptions } from '../adapters/markets.ts'
import { firstKeyIn } from '../adapters/shared/sandbox-timing.ts'
import { openCallKinds } from './call-kinds-file.ts'
import {
  chainNodes,
  explorersOf,
  mostFeesPerGas,
  type OfSomeChains,
  startBlocksOf,
} from './chain-config.ts'
import { type DatabaseConfig, databaseOf } from './database-config.ts'
import { type KeptDays, keptDays } from './kept-days.ts'
import { marketOptionsOf, readMarketSettings, readSettings } from './read-settings.ts'
import { Secret, type Values } from './settings.ts'
import { refuseSharedPorts } from './shared-ports.ts'
import { productionTiming, sandboxTiming, type TimingProfile } from './timing.ts'
import { type TracesConfig, tracesOf } from './traces.ts'
import type { ChatClient, GatewayAccount, OnrampAccount, Upstreams } from './upstreams.ts'

export interface Config {
  readonly http: { readonly host: string; readonly port: number }
  readonly trustedProxies: readonly string[]
  /** A worker beside an api process of one machine has a port of its own. */
  readonly metrics: { readonly host: string; readonly port: number; readonly workerPort: number }
  /** Null: not said. */
  readonly logLevel: string | null
  /** Null: nothing is traced. */
  readonly traces: TracesConfig | null
  readonly dataDir: string
  /** DATA_DIR was set: no other folder is meant. */
  readonly isDataDirSet: boolean
  /** A null URL stands for the embedded database below `dataDir`. */
  readonly database: DatabaseConfig
  /** New business is refused when no worker has beaten for so long. */
  readonly workerSilenceMs: number
  readonly redisUrl: Secret | null
  readonly secretsKey: Secret | null
  readonly holdMs: number
  readonly sellOfferMs: number
  readonly liveBufferBytes: number
  readonly liveSocketsPerMerchant: number
  readonly conversions: {
    readonly spreadBps: number
    readonly exposureLimitDollars: number
    readonly exposureSharePercent: number
  }
  /** What the operator has chosen at each market. */
  readonly marketOptions: Readonly<Record<MarketId, MarketOptions>>
  /** Prices come from the markets’ own lists. */
  readonly catalogPrices: boolean
  readonly pictureBytes: number
  readonly priceGuard: { readonly factor: number; readonly minVolume: number }
  readonly rateLimitScale: number
  readonly kept: KeptDays
  /** The last requests of each API key are kept for its owner. */
  readonly keepsKeyRequests: boolean
  /** Null: no chain deposits, or (with the sandbox) the key of its own seed. */
  readonly depositXpub: Secret | null
  /** Null: deposits are swept to the hot wallet. */
  readonly treasuryAddress: Address | null
  /** Wei for a unit of gas that no transaction of ours offers more than. */
  readonly mostFeesPerGas: Readonly<Record<ChainId, number>>
  /** Where the first scan of a chain begins; without an entry at its newest block. */
  readonly startBlocks: OfSomeChains<bigint>
  /** Where pages lead to from hashes and addresses of a chain; without an entry they do not. */
  readonly explorers: OfSomeChains<string>
  readonly communityHost: string
  /** What each kind of call to the game platform carries, and how often it is made. */
  readonly callKinds: CallKinds
  /** Of this machine; none: the system chooses. */
  readonly egressAddresses: readonly string[]
  readonly payoutCallbackUrl: string | null
  /** Above them a withdrawal waits for an operator. */
  readonly payoutLimits: {
    readonly transactionDollars: number
    readonly merchantDayDollars: number
    readonly dayDollars: number
  }
  readonly signerSocket: string | null
  /** Of the sandbox's chains; real ones have rules of their own. */
  readonly sandboxConfirmations: number
  readonly webhooks: {
    readonly demoUrl: string | null
    readonly partnerDemoUrl: string | null
    readonly allowPrivate: boolean
    readonly addresses: readonly string[]
  }
  /** The origin that browsers see; null: localhost and the port of this process. */
  readonly publicUrl: string | null
  /** Where a weakness is reported, a URI; null: nothing is served at /.well-known/security.txt. */
  readonly securityContact: string | null
  readonly mailFrom: string
  readonly statements: { readonly name: string; readonly address: readonly string[] }
  readonly environment: Environment
  /** The sandbox plays every counterpart, and people of a demo are seeded. */
  readonly isDemo: boolean
  readonly timing: TimingProfile
}

/** Which outside parties the service talks to: the sandbox in every role, or the real suppliers. */
export type Environment = SandboxEnvironment | ProductionEnvironment

export interface SandboxEnvironment {
  readonly kind: 'sandbox'
  readonly host: string
  readonly port: number
  /** Settings passed to the sandbox process, which validates them itself. */
  readonly variables: Readonly<Record<string, string>>
}

export interface ProductionEnvironment extends Upstreams {
  readonly kind: 'production'
}

const PRODUCTION_HOLD_SECONDS = 608_400
const SANDBOX_HOLD_SECONDS = 20
const KRAKEN = 'https://api.kraken.com'
/** What the sandbox's gateway keeps unless its own setting says otherwise. */
const SANDBOX_GATEWAY_FEE_BPS = 50
/** No key of it exists: the sandbox's on-ramp moves no tokens. */
const SANDBOX_ONRAMP_WALLET = '0x000000000000000000000000000000005a4db0b0'
const PICTURES_OF_PLATFORM = 'https://community.akamai.steamstatic.com/economy/image/'
const EUROPEAN_CENTRAL_BANK = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml'

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values = readSettings(env)
  const markets = readMarketSettings(env)
  const isSandbox = Object.values(markets).every(({ url }) => url === null)
  const holdSeconds =
    values.HOLD_SECONDS ?? (isSandbox ? SANDBOX_HOLD_SECONDS : PRODUCTION_HOLD_SECONDS)
  const metricsPort = values.METRICS_PORT ?? following(values.PORT, 2, 'METRICS_PORT')
  refuseSharedPorts(values, metricsPort)
  const environment = isSandbox
    ? sandboxEnvironment(values, env, holdSeconds)
    : productionEnvironment(values, markets)
  const given = {
    holdMs: holdSeconds * 1000,
    followMs: values.FOLLOW_INTERVAL_MS,
    reconcileMs: values.RECONCILE_INTERVAL_MS,
  }

  return Object.freeze({
    http: { host: values.HOST, port: values.PORT },
    trustedProxies: values.TRUSTED_PROXIES,
    metrics: {
      ...{ host: values.METRICS_HOST, port: metricsPort },
      workerPort: values.METRICS_PORT ?? following(values.PORT, 3, 'METRICS_PORT'),
    },
    logLevel: values.LOG_LEVEL,
    traces: tracesOf(values),
    dataDir: resolve(values.DATA_DIR),
    isDataDirSet: (env.DATA_DIR ?? '') !== '',
    database: databaseOf(values),
    workerSilenceMs: values.WORKER_SILENCE_SECONDS * 1000,
    redisUrl: values.REDIS_URL,
    secretsKey: values.SECRETS_KEY,
    holdMs: given.holdMs,
    conversions: {
      spreadBps: values.FX_SPREAD_BPS,
      exposureLimitDollars: values.FX_EXPOSURE_LIMIT_DOLLARS,
      exposureSharePercent: values.FX_EXPOSURE_SHARE_PERCENT,
    },
    sellOfferMs: values.SELL_OFFER_SECONDS * 1000,
    liveSocketsPerMerchant: values.LIVE_SOCKETS_PER_MERCHANT,
    liveBufferBytes: values.LIVE_BUFFER_MIB * 1024 * 1024,
    marketOptions: marketOptionsOf(markets, isSandbox),
    catalogPrices: values.CATALOG_PRICES,
    pictureBytes: values.PICTURE_MIB * 1024 * 1024,
    priceGuard: { factor: values.PRICE_GUARD_FACTOR, minVolume: values.PRICE_GUARD_MIN_VOLUME },
    rateLimitScale: values.RATE_LIMIT_SCALE,
    kept: keptDays(values),
    keepsKeyRequests: values.KEY_REQUESTS,
    depositXpub: values.DEPOSIT_XPUB,
    treasuryAddress: values.TREASURY_ADDRESS,
    mostFeesPerGas: mostFeesPerGas(values),
    startBlocks: startBlocksOf(values),
    explorers: explorersOf(values, isSandbox),
    communityHost: values.PLATFORM_COMMUNITY_HOST,
    callKinds: openCallKinds(values.PLATFORM_CALL_KINDS),
    egressAddresses: values.EGRESS_ADDRESSES,
    payoutCallbackUrl: values.PAYOUT_CALLBACK_URL,
    payoutLimits: {
      transactionDollars: values.PAYOUT_LIMIT_TRANSACTION_DOLLARS,
      merchantDayDollars: values.PAYOUT_LIMIT_MERCHANT_DAY_DOLLARS,
      dayDollars: values.PAYOUT_LIMIT_DAY_DOLLARS,
    },
    signerSocket: values.SIGNER_SOCKET,
    sandboxConfirmations: values.SANDBOX_CONFIRMATIONS,
    webhooks: {
      demoUrl: values.WEBHOOK_URL,
      partnerDemoUrl: values.PARTNER_WEBHOOK_URL,
      allowPrivate: values.WEBHOOK_ALLOW_PRIVATE ?? isSandbox,
      addresses: values.WEBHOOK_ADDRESSES,
    },
    publicUrl: values.PUBLIC_URL === null ? null : new URL(values.PUBLIC_URL).origin,
    securityContact: values.SECURITY_CONTACT,
    mailFrom: values.MAIL_FROM,
    statements: { name: values.STATEMENT_NAME, address: values.STATEMENT_ADDRESS ?? [] },
    environment,
    isDemo: isSandbox,
    timing:
      environment.kind === 'sandbox'
        ? sandboxTiming(given, environment.variables)
        : productionTiming(given),
  })
}

/**
 * Where everything outside is when the sandbox at this address stands for it. `chains` are those that it
 * runs: without the program of a node it runs none, whatever its setting says.
 */
export function upstreamsOfSandbox(
  url: string,
  environment: SandboxEnvironment,
  chains: readonly ChainId[] = wantedChains(environment),
): Upstreams {
  return {
    markets: forEachMarket(({ sandbox }) => ({
      url: `${url}${sandbox.path}`,
      key: new Secret(sandbox.apiKey(environment.variables)),
    })),
    platformUrl: `${url}/platform`,
    platformApiUrl: `${url}/platform/api`,
    bots: { kind: 'sandbox', url: `${url}/control/platform/bots` },
    mail: { kind: 'sandbox', url: `${url}/control/mail/server` },
    catalogUrl: `${url}/catalog/public/en/`,
    pictureUrl: `${url}/pictures/`,
    fxUrl: `${url}/fx/stats/eurofxref/eurofxref-daily.xml`,
    faucetUrl: `${url}/control/chains`,
    chains: chains.map((chain) => ({
      chain,
      rpcUrls: [new Secret(`${url}/chains/${chain}/rpc`)],
      secondRpcUrls: [new Secret(`${url}/chains/${chain}/second`)],
      // Nothing counts its calls.
      ...{ traces: 'auto', callsPerSecond: 0 },
    })),
    exchangeUrl: `${url}/exchange`,
    ...depositProvidersOfSandbox(url, environment),
    chat: chatOfSandbox(url, environment),
  }
}

/** Where everything outside is for a role that starts no sandbox. */
export function findUpstreams({ environment }: Config): Upstreams {
  return environment.kind === 'production'
    ? environment
    : upstreamsOfSandbox(`http://${environment.host}:${environment.port}`, environment)
}

/** The sandbox validates its own setting. */
function wantedChains({ variables }: SandboxEnvironment): readonly ChainId[] {
  const wanted = variables.SANDBOX_CHAINS ?? 'all'
  return CHAIN_IDS.filter((chain) => wanted === 'all' || wanted.split(',').includes(chain))
}

function sandboxEnvironment(
  values: Values,
  env: NodeJS.ProcessEnv,
  holdSeconds: number,
): SandboxEnvironment {
  const own = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[0].startsWith('SANDBOX_') && Boolean(entry[1]),
  )
  return {
    kind: 'sandbox',
    host: env.SANDBOX_HOST?.trim() || '127.0.0.1',
    port: values.SANDBOX_PORT ?? following(values.PORT, 1, 'SANDBOX_PORT'),
    variables: { ...Object.fromEntries(own), HOLD_SECONDS: String(holdSeconds) },
  }
}

function productionEnvironment(
  values: Values,
  markets: ReturnType<typeof readMarketSettings>,
): ProductionEnvironment {
  const given = MARKETS.find(({ id }) => markets[id]?.url != null)
  const need = <T>(name: string, value: T | null | undefined): T => {
    if (value != null) return value
    throw new CannotStart(
      `${name} must be set, because ${given?.variables.url} is: nothing is sandboxed then.`,
    )
  }
  return {
    kind: 'production',
    markets: forEachMarket(({ id, variables }) => ({
      url: need(variables.url, markets[id]?.url),
      key: need(variables.key, markets[id]?.key),
    })),
    platformUrl: values.PLATFORM_URL ?? `https://${values.PLATFORM_COMMUNITY_HOST}`,
    platformApiUrl: values.PLATFORM_API_URL ?? 'https://api.steampowered.com',
    bots: { kind: 'secret', list: values.PLATFORM_BOTS },
    mail: values.SMTP_URL === null ? { kind: 'off' } : { kind: 'smtp', url: values.SMTP_URL },
    catalogUrl: need('CATALOG_URL', values.CATALOG_URL),
    pictureUrl: values.PICTURE_URL?.replace(/\/*$/, '/') ?? PICTURES_OF_PLATFORM,
    fxUrl: values.FX_URL ?? EUROPEAN_CENTRAL_BANK,
    faucetUrl: null,
    chains: chainNodes(values),
    exchangeUrl: values.PRICE_EXCHANGE_URL ?? KRAKEN,
    gateway: gatewayAccount(values),
    onramp: onrampAccount(values),
    chat: chatClient(values),
  }
}

/** The ports of one installation are consecutive; a free port has no neighbours. */
function following(port: number, distance: number, name: string): number {
  if (port === 0) return 0
  if (port + distance <= 65_535) return port + distance
  throw new CannotStart(`${name} must be set: PORT leaves no context above it.`)
}

function depositProvidersOfSandbox(
  url: string,
  { variables }: SandboxEnvironment,
): Pick<Upstreams, 'gateway' | 'onramp'> {
  const secret = (name: string, fallback: string): Secret => new Secret(variables[name] ?? fallback)
  return {
    gateway: {
      url: `${url}/gateway`,
      key: secret('SANDBOX_GATEWAY_KEY', 'sandbox-gateway'),
      secret: secret('SANDBOX_GATEWAY_SECRET', 'sandbox-gateway-secret'),
      feeBps: Number(variables.SANDBOX_GATEWAY_FEE_BPS ?? SANDBOX_GATEWAY_FEE_BPS),
    },
    onramp: {
      url: `${url}/onramp`,
      widgetUrl: `${url}/onramp/main/buy`,
      appId: firstKeyIn(variables.SANDBOX_ONRAMP_APP_ID, '1'),
      key: secret('SANDBOX_ONRAMP_KEY', 'sandbox-onramp'),
      secret: secret('SANDBOX_ONRAMP_SECRET', 'sandbox-onramp-secret'),
      wallet: SANDBOX_ONRAMP_WALLET,
    },
  }
}

const chatOfSandbox = (url: string, { variables }: SandboxEnvironment): ChatClient => ({
  authorizeUrl: `${url}/chat/authorize`,
  tokenUrl: `${url}/chat/token`,
  profileUrl: `${url}/chat/users/@me`,
  scope: 'identify',
  clientId: variables.SANDBOX_CHAT_CLIENT_ID ?? 'sandbox-chat',
  secret: new Secret(variables.SANDBOX_CHAT_SECRET ?? 'sandbox-chat-secret'),
})

function chatClient(values: Values): ChatClient | null {
  const { CHAT_CLIENT_ID: clientId, CHAT_CLIENT_SECRET: secret } = values
  if (clientId === null && secret === null) return null
  if (clientId === null || secret === null) {
    throw new CannotStart('CHAT_CLIENT_ID and CHAT_CLIENT_SECRET are set together.')
  }
  const https = (name: 'CHAT_AUTHORIZE_URL' | 'CHAT_TOKEN_URL' | 'CHAT_PROFILE_URL'): string => {
    if (values[name].startsWith('https:')) return values[name]
    throw new CannotStart(`${name} must be an https address: codes and secrets travel to it.`)
  }
  return {
    authorizeUrl: https('CHAT_AUTHORIZE_URL'),
    tokenUrl: https('CHAT_TOKEN_URL'),
    profileUrl: https('CHAT_PROFILE_URL'),
    ...{ scope: values.CHAT_SCOPE, clientId, secret },
  }
}

function gatewayAccount(values: Values): GatewayAccount | null {
  const { GATEWAY_KEY: key, GATEWAY_SECRET: secret, GATEWAY_FEE_BPS: feeBps } = values
  if (key === null && secret === null) return null
  if (key !== null && secret !== null && feeBps !== null) {
    return { url: values.GATEWAY_URL, key, secret, feeBps }
  }
  throw new CannotStart('GATEWAY_KEY, GATEWAY_SECRET and GATEWAY_FEE_BPS are set together.')
}

function onrampAccount(values: Values): OnrampAccount | null {
  const { ONRAMP_KEY: key, ONRAMP_SECRET: secret, ONRAMP_WALLET: wallet } = values
  const { ONRAMP_APP_ID: appId, ONRAMP_URL: url, ONRAMP_WIDGET_URL: widgetUrl } = values
  if (key === null && secret === null) return null
  if (key !== null && secret !== null && wallet !== null && appId !== null) {
    return { url, widgetUrl, appId, key, secret, wallet }
  }
  throw new CannotStart(
    'ONRAMP_KEY, ONRAMP_SECRET, ONRAMP_APP_ID and ONRAMP_WALLET are set together.',
  )
}
