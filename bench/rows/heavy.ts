// Reads and buys of sixty merchants while another one, with half a million trades, asks for everything that
// is heavy, at the real rate limits. The peer is the same server without that merchant.

import { type Db, openDb } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { issueKey } from '../../apps/server/src/modules/accounts/identity/index.ts'
import { aMerchant } from '../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import { keepFigures } from '../../apps/server/src/modules/trading/trades/index.ts'
import { type ListingToBuy, readListings } from '../installation/buyers.ts'
import { auditBooks, runScript } from '../installation/installation.ts'
import { seedTrades } from '../installation/trades.ts'
import type { LoadResult, LoadTask } from '../load/client.ts'
import { compare, type Round, type Side } from '../rounds.ts'
import { startSandbox } from '../servers/sandbox.ts'
import { buyersDatabase } from './buyers-database.ts'
import { loadOf, type RunRow, rateLine, requestOf, startLoad } from './row.ts'

/** Enough that their reads and buys stay within the limits of each. */
const OTHERS = 60
const READS_PER_SECOND = 120
const BUYS_PER_SECOND = 30
const CONNECTIONS = 10
/**
 * One runs and eight wait: none is refused for want of a slot, and all of the limit is answered. Each asks
 * again at once: the minute's 360 go in a burst, and refusals, which are paced, follow until the next minute.
 */
const HEAVY_CONNECTIONS = 9
/** Of two minutes each. */
const ROUNDS = 3
const MAX_TIMES_SLOWER = 2
const TRADE_URL = 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00'
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
  const keys = await prepare(url)
  const listings = await readListings(url, 1_000_000)
  const sandbox = await startSandbox(installation.folder)
  const api = await installation.startApi(url, {
    RATE_LIMIT_SCALE: '1',
    SANDBOX_PORT: String(sandbox.port),
  })
  const loads = [startLoad(), startLoad(), startLoad()] as const
  // The limits are of a minute: shorter rounds would not always meet the minute's burst.
  const lengthOf = (index: number): number => (index < 0 || isQuick ? 5000 : 60_000)
  const task = (requests: readonly string[], durationMs: number): LoadTask => ({
    ...{ port: api.port, connections: CONNECTIONS, requests, durationMs },
  })
  const reads = keys.flatMap((key) =>
    CHEAP.map((path) => requestOf('GET', path, { 'api-key': key })),
  )
  const heavy = HEAVY.map((path) => requestOf('GET', path, { 'api-key': installation.apiKey }))
  const measureOthers = (index: number): Promise<[LoadResult, LoadResult]> => {
    const durationMs = lengthOf(index)
    const chosen = listings.splice(0, (BUYS_PER_SECOND * durationMs) / 1000)
    const buys = chosen.map((listing, i) => buyOf(listing, keys[i % keys.length] ?? ''))
    return Promise.all([
      loadOf(loads[0], { ...task(reads, durationMs), duePerSecond: READS_PER_SECOND }),
      loadOf(loads[1], { ...task(buys, durationMs), duePerSecond: BUYS_PER_SECOND }),
    ])
  }
  let answered = 0
  const buys: { ours: Round[]; peer: Round[] } = { ours: [], peer: [] }
  const idle: Side = {
    pid: null,
    run: async (index) => {
      const [result, bought] = await measureOthers(index)
      if (index >= 0) buys.peer.push({ ...bought, cpuMsEach: null })
      return result
    },
  }
  const beside: Side = {
    pid: null,
    run: async (index) => {
      const sent = loads[2].call('run', {
        ...task(heavy, lengthOf(index)),
        connections: HEAVY_CONNECTIONS,
      })
      const [[result, bought], { statuses }] = await Promise.all([measureOthers(index), sent])
      answered += answeredOf(statuses)
      if (index >= 0) buys.ours.push({ ...bought, cpuMsEach: null })
      return result
    },
  }
  try {
    const compared = await compare({ ours: beside, peer: idle }, { rounds: ROUNDS, say })
    if (answered === 0) throw new Error('no heavy request was answered')
    await auditBooks(url)
    const aim = { ratio: 0.95, p99Times: MAX_TIMES_SLOWER }
    const what = `of ${OTHERS} merchants beside the heavy reads of one with ${count.toLocaleString('en')} trades`
    const note = `peer: the same without that one, which asks again at once on ${HEAVY_CONNECTIONS} connections, at its limit of 360 a minute; ${answered.toLocaleString('en')} of them were answered`
    return [
      rateLine(`reads ${what}`, compared, aim, note),
      rateLine(`buys ${what}`, { ...buys, attempts: 1 }, aim, note),
    ]
  } finally {
    await Promise.all([...loads.map((load) => load.stop()), api.stop(), sandbox.stop()])
    await installation.drop(name)
  }
}

/** How many were answered; what is beyond the limits, or beyond what may wait, is refused. */
function answeredOf(statuses: LoadResult['statuses']): number {
  const unexpected = Object.keys(statuses).filter((status) => !EXPECTED.has(status))
  if (unexpected.length > 0) throw new Error(`heavy requests: ${JSON.stringify(statuses)}`)
  return statuses['200'] ?? 0
}
const EXPECTED = new Set(['200', '429', '503'])

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

/** Merchants without trades, with money, of the highest tier; their API keys. */
async function prepare(url: string): Promise<string[]> {
  const db: Db = openDb({ url, poolSize: 2, applicationName: 'bench heavy' })
  try {
    const at = systemClock.now()
    await keepFigures(db, { at, signal: AbortSignal.timeout(300_000) })
    const keys: string[] = []
    for (let i = 0; i < OTHERS; i++) {
      const { id } = await aMerchant(db)
      const { secret } = await db.transaction((tx) =>
        issueKey(tx, { accountId: id, kind: 'merchant', name: 'bench', environment: 'test', at }),
      )
      await runScript(url, fund(id))
      keys.push(secret)
    }
    await runScript(url, OPEN_FOR_BUYS, 'vacuum analyze')
    return keys
  } finally {
    await db.close()
  }
}

const fund = (accountId: string): string => `
  select ledger.post('deposit', null, '${accountId}', 'bench-' || '${accountId}', '\\x00', now(),
    array['USD'::ledger.currency], array[ledger.house('clearing_demo', 'USD')],
    array[ledger.account_of('${accountId}', 'spot')], array[1000000000000::bigint])`

// Buys are measured without workers: nothing of theirs is ever placed.
const OPEN_FOR_BUYS = `
  update buying.setting set waiting_limit = null;
  update catalog.market set online = true, enabled = true;
  update identity.account set tier = 'enterprise' where kind = 'merchant';`
