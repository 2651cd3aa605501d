import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { EVENTS_KEPT_DAYS } from '@tradepost/contract'
import { readConfig, type SandboxEnvironment, upstreamsOfSandbox } from './config.ts'
import { disabledFunctions } from './disabled-functions.ts'
import { readHeaders, readKeys } from './settings.ts'

const KEY = '00'.repeat(32)
const REAL = {
  MARKET_A_URL: 'https://a.example/',
  MARKET_A_KEY: 'a-key',
  MARKET_B_URL: 'https://b.example',
  MARKET_B_KEY: 'b-key',
  CATALOG_URL: 'https://catalog.example/items.json',
}

test('an empty environment is the demo on this machine', () => {
  const config = readConfig({})
  assert.deepEqual(config.http, { host: '127.0.0.1', port: 3000 })
  assert.deepEqual(config.metrics, { host: '127.0.0.1', port: 3002, workerPort: 3003 })
  assert.equal(config.database.url, null)
  assert.equal(config.environment.kind, 'sandbox')
  assert.equal((config.environment as SandboxEnvironment).port, 3001)
  assert.equal(config.holdMs, 20_000)
  assert.equal(config.timing.markets.market_a?.pollMs, 500)
  assert.equal(config.webhooks.allowPrivate, true)
})

test('the functions whose settings are missing in production are listed with those settings', () => {
  assert.deepEqual(disabledFunctions(readConfig({})), [])
  const bare = disabledFunctions(readConfig(REAL))
  assert.deepEqual(bare.slice(0, 2), [
    { name: 'mail', settings: ['SMTP_URL'] },
    { name: 'sells (bots)', settings: ['PLATFORM_BOTS'] },
  ])
  assert.equal(bare.length, 8)
  const config = readConfig({
    ...REAL,
    ...{ SMTP_URL: 'smtps://mail.example', SIGNER_SOCKET: '/run/signer.sock' },
    ...{ GATEWAY_KEY: 'k', GATEWAY_SECRET: 's', GATEWAY_FEE_BPS: '50' },
    CHAIN_BASE_RPC_URLS: 'https://base.example',
  })
  assert.deepEqual(
    disabledFunctions(config).map(({ name }) => name),
    ['sells (bots)', 'card deposits', 'chain deposits', 'chat links'],
  )
})

test('real markets bring the settings of production', () => {
  const config = readConfig(REAL)
  assert.equal(config.holdMs, 608_400_000)
  assert.equal(config.timing.markets.market_a?.pollMs, 10_000)
  // Every ten minutes would be a thousand look-ups an item, more than the markets' limits of calls have.
  for (const { holdPollMs } of [config.timing.buying, config.timing.selling]) {
    assert.ok(config.holdMs / holdPollMs < 30, 'look-ups of an item in its hold')
  }
  assert.equal(config.webhooks.allowPrivate, false)
  assert.deepEqual(JSON.parse(JSON.stringify(config.environment)), {
    kind: 'production',
    markets: {
      market_a: { url: 'https://a.example', key: '[secret]' },
      market_b: { url: 'https://b.example', key: '[secret]' },
    },
    platformUrl: 'https://steamcommunity.com',
    platformApiUrl: 'https://api.steampowered.com',
    bots: { kind: 'secret', list: null },
    mail: { kind: 'off' },
    catalogUrl: 'https://catalog.example/items.json',
    pictureUrl: 'https://community.akamai.steamstatic.com/economy/image/',
    fxUrl: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
    faucetUrl: null,
    chains: [],
    exchangeUrl: 'https://api.kraken.com',
    gateway: null,
    onramp: null,
    chat: null,
  })
})

test('providers of deposits are switched on by their credentials, which show as secrets', () => {
  const { environment } = readConfig({
    ...REAL,
    ...{ GATEWAY_KEY: 'id', GATEWAY_SECRET: 'key', GATEWAY_FEE_BPS: '40' },
    ...{ ONRAMP_KEY: 'id', ONRAMP_SECRET: 'key', ONRAMP_APP_ID: '42' },
    ONRAMP_WALLET: `0x${'a1'.repeat(20)}`,
  })
  assert.ok(environment.kind === 'production')
  assert.deepEqual(JSON.parse(JSON.stringify([environment.gateway, environment.onramp])), [
    {
      ...{ url: 'https://openplatform.gateapi.io', feeBps: 40 },
      ...{ key: '[secret]', secret: '[secret]' },
    },
    {
      ...{ url: 'https://api.onramp.money', widgetUrl: 'https://onramp.money/main/buy' },
      ...{ appId: '42', key: '[secret]', secret: '[secret]', wallet: `0x${'a1'.repeat(20)}` },
    },
  ])
})

