// Stands between a process and its database, and can be cut.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { after } from 'node:test'

export interface Wire {
  /** The same database, through the wire. */
  readonly url: string
  attempts(): number
  cut(): Promise<void>
  /** `isDown`: connections are taken and dropped at once. */
  restore(state?: { isDown: boolean }): Promise<void>
}

/** Of this database; cut at the end of the test file at the latest. */
export async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let attempts = 0
  let down = false
  const accept = (near: Socket): void => {
    attempts++
    if (down) {
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
  after(() => cut().catch(() => {}))
  const url = new URL(target)
  url.port = String(port)
  return {
    url: url.href,
    attempts: () => attempts,
    cut,
    restore: async ({ isDown } = { isDown: false }) => {
      down = isDown
      server = await listen(port)
    },
  }
}
