import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { ERRORS, type ErrorKey, merchantRoutes } from '@tradepost/contract'
import { systemClock } from '#infra/process/clock'
import { Refusal } from '#kernel/refusal'
import { until } from '../../../infra/testing/until.ts'
import { createAuthenticator } from '../merchant/authenticate.ts'
import { operation } from '../merchant/operation.ts'
import { PreparedResponse } from './operation.ts'
import type { KeyRecord } from './ports.ts'
import type { Caller } from './principal.ts'
import { sendRaw } from './testing/raw.ts'
import {
  type Envelope,
  KEY,
  keyRecord,
  MERCHANT_ID,
  rateLimits,
  SUB_USER_ID,
  startTestServer,
  type TestAnswer,
  type TestServer,
} from './testing/server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.close())

const BUY = { items: [{ listingId: '4700012345', maxPrice: '5.50' }] }
/** A sub-user is looked up each time. */
const FOR_ALICE = { headers: { 'on-behalf-of': 'alice' } }
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function assertFailure(answer: TestAnswer, key: ErrorKey, status: number = ERRORS[key].status) {
  assert.equal(answer.json.error?.key, key, answer.text)
  assert.equal(answer.status, status)
  assert.equal(answer.json.success, false)
  assert.equal(answer.json.error?.code, ERRORS[key].code)
  assert.ok(answer.json.error?.message)
  assert.match(answer.json.requestId, UUID_V7)
  assert.equal(answer.headers.get('x-request-id'), answer.json.requestId)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(answer.headers.get('link'), `</docs/errors#${key}>; rel="help"`)
}

/** Log lines come after the answer has left; they are waited for, not slept for. */
const lineOf = (from: TestServer, requestId: string | null, message = 'request') =>
  until(`the line "${message}" of ${requestId}`, () =>
    from.lines.find((line) => line.requestId === requestId && line.msg === message),
  )

test('an answer is wrapped and carries its request id in header and body', async () => {
  const answer = await server.call('GET', '/user/wallet')
  assert.equal(answer.status, 200)
  assert.match(answer.json.requestId, UUID_V7)
  assert.equal(answer.headers.get('x-request-id'), answer.json.requestId)
  assert.deepEqual(answer.json, {
    requestId: answer.json.requestId,
    success: true,
    data: { currency: 'USD', balance: 12.5 },
  })
})

test('a request id of the caller is not taken over', async () => {
  const { json } = await server.call('GET', '/user/wallet', { headers: { 'x-request-id': 'mine' } })
  assert.match(json.requestId, UUID_V7)
})

test('answers are not stored, not sniffed and open to no other origin', async () => {
  for (const path of ['/user/wallet', '/nowhere']) {
    const { headers } = await server.call('GET', path, { headers: { origin: 'https://evil.test' } })
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('access-control-allow-origin'), null)
    assert.equal(headers.get('strict-transport-security'), null)
    assert.equal(headers.get('x-powered-by'), null)
  }
})

test('an unknown address and a wrong method are not found, with and without a key', async () => {
  for (const [method, path] of [
    ['GET', '/nowhere'],
    ['GET', '/market/buy'],
    ['PUT', '/user/wallet'],
    ['GET', '/user/wallet/'],
    ['GET', '/User/Wallet'],
    ['GET', '//user/wallet'],
    ['PROPFIND', '/user/wallet'],
  ] as const) {
    assertFailure(await server.call(method, path), 'NOT_FOUND')
    assertFailure(await server.call(method, path, { headers: { 'api-key': '' } }), 'NOT_FOUND')
  }
  const unread = await server.call('POST', '/nowhere', {
    raw: 'x',
    headers: { 'content-type': 'a/b' },
  })
  assertFailure(unread, 'NOT_FOUND')
})

test('a key is looked at before the body is', async () => {
  const options = { raw: '{', headers: { 'api-key': '', 'content-type': 'text/plain' } }
  assertFailure(await server.call('POST', '/market/buy', options), 'MISSING_API_KEY')
})

