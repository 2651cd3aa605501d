// What a trade costs and leaves behind, and what an idle service costs: statements, transactions, write-ahead
// log, rows and bytes, CPU of the database, connections and memory. No peer: each figure is compared with the
// one that was kept, and the row fails where one has grown by more than a tenth.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import { closeOnSignal } from '../../tests/support/long-run.ts'
import { newSecretsKey, type Role, type Settings, startServer } from '../../tests/support/server.ts'
import { type Stack, startStack } from '../../tests/support/stack.ts'
import { buyNext, stock } from '../../tests/support/trading.ts'
import { until } from '../../tests/support/until.ts'
import { TABLES } from '../../tools/retention/tables.ts'
import { readRows } from '../installation/installation.ts'
import { memoryOf } from '../machine.ts'
import type { Say } from '../rounds.ts'
import {
  type Meter,
  openMeter,
  startMeasuredPostgres,
  type TableCount,
  type TableCounts,
  type Used,
} from './cost-meter.ts'
import type { Line, RunAlone } from './row.ts'

export const runCost: RunAlone = async ({ isQuick, accepts, say }) => {
  const plan = isQuick ? QUICK : FULL
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-cost-'))
  closeOnSignal(async () => running?.stop())
  try {
    const quiet = await measured(folder, WITHOUT_CHANGES, say, async (installation) => {
      const idle = await idleFor(installation.meter, plan.quietSeconds, say)
      const traded = await trade(installation, { trades: plan.trades, idle }, say)
      return { idle, traded, processes: await processes(installation) }
    })
    const asStarted = await measured(folder, AS_STARTED, say, ({ meter }) =>
      idleFor(meter, plan.idleSeconds, say),
    )
    const { traded } = quiet
    const figures: Figures = {
      ...tradeFigures(traded),
      ...idleFigures({ asStarted, quiet: quiet.idle }),
      ...quiet.processes,
    }
    const kept = readKept()
    const grown = isQuick ? [] : NAMES.filter((name) => hasGrown(name, figures, kept))
    for (const name of grown) say(`has grown by more than a tenth: ${FIGURES[name].path}`)
    if (grown.length > 0 && !accepts) {
      throw new Error('figures have grown: repair what made them grow, or keep them with --accept')
    }
    if (!isQuick)
      keep({ version: traded.version, trades: traded.trades, figures, tables: traded.tables })
    return NAMES.map((name) => lineOf(name, figures, kept))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const QUICK = { idleSeconds: 20, quietSeconds: 20, trades: 100 }
const FULL = { idleSeconds: 300, quietSeconds: 60, trades: 500 }

/** As `npm start` is set. */
const AS_STARTED: Settings = {
  SANDBOX_LISTINGS: '55000',
  SANDBOX_ITEMS: '28000',
  SANDBOX_CHANGES_PER_SECOND: '20',
  SANDBOX_CHAINS: 'all',
  FOLLOW_INTERVAL_MS: '500',
}
const WITHOUT_CHANGES: Settings = { FOLLOW_INTERVAL_MS: '500' }

/** Until starting jobs have done what they do once. */
const SETTLE_MS = 15_000
/** After this long every idle connection has reported its counters. */
const REPORTED_MS = 11_000
const BUYERS = 8
interface Installation {
  readonly postgres: EmbeddedPostgres
  readonly meter: Meter
  readonly stack: Stack
  readonly secretsKey: string
  readonly folder: string
}

/** Outlives its parent unless it is stopped. */
let running: EmbeddedPostgres | null = null

async function measured<T>(
  parent: string,
  settings: Settings,
  say: Say,
  measure: (installation: Installation) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(parent, 'installation-'))
  const postgres = await startMeasuredPostgres({ folder: join(folder, 'postgres') })
  running = postgres
  try {
    await migrate(postgres.url)
    const meter = await openMeter(postgres)
    const secretsKey = newSecretsKey()
    const db = openDb({ url: postgres.url, poolSize: 1 })
    const database = { db, url: postgres.url, close: () => db.close() }
    const stack = await startStack(database, { ...settings, SECRETS_KEY: secretsKey })
    try {
      say('an installation is ready')
      await pause(SETTLE_MS)
      return await measure({ postgres, meter, stack, secretsKey, folder })
    } finally {
      await meter.close()
      await stack.close()
    }
  } finally {
    await postgres.stop()
  }
}

interface Idle {
  readonly used: Used
  /** Of pages that are logged whole after a checkpoint. */
  readonly wholePages: number
}

async function idleFor(meter: Meter, seconds: number, say: Say): Promise<Idle> {
  const from = await meter.begin()
  await pause(seconds * 1000)
  const used = await meter.since(from)
  const tables = await meter.walByTable(from)
  say(`idle for ${Math.round(used.seconds)} s, statements a second:`)
  for (const { query, calls, walBytes } of (await meter.statements()).slice(0, SHOWN)) {
    const each = calls / used.seconds
    say(`  ${each.toFixed(2)}  ${Math.round(walBytes / used.seconds)} B/s  ${query.slice(0, 100)}`)
  }
  sayTables(tables, used.seconds, 'B/s', say)
  const wholePages = Object.values(tables).reduce((sum, one) => sum + one.wholePages, 0)
  return { used, wholePages }
}

const SHOWN = 25

function sayTables(
  tables: Awaited<ReturnType<Meter['walByTable']>>,
  per: number,
  unit: string,
  say: Say,
): void {
  const sorted = Object.entries(tables).toSorted(([, a], [, b]) => b.bytes - a.bytes)
  say('log by table, and whole pages of it:')
  for (const [table, { bytes, wholePages }] of sorted.slice(0, SHOWN)) {
    say(`  ${table}: ${Math.round(bytes / per)} ${unit}, ${Math.round(wholePages / per)}`)
  }
}

interface Traded {
  readonly trades: number
  readonly version: string
  /** Less what the service uses in that time when it is idle. */
  readonly used: Used
  readonly deliveries: number
  readonly tables: TableCounts
}

const OPEN = `
  select from trades.trade where status in ('initiated', 'pending', 'active', 'hold')
  union all select from outbox.event where dispatched_at is null
  union all select from webhooks.delivery where status in ('pending', 'retrying')
  limit 1`

async function trade(
  { postgres, meter, stack }: Installation,
  { trades, idle }: { readonly trades: number; readonly idle: Idle },
  say: Say,
): Promise<Traded> {
  const supplies = await Promise.all(
    (['market_a', 'market_b'] as const).map(async (market) => ({
      market,
      supply: await stock(stack.control, market),
    })),
  )
  const before = await meter.tables()
  const from = await meter.begin()
  let left = trades
  const buy = async (buyer: number): Promise<void> => {
    const supply = supplies[buyer % supplies.length]
    while (supply !== undefined && left-- > 0) await buyNext(stack.merchant, supply)
  }
  await Promise.all(Array.from({ length: BUYERS }, (_, buyer) => buy(buyer)))
  say(`${trades} trades are bought`)
  const haveEnded = async () => (await readRows(postgres.url, OPEN)).length === 0
  await until('all have ended and are reported', haveEnded, { everyMs: 2000, deadlineMs: 900_000 })
  await pause(REPORTED_MS)
  const all = await meter.since(from)
  const tables = grownTables(before, await meter.tables(), trades)
  const wal = await meter.walByTable(from)
  say('statements a trade:')
  for (const { query, calls, walBytes } of (await meter.statements()).slice(0, SHOWN)) {
    say(
      `  ${(calls / trades).toFixed(2)}  ${Math.round(walBytes / trades)} B  ${query.slice(0, 100)}`,
    )
  }
  sayTables(wal, trades, 'B', say)
  for (const [table, { rows, bytes, updates, hotUpdates }] of Object.entries(tables)) {
    const each = [rows, bytes, updates, hotUpdates].map((count) => (count / trades).toFixed(1))
    say(
      `  ${table}: ${each[0]} rows, ${each[1]} B, ${each[2]} updates, ${each[3]} of them without an index`,
    )
  }
  const [row] = await readRows<{ version: string; deliveries: number }>(
    postgres.url,
    `select current_setting('server_version') version, count(*)::int deliveries from webhooks.delivery`,
  )
  return {
    trades,
    version: row?.version ?? '',
    used: less(all, idle),
    deliveries: row?.deliveries ?? 0,
    tables,
  }
}

/** Without what an idle service uses in that time; the pages that a checkpoint makes it log again are few. */
function less(all: Used, { used, wholePages }: Idle): Used {
  const share = all.seconds / used.seconds
  return {
    seconds: all.seconds,
    statements: all.statements - used.statements * share,
    transactions: all.transactions - used.transactions * share,
    walBytes: all.walBytes - (used.walBytes - wholePages) * share,
    cpuMs: all.cpuMs - used.cpuMs * share,
  }
}

/** Tables that grow with trades. Those of the catalogue grow with what is listed, and with the days. */
function grownTables(before: TableCounts, after: TableCounts, trades: number): TableCounts {
  const grown = Object.entries(after).flatMap(([table, now]) => {
    if (!(table in TABLES)) throw new Error(`${table} has no line in tools/retention/tables.ts`)
    const was = before[table]
    const counts = {
      rows: now.rows - (was?.rows ?? 0),
      bytes: now.bytes - (was?.bytes ?? 0),
      updates: now.updates - (was?.updates ?? 0),
      hotUpdates: now.hotUpdates - (was?.hotUpdates ?? 0),
    }
    const isOfTrades = counts.rows >= LEAST_ROWS * trades && !table.startsWith('catalog.')
    return isOfTrades ? [[table, counts] as const] : []
  })
  return Object.fromEntries(grown.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
const LEAST_ROWS = 0.1

/** Connections and memory of an api and of a worker process that each work beside the rest for a while. */
async function processes({ postgres, meter, stack, secretsKey, folder }: Installation) {
  const settings: Settings = {
    DATABASE_URL: postgres.url,
    SECRETS_KEY: secretsKey,
    SANDBOX_PORT: new URL(stack.demo.sandboxUrl).port,
  }
  const beside = async (role: Role, work: (baseUrl: string) => Promise<void>) => {
    const before = await meter.connections()
    const dataDir = mkdtempSync(join(folder, `${role}-`))
    const server = await startServer(role, { ...settings, DATA_DIR: dataDir })
    try {
      await work(server.baseUrl)
      const connections = (await meter.connections()) - before
      return { connections, megabytes: memoryOf(server.pid).residentMb }
    } finally {
      await server.end('SIGTERM')
    }
  }
  const api = await beside('api', async (baseUrl) => {
    const read = () =>
      fetch(`${baseUrl}/merchant/trades?limit=50`, {
        headers: { 'api-key': stack.demo.merchant.apiKey },
      }).then((answer) => answer.text())
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 64 }, read))
  })
  const worker = await beside('worker', () => pause(SETTLE_MS))
  return {
    apiConnections: api.connections,
    apiMb: api.megabytes,
    workerConnections: worker.connections,
    workerMb: worker.megabytes,
  }
}

