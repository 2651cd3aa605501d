// Subscriptions to NOTIFY: every channel of a process over one connection, which reconnects by itself.
import pg from 'pg'
import { Connection, type ConnectionOptions } from './connection.ts'

export interface Listener {
  /**
   * Calls `onNotice` with the payload of every NOTIFY on the channel, and with '' after a reconnection,
   * because notifications may have been lost. Rejects when the first connection fails. The function that it
   * returns ends the subscription.
   */
  listen(channel: string, onNotice: OnNotice): Promise<() => Promise<void>>
  close(): Promise<void>
}

type OnNotice = (payload: string) => void

const RECONNECT_MS = 500
/** Nothing else is asked of the connection, so nothing else would find that it is silent. */
const PROBE_MS = 15_000
const SILENCE_MS = 5000

export interface ListenerOptions {
  readonly onError: (error: Error) => void
  readonly onReconnect: () => void
  readonly probeMs?: number
  /** For the answer to a probe. */
  readonly silenceMs?: number
}

export function createListener(
  connection: ConnectionOptions,
  { onError, onReconnect, probeMs = PROBE_MS, silenceMs = SILENCE_MS }: ListenerOptions,
): Listener {
  const listeners = new Map<string, Set<OnNotice>>()
  let current: Connection | undefined
  let opening: Promise<Connection> | undefined
  let wasLost = false
  let retry: NodeJS.Timeout | undefined

  const emit = (listening: Iterable<OnNotice>, payload: string): void => {
    for (const onNotice of [...listening]) onNotice(payload)
  }

  const open = async (): Promise<Connection> => {
    const client = new Connection({ ...connection, silenceMs })
    let probing: NodeJS.Timeout | undefined
    client.on('error', onError)
    client.on('notification', ({ channel, payload = '' }) =>
      emit(listeners.get(channel) ?? [], payload),
    )
    // A connection that was never open is retried by the code that opened it; a second retry from here would
    // double the attempts each time.
    client.on('end', () => {
      clearInterval(probing)
      if (client !== current) return
      current = undefined
      opening = undefined
      wasLost = true
      reconnectSoon()
    })
    try {
      await client.connect()
      for (const channel of listeners.keys()) await client.query(listenTo(channel))
      if (listeners.size === 0) throw new Error('no listener is left')
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    current = client
    probing = setInterval(() => void execute(client, 'select 1').catch(() => {}), probeMs).unref()
    if (wasLost) {
      wasLost = false
      onReconnect()
      clearTimeout(retry)
      emit(
        [...listeners.values()].flatMap((listening) => [...listening]),
        '',
      )
    }
    return client
  }
  const connected = (): Promise<Connection> => {
    opening ??= open().catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const reconnectSoon = (): void => {
    retry = setTimeout(() => {
      connected().catch((error: Error) => {
        if (listeners.size === 0) return
        onError(error)
        reconnectSoon()
      })
    }, RECONNECT_MS)
  }
  const disconnect = async (): Promise<void> => {
    clearTimeout(retry)
    // A connection that is being opened finds by itself that no listener is left.
    if (current === undefined) return
    const client = current
    current = undefined
    opening = undefined
    await client.end()
  }

  // The connection takes one statement at a time.
  let last: Promise<unknown> = Promise.resolve()
  const execute = (client: Connection, text: string): Promise<unknown> => {
    last = last.catch(() => {}).then(() => client.query(text))
    return last
  }

  // The connection is closed with the last listener; until then unwanted notifications are ignored.
  const leave = async (channel: string, onNotice: OnNotice): Promise<void> => {
    const listening = listeners.get(channel)
    if (!listening?.delete(onNotice) || listening.size > 0) return
    listeners.delete(channel)
    if (listeners.size === 0) await disconnect()
  }

  return {
    listen: async (channel, onNotice) => {
      const own: OnNotice = (payload) => onNotice(payload)
      const listening = listeners.get(channel) ?? new Set()
      listeners.set(channel, listening.add(own))
      try {
        // The connection may have been opened before this channel was added.
        await execute(await connected(), listenTo(channel))
      } catch (error) {
        await leave(channel, own)
        throw error
      }
      return () => leave(channel, own)
    },
    close: async () => {
      listeners.clear()
      await disconnect()
    },
  }
}

const listenTo = (channel: string): string => `listen ${pg.escapeIdentifier(channel)}`
