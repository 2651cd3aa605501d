import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { sendRaw } from './testing/raw.ts'
import { startTestServer, type TestServer } from './testing/server.ts'

let server: TestServer
let accepted = 0
/** Of the event loop, for each that is accepted. */
let takesMs = 0
before(async () => {
  const accept = (_request: unknown, socket: { end(bytes: string): void }): void => {
    accepted++
    const until = performance.now() + takesMs
    while (performance.now() < until);
    socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  }
  server = await startTestServer({ sockets: { paths: ['/market/live'], accept } })
})
after(() => server.close())

const HANDSHAKE = {
  host: 'a',
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

const bytesOf = (
  change: Readonly<Record<string, string | undefined>>,
  line = 'GET /market/live',
): string => {
  const headers = Object.entries({ ...HANDSHAKE, ...change }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  )
  return `${line} HTTP/1.1\r\n${headers.join('')}\r\n`
}

test('a handshake is handed over', async () => {
  for (const change of [{}, { upgrade: 'WebSocket' }, { 'sec-websocket-protocol': 'a, b' }]) {
    const before = accepted
    const [answer] = await sendRaw(server.port, [bytesOf(change)])
    assert.equal(answer?.status, 101)
    assert.equal(accepted, before + 1)
  }
})

test('a handshake that is not well-formed is refused in the envelope', async () => {
  const before = accepted
  for (const bytes of [
    bytesOf({ 'sec-websocket-key': undefined }),
    bytesOf({ 'sec-websocket-key': 'short' }),
    bytesOf({ 'sec-websocket-version': undefined }),
    bytesOf({ 'sec-websocket-version': '12' }),
    bytesOf({ 'sec-websocket-protocol': 'a,,b' }),
    bytesOf({ 'sec-websocket-protocol': 'a, b, a' }),
    bytesOf({ host: undefined }),
    bytesOf({ upgrade: 'h2c' }),
  ]) {
    const [answer] = await sendRaw(server.port, [bytes])
    assert.equal(answer?.status, 400, bytes)
    assert.equal(answer?.json.error?.key, 'BAD_REQUEST')
    assert.ok(answer?.json.requestId)
  }
  const [posted] = await sendRaw(server.port, [bytesOf({}, 'POST /market/live')])
  assert.equal(posted?.status, 404)
  assert.equal(accepted, before)
})

test('handshakes that come together are handed over in turns, and those that broke off are not', async () => {
  const before = accepted
  const sockets = Array.from({ length: 20 }, () => new PassThrough())
  takesMs = 3
  for (const socket of sockets) {
    server.app.server.emit('upgrade', { url: '/market/live' }, socket, Buffer.alloc(0))
  }
  assert.equal(accepted - before, 1, 'the first one took the time of its round')
  const [, broken, ...others] = sockets
  broken?.destroy(new Error('reset'))
  await Promise.all(others.map((socket) => finished(socket.resume())))
  takesMs = 0
  assert.equal(accepted - before, 19)
})
