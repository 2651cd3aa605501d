import assert from 'node:assert/strict'
import { it } from 'node:test'
import { signedDelivery } from '../testing/signed-delivery.ts'
import { verifyWebhook } from './verify.ts'

it('the event of a signed delivery, with its data by its type', async () => {
  const { body, headers, secret, event } = signedDelivery()
  const verified = await verifyWebhook({ body, headers }, { secret })
  assert.deepEqual(verified, event)
  if (verified.type === 'trade.refunded') {
    const { refunded, penalty }: { refunded: number; penalty: number } = verified.data.refund
    assert.deepEqual([refunded, penalty], [9.8, 0.2])
  }
})

it('what is signed but no event of its id is refused', async () => {
  const bodies = [
    '',
    'null',
    '[]',
    '"text"',
    '{"id":',
    '{"id":"0193f3f0-0000-7000-8000-00000000dead","type":"trade.hold","data":{}}',
    '{"id":"0193f3f0-0000-7000-8000-0000000000aa","data":{}}',
    '{"id":"0193f3f0-0000-7000-8000-0000000000aa","type":"trade.hold","data":null}',
    Buffer.from([0x22, 0xff, 0x22]),
  ]
  for (const body of bodies) {
    const { headers, secret } = signedDelivery({ body })
    await assert.rejects(verifyWebhook({ body, headers }, { secret }), { reason: 'malformed_body' })
  }
})

it('an event of a later version passes', async () => {
  const event = { id: '0193f3f0-0000-7000-8000-0000000000aa', type: 'moon.rose', data: {} }
  const { body, headers, secret } = signedDelivery({ body: JSON.stringify(event) })
  const verified: { readonly type: string } = await verifyWebhook({ body, headers }, { secret })
  assert.equal(verified.type, 'moon.rose')
})
