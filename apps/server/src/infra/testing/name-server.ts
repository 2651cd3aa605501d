// A name server for tests: a UDP socket that answers for some names, never for others, and denies the rest.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export interface TestNameServer {
  /** `address:port`, as resolvers take it. */
  readonly address: string
  /** Of each name the addresses, or null for silence. */
  readonly names: Map<string, readonly string[] | null>
  /** How many queries for A records there were for a name. */
  queries(name: string): number
  close(): Promise<void>
}

const TYPE_A = 1

export async function startNameServer(): Promise<TestNameServer> {
  const names = new Map<string, readonly string[] | null>()
  const counts = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    if (type === TYPE_A) counts.set(name, (counts.get(name) ?? 0) + 1)
    const found = names.get(name)
    if (found === null) return
    const records = type === TYPE_A ? (found ?? []) : []
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(found === undefined ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    const answers = records.map((text) =>
      Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...text.split('.').map(Number)]),
    )
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    names,
    queries: (name) => counts.get(name) ?? 0,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

/** RFC 1035, section 4.1: the name as labels behind the header, then its type and class. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}
