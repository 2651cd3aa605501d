// What a merchant's pages read, against a bare route that runs the same SQL: the list of trades, and the
// overview of thirty days.

import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { keepFigures } from '../../apps/server/src/modules/trading/trades/index.ts'
import { readRows } from '../installation/installation.ts'
import { logIn } from '../installation/session.ts'
import { seedTrades } from '../installation/trades.ts'
import { startHelper } from '../ipc.ts'
import { compare, type Side } from '../rounds.ts'
import type { DashboardPeerMethods } from '../servers/dashboard-peer.ts'
import type { OurProcess } from '../servers/tradepost.ts'
import { buyersDatabase } from './buyers-database.ts'
import {
  type Bench,
  type Line,
  loadOf,
  type RunRow,
  rateLine,
  requestOf,
  startLoad,
} from './row.ts'

const AIM = 0.5
const CONNECTIONS = 10
/** The overview is a heavy read: one of a merchant runs at once, and others wait for it. */
const OVERVIEW_CONNECTIONS = 1
const TRADES_LIMIT = 25
const OVERVIEW_DAYS = 30
/** The trades fill the overview. */
const EVERY_SECONDS = 25

export const runDashboard: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const name = 'bench_dashboard'
  const place = await openDashboard(bench, name, isQuick ? 10_000 : 100_000)
  const peer = startHelper<DashboardPeerMethods>(
    `${import.meta.dirname}/../servers/dashboard-peer.ts`,
    installation,
  )
  const load = startLoad()
  try {
    const peerPort = await peer.call('listen', {
      ...{ databaseUrl: place.url, merchantId: place.merchantId, atOnce: CONNECTIONS },
      ...{ tradesLimit: TRADES_LIMIT, overviewDays: OVERVIEW_DAYS },
    })
    const durationMs = isQuick ? 800 : 3000
    const side = (
      connections: number,
      from: { port: number; pid: number; path: string; cookie: string },
    ): Side => ({
      pid: from.pid,
      run: (index) =>
        loadOf(load, {
          ...{ port: from.port, connections },
          requests: [requestOf('GET', from.path, { cookie: from.cookie })],
          durationMs: index < 0 ? durationMs / 2 : durationMs,
        }),
    })
    const { port, pid } = place.api
    const lines: Line[] = []
    for (const { path, peerPath, connections } of [
      {
        path: `/dashboard/api/trades?limit=${TRADES_LIMIT}`,
        ...{ peerPath: '/trades', connections: CONNECTIONS },
      },
      {
        path: '/dashboard/api/overview',
        ...{ peerPath: '/overview', connections: OVERVIEW_CONNECTIONS },
      },
    ]) {
      const ours = side(connections, { port, pid, path, cookie: place.cookie })
      const theirs = side(connections, {
        port: peerPort,
        pid: peer.pid,
        path: peerPath,
        cookie: '',
      })
      const compared = await compare({ ours, peer: theirs }, { rounds, say })
      const note = `${place.trades.toLocaleString('en')} trades, ${connections} connection${connections === 1 ? '' : 's'}`
      lines.push(rateLine(`\`GET ${path}\``, compared, { ratio: AIM }, note))
    }
    return lines
  } finally {
    await peer.call('close')
    await Promise.all([place.api.stop(), peer.stop(), load.stop()])
    await installation.drop(name)
  }
}

export interface DashboardPlace {
  readonly url: string
  readonly api: OurProcess
  readonly merchantId: string
  readonly trades: number
  /** Of a person of the merchant. */
  readonly cookie: string
}

/** A merchant with trades of up to thirty days, its API process, and a session. */
export async function openDashboard(
  { installation, ...bench }: Bench,
  name: string,
  trades: number,
): Promise<DashboardPlace> {
  const url = await installation.clone(await buyersDatabase({ installation, ...bench }), name)
  await seedTrades(url, { count: trades, everySeconds: EVERY_SECONDS, say: bench.say })
  const db = openDb({ url, poolSize: 2, applicationName: 'bench dashboard' })
  try {
    await keepFigures(db, { at: systemClock.now(), signal: AbortSignal.timeout(600_000) })
  } finally {
    await db.close()
  }
  const [merchant] = await readRows<{ id: string }>(
    url,
    "select id from identity.account where kind = 'merchant' order by created_at limit 1",
  )
  const api = await installation.startApi(url)
  try {
    const cookie = await logIn(`http://127.0.0.1:${api.port}`, installation.login)
    return { url, api, merchantId: merchant?.id ?? '', trades, cookie }
  } catch (error) {
    await api.stop()
    throw error
  }
}