interface Figure {
  readonly path: string
  readonly unit: string
  readonly digits?: number
  /** What it is to become. */
  readonly most?: number
  /** It depends on what else the machine does: one that has grown is no failure. */
  readonly isRestless?: true
}

const A_TRADE = 'a trade of one item to its end'
const IDLE = 'an idle service'
const QUIET = 'an idle service, no chains, no changes of listings'

const FIGURES = {
  statements: { path: `${A_TRADE}: statements`, unit: '', digits: 1 },
  transactions: { path: `${A_TRADE}: transactions`, unit: '', digits: 1 },
  walBytes: { path: `${A_TRADE}: write-ahead log`, unit: ' B', most: 40_000 },
  bytes: { path: `${A_TRADE}: tables and indexes`, unit: ' B', most: 20_000 },
  bytesForEver: { path: `${A_TRADE}: of these kept for ever`, unit: ' B', most: 8_000 },
  rows: { path: `${A_TRADE}: rows`, unit: '', digits: 1 },
  updates: { path: `${A_TRADE}: updates of rows`, unit: '', digits: 1 },
  deliveries: { path: `${A_TRADE}: deliveries`, unit: '', digits: 1 },
  cpuMs: { path: `${A_TRADE}: CPU of the database`, unit: ' ms', digits: 1, isRestless: true },
  idleStatements: { path: `${IDLE}: statements a second`, unit: '', digits: 1, most: 40 },
  idleTransactions: { path: `${IDLE}: transactions a second`, unit: '', digits: 1 },
  idleWalMb: { path: `${IDLE}: write-ahead log a day`, unit: ' MB', most: 300 },
  quietStatements: { path: `${QUIET}: statements a second`, unit: '', digits: 1 },
  quietTransactions: { path: `${QUIET}: transactions a second`, unit: '', digits: 1 },
  quietWalMb: { path: `${QUIET}: write-ahead log a day`, unit: ' MB' },
  apiConnections: { path: 'connections of an `api` process under load', unit: '' },
  workerConnections: { path: 'connections of a `worker` process', unit: '' },
  apiMb: { path: 'memory of an `api` process, 3,000 listings', unit: ' MB' },
  workerMb: { path: 'memory of a `worker` process, 3,000 listings', unit: ' MB' },
} satisfies Readonly<Record<string, Figure>>

