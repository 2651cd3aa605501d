// `npm run bench [rows...]`: measures the paths that must be quick, each beside its peer in the same run,
// and writes bench/RESULTS.md and bench/results.json.
//   --quick           a smoke run in a minute or two that writes nothing
//   --rounds=N        alternating rounds (5)
//   --profile=FOLDER  CPU profiles of our server processes, for Chrome's developer tools
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { closeOnSignal, createSay } from '../tests/support/long-run.ts'
import { readOptions, refuseUse } from '../tools/options.ts'
import { openDemoData } from './installation/installation.ts'
import { loadAverages, machineDetails } from './machine.ts'
import { type Results, writeResults } from './report.ts'
import { runAccounts } from './rows/accounts.ts'
import { runAllInOne } from './rows/all-in-one.ts'
import { runAudit } from './rows/audit.ts'
import { runBuy } from './rows/buy.ts'
import { runBuyLimited } from './rows/buy-limited.ts'
import { runChains } from './rows/chains.ts'
import { runCost } from './rows/cost.ts'
import { runDashboard } from './rows/dashboard.ts'
import { runExport } from './rows/export.ts'
import { runFanOut } from './rows/fan-out.ts'
import { runFilterSockets } from './rows/filter-sockets.ts'
import { runFirstPage } from './rows/first-page.ts'
import { runFollow } from './rows/follow.ts'
import { runGateway } from './rows/gateway.ts'
import { runHeavy } from './rows/heavy.ts'
import { runKeyRequests } from './rows/key-requests.ts'
import { runLaterPages } from './rows/later-pages.ts'
import { runLimits } from './rows/limits.ts'
import { runListingsFilter } from './rows/listings-filter.ts'
import { runLive } from './rows/live.ts'
import { runPrices, runSearch, runSuggestions } from './rows/market.ts'
import { runMarketOrders } from './rows/market-orders.ts'
import { runMillion } from './rows/million.ts'
import { runOverview } from './rows/overview.ts'
import { runPartner } from './rows/partner.ts'
import { runPartnerPages } from './rows/partner-pages.ts'
import { runPayouts } from './rows/payouts.ts'
import { runPricesSince } from './rows/prices-since.ts'
import { runQueue } from './rows/queue.ts'
import { runQuickBuy } from './rows/quick-buy.ts'
import { runReplica } from './rows/replica.ts'
import type { Line, RunAlone, RunRow } from './rows/row.ts'
import { runSell } from './rows/sell.ts'
import { runStatements } from './rows/statements.ts'
import { runStatusNews } from './rows/status-news.ts'
import { runTraces } from './rows/traces.ts'
import { runTrades } from './rows/trades.ts'
import { runWebhooks } from './rows/webhooks.ts'

/** In this order: the first wants the data folder as `npm start` leaves it. */
const ROWS: Readonly<Record<string, RunRow>> = {
  'all-in-one': runAllInOne,
  search: runSearch,
  suggestions: runSuggestions,
  prices: runPrices,
  limits: runLimits,
  buy: runBuy,
  'buy-limited': runBuyLimited,
  'key-requests': runKeyRequests,
  'market-orders': runMarketOrders,
  traces: runTraces,
  'quick-buy': runQuickBuy,
  sell: runSell,
  follow: runFollow,
  webhooks: runWebhooks,
  payouts: runPayouts,
  gateway: runGateway,
  chains: runChains,
  'fan-out': runFanOut,
  trades: runTrades,
  partner: runPartner,
  'partner-pages': runPartnerPages,
  dashboard: runDashboard,
  overview: runOverview,
  export: runExport,
  'first-page': runFirstPage,
  'later-pages': runLaterPages,
  heavy: runHeavy,
  audit: runAudit,
  live: runLive,
  'filter-sockets': runFilterSockets,
}

/** They take minutes each, and are measured when they are named. */
const ROWS_BY_NAME: Readonly<Record<string, RunRow>> = {
  million: runMillion,
  'listings-filter': runListingsFilter,
  'prices-since': runPricesSince,
  'status-news': runStatusNews,
  accounts: runAccounts,
  statements: runStatements,
  queue: runQueue,
  replica: runReplica,
}
/** Likewise, in installations of their own. */
const ROWS_ALONE: Readonly<Record<string, RunAlone>> = { cost: runCost }
const INSTALLED = { ...ROWS, ...ROWS_BY_NAME }
const NAMES = [...Object.keys(INSTALLED), ...Object.keys(ROWS_ALONE)]

const { values, rest: wanted } = readOptions({
  name: 'npm run bench',
  about: `Measures the rows named, or all: ${Object.keys(ROWS).join(', ')}. By name only: ${Object.keys({ ...ROWS_BY_NAME, ...ROWS_ALONE }).join(', ')}.`,
  rest: '[row …]',
  options: {
    quick: { kind: 'flag', about: 'two short rounds, nothing is written' },
    accept: { kind: 'flag', about: 'keeps figures of cost that have grown by more than a tenth' },
    rounds: { kind: 'whole', about: 'how many (5, quick 2)', from: 1 },
    profile: { kind: 'text', of: 'folder', about: 'where the profiles of the processes go' },
  },
})
const unknown = wanted.find((name) => !NAMES.includes(name))
if (unknown !== undefined) refuseUse(`There is no row ${unknown}. Rows: ${NAMES.join(', ')}.`)
const isQuick = values.quick
const rounds = values.rounds ?? (isQuick ? 2 : 5)
const chosen = (rows: Readonly<Record<string, RunRow>>): [string, RunRow][] =>
  Object.entries(rows).filter(([name]) => wanted.includes(name))
const installed = wanted.length === 0 ? Object.entries(ROWS) : chosen(INSTALLED)

const say = createSay()

const sayOfRow = (text: string): void => say(`  ${text}`)
const before = loadAverages()
const at = new Date()
let failures = 0
if (installed.length > 0) {
  const installation = await openDemoData({
    say,
    profileFolder: values.profile ? resolve(values.profile) : null,
  })
  process.on('exit', () => rmSync(installation.folder, { recursive: true, force: true }))
  closeOnSignal(() => installation.close())
  for (const [name, run] of installed) {
    await write(name, () => run({ installation, rounds, isQuick, say: sayOfRow }))
  }
  await installation.close()
}
for (const [name, run] of Object.entries(ROWS_ALONE)) {
  if (!wanted.includes(name)) continue
  await write(name, () => run({ isQuick, accepts: values.accept, say: sayOfRow }))
}
if (isQuick) say('a quick run writes nothing: its figures are no results')
say('done')
process.exit(failures > 0 ? 1 : 0)

async function write(name: string, run: () => Promise<Line[]>): Promise<void> {
  say(`— ${name}`)
  try {
    const lines = await run()
    lines.forEach(tellLine)
    // After each row: what comes later may fail.
    if (!isQuick) writeResults(import.meta.dirname, { ...detailsOf(), rows: { [name]: lines } })
  } catch (error) {
    failures++
    console.error(`${name} failed:`, error)
  }
}

function detailsOf(): Omit<Results, 'rows'> {
  return { at, machine: machineDetails(), loadBefore: before, loadAfter: loadAverages(), rounds }
}

function tellLine({ reached, path, ours, peer, ratio, aim, note }: Line): void {
  say(`  ${reached ? 'reached' : 'NOT REACHED'}: ${path}: ${ours}`)
  say(`    peer ${peer || '-'}; ${ratio || '-'}; aim ${aim}; ${note}`)
}
