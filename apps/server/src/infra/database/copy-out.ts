// Rows of any number out of the database as CSV (`COPY … TO STDOUT`), a slice at a time: what the reader does
// not take is not read from the tables either.
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { createFairTurns } from '../limits/fair-turns.ts'
import { openPool } from './connection.ts'
import type { Db, Statement } from './db.ts'
import type { Replica } from './replica.ts'
import { BusyError } from './tenant-shares.ts'

/** Rows in the order of their keys, the highest first; the first parameter of both says whose rows. */
export interface ExportStatements {
  /** Its last two parameters are keys: rows below the one, down to the other; null: without this bound. */
  readonly rows: Statement
  /** `$2` a key or null, `$3` n: its row has the `key` of the n-th row below that key, if there is one. */
  readonly boundary: Statement
}

export interface RowsToCopy extends ExportStatements {
  readonly rowValues: (before: string | null, from: string | null) => Values
  readonly boundaryValues: (before: string | null, count: bigint) => Values
}

export const rowsToCopy = (statements: ExportStatements, values: Values): RowsToCopy => ({
  ...statements,
  rowValues: (before, from) => [...values, before, from],
  boundaryValues: (before, count) => [values[0] ?? null, before, count],
})

export interface CopyOut {
  /**
   * A header and the rows, as spreadsheets take them: with a byte order mark and CRLF. One that is cut off
   * fails, and so does the answer that sends it. Throws BusyError when as many are under way as are allowed,
   * in all or for one owner. Of all, one that waits for its reader is cut off in favour of the new one.
   */
  open(ownerId: string, rows: RowsToCopy): Promise<Readable>
  close(): Promise<void>
}

export type Values = readonly (string | bigint | Date | null)[]

export interface CopyOutOptions {
  /** Where from. Its own connections serve everything else of the process. */
  readonly db: Pick<Db, 'url' | 'stats'>
  /** Null: none. Read instead while it is fresh, each file from one side. */
  readonly replica?: Replica | null
  /** Under way at once; each has a connection of its own. */
  readonly atOnce: number
  /** The same for one owner. Less than all, so that one who reads slowly leaves some to the others. */
  readonly perOwner: number
  /** For all rows to be read. */
  readonly timeoutMs: number
  /** For what was copied to be taken: its transaction is open meanwhile, and holds up VACUUM. */
  readonly stallMs: number
}

/** A slice that brings nothing for so long will not come. */
const SLICE_SILENCE_MS = 60_000
/** One that a reader has not taken anything of for so long is cut off when another has no place. */
const SLOW_MS = 1000

/** Some hundred kilobytes, in some 20 ms of the database. */
const SLICE_ROWS = 4000n
/**
 * After a slice all exports rest for this part of its time: they leave the database a fifth of a core, and
 * half of one while others ask it.
 */
const REST = 0.25
const REST_BESIDE_OTHERS = 1
const restOf = (db: Pick<Db, 'stats'>): number => {
  const { total, idle } = db.stats()
  return idle < total ? REST_BESIDE_OTHERS : REST
}

interface UnderWay {
  readonly ownerId: string
  /** Since when it waits for its reader; null: it is being copied. */
  waitsSinceMs: number | null
  cutOff(why: string): void
}

