// The command line without a service, or with one that says what the test says.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { refusal, startScripted, success } from '../../sdk/src/testing/scripted-server.ts'
import { forwardUrl } from './forward.ts'
import { readListening, readProfile } from './profiles.ts'
import { testEnvironment } from './testing/test-environment.ts'

const KEY = 'tp_test_0123456789'
const MERCHANT = { id: 'm', email: 'm@example.com', wallets: { spot: null, earnings: null } }

it('every command says what it does and how it is used', async () => {
  using one = testEnvironment()
  assert.equal(await one.run('--help'), 0)
  const commands = one.out.flatMap(
    (line) => /^ {2}([a-z]+) (?!login|listen|trigger)/.exec(line)?.[1] ?? [],
  )
  assert.ok(commands.length >= 10, commands.join())
  for (const name of commands.filter((each) => each !== 'help')) {
    one.clear()
    assert.equal(await one.run(name, '--help'), 0)
    assert.match(one.out[0] ?? '', new RegExp(`^Usage: tradepost ${name}`))
    assert.ok(one.out.length > 4, name)
  }
  for (const line of one.notes) assert.fail(line)
})

it('wrong usage ends with 2 and says why', async () => {
  const lines: [string[], RegExp][] = [
    [['nonsense'], /unknown command/],
    [['search', '--limit', '0'], /whole number from 1 to 100/],
    [['search', '--max-price', '5,00'], /amount such as/],
    [['buy', '1'], /--max-price/],
    [['deposits', 'create', 'abc'], /US dollars such as 25/],
    [['events', 'show'], /missing required argument/],
    [['statement', '--month', '10/2026'], /year and a month such as 2026-10/],
    [['trigger'], /Name an event\.\n +One of: trade\.initiated, /],
    [['trigger', 'trade.nonsense'], /no scenario for trade\.nonsense\.\n +One of: /],
    [['trigger', 'trade.hold', '--to', 'x'], /takes no --to\.\n +It takes: --item, --max-price/],
    [['trigger', 'deposit.expired', '--external-id', 'x'], /takes no --external-id/],
    [['trigger', 'deposit.expired', '--amount', '5,00'], /amount such as/],
    [['completion', 'csh'], /no completion for csh\.\n +One of: bash, zsh, fish/],
    [['whoami', '--colour'], /unknown option/],
  ]
  for (const [args, why] of lines) {
    using one = testEnvironment()
    assert.equal(await one.run(...args), 2, args.join(' '))
    assert.match(one.notes.join('\n'), why)
    assert.deepEqual(one.out, [])
  }
})

