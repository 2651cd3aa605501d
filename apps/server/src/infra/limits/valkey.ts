// One connection to Valkey or Redis, for what several processes must agree on within milliseconds. Nothing
// that matters lives there: its users must work without it.
import { hash } from 'node:crypto'
import { createClient } from '@redis/client'
import type { Log } from '../process/log.ts'

/** Lua that the store runs as one step. Made once, so that its digest is known. */
export interface Script {
  readonly text: string
  readonly digest: string
}

export const luaScript = (text: string): Script => ({ text, digest: hash('sha1', text) })

/** Runs a script on the store; rejects at once when there is no connection. */
export type RunScript = (
  script: Script,
  keys: readonly string[],
  values: readonly string[],
) => Promise<unknown>

export type ValkeyClient = ReturnType<typeof newClient>

export interface Valkey {
  /** Which connection this is, counted from one; null while there is none. */
  connection(): number | null
  readonly runScript: RunScript
  /** For what is not a script. A subscriber needs a connection of its own: `client.duplicate()`. */
  readonly client: ValkeyClient
  close(): void
}

/** The first connection may take this long before the process starts without it. */
const FIRST_CONNECTION_MS = 2000
const CONNECT_TIMEOUT_MS = 2000
/** A connection on which nothing moves for so long is cut: its users speak every second. */
const SILENCE_MS = 5000
const LONGEST_PAUSE_MS = 2000
const MAX_WAITING = 10_000

/** Connects, and goes on trying for as long as it is open. */
export async function openValkey({ url, log }: { url: string; log: Log }): Promise<Valkey> {
  const client = newClient(url)
  // Reconnecting fails several times a second; one line logs the loss and one the return.
  let isLost = false
  let connections = 0
  client.on('error', (error: unknown) => {
    if (!isLost) log.warn({ err: error }, 'the connection to Valkey is lost')
    isLost = true
  })
  client.on('ready', () => {
    connections++
    log.info({}, isLost ? 'the connection to Valkey is back' : 'connected to Valkey')
    isLost = false
  })
  let timer: NodeJS.Timeout | undefined
  await Promise.race([
    client.connect().catch((error: unknown) => {
      if (client.isOpen) log.warn({ err: error }, 'the connection to Valkey is lost')
    }),
    new Promise((resolve) => {
      timer = setTimeout(resolve, FIRST_CONNECTION_MS)
    }),
  ])
  clearTimeout(timer)
  return {
    client,
    connection: () => (client.isReady ? connections : null),
    runScript: async ({ text, digest }, keys, values) => {
      const rest = [String(keys.length), ...keys, ...values]
      try {
        return await client.sendCommand(['EVALSHA', digest, ...rest])
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
        return client.sendCommand(['EVAL', text, ...rest])
      }
    },
    close: () => {
      if (client.isOpen) client.destroy()
    },
  }
}

const newClient = (url: string) =>
  createClient({
    url,
    // A command that waits for a connection would be answered long after its request.
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_WAITING,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 10), LONGEST_PAUSE_MS),
    },
  })
