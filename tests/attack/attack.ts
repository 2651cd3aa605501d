// `npm run attack -- --minutes 60`: a hostile merchant, a hostile partner, a hostile endpoint and suppliers
// with every fault of the sandbox, against the service as `npm start` runs it, beside a merchant who trades.
// Never an answer outside the envelope or a 500, never a trade or a posting twice, books that balance, and
// a neighbour who notices at most what is stated here. What is found is printed at once, and fails the run.
//   --minutes N   for how long (10)
//   --seed N      the same dice again
//   --write       writes docs/attack.md
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Db, openDb, sql } from '../../apps/server/src/infra/db.ts'
import { migrate } from '../../apps/server/src/infra/migrations.ts'
import { startPostgres } from '../../apps/server/src/infra/postgres.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { credit } from '../../apps/server/src/modules/ledger/testing/wallets.ts'
import { diceOf } from '../faults/killer.ts'
import { explain, readCases } from '../soak/cases.ts'
import { startTroubles, type Troubles } from '../soak/troubles.ts'
import { type Client, createClient } from '../support/client.ts'
import { createSay, minutesOf, seedOf } from '../support/long-run.ts'
import {
  checkAnswer,
  checkAnswerOf,
  createRawClient,
  type RawClient,
} from '../support/raw-requests.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { until } from '../support/until.ts'
import { type HostileEndpoint, startHostileEndpoint } from './endpoint.ts'
import { percentilesOf, startNeighbour } from './neighbour.ts'
import { type Known, race } from './races.ts'
import { type AttackReport, writeReport } from './report.ts'
import { createRequests, type RouteRequest } from './requests.ts'
import { churnSockets, sendBytes } from './wire.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const minutes = minutesOf(values.minutes)
const seed = seedOf(values.seed)

const PHASE_MS = 20_000
/** What was under way when a quiet phase began is not measured as quiet. */
const SETTLE_MS = 3000
const TROUBLE_EVERY_MS = 5000
const AUDIT_EVERY_MS = 120_000
/**
 * What a neighbour may notice, in the 95th percentile of its reads: twice the time of quiet phases, and
 * what it costs that attacker, sandbox, database and service share a machine of two cores.
 */
const NEIGHBOUR_FACTOR = 2
const NEIGHBOUR_MORE_MS = 30
const ALL_ENDED_DEADLINE_MS = 8 * 60_000
const MOST_FOUND = 200

const QUIET = 'quiet'
type Attack = 'requests' | 'races' | 'sockets' | 'bytes' | 'reads'
const ATTACKS: readonly Attack[] = ['requests', 'races', 'sockets', 'bytes', 'reads']
/** Milliseconds between the end of one step of an attack and the next. */
const PAUSE_MS: Readonly<Record<Attack, number>> = {
  requests: 25,
  races: 1000,
  sockets: 500,
  bytes: 100,
  reads: 10,
}
/** Each alone, then all at once; a quiet phase between. */
const PHASES: readonly (readonly Attack[])[] = [
  [],
  ['requests'],
  ['races', 'bytes'],
  [],
  ['reads'],
  ['sockets', 'requests'],
  [],
  ATTACKS,
]

const throwDice = diceOf(seed)
const say = createSay()
const found: string[] = []
const onFound = (what: string, error: unknown): void => {
  const text = `${what}: ${error instanceof Error ? error.message : String(error)}`.slice(0, 1500)
  if (found.length >= MOST_FOUND) return
  found.push(text)
  say(`FOUND ${text}`)
}
const counts = new Map<string, number>()
const count = (name: string, more = 1): void => {
  counts.set(name, (counts.get(name) ?? 0) + more)
}
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const folder = mkdtempSync(join(tmpdir(), 'tradepost-attack-'))
const postgres = await startPostgres({ folder, maxConnections: 100, sharedBuffersMb: 64 })
const stopPostgres = async (): Promise<void> => {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
// PostgreSQL does not end with this process: what fails before the attack begins has to stop it as well.
const { db, stack } = await start().catch(async (error: unknown) => {
  await stopPostgres()
  throw error
})

async function start(): Promise<{ db: Db; stack: Stack }> {
  await migrate(postgres.url)
  const db = openDb({ url: postgres.url, poolSize: 3, applicationName: 'attack' })
  const stack = await startStack(
    { db, url: postgres.url, close: () => db.close() },
    {
      // Limits as they are but for the scale, so that most requests reach what they attack.
      RATE_LIMIT_SCALE: '50',
      SANDBOX_LISTINGS: '20000',
      SANDBOX_ITEMS: '100000',
      SANDBOX_CHANGES_PER_SECOND: '2',
      HOLD_SECONDS: '4',
      RECONCILE_INTERVAL_MS: '5000',
    },
  )
  return { db, stack }
}

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(
    name,
    () =>
      void stack
        .close()
        .finally(stopPostgres)
        .then(() => process.exit(130)),
  )
}

