// One call of each operation of the merchant interface, as an integrator makes them, in an order in which
// every one has something to show.
import type { Client } from '../../support/client.ts'
import type { Stack } from '../../support/stack.ts'
import { buyNext, stock, tradeUrl, untilEnded } from '../../support/trading.ts'
import { until } from '../../support/until.ts'

type Get = Client['get']

/** A sub-user that has something of everything. */
export const USER = 'user-42'
const SELLER = 'user-43'
const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export async function callMerchant(stack: Stack, get: Get): Promise<void> {
  await callSubUsers(get)
  await callTrading(stack, get)
  await callSelling(get)
  await callDeposits(get)
  await callPayouts(stack, get)
  await callAccount(get)
}

async function callSubUsers(get: Get): Promise<void> {
  const params = { id: USER }
  await get('createSubUser', { body: { externalId: USER, email: 'ada@example.com' } })
  await get('fundSubUser', { params, body: { amount: '250.00' }, idempotencyKey: 'fund-1' })
  await get('defundSubUser', { params, body: { amount: '25.00' }, idempotencyKey: 'defund-1' })
  await get('updateSubUser', { params, body: { email: 'ada.l@example.com' } })
  await get('suspendSubUser', { params })
  await get('reactivateSubUser', { params })
  await get('getSubUser', { params })
  await get('listSubUsers', { query: { q: 'user-' } })
  await get('listSubUserLedger', { params })
  await get('getWallet', { behalf: USER })
  await get('listWalletLedger', { behalf: USER })
  const { id } = await untilTaken('a trade URL', () =>
    get('createTradeUrl', { behalf: USER, body: { url: tradeUrl() } }),
  )
  await get('updateTradeUrl', { behalf: USER, params: { id }, body: { isPrimary: true } })
  await get('listTradeUrls', { behalf: USER })
  const second = await untilTaken('a second one', () =>
    get('createTradeUrl', { behalf: USER, body: { url: tradeUrl('accept01') } }),
  )
  await get('deleteTradeUrl', { behalf: USER, params: { id: second.id } })
  await get('issueWsToken', { behalf: USER, body: { scopes: ['market', 'user'] } })
  await get('createSubUser', { body: { externalId: 'user-44' } })
  await get('deleteSubUser', { params: { id: 'user-44' } })
}

async function callTrading(stack: Stack, get: Get): Promise<void> {
  const { merchant, control } = stack
  const supply = await stock(control, 'market_b')
  const bought = await buyNext(merchant, {
    ...{ market: 'market_b', supply, behalf: USER, externalId: 'order-1001' },
  })
  const trade = await untilEnded(merchant, bought.receipt.id)

  await get('listLiveMarket')
  await get('suggestItems', { query: { q: 'redline' } })
  await get('listPrices', { query: { limit: 2 } })
  const { items } = await get('searchMarket', {
    query: { inStock: true, minPrice: '1.00', maxPrice: '20.00', sort: 'priceAsc', limit: 50 },
  })
  const item = items.find(({ listingsCount = 0 }) => listingsCount >= 3)
  const itemId = item?.id ?? ''
  const listings = await get('listItemListings', { params: { itemId }, query: { limit: 3 } })
  const listingId = listings.items[0]?.id ?? ''
  await get('listMarketListings', { query: { itemId, limit: 2 } })
  await get('getListing', { params: { listingId } })
  await get('getItem', { params: { itemId } })
  await get('lookUpItems', { body: { items: [{ id: itemId }, { marketHashName: 'nothing' }] } })
  await get('getItemHistory', { params: { itemId } })

  const order = {
    items: [{ listingId, maxPrice: '50.00', externalId: 'line-1' }],
    ...{ tradeUrl: tradeUrl('slowly00'), externalId: 'order-1002' },
  }
  await get('preflightBuy', { behalf: USER, body: order })
  const slow = await get('buy', { behalf: USER, body: order })
  const quick = await get('quickBuy', {
    behalf: USER,
    body: {
      ...{ itemId, maxPrice: '50.00', amount: 1, delivery: 'standard', externalIds: ['line-2'] },
      ...{ tradeUrl: tradeUrl('slowly00'), externalId: 'order-1003' },
    },
  })
  await untilTaken('cancelItem', () =>
    get('cancelItem', { behalf: USER, params: { tradeId: quick.id, itemId: 'line-2' } }),
  )
  await until('every item is old enough to be cancelled', async () => {
    const { failed } = await get('cancelTrade', { behalf: USER, params: { tradeId: slow.id } })
    return failed === 0
  })

  const marketOrder = await get('createMarketOrder', {
    behalf: USER,
    body: {
      ...{ externalId: 'order-1001', itemId, maxPrice: '0.01', quantity: 2, maxWear: 0.2 },
      tradeUrl: tradeUrl('slowly00'),
    },
  })
  const ofMarketOrder = { behalf: USER, params: { orderId: marketOrder.id } }
  await get('changeMarketOrder', { ...ofMarketOrder, body: { maxPrice: '0.02' } })
  await get('getMarketOrder', ofMarketOrder)
  await get('listMarketOrders', { behalf: USER, query: { status: 'open' } })
  await get('cancelMarketOrder', ofMarketOrder)

  const params = { tradeId: trade.id }
  const completed = { status: 'completed', limit: 1 } as const
  await get('getTransaction', { behalf: USER, params })
  await get('getMerchantTrade', { params })
  await get('getTradeTimeline', { behalf: USER, params })
  await get('listTransactions', { behalf: USER, query: completed })
  await get('listMerchantTrades', { query: completed })
  await get('listSubUserTrades', { params: { id: USER }, query: completed })
  await get('lookUpTrades', { body: { externalIds: ['order-1001', 'order-9999'] } })
}