test('a file of bots that others may read is refused', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'tradepost-')), 'bots.json')
  writeFileSync(path, '[]', { mode: 0o644 })
  chmodSync(path, 0o644)
  assert.throws(() => readConfig({ ...REAL, PLATFORM_BOTS_FILE: path }), /chmod 600/)
  chmodSync(path, 0o600)
  const { environment } = readConfig({ ...REAL, PLATFORM_BOTS_FILE: path })
  assert.ok(environment.kind === 'production' && environment.bots.kind === 'secret')
  assert.equal(environment.bots.list?.reveal(), '[]')
  assert.equal(JSON.stringify(environment.bots), '{"kind":"secret","list":"[secret]"}')
})

test('a file of kinds of calls that cannot be used stops the start with what is wrong', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'tradepost-')), 'kinds.json')
  const read = (text: string) => {
    writeFileSync(path, text)
    return readConfig({ ...REAL, PLATFORM_CALL_KINDS: path }).callKinds
  }
  assert.equal(read('{"send":{"paceMs":500}}').send.paceMs, 500)
  for (const [text, problem] of [
    [
      '{"sent":{}}',
      /PLATFORM_CALL_KINDS names a file that cannot be used: there is no kind "sent"/,
    ],
    ['{"send":{"headers":{"referer":"a\\nb"}}}', /one line of visible ASCII/],
    ['{"send":{"paceMs":49}}', /paceMs of send/],
  ] as const) {
    assert.throws(() => read(text), problem)
  }
  const nowhere = { ...REAL, PLATFORM_CALL_KINDS: '/nowhere/kinds.json' }
  assert.throws(() => readConfig(nowhere), /PLATFORM_CALL_KINDS names a file/)
})

test('PORT 0 takes free ports for the neighbours too', () => {
  const config = readConfig({ PORT: '0' })
  assert.equal(config.metrics.port, 0)
  assert.equal((config.environment as SandboxEnvironment).port, 0)
})

test('an empty value is an unset one', () => {
  assert.equal(readConfig({ PORT: '', DATABASE_URL: ' ' }).http.port, 3000)
})

