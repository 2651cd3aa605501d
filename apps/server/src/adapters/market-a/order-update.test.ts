import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrderQuery, OrderUpdate } from '#ports/buying'
import { readOrder } from './order-update.ts'

/** A row as it was recorded from the market. */
const ROW = {
  item_id: '11451620303',
  time: '1788535172',
  settlement: '0',
  send_until: '1788535472',
  receive_until: '0',
  stage: '1',
  causer: null,
  cancellation_reason: null,
  paid: 0.54,
  currency: 'USD',
  for: '1299088345',
  trade_id: 0,
  bot_id: null,
  assetid: '53523211386',
}
const NOTHING_SEEN: OrderQuery = {
  customId: 'c-1',
  orderId: null,
  offerSeen: false,
  acceptanceSeen: false,
}
const OFFER_SEEN = { ...NOTHING_SEEN, offerSeen: true }
const ACCEPTANCE_SEEN = { ...OFFER_SEEN, acceptanceSeen: true }

const read = (changes: object, query = NOTHING_SEEN): OrderUpdate => {
  const update = readOrder({ ...ROW, ...changes }, query)
  assert.ok(update)
  return update
}

const PROGRESS: readonly (readonly [string, object, OrderQuery, OrderUpdate['state']])[] = [
  ['the seller has to send', {}, NOTHING_SEEN, 'pending'],
  ['numbers as numbers', { stage: 1, settlement: 0, receive_until: 0 }, NOTHING_SEEN, 'pending'],
  ['no trade as null', { trade_id: null }, NOTHING_SEEN, 'pending'],
  ['no trade as "0"', { trade_id: '0' }, NOTHING_SEEN, 'pending'],
  ['the offer is sent', { trade_id: '77', receive_until: 1788535256 }, NOTHING_SEEN, 'active'],
  ['an offer id alone', { trade_id: 77 }, NOTHING_SEEN, 'active'],
  [
    'accepted, trade id back to 0',
    { settlement: '1789142400', receive_until: '1' },
    OFFER_SEEN,
    'hold',
  ],
  ['accepted, never seen before', { settlement: 1789142400 }, NOTHING_SEEN, 'hold'],
  ['final', { stage: '2', settlement: '1789142400' }, ACCEPTANCE_SEEN, 'completed'],
  ['final, nothing seen before', { stage: 2 }, NOTHING_SEEN, 'completed'],
  ['an unlisted stage', { stage: '3' }, NOTHING_SEEN, 'pending'],
  ['an unlisted stage after the offer', { stage: 4 }, OFFER_SEEN, 'active'],
  ['an unlisted stage after acceptance', { stage: 6 }, ACCEPTANCE_SEEN, 'hold'],
  ['a trade id that vanished', {}, OFFER_SEEN, 'active'],
]
for (const [what, changes, query, state] of PROGRESS) {
  test(`${what}: ${state}`, () => {
    const update = read(changes, query)
    assert.deepEqual(
      [update.state, update.failure, update.revertedBy, update.review],
      [state, null, null, false],
    )
  })
}

type End = readonly [
  OrderUpdate['state'],
  OrderUpdate['failure'],
  OrderUpdate['revertedBy'],
  boolean,
]
const ENDS: readonly (readonly [string, string | null, OrderQuery, End])[] = [
  ['never a trade, no party named', null, NOTHING_SEEN, ['failed', 'PURCHASE_FAILED', null, false]],
  ['never a trade, seller', 'seller', NOTHING_SEEN, ['failed', 'PURCHASE_FAILED', null, false]],
  [
    'never a trade, yet the buyer',
    'buyer',
    NOTHING_SEEN,
    ['failed', 'PURCHASE_FAILED', null, true],
  ],
  [
    'never a trade, another party',
    'admin',
    NOTHING_SEEN,
    ['failed', 'PURCHASE_FAILED', null, true],
  ],
  ['had a trade, buyer', 'buyer', OFFER_SEEN, ['declined', 'OFFER_NOT_ACCEPTED', null, false]],
  ['had a trade, seller', 'seller', OFFER_SEEN, ['failed', 'PURCHASE_FAILED', null, false]],
  ['had a trade, no party named', null, OFFER_SEEN, ['failed', 'PURCHASE_FAILED', null, true]],
  ['accepted, buyer', 'buyer', ACCEPTANCE_SEEN, ['reverted', null, 'user', false]],
  ['accepted, seller', 'seller', ACCEPTANCE_SEEN, ['reverted', null, 'supplier', false]],
  ['accepted, no party named', null, ACCEPTANCE_SEEN, ['reverted', null, 'supplier', true]],
]
for (const [what, causer, query, expected] of ENDS) {
  test(`stage 5, ${what}: ${expected[0]}`, () => {
    const update = read({ stage: '5', causer, refund: false }, query)
    assert.deepEqual([update.state, update.failure, update.revertedBy, update.review], expected)
  })
}

test('stage 5 that kept its settlement is a reversal even if we never saw the acceptance', () => {
  const update = read({ stage: 5, causer: 'seller', settlement: 1789142400 })
  assert.deepEqual([update.state, update.revertedBy], ['reverted', 'supplier'])
})

const KEPT = { seller: { amount: 0.1, currency: 'USD', refund_id: '7' }, market: { amount: 0.05 } }
const UNSEEN_REVERSALS: readonly (readonly [string, object, End])[] = [
  ['a part was kept', { causer: 'buyer', refund: KEPT }, ['reverted', null, 'user', true]],
  [
    'the reason names it',
    { causer: 'buyer', cancellation_reason: 'Trade was reversed' },
    ['reverted', null, 'user', true],
  ],
  [
    'the seller’s fault',
    { causer: 'seller', refund: false, cancellation_reason: 'Trade was reversed' },
    ['reverted', null, 'supplier', false],
  ],
  [
    'no party’s fault',
    { causer: null, cancellation_reason: 'trade rolled back' },
    ['reverted', null, 'supplier', true],
  ],
]
for (const [what, changes, expected] of UNSEEN_REVERSALS) {
  test(`stage 5 of a delivery that was not seen accepted, ${what}: reverted`, () => {
    const update = read({ stage: 5, ...changes }, OFFER_SEEN)
    assert.deepEqual([update.state, update.failure, update.revertedBy, update.review], expected)
  })
}

test('paid is exact to the mill and only in dollars', () => {
  assert.equal(read({ paid: 0.54 }).paidMills, 540n)
  assert.equal(read({ paid: '1234.567' }).paidMills, 1_234_567n)
  assert.equal(read({ paid: 0.1 + 0.2 }).paidMills, null)
  assert.equal(read({ paid: 0.54, currency: 'RUB' }).paidMills, null)
  assert.equal(read({ paid: null }).paidMills, null)
})

test('the offer id is the trade id, as text', () => {
  assert.equal(read({ trade_id: 9393511289 }).offerId, '9393511289')
  assert.equal(read({ trade_id: '0' }).offerId, null)
})

test('another order under our custom id is for an operator to look at', () => {
  assert.equal(read({}, { ...NOTHING_SEEN, orderId: '11451620303' }).review, false)
  assert.equal(read({}, { ...NOTHING_SEEN, orderId: '5' }).review, true)
})

test('a row that is no order says nothing', () => {
  for (const row of [null, false, [], 'x', {}, { item_id: '5' }, { item_id: 0, stage: 1 }]) {
    assert.equal(readOrder(row, NOTHING_SEEN), null)
  }
})
