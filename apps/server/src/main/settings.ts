// Every environment variable that the service knows: its form, its default and what it is for. The
// table in docs/configuration.md is made from this list.
import { type StaticDecode, Type } from 'typebox'
import type { ChainId } from '#chains'
import { parseBotSecrets } from '../adapters/game-platform/bot-secrets.ts'
import { isAccountXpub } from '../adapters/hd-addresses/index.ts'
import { settingsOfMarkets } from './market-settings.ts'
import {
  addresses,
  callsPerSecondOf,
  choice,
  contactUri,
  digits,
  evmAddress,
  explorerOf,
  fileOrFolderUrl,
  flag,
  httpUrl,
  integer,
  mostFeeOf,
  networks,
  nodesOf,
  plainEvmAddress,
  secondNodesOf,
  secret,
  share,
  startBlockOf,
  text,
  textLines,
  tracesOf,
} from './setting-forms.ts'

export { Secret } from './setting-forms.ts'

/** The public block explorer of each chain. */
export const EXPLORERS = {
  ethereum: 'https://etherscan.io',
  base: 'https://basescan.org',
  arbitrum: 'https://arbiscan.io',
  optimism: 'https://optimistic.etherscan.io',
  bsc: 'https://bscscan.com',
} as const satisfies Readonly<Record<ChainId, string>>

