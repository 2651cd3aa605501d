import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { merchantRoutes } from '@tradepost/contract'
import { until } from '#infra/testing/until'
import { operation } from '../merchant/operation.ts'
import { sendRaw } from './testing/raw.ts'
import {
  KEY,
  MERCHANT_ID,
  rateLimits,
  resolveAccount,
  startTestServer,
  type TestServer,
} from './testing/server.ts'

const head = (line: string, ...headers: string[]) =>
  `${[line, 'host: a', `api-key: ${KEY}`, ...headers].join('\r\n')}\r\n\r\n`

/** A sub-user is looked up each time. */
const FOR_ALICE = { headers: { 'on-behalf-of': 'alice' } }

/** A server, and a handler that is inside until it is let go. */
async function serverWithGate(limits = {}) {
  const entered = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const server = await startTestServer({
    limits,
    resolveAccount: async (merchant, reference) => {
      entered.resolve()
      await gate.promise
      return resolveAccount(merchant, reference)
    },
  })
  return { server, inHandler: entered.promise, letGo: gate.resolve }
}

async function opened({ port }: TestServer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** A cut may come as an error, too. */
const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

describe('while the server closes', () => {
  // Node looks for late requests by itself, too: not within these tests.
  const PATIENT = { timeoutCheckMs: 3_600_000 }
  const NEVER_MS = 3_600_000

  test('a connection that was opened and never used is closed', async () => {
    const server = await startTestServer({ limits: PATIENT })
    const unused = await opened(server)
    // What is asked later was accepted later.
    await server.call('GET', '/healthz')
    await Promise.all([server.close(), closeOf(unused)])
  })

  test('a request that is under way is answered', async () => {
    const { server, inHandler, letGo } = await serverWithGate()
    const answer = server.call('GET', '/user/wallet', FOR_ALICE)
    await inHandler
    const closed = server.close()
    letGo()
    assert.equal((await answer).status, 200)
    await closed
  })

  test('a head, a body and a refused body that arrive a byte at a time are cut', async () => {
    const server = await startTestServer({ limits: { ...PATIENT, drainArrivalMs: 100 } })
    const beginnings = [
      'GET /user/wallet HTTP/1.1\r\nhos',
      `${head('POST /market/buy HTTP/1.1', 'content-type: application/json', 'content-length: 99')}{`,
      `${head('POST /market/buy HTTP/1.1', 'content-type: text/plain', 'content-length: 99')}{`,
    ]
    const sockets = await Promise.all(beginnings.map(() => opened(server)))
    for (const [i, socket] of sockets.entries()) socket.write(beginnings[i] as string)
    await once(sockets[2] as Socket, 'data')
    await server.call('GET', '/healthz')
    const trickle = setInterval(() => {
      for (const socket of sockets) socket.write('x')
    }, 10)
    try {
      await Promise.all([server.close(), ...sockets.map(closeOf)])
    } finally {
      clearInterval(trickle)
    }
  })

  test('a request that was received is waited for while others are cut', async () => {
    const { server, inHandler, letGo } = await serverWithGate({ drainArrivalMs: 50 })
    const answer = server.call('GET', '/user/wallet', FOR_ALICE)
    const late = await opened(server)
    late.write('GET /user/wallet HTTP/1.1\r\nhos')
    await inHandler
    await server.call('GET', '/healthz')
    const closed = server.close()
    await closeOf(late)
    letGo()
    assert.equal((await answer).status, 200)
    await closed
  })

  test('a request whose answer does not come in time is cut', async () => {
    const { server, inHandler, letGo } = await serverWithGate({
      ...{ ...PATIENT, drainArrivalMs: NEVER_MS, drainMs: 100 },
    })
    const answer = assert.rejects(server.call('GET', '/user/wallet', FOR_ALICE))
    await inHandler
    await Promise.all([server.close(), answer])
    letGo()
  })
})

test('a request whose client has gone before its turn is not begun', async () => {
  const gone = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  let handled = 0
  const server = await startTestServer({
    operations: [
      operation(merchantRoutes.getWallet, async () => {
        handled++
        return { currency: 'USD' as const, balance: 1 }
      }),
    ],
    inTurn: (source) => {
      if (source === null) return null
      waiting.resolve()
      return gone.promise
    },
  })
  const socket = await opened(server)
  socket.write(head('GET /user/wallet HTTP/1.1'))
  await waiting.promise
  socket.destroy()
  await until('the request is over', () => server.answered.some(({ aborted }) => aborted))
  gone.resolve()
  assert.equal((await server.call('GET', '/user/wallet')).status, 200)
  assert.equal(handled, 1)
  await server.close()
})

test('a request for an address that no route has waits for the turn of its caller', async () => {
  const sources: (string | null)[] = []
  const server = await startTestServer({
    inTurn: (source) => {
      sources.push(source)
      return null
    },
  })
  for (const path of ['/market/nothing', '/dashboard/api/trades']) {
    sources.length = 0
    await server.call('GET', path)
    assert.deepEqual(sources, [MERCHANT_ID], path)
  }
  await server.close()
})

test('a connection that sends thousands of requests ahead is read as fast as they are answered', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  let begun = 0
  const held = await startTestServer({
    rateLimits: rateLimits({ scale: 1000 }),
    operations: [
      operation(merchantRoutes.getWallet, async () => {
        begun++
        await gate
        return { currency: 'USD' as const, balance: 1 }
      }),
    ],
  })
  let read = 0
  held.app.server.on('request', ({ url }) => {
    if (url === '/user/wallet') read++
  })
  try {
    const one = head('GET /user/wallet HTTP/1.1', `x-padding: ${'y'.repeat(900)}`)
    const sent = 1000
    const answers = sendRaw(held.port, [one.repeat(sent)], { expected: sent })
    await until('requests of the connection are under way', () => read >= 16)
    for (let i = 0; i < 20; i++) await held.call('GET', '/healthz')
    assert.ok(read < 200, `${read} of ${sent}`)
    assert.equal(begun, 16, 'of what is read, as many begin as are answered')
    open()
    assert.equal((await answers).filter(({ status }) => status === 200).length, sent)
  } finally {
    open()
    await held.close()
  }
})

test('thousands of requests that are sent ahead without a key are all answered', async () => {
  const server = await startTestServer()
  try {
    const sent = 1500
    const answers = sendRaw(server.port, ['GET /nope HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(sent)], {
      expected: sent,
    })
    assert.equal((await answers).filter(({ status }) => status === 404).length, sent)
  } finally {
    await server.close()
  }
})
