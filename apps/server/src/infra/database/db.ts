// PostgreSQL as the modules see it: named prepared statements, transactions with bounded retries, and
// nothing of the driver. Modules import the types from here and never `pg` itself.
import pg from 'pg'
import { beginStatement, errorName, type Span } from '../tracing/tracing.ts'
import {
  CONNECTION_WAIT_MS,
  type Connection,
  type ConnectionOptions,
  openPool,
  SilentConnectionError,
} from './connection.ts'
import { createListener, type Listener } from './listener.ts'
import { tenantServed } from './tenant-context.ts'
import { BusyError, createTenantShares } from './tenant-shares.ts'

/** A statement with a name, so that the server plans it once for each connection. */
export interface Statement {
  readonly name: string
  readonly text: string
}

export const sql = (name: string, text: string): Statement => ({ name, text })

export interface Queryable {
  /** Runs a statement and returns its rows. bigint columns are bigint, timestamps are Date. */
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
}

export interface PoolStats {
  readonly total: number
  readonly idle: number
  /** Callers that wait for a connection. */
  readonly waiting: number
  /** How often a connection was given back. */
  readonly releases: number
}

declare const snapshotBrand: unique symbol
/** Several reads of one moment: none of them sees a commit that another does not. */
export interface Snapshot extends Queryable {
  readonly [snapshotBrand]: true
}

/** A database for a function that only reads. */
export interface ReadDb extends Queryable {
  /**
   * Runs `read` in one REPEATABLE READ, READ ONLY transaction. What is read by several statements and shown
   * as one thing is read here; it waits for no lock and is never tried again.
   */
  snapshot<T>(read: (at: Snapshot) => Promise<T>): Promise<T>
}

declare const txBrand: unique symbol
/** An open transaction. Every function that writes takes one as its first parameter. */
export interface Tx extends Queryable {
  readonly [txBrand]: true
}

export interface Db extends ReadDb {
  /**
   * Runs `work` in one READ COMMITTED transaction: commits when it returns, rolls back when it throws.
   * Serialisation failures, deadlocks and row types that a migration changed (40001, 40P01, 42804) are tried
   * again, three times at most; so `work` must have no effect outside the database. `statementTimeoutMs` is
   * for the statements of `work` in the place of the pool's.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Runs a text of statements without parameters: migrations, seeds and partitions only. */
  script(text: string): Promise<void>
  /** One connection beside the pool listens to all channels. */
  readonly listen: Listener['listen']
  close(): Promise<void>
  readonly url: string
  stats(): PoolStats
}

export interface TransactionOptions {
  readonly statementTimeoutMs?: number
}

export interface DbOptions {
  readonly url: string
  /** One tenant's requests hold at most half of it at once, those of all who hold several three quarters. */
  readonly poolSize: number
  /** No statement may run longer. */
  readonly statementTimeoutMs?: number
  readonly applicationName?: string
  /** It may be a standby; a write is refused (25006) on whatever it is. */
  readonly isReplica?: boolean
  /** An idle connection broke, or a listening connection was lost; for the log. */
  readonly onConnectionError?: (error: Error) => void
  /** The listening connection was lost and is open again. */
  readonly onListenReconnect?: () => void
}

const types = new pg.TypeOverrides()
types.setTypeParser(20, (text) => BigInt(text)) // int8: money and sequences
types.setTypeParser(1700, (text) => text) // numeric stays text
types.setTypeParser(1082, (text) => text) // date stays yyyy-mm-dd

const READ_ONLY = { isReplica: true, options: '-c default_transaction_read_only=on' }

const STATEMENT_TIMEOUT_MS = 15_000
/** PostgreSQL ends a statement at its limit; an answer that does not come soon after will not come. */
const ANSWER_GRACE_MS = 2000
const silenceAfter = (statementTimeoutMs: number): number => statementTimeoutMs + ANSWER_GRACE_MS
/** "Structure of query does not match function result type": see `alone`. */
const ROW_TYPE_CHANGED = '42804'
const OF_STATEMENTS: ReadonlySet<string> = new Set([ROW_TYPE_CHANGED])
/** Serialisation and deadlock, too: the whole transaction was rolled back. */
const OF_TRANSACTIONS: ReadonlySet<string> = new Set(['40001', '40P01', ROW_TYPE_CHANGED])
const MAX_ATTEMPTS = { statement: 2, transaction: 4 }

/** Of a pool, at once. */
const SHARE_OF_ONE = 1 / 2
/** What is left is for tenants that hold no connection, and for what several of them wait for. */
const SHARE_OF_ALL = 3 / 4

