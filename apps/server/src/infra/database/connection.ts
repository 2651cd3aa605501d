// A connection to the database that does not wait for ever. The driver waits for an answer as long as the
// operating system takes the connection for open, and where a firewall, a proxy or a lost machine swallows
// what is sent, that may be a quarter of an hour, or for ever.
import type { Socket } from 'node:net'
import pg from 'pg'
import { databaseSocket } from './database-socket.ts'

export interface ConnectionOptions extends pg.ClientConfig {
  /** So long nothing may come while an answer is due. */
  readonly silenceMs: number
  /** The connection was destroyed for its silence. */
  readonly onSilence?: (silent: Connection) => void
  /** It may be a standby. Without it one that takes no writes is refused. */
  readonly isReplica?: boolean
}

/** The outcome of what was asked is unknown. */
export class SilentConnectionError extends Error {
  readonly code = 'ETIMEDOUT'
  constructor() {
    super('the connection to the database went silent')
  }
}

/** Behind the address is a standby, or a primary that takes no writes. */
class ReadOnlyDatabaseError extends Error {
  readonly code = 'ECONNREFUSED'
  constructor() {
    super('the database takes no writes: it is a standby, or set to read only')
  }
}

/** An idle connection: from then on the kernel asks the other machine whether it is still there. */
const KEEP_ALIVE_MS = 10_000

/** Settings that PostgreSQL reports at the start of a connection and at each change, from 14 on. */
const READ_ONLY_SETTINGS = new Set(['in_hot_standby', 'default_transaction_read_only'])

interface Reported {
  readonly parameterName: string
  readonly parameterValue: string
}

/** For a connection to be open, and for one of a pool to come free. */
export const CONNECTION_WAIT_MS = 10_000

/** `onSilence` and `silenceMs` reach each connection of the pool. */
export const openPool = (connection: ConnectionOptions, size: pg.PoolConfig): pg.Pool =>
  new pg.Pool({
    connectionTimeoutMillis: CONNECTION_WAIT_MS,
    ...connection,
    ...size,
    // The pool gives each the options that it was given itself, which the types of the driver do not say.
    Client: Connection as unknown as new () => pg.ClientBase,
  })

export class Connection extends pg.Client {
  /** As in the options; longer while a statement may take longer than others. */
  silenceMs: number
  /** Both of the monotonic clock. */
  lastAskedMs = 0
  lastAnsweredMs = performance.now()
  #isAnswerDue = false

  constructor(options: ConnectionOptions) {
    super({
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      stream: databaseSocket,
      ...options,
    })
    this.silenceMs = options.silenceMs
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Reported) => {
      if (options.isReplica) return
      if (READ_ONLY_SETTINGS.has(parameterName) && parameterValue === 'on') {
        this.destroy(new ReadOnlyDatabaseError())
      }
    })
    this.once('connect', () => this.#limitSilence(options.onSilence))
  }

  destroy(reason: Error): void {
    this.connection.stream.destroy(reason)
  }

  #limitSilence(onSilence: ConnectionOptions['onSilence']): void {
    const socket = this.connection.stream as Socket
    // Each byte that comes or goes begins the time anew.
    socket.on('timeout', () => {
      const { bytesRead } = socket
      // A process that was stopped and woken reads first what came meanwhile.
      setImmediate(() => {
        if (!this.#isAnswerDue || socket.bytesRead > bytesRead) return
        this.destroy(new SilentConnectionError())
        onSilence?.(this)
      })
    })
    const query = this.query as (...asked: unknown[]) => unknown
    this.query = ((...asked: unknown[]) => {
      this.lastAskedMs = performance.now()
      this.#isAnswerDue = true
      socket.setTimeout(this.silenceMs)
      return query.apply(this, asked)
    }) as pg.Client['query']
    this.on('drain', () => {
      this.lastAnsweredMs = performance.now()
      this.#isAnswerDue = false
      socket.setTimeout(0)
    })
  }
}
