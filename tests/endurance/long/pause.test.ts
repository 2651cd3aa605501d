// Every process is suspended (SIGSTOP) and continued at random moments while users buy, quick-buy, sell,
// cancel and deposit: workers, api processes, the suppliers, PostgreSQL as a whole and process by process.
// Afterwards nothing was given away: no item is both refunded and delivered without a case, nothing was
// placed or paid twice, and the books are clean.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import type { PaidOrder } from '../../support/deposits.ts'
import { givenOnce } from '../../support/given-once.ts'
import { MARKETS, type SandboxOffer } from '../../support/sandbox.ts'
import { auditBooks } from '../../support/stack.ts'
import { centsOf } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import { answerOpenRequests, setLatency } from '../actors/buyers.ts'
import { startDepositors } from '../actors/depositors.ts'
import type { TrackedRequest } from '../actors/requests.ts'
import { HABITS, PROMPT_HABITS, startTraffic, type Traffic } from '../actors/traffic.ts'
import { openUsers } from '../actors/users.ts'
import { diceOf } from '../dice.ts'
import {
  LONGER_THAN_A_LEASE_MS,
  ROLES,
  type Suspension,
  suspendAtRandom,
} from '../faults/suspend.ts'
import { untilTradesAreOver } from '../judge/database.ts'
import { agreeOnTrades } from '../judge/requests.ts'
import { type OwnInstallation, startInstallation } from '../worlds/installation.ts'

/**
 * Another seed makes another history:
 * `PAUSE_SEED=7 PAUSE_SECONDS=60 npm test -- tests/endurance/long/pause.test.ts`.
 * `npm run soak:faults` repeats longer histories with new seeds.
 */
const SEED = Number(process.env.PAUSE_SEED ?? Math.floor(Math.random() * 1_000_000))
const SECONDS = Number(process.env.PAUSE_SECONDS ?? 26)
/** From so long on there is time for users who are slow to answer. */
const LONG_SECONDS = 60
const USERS = 8
/** The supplier takes its time, so that a suspension finds calls under way. */
const LATENCY_MS = 150
const ALL_ENDED_DEADLINE_MS = 150_000

let installation: OwnInstallation
let traffic: Traffic
let deposits: readonly PaidOrder[] = []
let suspensions: readonly Suspension[] = []

givenOnce(
  async () => {
    installation = await startInstallation()
    const throwDice = diceOf(SEED)
    const users = await openUsers(installation, USERS)
    await setLatency(installation.sandbox, LATENCY_MS)
    const [url] = installation.apis.baseUrls()
    await installation.sandbox.control.call('PUT', '/notices', { url })
    const habits = SECONDS < LONG_SECONDS ? PROMPT_HABITS : HABITS
    traffic = startTraffic(installation, users, { throwDice, habits })
    const depositors = startDepositors(installation, users, throwDice)
    try {
      const endsAt = performance.now() + SECONDS * 1000
      suspensions = await suspendAtRandom(installation, { throwDice, endsAt })
    } finally {
      await Promise.all([traffic.stop(), depositors.stop()])
    }
    deposits = depositors.paid
    await answerOpenRequests(installation, traffic)
    await untilTradesAreOver(installation.db, ALL_ENDED_DEADLINE_MS)
  },
  async () => installation?.close(),
)

const READ_ITEMS = sql(
  'test_read_items',
  `select i.id, t.type, i.status, coalesce(i.refunded, 0) > 0 as "isRefunded", s.offer_intent_id as "intentId",
     exists (select from reconciliation.case_file c join trades.item x on x.id = c.item_id
       where x.id = i.id or t.type = 'sell' and x.trade_id = t.id) as "hasCase",
     (select count(*) from trades.item_step p where p.trade_id = t.id and p.item_id = i.id
        and p.what = 'moved' and p.status >= 'completed')::int as ends
   from trades.item i join trades.trade t on t.id = i.trade_id left join selling.item s on s.id = i.id`,
)
interface Item {
  readonly id: string
  readonly type: 'buy' | 'sell'
  readonly status: string
  readonly isRefunded: boolean
  /** The offer intent that carries it, of a sold one. */
  readonly intentId: string | null
  /** About it, or about any item of its sell: the case of an offer names one of its items. */
  readonly hasCase: boolean
  readonly ends: number
}
const readItems = (): Promise<Item[]> => installation.db.query<Item>(READ_ITEMS)