const port = integer(0, 65_535)
const dollars = integer(0, 1_000_000_000)
const basisPoints = integer(0, 1000)
const anySecret = secret('a text', () => true)
const databaseUrl = secret(
  'a postgres:// URL of one address; put HAProxy, a virtual IP or the endpoint of your provider in front of several',
  isDatabaseUrl,
)
const smtpUrl = secret('an smtp:// or smtps:// URL', isUrlOf(/^smtps?:\/\//))
const redisUrl = secret('a redis:// URL', isUrlOf(/^rediss?:\/\//))
/** 32 bytes in hex or base64; several are a ring of which the first one seals. */
const keyRing = secret('32 bytes in hex or base64', (value) => readKeys(value) !== null)
const otlpHeaders = secret(
  'a list of name=value, separated by commas',
  (value) => readHeaders(value) !== null,
)
const accountXpub = secret('the extended public key of an account at depth 3', isAccountXpub)
const botList = secret(
  'a JSON list of bots with platformId, identitySecret and refreshToken',
  isBotList,
  { ownFile: true },
)

function isUrlOf(scheme: RegExp): (value: string) => boolean {
  return (value) => scheme.test(value) && URL.canParse(value)
}

/** The driver would take several hosts for the name of one. */
function isDatabaseUrl(value: string): boolean {
  if (!isUrlOf(/^postgres(ql)?:\/\//)(value)) return false
  const url = new URL(value)
  return ![url.host, url.searchParams.get('host')].some((host) => host?.includes(','))
}

function isBotList(value: string): boolean {
  try {
    parseBotSecrets(value)
    return true
  } catch {
    return false
  }
}

export function readKeys(value: string): Buffer[] | null {
  const keys = value.split(',').map((part) => {
    const trimmed = part.trim()
    return Buffer.from(trimmed, /^[0-9a-f]{64}$/i.test(trimmed) ? 'hex' : 'base64')
  })
  return keys.every((key) => key.length === 32) ? keys : null
}

/** Names in lower case; null for a text that is no such list. */
export function readHeaders(value: string): Readonly<Record<string, string>> | null {
  const headers: Record<string, string> = {}
  for (const pair of value.split(',')) {
    const [, name, encoded] = /^\s*([\w-]+)\s*=\s*([!-~]+)\s*$/.exec(pair) ?? []
    if (name === undefined || encoded === undefined) return null
    try {
      headers[name.toLowerCase()] = decodeURIComponent(encoded)
    } catch {
      return null
    }
  }
  return headers
}

export const SETTINGS = Type.Object({
  HOST: text('Address to listen on. `0.0.0.0` for every interface.', '127.0.0.1'),
  PORT: port('Port of the service. 0 takes a free one.', 3000),
  METRICS_HOST: text('Address of the metrics port; never public.', '127.0.0.1'),
  METRICS_PORT: port('Port of `/metrics`. Unset: PORT + 2, of a worker PORT + 3.'),
  TRUSTED_PROXIES: networks(
    'Addresses of reverse proxies whose `X-Forwarded-For` is believed, separated by commas.',
    [],
  ),
  EGRESS_ADDRESSES: addresses(
    'Addresses of this machine, separated by commas, from which inventories and trade pages of the game platform ' +
      'are read in turn, each at the pace that the platform allows one address. Calls with keys of markets and of ' +
      'bots leave from the first. Unset: the system chooses.',
    [],
  ),
  LOG_LEVEL: choice(
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  )('The least important lines to write. Unset: `info`, `warn` for `npm start` on a terminal.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl(
    'Collector of traces that takes OTLP over HTTP, without `/v1/traces`. Unset: nothing is traced, and nothing of OpenTelemetry’s SDK is loaded.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders(
    'Headers of requests to the collector, `name=value`, separated by commas, values percent-encoded.',
  ),
  OTEL_TRACES_SAMPLER_ARG: share(
    'Share of the traces that are exported. What a process did in a trace that failed is exported in any case.',
    0.1,
  ),
  DATA_DIR: text(
    'Folder that outlives the process. In production it holds `recovery-mark`, by which a restored ' +
      'database is noticed, and `intents`, which shows whether a failover lost anything; with the ' +
      'sandbox also the embedded database, keys and `demo.json`.',
    '.data',
  ),
  DATABASE_URL: databaseUrl('PostgreSQL 18 to use. Unset: an embedded one below DATA_DIR.'),
  DB_POOL_SIZE: integer(1, 500)(
    'Connections of a pool to the database at most; a process has some more (see scaling-out.md).',
    16,
  ),
  DATABASE_READ_URL: databaseUrl(
    'A replica of the database in DATABASE_URL, which `api` processes read what promises no freshness from: ' +
      'statistics, charts, exports, closed statements, administrators’ lists. Unset: the primary answers everything.',
  ),
  READ_MAX_LAG_MS: integer(0, 60_000)(
    'While what the replica shows may be older than this, its reads go to the primary. 0: all of them.',
    2000,
  ),
  WORKER_SILENCE_SECONDS: integer(5, 86_400)(
    'After so long without a heartbeat of any worker, new trades and withdrawals are refused.',
    60,
  ),
  REDIS_URL: redisUrl(
    'Valkey or Redis that several api processes share, for rate limits. Unset: each api process counts by itself.',
  ),
  SECRETS_KEY: keyRing(
    'Key under which webhook secrets are sealed; several, separated by commas, to change it: the first ' +
      'seals. Unset with the embedded database or the sandbox: made at the first start and kept in ' +
      'DATA_DIR.',
  ),
  HOLD_SECONDS: integer(
    1,
    31_536_000,
  )('How long an accepted item is held before it is settled. Unset: 608400, with the sandbox 20.'),
  KEEP_CALLS_DAYS: integer(1, 36_500)(
    'How long calls to markets and their answers are kept. They are removed by the day, UTC, when all of it is as old.',
    30,
  ),
  KEEP_ATTEMPTS_DAYS: integer(1, 36_500)(
    'The same of attempts to deliver webhooks, with what was sent and answered. Less than 30, which merchants are ' +
      'promised, is refused.',
    30,
  ),
  KEEP_DELIVERIES_DAYS: integer(1, 36_500)(
    'How long deliveries of webhooks can be seen and sent again. They are removed by the month, UTC, when all of it is as ' +
      'old and none waits. Less than 30, which merchants are promised, is refused.',
    90,
  ),
  KEY_REQUESTS: flag(
    'Keeps the last requests of each API key for its owner: route and outcome, no bodies; seven days, 10,000 a key, 100,000 an account.',
    true,
  ),
  KEEP_EVENTS_DAYS: integer(1, 36_500)(
    'How long events can be read back. They are removed by the month, UTC, when all of it is as old. Less than 400, ' +
      'which merchants are promised, is refused.',
    400,
  ),
  RATE_LIMIT_SCALE: integer(1, 1_000_000)('Multiplies every rate limit, for load tests.', 1),
  LIVE_SOCKETS_PER_MERCHANT: integer(5, 10_000)(
    'Sockets that a merchant and its sub-users may have open together, of each channel, over all processes.',
    2000,
  ),
  LIVE_BUFFER_MIB: integer(1, 65_536)(
    'Most memory of this process for frames that slow readers of sockets have not read; above it the slowest are closed.',
    256,
  ),
  SELL_OFFER_SECONDS: integer(10, 1_209_600)(
    'How long a user has to answer a trade offer of our bots before it is taken back.',
    1800,
  ),
  FOLLOW_INTERVAL_MS: integer(
    50,
    3_600_000,
  )('How often an order that still moves is looked up. Unset: 10000, with the sandbox 500.'),
  RECONCILE_INTERVAL_MS: integer(
    500,
    86_400_000,
  )(
    'How often each market’s statement is compared with our orders. Unset: 120000, with the sandbox 20000.',
  ),
  PRICE_GUARD_FACTOR: integer(0, 1000)(
    'A listing is not bought when its price is more than this many times above or below the reference ' +
      'price of its item. 0 switches the guard off.',
    10,
  ),
  PRICE_GUARD_MIN_VOLUME: integer(0, 1_000_000)(
    'Sales a day that an item needs for its reference price to be compared with listings.',
    5,
  ),
  PLATFORM_COMMUNITY_HOST: text('Host that trade URLs must name.', 'steamcommunity.com'),
  WEBHOOK_URL: httpUrl('Webhook endpoint of the demo merchant, set at the first start only.'),
  PARTNER_WEBHOOK_URL: httpUrl(
    'Webhook endpoint of the demo partner, set at the first start only.',
  ),
  PAYOUT_CALLBACK_URL: httpUrl(
    'Approval callback of the demo merchant’s withdrawals, set at the first start only. Unset: its webhook ' +
      'endpoint.',
  ),
  PAYOUT_LIMIT_TRANSACTION_DOLLARS: dollars('A withdrawal above it waits for an operator.', 25_000),
  PAYOUT_LIMIT_MERCHANT_DAY_DOLLARS: dollars(
    'A withdrawal that brings its merchant above it within 24 hours waits for an operator.',
    100_000,
  ),
  PAYOUT_LIMIT_DAY_DOLLARS: dollars(
    'A withdrawal that brings all merchants together above it within 24 hours waits for an operator.',
    500_000,
  ),
  SIGNER_SOCKET: text(
    'Unix socket of the signer program. Unset: nothing is signed, so withdrawals are off; with the sandbox, the ' +
      'demo’s wallets are signed for in the process.',
  ),
  WEBHOOK_ALLOW_PRIVATE: flag(
    'Lets webhooks go to plain http, to loopback and to private networks (RFC 1918, fc00::/7). Unset: only ' +
      'with the sandbox.',
  ),
  WEBHOOK_ADDRESSES: networks(
    'Addresses that the posts of webhooks come from, as merchants see them, separated by commas. `GET /market/status` ' +
      'returns them, so that merchants can open their firewalls to no others. The setting does not change from where they are sent.',
    [],
  ),
  WEBHOOK_TRACEPARENT: flag(
    'Sends webhooks with a `traceparent` header, for endpoints of your own whose traces go to the same place.',
    false,
  ),
  ...settingsOfMarkets(),
  PLATFORM_URL: httpUrl(
    'Base URL of the game platform. Unset: PLATFORM_COMMUNITY_HOST over https.',
  ),
  PLATFORM_API_URL: httpUrl(
    'Base URL of the game platform’s Web API. Unset: https://api.steampowered.com.',
  ),
  PLATFORM_CALL_KINDS: text(
    'JSON file that replaces headers and paces of single kinds of calls to the game platform, as ' +
      '`{"send": {"headers": {"referer": null}, "paceMs": 500}}`. `npm run ops -- platform:kinds` shows all.',
  ),
  PLATFORM_BOTS: botList(
    'Our accounts on the game platform, as a JSON list of `platformId`, `identitySecret` and ' +
      '`refreshToken`. A file of them must be readable by its owner alone. Unset: nothing is bought ' +
      'from users; with the sandbox, its own bots.',
  ),
  CATALOG_URL: fileOrFolderUrl(
    'The list of the game’s items: a folder of files of the public form, with a slash at its end; one such ' +
      'file; or a file of our own form, an array of objects with `marketHashName`, `name`, `itemType`, ' +
      '`defIndex`, `category` and more (docs/runbooks/catalogue.md describes both). With the sandbox, its ' +
      '`/catalog/public/en/`.',
  ),
  PICTURE_URL: httpUrl(
    'Where pictures of items are, each by the platform’s hash. Unset: ' +
      'https://community.akamai.steamstatic.com/economy/image/; with the sandbox, its `/pictures/`.',
  ),
  PICTURE_MIB: integer(1, 4096)('Kept pictures of items, in MiB; the oldest go first.', 256),
  CATALOG_PRICES: flag(
    'Reads reference prices and sales a day from the markets’ own lists, hourly. Off: they are those of ' +
      'CATALOG_URL, which the public form does not have.',
    true,
  ),
  FX_SPREAD_BPS: basisPoints(
    'Spread of a fund or defund between currencies, below or above the rate of the day, in basis ' +
      'points.',
    50,
  ),
  FX_EXPOSURE_LIMIT_DOLLARS: dollars(
    'A fund or defund is refused when, because of conversions, the service would hold or owe more ' +
      'than this in euros, counted in dollars.',
    100_000,
  ),
  FX_EXPOSURE_SHARE_PERCENT: integer(1, 100)(
    'Of the limit of the exposure: as much as the funds and defunds of one merchant may take.',
    25,
  ),
  PUBLIC_URL: httpUrl(
    'Origin of the service as browsers see it, for links in mails and for passkeys. Unset: http://localhost and PORT.',
  ),
  SECURITY_CONTACT: contactUri(
    'Where a weakness is reported: a `mailto:`, `https:` or `tel:` URI, served at /.well-known/security.txt ' +
      '(RFC 9116). Unset: the file is not served.',
  ),
  SMTP_URL: smtpUrl(
    'Mail server, with its credentials, for api and worker alike. Unset: with the sandbox, its own; else no ' +
      'mail is sent, and what needs one is refused with SERVICE_DISABLED.',
  ),
  MAIL_FROM: text('Sender of mails, `Name <address>`.', 'Tradepost <no-reply@tradepost.example>'),
  STATEMENT_NAME: text('Name of the issuer of statements, shown in their PDF.', 'Tradepost'),
  STATEMENT_ADDRESS: textLines(
    'Address of the issuer, shown below the name, lines separated by semicolons. Unset: none is shown.',
  ),
  CHAT_CLIENT_ID: text(
    'Client id of the service at the chat platform that people may link to their login. Unset, with ' +
      'CHAT_CLIENT_SECRET: the link is switched off.',
  ),
  CHAT_CLIENT_SECRET: anySecret('Secret of that client.'),
  CHAT_AUTHORIZE_URL: httpUrl(
    'Its page on which a person allows the link. Browsers come back to `/dashboard/chat`.',
    'https://discord.com/oauth2/authorize',
  ),
  CHAT_TOKEN_URL: httpUrl(
    'Where the code is exchanged (RFC 6749), with PKCE.',
    'https://discord.com/api/oauth2/token',
  ),
  CHAT_PROFILE_URL: httpUrl(
    'Where the profile is read: `id`, `username`, `discriminator`, `avatar`.',
    'https://discord.com/api/users/@me',
  ),
  CHAT_SCOPE: text('What the person is asked to allow.', 'identify'),
  FX_URL: httpUrl('Where the daily reference rates are read. Unset: the European Central Bank.'),
  CHAIN_ETHEREUM_RPC_URLS: nodesOf('ethereum'),
  CHAIN_ETHEREUM_SECOND_RPC_URLS: secondNodesOf('ethereum'),
  CHAIN_ETHEREUM_MOST_FEE_PER_GAS_WEI: mostFeeOf('ethereum', 500_000_000_000),
  CHAIN_ETHEREUM_EXPLORER_URL: explorerOf('ethereum', EXPLORERS.ethereum),
  CHAIN_ETHEREUM_START_BLOCK: startBlockOf('ethereum'),
  CHAIN_ETHEREUM_TRACES: tracesOf('ethereum'),
  CHAIN_ETHEREUM_CALLS_PER_SECOND: callsPerSecondOf('ethereum'),
  CHAIN_BASE_RPC_URLS: nodesOf('base'),
  CHAIN_BASE_SECOND_RPC_URLS: secondNodesOf('base'),
  CHAIN_BASE_MOST_FEE_PER_GAS_WEI: mostFeeOf('base', 50_000_000_000),
  CHAIN_BASE_EXPLORER_URL: explorerOf('base', EXPLORERS.base),
  CHAIN_BASE_START_BLOCK: startBlockOf('base'),
  CHAIN_BASE_TRACES: tracesOf('base'),
  CHAIN_BASE_CALLS_PER_SECOND: callsPerSecondOf('base'),
  CHAIN_ARBITRUM_RPC_URLS: nodesOf('arbitrum'),
  CHAIN_ARBITRUM_SECOND_RPC_URLS: secondNodesOf('arbitrum'),
  CHAIN_ARBITRUM_MOST_FEE_PER_GAS_WEI: mostFeeOf('arbitrum', 50_000_000_000),
  CHAIN_ARBITRUM_EXPLORER_URL: explorerOf('arbitrum', EXPLORERS.arbitrum),
  CHAIN_ARBITRUM_START_BLOCK: startBlockOf('arbitrum'),
  CHAIN_ARBITRUM_TRACES: tracesOf('arbitrum'),
  CHAIN_ARBITRUM_CALLS_PER_SECOND: callsPerSecondOf('arbitrum'),
  CHAIN_OPTIMISM_RPC_URLS: nodesOf('optimism'),
  CHAIN_OPTIMISM_SECOND_RPC_URLS: secondNodesOf('optimism'),
  CHAIN_OPTIMISM_MOST_FEE_PER_GAS_WEI: mostFeeOf('optimism', 50_000_000_000),
  CHAIN_OPTIMISM_EXPLORER_URL: explorerOf('optimism', EXPLORERS.optimism),
  CHAIN_OPTIMISM_START_BLOCK: startBlockOf('optimism'),
  CHAIN_OPTIMISM_TRACES: tracesOf('optimism'),
  CHAIN_OPTIMISM_CALLS_PER_SECOND: callsPerSecondOf('optimism'),
  CHAIN_BSC_RPC_URLS: nodesOf('bsc'),
  CHAIN_BSC_SECOND_RPC_URLS: secondNodesOf('bsc'),
  CHAIN_BSC_MOST_FEE_PER_GAS_WEI: mostFeeOf('bsc', 50_000_000_000),
  CHAIN_BSC_EXPLORER_URL: explorerOf('bsc', EXPLORERS.bsc),
  CHAIN_BSC_START_BLOCK: startBlockOf('bsc'),
  CHAIN_BSC_TRACES: tracesOf('bsc'),
  CHAIN_BSC_CALLS_PER_SECOND: callsPerSecondOf('bsc'),
  GATEWAY_URL: httpUrl('Base URL of the payment gateway.', 'https://openplatform.gateapi.io'),
  GATEWAY_KEY: anySecret(
    'Client id of our account at the payment gateway. Unset, with GATEWAY_SECRET: deposits by gateway are switched off.',
  ),
  GATEWAY_SECRET: anySecret('Payment key of that account.'),
  GATEWAY_FEE_BPS: basisPoints(
    'What the payment gateway keeps of each payment, in basis points, by our contract. Required with GATEWAY_KEY.',
  ),
  ONRAMP_URL: httpUrl('Base URL of the card on-ramp.', 'https://api.onramp.money'),
  ONRAMP_WIDGET_URL: httpUrl(
    'Its page for payers, to which the order is added.',
    'https://onramp.money/main/buy',
  ),
  ONRAMP_KEY: anySecret(
    'API key at the card on-ramp. Unset, with ONRAMP_SECRET: deposits by card are switched off.',
  ),
  ONRAMP_SECRET: anySecret('Secret of that key.'),
  ONRAMP_APP_ID: digits(
    'Number of our application at the card on-ramp, which is in the address of its page. Required with ONRAMP_KEY.',
  ),
  ONRAMP_WALLET: plainEvmAddress(
    'Address to which the card on-ramp sends tokens; what it sends elsewhere is not credited. Required with ONRAMP_KEY.',
  ),
  PRICE_EXCHANGE_URL: httpUrl(
    'Where an exchange’s prices of coins are read, in the protocol of Kraken. Unset: Kraken.',
  ),
  SANDBOX_CHAINS: text(
    'The chains that the sandbox runs: `all`, `off`, or names separated by commas. Unset: all.',
  ),
  TREASURY_ADDRESS: evmAddress(
    'Where chain deposits are swept to, the same on every chain. Unset: to the hot wallet.',
  ),
  DEPOSIT_XPUB: accountXpub(
    "Extended public key of account m/44'/60'/0' of the signer, from which deposit addresses follow. Unset: " +
      'no chain deposits; with the sandbox, of its own seed in DATA_DIR.',
  ),
  SANDBOX_CONFIRMATIONS: integer(1, 64)(
    'Blocks after which a transfer or a transaction counts as final on the sandbox’s chains.',
    3,
  ),
  SANDBOX_PORT: port('Port of the sandbox. Unset: PORT + 1.'),
  SANDBOX_LISTINGS: integer(0, 1_000_000)('Live listings of the sandbox’s markets. Unset: 55000.'),
  SANDBOX_ITEMS: integer(
    2_000,
    100_000,
  )('Kinds of items in the sandbox, the most traded; all by default.'),
  SANDBOX_SEED: text('Seed of the sandbox’s data. Unset: 1.'),
})

export type Values = Readonly<StaticDecode<typeof SETTINGS>>
