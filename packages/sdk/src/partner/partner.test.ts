// The partner's client and receiver against a scripted server and real signatures.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it } from 'node:test'
import type { OrderEventDataOf, OrderEventType, partnerRoutes } from '@tradepost/contract'
import type { Static } from 'typebox'
import { fetchWebhook } from '../webhooks/fetch.ts'
import type { WebhookEventOf, WebhookEventType } from './generated/events.ts'
import type { OperationId, Operations } from './generated/operations.ts'
import { orderEvents, TradepostPartner, verifyOrderEvent, WebhookSignatureError } from './index.ts'

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: unknown
}

/** Answers each request with the next of these. */
function clientOf(...answers: readonly Response[]): { client: TradepostPartner; sent: Sent[] } {
  const waiting = [...answers]
  const sent: Sent[] = []
  const client = new TradepostPartner({
    apiKey: 'tp_test_key',
    baseUrl: 'https://api.example.com',
    fetch: async (url, { method, headers, body }) => {
      const path = url.replace('https://api.example.com', '')
      sent.push({ method, path, headers, body: body === undefined ? null : JSON.parse(body) })
      const next = waiting.shift()
      assert.ok(next)
      return next
    },
    runtime: { sleep: async () => {}, random: () => 0 },
  })
  return { client, sent }
}

const success = (data: unknown): Response =>
  Response.json({ requestId: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d', success: true, data })
const broken = (): Response => new Response('bad gateway', { status: 502 })

const BUY = { itemId: '4700012345', price: 12.34, market: 'market_a' } as const

it('sends the key of the partner interface, and no other', async () => {
  const { client, sent } = clientOf(success({ profile: { balance: 1 }, message: 'OK' }))
  assert.deepEqual(await client.account.profile(), { balance: 1 })
  assert.equal(sent[0]?.headers['x-api-key'], 'tp_test_key')
  assert.equal(sent[0]?.headers['api-key'], undefined)
  assert.equal(sent[0]?.path, '/v1/user')
})

it('repeats a buy after a lost response under the same Idempotency-Key', async () => {
  const { client, sent } = clientOf(broken(), success({ order: {}, item: {} }))
  await client.market.buy(BUY)
  const [first, second] = sent.map(({ headers }) => headers['idempotency-key'])
  assert.ok(first)
  assert.equal(second, first)
})

it('repeats a transfer, whose key is in its body, and never a create', async () => {
  const transfer = { toEmail: 'a@example.com', amountCents: 1, idempotencyKey: 'k' }
  const repeated = clientOf(broken(), success({ message: 'OK' }))
  await repeated.client.children.transfer(transfer)
  assert.deepEqual(
    repeated.sent.map(({ body }) => body),
    [transfer, transfer],
  )
  const once = clientOf(broken(), success({}))
  await assert.rejects(once.client.children.create({ email: 'a@example.com' }))
  assert.equal(once.sent.length, 1)
})

const SECRET = 'whsec_0123456789012345678901234567890123456789012'

function delivery(header: string): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({ id: 'd1', type: 'order.updated', createdAt: 'now', data: {} })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', SECRET)
    .update(`d1.${timestamp}.${body}`)
    .digest('base64url')
  return {
    body,
    headers: {
      'webhook-id': 'd1',
      'webhook-timestamp': timestamp,
      [header]: `t=${timestamp},s=${signature}`,
    },
  }
}

it('verifies x-service-signature, and takes no other header for it', async () => {
  const event = await verifyOrderEvent(delivery('x-service-signature'), { secret: SECRET })
  assert.equal(event.type, 'order.updated')
  await assert.rejects(
    verifyOrderEvent(delivery('webhook-signature'), { secret: SECRET }),
    (error) => error instanceof WebhookSignatureError && error.reason === 'missing_header',
  )
})

it('receives order events through any adapter', async () => {
  const received: string[] = []
  const handle = fetchWebhook(
    orderEvents({ secret: SECRET, onEvent: ({ type }) => void received.push(type) }),
  )
  const post = (header: string) =>
    handle(new Request('https://shop.example', { method: 'POST', ...delivery(header) }))
  assert.equal((await post('x-service-signature')).status, 204)
  assert.equal((await post('webhook-signature')).status, 401)
  assert.deepEqual(received, ['order.updated'])
})

/** Compiles only when the one can be had for the other, both ways. */
type Same<One, Other> = [One, Other] extends [Other, One] ? true : false
type Routes = typeof partnerRoutes

it('has the types of the contract', () => {
  type All = [
    Same<OperationId, keyof Routes>,
    Same<
      { [Id in OperationId]: Operations[Id]['data'] },
      { [Id in keyof Routes]: Static<Routes[Id]['response']> }
    >,
    Same<WebhookEventType, OrderEventType>,
    Same<
      { [Type in OrderEventType]: WebhookEventOf<Type>['data'] },
      { [Type in OrderEventType]: OrderEventDataOf<Type> }
    >,
  ]
  const proof: All = [true, true, true, true]
  assert.ok(proof)
})
