// The peer of the dashboard's reads: a bare Fastify route for each that runs the very statements of the read,
// with the same values, and answers their rows as they come.
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import {
  type Db,
  openDb,
  type Queryable,
  type Snapshot,
  type Statement,
} from '../../apps/server/src/infra/database/db.ts'
import { findEndpoint } from '../../apps/server/src/modules/events/webhooks/index.ts'
import { readWallets } from '../../apps/server/src/modules/money/ledger/index.ts'
import {
  listTrades,
  readSeries,
  readTotals,
} from '../../apps/server/src/modules/trading/trades/index.ts'
import { answerWith } from '../ipc.ts'

interface Asked {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

// Cents are small enough for a number, and JSON has no other.
Object.defineProperty(BigInt.prototype, 'toJSON', {
  value(this: bigint): number {
    return Number(this)
  },
})

/** What a read asks the database, in order. */
async function askedBy<From extends Queryable>(
  db: Db,
  read: (from: From) => Promise<unknown>,
): Promise<Asked[]> {
  const asked: Asked[] = []
  const recording: Queryable = {
    query: (statement, values = []) => {
      asked.push({ statement, values })
      return db.query(statement, values)
    },
  }
  await read(recording as From)
  return asked
}

const DAY_MS = 86_400_000

const app = fastify({ logger: false })
let db: Db | null = null

const methods = {
  listen: async (from: {
    readonly databaseUrl: string
    readonly atOnce: number
    readonly merchantId: string
    readonly tradesLimit: number
    readonly overviewDays: number
  }): Promise<number> => {
    const { merchantId } = from
    const opened = openDb({ url: from.databaseUrl, poolSize: from.atOnce })
    db = opened
    const to = new Date()
    const range = {
      from: new Date(to.getTime() - from.overviewDays * DAY_MS),
      to,
      currency: 'USD',
    } as const
    const routes = {
      '/trades': await askedBy(opened, (at: Db) =>
        listTrades(at, { tenantId: merchantId }, { cursor: null, limit: from.tradesLimit }),
      ),
      '/overview': await askedBy(opened, async (at: Snapshot) => {
        await readTotals(at, merchantId, range)
        await readSeries(at, merchantId, { ...range, unit: 'day' })
        await readWallets(at, [merchantId])
        await findEndpoint(at, merchantId)
      }),
    }
    for (const [path, asked] of Object.entries(routes)) {
      app.get(path, async (_request, reply) => {
        const rows: unknown[] = []
        for (const { statement, values } of asked) rows.push(await opened.query(statement, values))
        return reply.type('application/json').send(JSON.stringify(rows))
      })
    }
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  },
  close: async (): Promise<void> => {
    await app.close()
    await db?.close()
  },
}
export type DashboardPeerMethods = typeof methods

answerWith(methods)
