// A standby takes over while buyers go on. It has everything: then nothing stops. A worker died with the
// primary: the markets for which it had sent are compared first. It lacks what was sent: every gate closes.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import type { Trade } from '@tradepost/contract'
import {
  type EmbeddedPostgres,
  startPostgres,
} from '../../../apps/server/embedded-postgres/postgres.ts'
import { type Db, openDb, sql } from '../../../apps/server/src/infra/database/db.ts'
import { migrate } from '../../../apps/server/src/infra/database/migrations.ts'
import { openWire, type Wire } from '../../../apps/server/src/infra/testing/wire.ts'
import { givenOnce } from '../../support/given-once.ts'
import { MARKETS } from '../../support/sandbox.ts'
import { metricOf } from '../../support/server.ts'
import { auditBooks } from '../../support/stack.ts'
import { buyNext, stock } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import { answerOpenRequests, startBuyers } from '../actors/buyers.ts'
import { type Traffic, untilAcknowledged } from '../actors/traffic.ts'
import { diceOf } from '../dice.ts'
import { agreeOnBuys, untilTradesEnded } from '../judge/requests.ts'
import { type Installation, startOnDatabase } from '../worlds/installation.ts'
import { holdBack, makeSynchronous, promote, startStandby } from '../worlds/standby.ts'

const GATES = [...MARKETS, 'bots', 'payments'].sort()
/** From the promotion on, until a market has another order. */
const PLACED_AGAIN_MS = 10_000

let parent: string
let servers: EmbeddedPostgres[]
let wire: Wire
let db: Db
let installation: Installation
let traffic: Traffic
/** How often each gate had been closed after each of the three. */
let switched: Closings
let killed: Closings
let lacking: Closings
let sentByKilled: ReadonlySet<string>
let trades: Trade[]
let customIds: (string | null)[]

type Closings = Readonly<Record<string, number>>

givenOnce(
  async () => {
    parent = mkdtempSync(join(tmpdir(), 'tradepost-promote-'))
    const first = await startPostgres({
      ...{ folder: folderOf(1), sharedBuffersMb: 64, maxConnections: 100 },
    })
    servers = [first]
    await migrate(first.url)
    wire = await openWire(first.url)
    db = openDb({ url: wire.url, poolSize: 3, applicationName: 'promotion test' })
    installation = await startOnDatabase({ url: wire.url, db })
    await untilDecided()
    traffic = await startBuyers(installation, { throwDice: diceOf(1), latencyMs: 20 })
    try {
      await switchOver()
      await killWithPrimary()
      await untilAcknowledged(traffic, 10)
    } finally {
      await traffic.stop()
    }
    await answerOpenRequests(installation, traffic)
    trades = await untilTradesEnded(installation.merchant)
    const orders = await installation.sandbox.control.orders()
    customIds = orders.map(({ customId }) => customId)
    await promoteWithoutTheNewest()
  },
  async () => {
    await installation?.close()
    await db?.close()
    await wire?.close()
    await Promise.all((servers ?? []).map((server) => server.stop()))
    rmSync(parent, { recursive: true, force: true })
  },
)

function folderOf(number: number): string {
  return join(parent, `postgres-${number}`)
}

const primary = (): EmbeddedPostgres => servers.at(-1) as EmbeddedPostgres

const nextStandby = (): Promise<EmbeddedPostgres> =>
  startStandby(primary(), {
    primaryFolder: folderOf(servers.length),
    folder: folderOf(servers.length + 1),
  })

/** The way of every process leads to it from now on. */
async function leadTo(standby: EmbeddedPostgres): Promise<void> {
  await promote(standby)
  servers.push(standby)
  await wire.cut()
  await wire.restore({ port: standby.port })
}

const DECIDED = sql(
  'test.decided_gates',
  `select g.market from reconciliation.placing_gate g, pg_control_system()
   where g.history = system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) order by 1`,
)
/** Each gate was kept open, or closed, in the history of now. */
const untilDecided = (): Promise<unknown> =>
  until('every gate is decided', async () => {
    const decided = await db.query<{ market: string }>(DECIDED)
    return decided.length === GATES.length
  })

const orderCount = async (): Promise<number> => (await installation.sandbox.control.orders()).length

