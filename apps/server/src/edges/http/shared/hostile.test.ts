// Input that no honest client sends. Whatever it is, the answer is an envelope, soon, and never a 500.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { merchantRoutes, partnerRoutes } from '@tradepost/contract'
import { systemClock } from '#infra/process/clock'
import { until } from '#infra/testing/until'
import { Refusal } from '#kernel/refusal'
import { createAuthenticator } from '../merchant/authenticate.ts'
import { createMerchantInterface } from '../merchant/merchant-interface.ts'
import { operation as merchantOperation } from '../merchant/operation.ts'
import { createPartnerAuthenticator } from '../partner/authenticate.ts'
import { operation as partnerOperation } from '../partner/operation.ts'
import { createPartnerInterface } from '../partner/partner-interface.ts'
import type { KeyAuthenticatorDeps } from './key-authenticator.ts'
import type { KeyRecord } from './ports.ts'
import { sendRaw } from './testing/raw.ts'
import {
  KEY,
  keyRecord,
  resolveAccount,
  startTestServer,
  type TestServer,
} from './testing/server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer({
    limits: { requestTimeoutMs: 400, headersTimeoutMs: 400, timeoutCheckMs: 50 },
  })
})
after(() => server.close())

const head = (line: string, ...headers: string[]) =>
  `${[line, 'host: a', `api-key: ${KEY}`, ...headers].join('\r\n')}\r\n\r\n`

