// What tests of the partner interface share: correct requests, and order events with their signatures.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { Received } from '../webhooks/sink.ts'
import type { Call, PartnerDataOf } from './client.ts'
import { tradeUrl } from './trading.ts'

/** What a route's query has to name. */
export const REQUIRED_QUERIES: Readonly<Record<string, NonNullable<Call['query']>>> = {
  suggest: { q: 'ak' },
  listCryptoChains: { currency: 'USDT' },
  suggestV1: { q: 'ak' },
  listListings: { item: '0'.repeat(16) },
  listListingsV1: { item: '0'.repeat(16) },
  getListingDetailV1: { item: '0'.repeat(16), listing: '1', market: 'market_b' },
}

export const buyBody = (
  listing: { id: string; price: number; market: string },
  token?: string,
): Call['body'] => ({
  itemId: listing.id,
  price: listing.price,
  market: listing.market,
  tradeUrl: tradeUrl(token),
})

interface OrderEvent {
  readonly id: string
  readonly type: string
  readonly data: {
    readonly order: PartnerDataOf<'listOrders'>['orders'][number]
    readonly refund?: { readonly amount: number; readonly penalty: number }
  }
}

/** Events of one order, in the order of their arrival, each signature checked. */
export const orderEventsOf = (
  received: readonly Received[],
  secret: string,
  orderId: string,
): OrderEvent[] =>
  received.flatMap(({ headers, body }) => {
    const event = JSON.parse(body) as OrderEvent
    assert.equal(event.id, headers['webhook-id'])
    assert.equal(headers['webhook-signature'], undefined)
    const timestamp = String(headers['webhook-timestamp'])
    const signature = createHmac('sha256', secret)
      .update(`${event.id}.${timestamp}.${body}`)
      .digest('base64url')
    assert.equal(headers['x-service-signature'], `t=${timestamp},s=${signature}`)
    return event.data.order.id === orderId ? [event] : []
  })
