// `npm run soak -- --minutes 30`: users buy, quick-buy, cancel and sell; meanwhile the suppliers and the
// platform show every fault that the sandbox knows, one after the other, and processes and
// databases are killed. In the end the service is drained and started once more, and then every trade has
// ended, every acknowledged request has its one trade, the books are clean, every event arrived, and every
// case that is left is explained by what was done.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { readOptions } from '../../tools/options.ts'
import { closeOnSignal, createSay, minutesFrom, newSeed, SEED } from '../support/long-run.ts'
import { auditBooks } from '../support/stack.ts'
import { until } from '../support/until.ts'
import { openUsers, startTraffic, type Traffic } from './actors/users.ts'
import { diceOf, type Killed, type Kind, type Order } from './faults/killer.ts'
import { shuffled, startTroubles, type Troubles } from './faults/markets.ts'
import { type Case, explain, readCases } from './judge/cases.ts'
import { agreeOnTrades, answerAll, untilAllEnded } from './judge/requests.ts'
import { type Report, writeReport } from './reports/soak.ts'
import { startInstallation } from './worlds/installation.ts'

const { values } = readOptions({
  name: 'npm run soak',
  about:
    'Users trade while suppliers fail and processes and databases are killed; then the books are judged.',
  options: {
    minutes: minutesFrom(3),
    seed: SEED,
    write: { kind: 'flag', about: 'writes its part of docs/evidence.md' },
  },
})
const { minutes, seed = newSeed() } = values

const USERS = 20
const TROUBLE_EVERY_MS = 2500
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
  const troubles = startTroubles(installation.sandbox, throwDice)
  const kills = await disturb(troubles, traffic)
  await traffic.stop()
  const drained = await drain()
  await troubles.end()
  await Promise.all([installation.apis.revive(), installation.workers.revive()])
  say('the troubles are over')
  say(`every request is answered, ${await answerAll(traffic)} of them by sending it again`)
  const endedFrom = Date.now()
  await untilAllEnded(installation.db, ALL_ENDED_DEADLINE_MS)
  const endedInMs = Date.now() - endedFrom
  say('every trade has ended')
  const report = await judge({ traffic, troubles, kills, drained, endedInMs })
  if (values.write) writeReport(report)
  say('clean')
}

/** Until the time is up: a trouble every few seconds, and a kill between them. */
async function disturb(troubles: Troubles, traffic: Traffic): Promise<Map<Kind, number>> {
  const killer = fork(join(import.meta.dirname, 'faults/killer.ts'), [String(seed)])
  const kills = new Map<Kind, number>()
  const endsAt = Date.now() + minutes * 60_000
  let due: Kind[] = []
  let nextKillAt = Date.now() + KILL_EVERY_MS
  let nextWordAt = Date.now() + 60_000
  try {
    while (Date.now() < endsAt) {
      await new Promise((resolve) => setTimeout(resolve, TROUBLE_EVERY_MS))
      await troubles.next()
      if (Date.now() > nextWordAt) {
        nextWordAt += 60_000
        say(`${traffic.requests.length} requests, ${troubles.said.length} troubles`)
      }
      if (Date.now() < nextKillAt) continue
      nextKillAt = Date.now() + KILL_EVERY_MS
      if (due.length === 0) due = shuffled(KILLS, throwDice)
      const kind = due.pop() as Kind
      await kill(killer, kind)
      kills.set(kind, (kills.get(kind) ?? 0) + 1)
    }
  } finally {
    killer.disconnect()
  }
  return kills
}

async function kill(killer: ReturnType<typeof fork>, kind: Kind): Promise<void> {
  const { apis, workers, postgres } = installation
  killer.send({
    kind,
    workers: workers.pids(),
    apis: apis.pids(),
    postgresData: postgres.dataFolder,
    withinMs: 1000,
  } satisfies Order)
  const [{ pids }] = (await once(killer, 'message')) as [Killed]
  assert.ok(pids.length > 0, `there was a process of ${kind} to kill`)
  await Promise.all([apis.gone(pids), workers.gone(pids)])
  await until('the database is back', () => installation.db.query(sql('', 'select 1')), {
    deadlineMs: 120_000,
  })
  await Promise.all([apis.revive(), workers.revive()])
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
  readonly troubles: Troubles
  readonly kills: ReadonlyMap<Kind, number>
  readonly drained: number
  readonly endedInMs: number
}

async function judge(outcome: Outcome): Promise<Report> {
  const { traffic, troubles, kills, drained, endedInMs } = outcome
  const count = await agreeOnTrades(installation.db, traffic)
  say(`${traffic.requests.length} requests, ${count} trades: each has its acknowledged result`)
  const events = await untilAllTold()
  await untilReconciled()
  await auditBooks(installation)
  say('the books are clean')
  const { explained, unexplained } = explain(await readCases(installation.db), troubles.said)
  for (const { kind, why, open, cleared } of explained) {
    say(`${kind}: ${open} open, ${cleared} cleared: ${why}`)
  }
  assert.deepEqual(unexplained satisfies Case[], [], 'every case is explained')
  const report: Report = {
    at,
    minutes,
    seed,
    load: loadavg()[0] ?? 0,
    requests: tally(traffic.requests.map(({ operation, outcome: end }) => `${operation} ${end}`)),
    refusals: tally(
      traffic.requests.flatMap(({ outcome: end, refusal }) =>
        end === 'refused' && refusal !== null ? [refusal] : [],
      ),
    ),
    cancels: traffic.cancels,
    troubles: {
      said: troubles.said.length,
      kinds: new Set(troubles.said.map(nameOf)).size,
      all: troubles.kinds,
    },
    kills,
    drained,
    endedInMs,
    ends: await readEnds(),
    events,
    cases: explained,
  }
  for (const [name, counts] of Object.entries(report)) {
    if (counts instanceof Map) say(`${name}: ${JSON.stringify(Object.fromEntries(counts))}`)
  }
  say(JSON.stringify({ troubles: report.troubles, drained, endedInMs, events }))
  return report
}

const nameOf = ({ party, word }: Troubles['said'][number]): string => `${party} ${word}`

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of [...names].sort()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

const UNTOLD = sql(
  'soak_untold',
  `select (select count(*) from outbox.event)::int as events,
     (select count(*) from outbox.event e where not exists (
        select from webhooks.delivery d where d.event_id = e.id and d.status = 'delivered'))::int as left`,
)

async function untilAllTold(): Promise<number> {
  return until(
    'every event is delivered',
    async () => {
      const [row] = await installation.db.query<{ events: number; left: number }>(UNTOLD)
      if (row?.left === 0) return row.events
      throw new Error(`${row?.left} are left`)
    },
    { deadlineMs: 240_000, everyMs: 500 },
  )
}

/** Each market's statement was read a few times since everything ended, so that its cases are known. */
async function untilReconciled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 6 * RECONCILE_INTERVAL_MS))
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
