import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { packRequest, unpackRequest } from './request.ts'

test('what was sent comes back as it was, whatever it is', () => {
  const texts = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-z-]+$/), texts, { noNullPrototype: true }),
      texts,
      (headers, body) => {
        assert.deepEqual(unpackRequest(packRequest({ headers, body })), { headers, body })
      },
    ),
  )
})

test('a request that was packed before is still readable: its dictionary has not changed', () => {
  const packed =
    'AbXWyU7cQBAG4FeZIwd6VFt3uZA4IMGFwCESCeHYK0gIyLAdojx8IjGLh/F4kEh8bVe7XXJ9/v/TmEciDeaAGjstQVzCUl2ImKG0YgnrVgjMm1dPYQSExS37T4e3l/wKp3f+evbtpTulxytIs9sZX2b7+kt+POC9XjyfhKfvN2fnfUM+dL6PK4PoyC6QD8AfUJgi6Zgyy4ebOK3UnHXZXLIYqnrVlmDEoUUxRHFKWVyUEJz3zYoHL0W7rVLNL/y0WGzKQspzuGLO9eczQB+wfrvGFVt1Izrlkl1Mxg6llFwYQ6O4cu5cjmTye3L8GK8f7idf3v5qG+L1889mxWSvH156DvbLVllhwENAr1pFqyBYa0ky1hjBKGKt2VNASmAgnLABZ1TqvKBgk1yzxLzhKeMUui3NG3H1XQhburoWdBamLsPM0lQwT8oYwFhEOpJ1Y9V0p7LGxvNv6p9yO2/IbnHXBo+nYDgo7vB8Dr7HML1vKwP6vtsZumF9hw7wV98/'
  assert.deepEqual(unpackRequest(Buffer.from(packed, 'base64')), SENT)
})

test('a trade’s request takes a third of its length', () => {
  const { headers, body } = SENT
  assert.ok(packRequest(SENT).length * 3 < JSON.stringify(headers).length + body.length)
})

const TRADE = {
  id: '01a22769-0294-7e2f-98c9-b9a6e7577fb0',
  ...{ type: 'buy', userId: '01a22769-00a4-72c4-a466-55f9d5054d78' },
  platformId: '76561198000000001',
  tradeUrl: 'https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00',
  ...{ status: 'completed', game: 'cs2' },
  items: [
    {
      id: '01a22769-029a-73dc-ab93-14ddcd316f2a',
      name: 'M4A4 | Dragon King',
      marketHashName: 'StatTrak™ M4A4 | Dragon King (Minimal Wear)',
      type: 'StatTrak™ Classified Rifle',
      iconUrl: '01577e47e4109ffb4c1eaa092a1eec52612b09043b1f03c172854141f4cec4ac_medium',
      ...{ price: 31.08, status: 'completed', tradable: true, exterior: 'Minimal Wear' },
      ...{ rarity: 'Classified', color: 'd32ce6', wear: '0.09527316093444824', paintSeed: 797 },
      ...{ delivery: 'instant', offerId: '9393000001' },
    },
  ],
  summary: { total: 1, delivered: 1, completed: 1, failed: 0 },
  ...{ totalPrice: 31.08, currency: 'USD' },
  ...{ createdAt: '2026-11-29T13:05:23.091Z', updatedAt: '2026-11-29T13:05:26.127Z' },
  ...{ offerId: '9393000001', externalId: 'order-1001' },
  ...{ holdEndDate: '2026-11-29T13:05:26.080Z', settledAt: '2026-11-29T13:05:26.127Z' },
}

const EVENT_ID = '01a22769-02f3-7d64-b1de-6a1c0dfd9b1e'
const SENT = {
  headers: {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'webhook-id': EVENT_ID,
    'webhook-timestamp': '1795957526',
    'webhook-signature': 't=1795957526,s=kW3v0Jm5gqUu8J2rY0bqkq3Wc9Qz4Xo1n7TtE6sVhLM',
  },
  body: JSON.stringify({
    id: EVENT_ID,
    type: 'trade.completed',
    createdAt: '2026-11-29T13:05:26.127Z',
    data: { trade: TRADE },
  }),
}
