// What tests of trades have in common: buyers, something to buy, and waiting for the end.
import assert from 'node:assert/strict'
import type { BuyResponse, Trade } from '@tradepost/contract'
import type { Answer, Client } from './client.ts'
import type { Control, MarketId, SandboxListing } from './sandbox.ts'
import { until } from './until.ts'

export const TERMINAL = ['completed', 'failed', 'canceled', 'declined', 'reverted']

export const tradeUrl = (token = 'accept00', partner = 39_734_273): string =>
  `https://steamcommunity.com/tradeoffer/new/?partner=${partner}&token=${token}`

/** A new sub-user with money; its externalId is how it is called. */
export async function aBuyer(
  merchant: Client,
  externalId: string,
  amount = '100.00',
  currency?: 'USD' | 'EUR',
): Promise<string> {
  await merchant.get('createSubUser', {
    body: { externalId, ...(currency === undefined ? {} : { currency }) },
  })
  await merchant.get('fundSubUser', {
    params: { id: externalId },
    body: { amount },
    idempotencyKey: `fund-${externalId}`,
  })
  return externalId
}

export const balanceOf = async (merchant: Client, behalf?: string): Promise<number> =>
  (await merchant.get('getWallet', behalf === undefined ? {} : { behalf })).balance

/** Cents of a JSON money number, exactly. */
export const centsOf = (amount: number): number => Math.round(amount * 100)

/** Listings of a market, each given out once. */
export interface ListingSupply {
  take(): SandboxListing
}

/** Of a market's listings those from 1 to 25 dollars: dear enough for a penalty of some cents. */
export async function stock(control: Control, market: MarketId): Promise<ListingSupply> {
  const listings = (await control.listings(market, 1000)).filter(
    ({ priceMills }) => priceMills >= 1000 && priceMills <= 25_000,
  )
  assert.ok(listings.length >= 60, `${market} has ${listings.length} listings from 1 to 25 dollars`)
  let next = 0
  return {
    take: () => {
      const listing = listings[next++]
      assert.ok(listing, `${market} has something left to buy`)
      return listing
    },
  }
}

export interface Purchase {
  readonly market: MarketId
  readonly supply: ListingSupply
  readonly token?: string
  readonly behalf?: string
  readonly externalId?: string
}

export interface Bought {
  readonly receipt: BuyResponse
  readonly listing: SandboxListing
}

/** Buys the next listing of the supply that the service offers; a few are not for sale there. */
export async function buyNext(
  merchant: Client,
  { market, supply, token = 'accept00', behalf, externalId }: Purchase,
): Promise<Bought> {
  for (;;) {
    const listing = supply.take()
    const answer = await buyRaw(merchant, {
      raw: [`${market}:${listing.id}`],
      token,
      ...(behalf === undefined ? {} : { behalf }),
      ...(externalId === undefined ? {} : { externalId }),
    })
    if (answer.error?.key === 'LISTING_NOT_FOUND') continue
    assert.ok(answer.data, `the buy is accepted: ${JSON.stringify(answer.error)}`)
    return { receipt: answer.data, listing }
  }
}

export const buyRaw = (
  merchant: Client,
  {
    raw,
    token = 'accept00',
    behalf,
    externalId,
    maxPrice = '900.00',
  }: {
    readonly raw: readonly string[]
    readonly token?: string
    readonly behalf?: string
    readonly externalId?: string
    readonly maxPrice?: string
  },
): Promise<Answer<BuyResponse>> =>
  merchant.call('buy', {
    ...(behalf === undefined ? {} : { behalf }),
    body: {
      items: raw.map((listingRawId) => ({ listingRawId, maxPrice })),
      tradeUrl: tradeUrl(token),
      ...(externalId === undefined ? {} : { externalId }),
    },
  })

export const readTrade = (merchant: Client, tradeId: string): Promise<Trade> =>
  merchant.get('getMerchantTrade', { params: { tradeId } })

export const untilStatus = (
  merchant: Client,
  tradeId: string,
  statuses: readonly string[],
): Promise<Trade> => {
  let last: Trade | undefined
  return until(
    `trade ${tradeId} is ${statuses.join(' or ')}`,
    async () => {
      last = await readTrade(merchant, tradeId)
      if (statuses.includes(last.status)) return last
      throw new Error(`it is ${last.status}`)
    },
    { everyMs: 150 },
  )
}

export const untilEnded = (merchant: Client, tradeId: string): Promise<Trade> =>
  untilStatus(merchant, tradeId, TERMINAL)

/** The one item of a trade with one item. */
export function onlyItem(trade: Trade): Trade['items'][number] {
  assert.equal(trade.items.length, 1)
  return trade.items[0] as Trade['items'][number]
}