it('bash completes commands, subcommands and options from what is printed', async () => {
  using one = testEnvironment()
  assert.equal(await one.run('completion', 'bash'), 0)
  const completed = (...words: string[]): string[] => {
    const line = ['tradepost', ...words].map((word) => `'${word}'`).join(' ')
    const script = `${one.out.join('\n')}
      COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _tradepost; printf '%s\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n')
  }
  assert.deepEqual(completed('trig'), ['trigger'])
  assert.deepEqual(completed('trades', 'c'), ['cancel'])
  assert.deepEqual(completed('--profile', 'x', 'payouts', 'ba'), ['batch', 'balances'])
  assert.deepEqual(completed('listen', '--forward-to', ':4000', '--si'), ['--since'])
  assert.deepEqual(completed('trades', 'show', 'some-id', '--j'), ['--json'])
})

it('zsh and fish have every command that there is', async () => {
  using help = testEnvironment()
  await help.run('--help')
  const names = help.out.flatMap((line) => /^ {2}([a-z-]+) /.exec(line)?.[1] ?? [])
  for (const shell of ['zsh', 'fish']) {
    using one = testEnvironment()
    assert.equal(await one.run('completion', shell), 0)
    const script = one.out.join('\n')
    for (const name of names.filter((each) => each !== 'help' && each !== 'tradepost')) {
      assert.match(script, new RegExp(`[' ]${name}[ ':]`), `${shell} ${name}`)
    }
  }
})

it('without a key it ends with 5 and says how to log in', async () => {
  using one = testEnvironment()
  assert.equal(await one.run('whoami'), 5)
  assert.match(one.notes.join('\n'), /tradepost login/)
})

it('a login stores the key in a private file, and a logout removes it', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ answers: [server.baseUrl, KEY] })
  server.script(success(MERCHANT))
  assert.equal(await one.run('login'), 0)
  const file = join(one.environment.configFolder, 'profiles.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(one.environment.configFolder).mode & 0o777, 0o700)
  assert.equal(server.requests[0]?.headers['api-key'], KEY)
  for (const line of [...one.out, ...one.notes]) assert.doesNotMatch(line, /0123456789/)
  assert.equal(await one.run('logout'), 0)
  assert.ok(!existsSync(file))
})

it('a key that is piped in goes before that of the environment', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ input: KEY, env: { TRADEPOST_API_KEY: 'tp_test_other' } })
  server.script(success(MERCHANT))
  assert.equal(await one.run('login', '--url', server.baseUrl), 0)
  using other = testEnvironment({ env: { TRADEPOST_API_KEY: 'tp_test_other' } })
  server.script(success(MERCHANT))
  assert.equal(await other.run('login', '--url', server.baseUrl), 0)
  const keys = server.requests.map(({ headers }) => headers['api-key'])
  assert.deepEqual(keys, [KEY, 'tp_test_other'])
})

it('a file that others may read is closed to them', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ input: KEY })
  server.script(success(MERCHANT), success(MERCHANT))
  assert.equal(await one.run('login', '--url', server.baseUrl), 0)
  const file = join(one.environment.configFolder, 'profiles.json')
  chmodSync(file, 0o644)
  assert.equal(await one.run('whoami'), 0)
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

it('a key that the service refuses is not stored', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ input: `${KEY}\n` })
  server.script(refusal(401, 'INVALID_API_KEY'))
  assert.equal(await one.run('login', '--url', server.baseUrl), 5)
  assert.deepEqual(readProfile(one.environment.configFolder, 'default'), {})
  const said = one.notes.join('\n')
  assert.match(said, /INVALID_API_KEY/)
  assert.match(said, new RegExp(`${server.baseUrl}/docs/errors#INVALID_API_KEY`))
  assert.match(said, /request +0193f3f0/)
  assert.doesNotMatch(said, /0123456789/)
})

it('the key of a profile never goes to an address from the environment', async () => {
  await using home = await startScripted()
  await using other = await startScripted()
  using one = testEnvironment({ input: KEY })
  home.script(success(MERCHANT))
  assert.equal(await one.run('login', '--url', home.baseUrl), 0)
  const env = one.environment.env as NodeJS.ProcessEnv
  env.TRADEPOST_URL = other.baseUrl
  assert.equal(await one.run('whoami'), 2)
  env.TRADEPOST_API_KEY = 'tp_test_other'
  other.script(success(MERCHANT))
  assert.equal(await one.run('whoami'), 0)
  assert.deepEqual(
    other.requests.map(({ headers }) => headers['api-key']),
    ['tp_test_other'],
  )
})

it('a profile that a command names goes before the key of the environment, and each says whose key it is', async () => {
  await using home = await startScripted()
  await using other = await startScripted()
  using one = testEnvironment({ input: KEY })
  home.script(success(MERCHANT))
  assert.equal(await one.run('login', '--url', home.baseUrl, '--profile', 'shop'), 0)
  const env = one.environment.env as NodeJS.ProcessEnv
  env.TRADEPOST_URL = other.baseUrl
  env.TRADEPOST_API_KEY = 'tp_test_other'
  home.script(success(MERCHANT))
  assert.equal(await one.run('whoami', '--profile', 'shop'), 0)
  assert.equal(home.requests.at(-1)?.headers['api-key'], KEY)
  assert.equal(other.requests.length, 0)
  assert.equal(await one.run('whoami', '--profile', 'nosuch'), 5)
  assert.equal(await one.run('orders'), 2)
  assert.match(one.notes.join('\n'), /that of TRADEPOST_API_KEY is of the merchant interface/)
})

it('profiles are separate, and a damaged file is reported', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ input: KEY })
  server.script(success(MERCHANT))
  assert.equal(await one.run('login', '--url', server.baseUrl, '--profile', 'staging'), 0)
  assert.equal(await one.run('whoami'), 5)
  server.script(success(MERCHANT))
  assert.equal(await one.run('whoami', '--profile', 'staging', '--json'), 0)
  assert.equal((JSON.parse(one.out.slice(1).join('\n')) as { profile: string }).profile, 'staging')
  writeFileSync(join(one.environment.configFolder, 'profiles.json'), '{"staging":')
  assert.equal(await one.run('whoami'), 1)
  assert.match(one.notes.join('\n'), /damaged/)
})

