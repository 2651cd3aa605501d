// Workers, api processes and PostgreSQL are killed -9 at random moments while buyers go on. Afterwards no
// acknowledged buy is lost, nothing was placed twice, the books are clean, and every trade has ended.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Trade } from '@tradepost/contract'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { givenOnce } from '../support/given-once.ts'
import type { SandboxOffer } from '../support/sandbox.ts'
import { MARKETS } from '../support/sandbox.ts'
import { auditBooks } from '../support/stack.ts'
import { until } from '../support/until.ts'
import { answerOpenRequests, startBuyers } from './actors/buyers.ts'
import { type Ordering, startOrdering } from './actors/market-orders.ts'
import type { TrackedRequest } from './actors/requests.ts'
import type { Traffic } from './actors/traffic.ts'
import { type Dice, diceOf, pickWith, shuffled } from './dice.ts'
import type { Killed, Kind } from './faults/killer.ts'
import { type Kills, startKills, untilDatabaseIsBack } from './faults/kills.ts'
import { agreeOnBuys, untilTradesEnded } from './judge/requests.ts'
import { type OwnInstallation, startInstallation } from './worlds/installation.ts'

/**
 * Another seed makes another history: `KILL_SEED=7 KILL_ROUNDS=21 npm test -- tests/endurance/kill.test.ts`.
 * `npm run soak:faults` repeats longer histories with new seeds.
 */
const SEED = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 1_000_000))
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 5)
/** What is killed, in a random order: every kind is met in each history of five rounds or more. */
const KINDS: readonly Kind[] = [
  'worker',
  'api',
  'postgres',
  'everything',
  'worker',
  'worker',
  'api',
]
/** The supplier takes its time, so that a kill finds calls under way. */
const LATENCY_MS = 80
/** Two of three kills may find nothing, as on a machine where a request takes long to begin. */
const MOST_MISSES = 2 * ROUNDS + 2
/** All of a kind may be starting, and again when their database is killed under them. */
const START_DEADLINE_MS = 240_000
/** The suppliers have their own faults meanwhile, one after each kill. */
const FAULTS = [
  'lost_reply_placed',
  'lost_reply_not_placed',
  'http_500+placed',
  'slow:600',
  'failure_with_id',
] as const

let installation: OwnInstallation
let traffic: Traffic
let ordering: Ordering
let kills: Round[]
let trades: Trade[]

interface Round extends Killed {
  /** What was unknown to buyers after it that had been under way before, and what workers had in hand. */
  readonly unknown: number
  readonly inHand: number
}

givenOnce(
  async () => {
    installation = await startInstallation()
    const throwDice = diceOf(SEED)
    traffic = await startBuyers(installation, { throwDice, latencyMs: LATENCY_MS })
    ordering = await startOrdering(installation)
    const killer = startKills(installation, SEED)
    try {
      kills = await killAll(killer, throwDice)
    } finally {
      killer.end()
      await traffic.stop()
    }
    await answerOpenRequests(installation, traffic).catch((error: unknown) => {
      throw new Error(`what the processes logged: ${errorsOf(installation)}`, { cause: error })
    })
    await ordering.settle()
    trades = await untilTradesEnded(installation.merchant)
  },
  async () => installation?.close(),
)

const LINES_SHOWN = 40
/** The last lines of the running processes that are worse than a notice. */
const errorsOf = ({ apis, workers }: OwnInstallation): string =>
  [...apis.log(), ...workers.log()]
    .filter((line) => /"level":"(warn|error|fatal)"/.test(line))
    .slice(-LINES_SHOWN)
    .join('\n')

/** Kills in a random order; a kill without an effect on a request is repeated. */
async function killAll(killer: Kills, throwDice: Dice): Promise<Round[]> {
  const rounds: Round[] = []
  const revivals: Promise<unknown>[] = []
  const kinds = Array.from({ length: ROUNDS }, (_, i) => KINDS[i % KINDS.length] as Kind)
  const due = shuffled(kinds, throwDice)
  let misses = 0
  for (let kind = due.pop(); kind !== undefined; ) {
    ordering.place()
    const round = await killOnce(killer, kind)
    for (const market of MARKETS) {
      await installation.sandbox.control.script(market, pickWith(throwDice)(FAULTS))
    }
    await untilDatabaseIsBack(installation.db)
    // Restarts are not awaited: the next kill may hit a process that is starting.
    const revival = Promise.all([installation.apis.revive(), installation.workers.revive()])
    // Its failure is reported at the end, and not as a rejection that nothing handles.
    revival.catch(() => {})
    revivals.push(revival)
    if (round.unknown > 0 || round.inHand > 0) {
      rounds.push(round)
      kind = due.pop()
    } else assert.ok(++misses < MOST_MISSES, 'kills find something under way')
  }
  await Promise.all(revivals)
  return rounds
}

async function killOnce(killer: Kills, kind: Kind): Promise<Round> {
  const { apis, workers } = installation
  const isThere = (): boolean => (kind === 'worker' ? workers : apis).pids().length > 0
  await until(`a process of ${kind} runs`, isThere, { deadlineMs: START_DEADLINE_MS })
  const unknownBefore = traffic.unknown()
  const endHurry = kind === 'worker' ? () => {} : traffic.hurry()
  const killed = await killer.kill(kind, kind === 'worker' ? 1200 : 80)
  endHurry()
  assert.ok(killed.pids.length > 0, `there was a process of ${kind} to kill`)
  const inHand = kind === 'worker' || kind === 'everything' ? await countInHand() : 0
  if (kind !== 'worker') {
    const isNoticed = (): boolean => traffic.unknown() > unknownBefore
    await until('the buyers notice', isNoticed, { deadlineMs: 1000 }).catch(() => null)
  }
  return { ...killed, unknown: traffic.unknown() - unknownBefore, inHand }
}

