// The least that notifies many sockets: `ws`, and a send for each frame and socket.
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { answerWith } from '../ipc.ts'

const STEP_MS = 25
/** As long as one of our frames of a listing. */
const FILLING = 'x'.repeat(560)

const clients = new Set<WebSocket>()
let ids = 0

const methods = {
  listen: async (): Promise<number> => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
    server.on('connection', (socket) => {
      clients.add(socket)
      socket.on('close', () => clients.delete(socket))
      socket.on('error', () => {})
    })
    await new Promise((resolve) => server.once('listening', resolve))
    return (server.address() as AddressInfo).port
  },
  /** As many frames as are due, as long as the time lasts; answers how many there were. */
  drive: async (perSecond: number, durationMs: number): Promise<number> => {
    const startedAt = performance.now()
    let sent = 0
    for (;;) {
      const elapsedMs = performance.now() - startedAt
      if (elapsedMs >= durationMs) return sent
      if (Math.floor((elapsedMs * perSecond) / 1000) > sent) {
        sent++
        const data = { id: String(++ids), price: 1, name: FILLING }
        const text = JSON.stringify({ event: 'market.update', data, ts: Date.now() })
        for (const client of clients) client.send(text)
        await new Promise((resolve) => setImmediate(resolve))
      } else await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    }
  },
}
export type LivePeerMethods = typeof methods

answerWith(methods)
