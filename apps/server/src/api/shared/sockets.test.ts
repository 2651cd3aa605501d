import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendRaw } from './testing/raw.ts'
import { startTestServer, type TestServer } from './testing/server.ts'

let server: TestServer
let accepted = 0
before(async () => {
  const accept = (_request: unknown, socket: { end(bytes: string): void }): void => {
    accepted++
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
