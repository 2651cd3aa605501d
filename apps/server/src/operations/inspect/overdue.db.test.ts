import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { givenTrade } from '../../modules/trading/buying/testing/buyers.ts'
import { listOverdue } from '../index.ts'
import { givenStuckTrades } from '../testing/stuck-trades.ts'

const MINUTE = 60_000

let database: TestDatabase
let clock: ManualClock
before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(() => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
})

const buyOne = async (): Promise<string> => (await givenTrade({ db: database.db, clock })).tradeId

/** No worker dispatches events here. */
const kinds = async () =>
  (await listOverdue({ db: database.db, clock }))
    .filter(({ kind }) => kind !== 'events to dispatch')
    .map(({ kind, rows, count }) => ({
      ...{ kind, count },
      trades: rows.map(({ leadsTo }) => leadsTo),
    }))

describe('what waits longer than it should', () => {
  it('is listed by kind, the oldest first, and nothing that is in time', async () => {
    const first = await buyOne()
    clock.advance(2 * MINUTE)
    const second = await buyOne()
    assert.deepEqual(await kinds(), [])
    clock.advance(8 * MINUTE + 1)
    const places = { kind: 'place market_b', count: 2, trades: [first, second] }
    assert.deepEqual(await kinds(), [places], 'a look that is five minutes late counts as well')
    const { db } = database
    const stuck = await givenStuckTrades({ db, clock })
    clock.advance(6 * MINUTE)
    const followed = (await kinds()).find(({ kind }) => kind === 'follow market_b')
    for (const why of ['its seller does not send', 'the answer was lost']) {
      const { tradeId } = stuck.find((one) => one.why === why) ?? assert.fail(why)
      assert.ok(followed?.trades.includes(tradeId), why)
    }
  })

  it('is an event that is not dispatched for a minute', async () => {
    await buyOne()
    const of = async () =>
      (await listOverdue({ db: database.db, clock })).some(
        ({ kind }) => kind === 'events to dispatch',
      )
    clock.advance(MINUTE)
    assert.equal(await of(), false)
    clock.advance(1)
    assert.equal(await of(), true)
  })
})
