import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it } from 'node:test'
import { newSecret } from '#webhooks'
import { dialects } from './webhook.ts'

const message = { id: '0190', timestampSeconds: 1_700_000_000, body: '{"a":1}' }

it('the signature is keyed with the text of the whole secret, prefix included', () => {
  const secret = newSecret()
  const expected = createHmac('sha256', Buffer.from(secret, 'utf8'))
    .update('0190.1700000000.{"a":1}')
    .digest('base64url')
  const headers = dialects.merchant.headers(message, { current: secret, previous: null })
  assert.equal(headers['webhook-signature'], `t=1700000000,s=${expected}`)
  assert.equal(headers['webhook-id'], '0190')
  assert.equal(headers['webhook-timestamp'], '1700000000')
})

it('during a rotation the previous secret signs beside the new one, over the same string', () => {
  const [current, previous] = [newSecret(), newSecret()]
  const rotating = dialects.merchant.headers(message, { current, previous })['webhook-signature']
  const old = dialects.merchant.headers(message, { current: previous, previous: null })[
    'webhook-signature'
  ]
  assert.equal(rotating?.split(',s1=')[1], old?.split(',s=')[1])
})

it('the partner’s dialect signs the same string under its own header', () => {
  const secrets = { current: newSecret(), previous: null }
  const ofMerchant = dialects.merchant.headers(message, secrets)
  const { 'x-service-signature': signature, ...rest } = dialects.partner.headers(message, secrets)
  assert.equal(signature, ofMerchant['webhook-signature'])
  assert.equal('webhook-signature' in rest, false)
  assert.equal(rest['webhook-id'], message.id)
})