type Name = keyof typeof FIGURES
type Figures = Readonly<Record<Name, number>>
const NAMES = Object.keys(FIGURES) as Name[]

function tradeFigures({ trades, used, deliveries, tables }: Traded) {
  const all = Object.entries(tables)
  const sum = (of: (one: TableCount) => number): number =>
    all.reduce((total, [, one]) => total + of(one), 0) / trades
  const forEver = all.filter(([table]) => TABLES[table]?.[0] === 'for ever')
  return {
    statements: used.statements / trades,
    transactions: used.transactions / trades,
    walBytes: used.walBytes / trades,
    bytes: sum(({ bytes }) => bytes),
    bytesForEver: forEver.reduce((total, [, { bytes }]) => total + bytes, 0) / trades,
    rows: sum(({ rows }) => rows),
    updates: sum(({ updates }) => updates),
    deliveries: deliveries / trades,
    cpuMs: used.cpuMs / trades,
  }
}

function idleFigures({ asStarted, quiet }: { readonly asStarted: Idle; readonly quiet: Idle }) {
  return {
    idleStatements: asStarted.used.statements / asStarted.used.seconds,
    idleTransactions: asStarted.used.transactions / asStarted.used.seconds,
    idleWalMb: megabytesADay(asStarted),
    quietStatements: quiet.used.statements / quiet.used.seconds,
    quietTransactions: quiet.used.transactions / quiet.used.seconds,
    quietWalMb: megabytesADay(quiet),
  }
}