test('On-Behalf-Of runs a user route as that sub-user, and as the merchant without it', async () => {
  await server.call('POST', '/market/buy', { body: BUY, headers: { 'on-behalf-of': 'alice' } })
  const asAlice = server.seen.caller as Caller
  assert.equal(asAlice.account.id, SUB_USER_ID)
  assert.equal(asAlice.account.role, 'sub_user')
  assert.deepEqual([...asAlice.permissions], ['user'])
  await server.call('POST', '/market/buy', { body: BUY })
  const asSelf = server.seen.caller as Caller
  assert.equal(asSelf.account.id, MERCHANT_ID)
  assert.equal(asSelf.account.role, 'merchant')
  assert.deepEqual([...asSelf.permissions], ['merchant', 'user', 'key'])
})

test('a reference outside ASCII is found by its UTF-8 bytes', async () => {
  const bytes = Buffer.concat([
    Buffer.from(`GET /user/wallet HTTP/1.1\r\nhost: a\r\napi-key: ${KEY}\r\non-behalf-of: `),
    Buffer.from('häns\r\n\r\n', 'utf8'),
  ])
  const [answer] = await sendRaw(server.port, [bytes])
  assert.equal(answer?.status, 200)
})

test('On-Behalf-Of on a merchant route is forbidden, whatever it names', async () => {
  for (const reference of ['alice', 'absent', 'x'.repeat(200), '']) {
    const headers = { 'on-behalf-of': reference }
    assertFailure(await server.call('DELETE', '/merchant/users/a', { headers }), 'FORBIDDEN')
  }
})

test('an unknown sub-user is not found, an empty or overlong one has the wrong shape', async () => {
  const as = (reference: string) =>
    server.call('POST', '/market/buy', { body: { bad: 1 }, headers: { 'on-behalf-of': reference } })
  assertFailure(await as('absent'), 'USER_NOT_FOUND')
  for (const reference of ['', 'x'.repeat(129)]) {
    const answer = await as(reference)
    assertFailure(answer, 'VALIDATION_FAILED')
    assert.equal(answer.json.error?.meta?.errors?.[0]?.in, 'header')
    assert.equal(answer.json.error?.meta?.errors?.[0]?.pointer, '/on-behalf-of')
  }
})

test('a suspended sub-user reads but does not buy, and is refused before its shape is judged', async () => {
  const headers = { 'on-behalf-of': 'sam' }
  assert.equal((await server.call('GET', '/user/wallet', { headers })).status, 200)
  const answer = await server.call('POST', '/market/buy', { body: { bad: 1 }, headers })
  assertFailure(answer, 'ACCOUNT_SUSPENDED')
})

test('a dashboard route is forbidden to any key and unauthenticated without one', async () => {
  const path = '/dashboard/api/keys'
  assertFailure(await server.call('GET', path), 'FORBIDDEN')
  assertFailure(await server.call('POST', path, { raw: '{' }), 'FORBIDDEN')
  assertFailure(await server.call('GET', path, { headers: { 'api-key': 'junk' } }), 'FORBIDDEN')
  const without = await fetch(server.url + path)
  assert.equal(without.status, 401)
  assert.equal(((await without.json()) as Envelope).error?.key, 'UNAUTHENTICATED')
  const partner = await fetch(server.url + path, { headers: { 'x-api-key': 'p' } })
  assert.equal(((await partner.json()) as Envelope).error?.key, 'FORBIDDEN')
})

test('a malformed body is a bad request, another content type is 415, too much is 413', async () => {
  const post = (raw: string, headers = {}) => server.call('POST', '/market/buy', { raw, headers })
  assertFailure(await post('{'), 'BAD_REQUEST', 400)
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    ';',
  ]) {
    assertFailure(await post('{}', { 'content-type': type }), 'BAD_REQUEST', 415)
  }
  for (const type of ['application/json; charset=latin1', 'application/json; charset=utf-16']) {
    assertFailure(await post('{}', { 'content-type': type }), 'BAD_REQUEST', 415)
  }
  assertFailure(await post('{}', { 'content-encoding': 'gzip' }), 'BAD_REQUEST', 415)
  assertFailure(await post(`"${'x'.repeat(256 * 1024)}"`), 'BAD_REQUEST', 413)
  assertFailure(await post(`"${'x'.repeat(4 * 1024 * 1024)}"`), 'BAD_REQUEST', 413)
})