/** A merchant or partner of the attacker, with money and a key. */
async function openAttacker(
  kind: 'merchant' | 'partner',
  email: string,
): Promise<{ id: string; apiKey: string }> {
  const opened = await stack.ops(`${kind}:create`, email, '--name', email, '--json')
  const { id } = JSON.parse(opened) as { id: string }
  const { secret } = JSON.parse(
    await stack.ops('key:issue', 'attack', '--account', id, '--json'),
  ) as {
    secret: string
  }
  await credit(db, { id, currency: 'USD' }, cents(5_000_000n))
  return { id, apiKey: secret }
}

interface Attackers {
  readonly ids: readonly string[]
  readonly endpoint: HostileEndpoint
  readonly steps: Readonly<Record<Attack, () => Promise<void>>>
  close(): Promise<void>
}

async function openAttackers(): Promise<Attackers> {
  const { baseUrl } = stack.merchant
  const mallory = await openAttacker('merchant', 'mallory@attack.example')
  const partner = await openAttacker('partner', 'pat@attack.example')
  const merchant = createClient({ baseUrl, apiKey: mallory.apiKey })
  const endpoint = await startHostileEndpoint(throwDice)
  await stack.ops('webhook:set', endpoint.url, '--merchant', mallory.id)
  const raw = createRawClient({ baseUrl, merchantKey: mallory.apiKey, partnerKey: partner.apiKey })
  const known: Known = { tradeIds: [], subUserIds: [] }
  const ids = { id: known.subUserIds, tradeId: known.tradeIds }
  const nextRequest = createRequests(throwDice, ids)
  let round = 0
  return {
    ids: [mallory.id, partner.id],
    endpoint,
    steps: {
      requests: () => sendHostile(raw, nextRequest()),
      races: async () => {
        const requests = await race({ merchant, db, known }, { round: ++round, throwDice })
        count('requests in races', requests)
      },
      sockets: async () => count('sockets', await churnSockets(merchant, throwDice)),
      bytes: async () => count(`bytes: ${await sendBytes(baseUrl, throwDice)}`),
      reads: () => readWhatIsDear(merchant),
    },
    close: async () => {
      raw.close()
      await endpoint.close()
    },
  }
}

async function sendHostile(
  raw: RawClient,
  { route, request, isRouted }: RouteRequest,
): Promise<void> {
  const answer = await raw.send(route.method, request)
  try {
    const key = isRouted ? checkAnswerOf(route, answer) : checkAnswer(answer)
    count(`requests ${key ?? 'accepted'}`)
  } catch (error) {
    const what = `${route.method} ${request.path.slice(0, 300)} (${request.what.slice(0, 600)})`
    const answered = `${answer.status} ${answer.text.slice(0, 500)}`
    throw new Error(`${what}: ${(error as Error).message}: ${answered}`)
  }
}

async function readWhatIsDear(merchant: Client): Promise<void> {
  const answers = await Promise.all([
    merchant.call('getMerchantStats'),
    merchant.call('listMerchantTrades', { query: { itemName: 'no such', limit: 100 } }),
    merchant.call('listMerchantLedger'),
    merchant.call('listPrices'),
  ])
  for (const { status, error } of answers) {
    assert.ok(status < 500 || status === 503, `a read is answered ${status} ${error?.key}`)
    count(`reads ${error?.key ?? 'accepted'}`)
  }
}

/** One phase: every attack goes on until its end, and the suppliers have their faults. */
async function runPhase(
  attacks: readonly Attack[],
  { attackers, troubles, endsAt }: { attackers: Attackers; troubles: Troubles; endsAt: number },
): Promise<void> {
  const going = attacks.map(async (name) => {
    while (Date.now() < endsAt) {
      await attackers.steps[name]().catch((error: unknown) => onFound(name, error))
      await sleep(PAUSE_MS[name])
    }
  })
  while (Date.now() < endsAt) {
    if (attacks.length > 0) await troubles.next()
    await sleep(Math.min(TROUBLE_EVERY_MS, Math.max(0, endsAt - Date.now())))
  }
  await Promise.all(going)
}