/** How often each gate was closed, by the workers that run. */
async function closings(): Promise<Closings> {
  const counts: Record<string, number> = {}
  for (const market of GATES) {
    const each = await Promise.all(
      installation.workers
        .metricsUrls()
        .map((metricsUrl) =>
          metricOf({ metricsUrl }, 'tradepost_placing_gate_closings_total', { market }),
        ),
    )
    counts[market] = each.reduce<number>((sum, count) => sum + (count ?? 0), 0)
  }
  return counts
}

/** For which gates the process of this id had sent something, by its own files. */
function gatesOf(pid: number): Set<string> {
  const folder = join(installation.folder, 'intents')
  const lines = readdirSync(folder)
    .filter((name) => name.startsWith(`${pid}-`))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  return new Set(lines.flatMap((line) => /"gate":"([a-z_]+)"/.exec(line)?.[1] ?? []))
}

async function switchOver(): Promise<void> {
  const standby = await nextStandby()
  await makeSynchronous(primary())
  await untilAcknowledged(traffic, 10)
  await primary().stop()
  await leadTo(standby)
  const before = await orderCount()
  await until('an order is placed', async () => (await orderCount()) > before, {
    deadlineMs: PLACED_AGAIN_MS,
  })
  await untilDecided()
  switched = await closings()
}

async function killWithPrimary(): Promise<void> {
  const standby = await nextStandby()
  await makeSynchronous(primary())
  const [victim = 0] = installation.workers.pids()
  await until('it has sent something', () => gatesOf(victim).size > 0)
  process.kill(victim, 'SIGKILL')
  const lost = primary()
  lost.abandon()
  process.kill(lost.pid(), 'SIGKILL')
  await installation.workers.gone([victim])
  sentByKilled = gatesOf(victim)
  await leadTo(standby)
  await untilDecided()
  killed = await closings()
  await installation.workers.revive()
}

const NEWER_MARKS = sql(
  'test.newer_marks',
  'select count(*)::int count from infra.recovery_mark where at > $1',
)
/** Every worker has committed marks that the standby lacks: each keeps its last three. */
async function untilMarksAreNewer(): Promise<void> {
  const since = new Date()
  await until('the workers have newer marks', async () => {
    const [row] = await installation.db.query<{ count: number }>(NEWER_MARKS, [since])
    return (row?.count ?? 0) >= 3 * installation.workers.pids().length
  })
}

async function promoteWithoutTheNewest(): Promise<void> {
  const standby = await nextStandby()
  await holdBack(standby)
  const before = await orderCount()
  for (const market of MARKETS) {
    const supply = await stock(installation.sandbox.control, market)
    await buyNext(installation.merchant, { market, supply })
  }
  await until('both are ordered', async () => (await orderCount()) === before + MARKETS.length)
  await untilMarksAreNewer()
  const counted = await closings()
  await primary().stop()
  await leadTo(standby)
  await untilDecided()
  const since = await closings()
  lacking = Object.fromEntries(
    GATES.map((market) => [market, (since[market] ?? 0) - (counted[market] ?? 0)]),
  )
}

/** Which gates were closed, once or more often: one that opened early may close again. */
const areClosed = (closings: Closings) =>
  Object.fromEntries(GATES.map((market) => [market, (closings[market] ?? 0) > 0]))
const closedWhere = (isClosed: (market: string) => boolean) =>
  Object.fromEntries(GATES.map((market) => [market, isClosed(market)]))

it('a planned switchover to a synchronous standby closes no gate', () =>
  assert.deepEqual(
    areClosed(switched),
    closedWhere(() => false),
  ))

it('a worker that is killed with the primary closes the gates for which it had sent, and no other', () =>
  assert.deepEqual(
    areClosed(killed),
    closedWhere((market) => sentByKilled.has(market)),
  ))

it('after both every acknowledged buy has its trade, and no request was done twice', () =>
  agreeOnBuys(trades, traffic))

it('after both no order was placed twice', () =>
  assert.equal(new Set(customIds).size, customIds.length))

it('a standby that lacks what was sent closes every gate', () =>
  assert.deepEqual(
    areClosed(lacking),
    closedWhere(() => true),
  ))

it('the books are clean', () => auditBooks(installation))
