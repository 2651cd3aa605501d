// Stands between a process and its database, and can be cut or go silent.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface Wire {
  /** The database's address through the wire. */
  readonly url: string
  readonly attempts: () => number
  /** Every connection that is open is closed, and none is taken. */
  cut(): Promise<void>
  /** `isDown`: connections are taken and dropped at once. `port`: it leads to another server from now on. */
  restore(state?: { readonly isDown?: boolean; readonly port?: number }): Promise<void>
  /** Connections that are open stay open, and nothing passes any more; those that are opened later work. */
  silence(): void
  close(): Promise<void>
}

export async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let attempts = 0
  let isDown = false
  const accept = (near: Socket): void => {
    attempts++
    if (isDown) {
      near.destroy()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  }
  const listen = (port: number): Promise<Server> =>
    new Promise((resolve) => {
      const server = createServer(accept).listen(port, '127.0.0.1', () => resolve(server))
    })
  let server = await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const url = new URL(target)
  url.port = String(port)
  return {
    url: url.href,
    attempts: () => attempts,
    cut,
    restore: async (state = {}) => {
      isDown = state.isDown ?? false
      if (state.port !== undefined) target.port = String(state.port)
      server = await listen(port)
    },
    silence: () => {
      // What is read of a stream without a reader is lost.
      for (const socket of sockets) socket.unpipe().on('data', () => {})
    },
    close: () => cut().catch(() => {}),
  }
}