const COUNT_IN_HAND = sql(
  'test_count_in_hand',
  `select (select count(*) from buying.supplier_order o join buying.item i on i.id = o.item_id
           where i.work = 'follow' and i.due_at > now() + interval '2 seconds')::int as count`,
)

/** Items that some worker had claimed: its lease is still running. */
const countInHand = (): Promise<number> =>
  until('the database answers', async () => {
    const [row] = await installation.db.query<{ count: number }>(COUNT_IN_HAND)
    return row?.count ?? 0
  })

describe(`after kills at random moments (seed ${SEED})`, () => {
  it('every kind of process was killed, each time with work or requests under way', (t) => {
    assert.equal(kills.length, ROUNDS)
    assert.deepEqual(new Set(kills.map(({ kind }) => kind)), new Set(KINDS.slice(0, ROUNDS)))
    for (const { unknown, inHand } of kills) assert.ok(unknown > 0 || inHand > 0)
    const count = (outcome: TrackedRequest['outcome']): number =>
      traffic.requests.filter((request) => request.outcome === outcome).length
    assert.ok(count('acknowledged') > 3 * count('refused'), 'most of what was wanted was for sale')
    t.diagnostic(
      `${kills.length} kills, ${traffic.unknown()} answers lost; ${traffic.requests.length} requests: ` +
        `${count('acknowledged')} bought, ${count('refused')} refused; ${trades.length} trades`,
    )
  })

  it('every acknowledged buy exists, and every external id has one trade', () => {
    const ofRequests = trades.filter(({ marketOrderId }) => marketOrderId === undefined)
    agreeOnBuys(ofRequests, traffic)
  })

  it('no market order has bought more than it wanted, and each counts what became of its fills', () =>
    ordering.agree(trades))

  it('the suppliers have at most one order for each item, and no order is unknown', async () => {
    const offers = await installation.sandbox.control.offers()
    const { markets } = await installation.sandbox.control.state()
    const orders = MARKETS.flatMap((market) => Object.values(markets[market].orders))
    assert.equal(
      offers.length,
      orders.reduce((sum, count) => sum + count, 0),
    )
    const items = new Map(trades.flatMap((trade) => trade.items).map((item) => [item.id, item]))
    const byItem = Map.groupBy(offers, ({ customId }) => customId ?? 'none')
    for (const [itemId, found] of byItem) {
      assert.equal(found.length, 1, `item ${itemId} was placed ${found.length} times`)
      assert.ok(items.has(itemId), `an unknown order: ${JSON.stringify(found)}`)
    }
    for (const { id, status } of items.values()) {
      if (status === 'completed') assert.ok(byItem.has(id), `completed item ${id} has an order`)
    }
  })

  it('no listing was delivered twice', async () => {
    const offers = await installation.sandbox.control.offers()
    const delivered = offers.filter(({ state }) => ['accepted', 'settled'].includes(state))
    const listingOf = ({ market, listingId }: SandboxOffer): string => `${market}:${listingId}`
    assert.equal(new Set(delivered.map(listingOf)).size, delivered.length)
  })

  it('what was delivered is completed, and what is completed was delivered', async () => {
    const offers = await installation.sandbox.control.offers()
    const settled = offers.filter(({ state }) => state === 'settled')
    const completed = trades.flatMap((trade) => trade.items).filter((i) => i.status === 'completed')
    assert.deepEqual(
      settled.map(({ customId }) => customId).sort(),
      completed.map(({ id }) => id).sort(),
    )
  })

  it('the books are clean', () => auditBooks(installation))

  it('every event arrived, and first in the order in which it happened', async () => {
    const { webhooks, db } = installation
    const sent = sql(
      'test_deliveries',
      `select e.id::text, e.subject_id, e.type, d.webhook_id::text as webhook_id, d.attempts from outbox.event e
       left join webhooks.delivery d on d.event_id = e.id order by e.id`,
    )
    type Row = {
      id: string
      subject_id: string
      type: string
      webhook_id: string | null
      attempts: number
    }
    const arrivals = await until(
      'every event arrived',
      async () => {
        const arrived = new Map(webhooks.all().map((event, i) => [event.id, i]))
        const rows = await db.query<Row>(sent)
        const missing = rows.filter((row) => !arrived.has(row.webhook_id ?? ''))
        if (missing.length > 0) throw new Error(`missing: ${JSON.stringify(missing.slice(0, 5))}`)
        return rows.map((row) => ({ ...row, place: arrived.get(row.webhook_id ?? '') ?? -1 }))
      },
      { everyMs: 500 },
    )
    for (const [tradeId, events] of Map.groupBy(arrivals, (row) => row.subject_id)) {
      // One whose first attempt had no answer in time comes again, and holds nothing back meanwhile.
      const places = events.filter(({ attempts }) => attempts < 2).map(({ place }) => place)
      const inOrder = [...places].sort((left, right) => left - right)
      assert.deepEqual(
        places,
        inOrder,
        `${tradeId}: ${events.map(({ type, attempts }) => `${type} ${attempts}`).join(', ')}`,
      )
    }
  })
})