it('a refusal ends with 3, no response with 4, and the output contains no control characters', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  server.script(refusal(404, 'TRADE_NOT_FOUND'), success({ trades: [] }))
  assert.equal(await one.run('trades', 'show', 'x'), 3)
  assert.match(one.notes.join('\n'), /no trade with the id, external id, item, offer or event x\./)
  const meta = {
    errors: [{ in: 'query', pointer: '/status', rule: 'enum', message: 'no\u001b[2J' }],
  }
  server.script(refusal(422, 'VALIDATION_FAILED', { meta }))
  assert.equal(await one.run('trades', 'list', '--status', 'x'), 3)
  assert.match(one.notes.join('\n'), /error {2}status no/)
  assert.doesNotMatch(one.notes.join(''), /\p{Cc}/u)
  await server[Symbol.asyncDispose]()
  assert.equal(await one.run('whoami'), 4)
  assert.match(one.notes.join('\n'), /running\?/)
})

it('a key and the status show names without control characters, and times as other commands do', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  const state = { status: 'operational', since: '2026-11-24T12:00:00.000Z' }
  server.script(
    success({
      ...{ id: 'k', name: 'shop\u202e', scopes: ['read'], accounts: null, allowlist: [] },
      ...{ expiresAt: '2026-12-24T12:00:00.000Z', spentCents: 1250 },
      spendLimit: { amountCents: 100_000, window: 'day' },
    }),
    success({
      ...{ trading: { ...state, reason: null }, platform: state, deposits: [], payouts: [] },
      ...{ markets: [], webhookAddresses: [] },
    }),
  )
  assert.equal(await one.run('key'), 0)
  assert.equal(await one.run('status'), 0)
  const text = one.out.join('\n')
  assert.match(text, /^name {6}shop\\u202e$/m)
  assert.match(text, /^ends {6}2026-12-24 12:00:00 UTC$/m)
  assert.match(text, /^spent {5}12\.50 of 1000\.00 USD a day$/m)
  assert.match(text, /^platform +operational +2026-11-24 12:00:00 *$/m)
})

it('an empty list says of what there is none, and where else to look', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  server.script(success({ items: [] }), success({ trades: [] }))
  assert.equal(await one.run('deposits', 'list'), 0)
  assert.match(one.out.join('\n'), /^No deposits into the merchant’s own wallet.*--on-behalf-of/)
  one.clear()
  assert.equal(await one.run('trades', 'list'), 0)
  assert.deepEqual(one.out, ['No trades.'])
})

it('colours are for terminals only, and not when NO_COLOR is set', async () => {
  for (const [isTerminal, env, expected] of [
    [false, {}, false],
    [true, {}, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { TERM: 'dumb' }, false],
  ] as const) {
    using one = testEnvironment({ isTerminal, env })
    await one.run('whoami')
    assert.equal(one.notes.join('').includes('\u001b'), expected, JSON.stringify(env))
  }
})

it('a buy without a terminal needs --yes, and does not call the service again', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  server.script(success(PREVIEW))
  assert.equal(await one.run('buy', '123', '--max-price', '9.00'), 2)
  assert.deepEqual(
    server.requests.map(({ url }) => url),
    ['/market/preflight'],
  )
})

