// Subscriptions to NOTIFY: every channel of a process over one connection, which reconnects by itself.
import pg from 'pg'

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

export function createListener(
  connection: pg.ClientConfig,
  onError: (error: Error) => void,
): Listener {
  const listeners = new Map<string, Set<OnNotice>>()
  let current: pg.Client | undefined
  let opening: Promise<pg.Client> | undefined
  let wasLost = false
  let retry: NodeJS.Timeout | undefined

  const emit = (listening: Iterable<OnNotice>, payload: string): void => {
    for (const onNotice of [...listening]) onNotice(payload)
  }

  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client(connection)
    client.on('error', onError)
    client.on('notification', ({ channel, payload = '' }) =>
      emit(listeners.get(channel) ?? [], payload),
    )
    // A connection that was never open is retried by the code that opened it; a second retry from here would
    // double the attempts each time.
    client.on('end', () => {
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
    if (wasLost) {
      wasLost = false
      clearTimeout(retry)
      emit(
        [...listeners.values()].flatMap((listening) => [...listening]),
        '',
      )
    }
    return client
  }
  const connected = (): Promise<pg.Client> => {
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
  const execute = (client: pg.Client, text: string): Promise<unknown> => {
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
