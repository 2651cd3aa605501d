import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameAssets, readSentOffer, readTrade } from './offer.ts'

const OFFER = {
  tradeofferid: '7121000001',
  accountid_other: 4242,
  message: 'Sale abc',
  trade_offer_state: 2,
  items_to_receive: [{ appid: 730, contextid: '2', assetid: '41', classid: '1', amount: '1' }],
  is_our_offer: true,
  time_created: 1_790_000_000,
  time_updated: 1_790_000_060,
  confirmation_method: 0,
}
const stateOf = (changes: object) => readSentOffer({ ...OFFER, ...changes })?.snapshot

test('an offer says its state, its assets and when it changed', () => {
  assert.deepEqual(readSentOffer(OFFER), {
    snapshot: {
      offerId: '7121000001',
      state: 'active',
      canceledBy: null,
      tradeId: null,
      assets: [{ assetId: '41', contextId: '2' }],
      updatedAt: new Date(1_790_000_060_000),
    },
    message: 'Sale abc',
    gives: [],
  })
})

const states: [number, string][] = [
  [1, 'unknown'],
  [2, 'active'],
  [3, 'accepted'],
  [4, 'countered'],
  [5, 'expired'],
  [6, 'canceled'],
  [7, 'declined'],
  [8, 'invalid_items'],
  [9, 'needs_confirmation'],
  [10, 'canceled'],
  [11, 'in_escrow'],
  [12, 'unknown'],
  [99, 'unknown'],
]
for (const [number, state] of states) {
  test(`state ${number} is ${state}`, () => {
    assert.equal(stateOf({ trade_offer_state: number })?.state, state)
  })
}

test('who cancelled: we, or at the second factor the party that had to confirm', () => {
  assert.equal(stateOf({ trade_offer_state: 6 })?.canceledBy, 'us')
  assert.equal(stateOf({ trade_offer_state: 10, confirmation_method: 2 })?.canceledBy, 'us')
  assert.equal(stateOf({ trade_offer_state: 10, confirmation_method: 0 })?.canceledBy, 'them')
  assert.equal(stateOf({ trade_offer_state: 7 })?.canceledBy, null)
})

test('an offer that is not whole is not read: it comes whole in the next answer', () => {
  for (const changes of [
    { tradeofferid: null },
    { trade_offer_state: 'active' },
    { accountid_other: 0 },
    { items_to_receive: undefined },
    { items_to_receive: [] },
    { items_to_receive: [{ assetid: '41' }] },
    { items_to_receive: [{ assetid: '41', contextid: '7' }] },
    { items_to_receive: {} },
    { items_to_give: 'all' },
    { is_our_offer: false },
  ]) {
    assert.equal(readSentOffer({ ...OFFER, ...changes }), null, JSON.stringify(changes))
  }
  for (const row of [null, undefined, 7, 'x', [], {}]) assert.equal(readSentOffer(row), null)
})

test('assets are the same in any order, and not when one is missing, doubled or elsewhere', () => {
  const [a, b] = [
    { assetId: '1', contextId: '2' },
    { assetId: '2', contextId: '2' },
  ] as const
  assert.equal(isSameAssets([a, b], [b, a]), true)
  assert.equal(isSameAssets([a, b], [a]), false)
  assert.equal(isSameAssets([a, a], [a, b]), false)
  assert.equal(isSameAssets([a, b], [a, a]), false)
  assert.equal(isSameAssets([a], [{ ...a, contextId: '16' }]), false)
})

const TRADE = {
  tradeid: '798942565000000002',
  status: 3,
  time_settlement: 1_790_000_000,
  assets_received: [{ assetid: '41', contextid: '2', new_assetid: '48', new_contextid: '16' }],
}
const trade = (changes: object = {}) => readTrade({ ...TRADE, ...changes }, '798942565000000002')

test('a trade says what was received, under which new id, and when it settles', () => {
  assert.deepEqual(trade(), {
    tradeId: '798942565000000002',
    state: 'complete',
    rollbackTradeId: null,
    received: [{ assetId: '41', newAssetId: '48', newContextId: '16' }],
    settlesAt: new Date(1_790_000_000_000),
  })
})

const tradeStates: [number, string][] = [
  [0, 'pending'],
  [1, 'pending'],
  [2, 'pending'],
  [3, 'complete'],
  [4, 'failed'],
  [5, 'reverted'],
  [6, 'reverted'],
  [7, 'reverted'],
  [8, 'pending'],
  [9, 'pending'],
  [10, 'in_escrow'],
  [11, 'failed'],
  [12, 'reverted'],
  [13, 'pending'],
]
for (const [status, state] of tradeStates) {
  test(`trade status ${status} is ${state}`, () => assert.equal(trade({ status })?.state, state))
}

test('a trade with a rollback is reverted, whatever its status says', () => {
  const seen = trade({ rollback_trade: '815831063713552678' })
  assert.equal(seen?.state, 'reverted')
  assert.equal(seen?.rollbackTradeId, '815831063713552678')
})

test('of a complete trade every asset must be readable, or nothing is known of it', () => {
  for (const assets_received of [
    [{ assetid: '41' }],
    [{ assetid: '41', new_assetid: '48', new_contextid: '3' }],
    [...TRADE.assets_received, null],
    'many',
  ]) {
    assert.equal(trade({ assets_received }), null)
  }
  // That it was undone is worth knowing even so.
  assert.equal(trade({ status: 12, assets_received: [{}] })?.state, 'reverted')
})

test('another trade than the one asked for is not taken for it', () => {
  assert.equal(readTrade(TRADE, '798942565000000004'), null)
  for (const row of [null, 'x', [], {}]) assert.equal(readTrade(row, '1'), null)
})
