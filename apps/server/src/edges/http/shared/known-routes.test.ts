// What clients, monitors and people ask of an address besides what it is for.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { merchantRoutes } from '@tradepost/contract'
import { Type } from 'typebox'
import { Refusal } from '#kernel/refusal'
import { operation } from '../merchant/operation.ts'
import type { ApiInterface } from './api-interface.ts'
import { notFound } from './failure.ts'
import { defineOperation, PreparedResponse } from './operation.ts'
import { sendRaw } from './testing/raw.ts'
import { KEY, rateLimits, startTestServer, type TestServer } from './testing/server.ts'

/** As the dashboard's: it takes no key. */
const sessions: ApiInterface = {
  name: 'sessions',
  operations: ['/sessions', '/sessions/own', '/sessions/{id}'].map((path) =>
    defineOperation(
      {
        route: { ...{ id: `read ${path}`, method: 'GET', path }, response: Type.Object({}) },
        permission: 'read',
      },
      async () => ({}),
    ),
  ),
  authenticate: () => {
    throw new Refusal('FORBIDDEN')
  },
  limits: null,
  resolveCaller: () => ({ confirm: async () => {} }),
  closedRoutes: [],
  prefixes: ['/sessions'],
  answerUnmatched: notFound,
}

let server: TestServer
before(async () => {
  server = await startTestServer({ rateLimits: rateLimits(), others: [sessions] })
})
after(() => server.close())

const used = async (calls: () => Promise<unknown>): Promise<number> => {
  const own = await startTestServer({ rateLimits: rateLimits(), others: [sessions] })
  const whole = server
  server = own
  try {
    await calls()
    // Of the 60 tokens of the tier what is left is spent one by one.
    for (let left = 60; ; left--) {
      if ((await own.call('GET', '/user/wallet')).status === 429) return left
    }
  } finally {
    server = whole
    await own.close()
  }
}

test('HEAD is answered as GET is, without a body', async () => {
  for (const path of ['/user/wallet', '/healthz', '/readyz', '/docs', '/openapi/merchant.json']) {
    const get = await server.call('GET', path)
    const head = await server.call('HEAD', path)
    assert.equal(head.status, get.status, path)
    assert.equal(head.text, '')
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
      assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
    }
  }
  assert.equal(
    (await server.call('HEAD', '/user/wallet', { headers: { 'api-key': '' } })).status,
    401,
  )
  assert.equal((await server.call('HEAD', '/market/buy')).status, 404)
})

test('HEAD costs what GET costs', async () => {
  assert.equal(await used(() => server.call('HEAD', '/user/wallet')), 1)
})

