// `npm run attack -- --minutes 60`: hostile merchants with a long history, a hostile partner, the hostile
// operators of their endpoints, and suppliers with every fault of the sandbox, against an api process and a
// worker process as in production, beside a merchant who reads and buys. Never an answer outside the envelope
// or a 500, never a trade or a posting twice, books that balance, and another tenant who notices at most
// what latency.ts states. What is found is printed at once, and fails the run.
import assert from 'node:assert/strict'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { assertDefined } from '../../apps/server/src/kernel/assert.ts'
import { readOptions, refuseUse } from '../../tools/options.ts'
import { closeOnSignal, createSay, minutesFrom, newSeed, SEED, WRITE } from '../support/long-run.ts'
import { createSandboxCall } from '../support/sandbox-call.ts'
import {
  type Attack,
  type Attackers,
  OF_ALL_TENANTS,
  OF_ONE_MERCHANT,
  openAttackers,
  pauseOf,
} from './actors/hostile/attackers.ts'
import { createTally } from './actors/hostile/tally.ts'
import { startOtherTenant } from './actors/other-tenant.ts'
import { diceOf } from './dice.ts'
import { type Suppliers, startSuppliers } from './faults/suppliers.ts'
import { createJudge, type Judge } from './judge/attack.ts'
import { readCases, unexplained } from './judge/cases.ts'
import { auditAll, untilAllIsOver } from './judge/database.ts'
import { ALL_TENANTS, latenciesOf, ONE_MERCHANT, QUIET, tooSlow } from './judge/latency.ts'
import { type AttackReport, writeReport } from './reports/attack.ts'
import { startService } from './worlds/attacked.ts'
import { type SharedProcessors, shareProcessors, withChildren } from './worlds/shared-processors.ts'

const { values } = readOptions({
  name: 'npm run attack',
  about: 'Hostile tenants and suppliers, beside a merchant who must not notice.',
  options: {
    minutes: minutesFrom(10),
    seed: SEED,
    only: { kind: 'text', of: 'name', about: 'phases of this name alone, such as “one merchant”' },
    trades: {
      ...{ kind: 'whole', about: 'how many the first merchant has from before' },
      ...{ from: 0, byDefault: 500_000 },
    },
    // Above 1 an attacker does what so many merchants may: most of its requests reach their aim.
    limits: {
      ...{ kind: 'whole', about: 'times the limits of the highest tier, for each attacker' },
      ...{ from: 1, byDefault: 10 },
    },
    apis: {
      ...{ kind: 'whole', about: 'api processes; two are behind HAProxy, and share a Redis' },
      ...{ from: 1, byDefault: 1 },
    },
    write: WRITE,
  },
})
const { minutes, seed = newSeed(), trades, limits, apis } = values

const ATTACK_MS = 20_000
const QUIET_MS = 15_000
/** What was under way when a quiet phase began is not measured as quiet. */
const SETTLE_MS = 3000
const FAULT_EVERY_MS = 4000
const MOST_FOUND = 200
const RECONCILE_MS = 5000
const CONTROL_DEADLINE_MS = 30_000
const ENDED_DEADLINE_MS = 12 * 60_000

/**
 * After each a phase without an attack, so that both are measured through the whole run; one merchant alone,
 * of whom the most is said, comes three times.
 */
const PHASES: readonly (readonly Attack[])[] = [
  ['requests'],
  ['reads'],
  ['orders of many'],
  OF_ONE_MERCHANT,
  ['races', 'bytes'],
  ['sells', 'deposits'],
  ['sockets', 'feeds'],
  ['dashboard'],
  OF_ONE_MERCHANT,
  ['withdrawals', 'partner'],
  ['connections', 'requests'],
  OF_ONE_MERCHANT,
  OF_ALL_TENANTS,
]
const NAMES = new Map<readonly Attack[], string>([
  [OF_ONE_MERCHANT, ONE_MERCHANT],
  [OF_ALL_TENANTS, ALL_TENANTS],
])
const nameOf = (attacks: readonly Attack[]): string => NAMES.get(attacks) ?? attacks.join(' and ')
const { only } = values
const phases = only === undefined ? PHASES : PHASES.filter((attacks) => nameOf(attacks) === only)
if (phases.length === 0) {
  refuseUse(`--only is one of: ${[...new Set(PHASES.map(nameOf))].join(', ')}.`)
}
if (apis > 2) refuseUse('--apis is 1 or 2.')
if (only !== undefined && values.write) refuseUse('A report is of all phases: without --only.')

