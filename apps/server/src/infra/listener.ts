// NOTIFY as a process hears it: every channel over one connection, which comes back by itself.
import pg from 'pg'

export interface Listener {
  /**
   * Calls `onNotice` with the payload of every NOTIFY on the channel; and with '' when the connection was
   * lost and is back, because notices may be missing then. Rejects when there is no connection at first.
   * The answer ends it.
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

  const tell = (told: Iterable<OnNotice>, payload: string): void => {
    for (const onNotice of [...told]) onNotice(payload)
  }

  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client(connection)
    client.on('error', onError)
    client.on('notification', ({ channel, payload = '' }) =>
      tell(listeners.get(channel) ?? [], payload),
    )
    // One that was never open is the business of whoever tried: two who try again would be four the
    // next time.
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
      if (listeners.size === 0) throw new Error('nobody listens any more')
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    current = client
    if (wasLost) {
      wasLost = false
      clearTimeout(retry)
      tell(
        [...listeners.values()].flatMap((told) => [...told]),
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
    // One that is being opened finds by itself that nobody listens.
    if (current === undefined) return
    const client = current
    current = undefined
    opening = undefined
    await client.end()
  }

  // The connection takes one statement at a time.
  let said: Promise<unknown> = Promise.resolve()
  const say = (client: pg.Client, text: string): Promise<unknown> => {
    said = said.catch(() => {}).then(() => client.query(text))
    return said
  }

  // The connection goes with the last listener; until then notices that nobody wants are passed over.
  const leave = async (channel: string, onNotice: OnNotice): Promise<void> => {
    const told = listeners.get(channel)
    if (!told?.delete(onNotice) || told.size > 0) return
    listeners.delete(channel)
    if (listeners.size === 0) await disconnect()
  }

  return {
    listen: async (channel, onNotice) => {
      const own: OnNotice = (payload) => onNotice(payload)
      const told = listeners.get(channel) ?? new Set()
      listeners.set(channel, told.add(own))
      try {
        // Whoever opened the connection may have looked before this channel was there.
        await say(await connected(), listenTo(channel))
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
