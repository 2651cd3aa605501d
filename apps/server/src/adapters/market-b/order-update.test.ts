import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrderQuery, OrderUpdate } from '#ports/buying'
import { chooseRow, readOrder, readTradeRow, type TradeRow } from './order-update.ts'

/** A row as it was recorded from the market. */
const ROW = {
  id: 30717201,
  name: 'Galil AR | Sandstorm (Field-Tested)',
  status: 4,
  project_id: 'o-1',
  custom_id: '5f0f2e0e-2f7c-4d2b-9a53-0f7e4b6c9a11',
  trade_id: '9393511289',
  done: false,
  reason: null,
  release_date: null,
  is_released: false,
  price: 6,
  send_until: '1790636153',
  last_updated: '1790634353',
}
const NOTHING_SEEN: OrderQuery = {
  customId: 'o-1',
  orderId: null,
  offerSeen: false,
  acceptanceSeen: false,
}
const OFFER_SEEN = { ...NOTHING_SEEN, offerSeen: true }
const ACCEPTANCE_SEEN = { ...OFFER_SEEN, acceptanceSeen: true }
const RELEASE = '2026-10-05T12:00:00.000Z'

const row = (changes: object): TradeRow => {
  const read = readTradeRow({ ...ROW, ...changes })
  assert.ok(read)
  return read
}
const read = (
  changes: object,
  query = NOTHING_SEEN,
  penalties: 'hold' | 'believe' = 'believe',
): OrderUpdate => readOrder(row(changes), query, { isAmbiguous: false, penalties })

