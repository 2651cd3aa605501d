// Cheap reads and buys of one merchant while another one, with half a million trades, asks for everything
// that is heavy, with as many requests under way as it may have. The peer is the same server without those
// requests.
import { systemClock } from '../../apps/server/src/infra/clock.ts'
import { type Db, openDb } from '../../apps/server/src/infra/db.ts'
import { issueKey } from '../../apps/server/src/modules/identity/index.ts'
import { aMerchant } from '../../apps/server/src/modules/identity/testing/accounts.ts'
import { keepFigures } from '../../apps/server/src/modules/trades/index.ts'
import { type ListingToBuy, readListings } from '../installation/buyers.ts'
import { auditBooks, runScript } from '../installation/installation.ts'
import { seedTrades } from '../installation/trades.ts'
import type { Helper } from '../ipc.ts'
import type { LoadResult, LoadTask } from '../load/client.ts'
import type { LoadMethods } from '../load/process.ts'
import { compare, type Side } from '../rounds.ts'
import { buyersDatabase } from './buyers-database.ts'
import { type Line, loadOf, type RunRow, rateLine, requestOf, startLoad } from './row.ts'

/** Two run and eight wait: none is refused, and the database is never without one. */
const HEAVY_CONNECTIONS = 10
const CHEAP_CONNECTIONS = 2
/** As a merchant buys: a few a second would not fill a p99. */
const BUY_CONNECTIONS = 2
const TRADE_URL = 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00'
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
    const heavy = task(HEAVY, installation.apiKey, HEAVY_CONNECTIONS)
    const durationMs = isQuick ? 2000 : 6000
    const line = async (
      what: string,
      nextTask: () => LoadTask,
      onDone: (count: number) => void,
    ): Promise<Line> => {
      const run = async (send: (task: LoadTask) => Promise<LoadResult>) => {
        const result = await send(nextTask())
        onDone(result.count)
        return result
      }
      const idle: Side = { pid: api.pid, run: () => run((cheap) => loadOf(loads[0], cheap)) }
      const beside: Side = {
        pid: null,
        run: () => run((cheap) => besideHeavy(loads, { cheap, heavy })),
      }
      return rateLine(
        `${what} beside the heavy reads of a merchant with ${count.toLocaleString('en')} trades`,
        await compare({ ours: beside, peer: idle }, bench),
        { ratio: 0.25, p99Times: MAX_TIMES_SLOWER },
        `peer: the same without heavy reads; ${HEAVY_CONNECTIONS} heavy requests always under way`,
      )
    }
    const reads = { ...task(CHEAP, otherKey, CHEAP_CONNECTIONS), durationMs }
    const listings = await readListings(url, 1_000_000)
    let bought = 0
    const buys = (): LoadTask => ({
      ...{ port: api.port, connections: BUY_CONNECTIONS, durationMs },
      requests: listings
        .slice(bought, bought + MOST_BUYS)
        .map((listing) => buyOf(listing, otherKey)),
    })
    const lines = [
      await line(
        'cheap reads',
        () => reads,
        () => {},
      ),
      await line('buys', buys, (sent) => {
        bought += sent
      }),
    ]
    await auditBooks(url)
    return lines
  } finally {
    await Promise.all([...loads.map((load) => load.stop()), api.stop()])
    await installation.drop(name)
  }
}

/** More than one round can send: none is sent twice. */
const MOST_BUYS = 12_000

const buyOf = ({ id, maxPrice }: ListingToBuy, apiKey: string): string =>
  requestOf(
    'POST',
    '/market/buy',
    { 'api-key': apiKey },
    JSON.stringify({
      externalId: `order-${id}`,
      tradeUrl: TRADE_URL,
      items: [{ listingId: id, maxPrice }],
    }),
  )

/** A merchant without trades, with money; its API key. */
async function prepare(url: string): Promise<string> {
  const db: Db = openDb({ url, poolSize: 2, applicationName: 'bench heavy' })
  try {
    const at = systemClock.now()
    await keepFigures(db, { at, signal: AbortSignal.timeout(300_000) })
    const { id } = await aMerchant(db)
    await runScript(url, fund(id))
    const { secret } = await db.transaction((tx) =>
      issueKey(tx, { accountId: id, kind: 'merchant', name: 'bench', environment: 'test', at }),
    )
    return secret
  } finally {
    await db.close()
  }
}

const fund = (accountId: string): string => `
  select ledger.post('deposit', null, '${accountId}', 'bench-deposit', '\\x00', now(),
    array['USD'::ledger.currency], array[ledger.house('clearing_demo', 'USD')],
    array[ledger.account_of('${accountId}', 'spot')], array[1000000000000::bigint])`

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