export function openDb(options: DbOptions): Db {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options
  const { onConnectionError = () => {} } = options
  const onError = (error: Error): void => onConnectionError(noted(error))
  const connection: ConnectionOptions = {
    connectionString: options.url,
    application_name: options.applicationName ?? 'tradepost',
    connectionTimeoutMillis: CONNECTION_WAIT_MS,
    silenceMs: silenceAfter(statementTimeoutMs),
    onSilence: (silent) => dropSilent(silent),
    types,
    ...(options.isReplica && READ_ONLY),
  }
  const pool = openPool(connection, {
    max: options.poolSize,
    // What is open stays open. A new connection is a process of PostgreSQL that has planned nothing yet: a
    // burst that needed several waited for them for up to half a second.
    min: options.poolSize,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 30_000,
  })
  const listener = createListener(connection, {
    onError,
    onReconnect: options.onListenReconnect ?? (() => {}),
  })
  // The pool ends before its connections have: one that a stopping database cuts off then was to end anyway.
  let isClosing = false
  pool.on('error', (error) => {
    if (!isClosing) onError(error)
  })
  pool.on('connect', (client) => {
    // The pool listens to idle clients only. A connection that breaks while a transaction uses it would have
    // no listener, and Node ends the process for that; the transaction gets the error from its query.
    client.on('error', () => {})
  })

  let releases = 0
  const idle = new Set<pg.ClientBase>()
  pool.on('release', (_, client) => {
    releases++
    idle.add(client)
  })
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('remove', (client) => idle.delete(client))
  /** What has not answered since the silent one was asked is not tried: each would cost as long. */
  function dropSilent(silent: Connection): void {
    for (const client of idle as Set<Connection>) {
      if (client.lastAnsweredMs < silent.lastAskedMs) client.destroy(new SilentConnectionError())
    }
  }

  const shares = createTenantShares({
    atOnce: Math.ceil(options.poolSize * SHARE_OF_ONE),
    ofAll: Math.floor(options.poolSize * SHARE_OF_ALL),
    waiting: Number.POSITIVE_INFINITY,
    waitMs: CONNECTION_WAIT_MS,
  })
  const inShare = <T>(work: () => Promise<T>): Promise<T> => {
    const tenant = tenantServed()
    return tenant === null ? work() : shares(tenant, work)
  }

  return {
    url: options.url,
    query: (statement, values) => inShare(() => alone(pool, statement, values)),
    transaction: (work, limits) => inShare(() => transact(pool, work, limits)),
    snapshot: (read) => inShare(() => atOneMoment(pool, read)),
    script: async (text) => {
      await withClient(pool, (client) => client.query(text))
    },
    listen: listener.listen,
    close: async () => {
      isClosing = true
      await listener.close()
      await pool.end()
    },
    stats: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      releases,
    }),
  }
}

const connect = (pool: pg.Pool): Promise<pg.PoolClient> =>
  pool.connect().catch((error) => {
    throw noted(error)
  })

async function run<Row>(
  client: pg.PoolClient,
  { name, text }: Statement,
  values?: readonly unknown[],
): Promise<Row[]> {
  const span = beginStatement(name)
  try {
    const result = await client.query({ name, text, values: (values ?? []) as unknown[] })
    span?.end()
    return result.rows as Row[]
  } catch (error) {
    if (span !== null) endFailed(span, error)
    throw error
  }
}

/** Refusals of our own functions, by the status that they mean, and constraints. */
const REFUSING_STATES = /^(PT4|PT503|23)/

function endFailed(span: Span, error: unknown): void {
  const state = sqlState(error)
  if (state !== undefined) span.set('db.response.status_code', state)
  span.end(state !== undefined && REFUSING_STATES.test(state) ? undefined : errorName(error))
}

/**
 * One statement, which is its own transaction. A function that waited for a migration's lock while the table
 * whose rows it returns got a column is refused, and has done nothing: it is run once more.
 */
const alone = <Row>(
  pool: pg.Pool,
  statement: Statement,
  values?: readonly unknown[],
): Promise<Row[]> => {
  const once = () => withClient(pool, (client) => run<Row>(client, statement, values))
  return retried(once, { states: OF_STATEMENTS, maxAttempts: MAX_ATTEMPTS.statement })
}

/** Does it again, so often in all, where it fails with one of these states. */
async function retried<T>(
  once: () => Promise<T>,
  { states, maxAttempts }: { readonly states: ReadonlySet<string>; readonly maxAttempts: number },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once()
    } catch (error) {
      if (attempt >= maxAttempts || !states.has(sqlState(error) ?? '')) throw error
    }
  }
}

/**
 * The pool's own `query` closes the connection of every statement that fails, and most that fail are
 * refusals: the next one has a new process of PostgreSQL, which plans anew what it runs.
 */
