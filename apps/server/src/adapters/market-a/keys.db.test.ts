// The market deletes a key for good that it sees six times in a second: the calls of all processes are
// counted for each of our keys, over one database.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTakePermit } from '#infra/database/call-permits'
import { createReserveSlot } from '#infra/database/call-slots'
import { systemClock as clock } from '#infra/process/clock'
import { testDatabase } from '#infra/testing/database'
import { CONTEXT, startSupplier } from '../shared/testing/supplier-server.ts'
import { createMarketA } from './index.ts'
import { CALL_WINDOW } from './settings.ts'

const ACCOUNTS = ['main', 'second', 'third', 'fourth']
const PROCESSES = 3
const CALLS_EACH = 8
const STALL_MS = 700

const database = await testDatabase({ poolSize: 8 })
after(() => database.close())

test('no key is seen six times in a second, with three processes and four accounts that call as much as they can', async (context) => {
  const seen = new Map<string, number[]>()
  let calls = 0
  const { adapter } = await startSupplier(context, ({ url = '' }, reply) => {
    const key = new URL(url, 'http://market').searchParams.get('key') ?? ''
    seen.set(key, [...(seen.get(key) ?? []), performance.now()])
    const answer = () => reply.end(JSON.stringify({ success: true, data: {} }))
    // A market that stalls lets what was spaced come together.
    if (calls++ % 9 === 0) setTimeout(answer, STALL_MS)
    else answer()
  })
  const markets = ACCOUNTS.flatMap((account) =>
    Array.from({ length: PROCESSES }, () => {
      const { market } = createMarketA({
        ...{ ...adapter, clock, account, apiKey: `key-of-${account}` },
        // The quickest that a setting allows.
        callSpacingMs: 200,
        lookUpPatienceMs: 60_000,
        reserveSlot: createReserveSlot({ db: database.db, clock }),
        takePermit: createTakePermit({ db: database.db, clock }),
      })
      return market
    }),
  )
  const query = { customId: 'c-1', orderId: null, offerSeen: false, acceptanceSeen: false }
  const asks = markets.flatMap((market) =>
    Array.from({ length: CALLS_EACH }, () => market.lookUp([query], CONTEXT)),
  )
  const answers = await Promise.all(asks)
  assert.ok(answers.every(({ kind }) => kind === 'read'))
  assert.equal(seen.size, ACCOUNTS.length)
  for (const [key, times] of seen) {
    assert.equal(times.length, PROCESSES * CALLS_EACH)
    for (const [i, time] of times.entries()) {
      const sixth = times[i + CALL_WINDOW.calls]
      if (sixth === undefined) break
      assert.ok(sixth - time >= CALL_WINDOW.ms, `${key}: six calls in ${sixth - time} ms`)
    }
  }
})