it('a buy whose response is lost prints the external id under which it is safe to retry', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  server.script(success(PREVIEW), ...Array.from({ length: 3 }, () => refusal(503, 'X', {})))
  const silent = (response: { destroy(): unknown }): void => void response.destroy()
  server.script(success(PREVIEW), silent, silent, silent)
  assert.equal(await one.run('buy', '123', '--max-price', '9.00', '--yes'), 3)
  assert.equal(
    await one.run('buy', '123', '--max-price', '9.00', '--yes', '--on-behalf-of', 'a b'),
    4,
  )
  const sent = JSON.parse(server.requests.at(-1)?.body ?? '') as { externalId: string }
  const said = one.notes.join('\n')
  assert.ok(said.includes(`--external-id ${sent.externalId} --yes --on-behalf-of 'a b'`), said)
  const attempts = server.requests.slice(-3).map(({ body }) => body)
  assert.equal(new Set(attempts).size, 1)
})

it('a partner’s key is stored as one, and commands of the other interface say so', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ input: KEY })
  server.script(
    success({
      type: 'apiKey',
      profile: { id: 'k', balance: 5, chat: { username: 'anna' } },
      message: 'OK',
    }),
  )
  assert.equal(await one.run('login', '--partner', '--url', server.baseUrl), 0)
  assert.match(one.out.join('\n'), / as anna \(profile default\)/)
  assert.equal(server.requests[0]?.headers['x-api-key'], KEY)
  assert.equal(readProfile(one.environment.configFolder, 'default').speaks, 'partner')
  assert.equal(await one.run('trades', 'list'), 2)
  assert.match(one.notes.join('\n'), /needs a key of the merchant interface/)
  assert.equal(await one.run('search', '--all'), 2)
  assert.match(one.notes.join('\n'), /--all is an option for keys of the merchant interface/)
  using other = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  assert.equal(await other.run('orders'), 2)
  assert.match(other.notes.join('\n'), /login --partner/)
  assert.equal(server.requests.length, 1)
})

it('orders are listed with times in UTC, and how many there are', async () => {
  await using server = await startScripted()
  const env = {
    ...{ TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl },
    TRADEPOST_INTERFACE: 'partner',
  }
  using one = testEnvironment({ env })
  const order = {
    ...{ id: 'o-1', item: 'x', status: { code: 'HOLD' }, amount: 8, cancelReason: 'PRICE_CHANGED' },
    timestamp: '2026-11-23T02:12:17.123Z',
  }
  server.script(success({ orders: [order], returned: 1, total: 1 }))
  server.script(success({ orders: [order], returned: 1, total: 21 }))
  assert.equal(await one.run('orders'), 0)
  assert.equal(await one.run('orders', '--page', '2'), 0)
  const said = one.out.join('\n')
  assert.match(
    said,
    / 8\.00 +The listing became dearer.* +2026-11-23 02:12:17\n1 order, page 1 of 1\n/,
  )
  assert.match(said, /\n21 orders, page 2 of 2$/)
})

it('a partner’s buy names the base price that was read, not above the bound, and is safe to retry', async () => {
  await using server = await startScripted()
  const env = {
    ...{ TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl },
    TRADEPOST_INTERFACE: 'partner',
  }
  using one = testEnvironment({ env })
  const LISTING = { id: '123', marketHashName: 'x', price: 8, priceWithFee: 8.4 }
  const to = ['--item', 'a'.repeat(16), '--market', 'market_a', '--trade-url', 'https://t', '--yes']
  server.script(success({ items: [LISTING] }))
  assert.equal(await one.run('buy', '123', '--max-price', '8.39', ...to), 3)
  server.script(success({ items: [{ id: '123', error: 'LISTING_NOT_FOUND' }] }))
  assert.equal(await one.run('buy', '123', '--max-price', '9', ...to), 3)
  const silent = (response: { destroy(): unknown }): void => void response.destroy()
  server.script(success({ items: [LISTING] }), silent, silent, silent)
  assert.equal(await one.run('buy', '123', '--max-price', '8.40', ...to), 4)
  const sent = server.requests.slice(-3)
  assert.deepEqual(JSON.parse(sent[0]?.body ?? ''), {
    ...{ itemId: '123', price: 8, market: 'market_a', tradeUrl: 'https://t' },
  })
  const keys = new Set(sent.map(({ headers }) => headers['idempotency-key']))
  assert.equal(keys.size, 1)
  const retry = `--price 8.00 --external-id ${[...keys][0]} --yes`
  assert.ok(one.notes.join('\n').includes(retry), one.notes.join('\n'))
  assert.ok(one.notes.includes(`idempotency key  ${[...keys][0]}`))
})

