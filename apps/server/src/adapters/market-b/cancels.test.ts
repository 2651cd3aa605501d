// Cancels and purchases share one budget of calls at market B: a flood of either leaves turns to the other.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ReserveSlot } from '#infra/database/call-slots'
import { placeInTurn } from '../shared/testing/place-in-turn.ts'
import { CONTEXT, PURCHASE, startSupplier } from '../shared/testing/supplier-server.ts'
import { createMarketB } from './index.ts'

const FLOOD_MS = 1000
const AT_ONCE = 8
/** A slot of purchases each 25 ms. */
const CALLS_PER_MINUTE = 4500

/** Budgets of one process, without their bursts: a test has no minute to use them up. */
function localSlots(): ReserveSlot {
  const nextAt = new Map<string, number>()
  return async (name, spacingMs, { maxWaitMs = 5_000 } = {}) => {
    const nowMs = performance.now()
    const atMs = Math.max(nextAt.get(name) ?? 0, nowMs)
    if (atMs > nowMs + maxWaitMs) return { kind: 'refused', retryAfterMs: maxWaitMs }
    nextAt.set(name, atMs + spacingMs)
    return { kind: 'granted', waitMs: atMs - nowMs, giveBack: async () => {} }
  }
}

async function open(context: TestContext) {
  const served = { purchases: 0, cancels: 0 }
  const { adapter } = await startSupplier(context, ({ url = '' }, reply) => {
    if (url.startsWith('/v1/buy-one-p2p')) served.purchases++
    if (url.startsWith('/v1/cancel-trade')) served.cancels++
    reply.end(JSON.stringify({ success: true, id: 7, price: 5, msg: '' }))
  })
  const { market } = createMarketB({
    ...adapter,
    reserveSlot: localSlots(),
    callsPerMinute: CALLS_PER_MINUTE,
    buyPatienceMs: 150,
  })
  return { served, market }
}

/** Calls that are repeated as soon as they are answered, or had no turn. */
async function flood(call: () => Promise<unknown>): Promise<void> {
  const endMs = performance.now() + FLOOD_MS
  const work = async (): Promise<void> => {
    while (performance.now() < endMs) {
      await call()
      await new Promise(setImmediate)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

for (const patienceMs of [100, 300]) {
  test(`many cancels leave half of the turns to purchases, and purchases theirs to cancels (${patienceMs} ms)`, async (context) => {
    const { served, market } = await open(context)
    const cancel = { customId: 'c-1', orderId: '7', patienceMs }
    await Promise.all([
      flood(() => placeInTurn(market, PURCHASE, CONTEXT)),
      flood(() => market.cancel(cancel, CONTEXT)),
    ])
    const all = served.purchases + served.cancels
    assert.ok(all >= 10, JSON.stringify(served))
    assert.ok(served.purchases >= all / 3, JSON.stringify(served))
    // A cancel with less patience than purchases have leaves the turn to a worker's, which has more.
    if (patienceMs > 150) assert.ok(served.cancels >= all / 5, JSON.stringify(served))
  })
}