async function attack(): Promise<AttackReport> {
  const at = new Date()
  const attackers = await openAttackers()
  const neighbour = startNeighbour(stack.merchant, { db, onFound })
  const sandbox = { url: stack.demo.sandboxUrl, control: stack.control }
  const troubles = startTroubles(sandbox, throwDice)
  const endsAt = Date.now() + minutes * 60_000
  let auditAt = Date.now() + AUDIT_EVERY_MS
  for (let i = 0; Date.now() < endsAt; i++) {
    const attacks = PHASES[i % PHASES.length] ?? []
    if (attacks.length === 0) await sleep(SETTLE_MS)
    neighbour.measureAs(attacks.length === 0 ? QUIET : attacks.join(' and '))
    const phaseEndsAt = Math.min(endsAt, Date.now() + PHASE_MS)
    await runPhase(attacks, { attackers, troubles, endsAt: phaseEndsAt })
    neighbour.measureAs(null)
    collectErrors()
    if (Date.now() < auditAt) continue
    auditAt = Date.now() + AUDIT_EVERY_MS
    await checked('the books', stack.auditBooks())
    say(`${[...counts.values()].reduce((sum, n) => sum + n, 0)} requests, ${found.length} found`)
  }
  await troubles.end()
  const samples = await neighbour.stop()
  await judge(attackers, troubles)
  await attackers.close()
  return {
    ...{ at, minutes, seed, load: loadavg()[0] ?? 0, counts, found },
    reads: readsOf(samples),
    neighbourTrades: neighbour.tradeIds.length,
    endpoint: attackers.endpoint.counts,
    troubles: troubles.said.length,
  }
}

const checked = (what: string, work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => onFound(what, error))

/** When the attack is over: everything ends, arrives and balances. */
async function judge({ ids, endpoint }: Attackers, troubles: Troubles): Promise<void> {
  await checked('the end', untilAllEnded())
  await checked('the events', untilDelivered(ids))
  await checked('the books', stack.auditBooks())
  const { unexplained } = explain(await readCases(db), troubles.said)
  for (const one of unexplained) onFound('an unexplained case', JSON.stringify(one))
  if (endpoint.followed() > 0) onFound('webhooks', `${endpoint.followed()} redirects were followed`)
  collectErrors()
}

function readsOf(samples: ReadonlyMap<string, readonly number[]>): AttackReport['reads'] {
  const quiet = percentilesOf(samples.get(QUIET) ?? [])
  const attacked = percentilesOf([...samples].flatMap(([name, of]) => (name === QUIET ? [] : of)))
  if (attacked.p95 > NEIGHBOUR_FACTOR * quiet.p95 + NEIGHBOUR_MORE_MS) {
    const text = `p95 of reads ${attacked.p95} ms under attack, ${quiet.p95} ms without`
    onFound('the neighbour', text)
  }
  return [...samples].map(([name, of]) => ({ name, ...percentilesOf(of) }))
}

const seen = new Set<string>()
/** What the service itself calls an error, once each. */
function collectErrors(): void {
  for (const line of stack.server().stdout().split('\n')) {
    if (!/"msg":"unhandled (error|rejection)"/.test(line) || seen.has(line)) continue
    seen.add(line)
    onFound('the log', line)
  }
}

const COUNT_OPEN = sql(
  'attack_open',
  `select (select count(*) from buying.item where work in ('place', 'follow'))::int as buys,
     (select count(*) from selling.item where is_open)::int as sells`,
)
const untilAllEnded = (): Promise<unknown> =>
  until(
    'every trade has ended',
    async () => {
      const [open] = await db.query<{ buys: number; sells: number }>(COUNT_OPEN)
      if (open?.buys === 0 && open.sells === 0) return true
      throw new Error(`open: ${JSON.stringify(open)}`)
    },
    { deadlineMs: ALL_ENDED_DEADLINE_MS, everyMs: 500 },
  )

const UNDELIVERED = sql(
  'attack_undelivered',
  `select count(*)::int as left from outbox.event e where e.tenant_id <> all ($1::uuid[]) and not exists (
     select from webhooks.delivery d where d.event_id = e.id and d.status = 'delivered')`,
)
/** Every event of others than the attacker's. */
const untilDelivered = (attackers: readonly string[]): Promise<unknown> =>
  until(
    'every event of the neighbour is delivered',
    async () => {
      const [row] = await db.query<{ left: number }>(UNDELIVERED, [attackers])
      if (row?.left === 0) return true
      throw new Error(`${row?.left} are left`)
    },
    { deadlineMs: 240_000, everyMs: 500 },
  )

let report: AttackReport
try {
  say(`an attack of ${minutes} minutes, seed ${seed}`)
  report = await attack()
} finally {
  await stack.close().catch((error: unknown) => onFound('the stop', error))
  await stopPostgres()
}
for (const [name, number] of [...counts].sort()) say(`${name}: ${number}`)
for (const read of report.reads) say(JSON.stringify(read))
if (values.write) writeReport(report)
say(found.length === 0 ? 'clean' : `${found.length} found`)
process.exit(found.length === 0 ? 0 : 1)