it('a printed command is started as the program was, with the profile and the sub-user in use', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ input: KEY, startedAs: 'npx tradepost' })
  const profile = ['--profile', 'my shop']
  assert.equal(await one.run('whoami', ...profile), 5)
  assert.match(one.notes.join('\n'), /Log in: npx tradepost login --profile 'my shop'$/m)
  server.script(success(MERCHANT), success(PREVIEW))
  server.script(success({ id: 't-1', status: 'initiated', totalPrice: 8 }))
  assert.equal(await one.run('login', '--url', server.baseUrl, ...profile), 0)
  assert.equal(await one.run('buy', '123', '--max-price', '9.00', '--yes', ...profile), 0)
  assert.match(one.out.join('\n'), /follow +npx tradepost trades show t-1 --profile 'my shop'$/)
  one.clear()
  const page = { total: 1, page: 1, limit: 20, totalPages: 1 }
  server.script(success({ items: [{ id: '1', marketHashName: 'x' }], ...page }))
  assert.equal(await one.run('search', '--on-behalf-of', 'käthe', ...profile), 0)
  const next = "npx tradepost listings <item> --on-behalf-of 'käthe' --profile 'my shop'"
  assert.ok(one.out.at(-1)?.endsWith(`Listings: ${next}`), one.out.at(-1))
  one.clear()
  await one.run('buy', '--help')
  assert.equal(one.out[0], 'Usage: npx tradepost buy [options] <listing>')
})

it('a buy without a trade URL says so before anything else, and where the sandbox has one', async () => {
  await using server = await startScripted()
  const buy = ['buy', '123', '--max-price', '9.00', '--yes']
  const without = {
    ...{ ...PREVIEW, passes: false, refusals: ['PRICE_MISMATCH', 'TRADEURL_REQUIRED'] },
    recipient: { state: 'unknown', tradeUrl: null },
  }
  for (const [key, speaks] of [
    [KEY, 'merchant'],
    ['tp_live_0123456789', 'merchant'],
    [KEY, 'partner'],
  ] as const) {
    using one = testEnvironment({
      env: {
        ...{ TRADEPOST_API_KEY: key, TRADEPOST_URL: server.baseUrl },
        TRADEPOST_INTERFACE: speaks,
      },
    })
    server.clear()
    server.script(success(without))
    assert.equal(
      await one.run(...buy, ...(speaks === 'partner' ? ['--market', 'market_a'] : [])),
      2,
    )
    const [first = '', ...others] = one.notes
    assert.match(first, /--trade-url is missing/)
    const isOfSandbox = key === KEY
    assert.equal(/--trade-url '?https.*accept00/.test(others.join('\n')), isOfSandbox)
    assert.equal(others.join('\n').includes(`${server.baseUrl}/docs/sandbox`), isOfSandbox)
  }
})

it('an unknown deposit says where ids come from', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  server.script(refusal(404, 'DEPOSIT_NOT_FOUND'))
  assert.equal(await one.run('deposits', 'show', 'x'), 3)
  assert.match(one.notes.join('\n'), /no deposit x of this wallet\.\n.*deposits list/)
})

