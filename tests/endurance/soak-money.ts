// `npm run soak:money`: deposits by chain, gateway and card, and withdrawals, are under way while processes,
// nodes and the database are killed -9 and the chains re-organise, lag and answer falsely. A kill counts when
// deposits and withdrawals were under way. In the end the chains, the providers and the books must say the
// same.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { readOptions, refuseUse } from '../../tools/options.ts'
import { closeOnSignal, createSay, newSeed, SEED } from '../support/long-run.ts'
import { until } from '../support/until.ts'
import { fillCustody, openUsers, startTraffic, type Traffic } from './actors/payers.ts'
import { diceOf, type Killed, type Kind, type Order } from './faults/killer.ts'
import { shuffled } from './faults/markets.ts'
import { startTroubles } from './faults/money.ts'
import { judge } from './judge/money.ts'
import { countKinds, type Kill, underWayText, writeReport } from './reports/money.ts'
import { CHAINS, startMoney } from './worlds/money.ts'

const { values } = readOptions({
  name: 'npm run soak:money',
  about:
    'Money comes in and goes out while processes, databases and nodes are killed; then the books are judged.',
  options: {
    kills: { kind: 'whole', about: 'how many', from: 0, byDefault: 44 },
    seed: SEED,
    write: { kind: 'flag', about: 'writes its part of docs/evidence.md' },
  },
})
const { kills: killCount, seed = newSeed() } = values
if (values.write && killCount < 40) refuseUse('What is written down is a run of 40 kills or more.')

const USERS = 8
/** Of eleven kills: workers have the most in hand. */
const KILLS: readonly Kind[] = [
  ...(['worker', 'worker', 'worker', 'worker', 'signer', 'signer'] as const),
  ...(['node', 'node', 'api', 'postgres', 'everything'] as const),
]
const PAUSE_MS = { least: 2500, most: 6000 }
/** Kills that find no deposit or no withdrawal under way: while the apis start, for example. */
const MOST_MISSES = 2 * killCount + 2
const ALL_ENDED_DEADLINE_MS = 6 * 60_000

const startedAt = performance.now()
const say = createSay()

const throwDice = diceOf(seed)
const at = new Date()
say(`${killCount} kills, seed ${seed}, load of the machine ${loadavg()[0]?.toFixed(1)}`)
const stack = await startMoney(diceOf(seed + 1))
closeOnSignal(() => stack.close())

async function soak(): Promise<void> {
  const users = await openUsers(stack, USERS)
  const custody = await fillCustody(stack)
  say(`everything is up: ${CHAINS.join(', ')}, ${USERS} users, custody filled`)
  const traffic = startTraffic(stack, { users, custody }, throwDice)
  const troubles = startTroubles(stack, traffic, throwDice)
  const kills = await disturb(troubles.next, traffic)
  await traffic.stop()
  await troubles.end()
  await revive()
  say('the troubles are over')
  await answerAll(traffic)
  const endedInMs = await untilAllEnded(traffic)
  const verdict = await judge(stack, traffic, say)
  if (killCount >= KILLS.length) {
    assert.deepEqual(new Set(countKinds(kills).keys()), new Set(KILLS), 'every kind was killed')
  }
  const report = {
    ...{ at, seed, endedInMs, verdict, kills },
    ...{ traffic: traffic.counts, troubles: troubles.counts },
    seconds: Math.round((performance.now() - startedAt) / 1000),
    load: loadavg()[0] ?? 0,
  }
  for (const counts of [countKinds(kills), troubles.counts, traffic.counts, verdict.ends]) {
    say(JSON.stringify(Object.fromEntries(counts)))
  }
  say(`under way at a kill: ${underWayText(kills)}`)
  if (values.write) writeReport(report)
  say('clean')
}

/** A trouble, a pause, a kill; what was killed is started again while the next one is on its way. */
async function disturb(nextTrouble: () => Promise<void>, traffic: Traffic): Promise<Kill[]> {
  const killer = fork(join(import.meta.dirname, 'faults/killer.ts'), [String(seed)])
  const kills: Kill[] = []
  let misses = 0
  let due: Kind[] = []
  let reviving: Promise<void> = Promise.resolve()
  let hasFailed = false
  try {
    while (kills.length < killCount) {
      // A process that cannot start again fails the run, now and not at its end.
      if (hasFailed) await reviving
      await nextTrouble()
      const pauseMs = PAUSE_MS.least + throwDice() * (PAUSE_MS.most - PAUSE_MS.least)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      if (due.length === 0) due = shuffled(KILLS, throwDice)
      const kind = due.pop() as Kind
      if (!(await kill(killer, kind))) {
        // It comes again when others of its kind have started.
        due.unshift(kind)
        continue
      }
      const underWay = await countUnderWay()
      reviving = reviving.then(revive)
      reviving.catch(() => {
        hasFailed = true
      })
      if (underWay.deposits === 0 || underWay.withdrawals === 0) {
        const found = `${underWay.deposits} deposits and ${underWay.withdrawals} withdrawals`
        assert.ok(++misses < MOST_MISSES, `a kill finds both under way, and not ${found}`)
        // Others first: of everything, killed again and again, no api would live to take a withdrawal.
        due.unshift(kind)
        continue
      }
      kills.push({ kind, ...underWay })
      if (kills.length % 5 === 0) {
        const actions = [...traffic.counts.values()].reduce(sum, 0)
        say(`${kills.length} kills, ${actions} actions`)
      }
    }
    await reviving
  } finally {
    killer.disconnect()
  }
  return kills
}

