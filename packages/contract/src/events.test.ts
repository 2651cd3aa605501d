import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { eventName, WebhookHeaders } from './events/webhook.ts'
import { webhookEvents } from './events.ts'
import { TRADE_STATUSES } from './primitives.ts'
import { DEPOSIT_STATUSES } from './shapes/deposit.ts'
import { compile } from './testing/validator.ts'

test('there is an event for each status of a trade and of a deposit, two for a trade’s money, and three of a market order', () => {
  const expected = [
    ...[...TRADE_STATUSES, 'settled', 'refunded'].map((name) => `trade.${name}`),
    ...DEPOSIT_STATUSES.map((name) => `deposit.${name}`),
    ...['filled', 'paused', 'closed'].map((name) => `market_order.${name}`),
  ]
  const found = Object.keys(webhookEvents).filter((type) =>
    /^(trade|deposit|market_order)\./.test(type),
  )
  assert.deepEqual(found.sort(), expected.sort())
  for (const [type, event] of Object.entries(webhookEvents)) assert.equal(event.type, type)
})

test('settlement and refund come with the events that report them', () => {
  const fields = (type: keyof typeof webhookEvents): string[] =>
    Object.keys(webhookEvents[type].data.properties)
  assert.deepEqual(fields('trade.completed'), ['trade', 'settlement'])
  assert.deepEqual(fields('trade.settled'), ['trade', 'settlement'])
  assert.deepEqual(fields('trade.refunded'), ['trade', 'refund'])
  assert.deepEqual(fields('trade.hold'), ['trade'])
})

test('a real signature has the documented form, with and without the previous secret', () => {
  const sign = (secret: string): string =>
    createHmac('sha256', secret).update('id.1763717400.{}').digest('base64url')
  const accepts = compile(WebhookHeaders)
  const headers = {
    'user-agent': 'Service-Webhooks/1.0',
    'webhook-id': '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d',
    'webhook-timestamp': '1763717400',
  }
  for (const value of [
    `t=1763717400,s=${sign('a')}`,
    `t=1763717400,s=${sign('a')},s1=${sign('b')}`,
  ]) {
    assert.ok(accepts({ ...headers, 'webhook-signature': value }), value)
  }
  assert.ok(!accepts({ ...headers, 'webhook-signature': 't=1,s=short' }))
})

test('the name of an event reads as a word', () => {
  assert.equal(eventName('trade.initiated'), 'TradeInitiated')
  assert.equal(eventName('payout.crypto.withdraw.refunded'), 'PayoutCryptoWithdrawRefunded')
})
