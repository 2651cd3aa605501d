import assert from 'node:assert/strict'
import { it } from 'node:test'
import { inspect } from 'node:util'
import { type MerchantRouteId, merchantRoutes } from '@tradepost/contract'
import { Tradepost } from './client.ts'
import { aClient } from './testing/a-client.ts'
import { cut, startScripted, success } from './testing/scripted-server.ts'

const LISTING = { listingId: '1', maxPrice: '5.00' }

/** How each route is called. A route that is missing here does not compile. */
const CALLS: Readonly<Record<MerchantRouteId, (tradepost: Tradepost) => Promise<unknown>>> = {
  getMerchant: ({ merchant }) => merchant.get(),
  getKey: ({ merchant }) => merchant.key(),
  getMerchantFees: ({ merchant }) => merchant.fees(),
  getMerchantLimits: ({ merchant }) => merchant.limits(),
  getMerchantStats: ({ merchant }) => merchant.stats({ from: '2026-11-01T00:00:00Z' }),
  listMerchantWallets: ({ merchant }) => merchant.wallets(),
  getStatement: ({ merchant }) => merchant.statement({ month: '2026-10' }),
  listRestores: ({ merchant }) => merchant.restores(),
  transferEarnings: ({ merchant }) => merchant.transferEarnings({ amount: '5.00' }),
  listMerchantLedger: ({ merchant }) => merchant.ledger({ walletType: 'earnings' }),
  listMerchantTrades: ({ trades }) => trades.list({ subUserId: 'x', status: 'hold' }),
  getMerchantTrade: ({ trades }) => trades.get('x'),
  listMerchantEvents: ({ events }) => events.list({ type: ['trade.hold'] }),
  getMerchantEvent: ({ events }) => events.get('x'),
  listSubUsers: ({ users }) => users.list({ status: 'active' }),
  createSubUser: ({ users }) => users.create({ externalId: 'x' }),
  getSubUser: ({ users }) => users.get('x'),
  updateSubUser: ({ users }) => users.update('x', { email: 'x@example.com' }),
  deleteSubUser: ({ users }) => users.delete('x'),
  suspendSubUser: ({ users }) => users.suspend('x'),
  reactivateSubUser: ({ users }) => users.reactivate('x'),
  fundSubUser: ({ users }) => users.fund('x', { amount: '5.00' }),
  defundSubUser: ({ users }) => users.defund('x', { amount: '5.00' }),
  listSubUserTrades: ({ users }) => users.trades('x', { hideResolved: true }),
  listSubUserLedger: ({ users }) => users.ledger('x', { type: 'fund_in' }),
  getWallet: ({ wallet }) => wallet.get(),
  listWalletLedger: ({ wallet }) => wallet.ledger({ limit: 10 }),
  listTradeUrls: ({ tradeUrls }) => tradeUrls.list(),
  createTradeUrl: ({ tradeUrls }) => tradeUrls.create({ url: 'https://example.com' }),
  updateTradeUrl: ({ tradeUrls }) => tradeUrls.makePrimary('x'),
  deleteTradeUrl: ({ tradeUrls }) => tradeUrls.delete('x'),
  listLiveMarket: ({ market }) => market.live({ page: 2 }),
  searchMarket: ({ market }) => market.search({ phase: ['Ruby', 'Emerald'] }),
  suggestItems: ({ market }) => market.suggest('red'),
  listPrices: ({ market }) => market.prices({ page: 2 }),
  getItem: ({ market }) => market.item('x'),
  getServiceStatus: ({ market }) => market.status(),
  lookUpItems: ({ market }) => market.lookUp([{ marketHashName: 'x' }]),
  listItemListings: ({ market }) => market.listings('x', { maxWear: 0.07 }),
  listMarketListings: ({ market }) =>
    market.findListings({ stickers: ['A, b'], paintSeed: [1, 2] }),
  getItemHistory: ({ market }) => market.history('x'),
  getListing: ({ market }) => market.listing('x'),
  buy: ({ market }) => market.buy({ items: [LISTING] }),
  quickBuy: ({ market }) =>
    market.quickBuy({ itemId: 'x', maxPrice: '5.00', amount: 2, delivery: 'instant' }),
  createMarketOrder: ({ marketOrders }) =>
    marketOrders.create({ externalId: 'x', itemId: 'x', maxPrice: '5.00', quantity: 2 }),
  listMarketOrders: ({ marketOrders }) => marketOrders.list({ status: 'open' }),
  getMarketOrder: ({ marketOrders }) => marketOrders.get('x'),
  changeMarketOrder: ({ marketOrders }) => marketOrders.change('x', { maxPrice: '6.00' }),
  cancelMarketOrder: ({ marketOrders }) => marketOrders.cancel('x'),
  listSellPrices: ({ selling }) => selling.prices(),
  getSellInventory: ({ selling }) => selling.inventory(),
  sell: ({ selling }) => selling.sell({ items: [{ assetid: '1', price: '5.00' }] }),
  createWithdrawal: ({ payouts }) =>
    payouts.withdraw({
      externalId: 'x',
      chain: 'base',
      token: 'USDC',
      destination: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      amountCents: 2500,
    }),
  createPayoutBatch: ({ payouts }) => payouts.withdrawBatch({ externalId: 'x', withdrawals: [] }),
  getPayoutBatch: ({ payouts }) => payouts.batch('x'),
  quotePayout: ({ payouts }) => payouts.quote({ chain: 'base', token: 'USDC', amountCents: 2500 }),
  listWithdrawals: ({ payouts }) => payouts.list({ status: 'queued' }),
  getWithdrawal: ({ payouts }) => payouts.get('x'),
  getPayoutBalances: ({ payouts }) => payouts.balances({ forUser: 'x' }),
  getPayoutAddress: ({ payouts }) => payouts.address(),
  listCustodyDeposits: ({ payouts }) => payouts.deposits({ limit: 10 }),
  preflightBuy: ({ market }) => market.preflight({ items: [LISTING] }),
  lookUpTrades: ({ trades }) => trades.lookUp(['x']),
  listTransactions: ({ transactions }) => transactions.list({ type: 'buy' }),
  cancelTrade: ({ transactions }) => transactions.cancel('x'),
  cancelItem: ({ transactions }) => transactions.cancelItem('x', 'x'),
  getTradeTimeline: ({ transactions }) => transactions.timeline('x'),
  getTransaction: ({ transactions }) => transactions.get('x'),
  listDepositChains: ({ deposits }) => deposits.chains(),
  quoteDeposit: ({ deposits }) => deposits.quote({ amount: '25.00' }),
  createDeposit: ({ deposits }) => deposits.create({ quoteToken: 'x', chain: 'TRX' }),
  quoteOnramp: ({ deposits }) => deposits.quoteCard({ payAmount: '50', payCurrency: 'EUR' }),
  createOnramp: ({ deposits }) => deposits.createCard({ quoteToken: 'x' }),
  getCryptoAddress: ({ deposits }) => deposits.address(),
  listDeposits: ({ deposits }) => deposits.list(),
  getDeposit: ({ deposits }) => deposits.get('x'),
  cancelDeposit: ({ deposits }) => deposits.cancel('x'),
  issueWsToken: ({ live }) => live.token(['market', 'user']),
}