const bad: [NodeJS.ProcessEnv, RegExp][] = [
  [{ PORT: 'abc' }, /^PORT must be an integer from 0 to 65535, not "abc"\.$/],
  [{ PORT: '65536' }, /^PORT must be/],
  [{ PORT: '-1' }, /^PORT must be/],
  [{ PORT: '3.5' }, /^PORT must be/],
  [{ PORT: '1e3' }, /^PORT must be/],
  [{ PORT: '65535' }, /^METRICS_PORT must be set/],
  [{ METRICS_PORT: '3000' }, /^METRICS_PORT must differ from PORT/],
  [{ SANDBOX_PORT: '3002' }, /^SANDBOX_PORT must differ from METRICS_PORT/],
  [{ HOLD_SECONDS: 'soon' }, /^HOLD_SECONDS must be/],
  [{ KEEP_CALLS_DAYS: '0' }, /^KEEP_CALLS_DAYS must be an integer from 1 to 36500/],
  [
    { KEEP_ATTEMPTS_DAYS: '29' },
    /^KEEP_ATTEMPTS_DAYS must be at least 30, as docs\/guides\/webhooks\.md promises merchants, not 29\.$/,
  ],
  [
    { KEEP_DELIVERIES_DAYS: '29' },
    /^KEEP_DELIVERIES_DAYS must be at least 30, as docs\/guides\/webhooks\.md promises merchants, not 29\.$/,
  ],
  [
    { KEEP_EVENTS_DAYS: String(EVENTS_KEPT_DAYS - 1) },
    /^KEEP_EVENTS_DAYS must be at least 400, as docs\/guides\/webhooks\.md promises merchants, not 399\.$/,
  ],
  [{ RATE_LIMIT_SCALE: '0' }, /^RATE_LIMIT_SCALE must be/],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of/],
  [{ TRUSTED_PROXIES: '10.0.0.0/33' }, /^TRUSTED_PROXIES must be/],
  [{ TRUSTED_PROXIES: 'proxy' }, /^TRUSTED_PROXIES must be/],
  [{ WEBHOOK_URL: 'ftp://x' }, /^WEBHOOK_URL must be an http or https URL/],
  [{ WEBHOOK_ALLOW_PRIVATE: 'maybe' }, /^WEBHOOK_ALLOW_PRIVATE must be true or false/],
  [{ DATABASE_URL: 'mysql://root:hunter2@x/y' }, /^DATABASE_URL must be a postgres:/],
  [{ DATABASE_URL: 'postgres://me:hunter2@one:1,two:2/y' }, /one address; put HAProxy/],
  [{ DATABASE_URL: 'postgres://me:hunter2@one,two/y' }, /one address; put HAProxy/],
  [{ DATABASE_URL: 'postgres://me:hunter2@/y?host=one,two' }, /one address; put HAProxy/],
  [{ SECRETS_KEY: 'hunter2' }, /^SECRETS_KEY must be 32 bytes/],
  [{ PLATFORM_BOTS: 'hunter2' }, /^PLATFORM_BOTS must be a JSON list of bots/],
  [{ SECRETS_KEY_FILE: '/nowhere/key' }, /^SECRETS_KEY_FILE names a file that cannot be read/],
  [{ ...REAL, MARKET_A_KEY: '' }, /^MARKET_A_KEY must be set/],
  [{ MARKET_B_URL: 'https://b.example' }, /^MARKET_A_URL must be set, because MARKET_B_URL is/],
  [{ ...REAL, CATALOG_URL: '' }, /^CATALOG_URL must be set/],
  [{ ...REAL, GATEWAY_KEY: 'id', GATEWAY_SECRET: 'key' }, /GATEWAY_FEE_BPS are set together/],
  [{ ...REAL, ONRAMP_KEY: 'id', ONRAMP_SECRET: 'key' }, /ONRAMP_WALLET are set together/],
  [{ ...REAL, ONRAMP_WALLET: '0x1' }, /^ONRAMP_WALLET must be an EVM address/],
  [{ ...REAL, CHAT_CLIENT_ID: 'id' }, /^CHAT_CLIENT_ID and CHAT_CLIENT_SECRET are set together/],
  [
    {
      ...REAL,
      CHAT_CLIENT_ID: 'i',
      CHAT_CLIENT_SECRET: 's',
      CHAT_TOKEN_URL: 'http://chat.example',
    },
    /^CHAT_TOKEN_URL must be an https address/,
  ],
]
for (const [env, message] of bad) {
  test(`refused with its name: ${JSON.stringify(env)}`, () => {
    assert.throws(
      () => readConfig(env),
      (error: Error) => {
        assert.equal(error.name, 'CannotStart')
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /hunter2/)
        return true
      },
    )
  })
}

test('all bad values are named at once', () => {
  assert.throws(() => readConfig({ PORT: 'abc', HOLD_SECONDS: 'soon', SECRETS_KEY: 'hunter2' }), {
    message:
      'PORT must be an integer from 0 to 65535, not "abc". ' +
      'SECRETS_KEY must be 32 bytes in hex or base64, not the value that is set. ' +
      'HOLD_SECONDS must be an integer from 1 to 31536000, not "soon".',
  })
})

test('a secret may come from a file and is never printed', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-config-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'url')
  writeFileSync(path, 'postgres://me:hunter2@db/tradepost\n')
  const config = readConfig({ DATABASE_URL_FILE: path, SECRETS_KEY: KEY })
  assert.equal(config.database.url?.reveal(), 'postgres://me:hunter2@db/tradepost')
  for (const shown of [inspect(config), JSON.stringify(config), `${config.database.url}`]) {
    assert.match(shown, /\[secret\]/)
    assert.doesNotMatch(shown, new RegExp(`hunter2|${KEY}`))
  }
})

test('sealing keys are read from hex and base64, several at once', () => {
  const base64 = Buffer.alloc(32, 7).toString('base64')
  assert.deepEqual(readKeys(`${KEY}, ${base64}`), [Buffer.alloc(32), Buffer.alloc(32, 7)])
  assert.equal(readKeys(`${KEY},short`), null)
})