export function createCopyOut(options: CopyOutOptions): CopyOut {
  const { db, replica = null, atOnce, perOwner, timeoutMs, stallMs } = options
  const poolOf = ({ url }: Pick<Db, 'url'>, isReplica: boolean): pg.Pool => {
    const connection = {
      connectionString: url,
      application_name: 'tradepost exports',
      silenceMs: SLICE_SILENCE_MS,
      isReplica,
    }
    const pool = openPool(connection, {
      max: atOnce,
      idleTimeoutMillis: 10_000,
      statement_timeout: timeoutMs,
      // Between two slices a transaction waits for its reader.
      idle_in_transaction_session_timeout: timeoutMs,
    })
    return pool.on('error', ignore)
  }
  const pool = poolOf(db, false)
  const replicaPool = replica === null ? null : poolOf(replica.db, true)
  const underWay = new Set<UnderWay>()
  const enter = (ownerId: string): UnderWay => {
    const own = [...underWay].filter((each) => each.ownerId === ownerId)
    if (own.length >= perOwner || (underWay.size >= atOnce && !cutOffSlowest())) {
      throw new BusyError()
    }
    const entered = { ownerId, waitsSinceMs: null, cutOff: ignore }
    underWay.add(entered)
    return entered
  }
  /** False when every reader keeps up. */
  const cutOffSlowest = (): boolean => {
    const nowMs = performance.now()
    const waitedMs = ({ waitsSinceMs }: UnderWay): number => nowMs - (waitsSinceMs ?? nowMs)
    const [slowest] = [...underWay].sort((left, right) => waitedMs(right) - waitedMs(left))
    if (slowest === undefined || waitedMs(slowest) < SLOW_MS) return false
    underWay.delete(slowest)
    slowest.cutOff('another export took the place of one that was not read')
    return true
  }
  // One slice at a time: however many are under way, the database works for one of them.
  const inTurn = createFairTurns({ atOnce: 1, waitingPerSource: perOwner, waiting: atOnce }, () => {
    throw new BusyError()
  })

  /** All slices show one moment. */
  const beginAt = async (side: pg.Pool): Promise<pg.PoolClient> => {
    const client = await side.connect()
    // A client in use has no listener of the pool; a query reports the same error.
    client.on('error', ignore)
    try {
      await client.query('begin isolation level repeatable read read only')
      return client
    } catch (error) {
      leave(client, { isDone: false })
      throw error
    }
  }
  const begin = async (): Promise<Begun> => {
    if (replica !== null && replicaPool !== null && replica.find() !== null) {
      try {
        return { client: await beginAt(replicaPool), replica }
      } catch (error) {
        if (!replica.isAtFault(error)) throw error
      }
    }
    return { client: await beginAt(pool), replica: null }
  }

  /** Gives the connection back when it closes, also before its first row was asked for. */
  const stream = (begun: Begun, entered: UnderWay, toCopy: RowsToCopy): Readable => {
    let { client, replica: side } = begun
    let isDone = false
    let isClosed = false
    /** A file of which nothing has been sent may as well be the primary's. */
    const copyFirst = async (): Promise<Slice> => {
      if (side === null) return copySlice(client, toCopy, null)
      try {
        return await copySlice(client, toCopy, null)
      } catch (error) {
        if (isClosed || !side.isAtFault(error)) throw error
      }
      const fresh = await beginAt(pool)
      if (isClosed) {
        leave(fresh, { isDone: false })
        throw new Error('the reader has gone')
      }
      leave(client, { isDone: false })
      ;[client, side] = [fresh, null]
      return copySlice(client, toCopy, null)
    }
    let stall: NodeJS.Timeout | undefined
    const waitForReader = (): void => {
      entered.waitsSinceMs = performance.now()
      stall = setTimeout(() => entered.cutOff('the rows were not read'), stallMs).unref()
    }
    const goOn = (): void => {
      entered.waitsSinceMs = null
      clearTimeout(stall)
    }
    async function* read(): AsyncGenerator<Buffer | string> {
      goOn()
      const endLines = lineEnder()
      let before: string | null = null
      do {
        const slice: Slice = await inTurn(entered.ownerId, async () => {
          const startedMs = performance.now()
          const copied = await (before === null ? copyFirst() : copySlice(client, toCopy, before))
          if (before === null) replica?.count(side === null ? 'primary' : 'replica')
          if (copied.from !== null) await sleep((performance.now() - startedMs) * restOf(db))
          return copied
        })
        for (const chunk of slice.chunks) {
          waitForReader()
          yield endLines(chunk)
          goOn()
        }
        before = slice.from
      } while (before !== null)
      await client.query('commit')
      isDone = true
    }
    const rows = Readable.from(read(), { objectMode: false })
    entered.cutOff = (why) => void rows.destroy(new Error(why))
    const timer = setTimeout(() => entered.cutOff('the rows took too long'), timeoutMs).unref()
    waitForReader()
    rows.on('error', ignore)
    rows.once('close', () => {
      clearTimeout(timer)
      clearTimeout(stall)
      underWay.delete(entered)
      isClosed = true
      leave(client, { isDone })
    })
    return rows
  }

  return {
    open: async (ownerId, toCopy) => {
      const entered = enter(ownerId)
      try {
        return stream(await begin(), entered, toCopy)
      } catch (error) {
        underWay.delete(entered)
        throw error
      }
    },
    close: async () => {
      await Promise.all([pool.end(), replicaPool?.end()])
    },
  }
}

