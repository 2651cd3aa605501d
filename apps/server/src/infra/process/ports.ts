// Ports of this machine's loopback address.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Above the ports that programs are known by, below those that the system gives to outgoing connections
 * (Linux 32768 and up, others higher). A server that comes back after a crash must find its port free, and
 * one that clients try again and again to reach would not: in the end one of them is given that very port,
 * and is then connected with itself.
 */
const FIRST_PORT = 20_000
const LAST_PORT = 32_767
const MAX_TRIES = 100

export function isFreePort(port: number): Promise<boolean> {
  if (port === 0) return Promise.resolve(false)
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** A port for a server that may have to come back under it. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1)
    if (await isFreePort(port)) return port
  }
  throw new Error(`no port from ${FIRST_PORT} to ${LAST_PORT} is free`)
}
