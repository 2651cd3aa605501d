import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { merchantRoutes, type Tier } from '@tradepost/contract'
import { createLimiter } from '#infra/limits/rate-limit/limiter'
import { systemClock } from '#infra/process/clock'
import { until } from '../../../infra/testing/until.ts'
import { createAuthenticator } from '../merchant/authenticate.ts'
import { createLimitsOperation } from '../merchant/limits/limits.ts'
import { operation } from '../merchant/operation.ts'
import { createRateLimits } from './rate-limits.ts'
import { createSocketAdmission } from './socket-admission.ts'
import {
  KEY,
  keyRecord,
  MERCHANT_ID,
  rateLimits,
  startTestServer,
  type TestAnswer,
  type TestServer,
} from './testing/server.ts'

const OTHER_KEY = 'tp_test_second'
const BUY = { items: [{ listingId: '4700012345', maxPrice: '5.50' }] }

interface Limited extends TestServer {
  advance(milliseconds: number): void
  /** Of keys: how many there were, and what each waits for. */
  readonly lookUps: { count: number; before: Promise<void> }
  readonly admitSocket: ReturnType<typeof createSocketAdmission>
}

const opened: TestServer[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})

/** The edge with real limits, under a clock that is moved by hand, and three routes. */
async function startLimited({
  tier = 'standard' as Tier,
  scale = 1,
  trustedProxies = [] as string[],
} = {}): Promise<Limited> {
  let at = 1000
  const nowMs = (): number => at
  const lookUps = { count: 0, before: Promise.resolve() }
  const limiter = createLimiter({ windowMs: 60_000, nowMs, shared: null })
  const { authenticate } = createAuthenticator({
    findKey: async (secret) => {
      lookUps.count++
      await lookUps.before
      if (secret === KEY) return keyRecord({ tier })
      return secret === OTHER_KEY ? keyRecord({ tier, keyId: 'another key' }) : null
    },
    looksLikeKey: (secret) => secret.startsWith('tp_test_'),
    clock: systemClock,
  })
  const server = await startTestServer({
    authenticate,
    trustedProxies,
    rateLimits: createRateLimits({ limiter, addressLimiter: limiter, scale, nowMs }),
    operations: [
      createLimitsOperation({ limiter, scale }),
      operation(merchantRoutes.getWallet, async () => ({ currency: 'USD' as const, balance: 1 })),
      operation(merchantRoutes.suspendSubUser, async () => {
        throw new Error('no business here')
      }),
      operation(merchantRoutes.listPrices, async ({ query }) => ({
        items: [],
        total: 0,
        page: 1,
        limit: query.limit,
        totalPages: 0,
        version: 'none',
      })),
      operation(merchantRoutes.buy, async ({ caller }) => ({
        id: caller.requestId,
        status: 'initiated' as const,
        itemCount: 1,
        totalPrice: 5.5,
        createdAt: '2026-11-21T09:30:00.000Z',
      })),
    ],
  })
  opened.push(server)
  return {
    ...server,
    lookUps,
    admitSocket: createSocketAdmission({ limiter, scale }),
    advance: (milliseconds) => {
      at += milliseconds
    },
  }
}

const budgetOf = async (server: TestServer): Promise<Record<string, number>> => {
  const { json } = await server.call('GET', '/merchant/limits')
  return (json.data as { budget: Record<string, number> }).budget
}

const repeat = async (times: number, call: () => Promise<TestAnswer>): Promise<number[]> => {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) statuses.push((await call()).status)
  return statuses
}

for (const [tier, budget] of [
  ['standard', 60],
  ['premium', 180],
  ['enterprise', 360],
] as const) {
  test(`${tier}: a minute holds ${budget} tokens, which is ${budget / 5} buys`, async () => {
    const server = await startLimited({ tier })
    const answers = await repeat(budget / 5 + 1, () =>
      server.call('POST', '/market/buy', { body: BUY }),
    )
    assert.deepEqual(answers, [...Array(budget / 5).fill(200), 429])
  })
}

test('a refusal names its limit, says how long to wait, and waiting so long is enough', async () => {
  const server = await startLimited()
  const wallet = () => server.call('GET', '/user/wallet')
  await wallet()
  server.advance(20_500)
  await repeat(59, wallet)
  const refused = await wallet()
  const { error } = refused.json
  assert.equal(refused.status, 429)
  assert.deepEqual(error?.meta, {
    scope: 'budget',
    policy: 'budget-standard',
    limit: 60,
    windowSeconds: 60,
    retryAfterSeconds: 40,
  })
  assert.equal(error?.code, 1004)
  assert.equal(refused.headers.get('retry-after'), '40')
  server.advance(39_499)
  assert.equal((await wallet()).status, 429)
  server.advance(501)
  assert.deepEqual(await repeat(2, wallet), [200, 429])
})