const throwDice = diceOf(seed)
const say = createSay()
const tally = createTally()
const found: string[] = []
const onFound = (what: string, error: unknown): void => {
  const text = `${what}: ${error instanceof Error ? error.message : String(error)}`.slice(0, 1500)
  if (found.length >= MOST_FOUND) return
  found.push(text)
  say(`FOUND ${text}`)
}
const checked = (what: string, work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => onFound(what, error))

let processors: SharedProcessors | null = null
const SETTINGS = {
  RATE_LIMIT_SCALE: String(limits),
  DB_POOL_SIZE: '16',
  SANDBOX_LISTINGS: '40000',
  SANDBOX_ITEMS: '100000',
  SANDBOX_CHANGES_PER_SECOND: '2',
  SANDBOX_CHAINS: 'base',
  // More than the deepest re-organisation that the suppliers show.
  SANDBOX_CONFIRMATIONS: '8',
  HOLD_SECONDS: '4',
  SELL_OFFER_SECONDS: '60',
  RECONCILE_INTERVAL_MS: String(RECONCILE_MS),
  PAYOUT_LIMIT_TRANSACTION_DOLLARS: '1000000',
  PAYOUT_LIMIT_MERCHANT_DAY_DOLLARS: '100000000',
  PAYOUT_LIMIT_DAY_DOLLARS: '100000000',
}
const service = await startService(SETTINGS, apis === 2 ? 2 : 1)
const { db, postgres } = service
const close = async (): Promise<void> => {
  try {
    await service.close()
  } finally {
    processors?.end()
  }
}
closeOnSignal(close)

interface Parts {
  readonly attackers: Attackers
  readonly suppliers: Suppliers
}

/** One phase: every attack goes on until its end, and the suppliers have their faults. */
async function runPhase(
  attacks: readonly Attack[],
  { attackers, suppliers }: Parts,
  endsAt: number,
): Promise<void> {
  const going = attacks.map(async (name) => {
    while (Date.now() < endsAt) {
      await attackers.steps[name]().catch((error: unknown) => onFound(name, error))
      await sleep(pauseOf(name))
    }
  })
  while (Date.now() < endsAt) {
    await checked('the sandbox', suppliers.next())
    await sleep(Math.min(FAULT_EVERY_MS, Math.max(0, endsAt - Date.now())))
  }
  await Promise.all(going)
}

