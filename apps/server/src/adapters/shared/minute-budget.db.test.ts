import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createReserveSlot } from '#infra/database/call-slots'
import { manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { createMinuteBudget } from './minute-budget.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const PER_MINUTE = 60
const at = () => {
  const clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  const budgetOf = (name: string) =>
    createMinuteBudget(name, {
      callsPerMinute: PER_MINUTE,
      reserveSlot: createReserveSlot({ db: database.db, clock }),
    })
  return { clock, budgetOf }
}

describe('a budget of calls in a minute', () => {
  it('is never exceeded in any sixty seconds, by two processes that take all they can', async () => {
    const { clock, budgetOf } = at()
    const processes = [budgetOf('greedy'), budgetOf('greedy')]
    const taken: number[] = []
    for (let second = 0; second < 200; second++) {
      for (const budget of processes) {
        while (await budget.take(0)) taken.push(second)
      }
      clock.advance(1000)
    }
    const mostIn = (from: number): number =>
      taken.filter((second) => second >= from && second < from + 60).length
    const most = Math.max(...Array.from({ length: 140 }, (_, from) => mostIn(from)))
    assert.ok(most <= PER_MINUTE, `${most} in a minute`)
    assert.ok(taken.length > (200 / 60) * PER_MINUTE * 0.7, 'and most of it can be used')
  })

  it('hands out turns ahead for those who have the patience, and no further', async () => {
    const { clock, budgetOf } = at()
    const budget = budgetOf('patient')
    while (await budget.take(0)) assert.ok(true)
    assert.equal(await budget.take(budget.spacingMs - 1), null)
    clock.advance(budget.spacingMs)
    assert.ok(await budget.take(0))
  })

  it('lets no caller go that was stopped while waiting for a turn', async () => {
    const { budgetOf } = at()
    const budget = budgetOf('stopping')
    while (await budget.take(0)) assert.ok(true)
    const stopping = new AbortController()
    const turn = budget.take(60_000, stopping.signal)
    stopping.abort()
    assert.equal(await turn, null)
  })

  it('of zero calls is none', async () => {
    const budget = createMinuteBudget('none', {
      callsPerMinute: 0,
      reserveSlot: () => Promise.reject(new Error('is not asked')),
    })
    assert.ok(await budget.take(0))
  })
})
