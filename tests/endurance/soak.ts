// `npm run soak -- --minutes 30`: users buy, quick-buy, cancel and sell; meanwhile the suppliers and the
// platform show every fault that the sandbox knows, one after the other, and processes and
// databases are killed. In the end the service is drained and started once more, and then every trade has
// ended, every acknowledged request has its one trade, the books are clean, every event arrived, and every
// case that is left is explained by what was done.
import assert from 'node:assert/strict'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { readOptions } from '../../tools/options.ts'
import {
  closeOnSignal,
  createSay,
  minutesFrom,
  newSeed,
  SEED,
  tally,
  WRITE,
} from '../support/long-run.ts'
import { startTraffic, type Traffic } from './actors/traffic.ts'
import { openUsers } from './actors/users.ts'
import { deckOf, diceOf } from './dice.ts'
import type { Kind } from './faults/killer.ts'
import { type Kills, startKills, untilDatabaseIsBack } from './faults/kills.ts'
import { type Faults, startMarketFaults } from './faults/markets.ts'
import { explain, readCases } from './judge/cases.ts'
import { auditAll, untilDelivered, untilTradesAreOver } from './judge/database.ts'
import { agreeOnTrades, answerAll } from './judge/requests.ts'
import { type Report, writeReport } from './reports/soak.ts'
import { startInstallation } from './worlds/installation.ts'

const { values } = readOptions({
  name: 'npm run soak',
  about:
    'Users trade while suppliers fail and processes and databases are killed; then the books are judged.',
  options: {
    minutes: minutesFrom(3),
    seed: SEED,
    write: WRITE,
  },
})
const { minutes, seed = newSeed() } = values

const USERS = 20
const FAULT_EVERY_MS = 2500
const KILL_EVERY_MS = 18_000
/** Workers die most often: they have the most in hand. */
const KILLS: readonly Kind[] = [
  'worker',
  'worker',
  'worker',
  'api',
  'api',
  'postgres',
  'everything',
]
const RECONCILE_INTERVAL_MS = 5000
const ALL_ENDED_DEADLINE_MS = 8 * 60_000

const say = createSay()

const throwDice = diceOf(seed)
const at = new Date()
say(`a soak of ${minutes} minutes, seed ${seed}, load of the machine ${loadavg()[0]?.toFixed(1)}`)
const installation = await startInstallation({
  sandbox: {
    SANDBOX_LISTINGS: '40000',
    SANDBOX_ITEMS: '100000',
    SANDBOX_CHAINS: 'off',
    SANDBOX_CHANGES_PER_SECOND: '5',
    HOLD_SECONDS: '4',
  },
  service: { RECONCILE_INTERVAL_MS: String(RECONCILE_INTERVAL_MS), HOLD_SECONDS: '4' },
})
closeOnSignal(() => installation.close())

async function soak(): Promise<void> {
  const users = await openUsers(installation, USERS)
  say('everything is up')
  const traffic = startTraffic(installation, users, { throwDice })
  const faults = startMarketFaults(installation.sandbox.control, throwDice)
  const kills = await disturb(faults, traffic)
  await traffic.stop()
  const drained = await drain()
  await faults.end()
  await revive()
  say('the faults are over')
  say(`every request is answered, ${await answerAll(traffic)} of them by sending it again`)
  const endedFrom = Date.now()
  await untilTradesAreOver(installation.db, ALL_ENDED_DEADLINE_MS)
  const endedInMs = Date.now() - endedFrom
  say('every trade has ended')
  const report = await judge({ traffic, faults, kills, drained, endedInMs })
  if (values.write) writeReport(report)
  say('clean')
}

const revive = () => Promise.all([installation.apis.revive(), installation.workers.revive()])

