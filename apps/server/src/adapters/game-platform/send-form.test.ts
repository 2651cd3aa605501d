import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formOf, holdOf, messageOf, responseOf, rowsOf } from './send-form.ts'

const TAG = '0199d0a0-0000-7000-8000-000000000001'

test('the offer intent id stands in the message once, apart, however long the rest is', () => {
  assert.equal(messageOf({ offerIntentId: TAG, message: `Sale ${TAG}` }), `Sale ${TAG}`)
  assert.equal(messageOf({ offerIntentId: TAG, message: 'Sale' }), `Sale ${TAG}`)
  assert.equal(messageOf({ offerIntentId: TAG, message: '' }), TAG)
  // An offer intent id that only begins another id is not there.
  assert.equal(messageOf({ offerIntentId: TAG, message: `x${TAG}` }), `x${TAG} ${TAG}`)
  const long = messageOf({ offerIntentId: TAG, message: `${'🦊'.repeat(200)} ${TAG}` })
  assert.ok(long.length <= 128 && long.endsWith(` ${TAG}`) && long.isWellFormed())
})

test('the form names the partner by the 64-bit id, and every asset with its context', () => {
  const { form, referer } = formOf({
    offerIntentId: TAG,
    botId: 'bot',
    partner: 4242,
    token: 'ab&=_-12',
    take: [{ assetId: '41', contextId: '2' }],
    give: [],
    message: 'Sale',
  })
  assert.equal(form.partner, '76561197960269970')
  assert.equal(referer, '/tradeoffer/new/?partner=4242&token=ab%26%3D_-12')
  assert.deepEqual(JSON.parse(form.json_tradeoffer ?? ''), {
    newversion: true,
    version: 2,
    me: { assets: [], currency: [], ready: false },
    them: {
      assets: [{ appid: 730, contextid: '2', amount: 1, assetid: '41' }],
      currency: [],
      ready: false,
    },
  })
  assert.deepEqual(JSON.parse(form.trade_offer_create_params ?? ''), {
    trade_offer_access_token: 'ab&=_-12',
  })
})

const answer = (response: unknown, rest: object = {}) =>
  ({ kind: 'answer', status: 200, result: 1, body: { response }, ...rest }) as const

test('the longer hold is applied, and one of our own account is not the partner’s', () => {
  const side = (seconds: number) => ({ escrow_end_duration_seconds: seconds })
  const hold = (theirs: number, both: number, ours?: number) =>
    holdOf(
      answer({
        their_escrow: side(theirs),
        both_escrow: side(both),
        ...(ours === undefined ? {} : { my_escrow: side(ours) }),
      }),
    )
  assert.deepEqual(hold(0, 0, 0), { theirs: 0, ours: 0 })
  assert.deepEqual(hold(1_296_000, 0), { theirs: 1_296_000, ours: 0 })
  assert.deepEqual(hold(0, 1_296_000), { theirs: 1_296_000, ours: 0 })
  assert.deepEqual(hold(0, 604_800, 604_800), { theirs: 0, ours: 604_800 })
})

test('an answer without a number says nothing of a hold', () => {
  assert.equal(holdOf(answer({})), null)
  assert.equal(holdOf(answer({ their_escrow: { escrow_end_duration_seconds: 'x' } })), null)
  assert.equal(holdOf(answer({ my_escrow: { escrow_end_duration_seconds: 0 } })), null)
})

test('an answer counts only with status 200 and a good result', () => {
  assert.deepEqual(responseOf(answer({ a: 1 })), { a: 1 })
  assert.deepEqual(responseOf(answer({ a: 1 }, { result: null })), { a: 1 })
  assert.equal(responseOf(answer({ a: 1 }, { result: 2 })), null)
  assert.equal(responseOf(answer({ a: 1 }, { status: 500 })), null)
  assert.equal(responseOf(answer([])), null)
  assert.equal(responseOf({ kind: 'lost', detail: 'x' }), null)
  assert.deepEqual(rowsOf(answer({}), 'trades'), [])
  assert.equal(rowsOf(answer({ trades: 'x' }), 'trades'), null)
})