test('OPTIONS names the methods of an address, needs no key and costs nothing', async () => {
  const keyless = { headers: { 'api-key': '' } }
  for (const [path, allow] of [
    ['/market/buy', 'POST, OPTIONS'],
    ['/user/wallet', 'GET, HEAD, OPTIONS'],
    ['/market/items/0123456789abcdef', 'GET, HEAD, OPTIONS'],
    ['/healthz', 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const { status, headers, text } = await server.call('OPTIONS', path, keyless)
    assert.deepEqual([status, headers.get('allow'), text], [204, allow, ''], path)
  }
  for (const path of ['/nowhere', '/dashboard/api/nowhere']) {
    assert.equal((await server.call('OPTIONS', path)).status, 404, path)
  }
  assert.equal(await used(() => server.call('OPTIONS', '/user/wallet')), 0)
})

test('an unknown method of a known address is not found', async () => {
  for (const method of ['PUT', 'PROPFIND']) {
    assert.equal((await server.call(method, '/user/wallet')).json.error?.key, 'NOT_FOUND')
  }
})

test('an address with a slash at its end is not found, and the answer names the one without', async () => {
  const messageOf = async (path: string): Promise<string | undefined> =>
    (await server.call('GET', path)).json.error?.message
  assert.match(
    (await messageOf('/user/wallet/')) ?? '',
    /There is GET \/user\/wallet, without the slash/,
  )
  assert.match(
    (await messageOf('/market/items/0123456789abcdef/')) ?? '',
    /There is GET \/market\/items\/0123456789abcdef, without/,
  )
  // A list whose members have addresses below it.
  assert.match((await messageOf('/sessions/')) ?? '', /There is GET \/sessions, without the slash/)
  assert.doesNotMatch((await messageOf('/nowhere/')) ?? '', /without the slash/)
  assert.doesNotMatch((await messageOf('/market/buy/')) ?? '', /without the slash/)
})

test('a key at an address that takes none is forbidden, and costs as anywhere', async () => {
  assert.equal(
    await used(async () => {
      assert.equal((await server.call('GET', '/sessions/own')).json.error?.key, 'FORBIDDEN')
      const unknown = { headers: { 'api-key': 'tp_test_unknown' } }
      assert.equal(
        (await server.call('GET', '/sessions/own', unknown)).json.error?.key,
        'FORBIDDEN',
      )
    }),
    1,
  )
})

test('a missing key is answered with the header that carries it', async () => {
  const none = await server.call('GET', '/user/wallet', { headers: { 'api-key': '' } })
  assert.equal(none.json.error?.key, 'MISSING_API_KEY')
  assert.equal(none.json.error?.message, 'Send your API key in the header api-key.')
  const bearer = { 'api-key': '', authorization: 'Bearer abc' }
  const { json } = await server.call('GET', '/user/wallet', { headers: bearer })
  assert.equal(
    json.error?.message,
    'Send your API key in the header api-key. Authorization is not read.',
  )
})

const raw = async (line: string, headers: readonly string[], body = '') => {
  const lines = [line, 'host: a', ...headers, `content-length: ${body.length}`]
  const [answer] = await sendRaw(server.port, [`${lines.join('\r\n')}\r\n\r\n${body}`])
  return [answer?.status, answer?.json.error?.key]
}

test('headers that name who calls, for whom, and which call it is, are given once', async () => {
  const read = 'GET /user/wallet HTTP/1.1'
  const key = `api-key: ${KEY}`
  assert.deepEqual(await raw(read, [key, key]), [200, undefined], 'the same key twice is one')
  assert.deepEqual(await raw(read, [key, 'api-key: other']), [400, 'BAD_REQUEST'])
  assert.deepEqual(await raw(read, [key, 'x-api-key: a', 'x-api-key: b']), [400, 'BAD_REQUEST'])
  const alice = 'on-behalf-of: alice'
  assert.deepEqual(await raw(read, [key, alice, alice]), [200, undefined])
  assert.deepEqual(await raw(read, [key, alice, 'on-behalf-of: sam']), [400, 'BAD_REQUEST'])
  assert.deepEqual(await raw(read, [key, 'on-behalf-of: al, ice']), [404, 'USER_NOT_FOUND'])

  const fund = 'POST /merchant/users/alice/fund HTTP/1.1'
  const json = ['content-type: application/json', key]
  const amount = '{"amount":"5.00"}'
  server.seen.idempotencyKey = ''
  for (const other of ['one', 'two']) {
    const keys = ['idempotency-key: one', `idempotency-key: ${other}`]
    assert.deepEqual(await raw(fund, [...json, ...keys], amount), [400, 'BAD_REQUEST'])
  }
  assert.equal(server.seen.idempotencyKey, '', 'nothing is done')
  assert.deepEqual(await raw(fund, [...json, 'idempotency-key: a, b'], amount), [200, undefined])
  assert.equal(server.seen.idempotencyKey, 'a, b')
})

test('a refused duplicate costs as any other call of a known key', async () => {
  const twice = ['on-behalf-of: alice', 'on-behalf-of: sam']
  assert.equal(await used(() => raw('GET /user/wallet HTTP/1.1', [`api-key: ${KEY}`, ...twice])), 1)
})

test('long answers of one tenant leave one after the other, and hold up no other answer of it', async () => {
  const part = Buffer.alloc(4 * 1024 * 1024, 'x')
  const long = await startTestServer({
    operations: [
      operation(merchantRoutes.listPrices, async () => new PreparedResponse([part], {}) as never),
      operation(merchantRoutes.getWallet, async () => ({ currency: 'USD' as const, balance: 1 })),
    ],
  })
  try {
    const get = { headers: { 'api-key': KEY } }
    // Its body is not read: the answer is under way until the client takes it.
    const first = await fetch(`${long.url}/market/prices`, get)
    let isSecondThere = false
    const second = fetch(`${long.url}/market/prices`, get).then(async (response) => {
      isSecondThere = true
      return (await response.arrayBuffer()).byteLength
    })
    assert.equal((await long.call('GET', '/user/wallet')).status, 200)
    assert.equal(isSecondThere, false)
    assert.equal((await first.arrayBuffer()).byteLength, part.length)
    assert.equal(await second, part.length)
  } finally {
    await long.close()
  }
})