interface Begun {
  readonly client: pg.PoolClient
  /** Null: it is a connection to the primary. */
  readonly replica: Replica | null
}

/** Of a reader that has gone away in the middle a transaction, and perhaps a statement, is still open. */
function leave(client: pg.PoolClient, { isDone }: { readonly isDone: boolean }): void {
  client.off('error', ignore)
  client.release(!isDone)
}

interface Slice {
  readonly chunks: readonly Buffer[]
  /** The key of its last row; null: no rows are left below it. */
  readonly from: string | null
}

/** The next rows below a key; the first slice has the byte order mark and the header. */
async function copySlice(
  client: pg.PoolClient,
  toCopy: RowsToCopy,
  before: string | null,
): Promise<Slice> {
  const boundary = toCopy.boundaryValues(before, SLICE_ROWS)
  const { rows } = await client.query<{ key: string }>(toCopy.boundary.text, [...boundary])
  const from = rows[0]?.key ?? null
  const select = await textOf(client, toCopy.rows, toCopy.rowValues(before, from))
  const format = before === null ? 'csv, header' : 'csv'
  const copy = client.query(copyTo(`copy (${select}) to stdout (format ${format})`))
  const chunks: Buffer[] = before === null ? [BYTE_ORDER_MARK] : []
  for await (const chunk of copy) chunks.push(chunk as Buffer)
  return { chunks, from }
}

/** Without it Excel reads UTF-8 as a code page of the machine. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Ends each row with CRLF (RFC 4180); a line break within quotes belongs to its field and stays. */
function lineEnder(): (chunk: Buffer) => Buffer {
  let isQuoted = false
  const ended = (sign: string): string => {
    if (sign === '"') isQuoted = !isQuoted
    return sign === '\n' && !isQuoted ? '\r\n' : sign
  }
  // Latin-1 has a character for each byte: a chunk may end within one of UTF-8.
  return (chunk) => Buffer.from(chunk.toString('latin1').replace(/["\n]/g, ended), 'latin1')
}

const ignore = (): void => {}

/** COPY takes no parameters: PostgreSQL itself writes them as literals (`format` with `%L`). */
async function textOf(client: pg.PoolClient, { text }: Statement, values: Values): Promise<string> {
  const template = text.replaceAll('%', '%%').replaceAll(/\$(\d+)/g, '%$1$$L')
  // The driver writes years above 9999 and before 1 as PostgreSQL reads them, which toISOString does not.
  const parameters = values.map((value) =>
    value === null || value instanceof Date ? value : String(value),
  )
  const { rows } = await client.query<{ filled: string }>(
    'select format($1, variadic $2::text[]) filled',
    [template, parameters],
  )
  return rows[0]?.filled ?? ''
}

/** Spaces, controls and what has no width: a spreadsheet may drop them before it looks for a sign. */
const INVISIBLE =
  String.raw`\s\u0001-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f` +
  String.raw`\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff`

/** Controls but tabs and line ends, which stay in their field, and what turns text around. */
const STEERING = String.raw`\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`

/**
 * A text column that spreadsheets do not take for a formula: one that begins like a formula gets an
 * apostrophe (OWASP, CSV injection), also one with a full-width sign, which East Asian settings evaluate, or
 * with something invisible before it. So does a sign within it that stands where a cell begins once a
 * spreadsheet takes semicolons or tabs for separators: it knows the quotes of no field but the first then.
 * Never for numbers: a minus is theirs. What steers text is shown as its escape.
 */
export const plainText = (column: string): string =>
  `(select case when plain ~ '[${STEERING}]' then ${escaped('plain')} else plain end
    from (select regexp_replace(case when given ~ '^[${INVISIBLE}]*[=+@＝＋－＠-]|^[\\t\\r\\n]' then '''' || given else given end,
       '([;\\t\\r\\n]["${INVISIBLE}]*)([=+@＝＋－＠-])', '\\1''\\2', 'g') plain
     from (select ${column} given offset 0) one offset 0) guarded)`

/** What steers, as its escape: `\u202E`. */
const escaped = (text: string): string =>
  `(select string_agg(case when sign ~ '[${STEERING}]' then '\\u' || lpad(upper(to_hex(ascii(sign))), 4, '0') else sign end, '' order by at)
     from regexp_split_to_table(${text}, '') with ordinality part (sign, at))`

export const isoTime = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