it('a listener honours retry-after, survives lost connections, and resumes from its position', async () => {
  await using server = await startScripted()
  using one = testEnvironment({
    env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl },
    onNote: () => undefined,
  })
  const meta = { scope: 'budget', policy: 'x', limit: 1, windowSeconds: 60, retryAfterSeconds: 1 }
  const page = (id: string) => success({ items: [anEvent(id)], nextCursor: id })
  server.script(
    page('e0'),
    page('e1'),
    refusal(429, 'RATE_LIMITED', { meta, headers: { 'retry-after': '1' } }),
    (response) => void response.destroy(),
    page('e2'),
    (response) => {
      one.interrupt()
      response.destroy()
    },
  )
  assert.equal(await one.run('listen', '--json', '--events', 'trade.hold'), 0)
  const places = server.requests.slice(1).map(({ url }) => new URL(url, 'http://x').searchParams)
  assert.deepEqual(
    places.map((query) => query.get('after')),
    ['e0', 'e1', 'e1', 'e1', 'e2'],
  )
  assert.ok(places.every((query) => query.get('type') === 'trade.hold'))
  const ids = one.out.map((line) => (JSON.parse(line) as { id: string }).id)
  assert.deepEqual(ids, ['e1', 'e2'])
  const said = one.notes.join('\n')
  assert.equal(said.match(/waiting/g)?.length, 1, said)
  assert.equal(said.match(/back/g)?.length, 1, said)
  assert.equal(readListening(one.environment.configFolder, 'default').place?.eventId, 'e2')
})

it('an event that the service no longer knows is reported as such', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  const problem = { in: 'query', pointer: '/after', rule: 'known', message: 'unknown' }
  server.script(refusal(422, 'VALIDATION_FAILED', { meta: { errors: [problem] } }))
  const id = '0193f3f0-0000-7000-8000-000000000000'
  assert.equal(await one.run('listen', '--since', id), 2)
  assert.match(one.notes.join('\n'), /does not know the event/)
})

it('--forward-to is an address, and a port means this machine', () => {
  assert.equal(forwardUrl('4000/hook'), 'http://localhost:4000/hook')
  assert.equal(forwardUrl(':4000'), 'http://localhost:4000/')
  assert.equal(forwardUrl('localhost:4000/hook'), 'http://localhost:4000/hook')
  assert.equal(forwardUrl('https://example.com/x?y=1'), 'https://example.com/x?y=1')
  for (const wrong of ['', 'http://', 'http://a:b@c/', 'ftp://x y']) {
    assert.throws(() => forwardUrl(wrong), /not an address/, wrong)
  }
})

it('a scenario runs only with a test key and a sandbox that responds', async () => {
  await using server = await startScripted()
  for (const key of ['tp_live_0123', KEY]) {
    using one = testEnvironment({
      env: {
        TRADEPOST_API_KEY: key,
        TRADEPOST_URL: server.baseUrl,
        TRADEPOST_SANDBOX_URL: 'http://127.0.0.1:9',
      },
    })
    assert.equal(await one.run('trigger', 'trade.hold'), 1)
    assert.match(one.notes.join('\n'), /real money/)
  }
  assert.deepEqual(server.requests, [])
})

it('the demo merchant of a service started here is found in its data folder', async () => {
  await using server = await startScripted()
  using one = testEnvironment()
  assert.equal(await one.run('login', '--demo'), 1)
  const sandboxUrl = 'http://127.0.0.1:9'
  const demo = { baseUrl: server.baseUrl, sandboxUrl, merchant: { apiKey: KEY } }
  writeFileSync(join(one.environment.cwd, 'demo.json'), JSON.stringify(demo))
  server.script(success(MERCHANT))
  assert.equal(await one.run('login', '--demo', '.'), 0)
  const stored = readFileSync(join(one.environment.configFolder, 'profiles.json'), 'utf8')
  assert.deepEqual(JSON.parse(stored), {
    default: { baseUrl: server.baseUrl, apiKey: KEY, sandboxUrl },
  })
})

const PREVIEW = {
  passes: true,
  refusals: [],
  tradeId: null,
  items: [{ marketHashName: 'x', price: 8, houseFee: 1, merchantFee: 0 }],
  recipient: { state: 'ready', tradeUrl: 'x', personaName: 'Anna' },
  balance: { currency: 'USD', before: 10, required: 8, after: 2, sufficient: true },
}

const anEvent = (id: string) => ({
  id,
  type: 'trade.hold',
  createdAt: '2026-11-21T09:30:00.000Z',
  data: { trade: { id: 't', status: 'hold', totalPrice: 1, currency: 'USD' } },
})
