// What tests of trades have in common: buyers, something to buy, and waiting for the end.
import assert from 'node:assert/strict'
import type { BuyResponse, SellInventoryResponse, Trade } from '@tradepost/contract'
import type { Answer, Client } from './client.ts'
import type { Control, MarketId, SandboxListing } from './sandbox.ts'
import { CannotCome, until } from './until.ts'

export const TERMINAL = ['completed', 'failed', 'canceled', 'declined', 'reverted']

/** A person of the platform, by the number in its trade URL. */
export const PARTNER = 39_734_273

export const tradeUrl = (token = 'accept00', partner = PARTNER): string =>
  `https://steamcommunity.com/tradeoffer/new/?partner=${partner}&token=${token}`

/** The id of that person's account. */
export const platformIdOf = (partner: number): string =>
  String(76_561_197_960_265_728n + BigInt(partner))

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

/** Also of a process that is too busy for a moment. */
export const balanceOf = async (merchant: Client, behalf?: string): Promise<number> => {
  const call = behalf === undefined ? {} : { behalf }
  return (await untilServed('the balance is read', () => merchant.call('getWallet', call))).balance
}

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

/**
 * As a client does: what is refused for the moment, with 503, is asked for again. After a start bots sign in
 * and markets are read, and a busy worker may answer late. Any other refusal fails the test.
 */
export const untilServed = <Data>(what: string, ask: () => Promise<Answer<Data>>): Promise<Data> =>
  until(what, async () => {
    const { status, data, error } = await ask()
    if (data !== null) return data
    const reason = JSON.stringify(error)
    throw status === 503 ? new Error(reason) : new CannotCome(reason)
  })

/** The same for what is refused for good, with this key. */
export const untilRefused = (key: string, ask: () => Promise<Answer<unknown>>): Promise<true> =>
  until(`it is refused with ${key}`, async () => {
    const { status, error } = await ask()
    if (error?.key === key) return true
    const reason = JSON.stringify(error)
    throw status === 503 ? new Error(reason) : new CannotCome(reason)
  })

/** What a sub-user could sell, at least so much, once its trade URL is looked up and the bots quote it. */
export async function linkSeller(
  merchant: Client,
  behalf: string,
  url: string,
  count = 1,
): Promise<SellInventoryResponse['items']> {
  await untilServed('its trade URL is known', () =>
    merchant.call('createTradeUrl', { behalf, body: { url } }),
  )
  return until('the bots quote what it has', async () => {
    const { items } = await untilServed('its inventory is read', () =>
      merchant.call('getSellInventory', { behalf }),
    )
    const accepted = items.filter((item) => item.accepted)
    if (accepted.length >= count) return accepted
    throw new Error(`${accepted.length} of ${items.length} items are accepted`)
  })
}

/** Sells these at what the bots pay, and returns the receipt. */
export const sellItems = (
  merchant: Client,
  behalf: string,
  items: SellInventoryResponse['items'],
  externalId?: string,
) =>
  untilServed('the bots take it', () =>
    merchant.call('sell', {
      behalf,
      body: {
        items: items.map(({ id, price }) => ({ id, price: price.toFixed(2) })),
        ...(externalId === undefined ? {} : { externalId }),
      },
    }),
  )
