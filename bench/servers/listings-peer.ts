// The peer of listings over all items: each question is one statement of PostgreSQL, whose rows are sent as
// the database made them.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Db, openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import { answerWith } from '../ipc.ts'

/** A statement for one address, with its values; it answers one row with one text, `rows`. */
export interface PeerQuestion {
  readonly path: string
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

let db: Db | null = null
const questions = new Map<string, PeerQuestion>()

const server = createServer((request, response) => {
  answerOf(request.url ?? '').then(
    (text) => {
      const length = Buffer.byteLength(text)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
      response.end(text)
    },
    (error: Error) => {
      response.writeHead(500, { 'content-length': Buffer.byteLength(error.message) })
      response.end(error.message)
    },
  )
})

async function answerOf(path: string): Promise<string> {
  const question = questions.get(path)
  if (!db || !question) throw new Error(`no statement for ${path}`)
  const { name, text, values } = question
  const [row] = await db.query<{ rows: string }>(sql(name, text), [...values])
  return row?.rows ?? '[]'
}

const methods = {
  listen: async (databaseUrl: string, asked: readonly PeerQuestion[]): Promise<number> => {
    db = openDb({ url: databaseUrl, poolSize: 4, applicationName: 'bench listings peer' })
    for (const question of asked) questions.set(question.path, question)
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  },
}
export type ListingsPeerMethods = typeof methods

answerWith(methods)