it('every merchant route is called by its method, at its path, with its context', async () => {
  await using server = await startScripted()
  const { tradepost } = aClient(server.baseUrl)
  const ids = Object.keys(merchantRoutes) as MerchantRouteId[]
  for (const id of ids) {
    server.script(success({ items: [], trades: [], transactions: [] }))
    await CALLS[id](tradepost)
    const { method, path } = merchantRoutes[id]
    const request = server.requests.at(-1)
    assert.equal(request?.method, method, id)
    assert.equal(request?.url.split('?')[0], path.replace(/\{\w+\}/g, 'x'), id)
    const isKeyed = 'headers' in merchantRoutes[id]
    assert.equal(request?.headers['idempotency-key'] !== undefined, isKeyed, id)
  }
  assert.equal(server.requests.length, ids.length)
})

it('what a key of the scope read may call is retried, also where it has a body', async () => {
  await using server = await startScripted()
  const { tradepost } = aClient(server.baseUrl)
  const ids = Object.keys(merchantRoutes) as MerchantRouteId[]
  for (const id of ids.filter((one) => merchantRoutes[one].scope === 'read')) {
    server.script(cut, success({ items: [], results: [], trades: [], transactions: [] }))
    const before = server.requests.length
    await CALLS[id](tradepost)
    assert.equal(server.requests.length, before + 2, id)
  }
})