/** A transfer that was seen and is not credited, and a withdrawal that is not at its end. */
const UNDER_WAY = sql(
  'soak_under_way',
  `select (select count(*) from chains.transfer where state = 'pending' and orphaned_at is null
       and purpose in ('deposit', 'payout_custody'))::int deposits,
     (select count(*) from payouts.withdrawal where status not in ('confirmed', 'refunded'))::int withdrawals`,
)
/** Right after a kill: before anything that was killed is started again. */
const countUnderWay = (): Promise<Omit<Kill, 'kind'>> =>
  until(
    'the database is back',
    async () => {
      const [row] = await stack.db.query<Omit<Kill, 'kind'>>(UNDER_WAY)
      return row ?? { deposits: 0, withdrawals: 0 }
    },
    { deadlineMs: 120_000 },
  )

const sum = (a: number, b: number): number => a + b

/** False: nothing of the kind runs at this moment. */
async function kill(killer: ReturnType<typeof fork>, kind: Kind): Promise<boolean> {
  const { apis, workers, signer, postgres } = stack
  const nodes = kind === 'node' ? stack.nodes.pids().map(({ pid }) => pid) : []
  killer.send({
    kind,
    workers: workers.pids(),
    apis: apis.pids(),
    signers: signer.pids(),
    nodes,
    postgresData: postgres.dataFolder,
    // A node at once: a moment later it may be writing its state.
    withinMs: kind === 'node' ? 0 : 800,
  } satisfies Order)
  const [{ pids }] = (await once(killer, 'message')) as [Killed]
  await Promise.all([apis.gone(pids), workers.gone(pids), signer.gone(pids)])
  return pids.length > 0
}

/** The apis first: without them nothing is asked for. */
async function revive(): Promise<void> {
  await Promise.all([stack.apis.revive(), stack.signer.revive()])
  await stack.workers.revive()
}

/** Under its own external id a withdrawal returns its first answer, or is made now. */
async function answerAll({ withdrawals, ask }: Traffic): Promise<void> {
  const open = withdrawals.filter(({ answer }) => answer === null)
  say(`${open.length} withdrawals have no answer yet and are asked for again`)
  for (const asked of open) {
    await until(
      `${asked.externalId} is answered`,
      async () => {
        await ask(asked)
        return asked.answer !== null
      },
      { deadlineMs: 120_000, everyMs: 500 },
    )
  }
}

/** A transfer that a re-organisation removed for good waits for two hours, and is not under way. */
const COUNT_OPEN = sql(
  'soak_money_open',
  `select (select count(*) from chains.transfer where state = 'pending' and orphaned_at is null)::int transfers,
     (select count(*) from payouts.withdrawal where status not in ('confirmed', 'refunded'))::int withdrawals,
     (select count(*) from outbound.transaction where finished_at is null)::int transactions,
     (select count(*) from chains.sweep where ended_at is null)::int sweeps,
     (select count(*) from deposits.deposit where id = any ($1::uuid[]) and status <> 'completed')::int orders,
     (select string_agg(concat_ws(' ', chain, key_ref, halted_reason), '; ') from outbound.wallet where state <> 'open') halted`,
)

async function untilAllEnded(traffic: Traffic): Promise<number> {
  const from = Date.now()
  const orders = traffic.orders.map(({ id }) => id)
  await until(
    'everything has ended',
    async () => {
      const [open] = await stack.db.query<Record<string, number | string | null>>(COUNT_OPEN, [
        orders,
      ])
      if (Object.values(open ?? {}).every((count) => !count)) return true
      throw new Error(JSON.stringify(open))
    },
    { deadlineMs: ALL_ENDED_DEADLINE_MS, everyMs: 1000 },
  )
  say('everything has ended')
  return Date.now() - from
}

try {
  await soak()
} catch (error) {
  console.error(error)
  for (const line of [...stack.apis.said(), ...stack.workers.said()]) console.error(line)
  await stack.close()
  process.exit(1)
}
await stack.close()
process.exit(0)
