import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { openGuard } from '#infra/testing/open-guard'
import { newId } from '#kernel/id'
import { mills } from '#kernel/money'
import { openTurn, orderUpdate, scriptedSupplier } from '../buying/testing/supplier.ts'
import { createCallLog, withCallLog } from './record-calls.ts'
import { listCalls } from './store/calls.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))

function observed() {
  const supplier = scriptedSupplier()
  const log = createCallLog({ db: database.db })
  const market = withCallLog(supplier, { log, clock })
  const customId = newId()
  return {
    supplier,
    customId,
    place: () =>
      market.place(
        {
          customId,
          rawListingId: '5',
          marketHashName: 'AK-47 | Redline (Field-Tested)',
          ceilingMills: mills(1000n),
          partner: 7,
          token: 'sesame00',
        },
        { requestId: 'r-1', guard: openGuard, turn: openTurn },
      ),
    look: () =>
      market.lookUp([{ customId, orderId: null, offerSeen: false, acceptanceSeen: false }], {
        requestId: 'r-1',
      }),
    calls: async () => {
      await log.flush()
      return listCalls(database.db, [customId])
    },
  }
}

describe('the log of calls to suppliers', () => {
  it('keeps a purchase with its answer, its time and the request it came from', async () => {
    const { place, calls } = observed()
    assert.equal((await place()).kind, 'accepted')
    const [call] = await calls()
    assert.deepEqual(
      [call?.operation, call?.outcome, call?.requestId, call?.market, call?.startedAt],
      ['place', 'accepted', 'r-1', 'market_b', clock.now()],
    )
    assert.deepEqual(call?.answer, {
      asked: { rawListingId: '5', ceilingMills: '1000', partner: 7 },
      orderId: '4711',
      paidMills: '1000',
    })
  })

  it('never keeps the token of a trade URL, nor a key that a supplier echoes', async () => {
    const { supplier, place, calls } = observed()
    supplier.answers.push({ kind: 'unknown', detail: 'GET /buy?key=k-123&token=sesame00 was cut' })
    await place()
    const kept = JSON.stringify(await calls())
    assert.ok(!kept.includes('sesame00') && !kept.includes('k-123'), kept)
  })

  it('keeps nothing of a call that was not made: our own pace is no answer', async () => {
    const { supplier, place, look, calls } = observed()
    const withheld = { detail: 'no turn', retryAfterMs: 1000, withheld: 'pace' } as const
    supplier.answers.push({ kind: 'not-sent', ...withheld })
    supplier.lookUp = async () => ({ kind: 'unavailable', ...withheld })
    await place()
    await look()
    assert.deepEqual(await calls(), [])
    supplier.answers.push({ kind: 'not-sent', detail: 'refused', retryAfterMs: 1000 })
    await place()
    assert.deepEqual(
      (await calls()).map(({ outcome }) => outcome),
      ['not-sent'],
    )
  })

  it('keeps a look-up only when it says something new', async () => {
    const { supplier, customId, look, calls } = observed()
    await look()
    await look()
    supplier.orders.set(customId, orderUpdate('pending'))
    await look()
    await look()
    supplier.orders.set(customId, orderUpdate('active', { offerId: '9' }))
    await look()
    supplier.online = false
    await look()
    assert.deepEqual(
      (await calls()).map(({ outcome }) => outcome),
      ['absent', 'pending', 'active', 'unavailable'],
    )
  })

  it('keeps a look-up of several orders under the request of each', async () => {
    const log = createCallLog({ db: database.db })
    const market = withCallLog(scriptedSupplier(), { log, clock })
    const seen = { orderId: null, offerSeen: false, acceptanceSeen: false }
    const [one, other, unknown] = [newId(), newId(), newId()]
    await market.lookUp(
      [
        { ...seen, customId: one, requestId: 'r-1' },
        { ...seen, customId: other, requestId: 'r-2' },
        { ...seen, customId: unknown },
      ],
      { requestId: 'r-1' },
    )
    await log.flush()
    const calls = await listCalls(database.db, [one, other, unknown])
    assert.deepEqual(
      calls.map(({ customId, requestId }) => [customId, requestId]),
      [
        [one, 'r-1'],
        [other, 'r-2'],
        [unknown, 'r-1'],
      ],
    )
  })

  it('that cannot be written says what was lost and delays no other', async () => {
    let lost = 0
    const db = { ...database.db, query: () => Promise.reject(new Error('away')) }
    const log = createCallLog({ db, onLost: (_error, calls) => (lost += calls) })
    const market = withCallLog(scriptedSupplier(), { log, clock })
    await market.lookUp(
      [{ customId: 'c', orderId: null, offerSeen: false, acceptanceSeen: false }],
      { requestId: 'r' },
    )
    await log.flush()
    assert.equal(lost, 1)
  })
})
