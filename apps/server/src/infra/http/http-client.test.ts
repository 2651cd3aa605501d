// The client against a server that does whatever a supplier may do to us.
import assert from 'node:assert/strict'
import dns from 'node:dns'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Log } from '../process/log.ts'
import { createMetrics } from '../process/metrics.ts'
import { until } from '../testing/until.ts'
import { createHttpClient, type HttpRequest } from './http-client.ts'

const lines: { fields: Record<string, unknown>; message: string }[] = []
const write = (fields: object, message: string) =>
  void lines.push({ fields: fields as Record<string, unknown>, message })
const log: Log = { debug: write, info: write, warn: write, error: write }
const metrics = createMetrics()
const client = createHttpClient({ log, metrics })
after(() => client.close())

const closers: (() => void)[] = []
after(() => {
  for (const close of closers) close()
})

/** A server that answers every request in the same way, and remembers what it was asked. */
async function serve(listener: RequestListener): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`)
    listener(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const call = (url: string, more: Partial<HttpRequest> = {}) =>
  client.request({
    provider: 'market_a',
    operation: 'test',
    method: 'GET',
    url,
    deadlineMs: 5000,
    ...more,
  })

test('an answer that is no text keeps each of its bytes', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  const { url } = await serve((_, res) => res.end(bytes))
  const outcome = await call(url, { isBinary: true })
  assert.ok(outcome.kind === 'answer' && Buffer.from(outcome.body, 'latin1').equals(bytes))
})

test('a name is resolved without dns.lookup, whose threads others may hold up', async (t) => {
  const { url } = await serve((_, res) => res.end('ok'))
  const byThreads = t.mock.method(dns, 'lookup')
  const outcome = await call(url.replace('127.0.0.1', 'localhost'))
  assert.equal(outcome.kind, 'answer')
  assert.equal(byThreads.mock.callCount(), 0)
})

test('an answer of any status is an answer', async () => {
  const { url, asked } = await serve((_, res) =>
    res.writeHead(502, { 'X-Why': 'tired' }).end('{"a":1}'),
  )
  const outcome = await call(`${url}/path`, {
    query: { a: 1, b: ['x', 'y'], c: undefined, d: 'ä&' },
  })
  assert.equal(outcome.kind, 'answer')
  assert.deepEqual(
    outcome.kind === 'answer' && [outcome.status, outcome.headers['x-why'], outcome.body],
    [502, 'tired', '{"a":1}'],
  )
  assert.deepEqual(asked, ['GET /path?a=1&b=x&b=y&d=%C3%A4%26'])
})

test('a body is sent as JSON, a text as it is, and a base URL keeps its path', async () => {
  const bodies: string[] = []
  const { url, asked } = await serve((req, res) => {
    let body = `${req.headers['content-type']} `
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => {
      bodies.push(body)
      res.end()
    })
  })
  const based = createHttpClient({ baseUrl: `${url}/base/`, log, metrics })
  closers.push(() => void based.close())
  const request = {
    provider: 'p',
    operation: 'o',
    method: 'POST',
    url: '/x',
    deadlineMs: 5000,
  } as const
  await based.request({ ...request, body: { a: 'b' } })
  await based.request({ ...request, body: 'a=b', headers: { 'content-type': 'text/x' } })
  assert.deepEqual(bodies, ['application/json {"a":"b"}', 'text/x a=b'])
  assert.deepEqual(asked, ['POST /base/x', 'POST /base/x'])
})

test('a refused connection means that nothing was sent', async () => {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const outcome = await call(`http://127.0.0.1:${port}/`, { method: 'POST', body: {} })
  assert.equal(outcome.kind, 'not-sent')
})

test('a host name that does not resolve means that nothing was sent', async () => {
  const outcome = await call('http://unknown.invalid/', { method: 'POST', body: {} })
  assert.equal(outcome.kind, 'not-sent')
})

test('a malformed URL means that nothing was sent', async () => {
  assert.equal((await call('not a url')).kind, 'not-sent')
  assert.equal((await call('ftp://127.0.0.1/')).kind, 'not-sent')
})

