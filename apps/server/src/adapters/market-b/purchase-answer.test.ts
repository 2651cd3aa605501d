import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureCode } from '#ports/buying'
import { accountRefusal, type RawAnswer, readPurchaseAnswer } from './purchase-answer.ts'

const raw = (body: unknown, changes: Partial<RawAnswer> = {}): RawAnswer => ({
  status: 200,
  headers: {},
  text: typeof body === 'string' ? body : JSON.stringify(body),
  body: typeof body === 'string' ? undefined : body,
  ...changes,
})
const say = (msg: string, more: object = {}) => raw({ success: false, msg, ...more })

const REFUSALS: readonly (readonly [string, FailureCode, boolean])[] = [
  ['Price changed', 'PRICE_CHANGED', false],
  ['Item sold', 'LISTING_UNAVAILABLE', false],
  ['noFunds', 'MARKET_UNAVAILABLE', true],
  ['not enough balance', 'MARKET_UNAVAILABLE', true],
  ['buy_csgo', 'MARKET_UNAVAILABLE', true],
  ['wrong api', 'MARKET_UNAVAILABLE', true],
  ['Invalid tradelink', 'TRADE_URL_INVALID', false],
  ['invalid buyer tradelink', 'TRADE_URL_INVALID', false],
  [
    "We couldn't validate your trade link, either your inventory is private or you can't trade",
    'TRADE_URL_INVALID',
    false,
  ],
  ['We couldn’t validate your trade link, try later', 'TRADE_URL_INVALID', false],
  ["You're banned for not accepting trades", 'BUYER_TRADE_RESTRICTED', false],
  ['User has VACBAN or Game Ban', 'STEAM_ACCOUNT_RESTRICTED', false],
]
for (const [msg, code, alarm] of REFUSALS) {
  test(`"${msg}" is a certain refusal: ${code}`, () => {
    const answer = readPurchaseAnswer(say(msg))
    assert.equal(answer.kind, 'refused')
    assert.ok(answer.kind === 'refused')
    assert.equal(answer.code, code)
    assert.equal(answer.alarm === true, alarm)
  })
}

test('only a lack of money and a bad key say something of our account', () => {
  const said = REFUSALS.flatMap(([msg]) => {
    const answer = readPurchaseAnswer(say(msg))
    return answer.kind === 'refused' && answer.account ? [[msg, answer.account]] : []
  })
  assert.deepEqual(said, [
    ['noFunds', 'no_funds'],
    ['not enough balance', 'no_funds'],
    ['wrong api', 'forbidden'],
  ])
})

test('a changed price is reported with the current price', () => {
  const answer = readPurchaseAnswer(say('Price changed', { new_price: 1234 }))
  assert.equal(answer.kind === 'refused' && answer.detail, 'Price changed (now 1234)')
})

test('a purchase from an address that is not whitelisted was never seen: it is tried again, in both forms', () => {
  const text = 'You need to whitelist your IP'
  for (const answer of [
    raw(text, { status: 403 }),
    raw({ success: false, msg: text }, { status: 403 }),
  ]) {
    assert.deepEqual(readPurchaseAnswer(answer), {
      ...{ kind: 'not-sent', detail: text, retryAfterMs: 60_000, account: 'forbidden' },
    })
    assert.equal(accountRefusal(answer), text)
  }
})

test('a plain-text 403 is a gate that forbids us: nothing was bought, and the account is refused', () => {
  for (const text of ['Forbidden', 'Access denied by rule 7', '']) {
    const forbidden = raw(text, { status: 403 })
    assert.equal(readPurchaseAnswer(forbidden).kind, 'not-sent', text)
    assert.match(accountRefusal(forbidden) ?? '', /^forbidden/)
  }
  for (const answer of [
    raw('<html>403</html>', { status: 403 }),
    say('Item sold'),
    raw('', { status: 502 }),
  ]) {
    assert.equal(accountRefusal(answer), null)
  }
})

const UNKNOWN: readonly (readonly [string, RawAnswer])[] = [
  ['System busy', say('System busy')],
  ['a repeated project id', say('projectId already exists')],
  ['an unlisted text', say('Something new')],
  ['an HTML page with status 200', raw('<html>Just a moment...</html>')],
  ['an HTML page with status 403', raw('<html>403 Forbidden</html>', { status: 403 })],
  ['a 502', raw('<html>', { status: 502 })],
  ['a 500 that speaks JSON', raw({ success: false, msg: 'Item sold' }, { status: 500 })],
  ['success without an id', raw({ success: true, price: 5 })],
  ['success without a price', raw({ success: true, id: 30717149 })],
  ['failure with an id', raw({ success: false, msg: 'Item sold', id: 30717149 })],
  ['no success flag', raw({ msg: 'Item sold' })],
  ['a bare list', raw([])],
]
for (const [what, answer] of UNKNOWN) {
  test(`${what} is an unknown outcome`, () => {
    assert.equal(readPurchaseAnswer(answer).kind, 'unknown')
  })
}

test('an acceptance carries the order id as text and the price in mills', () => {
  const expected = { kind: 'accepted', orderId: '30717149', paidMills: 5n }
  assert.deepEqual(readPurchaseAnswer(raw({ success: true, id: 30717149, price: 5 })), expected)
  assert.deepEqual(readPurchaseAnswer(raw({ success: true, id: '30717149', price: '5' })), expected)
})

test('429 was not acted on and says when to come again', () => {
  const wait = (answer: RawAnswer) => {
    const read = readPurchaseAnswer(answer)
    return read.kind === 'not-sent' ? read.retryAfterMs : read.kind
  }
  assert.equal(wait(raw('', { status: 429, headers: { 'retry-after': '7' } })), 7_000)
  assert.equal(wait(raw({ msBeforeNext: 1_500 }, { status: 429 })), 1_500)
  assert.equal(wait(raw('', { status: 429 })), 1_000)
  assert.equal(wait(raw({ msBeforeNext: 10 ** 9 }, { status: 429 })), 120_000)
  assert.equal(wait(raw({ msBeforeNext: -4 }, { status: 429 })), 100)
})
