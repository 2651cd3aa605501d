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
   * many are under way as are allowed.
   */
  open(statement: Statement, values: readonly (string | bigint | Date | null)[]): Promise<Readable>
  close(): Promise<void>
}

export interface CopyOutOptions {
  readonly url: string
  /** Under way at once; each has a connection of its own. */
  readonly atOnce: number
  readonly timeoutMs: number
}

export function createCopyOut({ url, atOnce, timeoutMs }: CopyOutOptions): CopyOut {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'tradepost exports',
    max: atOnce,
    idleTimeoutMillis: 10_000,
    statement_timeout: timeoutMs,
  })
  pool.on('error', ignore)
  let underWay = 0

  async function* rowsOf(client: pg.PoolClient, text: string): AsyncGenerator<Buffer | string> {
    let isDone = false
    try {
      const copy = client.query(copyTo(text))
      yield* copy
      yield `# ${copy.rowCount} rows\n`
      isDone = true
    } finally {
      underWay--
      client.off('error', ignore)
      // The reader has gone away in the middle: the connection is still being sent rows.
      client.release(!isDone)
    }
  }

  return {
    open: async (statement, values) => {
      if (underWay >= atOnce) throw new BusyError()
      underWay++
      let client: pg.PoolClient | undefined
      try {
        client = await pool.connect()
        // A client in use has no listener of the pool; a query reports the same error.
        client.on('error', ignore)
        const text = await textOf(client, statement, values)
        return Readable.from(rowsOf(client, text), { objectMode: false })
      } catch (error) {
        underWay--
        client?.release(true)
        throw error
      }
    },
    close: () => pool.end(),
  }
}

const ignore = (): void => {}

/** COPY takes no parameters: PostgreSQL itself writes them as literals (`format` with `%L`). */
async function textOf(
  client: pg.PoolClient,
  { text }: Statement,
  values: readonly (string | bigint | Date | null)[],
): Promise<string> {
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

/**
 * A text column that spreadsheets do not take for a formula: one that begins like a formula gets an
 * apostrophe (OWASP, CSV injection). Never for numbers: a minus is theirs.
 */
export const plainText = (column: string): string =>
  `case when ${column} ~ E'^[=+@\\t\\r-]' then '''' || ${column} else ${column} end`

export const isoTime = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
