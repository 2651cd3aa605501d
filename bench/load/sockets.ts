// The clients' end of many sockets, in a process of its own. It counts every frame; of some sockets it
// also reads them: nothing lost, nothing out of order, and how old it was.
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { answerWith } from '../ipc.ts'

export interface Watched {
  /** Of all sockets. */
  readonly frames: number
  /** Of the socket with the fewest, and of the one with the most. */
  readonly least: number
  readonly most: number
  /** Frames of a listing that came after a newer one. */
  readonly disorder: number
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Client {
  readonly socket: Socket
  readonly isRead: boolean
  readonly prices: Map<string, number>
  rest: Buffer
  frames: number
}

const OPENED_AT_ONCE = 200
const READ_EVERY = 50

let clients: Client[] = []
let lags: number[] = []
let disorder = 0

const methods = {
  /** One socket for each path; those that are greeted are open when they have been. */
  open: async (port: number, paths: readonly string[], isGreeted: boolean): Promise<void> => {
    for (let at = 0; at < paths.length; at += OPENED_AT_ONCE) {
      const slice = paths.slice(at, at + OPENED_AT_ONCE)
      clients.push(
        ...(await Promise.all(
          slice.map((path, i) => openOne({ port, path, index: at + i, isGreeted })),
        )),
      )
    }
  },
  reset: (): void => {
    lags = []
    disorder = 0
    for (const client of clients) client.frames = 0
  },
  read: (): Watched => {
    const counts = clients.map(({ frames }) => frames)
    const sorted = lags.toSorted((one, other) => one - other)
    const at = (share: number): number =>
      sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
    return {
      frames: counts.reduce((sum, count) => sum + count, 0),
      least: Math.min(...counts),
      most: Math.max(...counts),
      disorder,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
    }
  },
  close: (): void => {
    for (const { socket } of clients) socket.destroy()
    clients = []
  },
}
export type SocketsMethods = typeof methods

answerWith(methods)

interface Opening {
  readonly port: number
  readonly path: string
  readonly index: number
  readonly isGreeted: boolean
}

function openOne({ port, path, index, isGreeted }: Opening): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const client: Client = {
      socket,
      isRead: index % READ_EVERY === 0,
      prices: new Map(),
      rest: Buffer.alloc(0),
      frames: 0,
    }
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('a socket was closed')))
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n` +
        `sec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
    let isOpen = false
    socket.on('data', (chunk) => {
      client.rest = client.rest.length === 0 ? chunk : Buffer.concat([client.rest, chunk])
      if (!isOpen) {
        const end = client.rest.indexOf('\r\n\r\n')
        if (end < 0) return
        isOpen = true
        client.rest = client.rest.subarray(end + 4)
      }
      readFrames(client)
      if (!isGreeted || client.frames > 0) resolve(client)
    })
  })
}

const PING = 0x89
/** Empty, as the pings are, and masked with zeros. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

function readFrames(client: Client): void {
  const { rest } = client
  let at = 0
  while (rest.length - at >= 2) {
    const short = (rest[at + 1] as number) & 0x7f
    const header = short < 126 ? 2 : short === 126 ? 4 : 10
    if (rest.length - at < header) break
    const length =
      short < 126
        ? short
        : short === 126
          ? rest.readUInt16BE(at + 2)
          : Number(rest.readBigUInt64BE(at + 2))
    if (rest.length - at < header + length) break
    if (rest[at] === 0x81) {
      client.frames++
      if (client.isRead) readOne(client, rest.toString('utf8', at + header, at + header + length))
    }
    if (rest[at] === PING) client.socket.write(PONG)
    at += header + length
  }
  client.rest = rest.subarray(at)
}

function readOne({ prices }: Client, text: string): void {
  const { event, data, ts } = JSON.parse(text) as {
    event: string
    data: { id: string; price: number }
    ts: number
  }
  if (event !== 'market.update') return
  lags.push(Date.now() - ts)
  if ((prices.get(data.id) ?? 0) >= data.price) disorder++
  prices.set(data.id, data.price)
}