test('a connection that is never established means that nothing was sent', async () => {
  // A handshake that the other side never finishes: TLS to a server that says nothing.
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => void sockets.push(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const outcome = await call(`https://127.0.0.1:${port}/`, { deadlineMs: 150 })
  assert.equal(outcome.kind, 'not-sent')
})

test('a connection that is cut after the request was sent is lost', async () => {
  const { url, asked } = await serve((req) => req.socket.destroy())
  const outcome = await call(url, { method: 'POST', body: { buy: 1 } })
  assert.equal(outcome.kind, 'lost')
  assert.equal(asked.length, 1, 'and it is not sent again')
})

test('a reading is not sent again either', async () => {
  const { url, asked } = await serve((req) => req.socket.destroy())
  assert.equal((await call(url)).kind, 'lost')
  assert.equal(asked.length, 1)
})

test('silence until the deadline is lost', async () => {
  const { url } = await serve(() => {})
  const startedAt = performance.now()
  const outcome = await call(url, { deadlineMs: 800 })
  assert.deepEqual(outcome, { kind: 'lost', detail: 'no answer within 800 ms' })
  assert.ok(performance.now() - startedAt < 30_000)
})

test('the deadline covers a body that trickles', async () => {
  const { url } = await serve((_, res) => {
    res.writeHead(200)
    const timer = setInterval(() => res.write('x'), 10)
    res.on('close', () => clearInterval(timer))
  })
  assert.equal((await call(url, { deadlineMs: 800 })).kind, 'lost')
})

test('a body that ends early is lost', async () => {
  const { url } = await serve((req, res) => {
    res.writeHead(200, { 'content-length': '100' })
    res.write('half')
    setImmediate(() => req.socket.destroy())
  })
  assert.equal((await call(url)).kind, 'lost')
})

test('a huge body is lost, without being kept', async () => {
  const { url } = await serve((_, res) => {
    const more = (): void => {
      while (!res.destroyed && res.write('x'.repeat(65_536))) {}
    }
    res.on('drain', more)
    more()
  })
  const outcome = await call(url, { maxBytes: 100_000 })
  assert.deepEqual(outcome, { kind: 'lost', detail: 'the answer is larger than 100000 bytes' })
})

test('a small body that unpacks to a huge one is lost', async () => {
  const bomb = gzipSync(Buffer.alloc(5_000_000))
  const { url } = await serve((_, res) =>
    res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  assert.equal((await call(url, { maxBytes: 100_000 })).kind, 'lost')
})

test('packed bodies are unpacked', async () => {
  for (const [encoding, pack] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const) {
    const { url } = await serve((_, res) =>
      res.writeHead(200, { 'content-encoding': encoding }).end(pack(Buffer.from('{"a":1}'))),
    )
    const outcome = await call(url)
    assert.equal(outcome.kind === 'answer' && outcome.body, '{"a":1}')
  }
})

test('a body that is not what it says it is, is lost', async () => {
  const { url } = await serve((_, res) =>
    res.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'),
  )
  assert.equal((await call(url)).kind, 'lost')
})

test('a redirect is an answer and is not followed', async () => {
  const target = await serve((_, res) => res.end('secret'))
  const { url } = await serve((_, res) => res.writeHead(302, { location: target.url }).end())
  const outcome = await call(url)
  assert.equal(outcome.kind === 'answer' && outcome.status, 302)
  assert.deepEqual(target.asked, [])
})

test('an answer that is not HTTP is lost', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.end('220 mail.example ESMTP\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  const { port } = server.address() as AddressInfo
  assert.equal((await call(`http://127.0.0.1:${port}/`)).kind, 'lost')
})

test('a call that waits for a free connection until its deadline was not sent', async () => {
  const narrow = createHttpClient({ log, metrics, connections: 1 })
  closers.push(() => void narrow.close())
  const { url, asked } = await serve(() => {})
  const request = { provider: 'p', operation: 'o', method: 'POST', url, body: {} } as const
  const stop = new AbortController()
  const first = narrow.request({ ...request, deadlineMs: 60_000, signal: stop.signal })
  await until('the first has left', () => asked.length === 1)
  const second = await narrow.request({ ...request, deadlineMs: 150 })
  assert.equal(second.kind, 'not-sent')
  stop.abort()
  assert.equal((await first).kind, 'lost')
  assert.equal(asked.length, 1)
})

test('a call that is given up says whether it had left', async () => {
  const { url, asked } = await serve(() => {})
  const stop = new AbortController()
  const under = call(url, { deadlineMs: 60_000, signal: stop.signal })
  await until('it has left', () => asked.length === 1)
  stop.abort()
  assert.equal((await under).kind, 'lost')
  assert.equal((await call(url, { signal: stop.signal })).kind, 'not-sent')
})

test('each call is logged and measured once, without its secrets', async () => {
  const { url } = await serve((req) => req.socket.destroy())
  lines.length = 0
  await call(`${url}/buy?key=hunter2`, {
    operation: 'buy-for',
    query: { api: 'hunter3' },
    context: { requestId: 'r-1' },
  })
  assert.equal(lines.length, 1)
  const [line] = lines
  assert.equal(line?.fields.requestId, 'r-1')
  assert.equal(line?.fields.operation, 'buy-for')
  assert.equal(line?.fields.outcome, 'lost')
  assert.equal(typeof line?.fields.durationMs, 'number')
  assert.doesNotMatch(JSON.stringify(lines), /hunter/)
  assert.match(await metrics.text(), /provider="market_a",operation="buy-for",outcome="lost"/)
})

test('a call whose lease ends before its deadline does not leave', async () => {
  const { url, asked } = await serve((_, res) => res.end())
  const remaining = (remainingMs: number) => ({
    context: { requestId: 'r', lease: { remainingMs: () => remainingMs } },
  })
  const late = await call(`${url}/late`, { method: 'POST', body: {}, ...remaining(4000) })
  assert.deepEqual(late, {
    kind: 'not-sent',
    detail: 'the lease ends before the deadline of the call',
  })
  const inTime = await call(`${url}/in-time`, { method: 'POST', body: {}, ...remaining(6000) })
  assert.equal(inTime.kind, 'answer')
  assert.deepEqual(asked, ['POST /in-time'])
})

test('the lease is looked at when the call leaves, not when it is made', async () => {
  const answers: (() => void)[] = []
  const { url, asked } = await serve((_, res) => void answers.push(() => res.end()))
  const single = createHttpClient({ log, metrics, connections: 1 })
  let remainingMs = 60_000
  const ask = (path: string) =>
    single.request({
      provider: 'market_a',
      operation: 'test',
      method: 'POST',
      url: `${url}${path}`,
      deadlineMs: 5000,
      context: { requestId: 'r', lease: { remainingMs: () => remainingMs } },
    })
  try {
    const first = ask('/first')
    const second = ask('/second')
    await until('the first is under way', () => answers.length === 1)
    remainingMs = 0
    answers[0]?.()
    assert.equal((await first).kind, 'answer')
    assert.equal((await second).kind, 'not-sent')
    assert.deepEqual(asked, ['POST /first'])
  } finally {
    await single.close()
  }
})