/** Asks again while it is too soon. */
const untilTaken = <Data>(what: string, call: () => Promise<Data>): Promise<Data> =>
  until(`${what} is taken`, call)

async function callSelling(get: Get): Promise<void> {
  await get('createSubUser', { body: { externalId: SELLER } })
  await untilTaken('a trade URL', () =>
    get('createTradeUrl', { behalf: SELLER, body: { url: tradeUrl('accept00', 50_000_001) } }),
  )
  await get('listSellPrices')
  const { items } = await get('getSellInventory', { behalf: SELLER })
  const accepted = items.find((each) => each.accepted)
  await untilTaken('a sell', () =>
    get('sell', {
      behalf: SELLER,
      body: {
        items: [{ id: accepted?.id ?? '', price: (accepted?.price ?? 0).toFixed(2) }],
        externalId: 'sell-2001',
      },
    }),
  )
}

async function callDeposits(get: Get): Promise<void> {
  const behalf = USER
  const { currencies } = await get('listDepositChains', { behalf })
  const chain = currencies.find(({ currency }) => currency === 'USDT')?.chains[0]
  const { quoteToken } = await get('quoteDeposit', {
    ...{ behalf, body: { amount: '100.00', currency: 'USDT' } },
  })
  const { fundingId } = await get('createDeposit', { behalf, body: { quoteToken, chain } })
  const card = await get('quoteOnramp', {
    ...{ behalf, body: { payAmount: '50.00', payCurrency: 'EUR' } },
  })
  await get('createOnramp', { behalf, body: { quoteToken: card.quoteToken } })
  await get('getCryptoAddress', { behalf })
  await get('listDeposits', { behalf, query: { limit: 2 } })
  await get('getDeposit', { behalf, params: { id: fundingId } })
  await get('cancelDeposit', { behalf, params: { id: fundingId } })
}

async function callPayouts({ demo }: Stack, get: Get): Promise<void> {
  const { address } = await get('getPayoutAddress')
  const paid = await fetch(`${demo.sandboxUrl}/control/chains/ethereum/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, token: 'USDC', amount: '500' }),
  })
  if (!paid.ok) throw new Error(`the faucet answers ${paid.status}`)
  await until('the tokens are in custody', async () => {
    const { items } = await get('listCustodyDeposits', { query: { limit: 1 } })
    return items[0]?.status === 'completed'
  })
  const { id } = await get('createWithdrawal', {
    body: {
      ...{ externalId: 'payout-3001', chain: 'ethereum', token: 'USDC' },
      ...{ destination: DESTINATION, amountCents: 2500, forUser: USER },
    },
  })
  await until('the withdrawal is confirmed', async () => {
    const { status } = await get('getWithdrawal', { params: { id } })
    return status === 'confirmed'
  })
  await get('listWithdrawals', { query: { limit: 1 } })
  await get('quotePayout', { body: { chain: 'ethereum', token: 'USDC', amountCents: 2500 } })
  const batch = await get('createPayoutBatch', {
    body: {
      externalId: 'payday-3001',
      withdrawals: ['payout-3002', 'payout-3003'].map((externalId) => ({
        ...{ externalId, chain: 'ethereum', token: 'USDC' },
        ...{ destination: DESTINATION, amountCents: 1250 },
      })),
    },
  })
  await get('getPayoutBatch', { params: { id: batch.id } })
  await get('getPayoutBalances')
}

async function callAccount(get: Get): Promise<void> {
  await get('getMerchant')
  await get('getKey')
  await get('getMerchantFees')
  await get('getMerchantLimits')
  await get('getServiceStatus')
  await get('getMerchantStats')
  await get('listMerchantWallets')
  await get('listMerchantLedger', { query: { limit: 2 } })
  await get('listRestores')
  await get('getStatement')
  const { items } = await get('listMerchantEvents', { query: { limit: 1 } })
  await get('getMerchantEvent', { params: { id: items[0]?.id ?? '' } })
  await until('a sub-user’s buy has settled', async () => {
    const { totals } = await get('getMerchantStats')
    return totals.earningsBalance > 0
  })
  await get('transferEarnings', { body: { amount: '0.01' }, idempotencyKey: 'transfer-1' })
}
