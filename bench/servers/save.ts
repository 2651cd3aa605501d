// Saves an export to a file: over HTTP as a browser does, and, as its peer, straight from PostgreSQL.
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { answerWith } from '../ipc.ts'

const TAIL_BYTES = 64

const methods = {
  /** Seconds until the file is whole, with its size and its last line. */
  download: async (from: {
    readonly url: string
    readonly cookie: string
    readonly file: string
  }) => {
    const begun = performance.now()
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(from.url, { headers: { cookie: from.cookie } }, resolve).on('error', reject)
    })
    if (response.statusCode !== 200)
      throw new Error(`the export was refused: ${response.statusCode}`)
    await pipeline(response, createWriteStream(from.file))
    const seconds = (performance.now() - begun) / 1000
    const file = await open(from.file)
    try {
      const { size } = await file.stat()
      const tail = Buffer.alloc(Math.min(size, TAIL_BYTES))
      await file.read(tail, 0, tail.length, size - tail.length)
      const lastLine = tail.toString('utf8').trimEnd().split('\n').at(-1) ?? ''
      return { seconds, bytes: size, lastLine }
    } finally {
      await file.close()
    }
  },

  /** The same query by COPY TO STDOUT, with a connection of its own as the service has one. */
  copy: async (from: {
    readonly databaseUrl: string
    readonly text: string
    readonly values: readonly (string | null)[]
    readonly file: string
  }) => {
    const client = new pg.Client({ connectionString: from.databaseUrl })
    await client.connect()
    try {
      const begun = performance.now()
      // COPY takes no parameters.
      const template = from.text.replaceAll('%', '%%').replaceAll(/\$(\d+)/g, '%$1$$L')
      const { rows } = await client.query<{ filled: string }>(
        'select format($1, variadic $2::text[]) filled',
        [template, from.values],
      )
      const copy = client.query(copyTo(`copy (${rows[0]?.filled}) to stdout (format csv, header)`))
      await pipeline(copy, createWriteStream(from.file))
      return { seconds: (performance.now() - begun) / 1000, rows: copy.rowCount }
    } finally {
      await client.end()
    }
  },
}
export type SaveMethods = typeof methods

answerWith(methods)
