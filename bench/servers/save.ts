// Saves an export to a file: over HTTP as a browser does, and, as its peer, straight from PostgreSQL.
import { createReadStream, createWriteStream } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { answerWith } from '../ipc.ts'

const methods = {
  /** Seconds until the file is whole, with its size and its rows. A cut answer throws. */
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
    return { seconds, ...(await measure(from.file)) }
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
/** Of a file without line breaks in its fields, such as that of a ledger. */
async function measure(file: string): Promise<{ readonly bytes: number; readonly rows: number }> {
  let [bytes, lines] = [0, 0]
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) lines += 1
  }
  return { bytes, rows: lines - 1 }
}

export type SaveMethods = typeof methods

answerWith(methods)
