import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cents } from '#kernel/money'
import { declinePenalty, isTerminal, penaltyOf, STATUSES, type Status, TRANSITIONS } from '#trades'
import { stepsFor } from './item.ts'
import type { OrderUpdate } from './ports.ts'

const UPDATE_STATES = [
  'pending',
  'active',
  'hold',
  'completed',
  'failed',
  'declined',
  'canceled',
  'reverted',
  'contested',
] as const

const update = (
  state: OrderUpdate['state'],
  overrides: Partial<OrderUpdate> = {},
): OrderUpdate => ({
  orderId: '1',
  state,
  paidMills: null,
  offerId: null,
  failure:
    state === 'failed' ? 'PURCHASE_FAILED' : state === 'declined' ? 'OFFER_NOT_ACCEPTED' : null,
  revertedBy: state === 'reverted' ? 'supplier' : null,
  detail: null,
  review: false,
  ...overrides,
})
const item = (status: Status) => ({ status, price: cents(1000n), isContested: false })
const path = (status: Status, state: OrderUpdate['state']): string =>
  [status, ...stepsFor(item(status), update(state)).map((step) => step.to)].join(' ')

describe('the steps that a supplier’s update means', () => {
  const table: readonly [Status, OrderUpdate['state'], string][] = [
    ['initiated', 'pending', 'initiated pending'],
    ['initiated', 'active', 'initiated pending active'],
    ['initiated', 'hold', 'initiated pending active hold'],
    ['initiated', 'completed', 'initiated pending active hold'],
    ['initiated', 'failed', 'initiated failed'],
    ['initiated', 'declined', 'initiated pending active declined'],
    ['initiated', 'reverted', 'initiated pending active hold reverted'],
    ['initiated', 'contested', 'initiated pending active hold'],
    ['pending', 'pending', 'pending'],
    ['pending', 'active', 'pending active'],
    ['pending', 'hold', 'pending active hold'],
    ['pending', 'failed', 'pending failed'],
    ['pending', 'canceled', 'pending canceled'],
    ['pending', 'declined', 'pending active declined'],
    ['active', 'pending', 'active'],
    ['active', 'hold', 'active hold'],
    ['active', 'declined', 'active declined'],
    ['active', 'failed', 'active failed'],
    ['active', 'canceled', 'active canceled'],
    ['hold', 'pending', 'hold'],
    ['hold', 'active', 'hold'],
    ['hold', 'hold', 'hold'],
    ['hold', 'completed', 'hold'],
    ['hold', 'reverted', 'hold reverted'],
    ['hold', 'contested', 'hold'],
    ['hold', 'failed', 'hold reverted'],
    ['hold', 'declined', 'hold reverted'],
    ['hold', 'canceled', 'hold reverted'],
  ]
  for (const [from, state, expected] of table) {
    it(`${from}, updated to ${state}, goes ${expected}`, () =>
      assert.equal(path(from, state), expected))
  }

  it('an item that was contested goes to its hold and no further, whatever the update', () => {
    for (const state of UPDATE_STATES) {
      for (const status of ['initiated', 'pending', 'active', 'hold'] as const) {
        const steps = stepsFor({ ...item(status), isContested: true }, update(state))
        assert.equal(steps.at(-1)?.to ?? status, 'hold')
      }
    }
  })

  it('a terminal item takes no step, whatever the update', () => {
    for (const status of STATUSES.filter(isTerminal)) {
      for (const state of UPDATE_STATES) assert.deepEqual(stepsFor(item(status), update(state)), [])
    }
  })

  it('every step taken is in the table of steps and leads forward, over any sequence of updates', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...UPDATE_STATES), { maxLength: 12 }), (updates) => {
        let at: Status = 'initiated'
        for (const state of updates) {
          for (const step of stepsFor(item(at), update(state))) {
            assert.equal(step.from, at)
            assert.ok(step.to in TRANSITIONS.buy[step.from], `${step.from} to ${step.to}`)
            assert.ok(STATUSES.indexOf(step.to) > STATUSES.indexOf(step.from))
            at = step.to
          }
        }
      }),
    )
  })

  it('an update of the user’s reversal costs the buyer the whole price', () => {
    const [step] = stepsFor(item('hold'), update('reverted', { revertedBy: 'user' }))
    assert.equal(step && penaltyOf(step, cents(1000n)), 1000n)
  })

  it('an offer learnt late is kept with the first step that follows', () => {
    const [step] = stepsFor(item('pending'), update('active', { offerId: '77' }))
    assert.equal(step?.offerId, '77')
  })
})

describe('the penalty of a decline', () => {
  const table: readonly [bigint, bigint][] = [
    [1n, 0n],
    [24n, 0n],
    [25n, 1n],
    [74n, 1n],
    [75n, 2n],
    [100n, 2n],
    [12_345n, 247n],
  ]
  for (const [price, penalty] of table) {
    it(`of ${price} cents is ${penalty}`, () => assert.equal(declinePenalty(cents(price)), penalty))
  }

  it('never exceeds the price', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 11n }), (price) => {
        const penalty = declinePenalty(cents(price))
        assert.ok(penalty >= 0n && penalty <= price)
      }),
    )
  })
})