test('bytes that are not HTTP are answered in the envelope', async () => {
  const table: [name: string, bytes: string, status: number][] = [
    ['garbage', 'hello\r\n\r\n', 400],
    ['TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a wrong version', 'GET /healthz HTTP/9.9\r\n\r\n', 400],
    ['a bare header', 'GET /healthz HTTP/1.1\r\nhost\r\n\r\n', 400],
    ['NUL in a header', 'GET /healthz HTTP/1.1\r\na: \0\r\n\r\n', 400],
    [
      'two lengths',
      'POST /market/buy HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
    ],
    [
      'length and chunks',
      'POST /market/buy HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
    ],
    ['a negative length', head('POST /market/buy HTTP/1.1', 'content-length: -1'), 400],
    ['headers of 20 KB', head('GET /healthz HTTP/1.1', `x: ${'y'.repeat(20_000)}`), 431],
    ['an address of 20 KB', head(`GET /${'y'.repeat(20_000)} HTTP/1.1`), 431],
    ['a request to a proxy', 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: a\r\n\r\n', 400],
    ['2,000 headers', head('GET /healthz HTTP/1.1', ...Array(2000).fill('x-a: 123')), 431],
  ]
  for (const [name, bytes, status] of table) {
    const [answer] = await sendRaw(server.port, [Buffer.from(bytes, 'latin1')])
    assert.equal(answer?.status, status, name)
    assert.equal(answer?.json.error?.key, 'BAD_REQUEST', name)
    assert.match(answer?.head ?? '', /x-request-id: [0-9a-f-]{36}/, name)
    assert.match(answer?.head ?? '', /link: <\/docs\/errors#BAD_REQUEST>; rel="help"/, name)
  }
})

test('a request that does not arrive in time is answered 408', async () => {
  const slow: string[] = [
    'GET /healthz HTTP/1.1\r\nhost: a\r\n',
    `GET /market/search HTTP/1.1\r\nhost: a\r\napi-key: ${KEY}\r\n`,
    `${head('POST /market/buy HTTP/1.1', 'content-type: application/json', 'content-length: 50')}{"items"`,
  ]
  for (const bytes of slow) {
    const [answer] = await sendRaw(server.port, [bytes])
    assert.equal(answer?.status, 408, bytes)
    assert.equal(answer?.json.error?.key, 'BAD_REQUEST')
  }
})

/** Both interfaces that take keys, under one key that a test revokes; and what was asked and done for it. */
async function serverOfOneKey(t: TestContext, slowBodyMs: number) {
  const state = { isRevoked: false, lookedUp: 0, identified: 0, done: 0 }
  const keysOf = (kind: KeyRecord['kind']): KeyAuthenticatorDeps => ({
    findKey: async () => {
      state.lookedUp++
      return keyRecord({ kind, revoked: state.isRevoked })
    },
    looksLikeKey: () => true,
    clock: systemClock,
  })
  const act = async (): Promise<never> => {
    state.done++
    throw new Refusal('NOT_FOUND')
  }
  const merchant = createMerchantInterface({
    operations: [merchantOperation(merchantRoutes.createSubUser, act)],
    dashboardOnly: [],
    ...createAuthenticator(keysOf('merchant')),
    resolveAccount: (tenant, reference) => {
      state.identified++
      return resolveAccount(tenant, reference)
    },
    clock: systemClock,
  })
  const partner = createPartnerInterface({
    operations: [partnerOperation(partnerRoutes.createChild, act)],
    ...createPartnerAuthenticator(keysOf('partner')),
    resolvePartner: async (id) => {
      state.identified++
      const fees = { houseFeeBps: 0, houseFeeOf: 'default', partnerFeeBps: 0 } as const
      return { id, partnerId: id, fees }
    },
    clock: systemClock,
  })
  const own = await startTestServer({
    interfaces: [merchant, partner],
    limits: { slowBodyMs },
  })
  t.after(own.close)
  const call = async (
    route: 'merchant' | 'partner',
    pause: readonly (() => Promise<unknown>)[],
  ) => {
    const [line, body] =
      route === 'merchant'
        ? [`POST /merchant/users HTTP/1.1\r\napi-key: ${KEY}`, '{"externalId":"bob"}']
        : [`POST /v1/partner/users HTTP/1.1\r\nx-api-key: ${KEY}`, '{"email":"bob@shop.example"}']
    const head = `${line}\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    const [answer] = await sendRaw(own.port, [head + body.slice(0, 3), ...pause, body.slice(3)])
    return answer?.json.error?.key
  }
  const isIdentified = () => until('it was identified', () => state.identified > 0)
  return { state, call, isIdentified }
}

for (const route of ['merchant', 'partner'] as const) {
  test(`a ${route}’s call whose body is held back is refused when its key is revoked meanwhile`, async (t) => {
    const { state, call, isIdentified } = await serverOfOneKey(t, 0)
    const revoke = async (): Promise<void> => {
      await isIdentified()
      state.isRevoked = true
    }
    assert.equal(await call(route, [revoke]), 'API_KEY_REVOKED')
    assert.deepEqual([state.lookedUp, state.done], [2, 0])
  })

  test(`a ${route}’s call is carried out however slow its body is, and asks again of a slow one only`, async (t) => {
    for (const [slowBodyMs, lookedUp] of [
      [0, 2],
      [60_000, 1],
    ] as const) {
      const { state, call, isIdentified } = await serverOfOneKey(t, slowBodyMs)
      assert.equal(await call(route, [isIdentified]), 'NOT_FOUND')
      assert.deepEqual([state.lookedUp, state.done], [lookedUp, 1])
    }
  })
}

test('a GET is served whatever its body is, which is not read', async () => {
  const long = 'x'.repeat(300 * 1024)
  const lines = ['content-type: text/plain', `content-length: ${long.length}`]
  const [answer] = await sendRaw(server.port, [head('GET /market/search HTTP/1.1', ...lines), long])
  assert.equal(answer?.status, 200)
})

test('chunks that are malformed are answered 400', async () => {
  const bytes = `${head('POST /market/buy HTTP/1.1', 'content-type: application/json', 'transfer-encoding: chunked')}zz\r\n{}\r\n`
  const [answer] = await sendRaw(server.port, [bytes])
  assert.equal(answer?.status, 400)
})

test('odd but legal requests are served', async () => {
  const table: [string, number][] = [
    ['GET /healthz HTTP/1.0\r\n\r\n', 200],
    ['GET /healthz HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n', 200],
    ['GET /healthz HTTP/1.1\r\nhost: a\r\nexpect: the-unexpected\r\n\r\n', 200],
    ['GET /healthz HTTP/1.1\r\nhost: a\r\naccept-version: 9\r\n\r\n', 200],
    ['GET http://a/healthz HTTP/1.1\r\nhost: a\r\n\r\n', 200],
    ['GET /healthz?%00 HTTP/1.1\r\nhost: a\r\n\r\n', 200],
    ['FOO /healthz HTTP/1.1\r\nhost: a\r\n\r\n', 400],
    ['GET /healthz HTTP/1.1\r\nhost:\r\n\r\n', 200],
    ['GET /healthz HTTP/1.0\r\n\r\n', 200],
    ['TRACE /healthz HTTP/1.1\r\nhost: a\r\n\r\n', 404],
    ['OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n', 404],
  ]
  for (const [bytes, status] of table) {
    const [answer] = await sendRaw(server.port, [bytes])
    assert.equal(answer?.status, status, bytes)
    assert.ok(answer?.json.requestId)
  }
})

test('a request without a Host, or with several, is refused in the envelope', async () => {
  for (const bytes of [
    'GET /healthz HTTP/1.1\r\n\r\n',
    'GET /nowhere HTTP/1.1\r\n\r\n',
    'GET /merchant HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n',
    'GET /healthz HTTP/1.0\r\nhost: a\r\nhost: a\r\n\r\n',
  ]) {
    const [answer] = await sendRaw(server.port, [bytes])
    assert.equal(answer?.status, 400, bytes)
    assert.equal(answer?.json.error?.key, 'BAD_REQUEST')
    assert.ok(answer?.json.requestId)
  }
})

const bodyRoutes = [
  ['POST', '/market/buy'],
  ['POST', '/merchant/users'],
  ['POST', '/merchant/users/a/fund'],
  ['DELETE', '/merchant/users/a'],
] as const

const manyKeys = (count: number) =>
  `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`

const bodies: [name: string, raw: string | Buffer][] = [
  ['null', 'null'],
  ['a number', '1'],
  ['a string', '"x"'],
  ['an array', '[]'],
  ['true', 'true'],
  ['a number beyond all', '{"items":1e400,"amount":1e400}'],
  ['a huge integer', '{"items":[{"listingId":99999999999999999999999999,"maxPrice":1e999}]}'],
  ['10,000 levels of arrays', '['.repeat(10_000) + ']'.repeat(10_000)],
  ['10,000 levels in a field', `{"items":${'[{"a":'.repeat(5000)}0${'}]'.repeat(5000)}}`],
  ['100,000 levels, unclosed', '['.repeat(100_000)],
  ['20,000 fields', manyKeys(20_000)],
  ['100,000 fields', manyKeys(100_000)],
  ['100,000 elements', `{"items":[${'0,'.repeat(99_999)}0]}`],
  ['the prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}'],
  ['the prototype, in an item', '{"items":[{"listingId":"1","maxPrice":"1","__proto__":{"a":1}}]}'],
  ['a NUL', '{"externalId":"\\u0000","items":[{"listingId":"\\u0000","maxPrice":"1"}]}'],
  ['a lone surrogate', '{"externalId":"\\ud800","items":[{"listingId":"1","maxPrice":"\\udc00"}]}'],
  ['a field named NUL', '{"\\u0000":1}'],
  ['a long string', `{"externalId":"${'x'.repeat(200_000)}","amount":"${'9'.repeat(50_000)}"}`],
  [
    'a pattern bait',
    `{"tradeUrl":"https://${'a.'.repeat(50_000)}","email":"${'a@'.repeat(20_000)}"}`,
  ],
  ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
  ['UTF-16', Buffer.from('{"items":[]}', 'utf16le')],
  ['duplicate fields', '{"items":[],"items":{"items":1}}'],
  ['negative amounts', '{"amount":"-5","items":[{"listingId":"-1","maxPrice":"-0.01"}]}'],
  ['exponents', '{"amount":"1e3","items":[{"listingId":"1e3","maxPrice":"1e3"}]}'],
  ['SQL', `{"externalId":"'; drop table trade; --","items":"'"}`],
]

test('no body of any kind makes a route fail', async () => {
  for (const [method, path] of bodyRoutes) {
    for (const [name, raw] of bodies) {
      const startedMs = performance.now()
      const answer = await server.call(method, path, {
        raw: raw as string,
        headers: { 'idempotency-key': 'k' },
      })
      const tookMs = performance.now() - startedMs
      const label = `${method} ${path}: ${name}: ${answer.text.slice(0, 200)}`
      assert.ok(answer.json.requestId, label)
      if (answer.status !== 200) {
        assert.ok([400, 413, 422].includes(answer.status), label)
        assert.ok(
          ['BAD_REQUEST', 'VALIDATION_FAILED'].includes(answer.json.error?.key ?? ''),
          label,
        )
        assert.ok(answer.text.length < 20_000, label)
      }
      assert.ok(tookMs < 2000, `${label} took ${tookMs} ms`)
    }
  }
})

const queries = [
  '?',
  '?&&&=&',
  '?limit=',
  '?limit=1e400',
  '?limit=-1',
  '?limit=0',
  '?limit=101',
  '?limit=9999999999999999999999',
  '?limit=1&limit=2',
  '?limit[]=1',
  '?limit[$gt]=1',
  '?cursor=%00',
  '?q=%00',
  '?q=%ED%A0%80',
  '?q=%F0%9F%98%80',
  '?__proto__=1',
  '?__proto__[a]=1',
  '?constructor=1&hasOwnProperty=2',
  `?q=${'x'.repeat(10_000)}`,
  `?${'a&'.repeat(4000)}`,
  '?from=yesterday',
  '?minPrice=-1&maxPrice=1e9',
  "?q=';select",
  '?q=%',
  '?inStock=maybe',
]
const paths = [
  'a',
  '%00',
  '%2e%2e%2f',
  'x'.repeat(8000),
  '%F0%9F%98%80',
  '%ff',
  "';--",
  ' ',
  '{id}',
  '*',
]

test('no query and no path of any kind makes a route fail', async () => {
  const targets = [
    ...['/market/search', '/market/transactions', '/user/wallet'].flatMap((path) =>
      queries.map((query) => path + query),
    ),
    ...paths.map((path) => `/market/items/${path}`),
  ]
  for (const target of targets) {
    const answer = await server.call('GET', target)
    assert.ok(answer.status < 500, `${target.slice(0, 100)}: ${answer.status} ${answer.text}`)
    assert.ok(answer.json.requestId)
    assert.ok(answer.text.length < 20_000)
  }
  const deleted = await server.call('DELETE', '/merchant/users/%00')
  assert.equal(deleted.json.error?.key, 'VALIDATION_FAILED')
})

test('no header of any kind makes a route fail', async () => {
  const values = ['\x01', '\x7f', 'x'.repeat(10_000), '\xff\xfe', ' ', '{}', "';--", '%00', '../..']
  for (const name of [
    'on-behalf-of',
    'api-key',
    'idempotency-key',
    'content-type',
    'x-forwarded-for',
  ]) {
    for (const value of values) {
      const bytes = `POST /market/buy HTTP/1.1\r\nhost: a\r\n${name === 'api-key' ? '' : `api-key: ${KEY}\r\n`}${name}: ${value}\r\ncontent-length: 2\r\n\r\n{}`
      const [answer] = await sendRaw(server.port, [Buffer.from(bytes, 'latin1')])
      assert.ok(
        answer && answer.status >= 400 && answer.status < 500,
        `${name}: ${value.slice(0, 20)}`,
      )
      assert.ok(answer.json.requestId)
    }
  }
})

test('after all of it the server has logged no fault and answers', async () => {
  const troubles = server.lines.filter(({ level }) => level === 'error' || level === 'warn')
  // One of the headers above pretends to be a balancer's: that is what the operator is warned of.
  assert.deepEqual(
    troubles.map(({ event }) => event),
    ['untrusted_forwarded_for'],
  )
  assert.equal((await server.call('GET', '/healthz')).status, 200)
})
