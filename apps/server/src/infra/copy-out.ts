// Rows of any number out of the database as CSV (`COPY … TO STDOUT`), a chunk at a time: what the reader does
// not take, PostgreSQL does not send.
import { Readable } from 'node:stream'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Statement } from './db.ts'
import { BusyError } from './heavy-reads.ts'

export interface CopyOut {
  /**
   * A header, the rows, and `# <n> rows`: without the last line a file was cut off. Throws BusyError when as
   * many are under way as are allowed, in all or for one owner.
   */
  open(ownerId: string, statement: Statement, values: Values): Promise<Readable>
  close(): Promise<void>
}

type Values = readonly (string | bigint | Date | null)[]

export interface CopyOutOptions {
  readonly url: string
  /** Under way at once; each has a connection of its own. */
  readonly atOnce: number
  /** The same for one owner. Less than all, so that one who reads slowly leaves some to the others. */
  readonly perOwner: number
  /** For all rows to be read. PostgreSQL does not measure how long it waits for its reader. */
  readonly timeoutMs: number
}

export function createCopyOut({ url, atOnce, perOwner, timeoutMs }: CopyOutOptions): CopyOut {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'tradepost exports',
    max: atOnce,
    idleTimeoutMillis: 10_000,
    statement_timeout: timeoutMs,
  })
  pool.on('error', ignore)
  /** The owner of each. */
  const underWay: string[] = []
  const enter = (ownerId: string): void => {
    const own = underWay.filter((id) => id === ownerId)
    if (underWay.length >= atOnce || own.length >= perOwner) throw new BusyError()
    underWay.push(ownerId)
  }
  const leave = (ownerId: string): void => {
    underWay.splice(underWay.indexOf(ownerId), 1)
  }

  /** Gives the connection back when it closes, also before its first row was asked for. */
  const rowsOf = (client: pg.PoolClient, ownerId: string, text: string): Readable => {
    let isDone = false
    async function* read(): AsyncGenerator<Buffer | string> {
      const copy = client.query(copyTo(text))
      yield* copy
      yield `# ${copy.rowCount} rows\n`
      isDone = true
    }
    const rows = Readable.from(read(), { objectMode: false })
    const late = (): void => {
      rows.destroy(new Error('the rows were not read in time'))
    }
    const timer = setTimeout(late, timeoutMs).unref()
    rows.on('error', ignore)
    rows.once('close', () => {
      clearTimeout(timer)
      leave(ownerId)
      client.off('error', ignore)
      // The reader has gone away in the middle: the connection is still being sent rows.
      client.release(!isDone)
    })
    return rows
  }

  return {
    open: async (ownerId, statement, values) => {
      enter(ownerId)
      let client: pg.PoolClient | undefined
      try {
        client = await pool.connect()
        // A client in use has no listener of the pool; a query reports the same error.
        client.on('error', ignore)
        return rowsOf(client, ownerId, await textOf(client, statement, values))
      } catch (error) {
        leave(ownerId)
        client?.release(true)
        throw error
      }
    },
    close: () => pool.end(),
  }
}

const ignore = (): void => {}

/** COPY takes no parameters: PostgreSQL itself writes them as literals (`format` with `%L`). */
async function textOf(client: pg.PoolClient, { text }: Statement, values: Values): Promise<string> {
  const template = text.replaceAll('%', '%%').replaceAll(/\$(\d+)/g, '%$1$$L')
  const parameters = values.map((value) =>
    value instanceof Date ? value.toISOString() : value === null ? null : String(value),
  )
  const { rows } = await client.query<{ filled: string }>(
    'select format($1, variadic $2::text[]) filled',
    [template, parameters],
  )
  return `copy (${rows[0]?.filled}) to stdout (format csv, header)`
}

/** Spaces, controls and what has no width: a spreadsheet may drop them before it looks for a sign. */
const INVISIBLE =
  String.raw`\s\u0001-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f` +
  String.raw`\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff`

/**
 * A text column that spreadsheets do not take for a formula: one that begins like a formula gets an
 * apostrophe (OWASP, CSV injection), also one with a full-width sign, which East Asian settings evaluate, or
 * with something invisible before it. Never for numbers: a minus is theirs.
 */
export const plainText = (column: string): string =>
  `case when ${column} ~ '^[${INVISIBLE}]*[=+@＝＋－＠-]|^[\\t\\r\\n]' then '''' || ${column} else ${column} end`

export const isoTime = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