test('the sandbox gets its own settings and the hold, and is found below its address', () => {
  const { environment } = readConfig({
    SANDBOX_LISTINGS: '100',
    SANDBOX_MARKET_A_KEY: 'k, other',
    HOLD_SECONDS: '2',
  })
  assert.equal(environment.kind, 'sandbox')
  if (environment.kind !== 'sandbox') return
  assert.deepEqual(environment.variables, {
    SANDBOX_LISTINGS: '100',
    SANDBOX_MARKET_A_KEY: 'k, other',
    HOLD_SECONDS: '2',
  })
  const upstreams = upstreamsOfSandbox('http://127.0.0.1:9', environment)
  assert.equal(upstreams.markets.market_a?.url, 'http://127.0.0.1:9/market-a')
  assert.equal(upstreams.markets.market_a?.key.reveal(), 'k')
  assert.equal(upstreams.markets.market_b?.key.reveal(), 'sandbox-market-b')
  assert.deepEqual(
    upstreams.chains.map(({ chain }) => chain),
    ['ethereum', 'base', 'arbitrum', 'optimism', 'bsc'],
  )
  assert.equal(upstreams.chains[4]?.rpcUrls[0]?.reveal(), 'http://127.0.0.1:9/chains/bsc/rpc')
  const off = { ...environment, variables: { SANDBOX_CHAINS: 'off' } }
  assert.deepEqual(upstreamsOfSandbox('http://127.0.0.1:9', off).chains, [])
})

test('a chain is on when it has nodes, and their addresses are never printed', () => {
  const { environment } = readConfig({
    ...REAL,
    CHAIN_BSC_RPC_URLS: 'https://one.test/key-1, https://two.test/key-2',
    CHAIN_BSC_SECOND_RPC_URLS: 'https://three.test/',
  })
  assert.equal(environment.kind, 'production')
  if (environment.kind !== 'production') return
  const [bsc, ...others] = environment.chains
  assert.deepEqual(others, [])
  assert.equal(bsc?.chain, 'bsc')
  assert.deepEqual(
    bsc?.rpcUrls.map((url) => url.reveal()),
    ['https://one.test/key-1', 'https://two.test/key-2'],
  )
  assert.doesNotMatch(JSON.stringify(environment), /key-1|three/)
  const alone = { ...REAL, CHAIN_BSC_SECOND_RPC_URLS: 'https://three.test' }
  assert.throws(() => readConfig(alone), /CHAIN_BSC_RPC_URLS must be set/)
  const other = { ...REAL, CHAIN_BASE_RPC_URLS: 'ws://one.test' }
  assert.throws(() => readConfig(other), /CHAIN_BASE_RPC_URLS must be http or https URLs/)
})

test('the first scan of a chain begins at a block that is named, or at the newest', () => {
  assert.deepEqual(readConfig(REAL).startBlocks, {})
  const { startBlocks } = readConfig({ ...REAL, CHAIN_BSC_START_BLOCK: '41000000' })
  assert.deepEqual(startBlocks, { bsc: 41_000_000n })
  for (const wrong of ['-1', '0x10', 'latest', '1.5']) {
    const env = { ...REAL, CHAIN_BSC_START_BLOCK: wrong }
    assert.throws(() => readConfig(env), /CHAIN_BSC_START_BLOCK must be an integer from 0/, wrong)
  }
})

test('explorers are those of the public with real chains, none with the sandbox, and https alone', () => {
  assert.deepEqual(readConfig({}).explorers, {})
  assert.equal(readConfig(REAL).explorers.optimism, 'https://optimistic.etherscan.io')
  const own = 'https://scan.example/base'
  assert.deepEqual(readConfig({ CHAIN_BASE_EXPLORER_URL: `${own}/` }).explorers, { base: own })
  assert.equal(readConfig({ ...REAL, CHAIN_BASE_EXPLORER_URL: own }).explorers.base, own)
  for (const wrong of [
    'http://scan.example',
    'javascript:alert(1)',
    'scan.example',
    'https://user@scan.example',
    'https://scan.example/?next=',
    'https://scan.example/#',
  ]) {
    const env = { CHAIN_BASE_EXPLORER_URL: wrong }
    assert.throws(() => readConfig(env), /CHAIN_BASE_EXPLORER_URL must be an https URL/, wrong)
  }
})

test('a contact for weaknesses is a URI of one line', () => {
  assert.equal(readConfig({}).securityContact, null)
  const contact = 'mailto:security@tradepost.example'
  assert.equal(readConfig({ SECURITY_CONTACT: contact }).securityContact, contact)
  for (const wrong of [
    'security@tradepost.example',
    'http://a.example',
    'https://a b',
    'tel:1\nX: y',
  ]) {
    assert.throws(
      () => readConfig({ SECURITY_CONTACT: wrong }),
      /SECURITY_CONTACT must be a mailto/,
    )
  }
})

