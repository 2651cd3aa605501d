// The connection to PostgreSQL, whose name is resolved like all others: by c-ares, under a deadline. The
// driver would use `dns.lookup`, which waits for a thread of the process.
import { Socket } from 'node:net'
import { createNameResolver } from '../http/name-resolver.ts'

const names = createNameResolver()

/** As the driver's option `stream`: it calls `connect(port, host)`, or `connect(path)` of a Unix socket. */
export function databaseSocket(): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  return Object.assign(socket, {
    connect: (place: number | string, host = 'localhost') =>
      typeof place === 'number'
        ? connect({ port: place, host, lookup: names.lookup })
        : connect({ path: place }),
  })
}
