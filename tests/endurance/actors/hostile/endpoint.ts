// A merchant's endpoint that does to the sender what a hostile operator can do: it never answers, answers
// late or without end, sends the caller elsewhere, cuts the connection, or answers what is not HTTP. It takes
// webhooks and approvals of withdrawals, some of which it grants or rejects.

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import type { Dice } from '../../dice.ts'

export const MODES = [
  'silent',
  'drip',
  'endless',
  'redirect',
  'loop',
  'cut',
  'reset',
  'headers',
  'garbage',
  'continue',
  'length',
  'error',
  'late',
  'accept',
  'accept',
  'reject',
] as const
export type Mode = (typeof MODES)[number]

export interface HostileEndpoint {
  readonly url: string
  /** Connections by what was done to them. */
  readonly counts: ReadonlyMap<Mode, number>
  /** Requests that came to the address that a redirect named: a sender must not follow. */
  followed(): number
  close(): Promise<void>
}

/** How long a connection is held at most: an attacker's own sockets are bounded too. */
const HELD_MS = 60_000
/** Between the deadline of an approval and that of a webhook. */
const LATE_MS = 6000

/** At an address of the loopback network, so that endpoints can be of different hosts. */
export async function startHostileEndpoint(
  throwDice: Dice,
  host = '127.0.0.1',
): Promise<HostileEndpoint> {
  const counts = new Map<Mode, number>()
  const sockets = new Set<Socket>()
  let followed = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    const timers = [setTimeout(() => socket.destroy(), HELD_MS)]
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      for (const timer of timers) clearTimeout(timer)
    })
    socket.once('data', (bytes) => {
      if (bytes.includes('/followed')) followed++
      const mode = MODES[Math.floor(throwDice() * MODES.length)] as Mode
      counts.set(mode, (counts.get(mode) ?? 0) + 1)
      const drip = (bytes: string, everyMs: number): void => {
        timers.push(setInterval(() => socket.writable && socket.write(bytes), everyMs))
      }
      if (mode === 'late') timers.push(setTimeout(() => say(socket, '200 OK'), LATE_MS))
      else answer(mode, socket, drip, `http://${host}:${(server.address() as AddressInfo).port}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/hook`,
    counts,
    followed: () => followed,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

const say = (socket: Socket, status: string): void => {
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`)
}

function answer(
  mode: Exclude<Mode, 'late'>,
  socket: Socket,
  drip: (bytes: string, everyMs: number) => void,
  origin: string,
): void {
  switch (mode) {
    case 'silent':
      return
    case 'drip':
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')
      drip('x', 500)
      return
    case 'endless':
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      drip(`4000\r\n${'x'.repeat(0x4000)}\r\n`, 100)
      return
    case 'redirect':
      socket.end(
        `HTTP/1.1 307 Elsewhere\r\nLocation: ${origin}/followed\r\nContent-Length: 0\r\n\r\n`,
      )
      return
    case 'loop':
      socket.end(`HTTP/1.1 308 Elsewhere\r\nLocation: /hook\r\nContent-Length: 0\r\n\r\n`)
      return
    case 'cut':
      socket.end()
      return
    case 'reset':
      socket.resetAndDestroy()
      return
    case 'headers':
      socket.write('HTTP/1.1 200 OK\r\n')
      drip(`X-Filler-${'a'.repeat(900)}: ${'b'.repeat(900)}\r\n`, 20)
      return
    case 'garbage':
      socket.end(Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256)))
      return
    case 'continue':
      drip('HTTP/1.1 100 Continue\r\n\r\n', 200)
      return
    case 'length':
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nxxxxx')
      return
    case 'accept':
      say(socket, '200 OK')
      return
    case 'reject':
      say(socket, '422 No')
      return
    case 'error':
      socket.end('HTTP/1.1 503 No\r\nRetry-After: 99999999999\r\nContent-Length: 0\r\n\r\n')
  }
}