/** Until the time is up: a fault every few seconds, and a kill between them. */
async function disturb(faults: Faults, traffic: Traffic): Promise<Kind[]> {
  const killer = startKills(installation, seed)
  const kinds = deckOf(KILLS, throwDice)
  const killed: Kind[] = []
  const endsAt = Date.now() + minutes * 60_000
  let nextKillAt = Date.now() + KILL_EVERY_MS
  let nextReportAt = Date.now() + 60_000
  try {
    while (Date.now() < endsAt) {
      await sleep(FAULT_EVERY_MS)
      await faults.next()
      if (Date.now() > nextReportAt) {
        nextReportAt += 60_000
        say(`${traffic.requests.length} requests, ${faults.shown.length} faults`)
      }
      if (Date.now() < nextKillAt) continue
      nextKillAt = Date.now() + KILL_EVERY_MS
      const kind = kinds.next()
      await kill(killer, kind)
      killed.push(kind)
    }
  } finally {
    killer.end()
  }
  return killed
}

async function kill(killer: Kills, kind: Kind): Promise<void> {
  const { pids } = await killer.kill(kind, 1000)
  assert.ok(pids.length > 0, `there was a process of ${kind} to kill`)
  await untilDatabaseIsBack(installation.db)
  await revive()
}

/** Every process is stopped while it has work in progress. */
async function drain(): Promise<number> {
  const ends = (await Promise.all([installation.apis.drain(), installation.workers.drain()])).flat()
  for (const { code, tookMs, said } of ends) {
    assert.equal(code, 0, `a process ends cleanly after SIGTERM (${tookMs} ms):\n${said}`)
  }
  const longestMs = Math.max(...ends.map(({ tookMs }) => tookMs))
  say(`drained: every process ended with exit code 0, the last after ${longestMs} ms`)
  return ends.length
}

interface Outcome {
  readonly traffic: Traffic
  readonly faults: Faults
  readonly kills: readonly Kind[]
  readonly drained: number
  readonly endedInMs: number
}

async function judge(outcome: Outcome): Promise<Report> {
  const { traffic, faults, kills, drained, endedInMs } = outcome
  const count = await agreeOnTrades(installation.db, traffic)
  say(`${traffic.requests.length} requests, ${count} trades: each has its acknowledged result`)
  const events = await untilDelivered(installation.db)
  // Each market's statement was read a few times since everything ended, so that its cases are known.
  await sleep(6 * RECONCILE_INTERVAL_MS)
  await auditAll(installation.postgres.url)
  say('the books are clean')
  const { explained, unexplained } = explain(await readCases(installation.db), faults.shown)
  for (const { kind, why, open, cleared } of explained) {
    say(`${kind}: ${open} open, ${cleared} cleared: ${why}`)
  }
  assert.deepEqual(unexplained, [], 'every case is explained')
  const report: Report = {
    ...{ at, minutes, seed, drained, endedInMs, events },
    load: loadavg()[0] ?? 0,
    requests: tally(traffic.requests.map(({ operation, outcome: end }) => `${operation} ${end}`)),
    refusals: tally(
      traffic.requests.flatMap(({ outcome: end, refusal }) =>
        end === 'refused' && refusal !== null ? [refusal] : [],
      ),
    ),
    cancels: traffic.cancels,
    faults: {
      shown: faults.shown.length,
      kinds: new Set(faults.shown.map(({ system, word }) => `${system} ${word}`)).size,
      all: faults.kinds,
    },
    kills: tally(kills),
    ends: await readEnds(),
    cases: explained,
  }
  for (const [name, counts] of Object.entries(report)) {
    if (counts instanceof Map) say(`${name}: ${JSON.stringify(Object.fromEntries(counts))}`)
  }
  say(JSON.stringify({ faults: report.faults, drained, endedInMs, events }))
  return report
}

const ENDS = sql(
  'soak_ends',
  `select t.type || ' ' || i.status as name, count(*)::int as count
   from trades.item i join trades.trade t on t.id = i.trade_id group by 1 order by name`,
)

async function readEnds(): Promise<Map<string, number>> {
  const rows = await installation.db.query<{ name: string; count: number }>(ENDS)
  return new Map(rows.map(({ name, count }) => [name, count]))
}

try {
  await soak()
} finally {
  await installation.close()
}
process.exit(0)