test('a chance of a seller is asked for at the real market A, and not at the sandbox unless it is set', () => {
  const chanceOf = (env: NodeJS.ProcessEnv) => readConfig(env).marketOptions.market_a?.leastChance
  assert.equal(chanceOf(REAL), 90)
  assert.equal(chanceOf({}), 0)
  assert.equal(chanceOf({ MARKET_A_LEAST_CHANCE: '90' }), 90)
  assert.equal(chanceOf({ ...REAL, MARKET_A_LEAST_CHANCE: '0' }), 0)
  assert.throws(
    () => chanceOf({ ...REAL, MARKET_A_LEAST_CHANCE: '101' }),
    /MARKET_A_LEAST_CHANCE must be an integer from 0 to 100/,
  )
})

test('the paces of markets are settings with bounds, and in the sandbox it says how many calls it takes', () => {
  const pacesOf = (env: NodeJS.ProcessEnv) => {
    const { market_a, market_b } = readConfig(env).marketOptions
    return [market_a?.callSpacingMs, market_b?.callsPerMinute]
  }
  assert.deepEqual(pacesOf(REAL), [260, 60])
  assert.deepEqual(pacesOf({}), [undefined, undefined])
  const slower = { MARKET_A_CALL_SPACING_MS: '200', MARKET_B_CALLS_PER_MINUTE: '30' }
  assert.deepEqual(pacesOf({ ...REAL, ...slower }), [200, 30])
  for (const [variable, wrong, bounds] of [
    ['MARKET_A_CALL_SPACING_MS', '199', '200 to 60000'],
    ['MARKET_A_CALL_SPACING_MS', '0', '200 to 60000'],
    ['MARKET_B_CALLS_PER_MINUTE', '61', '3 to 60'],
  ] as const) {
    assert.throws(
      () => readConfig({ ...REAL, [variable]: wrong }),
      new RegExp(`${variable} must be an integer from ${bounds}`),
    )
  }
})

test('addresses by which calls leave are addresses, each once', () => {
  const addressesOf = (EGRESS_ADDRESSES: string) => readConfig({ EGRESS_ADDRESSES }).egressAddresses
  assert.deepEqual(readConfig({}).egressAddresses, [])
  assert.deepEqual(addressesOf('192.0.2.1, 2001:db8::1'), ['192.0.2.1', '2001:db8::1'])
  for (const wrong of ['a.example', '192.0.2.1/24', '192.0.2.1,192.0.2.1', '192.0.2.1,']) {
    assert.throws(() => addressesOf(wrong), /EGRESS_ADDRESSES must be IP addresses/, wrong)
  }
})

test('the list of items is a folder where its address ends in a slash', () => {
  const urlOf = (CATALOG_URL: string) => {
    const { environment } = readConfig({ ...REAL, CATALOG_URL })
    return environment.kind === 'production' && environment.catalogUrl
  }
  assert.equal(urlOf('https://list.example/api/en/'), 'https://list.example/api/en/')
  assert.equal(urlOf('https://list.example/items.json'), 'https://list.example/items.json')
  assert.equal(readConfig(REAL).catalogPrices, true)
  assert.equal(readConfig({ ...REAL, CATALOG_PRICES: 'off' }).catalogPrices, false)
})

test('traces are off without a collector; a tenth of them leaves with one, and its key is never printed', () => {
  assert.equal(readConfig({ OTEL_TRACES_SAMPLER_ARG: '1' }).traces, null)
  const { traces } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20secret, x-org=7',
  })
  assert.equal(traces?.endpoint, 'http://collector.example:4318')
  assert.equal(traces?.share, 0.1)
  assert.equal(traces?.inWebhooks, false)
  assert.deepEqual(readHeaders(traces?.headers?.reveal() ?? ''), {
    'x-key': 'a secret',
    'x-org': '7',
  })
  for (const shown of [inspect(traces, { depth: 9 }), JSON.stringify(traces)]) {
    assert.ok(!shown.includes('a%20'))
  }
})

test('a share of traces is a number from 0 to 1, and headers of the collector are name=value', () => {
  for (const [text, share] of [
    ['0', 0],
    ['1', 1],
    ['0.25', 0.25],
    ['.5', 0.5],
    ['1.0', 1],
  ] as const) {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.example', OTEL_TRACES_SAMPLER_ARG: text }
    assert.equal(readConfig(env).traces?.share, share)
  }
  for (const text of ['1.01', '-0', '10%', '1e-2', '.', 'all']) {
    assert.throws(() => readConfig({ OTEL_TRACES_SAMPLER_ARG: text }), /OTEL_TRACES_SAMPLER_ARG/)
  }
  for (const text of ['key', 'key=', '=value', 'a=1,,b=2', 'a=%zz', 'a b=1']) {
    assert.throws(
      () => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: text }),
      (error: Error) => error.message.includes('HEADERS') && !error.message.includes('%zz'),
    )
  }
})
