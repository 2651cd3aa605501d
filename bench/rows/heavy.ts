// Cheap reads of one merchant while another one, with half a million trades, asks for everything that is
// heavy, with as many requests under way as it may have. The peer is the same server without those requests.
import { systemClock } from '../../apps/server/src/infra/clock.ts'
import { type Db, openDb } from '../../apps/server/src/infra/db.ts'
import { issueKey } from '../../apps/server/src/modules/identity/index.ts'
import { aMerchant } from '../../apps/server/src/modules/identity/testing/accounts.ts'
import { keepFigures } from '../../apps/server/src/modules/trades/index.ts'
import { seedTrades } from '../installation/trades.ts'
import type { Helper } from '../ipc.ts'
import type { LoadTask } from '../load/client.ts'
import type { LoadMethods } from '../load/process.ts'
import { compare, type Side } from '../rounds.ts'
import { buyersDatabase } from './buyers-database.ts'
import { loadOf, type RunRow, rateLine, requestOf, startLoad } from './row.ts'

/** Two run and eight wait: none is refused, and the database is never without one. */
const HEAVY_CONNECTIONS = 10
const CHEAP_CONNECTIONS = 2
const MAX_TIMES_SLOWER = 2
const HEAVY = [
  '/merchant/stats',
  '/merchant/trades?itemName=no%20such%20name',
  '/merchant/trades?status=hold',
  '/merchant/events?type=trade.completed',
  '/merchant/users?q=bench-9&page=40',
  '/merchant/ledger?type=fund_in',
]
const CHEAP = ['/user/wallet', '/merchant/limits', '/merchant/trades?limit=10', '/merchant/fees']

export const runHeavy: RunRow = async (bench) => {
  const { installation, isQuick, say } = bench
  const count = isQuick ? 30_000 : 500_000
  const name = 'bench_heavy'
  const url = await installation.clone(await buyersDatabase(bench), name)
  say(`writing ${count.toLocaleString('en')} trades`)
  await seedTrades(url, { count, say })
  const otherKey = await prepare(url)
  const api = await installation.startApi(url)
  const loads = [startLoad(), startLoad()] as const
  try {
    const task = (requests: readonly string[], key: string, connections: number) => ({
      port: api.port,
      connections,
      requests: requests.map((path) => requestOf('GET', path, { 'api-key': key })),
    })
    const cheap = task(CHEAP, otherKey, CHEAP_CONNECTIONS)
    const heavy = task(HEAVY, installation.apiKey, HEAVY_CONNECTIONS)
    const durationMs = isQuick ? 2000 : 6000
    const idle: Side = { pid: api.pid, run: () => loadOf(loads[0], { ...cheap, durationMs }) }
    const beside: Side = {
      pid: null,
      run: () => besideHeavy(loads, { cheap: { ...cheap, durationMs }, heavy }),
    }
    const compared = await compare({ ours: beside, peer: idle }, bench)
    return [
      rateLine(
        `cheap reads beside the heavy reads of a merchant with ${count.toLocaleString('en')} trades`,
        compared,
        { ratio: 0.25, p99Times: MAX_TIMES_SLOWER },
        `peer: the same without heavy reads; ${HEAVY_CONNECTIONS} heavy requests always under way`,
      ),
    ]
  } finally {
    await Promise.all([...loads.map((load) => load.stop()), api.stop()])
    await installation.drop(name)
  }
}

/** A merchant without trades; its API key. */
async function prepare(url: string): Promise<string> {
  const db: Db = openDb({ url, poolSize: 2, applicationName: 'bench heavy' })
  try {
    const at = systemClock.now()
    await keepFigures(db, { at, signal: AbortSignal.timeout(300_000) })
    const { id } = await aMerchant(db)
    const { secret } = await db.transaction((tx) =>
      issueKey(tx, { accountId: id, kind: 'merchant', name: 'bench', environment: 'test', at }),
    )
    return secret
  } finally {
    await db.close()
  }
}

/** The heavy requests begin before the cheap ones and end after them. */
async function besideHeavy(
  [load, other]: readonly [Helper<LoadMethods>, Helper<LoadMethods>],
  { cheap, heavy }: { readonly cheap: LoadTask; readonly heavy: Omit<LoadTask, 'durationMs'> },
) {
  const durationMs = (cheap.durationMs ?? 0) + HEAD_START_MS
  const heavyLoad = loadOf(other, { ...heavy, durationMs })
  await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS / 2))
  const [result] = await Promise.all([loadOf(load, cheap), heavyLoad])
  return result
}
const HEAD_START_MS = 400
