// Bytes that are no request, connections that are opened by the hundred and held, and WebSockets that come
// and go.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { Client } from '../../../support/client.ts'
import { tokenOf, wsUrl } from '../../../support/sockets.ts'
import type { Dice } from '../../dice.ts'

const KEY = 'X-API-Key: tp_test_x\r\n'
/** Each ends or holds its connection; where there is an answer, it is a refusal in the envelope. */
const BYTES: readonly (readonly [string, string])[] = [
  ['no host', 'GET /market/prices HTTP/1.1\r\n\r\n'],
  ['two hosts', 'GET /market HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  [
    'length and chunks',
    `POST /market/buy HTTP/1.1\r\nHost: a\r\n${KEY}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  ],
  [
    'two lengths',
    `POST /market/buy HTTP/1.1\r\nHost: a\r\n${KEY}Content-Length: 4\r\nContent-Length: 5\r\n\r\n{}{}`,
  ],
  [
    'a length that is none',
    `POST /market/buy HTTP/1.1\r\nHost: a\r\n${KEY}Content-Length: -1\r\n\r\n`,
  ],
  [
    'a chunk size without end',
    `POST /market/buy HTTP/1.1\r\nHost: a\r\n${KEY}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(40)}\r\n`,
  ],
  ['a folded header', `GET /market HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n`],
  ['a header with NUL', 'GET /market HTTP/1.1\r\nHost: a\r\nX-A: b\0c\r\n\r\n'],
  ['a bare line feed', 'GET /market HTTP/1.1\nHost: a\n\n'],
  ['huge headers', `GET /market HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(40_000)}\r\n\r\n`],
  ['a huge line', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['an unknown method', 'BREW /market HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['an absolute address', 'GET http://169.254.169.254/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a tunnel', 'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: 127.0.0.1:5432\r\n\r\n'],
  ['a trace', 'TRACE / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['HTTP/0.9', 'GET /\r\n'],
  ['a greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['half a request', 'GET /market HTTP/1.1\r\nHost: a\r\nX-A'],
  [
    'half a body',
    `POST /market/buy HTTP/1.1\r\nHost: a\r\n${KEY}Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{"items":`,
  ],
  [
    'an upgrade without a key',
    'GET /market/live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ],
  [
    'an upgrade to something else',
    'GET /market/live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n\r\n',
  ],
  [
    'an upgrade with a body',
    'GET /market/live?token=x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nContent-Length: 9\r\n\r\n\x81\x7f\xff\xff\xff\xff\xff\xff\xff',
  ],
]
const HELD_MS = 3000

/** Sends one of them and returns what it was, once the connection is closed by either side. */
export function sendBytes(baseUrl: string, throwDice: Dice): Promise<string> {
  const [what, bytes] = BYTES[Math.floor(throwDice() * BYTES.length)] as (typeof BYTES)[number]
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) })
    const timer = setTimeout(() => socket.destroy(), HELD_MS)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      try {
        checkRefusal(what, text)
        resolve(what)
      } catch (error) {
        reject(error)
      }
    })
    socket.write(bytes, 'latin1')
  })
}

function checkRefusal(what: string, text: string): void {
  if (text === '') return
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
  // The upgrade is accepted before its token is looked at: the socket is closed with a reason.
  assert.ok(status === 101 || (status >= 300 && status < 500), `${what}: ${text.slice(0, 400)}`)
  const body = text.slice(text.indexOf('\r\n\r\n') + 4)
  const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0)
  if (status < 400 || length === 0) return
  assert.match(
    body.slice(0, length),
    /^\{"requestId":"[^"]+","success":false,.+\}$/,
    `${what}: ${text}`,
  )
}

const HELD_AT_ONCE = 150
/** Half a request line, half the headers, half a body: each waits for the other half. */
const HALVES = [
  '',
  'GET /mar',
  'GET /market HTTP/1.1\r\nHost: a\r\nX-A: ',
  `POST /market/buy HTTP/1.1\r\nHost: a\r\n${KEY}Content-Length: 90\r\n\r\n{"it`,
]

/** Opens many connections at once, sends a byte now and then on each, and leaves; returns how many. */
export async function floodConnections(baseUrl: string, throwDice: Dice): Promise<number> {
  const { hostname, port } = new URL(baseUrl)
  const held = Array.from({ length: HELD_AT_ONCE }, (_, i) => {
    const socket = connect({ host: hostname, port: Number(port) })
    return new Promise<void>((resolve) => {
      const drip = setInterval(() => socket.writable && socket.write('x'), 1000)
      const timer = setTimeout(() => socket.destroy(), HELD_MS + throwDice() * HELD_MS)
      socket.on('error', () => {})
      socket.on('close', () => {
        clearInterval(drip)
        clearTimeout(timer)
        resolve()
      })
      socket.resume()
      socket.write(HALVES[i % HALVES.length] as string, 'latin1')
    })
  })
  await Promise.all(held)
  return held.length
}

const FRAMES = ['', '{', 'null', '{"event":"x"}', 'x'.repeat(70_000), '\ufffd\u0000']

/** Sockets of one token: opened at once, spoken to, and left in different ways. */
export async function churnSockets(merchant: Client, throwDice: Dice): Promise<number> {
  const token = await tokenOf(merchant, ['market', 'user']).catch(() => 'none')
  const opened = Array.from({ length: 8 }, () => {
    const path = throwDice() < 0.5 ? '/market/live' : '/user/live'
    const query = {
      token: throwDice() < 0.8 ? token : 'wrong',
      cursor: throwDice() < 0.5 ? '0' : 'x',
    }
    const ws = new WebSocket(wsUrl(merchant.baseUrl, path, query))
    return new Promise<void>((resolve) => {
      const timer = setTimeout(() => ws.close(), 500 + throwDice() * 2000)
      ws.addEventListener('error', () => {})
      ws.addEventListener('close', () => {
        clearTimeout(timer)
        resolve()
      })
      ws.addEventListener('open', () => {
        if (throwDice() < 0.3) return ws.close()
        if (throwDice() < 0.5) ws.send(FRAMES[Math.floor(throwDice() * FRAMES.length)] as string)
      })
    })
  })
  await Promise.all(opened)
  return opened.length
}
