// What tests of the partner interface share: accounts, correct requests, and order events with their
// signatures.
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { createPartner, issueKey } from '../../apps/server/src/modules/accounts/identity/index.ts'
import type { Received } from '../webhooks/receiver.ts'
import { type Call, createPartnerClient, type PartnerClient, type PartnerDataOf } from './client.ts'
import type { Stack } from './stack.ts'
import { centsOf, tradeUrl } from './trading.ts'
import { until } from './until.ts'

export interface PartnerEnvironment {
  readonly stack: Stack
  /** The demo partner, with its own key. */
  readonly partner: PartnerClient
  /** The demo child. */
  readonly child: PartnerClient
}

export async function aChildOf(
  partner: PartnerClient,
): Promise<{ client: PartnerClient; email: string; apiKeyId: string }> {
  const email = `shop-${randomUUID()}@example.com`
  const { apiKey = '', apiKeyId } = await partner.get('createChild', {
    body: { email, name: 'A shop' },
  })
  return { client: createPartnerClient({ baseUrl: partner.baseUrl, apiKey }), email, apiKeyId }
}

/** A partner beside the demo's, with its own key. */
export async function aSecondPartner({ database, demo }: Stack): Promise<PartnerClient> {
  const email = `platform-${randomUUID()}@example.com`
  const at = new Date()
  const { secret } = await database.db.transaction(async (tx) => {
    const fees = { feeBps: null, buyFeeBps: null }
    const { id: accountId } = await createPartner(tx, { email, name: 'Another', fees, at })
    const order = { accountId, kind: 'partner', name: 'first', environment: 'test', at } as const
    return issueKey(tx, order)
  })
  return createPartnerClient({ baseUrl: demo.baseUrl, apiKey: secret })
}

/** In cents. */
export const balanceOf = async (client: PartnerClient): Promise<number> =>
  centsOf((await client.get('getProfile')).profile.balance)

const returned = new Set<string>()

/** The cheapest listing above a price of what is for sale, of either market; another one each time. */
export const someListing = async (client: PartnerClient, minPrice = '1.00', skip = 0) =>
  until('an item is for sale', async () => {
    const { items } = await client.get('search', {
      query: { minPrice, sort: 'priceAsc', start: 1 + skip, end: 20 + skip },
    })
    for (const { id } of items) {
      const { listings } = await client.get('listListings', { query: { item: id } })
      const listing = listings.find((each) => !returned.has(each.id))
      if (listing) {
        returned.add(listing.id)
        return listing
      }
    }
    return null
  })

export const untilCode = (client: PartnerClient, id: string, code: string) =>
  until(`order ${id} is ${code}`, async () => {
    const { orders } = await client.get('listOrders')
    const order = orders.find((each) => each.id === id)
    return order?.status.code === code ? order : null
  })

/** What a route's query has to name. */
export const REQUIRED_QUERIES: Readonly<Record<string, NonNullable<Call['query']>>> = {
  suggest: { q: 'ak' },
  listCryptoChains: { currency: 'USDT' },
  listWithdrawFees: { currency: 'USDT' },
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
