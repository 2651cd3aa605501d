// A merchant's endpoint: verifies every signature as documented, and records events by trade.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { Deposit, MarketOrder, Trade, Withdrawal } from '@tradepost/contract'
import { type Received, type Receiver, startReceiver } from '../webhooks/receiver.ts'

export interface WebhookEvent {
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly data: {
    readonly trade: Trade
    /** Of an event of a market order, which has no trade. */
    readonly order?: MarketOrder
    /** Of an event of the service, which has none of the others. */
    readonly component?: string
    readonly status?: string
    /** Of an event of a deposit, which has no trade. */
    readonly deposit?: Deposit
    /** Of an event of a withdrawal. */
    readonly withdrawal?: Withdrawal
    readonly nonce?: number
    readonly settlement?: { houseFeeCents: number; merchantFeeCents: number }
    readonly refund?: {
      itemId: string
      externalId?: string
      buyerFault: boolean
      refunded: number
      penalty: number
    }
  }
}

export interface Webhooks {
  readonly url: string
  /** Events of one trade, market order, deposit or withdrawal in the order of their first arrival. */
  of(subjectId: string): WebhookEvent[]
  /** The same by type alone. */
  typesOf(tradeId: string): string[]
  all(): WebhookEvent[]
  /** Those that arrived more than once, and how long after the time before. */
  repeated(): { readonly id: string; readonly afterMs: number }[]
  close(): Promise<void>
}

/** The secret is read when it is needed, because the service creates it at its start. */
export async function startWebhooks(secret: () => string): Promise<Webhooks> {
  const receiver: Receiver = await startReceiver()
  const seen = new Map<string, WebhookEvent>()
  const arrivedAt = new Map<string, number>()
  const repeated: { id: string; afterMs: number }[] = []
  let readTo = 0
  const read = (): WebhookEvent[] => {
    for (; readTo < receiver.received.length; readTo++) {
      const received = receiver.received[readTo] as Received
      checkSignature(received, secret())
      const event = JSON.parse(received.body) as WebhookEvent
      assert.equal(event.id, received.headers['webhook-id'])
      const before = arrivedAt.get(event.id)
      arrivedAt.set(event.id, received.at)
      if (before === undefined) seen.set(event.id, event)
      else repeated.push({ id: event.id, afterMs: received.at - before })
    }
    return [...seen.values()]
  }
  const of = (subjectId: string): WebhookEvent[] =>
    read().filter(
      ({ data: { order, deposit, trade, withdrawal } }) =>
        (order ?? deposit ?? withdrawal ?? trade)?.id === subjectId,
    )
  return {
    url: receiver.url,
    all: read,
    repeated: () => {
      read()
      return [...repeated]
    },
    of,
    typesOf: (tradeId) => of(tradeId).map((event) => event.type.replace('trade.', '')),
    close: () => receiver.close(),
  }
}

function checkSignature(received: Received, secret: string): void {
  const { headers, body } = received
  const timestamp = String(headers['webhook-timestamp'])
  const [, t, s] = /^t=(\d+),s=([A-Za-z0-9_-]{43})/.exec(String(headers['webhook-signature'])) ?? []
  const wanted = createHmac('sha256', secret)
    .update(`${headers['webhook-id']}.${timestamp}.${body}`)
    .digest('base64url')
  assert.equal(t, timestamp, 'the signature names the timestamp of its header')
  assert.equal(s, wanted, 'a webhook is signed with the endpoint’s secret')
  assert.ok(Math.abs(received.at / 1000 - Number(timestamp)) < 300, 'a webhook is fresh')
}