test('the budget alone shows in no header, also not when it refuses', async () => {
  const server = await startLimited()
  for (const status of [...Array(60).fill(200), 429]) {
    const answer = await server.call('GET', '/user/wallet')
    assert.equal(answer.status, status)
    for (const name of answer.headers.keys()) assert.doesNotMatch(name, /ratelimit/)
  }
})

const headersOf = ({ headers }: TestAnswer) => ({
  policy: headers.get('ratelimit-policy'),
  rest: headers.get('ratelimit'),
  old: ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`)),
})

test('a capped route says on every answer what is left: good, refused, failed, and over the limit', async () => {
  const server = await startLimited({ tier: 'enterprise' })
  const suspend = (headers = {}) =>
    server.call('POST', '/merchant/users/alice/suspend', { headers })
  const policy = '"sub-user-suspend";q=30;w=60'
  const failed = await suspend()
  assert.equal(failed.status, 500)
  assert.deepEqual(headersOf(failed), {
    policy,
    rest: '"sub-user-suspend";r=29;t=60',
    old: ['30', '29', '60'],
  })
  server.advance(10_000)
  const forbidden = await suspend({ 'on-behalf-of': 'alice' })
  assert.equal(forbidden.status, 403)
  assert.equal(headersOf(forbidden).rest, '"sub-user-suspend";r=28;t=50')
  await repeat(28, suspend)
  const over = await suspend()
  assert.equal(over.status, 429)
  assert.equal(over.json.error?.meta?.scope, 'route')
  assert.equal(over.headers.get('retry-after'), '50')
  assert.deepEqual(headersOf(over), {
    policy,
    rest: '"sub-user-suspend";r=0;t=50',
    old: ['30', '0', '50'],
  })
  const unauthenticated = await server.call('POST', '/market/buy', { headers: { 'api-key': 'x' } })
  assert.equal(unauthenticated.status, 401)
  assert.equal(headersOf(unauthenticated).rest, '"market-buy";r=100;t=0')
})

test('the time to a reset is never longer than the window, also where entries are counted in slots', async () => {
  const server = await startLimited({ scale: 1000 })
  server.advance(1)
  const { headers } = await server.call('POST', '/merchant/users/a/suspend')
  assert.equal(headers.get('x-ratelimit-reset'), '60')
  assert.match(headers.get('ratelimit') ?? '', /t=60$/)
})

test('a route that is over its cap takes nothing of the budget, and other routes go on', async () => {
  const server = await startLimited({ tier: 'enterprise' })
  const suspend = () => server.call('POST', '/merchant/users/alice/suspend')
  await repeat(40, suspend)
  assert.equal((await budgetOf(server)).used, 30)
  assert.equal((await server.call('GET', '/user/wallet')).status, 200)
})

test('a spent budget takes nothing of a route’s cap', async () => {
  const server = await startLimited()
  await repeat(58, () => server.call('GET', '/user/wallet'))
  const buy = await server.call('POST', '/market/buy', { body: BUY })
  assert.equal(buy.json.error?.meta?.scope, 'budget')
  assert.equal(buy.headers.get('ratelimit'), '"market-buy";r=100;t=0')
  assert.equal((await budgetOf(server)).used, 58, 'a refused request costs nothing')
})

test('of two spent limits the one that lasts longer is named', async () => {
  const server = await startLimited()
  await repeat(30, () => server.call('POST', '/merchant/users/alice/suspend'))
  server.advance(30_000)
  await repeat(30, () => server.call('GET', '/user/wallet'))
  server.advance(29_000)
  const both = await server.call('POST', '/merchant/users/alice/suspend')
  assert.equal(both.status, 429)
  assert.equal(both.headers.get('retry-after'), '1')
})

test('every request whose key opens a merchant costs, whatever becomes of it', async () => {
  const server = await startLimited({ tier: 'enterprise' })
  const call = async (cost: number, ...args: Parameters<TestServer['call']>) => {
    const before = (await budgetOf(server)).used ?? 0
    await server.call(...args)
    assert.equal((await budgetOf(server)).used, before + cost, args.join(' '))
  }
  await call(5, 'POST', '/market/buy', { body: { bad: 1 } })
  await call(5, 'POST', '/market/buy', { raw: '{' })
  await call(5, 'POST', '/market/buy', { raw: 'x'.repeat(300_000) })
  await call(1, 'GET', '/user/wallet', { headers: { 'on-behalf-of': 'absent' } })
  await call(1, 'GET', '/user/wallet?unknown=1')
  await call(1, 'GET', '/market/prices')
  await call(5, 'GET', '/market/prices?limit=-1')
  await call(1, 'GET', '/market/prices?limit=-1&limit=-1')
  await call(0, 'GET', '/merchant/limits')
  await call(1, 'GET', '/no/such/route')
  await call(1, 'GET', '/merchant/none')
  await call(1, 'PUT', '/user/wallet')
  await call(1, 'GET', '/dashboard/api/keys')
  await call(0, 'GET', '/no/such/route', { headers: { 'api-key': 'tp_test_unknown' } })
  await call(0, 'GET', '/user/wallet', { headers: { 'api-key': 'tp_test_unknown' } })
})

test('sub-users and all keys of a merchant share its budget, and each key has its own caps', async () => {
  const server = await startLimited({ tier: 'enterprise' })
  await repeat(20, () => server.call('POST', '/market/buy', { body: BUY }))
  const headers = { 'api-key': OTHER_KEY, 'on-behalf-of': 'alice' }
  const other = await server.call('POST', '/market/buy', { body: BUY, headers })
  assert.equal(other.headers.get('x-ratelimit-remaining'), '99')
  assert.equal((await budgetOf(server)).used, 105)
})

test('opening a socket takes of the budget of the merchant, and for a person of the person’s', async () => {
  const server = await startLimited()
  const owner = { tenantId: MERCHANT_ID, tier: 'standard', session: null } as const
  const session = { sessionId: 'session-of-reader', personId: 'reader' }
  assert.equal(await server.admitSocket({ ...owner, session }), true)
  assert.equal((await budgetOf(server)).used, 0)
  const admitted = async (times: number): Promise<boolean[]> => {
    const answers: boolean[] = []
    for (let i = 0; i < times; i++) answers.push(await server.admitSocket(owner))
    return answers
  }
  assert.deepEqual(await admitted(58), Array(58).fill(true))
  assert.equal((await budgetOf(server)).used, 58)
  assert.equal((await server.call('GET', '/user/wallet')).status, 200)
  assert.deepEqual(await admitted(2), [true, false])
  assert.equal((await server.call('GET', '/user/wallet')).status, 429)
  server.advance(60_001)
  assert.deepEqual(await admitted(1), [true])
})

test('a look at the limits shows tier, budget, caps and the cost of every route', async () => {
  const server = await startLimited({ tier: 'premium' })
  await server.call('POST', '/market/buy', { body: BUY })
  server.advance(1500)
  const { json } = await server.call('GET', '/merchant/limits')
  const data = json.data as {
    tier: string
    budget: object
    caps: { operation: string; used: number }[]
    costs: { operation: string; cost: number; dearer?: object }[]
  }
  assert.equal(data.tier, 'premium')
  assert.deepEqual(data.budget, {
    limit: 180,
    used: 5,
    remaining: 175,
    windowSeconds: 60,
    resetSeconds: 59,
  })
  assert.deepEqual(
    data.caps.find(({ operation }) => operation === 'buy'),
    {
      ...{ operation: 'buy', policy: 'market-buy', limit: 100, used: 1, remaining: 99 },
      ...{ windowSeconds: 60, resetSeconds: 59 },
    },
  )
  const costs = new Map(data.costs.map((entry) => [entry.operation, entry]))
  assert.equal(costs.get('buy')?.cost, 5)
  assert.deepEqual(costs.get('listPrices')?.dearer, { query: 'limit', equals: -1, cost: 5 })
  assert.equal(costs.size, Object.keys(merchantRoutes).length)
})

test('the scale multiplies budget, caps and what an address may try', async () => {
  const server = await startLimited({ scale: 10 })
  assert.equal((await budgetOf(server)).limit, 600)
  const buy = await server.call('POST', '/market/buy', { body: BUY })
  assert.equal(buy.headers.get('ratelimit-policy'), '"market-buy";q=1000;w=60')
  const guess = { headers: { 'api-key': 'junk' } }
  const answers = await repeat(150, () => server.call('GET', '/user/wallet', guess))
  assert.ok(answers.every((status) => status === 401))
})

test('an address without a route is refused over the limit, as every other is', async () => {
  const server = await startLimited()
  await repeat(60, () => server.call('GET', '/no/such/route'))
  for (const path of ['/no/such/route', '/merchant/none', '/dashboard/api/keys']) {
    assert.equal((await server.call('GET', path)).json.error?.key, 'RATE_LIMITED', path)
  }
  const unknown = await server.call('GET', '/no/such/route', { headers: { 'api-key': '' } })
  assert.equal(unknown.status, 404)
})

test('after 100 keys that do not exist an address is refused for the rest of the minute, but for good keys', async () => {
  const server = await startLimited()
  const guess = (i: number) => ({ headers: { 'api-key': i % 2 ? 'junk' : `tp_test_${i}` } })
  let i = 0
  const guesses = await repeat(101, () => server.call('GET', '/user/wallet', guess(i++)))
  assert.deepEqual(guesses, [...Array(100).fill(401), 429])
  const another = await server.call('GET', '/user/wallet', guess(i++))
  assert.equal(another.status, 429)
  assert.deepEqual(another.json.error?.meta, {
    scope: 'ip',
    policy: 'failed-keys',
    limit: 100,
    windowSeconds: 60,
    retryAfterSeconds: 60,
  })
  assert.equal(another.headers.get('retry-after'), '60')
  const keyless = { headers: { 'api-key': '' } }
  assert.equal((await server.call('GET', '/user/wallet', keyless)).status, 429)
  // Behind a balancer that is not trusted, all callers share the address of the client that tried the keys.
  assert.equal((await server.call('GET', '/user/wallet')).status, 200)
  assert.equal((await server.call('GET', '/healthz')).status, 200)
  server.advance(59_999)
  assert.equal((await server.call('GET', '/user/wallet', guess(0))).status, 429)
  server.advance(1)
  assert.equal((await server.call('GET', '/user/wallet', guess(0))).status, 401)
})

test('a refused address has a few look-ups of keys under way, and is refused beyond', async () => {
  const server = await startLimited()
  let i = 0
  const guess = () =>
    server.call('GET', '/user/wallet', { headers: { 'api-key': `tp_test_${i++}` } })
  await repeat(100, guess)
  const { lookUps } = server
  assert.equal(lookUps.count, 100)
  const { promise, resolve } = Promise.withResolvers<void>()
  lookUps.before = promise
  const flood = Array.from({ length: 30 }, guess)
  let answered = 0
  for (const answer of flood) void answer.then(() => answered++)
  await until('the others are refused', () => answered === 26)
  assert.equal(lookUps.count, 104)
  resolve()
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  assert.deepEqual(statuses, Array(30).fill(429))
  assert.equal((await server.call('GET', '/user/wallet')).status, 200, 'a good key is looked up')
})

test('a missing key is no guess', async () => {
  const server = await startLimited()
  const none = () => server.call('GET', '/user/wallet', { headers: { 'api-key': '' } })
  assert.deepEqual(await repeat(120, none), Array(120).fill(401))
  assert.equal((await server.call('GET', '/user/wallet')).status, 200)
})

test('an address is refused for its own guesses: behind a proxy by the forwarded one, in IPv6 by its network', async () => {
  const server = await startLimited({ trustedProxies: ['127.0.0.1'] })
  const guessFrom = (ip: string) =>
    server.call('GET', '/user/wallet', { headers: { 'api-key': 'junk', 'x-forwarded-for': ip } })
  let host = 0
  await repeat(100, () => guessFrom(`2001:db8:1:2::${(++host).toString(16)}`))
  assert.equal((await guessFrom('2001:db8:1:2:ffff::1')).status, 429)
  assert.equal((await guessFrom('2001:db8:1:3::1')).status, 401)
  assert.equal((await guessFrom('203.0.113.1')).status, 401)
})

test('a route without a key can be limited by address', async () => {
  const { addresses } = rateLimits()
  const inbound = { policy: 'inbound', limit: 2, about: '' }
  const answers = []
  for (const ip of ['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2']) {
    answers.push(await addresses.admit(ip, inbound))
  }
  assert.deepEqual(
    answers.map(({ refusal }) => refusal?.details?.scope ?? null),
    [null, null, 'ip', null],
  )
  assert.equal(answers[1]?.headers?.ratelimit, '"inbound";r=0;t=60')
  assert.equal(answers[2]?.refusal?.details?.retryAfterSeconds, 60)
})

test('limits of one merchant do not touch another', async () => {
  const { admit } = rateLimits().keys
  const ask = (id: string) =>
    admit({
      principal: {
        tenant: { id, currency: 'USD' },
        keyId: 'k',
        tier: 'standard',
        permissions: new Set(['user']),
      },
      route: merchantRoutes.getWallet,
      query: {},
    })
  for (let i = 0; i < 61; i++) await ask(MERCHANT_ID)
  assert.equal((await ask(MERCHANT_ID)).refusal?.key, 'RATE_LIMITED')
  assert.equal((await ask('another')).refusal, null)
})