async function withClient<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect(pool)
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    if (!isUsableAfter(error)) broken = error as Error
    throw noted(error)
  } finally {
    client.release(broken)
  }
}

/** The columns of a planned statement have changed (feature not supported); no such prepared statement. */
const PLAN_STATES = new Set(['0A000', '26000'])

/** A write in a transaction that takes none. */
const READ_ONLY_STATE = '25006'

/** An error of the statement alone: its connection takes the next one, which need not be planned again. */
const isUsableAfter = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.severity === 'ERROR' &&
  error.code !== READ_ONLY_STATE &&
  !PLAN_STATES.has(error.code ?? '')

const queryableOf = (client: pg.PoolClient): Queryable => ({
  query: (statement, values) => run(client, statement, values),
})

const transact = <T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> =>
  retried(() => between(pool, work, options), {
    states: OF_TRANSACTIONS,
    maxAttempts: MAX_ATTEMPTS.transaction,
  })

/** Its reader does not wait for the commit, which keeps nothing and can lose nothing. */
async function atOneMoment<T>(pool: pg.Pool, read: (at: Snapshot) => Promise<T>): Promise<T> {
  const client = await connect(pool)
  try {
    await client.query('begin isolation level repeatable read read only')
    return await read(queryableOf(client) as Snapshot)
  } catch (error) {
    throw noted(error)
  } finally {
    client.query('commit').then(
      () => client.release(),
      (error: Error) => client.release(error),
    )
  }
}

/** One transaction on one connection: from `begin` to the commit, or to the rollback when `work` throws. */
async function between<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  { statementTimeoutMs }: TransactionOptions = {},
): Promise<T> {
  const client = (await connect(pool)) as Connection & pg.PoolClient
  const { silenceMs } = client
  let broken: Error | undefined
  try {
    await client.query('begin')
    if (statementTimeoutMs !== undefined) {
      await client.query(`set local statement_timeout = ${statementTimeoutMs}`)
      client.silenceMs = silenceAfter(statementTimeoutMs)
    }
    const result = await work(queryableOf(client) as Tx)
    await client.query('commit')
    return result
  } catch (error) {
    if (sqlState(error) === READ_ONLY_STATE) broken = error as Error
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    throw noted(error)
  } finally {
    client.silenceMs = silenceMs
    client.release(broken)
  }
}

/** The five-letter SQLSTATE of a database error, or undefined for any other error. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined

/** The name of the constraint that a database error is about. */
export const violatedConstraint = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.constraint : undefined

/** The DETAIL line of a database error: our SQL functions put details there as JSON. */
export const sqlDetail = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.detail : undefined

/** The HINT line of a database error. */
export const sqlHint = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.hint : undefined

/**
 * True when the database, or its pool, had no capacity for a statement in its time: it was not begun or was
 * rolled back, so nothing of it was kept.
 */
export function isBusy(error: unknown): boolean {
  if (error instanceof BusyError) return true
  const state = sqlState(error)
  if (state !== undefined) return BUSY_STATES.has(state) || state.startsWith('53')
  return error instanceof Error && error.message === POOL_TIMEOUT
}

// Statement timeout, lock timeout, and what is left after the retries of serialisation and deadlock.
const BUSY_STATES = new Set(['57014', '55P03', '40001', '40P01'])
/** What `pg` throws when no connection came free in time. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect'

/** True when the database could not be reached or cut the connection: the outcome is unknown. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const state = sqlState(error)
  if (state !== undefined) {
    return state.startsWith('08') || state.startsWith('57P') || state === READ_ONLY_STATE
  }
  const code = (error as { code?: string }).code
  return (code !== undefined && LOST_CODES.has(code)) || LOST_TEXTS.test(error.message)
}

/** Errors of connections to the database. Those of other systems are alike, so each is noted where it was. */
const losses = new WeakSet<object>()

function noted<T>(error: T): T {
  // A pool that was closed was lost to nothing: its process stops.
  if (isConnectionLoss(error) && !ENDED.test((error as Error).message)) losses.add(error as object)
  return error
}
const ENDED = /after calling end/

/** True when this connection of ours to the database was lost, or none came, or that is the cause. */
export const isDatabaseLoss = (error: unknown): boolean =>
  error instanceof Error && (losses.has(error) || isDatabaseLoss(error.cause))

/** Of the connection, of its stream, and of the name of the server. */
const LOST_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ENOENT', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'ETIMEOUT'],
  ...['ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ERR_SOCKET_CLOSED'],
])
/** What `pg` throws without a code. */
const LOST_TEXTS =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end/
