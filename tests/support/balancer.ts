// What an operator puts in front of several api processes, at its smallest: it takes connections and hands
// each to the next target in turn. One that refuses is passed over, and where it asks also one that is not
// ready.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Balancer {
  readonly port: number
  readonly url: string
  /** Whom connections go to from now on; those that are open stay where they are. */
  setTargets(ports: readonly number[]): void
  close(): Promise<void>
}

export async function startBalancer(
  targets: readonly number[],
  {
    port = 0,
    asksReadiness = false,
  }: {
    readonly port?: number
    /** Asks `/readyz` of each target, over and over, as an operator's balancer does. */
    readonly asksReadiness?: boolean
  } = {},
): Promise<Balancer> {
  let ports = [...targets]
  let turn = 0
  const sockets = new Set<Socket>()
  const unready = new Set<number>()

  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }
  /** Tries the targets from this turn on, each once. */
  const pass = (client: Socket, tries: number): void => {
    const inRotation = ports.filter((one) => !unready.has(one))
    const target = inRotation[turn++ % inRotation.length]
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
  const closing = new AbortController()
  const asking = asksReadiness ? askOnAndOn(() => ports, unready, closing.signal) : null
  const address = listener.address() as AddressInfo
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    setTargets: (next) => {
      ports = [...next]
    },
    close: async () => {
      closing.abort()
      await asking
      const closed = new Promise((resolve) => listener.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const ASKED_EVERY_MS = 100

/** Keeps the set of targets that do not answer `/readyz` with 200. */
async function askOnAndOn(
  targets: () => readonly number[],
  unready: Set<number>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (const port of targets()) {
      const isReady = await fetch(`http://127.0.0.1:${port}/readyz`, { signal }).then(
        async ({ ok, body }) => {
          await body?.cancel()
          return ok
        },
        () => false,
      )
      if (isReady) unready.delete(port)
      else unready.add(port)
    }
    await sleep(ASKED_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
