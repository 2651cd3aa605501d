import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { keepSocket } from './socket.ts'

test('a supplier’s name is resolved without dns.lookup, whose threads others may hold up', async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  t.after(() => server.close())
  const byThreads = t.mock.method(dns, 'lookup')
  const stop = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  const { port } = server.address() as AddressInfo
  const kept = keepSocket(
    {
      address: async () => ({ url: `ws://localhost:${port}` }),
      opened: () => resolve(),
      text: () => {},
    },
    {
      name: 'market',
      log: { debug() {}, info() {}, warn() {}, error() {} },
      counters: { change() {}, gap() {}, droppedRow() {}, socketLost() {} },
      rng: () => 0.5,
      silenceMs: 60_000,
    },
    stop.signal,
  )
  await promise
  stop.abort()
  await kept
  assert.equal(byThreads.mock.callCount(), 0)
})