it('a sub-user has the routes of a user, and each names it', async () => {
  await using server = await startScripted()
  const { tradepost } = aClient(server.baseUrl)
  const user = tradepost.as('anna')
  const ids = Object.keys(merchantRoutes) as MerchantRouteId[]
  const ofUsers = ids.filter((id) => merchantRoutes[id].context === 'user')
  for (const id of ofUsers) {
    server.script(success({ items: [], trades: [], transactions: [] }))
    await CALLS[id](Object.assign(Object.create(tradepost) as Tradepost, user))
    assert.equal(server.requests.at(-1)?.headers['on-behalf-of'], 'anna', id)
  }
  server.script(success({}))
  await tradepost.wallet.get()
  assert.equal(server.requests.at(-1)?.headers['on-behalf-of'], undefined)
})

it('the whole price list is asked for in one call', async () => {
  await using server = await startScripted()
  server.script(success({ items: [1], page: 1, totalPages: 1 }))
  assert.deepEqual(await aClient(server.baseUrl).tradepost.market.allPrices(), [1])
  assert.equal(server.requests[0]?.url, '/market/prices?limit=-1')
})

it('the pages of a list keep its filters', async () => {
  await using server = await startScripted()
  const pageOf = (page: number): ReturnType<typeof success> =>
    success({ items: [page], page, totalPages: 2, total: 2, limit: 1 })
  server.script(pageOf(1), pageOf(2))
  const seen: unknown[] = []
  const { tradepost } = aClient(server.baseUrl)
  for await (const item of tradepost.market.search({ q: 'redline', limit: 1 })) seen.push(item)
  assert.deepEqual(seen, [1, 2])
  const urls = server.requests.map(({ url }) => url)
  assert.deepEqual(urls, [
    '/market/search?q=redline&limit=1',
    '/market/search?q=redline&limit=1&page=2',
  ])
})

it('a client that is printed shows no key', () => {
  const tradepost = new Tradepost({ apiKey: 'tp_live_secret', baseUrl: 'https://example.com' })
  assert.doesNotMatch(inspect(tradepost, { depth: 9, showHidden: true }), /tp_live_secret/)
  assert.doesNotMatch(JSON.stringify(tradepost), /tp_live_secret/)
})

it('a missing setting is named, with what it should be', () => {
  const construct = (options?: object) => () =>
    Reflect.construct(Tradepost, options === undefined ? [] : [options]) as unknown
  assert.throws(construct(), { name: 'TypeError', message: /needs options: \{ apiKey, baseUrl \}/ })
  assert.throws(construct({ apiKey: 'key' }), {
    name: 'TypeError',
    message: /^baseUrl is missing: .*https:\/\//,
  })
  for (const apiKey of [undefined, '']) {
    assert.throws(construct({ apiKey, baseUrl: 'https://example.com' }), {
      name: 'TypeError',
      message: /^apiKey is missing: /,
    })
  }
})

it('settings that cannot work are refused at once', () => {
  const good = { apiKey: 'key', baseUrl: 'https://example.com/' }
  new Tradepost(good)
  const bad: object[] = [
    { apiKey: '' },
    { apiKey: 'key\n' },
    { apiKey: undefined },
    { baseUrl: 'example.com' },
    { baseUrl: 'ftp://example.com' },
    { baseUrl: 'https://user:pass@example.com' },
    { baseUrl: 'https://example.com/?a=1' },
    { timeoutMs: 0 },
    { maxRetries: Number.NaN },
  ]
  for (const one of bad) {
    assert.throws(() => new Tradepost({ ...good, ...one }), TypeError, JSON.stringify(one))
  }
  assert.throws(() => new Tradepost(good).as('anna '), TypeError)
})
