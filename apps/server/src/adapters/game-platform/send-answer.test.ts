import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSendAnswer } from './send-answer.ts'

const LATER = 'There was an error sending your trade offer.  Please try again later.<br><br>'
const refused = (strError: string) => readSendAnswer(500, { strError })

test('an offer that was sent is known by its id', () => {
  const sent = (offerId: string) => ({ kind: 'sent', offerId })
  assert.deepEqual(readSendAnswer(200, { tradeofferid: '7121000001' }), sent('7121000001'))
  assert.deepEqual(readSendAnswer(200, { tradeofferid: 712 }), sent('712'))
})

const certain: [string, string][] = [
  ['You cannot trade with Anna (the fox) because they have a trade ban.', 'trade_ban'],
  ['You have logged in from a new device. In order to protect your items (15)', 'bot_restricted'],
  [
    'Anna is not available to trade. More information will be shown to Anna if they invite you.',
    'target_cannot_trade',
  ],
  ['You have sent too many trade offers, or have too many outstanding. (25)', 'offer_limit'],
  ['This Trade URL is no longer valid for sending a trade offer to Anna.', 'url_invalid'],
  ['Your inventory is full. (15)', 'inventory_full'],
  ['Anna is on trade probation. (15)', 'probation'],
  [`${LATER}(15)`, 'target_cannot_trade'],
  [`${LATER}(25)`, 'offer_limit'],
  [`${LATER} (26)`, 'items_gone'],
]
for (const [sentence, reason] of certain) {
  test(`certain: nothing was sent, for ${reason}: ${sentence.slice(0, 50)}`, () => {
    const answer = refused(sentence)
    assert.equal(answer.kind === 'rejected' && answer.reason, reason)
  })
}

for (const result of [2, 8, 11, 16, 20, 28, 34, 35, 36, 55, 999]) {
  test(`result ${result} is unknown: the offer may be out`, () => {
    assert.equal(refused(`${LATER}(${result})`).kind, 'unknown')
  })
}

test('result 84 asks us to wait', () => {
  assert.equal(refused(`${LATER}(84)`).kind, 'limited')
})

test('a number inside the sentence is not its result', () => {
  assert.equal(refused('Anna (26) has a problem.').kind, 'unknown')
  assert.equal(refused('(toString)').kind, 'unknown')
})

for (const [status, body] of [
  [500, null],
  [502, null],
  [200, null],
  [200, {}],
  [200, { tradeofferid: '' }],
  [200, { tradeofferid: 'soon' }],
  [200, { tradeofferid: -1 }],
  [500, { tradeofferid: '712' }],
  [200, { strError: '' }],
] as const) {
  test(`unknown: status ${status} with ${JSON.stringify(body)}`, () => {
    assert.equal(readSendAnswer(status, body).kind, 'unknown')
  })
}

test('markup is taken out of what an operator reads, and its length is bounded', () => {
  const answer = refused(`<script>alert(1)</script>${'x'.repeat(10_000)}`)
  assert.ok(answer.kind === 'unknown')
  assert.ok(!answer.detail.includes('<') && answer.detail.length <= 300)
})
