// `npm run soak:money`: deposits by chain, gateway and card, and withdrawals, are under way while processes,
// nodes and the database are killed -9 and the chains re-organise, lag and answer falsely. A kill counts when
// deposits and withdrawals were under way. In the end the chains, the providers and the books must say the
// same.
import assert from 'node:assert/strict'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { readOptions, refuseUse } from '../../tools/options.ts'
import { closeOnSignal, createSay, newSeed, SEED, WRITE } from '../support/long-run.ts'
import { until } from '../support/until.ts'
import { fillCustody, openPayers, type Payers, startPayers } from './actors/payers.ts'
import { deckOf, diceOf } from './dice.ts'
import type { Kind } from './faults/killer.ts'
import { startKills } from './faults/kills.ts'
import { startMoneyFaults } from './faults/money.ts'
import { untilAllIsOver } from './judge/database.ts'
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
    write: WRITE,
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
  const users = await openPayers(stack, USERS)
  const custody = await fillCustody(stack)
  say(`everything is up: ${CHAINS.join(', ')}, ${USERS} users, custody filled`)
  const payers = startPayers(stack, { users, custody }, throwDice)
  const faults = startMoneyFaults(stack, payers, throwDice)
  const kills = await disturb(faults.next, payers)
  await payers.stop()
  await faults.end()
  await revive()
  say('the faults are over')
  await answerAll(payers)
  const endedFrom = Date.now()
  await untilAllIsOver(stack.db, ALL_ENDED_DEADLINE_MS)
  await untilPaidOrdersAreCompleted(payers)
  const endedInMs = Date.now() - endedFrom
  say('everything has ended')
  const verdict = await judge(stack, payers, say)
  if (killCount >= KILLS.length) {
    assert.deepEqual(new Set(countKinds(kills).keys()), new Set(KILLS), 'every kind was killed')
  }
  const report = {
    ...{ at, seed, endedInMs, verdict, kills },
    ...{ traffic: payers.counts, faults: faults.counts },
    seconds: Math.round((performance.now() - startedAt) / 1000),
    load: loadavg()[0] ?? 0,
  }
  for (const counts of [countKinds(kills), faults.counts, payers.counts, verdict.ends]) {
    say(JSON.stringify(Object.fromEntries(counts)))
  }
  say(`under way at a kill: ${underWayText(kills)}`)
  if (values.write) writeReport(report)
  say('clean')
}

/** A fault, a pause, a kill; what was killed is started again while the next one is on its way. */
async function disturb(nextFault: () => Promise<void>, payers: Payers): Promise<Kill[]> {
  const { apis, workers, signer, postgres, nodes } = stack
  const nodePids = (): number[] => nodes.pids().map(({ pid }) => pid)
  const killer = startKills({ apis, workers, signer, postgres, nodePids }, seed)
  const kinds = deckOf(KILLS, throwDice)
  const kills: Kill[] = []
  let misses = 0
  let reviving: Promise<void> = Promise.resolve()
  let hasFailed = false
  try {
    while (kills.length < killCount) {
      // A process that cannot start again fails the run, now and not at its end.
      if (hasFailed) await reviving
      await nextFault()
      await sleep(PAUSE_MS.least + throwDice() * (PAUSE_MS.most - PAUSE_MS.least))
      const kind = kinds.next()
      // A node at once: a moment later it may be writing its state.
      const { pids } = await killer.kill(kind, kind === 'node' ? 0 : 800)
      if (pids.length === 0) {
        // It comes again when others of its kind have started.
        kinds.putBack(kind)
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
        kinds.putBack(kind)
        continue
      }
      kills.push({ kind, ...underWay })
      if (kills.length % 5 === 0) {
        const actions = [...payers.counts.values()].reduce((sum, count) => sum + count, 0)
        say(`${kills.length} kills, ${actions} actions`)
      }
    }
    await reviving
  } finally {
    killer.end()
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

/** The apis first: without them nothing is asked for. */
async function revive(): Promise<void> {
  await Promise.all([stack.apis.revive(), stack.signer.revive()])
  await stack.workers.revive()
}

/** Under its own external id a withdrawal returns its first answer, or is made now. */
async function answerAll({ withdrawals, ask }: Payers): Promise<void> {
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

const INCOMPLETE = sql(
  'soak_incomplete',
  `select count(*)::int "left" from deposits.deposit where id = any ($1::uuid[]) and status <> 'completed'`,
)

const untilPaidOrdersAreCompleted = ({ orders }: Payers): Promise<unknown> =>
  until(
    'every paid order is completed',
    async () => {
      const ids = orders.map(({ id }) => id)
      const [row] = await stack.db.query<{ left: number }>(INCOMPLETE, [ids])
      if (row?.left === 0) return true
      throw new Error(`${row?.left} are left`)
    },
    { deadlineMs: ALL_ENDED_DEADLINE_MS, everyMs: 1000 },
  )

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