test('JSON is known by its media type in any spelling', async () => {
  for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;']) {
    const headers = { 'content-type': type }
    const answer = await server.call('POST', '/market/buy', { body: BUY, headers })
    assert.equal(answer.status, 200, type)
  }
})

test('a body of 256 KiB is read, one byte more is not', async () => {
  const padded = (length: number) => JSON.stringify(BUY).padEnd(length, ' ')
  const limit = 256 * 1024
  assert.equal((await server.call('POST', '/market/buy', { raw: padded(limit) })).status, 200)
  assertFailure(
    await server.call('POST', '/market/buy', { raw: padded(limit + 1) }),
    'BAD_REQUEST',
    413,
  )
})

test('a body that says nothing of its length is cut at the same limit', async () => {
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
  const head = `POST /market/buy HTTP/1.1\r\nhost: a\r\napi-key: ${KEY}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
  const [answer] = await sendRaw(server.port, [head, chunk.repeat(5)])
  assert.equal(answer?.status, 413)
  assert.equal(answer?.json.error?.key, 'BAD_REQUEST')
})

test('an endless body is cut off', async () => {
  const takenBytes = await new Promise<number>((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1')
    const timer = setTimeout(() => reject(new Error('still open')), 60_000)
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(socket.bytesWritten)
    })
    socket.resume()
    socket.write(
      `POST /market/buy HTTP/1.1\r\nhost: a\r\napi-key: ${KEY}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    )
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`
    const more = (): void => {
      if (socket.destroyed) return
      if (socket.write(chunk)) setImmediate(more)
      else socket.once('drain', more)
    }
    more()
  })
  assert.ok(takenBytes > 8 * 1024 * 1024)
  assert.ok(takenBytes < 64 * 1024 * 1024)
})

test('after a refused body the connection answers the next request', async () => {
  const body = ' '.repeat(300 * 1024)
  const first = `POST /market/buy HTTP/1.1\r\nhost: a\r\napi-key: ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const second = `GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n`
  const answers = await sendRaw(server.port, [first, second], { expected: 2 })
  assert.deepEqual(
    answers.map(({ status }) => status),
    [413, 200],
  )
})

test('no body, an empty one and {} are the same to a route that needs none', async () => {
  for (const options of [{}, { raw: '' }, { body: {} }]) {
    const answer = await server.call('POST', '/merchant/users', options)
    assert.equal(answer.status, 200, answer.text)
  }
  const typed = { headers: { 'content-type': 'application/json' } }
  assert.equal((await server.call('POST', '/merchant/users', typed)).status, 200)
  assert.equal((await server.call('DELETE', '/merchant/users/a', typed)).status, 200)
  assert.equal((await server.call('DELETE', '/merchant/users/a', { body: {} })).status, 200)
  const answer = await server.call('DELETE', '/merchant/users/a', { body: { force: true } })
  assertFailure(answer, 'VALIDATION_FAILED')
  assert.equal(answer.json.error?.meta?.errors?.[0]?.pointer, '/force')
})

