// Texts that PostgreSQL refuses, in the answers of markets: what they stand beside is kept all the same.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Market } from '#buying'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { createCallLog, createReporters, withCallLog } from '#reconciliation'
import { readTrades } from '#trades'
import { createMarketA } from '../../adapters/market-a/index.ts'
import { createMarketB } from '../../adapters/market-b/index.ts'
import { startSupplier } from '../../adapters/shared/testing/supplier-server.ts'
import { balanceOf, givenTrade } from '../../modules/trading/buying/testing/buyers.ts'
import { followRound, placeRound } from '../../modules/trading/buying/testing/rounds.ts'
import { scriptedSupplier } from '../../modules/trading/buying/testing/supplier.ts'
import { listCalls } from '../../modules/trading/reconciliation/store/calls.ts'
import { listCases } from '../../modules/trading/reconciliation/store/cases.ts'

const SECOND = 1000
const ORDER = 4711

type Adapter = Awaited<ReturnType<typeof startSupplier>>['adapter']

interface Supplier {
  readonly id: Market['id']
  open(adapter: Adapter): Market
  /** What a look-up shows of an order that was delivered, and of one that was taken back. */
  delivered(customId: string): object
  takenBack(customId: string, reason: string): object
  /** Whether that leaves open by whose fault. */
  readonly isUnclear: boolean
}

const SUPPLIERS: readonly Supplier[] = [
  {
    id: 'market_a',
    isUnclear: false,
    open: (adapter) =>
      createMarketA({
        ...adapter,
        callSpacingMs: 0,
        takePermit: async () => assert.fail('there is no limit'),
      }).market,
    delivered: (customId) => ({
      success: true,
      data: { [customId]: { item_id: ORDER, stage: '1', settlement: 1_800_000_000 } },
    }),
    takenBack: (customId, reason) => ({
      success: true,
      data: {
        [customId]: { item_id: ORDER, stage: '5', causer: 'seller', cancellation_reason: reason },
      },
    }),
  },
  {
    id: 'market_b',
    isUnclear: true,
    open: (adapter) => createMarketB(adapter).market,
    delivered: (customId) => ({
      success: true,
      trades: [{ id: ORDER, project_id: customId, status: 4, release_date: '2026-12-01' }],
    }),
    takenBack: (customId, reason) => ({
      success: true,
      trades: [{ id: ORDER, project_id: customId, status: 6, reason, penalties: { amount: 1 } }],
    }),
  },
]

const REASONS = [
  ['NUL', 'x\u0000'],
  ['half of a surrogate pair', 'x\ud83d'],
  ['a pair where a detail is cut', `x${'😀'.repeat(300)}`],
] as const

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))

/** An item that is bought, at a market to which the purchase does not go. */
async function givenPlaced(id: Market['id']) {
  const { db } = database
  const { tradeId, itemId, buyer } = await givenTrade({ db, clock }, { market: id })
  const seller = { ...scriptedSupplier(), id }
  await placeRound({ db, clock, market: seller, concurrency: 1 })
  const read = async () => {
    const [trade] = await readTrades(db, [tradeId])
    return { status: trade?.status, balance: await balanceOf(db, buyer.accountId, 'spot') }
  }
  return { itemId, read }
}

for (const { id, open, delivered, takenBack, isUnclear } of SUPPLIERS) {
  for (const [what, reason] of REASONS) {
    test(`a reversal at ${id} with ${what} in its reason is refunded, its case and its calls are kept`, async (context) => {
      const { db } = database
      const { itemId, read } = await givenPlaced(id)
      let says = delivered(itemId)
      const { adapter } = await startSupplier(context, (_request, reply) => {
        reply.end(JSON.stringify(says))
      })
      const log = createCallLog({ db, onLost: (error) => assert.fail(String(error)) })
      const market = withCallLog(open(adapter), { log, clock })
      const reporters = createReporters({ db, clock, log: silentLog, metrics: createMetrics() })
      const round = { db, clock, market, onCase: reporters('follower') }
      clock.advance(2 * SECOND)
      await followRound(round)
      assert.equal((await read()).status, 'hold')
      says = takenBack(itemId, reason)
      clock.advance(2 * SECOND)
      await followRound(round)
      assert.deepEqual(await read(), { status: 'reverted', balance: 5000n })
      const cases = await listCases(db, { state: 'open', kind: null, limit: 100 })
      assert.deepEqual(
        cases.filter((one) => one.itemId === itemId).map(({ kind }) => kind),
        isUnclear ? ['unclear_fault'] : [],
      )
      await log.flush()
      const calls = await listCalls(db, [itemId])
      assert.deepEqual(
        calls.map(({ outcome }) => outcome),
        ['hold', 'reverted'],
      )
    })
  }
}