/** What is wrong now may be a case in a moment: the watches go on. */
async function untilNothing(what: string, find: () => Promise<readonly unknown[]>): Promise<void> {
  await until(
    what,
    async () => {
      const found = await find()
      if (found.length === 0) return true
      throw new Error(`${found.length}, the first: ${JSON.stringify(found[0])}`)
    },
    { deadlineMs: 30_000, everyMs: 500 },
  )
}

const MOST_LISTED = 1000

/** Offers whose items have changed hands: to a buyer, or to a bot of ours. */
async function readDelivered(): Promise<SandboxOffer[]> {
  const { control } = installation.sandbox
  const lists = await Promise.all(['accepted', 'settled'].map((state) => control.offers(state)))
  for (const { length } of lists) assert.ok(length < MOST_LISTED, 'all of them are listed')
  return lists.flat()
}

describe(`after ${SECONDS} s of suspensions at random moments (seed ${SEED})`, () => {
  it('every kind of process was suspended, workers with work in their hands and for longer than their leases', (t) => {
    const ofWorkers = suspensions.filter(({ role }) => role === 'worker')
    assert.ok(ofWorkers.some(({ inHand }) => inHand > 0))
    assert.ok(ofWorkers.some(({ ms }) => ms >= LONGER_THAN_A_LEASE_MS))
    const counts = new Map(
      ROLES.map((role) => [role, suspensions.filter((one) => one.role === role).length]),
    )
    for (const [role, count] of counts) assert.ok(count > 0, role)
    const { workers, apis } = installation
    assert.deepEqual([workers.pids().length, apis.pids().length], [2, 2], 'none has ended of it')
    const count = (outcome: TrackedRequest['outcome']): number =>
      traffic.requests.filter((request) => request.outcome === outcome).length
    t.diagnostic(
      `suspended: ${[...counts].map(([role, times]) => `${role} ${times}`).join(', ')}; ` +
        `${traffic.requests.length} requests: ${count('acknowledged')} accepted, ` +
        `${count('refused')} refused; ${deposits.length} deposits`,
    )
  })

  it('every acknowledged request has its one trade, and there is no other', async () => {
    const trades = await agreeOnTrades(installation.db, traffic)
    assert.ok(trades > 0)
  })

  it('each item has ended once', async () => {
    for (const item of await readItems()) assert.equal(item.ends, 1, JSON.stringify(item))
  })

  it('no item is both refunded and delivered without a case', () =>
    untilNothing('free goods', async () => {
      const items = new Map((await readItems()).map((item) => [item.id, item]))
      const ofMarkets = (await readDelivered()).filter(({ market }) => market !== null)
      return ofMarkets.flatMap((offer) => {
        const item = items.get(offer.customId ?? '')
        const isRight = item?.hasCase || (item?.status === 'completed' && !item.isRefunded)
        return isRight ? [] : [{ offer, item }]
      })
    }))

  it('the suppliers have at most one order for each item', async () => {
    const { control } = installation.sandbox
    const orders = (await Promise.all(MARKETS.map((market) => control.orders(market)))).flat()
    for (const [itemId, found] of Map.groupBy(orders, ({ customId }) => customId ?? 'none')) {
      assert.equal(found.length, 1, `item ${itemId} was placed ${found.length} times`)
    }
  })

  it('a seller is paid for what a bot has received, and for nothing else, without a case', () =>
    untilNothing('sells whose items and proceeds differ', async () => {
      const items = (await readItems()).filter(({ type }) => type === 'sell')
      const ofBots = (await readDelivered()).filter(({ market }) => market === null)
      const received = new Set(ofBots.flatMap(({ message }) => wordsOf(message)))
      return items.filter(
        ({ status, intentId, hasCase }) =>
          !hasCase && (status === 'completed') !== received.has(intentId ?? ''),
      )
    }))

  it('what was paid to the gateway is credited once', () =>
    untilNothing('payments that are not credited', async () => {
      const found = await Promise.all(
        deposits.map(async ({ behalf, id, promisedCents }) => ({
          promisedCents,
          deposit: await installation.merchant.get('getDeposit', { behalf, params: { id } }),
        })),
      )
      return found.filter(
        ({ deposit, promisedCents }) =>
          deposit.status !== 'completed' || centsOf(deposit.creditedAmount ?? 0) !== promisedCents,
      )
    }))

  it('the books are clean', () => auditBooks(installation))
})

/** The message of an offer names its intent as a word. */
const wordsOf = (message: string | undefined): string[] => (message ?? '').split(/\s+/)