test('a body of a GET is not read, and does not run into the next request', async () => {
  for (const body of ['{"a":1}', '{']) {
    const answers = await sendRaw(
      server.port,
      [
        `GET /user/wallet HTTP/1.1\r\nhost: a\r\napi-key: ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n',
      ],
      { expected: 2 },
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
  }
})

test('an Idempotency-Key is required where the route says so, and handed on', async () => {
  const fund = (headers: Record<string, string>) =>
    server.call('POST', '/merchant/users/a/fund', { body: { amount: '5.00' }, headers })
  assertFailure(await fund({}), 'BAD_REQUEST', 400)
  assertFailure(await fund({ 'idempotency-key': '' }), 'BAD_REQUEST', 400)
  assertFailure(await fund({ 'idempotency-key': 'k'.repeat(129) }), 'VALIDATION_FAILED')
  assert.equal((await fund({ 'idempotency-key': 'k'.repeat(128) })).status, 200)
  assert.equal(server.seen.idempotencyKey, 'k'.repeat(128))
})

test('path parameters are decoded, and too long a one is a matter of shape', async () => {
  await server.call('DELETE', `/merchant/users/${encodeURIComponent('a/b ü')}`)
  assert.deepEqual({ ...(server.seen.params as object) }, { id: 'a/b ü' })
  const answer = await server.call('DELETE', `/merchant/users/${'x'.repeat(5000)}`)
  assertFailure(answer, 'VALIDATION_FAILED')
})

test('escapes that cannot be decoded are a bad request in a path and plain text in a query', async () => {
  assertFailure(await server.call('GET', '/market/items/%zz'), 'BAD_REQUEST', 400)
  assertFailure(await server.call('GET', '/market/items/%ff'), 'BAD_REQUEST', 400)
  assert.equal((await server.call('GET', '/market/search?q=%zz')).status, 200)
})

test('a handler that refuses is answered with its key, its details and cents as numbers', async () => {
  const refusing = await startTestServer({
    operations: [
      operation(merchantRoutes.getWallet, async () => {
        throw new Refusal('INSUFFICIENT_BALANCE', { requiredCents: 550n, availableCents: 20n })
      }),
    ],
  })
  const answer = await refusing.call('GET', '/user/wallet')
  await refusing.close()
  assertFailure(answer, 'INSUFFICIENT_BALANCE', 402)
  assert.deepEqual(answer.json.error?.meta, { requiredCents: 550, availableCents: 20 })
})

test('an exception shows nothing of itself and is logged once with its request', async () => {
  const broken = await startTestServer({
    operations: [
      operation(merchantRoutes.getWallet, () => {
        throw new Error('select * from secret_table')
      }),
      operation(merchantRoutes.listTradeUrls, async () => {
        throw Object.assign(new Error('no error of ours'), { key: 'NOT_FOUND' })
      }),
      // Answers what its shape does not allow: the compiled serialiser refuses it.
      operation(merchantRoutes.getItem, async () => ({}) as never),
    ],
  })
  for (const path of [
    '/user/wallet',
    '/user/settings/tradeurls',
    '/market/items/9f86d081884c7d65',
  ]) {
    const answer = await broken.call('GET', path)
    assertFailure(answer, 'INTERNAL_ERROR', 500)
    assert.ok(!/secret|select|no error of ours|at /.test(answer.text), answer.text)
    const line = await lineOf(broken, answer.json.requestId, 'unhandled error')
    assert.equal(line.level, 'error')
    assert.ok((line.err as { stack: string }).stack)
  }
  const errors = broken.lines.filter((line) => line.level === 'error')
  await broken.close()
  assert.equal(errors.length, 3)
})

test('a database that is away answers INTERNAL_ERROR with retry-after, before and in the handler', async () => {
  const gone = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), {
    code: 'ECONNREFUSED',
  })
  const reject = async () => {
    throw gone
  }
  const { authenticate } = createAuthenticator({
    findKey: reject,
    looksLikeKey: () => true,
    clock: systemClock,
  })
  for (const change of [
    { authenticate },
    { resolveAccount: reject },
    { operations: [operation(merchantRoutes.getWallet, reject)] },
  ]) {
    const without = await startTestServer(change)
    const answer = await without.call('GET', '/user/wallet', FOR_ALICE)
    await without.close()
    assertFailure(answer, 'INTERNAL_ERROR')
    assert.equal(answer.headers.get('retry-after'), '1')
    assert.ok(!answer.text.includes('5432'))
  }
})

test('limits come after the key and before the sub-user, and put headers on every answer', async () => {
  let isOver = false
  const limited = await startTestServer({
    rateLimits: {
      ...rateLimits(),
      keys: {
        untouched: () => ({}),
        admit: ({ principal, route }) => {
          assert.equal(principal.tenant.id, MERCHANT_ID)
          const details = { scope: 'budget', retryAfterSeconds: 7 }
          return {
            headers: { 'x-ratelimit-limit': route.cap?.policy ?? '' },
            refusal: isOver ? new Refusal('RATE_LIMITED', details) : null,
          }
        },
      },
    },
  })
  const ok = await limited.call('POST', '/market/buy', { body: BUY })
  assert.equal(ok.headers.get('x-ratelimit-limit'), 'market-buy')
  const refused = await limited.call('POST', '/market/buy', { body: { bad: 1 } })
  assert.equal(refused.headers.get('x-ratelimit-limit'), 'market-buy')
  isOver = true
  const over = await limited.call('POST', '/market/buy', { headers: { 'on-behalf-of': 'absent' } })
  const keyless = await limited.call('POST', '/market/buy', { headers: { 'api-key': '' } })
  await limited.close()
  assertFailure(over, 'RATE_LIMITED', 429)
  assert.equal(over.headers.get('retry-after'), '7')
  assert.equal(over.headers.get('x-ratelimit-limit'), 'market-buy')
  assertFailure(keyless, 'MISSING_API_KEY')
})

test('a prepared answer goes out byte for byte, with its own headers and status', async () => {
  const prepared = await startTestServer({
    operations: [
      operation(merchantRoutes.listPrices, async ({ headers }) =>
        headers['if-none-match'] === '"v1"'
          ? new PreparedResponse('', { etag: '"v1"' }, 304)
          : new PreparedResponse([Buffer.from('{"x":'), Buffer.from('1}')], {
              etag: '"v1"',
              'cache-control': 'private',
            }),
      ),
    ],
  })
  const first = await prepared.call('GET', '/market/prices')
  const second = await prepared.call('GET', '/market/prices', {
    headers: { 'if-none-match': '"v1"' },
  })
  await prepared.close()
  assert.equal(first.text, '{"x":1}')
  assert.equal(first.headers.get('cache-control'), 'private')
  assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.match(first.headers.get('x-request-id') ?? '', UUID_V7)
  assert.equal(second.status, 304)
  assert.equal(second.text, '')
  assert.equal(second.headers.get('etag'), '"v1"')
})

test('each request has one line: its id, pattern, status, time, tenant and error key', async () => {
  const { json } = await server.call('GET', '/market/items/short?token=hunter2')
  const line = await lineOf(server, json.requestId)
  assert.equal(line.method, 'GET')
  assert.equal(line.route, '/market/items/{itemId}')
  assert.equal(line.status, 422)
  assert.equal(line.tenantId, MERCHANT_ID)
  assert.equal(line.errorKey, 'VALIDATION_FAILED')
  assert.equal(line.aborted, false)
  assert.ok((line.durationMs as number) >= 0)
  assert.equal(server.lines.filter((l) => l.requestId === json.requestId).length, 1)
  assert.ok(!JSON.stringify(server.lines).includes('hunter2'))
  assert.ok(!JSON.stringify(server.lines).includes(KEY))
  const logged = server.answered.find((details) => details.requestId === json.requestId)
  assert.equal(logged?.route, '/market/items/{itemId}')
  const nowhere = await server.call('GET', '/nowhere/hunter2')
  assert.equal((await lineOf(server, nowhere.json.requestId)).route, '(none)')
})

test('an answered request has the key that it carried, also one that is refused, and no key that is unknown', async () => {
  const KEYS: Readonly<Record<string, Partial<KeyRecord>>> = {
    good: {},
    revoked: { revoked: true },
    pinned: { allowlist: ['192.0.2.0/24'] },
    ended: { endsAt: new Date(0) },
    limited: { scopes: ['live'] },
    child: { partnerId: 'its partner' },
    lostChild: { partnerId: 'its partner', revoked: true },
  }
  const own = await startTestServer({
    ...createAuthenticator({
      findKey: async (secret) => {
        const of = KEYS[secret]
        return of === undefined ? null : keyRecord({ keyId: secret, ...of })
      },
      looksLikeKey: () => true,
      clock: systemClock,
    }),
  })
  const keyOf = async (secret: string, path = '/user/wallet') => {
    const { json } = await own.call('GET', path, { headers: { 'api-key': secret } })
    await lineOf(own, json.requestId)
    return own.answered.find(({ requestId }) => requestId === json.requestId)
  }
  for (const [secret, error] of [
    ['good', null],
    ['revoked', 'API_KEY_REVOKED'],
    ['pinned', 'API_KEY_IP_DENIED'],
    ['ended', 'INVALID_API_KEY'],
    ['limited', 'FORBIDDEN'],
  ] as const) {
    const found = await keyOf(secret)
    assert.deepEqual([found?.key, found?.errorKey], [{ id: secret, ownerId: MERCHANT_ID }, error])
  }
  for (const secret of ['child', 'lostChild']) {
    assert.deepEqual((await keyOf(secret))?.key, { id: secret, ownerId: 'its partner' })
  }
  assert.equal((await keyOf('good', '/nowhere'))?.key?.id, 'good')
  assert.deepEqual((await keyOf('unknown'))?.key, null)
  await own.close()
})

test('a client that leaves before its answer is logged as gone, and harms no other', async () => {
  let release = (): void => {}
  let entered = (): void => {}
  const inHandler = new Promise<void>((resolve) => {
    entered = resolve
  })
  const slow = await startTestServer({
    operations: [
      operation(merchantRoutes.getWallet, async () => {
        entered()
        await new Promise<void>((resolve) => {
          release = resolve
        })
        return { currency: 'USD' as const, balance: 1 }
      }),
    ],
  })
  const socket = connect(slow.port, '127.0.0.1')
  socket.write(`GET /user/wallet HTTP/1.1\r\nhost: a\r\napi-key: ${KEY}\r\n\r\n`)
  await inHandler
  socket.destroy()
  await until('it was answered', () => slow.answered.length > 0)
  assert.equal(slow.answered[0]?.aborted, true)
  release()
  assert.equal((await slow.call('GET', '/healthz')).status, 200)
  assert.deepEqual(
    slow.lines.filter((line) => line.level === 'error'),
    [],
  )
  await slow.close()
})

test('a client that leaves in the middle of its body is logged as gone, and harms no other', async () => {
  const lonely = await startTestServer()
  const socket = connect(lonely.port, '127.0.0.1')
  const bytes = `POST /market/buy HTTP/1.1\r\nhost: a\r\napi-key: ${KEY}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"items"`
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  socket.destroy()
  await until('it was answered', () => lonely.answered.length > 0)
  assert.equal(lonely.answered[0]?.aborted, true)
  assert.equal((await lonely.call('GET', '/healthz')).status, 200)
  assert.ok(!lonely.lines.some((line) => line.level === 'error'))
  await lonely.close()
})

test('health and readiness answer in the envelope; unready is 503 with what is amiss', async () => {
  assert.deepEqual((await server.call('GET', '/healthz')).json.data, { status: 'ok' })
  const ready = await server.call('GET', '/readyz')
  assert.deepEqual(ready.json.data, { status: 'ready', checks: { database: 'ok' } })
  assert.equal((await fetch(`${server.url}/healthz`, { method: 'HEAD' })).status, 200)
  const unready = await startTestServer({
    checkReady: async () => ({ status: 'unready', checks: { database: 'unreachable' } }),
  })
  const answer = await unready.call('GET', '/readyz')
  await unready.close()
  assertFailure(answer, 'SERVICE_DISABLED', 503)
  assert.deepEqual(answer.json.error?.meta, { checks: { database: 'unreachable' } })
})

test('where a weakness is reported is said in security.txt, when there is such a place', async () => {
  const path = '/.well-known/security.txt'
  assertFailure(await server.call('GET', path), 'NOT_FOUND')
  const at = new Date('2026-11-22T12:00:00.000Z')
  const open = await startTestServer({
    security: { contact: 'mailto:security@a.example', publicUrl: () => 'https://a.example' },
    clock: { now: () => at },
  })
  const answer = await fetch(`${open.url}${path}`)
  await open.close()
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.deepEqual((await answer.text()).split('\r\n'), [
    'Contact: mailto:security@a.example',
    'Expires: 2027-05-21T12:00:00.000Z',
    'Preferred-Languages: en',
    'Canonical: https://a.example/.well-known/security.txt',
    '',
  ])
})