const PROGRESS: readonly (readonly [string, object, OrderQuery, OrderUpdate['state']])[] = [
  ['0, bought', { status: 0, trade_id: null }, NOTHING_SEEN, 'pending'],
  ['1, processing', { status: '1' }, NOTHING_SEEN, 'pending'],
  ['2, the seller confirms', { status: 2 }, NOTHING_SEEN, 'pending'],
  ['4, offer sent', { status: 4 }, NOTHING_SEEN, 'active'],
  ['4 with a release date', { status: 4, release_date: RELEASE }, NOTHING_SEEN, 'hold'],
  ['5', { status: 5, release_date: RELEASE }, ACCEPTANCE_SEEN, 'completed'],
  ['4 and released', { is_released: true, release_date: RELEASE }, ACCEPTANCE_SEEN, 'completed'],
  ['an unlisted status', { status: 3 }, NOTHING_SEEN, 'pending'],
  ['an unlisted status after the offer', { status: 9 }, OFFER_SEEN, 'active'],
  ['an unlisted status after acceptance', { status: 9 }, ACCEPTANCE_SEEN, 'hold'],
]
for (const [what, changes, query, state] of PROGRESS) {
  test(`status ${what}: ${state}`, () => {
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
const failed = (failure: OrderUpdate['failure'], review = false): End => [
  'failed',
  failure,
  null,
  review,
]
const declined: End = ['declined', 'OFFER_NOT_ACCEPTED', null, false]
const ENDS: readonly (readonly [object, OrderQuery, End])[] = [
  [{ reason: 'Buyer failed to accept' }, OFFER_SEEN, declined],
  [{ reason: 'Buyer failed to accept' }, NOTHING_SEEN, declined],
  [{ reason: 'declined' }, OFFER_SEEN, declined],
  [{ reason: 'Invalid tradelink' }, NOTHING_SEEN, failed('TRADE_URL_INVALID')],
  [{ reason: 'invalid buyer tradelink' }, NOTHING_SEEN, failed('TRADE_URL_INVALID')],
  [
    { reason: "We couldn't validate your trade link, sorry" },
    NOTHING_SEEN,
    failed('TRADE_URL_INVALID'),
  ],
  [
    { reason: 'Item price has increased or item is no longer available' },
    NOTHING_SEEN,
    failed('LISTING_UNAVAILABLE'),
  ],
  [{ reason: 'Seller failed to accept' }, OFFER_SEEN, failed('PURCHASE_FAILED')],
  [{ reason: 'seller failed to send' }, NOTHING_SEEN, failed('PURCHASE_FAILED')],
  [{ reason: null }, NOTHING_SEEN, failed('PURCHASE_FAILED', true)],
  [{ reason: 'Something new' }, OFFER_SEEN, failed('PURCHASE_FAILED', true)],
  [{ penalties: { buyer: 30 } }, ACCEPTANCE_SEEN, ['reverted', null, 'user', false]],
  // What is not the buyer's for certain is refunded in full, and a person looks.
  [{ penalties: { buyer: 30 } }, NOTHING_SEEN, failed('PURCHASE_FAILED', true)],
  [
    { penalties: { buyer: 30 }, release_date: RELEASE },
    OFFER_SEEN,
    ['reverted', null, 'user', false],
  ],
  [{ penalties: { buyer: 30, seller: 0 } }, ACCEPTANCE_SEEN, ['reverted', null, 'user', false]],
  [{ penalties: { seller: 30 } }, ACCEPTANCE_SEEN, ['reverted', null, 'supplier', false]],
  [{ penalties: { buyer: 5, seller: 30 } }, ACCEPTANCE_SEEN, ['reverted', null, 'supplier', true]],
  [{ penalties: { buyer: true } }, ACCEPTANCE_SEEN, ['reverted', null, 'supplier', true]],
  [{ penalties: { buyer: -30 } }, ACCEPTANCE_SEEN, ['reverted', null, 'supplier', true]],
  [{ penalties: { amount: 30 } }, ACCEPTANCE_SEEN, ['reverted', null, 'supplier', true]],
  [{ penalties: [30] }, ACCEPTANCE_SEEN, ['reverted', null, 'supplier', true]],
  [{ penalties: 'buyer' }, ACCEPTANCE_SEEN, ['reverted', null, 'supplier', true]],
  [
    { penalties: 30, reason: 'declined' },
    OFFER_SEEN,
    ['declined', 'OFFER_NOT_ACCEPTED', null, true],
  ],
  [{ penalties: 0, reason: 'declined' }, OFFER_SEEN, declined],
  [{ penalties: false, reason: 'declined' }, OFFER_SEEN, declined],
  [{ penalties: [], reason: 'declined' }, OFFER_SEEN, declined],
  [{ release_date: RELEASE }, NOTHING_SEEN, ['reverted', null, 'supplier', false]],
  [{ reason: 'Reverted' }, ACCEPTANCE_SEEN, ['reverted', null, 'supplier', false]],
  [{ reason: 'declined' }, ACCEPTANCE_SEEN, ['reverted', null, 'supplier', true]],
]
for (const [changes, query, expected] of ENDS) {
  const seen = query.acceptanceSeen ? 'acceptance' : query.offerSeen ? 'the offer' : 'nothing'
  test(`status 6 with ${JSON.stringify(changes)} after ${seen}: ${expected[0]} ${expected[1] ?? ''}`, () => {
    const update = read({ status: 6, ...changes }, query)
    assert.deepEqual([update.state, update.failure, update.revertedBy, update.review], expected)
  })
}

const FORMS_THAT_NAME_THE_BUYER: readonly unknown[] = [
  { buyer: 30 },
  { buyer: '30' },
  { buyer: 30, seller: 0 },
  { buyer: 5, seller: 30 },
  { buyer: true },
  { buyer: -30 },
  [{ party: 'buyer', amount: 30 }],
  'Buyer',
]
for (const penalties of FORMS_THAT_NAME_THE_BUYER) {
  test(`penalties ${JSON.stringify(penalties)} of an accepted trade decide nothing where they are not believed`, () => {
    for (const changes of [{ penalties }, { penalties, release_date: RELEASE }]) {
      const query = 'release_date' in changes ? OFFER_SEEN : ACCEPTANCE_SEEN
      const update = read({ status: 6, ...changes }, query, 'hold')
      const { state, failure, revertedBy, review } = update
      assert.deepEqual([state, failure, revertedBy, review], ['contested', null, null, false])
      assert.deepEqual(JSON.parse(update.detail ?? '').penalties, penalties, 'the whole row')
    }
  })
}

test('penalties that do not name the buyer, or of a trade that was never accepted, end as before', () => {
  const ends = [
    ...[{ seller: 30 }, { buyer: 0, seller: 30 }, { buyer: 0 }, 30, [30], [], null].map(
      (penalties) => [{ penalties }, ACCEPTANCE_SEEN] as const,
    ),
    [{ penalties: { buyer: 30 }, reason: 'declined' }, OFFER_SEEN] as const,
    [{ penalties: { buyer: 30 } }, NOTHING_SEEN] as const,
  ]
  for (const [changes, query] of ends) {
    const update = read({ status: 6, ...changes }, query, 'hold')
    assert.deepEqual(update, read({ status: 6, ...changes }, query, 'believe'))
    assert.notEqual(update.revertedBy, 'user')
  }
})

test('a row is kept as the database takes it, however long and whatever is in it', () => {
  const changes = { status: 6, penalties: { buyer: 1 }, seller_name: `\0\ud800${'x'.repeat(9000)}` }
  const { detail } = read(changes, ACCEPTANCE_SEEN, 'hold')
  assert.equal(detail?.length, 4000)
  assert.ok(detail.isWellFormed() && !detail.includes('\0'))
})

test('price, offer and supplier words are carried', () => {
  const update = read({ status: 6, reason: 'declined', price: '6' })
  assert.deepEqual(
    [update.orderId, update.paidMills, update.offerId, update.detail],
    ['30717201', 6n, '9393511289', 'status 6: declined'],
  )
})

test('the id that the purchase was answered with chooses the row, whatever else is listed', () => {
  const rows = [row({ id: 1, status: 6 }), row({ id: 2, status: 0 }), row({ id: 3, status: 6 })]
  const chosen = chooseRow(rows, { ...NOTHING_SEEN, orderId: '3' })
  assert.deepEqual([chosen?.row.orderId, chosen?.isAmbiguous], ['3', false])
  assert.equal(chooseRow(rows, { ...NOTHING_SEEN, orderId: '4' }), null)
})

test('without a known id an ended row proves nothing', () => {
  assert.equal(chooseRow([row({ id: 1, status: 6 })], NOTHING_SEEN), null)
  const chosen = chooseRow([row({ id: 1, status: 6 }), row({ id: 2, status: 2 })], NOTHING_SEEN)
  assert.deepEqual([chosen?.row.orderId, chosen?.isAmbiguous], ['2', false])
})

test('two live rows under one project id are for an operator to look at', () => {
  const rows = [row({ id: 1, status: 0 }), row({ id: 2, status: 4 })]
  assert.equal(chooseRow(rows, NOTHING_SEEN)?.isAmbiguous, true)
})

test('rows of other project ids are none of ours', () => {
  assert.equal(chooseRow([row({ project_id: 'o-2', status: 0 })], NOTHING_SEEN), null)
})

test('a row that is no trade is unreadable', () => {
  for (const value of [null, [], {}, { id: 0, status: 1 }, { id: 5, status: 'x' }]) {
    assert.equal(readTradeRow(value), null)
  }
})