/** With a checkpoint every five minutes, the default of PostgreSQL: the time began with one. */
function megabytesADay({ used, wholePages }: Idle): number {
  const records = ((used.walBytes - wholePages) / used.seconds) * DAY_SECONDS
  const pages = (wholePages * DAY_SECONDS) / Math.max(used.seconds, CHECKPOINT_SECONDS)
  return (records + pages) / 1e6
}
const DAY_SECONDS = 86_400
const CHECKPOINT_SECONDS = 300

const KEPT = join(import.meta.dirname, '../cost.json')

interface Kept {
  readonly version: string
  readonly trades: number
  readonly figures: Partial<Figures>
  readonly tables: TableCounts
}

function readKept(): Partial<Figures> {
  return existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, 'utf8')) as Kept).figures : {}
}

function keep(kept: Kept): void {
  writeFileSync(KEPT, `${JSON.stringify(kept, (_, value) => rounded(value), 2)}\n`)
}
const rounded = (value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 100) / 100 : value

const MOST_GROWN = 1.1

function hasGrown(name: Name, figures: Figures, kept: Partial<Figures>): boolean {
  const { isRestless }: Figure = FIGURES[name]
  const was = kept[name]
  return was !== undefined && !isRestless && figures[name] > was * MOST_GROWN
}

function lineOf(name: Name, figures: Figures, kept: Partial<Figures>): Line {
  const { path, unit, digits = 0, most }: Figure = FIGURES[name]
  const spelled = (value: number): string =>
    `${value.toLocaleString('en', { maximumFractionDigits: digits })}${unit}`
  const was = kept[name]
  return {
    path,
    ours: spelled(figures[name]),
    peer: was === undefined ? '' : `${spelled(was)} in the run before`,
    ratio: was === undefined ? '' : (figures[name] / was).toFixed(2),
    aim: most === undefined ? '≤ 1.10 of the run before' : `≤ ${spelled(most)}`,
    reached: most === undefined ? !hasGrown(name, figures, kept) : figures[name] <= most,
    scatter: null,
    note: '',
    rounds: null,
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
