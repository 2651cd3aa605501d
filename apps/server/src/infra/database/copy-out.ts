// Rows of any number out of the database as CSV: one `COPY … TO STDOUT` a file, which PostgreSQL continues as
// fast as the reader takes what has come. A single statement shows one moment, so it needs no transaction.
import { once } from 'node:events'
import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { to as copyTo } from 'pg-copy-streams'
import { CONNECTION_WAIT_MS, Connection } from './connection.ts'
import type { Db, Statement } from './db.ts'
import type { Replica } from './replica.ts'
import { BusyError } from './tenant-shares.ts'

export interface RowsToCopy {
  /** Functions that it calls are stable: a volatile one would see a later moment with each row. */
  readonly statement: Statement
  readonly values: Values
}

export type Values = readonly (string | bigint | Date | null)[]

export interface CopyOut {
  /**
   * A header and the rows, as spreadsheets take them: with a byte order mark and CRLF. One that is cut off
   * fails, and so does the answer that sends it. Throws BusyError when its owner has one under way, and when
   * as many are as are allowed, unless one that waits for its reader can be cut off in favour of the new one.
   */
  open(ownerId: string, toCopy: RowsToCopy): Readable
}

export interface CopyOutOptions {
  readonly db: Pick<Db, 'url'>
  /** Null: none. Read instead while it is fresh, each file from one side. */
  readonly replica?: Replica | null
  /** Under way at once, one of an owner; each has a connection of its own. */
  readonly atOnce: number
  /** For a whole file, from the question until its reader has it. */
  readonly timeoutMs: number
  /** One that a reader has not taken anything of for so long is cut off when another has no place. */
  readonly slowMs: number
  /** For what was copied to be taken: its statement is open meanwhile, and holds up VACUUM. */
  readonly stallMs: number
}

export function createCopyOut(options: CopyOutOptions): CopyOut {
  const { db, replica = null, atOnce, timeoutMs, slowMs } = options
  const underWay = new Set<CsvFile>()

  const makeRoomFor = (ownerId: string): void => {
    const files = [...underWay].filter(({ destroyed }) => !destroyed)
    if (files.some((file) => file.ownerId === ownerId)) throw new BusyError()
    if (files.length < atOnce) return
    const [slowest] = files.sort((left, right) => right.unreadMs() - left.unreadMs())
    if (slowest === undefined || slowest.unreadMs() < slowMs) throw new BusyError()
    slowest.destroy(new Error('another export took the place of one that was not read'))
  }

  /** A file of which nothing has been sent may as well be the primary's. */
  const fill = async (file: CsvFile, toCopy: RowsToCopy): Promise<void> => {
    if (replica !== null && replica.find() !== null) {
      try {
        return await copyFrom('replica', replica.db, file, toCopy)
      } catch (error) {
        if (file.destroyed || !replica.isAtFault(error)) throw error
      }
    }
    await copyFrom('primary', db, file, toCopy)
  }

  const copyFrom = async (
    side: 'replica' | 'primary',
    { url }: Pick<Db, 'url'>,
    file: CsvFile,
    toCopy: RowsToCopy,
  ): Promise<void> => {
    const connection = new Connection({
      connectionString: url,
      application_name: 'tradepost exports',
      connectionTimeoutMillis: CONNECTION_WAIT_MS,
      isReplica: side === 'replica',
      // A COPY that waits for its reader, or finds few rows, is silent for as long as the file may take.
      statement_timeout: timeoutMs,
      silenceMs: timeoutMs,
      // By itself PostgreSQL finds the connection closed when it sends the next rows, perhaps minutes later.
      options: '-c client_connection_check_interval=500ms',
    })
    // What it was asked fails by the same error.
    connection.on('error', ignore)
    const leave = (): void => connection.destroy(new Error('the file was closed'))
    file.once('close', leave)
    try {
      await connection.connect()
      const select = await textOf(connection, toCopy)
      const copy = connection.query(copyTo(`copy (${select}) to stdout (format csv, header)`))
      // It reports an error and stays open.
      copy.on('error', (error) => copy.destroy(error))
      await once(copy, 'readable')
      replica?.count(side)
      file.write(BYTE_ORDER_MARK)
      await pipeline(copy, file)
    } finally {
      file.off('close', leave)
      void connection.end()
    }
  }

  return {
    open: (ownerId, toCopy) => {
      makeRoomFor(ownerId)
      const file = new CsvFile(ownerId, options)
      underWay.add(file)
      fill(file, toCopy)
        .catch((error: Error) => file.destroy(error))
        .finally(() => underWay.delete(file))
      return file
    },
  }
}

/** Takes what COPY writes, and knows how long it has been waiting for its reader. */
class CsvFile extends Transform {
  readonly ownerId: string
  readonly #stallMs: number
  readonly #timeout: NodeJS.Timeout
  readonly #endLines = lineEnder()
  /** Null: it waits for the database. */
  #unreadSinceMs: number | null = null
  #stall: NodeJS.Timeout | undefined

  constructor(ownerId: string, { timeoutMs, stallMs }: CopyOutOptions) {
    super()
    this.ownerId = ownerId
    this.#stallMs = stallMs
    this.#timeout = this.#destroyAfter(timeoutMs, 'the rows took too long')
    // Its reader may be gone.
    this.on('error', ignore)
  }

  unreadMs(): number {
    return this.#unreadSinceMs === null ? 0 : performance.now() - this.#unreadSinceMs
  }

  override _transform(rows: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#unreadSinceMs ??= performance.now()
    this.#stall ??= this.#destroyAfter(this.#stallMs, 'the rows were not read')
    done(null, this.#endLines(rows))
  }

  /** Called once its reader has made room in the buffer. */
  override _read(size: number): void {
    this.#unreadSinceMs = null
    clearTimeout(this.#stall)
    this.#stall = undefined
    super._read(size)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timeout)
    clearTimeout(this.#stall)
    done(error)
  }

  #destroyAfter(ms: number, why: string): NodeJS.Timeout {
    return setTimeout(() => this.destroy(new Error(why)), ms).unref()
  }
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
async function textOf(connection: Connection, toCopy: RowsToCopy): Promise<string> {
  const { statement, values } = toCopy
  const template = statement.text.replaceAll('%', '%%').replaceAll(/\$(\d+)/g, '%$1$$L')
  // The driver writes years above 9999 and before 1 as PostgreSQL reads them, which toISOString does not.
  const parameters = values.map((value) =>
    value === null || value instanceof Date ? value : String(value),
  )
  const { rows } = await connection.query<{ filled: string }>(
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
