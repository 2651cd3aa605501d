// One call of each operation of the partner interface, by the partner's own key or by that of a child.
import type { PartnerClient } from '../../support/client.ts'
import { REQUIRED_QUERIES, someListing } from '../../support/partner.ts'
import { tradeUrl } from '../../support/trading.ts'

type Get = PartnerClient['get']

interface PartnerCalls {
  /** With the partner's own key. */
  readonly partner: Get
  /** With the key of a child that has money. */
  readonly child: Get
  /** A client of the same child, for what need not be kept. */
  readonly client: PartnerClient
}

const SHORT = { market_a: 'market_a_short', market_b: 'market_b' } as const
const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export async function callPartner({ partner, child, client }: PartnerCalls): Promise<void> {
  const made = await partner('createChild', {
    body: { email: 'shop@example.com', name: 'A shop' },
  })
  await partner('transferToChild', {
    body: { toApiKeyId: made.apiKeyId, amountCents: 5000, idempotencyKey: 'transfer-1' },
  })
  await partner('getPartnerStats')
  await partner('getMarketHealth')
  await partner('listDepositRates')
  await partner('getOnrampLimits')
  await partner('getOnrampCountries')
  await partner('getOnrampMapping')
  await callMarket({ partner, child, client })
  await callWallet(child)
}

async function callMarket({ partner, child, client }: PartnerCalls): Promise<void> {
  const query = { minPrice: '1.00', sort: 'priceAsc', end: 10 }
  await child('search', { query })
  await child('searchV1', { query })
  await child('suggest', { query: { q: 'redline' } })
  await child('suggestV1', { query: { q: 'redline' } })
  await child('listItems')
  await child('listLiveListings')
  await partner('listLiveListingsV1')
  const first = await someListing(client)
  const second = await someListing(client)
  const { itemId: item, id: listing } = first
  await partner('getItemOverview', { params: { id: item } })
  await child('getItem', { params: { id: item } })
  await child('listListings', { query: { item } })
  await child('listListingsV1', { query: { item } })
  await partner('getListingDetails', {
    body: { items: [{ item, listing, market: first.market }] },
  })
  const market = SHORT[second.market as keyof typeof SHORT]
  await partner('getListingDetailV1', {
    query: { item: second.itemId, listing: second.id, market },
  })
  await child('buyListing', {
    body: { itemId: first.id, price: first.price, market: first.market, tradeUrl: tradeUrl() },
  })
  await child('buyListingV1', {
    body: {
      ...{ itemId: second.id, price: second.price, market, method: 'balance' },
      tradeURL: tradeUrl(),
    },
  })
  await child('listOrders', { query: { limit: 2 } })
  await child('listTransactions', { query: { limit: 2 } })
  await child('getTransactionStats')
}

async function callWallet(child: Get): Promise<void> {
  await child('getProfile')
  await child('getFees')
  await child('listLedger', { query: { limit: 2 } })
  await child('getStatement')
  const [chain] = await child('listCryptoChains', { query: { currency: 'USDT' } })
  const { depositId } = await child('createCryptoDeposit', {
    body: { token: 'USDT', amount: 25, network: chain?.name ?? '' },
  })
  const quote = { fiatAmount: 50, fiatType: 12, type: 1, coinCode: 'usdc', network: 'bep20' }
  await child('quoteCardDeposit', { body: quote })
  await child('openCardSession', {
    body: { coinId: 116, chainId: 1, fiatType: 12, fiatAmount: 50, type: 1, paymentMethod: 2 },
  })
  await child('getWallet', { query: { limit: 2 } })
  await child('cancelWalletDeposit', { params: { depositId } })
  await child('listWithdrawFees', { query: REQUIRED_QUERIES.listWithdrawFees ?? {} })
  await child('withdraw', {
    body: { token: 'USDC', network: 'ethereum', address: DESTINATION, amount: 20 },
  })
}
