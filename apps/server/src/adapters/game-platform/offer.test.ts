import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fields } from '../shared/reader.ts'
import { createConfirmations } from './confirmations.ts'
import { isSameAssets, lingersSince, readSentOffer, readTrade } from './offer.ts'
import { createOfferReader } from './offer-reader.ts'

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
  [2, 'complete'],
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

test('a trade that stays at 2 is complete with new ids in every row, and pending without', () => {
  const bare = { assetid: '42', contextid: '2' }
  assert.equal(trade({ status: 2 })?.state, 'complete')
  for (const assets_received of [undefined, [], [bare], [...TRADE.assets_received, bare]]) {
    assert.equal(trade({ status: 2, assets_received })?.state, 'pending')
  }
  assert.equal(trade({ status: 2, rollback_trade: '815831063713552678' })?.state, 'reverted')
})

test('only a trade that stays at 2 lingers, from its beginning on', () => {
  const time_init = 1_790_000_000
  assert.deepEqual(lingersSince({ ...TRADE, status: 2, time_init }), new Date(time_init * 1000))
  assert.equal(lingersSince({ ...TRADE, time_init }), null)
  assert.equal(lingersSince({ ...TRADE, status: 2 }), null)
})

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

test('an empty answer is an empty list only where the platform says that it succeeded', async () => {
  const bot = { platformId: '76561198000000001', identitySecret: '', refreshToken: '' }
  const clock = { now: () => new Date('2026-11-21T12:00:00Z') }
  const listed = async (result: number | null, response: Fields) => {
    const answer = { kind: 'answer', status: 200, result, body: { response } } as const
    const ask = async () => answer
    const unused = () => assert.fail('a list is asked for, and nothing else')
    const calls = { ask, get: unused, post: unused, tradePage: unused }
    const reader = createOfferReader({ calls, clock })
    return reader.sentSince(bot, clock.now(), { requestId: 'test' })
  }
  const none = { offers: [], isWhole: true }
  assert.deepEqual(await listed(1, {}), none)
  assert.equal(await listed(null, {}), null)
  assert.deepEqual(await listed(null, { next_cursor: 0 }), none)
  assert.deepEqual(await listed(null, { trade_offers_sent: [] }), none)
  assert.equal(await listed(1, { descriptions: [] }), null)
})

test('a list of confirmations that is none hides no foreign one', async () => {
  const bot = { platformId: '76561198000000001', identitySecret: '', refreshToken: '' }
  const clock = { now: () => new Date('2026-11-21T12:00:00Z') }
  const listed = async (status: number, body: Fields) => {
    const get = async () => ({ kind: 'answer', status, result: null, body }) as const
    const unused = () => assert.fail('the list is asked for, and nothing else')
    const calls = { ask: unused, get, post: unused, tradePage: unused }
    const confirmations = createConfirmations({ calls, clock })
    return confirmations.list(bot, { requestId: 'test' })
  }
  assert.deepEqual(await listed(200, { success: true, conf: [] }), [])
  assert.deepEqual(await listed(200, { success: true }), [])
  assert.equal(await listed(200, { success: true, conf: { 0: {} } }), null)
  assert.equal(await listed(500, { success: true, conf: [] }), null)
})