async function attack(): Promise<AttackReport> {
  const at = new Date()
  const control = createSandboxCall(service.sandbox.url, CONTROL_DEADLINE_MS)
  const attackers = await openAttackers({
    ...{ service, db, databaseUrl: postgres.url, control },
    ...{ trades, tally, throwDice, say },
  })
  say('the attackers have their accounts')
  const judge = createJudge({
    ...{ db, webhooks: service.webhooks },
    ...{ sandbox: service.sandbox.control, sandboxUrl: service.sandbox.url },
  })
  const suppliers = startSuppliers(service.sandbox, control, throwDice)
  const otherTenantId = await openOtherTenant()
  const otherTenant = startOtherTenant(service.merchant, {
    ...{ isHurried: limits > 1, databaseUrl: postgres.url, onFound },
  })
  processors = shareProcessors([
    { name: 'others', weight: 'idle', pids: [process.pid, ...service.supplierPids()] },
    { name: 'api', weight: 1000, pids: service.apis.pids() },
    { name: 'database', weight: 1000, pids: withChildren(postgres.pid()) },
    { name: 'worker', weight: 100, pids: service.workers.pids() },
    { name: 'other-tenant', weight: 1000, pids: [assertDefined(otherTenant.pid, 'pid')] },
  ])
  const { isWeighted } = processors
  if (!isWeighted)
    say(
      'the service shares its processors with attackers and suppliers: it takes root to change that',
    )
  // Code that runs for the first time is compiled first: it is the service at work that is measured.
  await runPhase(OF_ALL_TENANTS, { attackers, suppliers }, Date.now() + ATTACK_MS)
  await checked('after the first phase', judge.now())
  const loads: number[] = []
  const endsAt = Date.now() + minutes * 60_000
  for (let i = 0; Date.now() < endsAt; i++) {
    await sleep(SETTLE_MS)
    otherTenant.measureAs(QUIET)
    await sleep(QUIET_MS)
    const attacks = phases[i % phases.length] ?? []
    otherTenant.measureAs(nameOf(attacks))
    await runPhase(attacks, { attackers, suppliers }, Date.now() + ATTACK_MS)
    otherTenant.measureAs(null)
    await checked('between two phases', judge.now())
    collectErrors()
    loads.push(loadavg()[0] ?? 0)
    if (i % phases.length === phases.length - 1)
      say(`${requestsSent()} answers, ${found.length} found`)
  }
  const { samples, acknowledged, refused } = await otherTenant.stop()
  await suppliers.end()
  const endedInMs = await settle(attackers, judge)
  await checked('the other tenant', judge.otherTenant(otherTenantId, acknowledged))
  // What agrees again is cleared by the comparisons of some intervals.
  await sleep(6 * RECONCILE_MS)
  const cases = await readCases(db)
  for (const text of unexplained(cases, suppliers)) onFound('cases without a cause', text)
  const latencies = latenciesOf(samples)
  for (const text of tooSlow(latencies, limits)) onFound('the other tenant', text)
  await attackers.close()
  return {
    ...{ at, minutes, seed, trades, loads, found, latencies, endedInMs },
    ...{ counts: tally.counts, limits, isWeighted },
    otherTenant: { buys: acknowledged.length, refused },
    endpoint: sumOf(attackers.endpoints.map(({ counts }) => counts)),
    faults: suppliers.shown.length + sumOfValues(suppliers.faults),
    cases: cases.length,
  }
}

/** When the attack is over: everything ends, arrives and balances. Returns how long the ends took. */
async function settle(attackers: Attackers, judge: Judge): Promise<number> {
  const from = Date.now()
  await checked('what is left', attackers.settle())
  await checked('the end', untilAllIsOver(db, ENDED_DEADLINE_MS))
  const endedInMs = Date.now() - from
  await checked('credits', attackers.judge())
  await checked('the suppliers', judge.suppliersAgree())
  await checked('the books', auditAll(postgres.url))
  const followed = attackers.endpoints.reduce((sum, endpoint) => sum + endpoint.followed(), 0)
  if (followed > 0) onFound('webhooks', `${followed} redirects were followed`)
  collectErrors()
  return endedInMs
}

const OTHER_TENANT = sql(
  'attack_other_tenant',
  'select id from identity.account where lower(email) = $1',
)
/** The demo's merchant, of the highest tier now. */
async function openOtherTenant(): Promise<string> {
  const [row] = await db.query<{ id: string }>(OTHER_TENANT, [service.merchantEmail])
  assert.ok(row, 'the other tenant is an account')
  await service.ops('tier:set', 'enterprise', '--account', row.id)
  return row.id
}

const sumOfValues = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)
const requestsSent = (): number => sumOfValues(tally.counts)

function sumOf(all: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [name, count] of all.flatMap((counts) => [...counts])) {
    sums.set(name, (sums.get(name) ?? 0) + count)
  }
  return sums
}

const seen = new Set<string>()
/** What the service itself calls an error, once each. */
function collectErrors(): void {
  for (const line of service.log()) {
    if (!/"msg":"unhandled (error|rejection)"/.test(line) || seen.has(line)) continue
    seen.add(line)
    onFound('the log', line)
  }
}

let report: AttackReport
try {
  say(`an attack of ${minutes} minutes, seed ${seed}`)
  report = await attack()
} finally {
  await close().catch((error: unknown) => onFound('the stop', error))
}
for (const [name, number] of [...tally.counts].sort()) say(`${name}: ${number}`)
for (const [what, rows] of Object.entries(report.latencies)) {
  for (const row of rows) say(`${what} ${JSON.stringify(row)}`)
}
if (values.write) writeReport(report)
say(found.length === 0 ? 'clean' : `${found.length} found`)
process.exit(found.length === 0 ? 0 : 1)
