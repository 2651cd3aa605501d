// What an operator puts in front of several api processes, at its smallest: it takes connections and hands
// each to the next target in turn. One that refuses is passed over.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Balancer {
  readonly port: number
  readonly url: string
  /** Whom connections go to from now on; those that are open stay where they are. */
  setTargets(ports: readonly number[]): void
  close(): Promise<void>
}

export async function startBalancer(
  targets: readonly number[],
  { port = 0 } = {},
): Promise<Balancer> {
  let ports = [...targets]
  let turn = 0
  const sockets = new Set<Socket>()

  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }
  /** Tries the targets from this turn on, each once. */
  const pass = (client: Socket, tries: number): void => {
    const target = ports[turn++ % ports.length]
    if (target === undefined || tries === 0) {
      client.destroy()
      return
    }
    const server = connect({ host: '127.0.0.1', port: target, noDelay: true })
    keep(server)
    let isOpen = false
    server.once('connect', () => {
      isOpen = true
      client.pipe(server)
      server.pipe(client)
    })
    server.on('error', () => {
      if (isOpen || client.destroyed) client.destroy()
      else pass(client, tries - 1)
    })
    server.on('close', () => isOpen && client.destroy())
    client.on('close', () => server.destroy())
  }
  const listener = createServer({ noDelay: true }, (client) => {
    keep(client)
    client.on('error', () => client.destroy())
    pass(client, ports.length)
  })
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(port, '127.0.0.1', resolve)
  })
  const address = listener.address() as AddressInfo
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    setTargets: (next) => {
      ports = [...next]
    },
    close: async () => {
      const closed = new Promise((resolve) => listener.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
