// Workers and api processes are suspended (SIGSTOP) and continued at random moments while buyers go on: for a
// moment, or for longer than a lease, so that others take their work over. Afterwards nothing was given away:
// no item is both refunded and delivered without a case, nothing was placed twice, and the books are clean.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from '../../apps/server/src/infra/db.ts'
import { givenOnce } from '../support/given-once.ts'
import type { SandboxOffer } from '../support/sandbox.ts'
import { auditBooks } from '../support/stack.ts'
import { TERMINAL } from '../support/trading.ts'
import { until } from '../support/until.ts'
import { answerOpenRequests, startBuyers } from './buyers.ts'
import { type Installation, startOnSharedPostgres } from './installation.ts'
import { diceOf } from './killer.ts'
import type { Load, TrackedRequest } from './load.ts'

/**
 * Another seed makes another history: `PAUSE_SEED=7 PAUSE_SECONDS=60 npm test -- tests/faults/pause.test.ts`.
 * `npm run soak:faults` repeats longer histories with new seeds.
 */
const SEED = Number(process.env.PAUSE_SEED ?? Math.floor(Math.random() * 1_000_000))
const SECONDS = Number(process.env.PAUSE_SECONDS ?? 32)
/** The supplier takes its time, so that a suspension finds calls under way. */
const LATENCY_MS = 150
/** A lease of the sandbox's profile is 20 s. */
const LONG_MS = { least: 21_000, most: 28_000 }
const SHORT_MS = { least: 50, most: 2_000 }
const LONG_SHARE = 0.4

let installation: Installation
let load: Load
const suspensions: { readonly role: string; readonly ms: number; readonly inHand: number }[] = []

givenOnce(
  async () => {
    installation = await startOnSharedPostgres()
    const throwDice = diceOf(SEED)
    load = await startBuyers(installation, { throwDice, latencyMs: LATENCY_MS })
    const endsAt = performance.now() + SECONDS * 1000
    try {
      // Apart from each other, so that sometimes all of a role stand still at once.
      await Promise.all([
        suspendAtRandom('worker', 0, throwDice, endsAt),
        suspendAtRandom('worker', 1, throwDice, endsAt),
        suspendAtRandom('api', 0, throwDice, endsAt),
      ])
    } finally {
      await load.stop()
    }
    await answerOpenRequests(installation, load)
    await untilAllEnded()
  },
  async () => installation?.close(),
)

async function suspendAtRandom(
  role: 'worker' | 'api',
  nth: number,
  throwDice: () => number,
  endsAt: number,
): Promise<void> {
  const between = ({ least, most }: typeof LONG_MS): number => least + throwDice() * (most - least)
  for (let isFirst = true; performance.now() < endsAt; isFirst = false) {
    await wait(between({ least: 300, most: 3_000 }))
    const pid = installation[role === 'worker' ? 'workers' : 'apis'].pids()[nth]
    assert.ok(pid !== undefined, `a ${role} runs`)
    // The first one is long, so that every history has one; none of the others goes on after the end.
    const isFirstOfAll = isFirst && role === 'worker' && nth === 0
    const leftMs = endsAt - performance.now()
    const isLong = role === 'worker' && leftMs > LONG_MS.most && throwDice() < LONG_SHARE
    const ms = between(isFirstOfAll || isLong ? LONG_MS : SHORT_MS)
    const inHand = role === 'worker' ? await countInHand() : 0
    process.kill(pid, 'SIGSTOP')
    try {
      await wait(ms)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    suspensions.push({ role, ms, inHand })
  }
}

const COUNT_IN_HAND = sql(
  'test_count_claimed',
  `select count(*)::int as count from buying.item
   where work in ('place', 'follow') and due_at > now() + interval '2 seconds'`,
)

/** Items that some worker has claimed: its lease is running. */
async function countInHand(): Promise<number> {
  const [row] = await installation.db.query<{ count: number }>(COUNT_IN_HAND)
  return row?.count ?? 0
}

const READ_ITEMS = sql(
  'test_read_items',
  `select i.id, i.status, i.refunded is not null and i.refunded > 0 as "isRefunded",
     exists (select from reconciliation.case_file c where c.item_id = i.id) as "hasCase"
   from trades.item i`,
)
interface Item {
  readonly id: string
  readonly status: string
  readonly isRefunded: boolean
  readonly hasCase: boolean
}
const readItems = (): Promise<Item[]> => installation.db.query<Item>(READ_ITEMS)

const untilAllEnded = (): Promise<unknown> =>
  until(
    'every item has ended',
    async () => {
      const items = await readItems()
      const open = items.filter(({ status }) => !TERMINAL.includes(status as never))
      if (open.length === 0) return true
      throw new Error(`${open.length} of ${items.length} go on: ${JSON.stringify(open[0])}`)
    },
    { deadlineMs: 150_000, everyMs: 500 },
  )

const isDelivered = ({ state }: SandboxOffer): boolean => ['accepted', 'settled'].includes(state)

describe(`after ${SECONDS} s of suspensions at random moments (seed ${SEED})`, () => {
  it('workers were suspended with work in their hands, and for longer than their leases', (t) => {
    const ofWorkers = suspensions.filter(({ role }) => role === 'worker')
    assert.ok(ofWorkers.some(({ inHand }) => inHand > 0))
    assert.ok(ofWorkers.some(({ ms }) => ms >= LONG_MS.least))
    const count = (outcome: TrackedRequest['outcome']): number =>
      load.requests.filter((request) => request.outcome === outcome).length
    t.diagnostic(
      `${suspensions.length} suspensions; ${load.requests.length} buys: ${count('acknowledged')} accepted, ` +
        `${count('refused')} refused`,
    )
  })

  it('no item is both refunded and delivered without a case', async () => {
    const items = new Map((await readItems()).map((item) => [item.id, item]))
    const offers = await installation.sandbox.control.offers()
    for (const offer of offers.filter(isDelivered)) {
      const item = items.get(offer.customId ?? '')
      assert.ok(item, `an order for no item: ${JSON.stringify(offer)}`)
      assert.ok(!item.isRefunded || item.hasCase, `free goods: ${JSON.stringify({ offer, item })}`)
      assert.ok(
        item.status === 'completed' || item.hasCase,
        `delivered: ${JSON.stringify({ offer, item })}`,
      )
    }
  })

  it('the suppliers have at most one order for each item', async () => {
    const offers = await installation.sandbox.control.offers()
    for (const [itemId, found] of Map.groupBy(offers, ({ customId }) => customId ?? 'none')) {
      assert.equal(found.length, 1, `item ${itemId} was placed ${found.length} times`)
    }
  })

  it('the books are clean', () => auditBooks(installation))
})
