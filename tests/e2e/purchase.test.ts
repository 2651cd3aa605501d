// The first hour of a merchant: the README's purchase with its events, sub-users with fees
// and euros, and every read route answering its documented shape.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type MerchantRouteId, merchantRoutes } from '@tradepost/contract'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import type { Call } from '../support/client.ts'
import { COMPLETED, checkOutcome } from '../support/outcome.ts'
import { MARKETS } from '../support/sandbox.ts'
import { type Stack, startStack } from '../support/stack.ts'
import {
  aBuyer,
  balanceOf,
  buyNext,
  centsOf,
  onlyItem,
  readTrade,
  stock,
  tradeUrl,
  untilEnded,
} from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack
before(async () => {
  stack = await startStack(await testDatabase({ poolSize: 2 }), { SANDBOX_CHAINS: 'base' })
})
after(() => stack.close())

/**
 * An item by search, and its cheapest listing. Search follows sales within moments: what was bought just
 * now may be shown once more, and is then asked for again.
 */
const findListing = (q: string, behalf?: string) =>
  until(`"${q}" is for sale at the price that search shows`, async () => {
    const call = behalf === undefined ? {} : { behalf }
    const { items } = await stack.merchant.get('searchMarket', {
      ...call,
      query: { q, inStock: true, sort: 'priceAsc', minPrice: '1.00', limit: 1 },
    })
    const item = items[0]
    if (!item) return null
    const listings = await stack.merchant.get('listItemListings', {
      ...call,
      params: { itemId: item.id },
      query: { limit: 1 },
    })
    const listing = listings.items[0]
    return listing && listing.price === item.price?.standard ? { item, listing } : null
  })

describe('the first purchase', () => {
  it('goes from search to settlement, reported by signed events in order', async () => {
    const { merchant, webhooks } = stack
    const start = centsOf(await balanceOf(merchant))
    const { listing } = await findListing('sticker')
    const stored = await merchant.get('createTradeUrl', { body: { url: tradeUrl() } })
    assert.equal(stored.isPrimary, true)

    const body = {
      externalId: 'my-first-order',
      items: [{ listingId: listing.id, maxPrice: '500.00', externalId: 'my-first-item' }],
    }
    const receipt = await merchant.get('buy', { body })
    assert.equal(receipt.status, 'initiated')
    assert.equal(receipt.itemCount, 1)
    assert.equal(receipt.totalPrice, listing.price)
    assert.deepEqual(await merchant.get('buy', { body }), receipt, 'said twice, bought once')
    assert.equal(centsOf(await balanceOf(merchant)), start - centsOf(listing.price))

    const trade = await untilEnded(merchant, receipt.id)
    assert.equal(trade.status, 'completed')
    assert.equal(trade.platformId, stored.platformId)
    assert.equal(trade.externalId, 'my-first-order')
    const item = onlyItem(trade)
    assert.equal(item.externalId, 'my-first-item')
    assert.equal(item.marketHashName, listing.marketHashName)
    assert.ok(trade.offerId && trade.settledAt && trade.holdEndDate)
    await until('all six events have arrived', () => {
      const events = webhooks.typesOf(receipt.id).join(' ')
      return events === COMPLETED.events ? events : null
    })
    for (const event of webhooks.of(receipt.id)) {
      assert.equal(event.data.trade.id, receipt.id)
    }

    const { items } = await merchant.get('listWalletLedger', { query: { limit: 10 } })
    const paid = items.find(({ externalRef }) => externalRef === 'my-first-order')
    assert.equal(paid?.type, 'trade_payment')
    assert.equal(centsOf(paid?.amount ?? 0), -centsOf(listing.price))
    await merchant.refused('LISTING_NOT_FOUND', 'getListing', { params: { listingId: listing.id } })
  })

  it('is the merchant’s own: its fee is the house’s, and it earns nothing on it', async () => {
    const { merchant, webhooks } = stack
    const { listing } = await findListing('case')
    const receipt = await merchant.get('buy', {
      body: { items: [{ listingId: listing.id, maxPrice: '500.00' }], tradeUrl: tradeUrl() },
    })
    await untilEnded(merchant, receipt.id)
    const settled = await until('it is settled', () =>
      webhooks.of(receipt.id).find(({ type }) => type === 'trade.settled'),
    )
    assert.equal(settled.data.settlement?.merchantFeeCents, 0)
    assert.ok((settled.data.settlement?.houseFeeCents ?? 0) > 0)
    const wallets = await merchant.get('listMerchantWallets')
    assert.equal(wallets.find(({ type }) => type === 'earnings')?.balance, 0)
  })
})

describe('a sub-user', () => {
  it('pays both fees, buys by the supplier’s own id, and earns the merchant its cut', async () => {
    const { merchant, webhooks, control } = stack
    const before = await merchant.get('getMerchantStats')
    const behalf = await aBuyer(merchant, 'dora', '60.00')
    const supply = await stock(control, 'market_b')
    const purchase = { market: 'market_b', supply, behalf, externalId: 'by-raw-id' } as const
    const { receipt, listing } = await buyNext(merchant, purchase)
    const trade = await untilEnded(merchant, receipt.id)
    const details = { merchant, webhooks, trade, listing, behalf, fundedCents: 6000 }
    await checkOutcome(details, COMPLETED)

    const settled = webhooks.of(trade.id).find(({ type }) => type === 'trade.settled')
    const cut = settled?.data.settlement?.merchantFeeCents ?? 0
    assert.ok(cut > 0)
    const stats = await merchant.get('getMerchantStats')
    assert.equal(stats.totals.tradeCount, before.totals.tradeCount + 1)
    assert.equal(stats.totals.gmvCents, before.totals.gmvCents + centsOf(trade.totalPrice))
    assert.equal(stats.totals.feesEarnedCents, before.totals.feesEarnedCents + cut)
    assert.equal(centsOf(stats.totals.earningsBalance), cut)
    const own = stats.bySubUser.find(({ externalId }) => externalId === 'dora')
    assert.equal(own?.tradeCount, 1)
    assert.equal(own?.feesContributedCents, cut)
    const earned = await merchant.get('listMerchantLedger', { query: { walletType: 'earnings' } })
    assert.deepEqual(
      earned.items.map(({ type, amount }) => [type, centsOf(amount)]),
      [['fee_credit', cut]],
    )

    const transfer = { body: { amount: (cut / 100).toFixed(2) }, idempotencyKey: 'all-earnings' }
    const spot = centsOf(await balanceOf(merchant))
    const moved = await merchant.get('transferEarnings', transfer)
    assert.deepEqual(await merchant.get('transferEarnings', transfer), {
      ...moved,
      idempotent: true,
    })
    assert.equal(centsOf(await balanceOf(merchant)), spot + cut)
    await merchant.refused('INSUFFICIENT_BALANCE', 'transferEarnings', {
      body: { amount: '0.01' },
      idempotencyKey: 'one-cent-more',
    })
  })

  it('with a wallet in euros sees, pays and is refunded euros at one rate', async () => {
    const { merchant } = stack
    const behalf = await aBuyer(merchant, 'emil', '200.00', 'EUR')
    const start = centsOf(await balanceOf(merchant, behalf))
    assert.ok(start > 0 && start !== 20_000, 'the amount was converted')
    const { listing } = await findListing('souvenir', behalf)
    const inDollars = await merchant.get('getListing', { params: { listingId: listing.id } })
    assert.notEqual(listing.price, inDollars.price)
    const receipt = await merchant.get('buy', {
      behalf,
      body: {
        items: [{ listingId: listing.id, maxPrice: '500.00' }],
        tradeUrl: tradeUrl('declin00'),
      },
    })
    assert.equal(receipt.totalPrice, listing.price)
    const trade = await untilEnded(merchant, receipt.id)
    assert.equal(trade.currency, 'EUR')
    assert.equal(trade.status, 'declined')
    const refund = onlyItem(trade).refund
    assert.equal(
      centsOf(refund?.amount ?? 0) + centsOf(refund?.penalty ?? 0),
      centsOf(listing.price),
    )
    const left = start - centsOf(refund?.penalty ?? 0)
    assert.equal(centsOf(await balanceOf(merchant, behalf)), left)
    const refunded = await until('the refund is reported', () =>
      stack.webhooks.of(trade.id).find(({ type }) => type === 'trade.refunded'),
    )
    // The event is in dollars, at the trade's rate.
    assert.ok((refunded.data.refund?.refunded ?? 0) > (refund?.amount ?? 0))
  })

  it('that is suspended cannot buy, and what it bought before goes on', async () => {
    const { merchant, control } = stack
    const behalf = await aBuyer(merchant, 'fritz')
    const supply = await stock(control, 'market_a')
    const { receipt } = await buyNext(merchant, { market: 'market_a', supply, behalf })
    await merchant.get('suspendSubUser', { params: { id: behalf } })
    const { listing } = await findListing('sticker')
    const body = { items: [{ listingId: listing.id, maxPrice: '500.00' }], tradeUrl: tradeUrl() }
    await merchant.refused('ACCOUNT_SUSPENDED', 'buy', { behalf, body })
    assert.equal((await untilEnded(merchant, receipt.id)).status, 'completed')
    await merchant.get('reactivateSubUser', { params: { id: behalf } })
    assert.ok((await merchant.get('buy', { behalf, body })).id)
  })

  it('is deleted only when it is empty, and its externalId stays taken', async () => {
    const { merchant } = stack
    const params = { id: await aBuyer(merchant, 'gone', '5.00') }
    await merchant.refused('USER_HAS_FUNDS_OR_OPEN_TRADES', 'deleteSubUser', { params })
    await merchant.get('defundSubUser', {
      params,
      body: { amount: '5.00' },
      idempotencyKey: 'empty-gone',
    })
    assert.equal((await merchant.get('deleteSubUser', { params })).status, 'deleted')
    await merchant.refused('USER_NOT_FOUND', 'getSubUser', { params })
    await merchant.refused('USER_DELETED', 'createSubUser', { body: { externalId: 'gone' } })
  })
})

describe('a buy is refused before the wallet is touched', () => {
  const items = (listingId: string, maxPrice = '500.00') => ({ items: [{ listingId, maxPrice }] })

  it('above maxPrice, with the price now; without a trade URL; without money', async () => {
    const { merchant } = stack
    const behalf = await aBuyer(merchant, 'hugo', '0.50')
    const { listing } = await findListing('sticker', behalf)
    const dear = await merchant.refused('PRICE_MISMATCH', 'buy', {
      behalf,
      body: { ...items(listing.id, '0.01'), tradeUrl: tradeUrl() },
    })
    assert.deepEqual(dear.meta, { listingId: listing.id, currentPrice: listing.price })
    await merchant.refused('TRADEURL_REQUIRED', 'buy', { behalf, body: items(listing.id) })
    const poor = await merchant.refused('INSUFFICIENT_BALANCE', 'buy', {
      behalf,
      body: { ...items(listing.id), tradeUrl: tradeUrl() },
    })
    assert.deepEqual(poor.meta, { requiredCents: centsOf(listing.price), availableCents: 50 })
    await merchant.refused('LISTING_NOT_FOUND', 'buy', {
      behalf,
      body: { ...items('999999999999999'), tradeUrl: tradeUrl() },
    })
    const both = { listingId: listing.id, listingRawId: 'market_a:1', maxPrice: '5.00' }
    await merchant.refused('VALIDATION_FAILED', 'buy', { behalf, body: { items: [both] } })
    assert.equal(await balanceOf(merchant, behalf), 0.5)
  })

  it('when the platform is away, which is not the buyer’s fault', async () => {
    const { merchant, control } = stack
    const { listing } = await findListing('sticker')
    await control.setPlatform({ online: false })
    try {
      await merchant.refused('PLATFORM_UNAVAILABLE', 'buy', {
        body: { ...items(listing.id), tradeUrl: tradeUrl('accept00', 77_777_777) },
      })
    } finally {
      await control.setPlatform({ online: true })
    }
  })
})

describe('who may call', () => {
  it('is selected by the key, by On-Behalf-Of and by the route', async () => {
    const { merchant, demo } = stack
    await merchant.refused('MISSING_API_KEY', 'getWallet', { apiKey: null })
    await merchant.refused('INVALID_API_KEY', 'getWallet', { apiKey: 'tp_test_nobody' })
    await merchant.refused('INVALID_API_KEY', 'getWallet', { apiKey: demo.partner.apiKey })
    const partner = { 'x-api-key': demo.partner.apiKey }
    await merchant.refused('MISSING_API_KEY', 'getWallet', { apiKey: null, headers: partner })
    await merchant.refused('INVALID_API_KEY', 'getWallet', { headers: partner })
    await merchant.refused('FORBIDDEN', 'getMerchant', { behalf: 'alice' })
    await merchant.refused('USER_NOT_FOUND', 'getWallet', { behalf: 'absent' })
    await merchant.refused('VALIDATION_FAILED', 'getWallet', { behalf: 'x'.repeat(129) })
    const response = await fetch(`${merchant.baseUrl}/merchant/api-keys`, {
      headers: { 'api-key': merchant.apiKey },
    })
    assert.equal(((await response.json()) as { error: { key: string } }).error.key, 'FORBIDDEN')
  })
})

describe('every read route', () => {
  it('answers its documented shape, as the merchant and as a sub-user', async () => {
    const { merchant, control } = stack
    const behalf = await aBuyer(merchant, 'reader')
    const supply = await stock(control, MARKETS[1])
    const { receipt } = await buyNext(merchant, { market: MARKETS[1], supply, behalf })
    await untilEnded(merchant, receipt.id)
    await merchant.get('createTradeUrl', { behalf, body: { url: tradeUrl() } })
    const { item, listing } = await findListing('sticker')
    const params = {
      id: behalf,
      tradeId: receipt.id,
      itemId: item.id,
      listingId: listing.id,
      orderId: '',
    }
    const queries: Partial<Record<MerchantRouteId, Call['query']>> = {
      suggestItems: { q: 'stick' },
      listPrices: { limit: -1 },
    }
    const { items: events } = await merchant.get('listMerchantEvents', {})
    const { quoteToken } = await merchant.get('quoteDeposit', { behalf, body: { amount: '50.00' } })
    const deposit = await merchant.get('createDeposit', {
      behalf,
      body: { quoteToken, chain: 'ETH' },
    })
    const order = await merchant.get('createMarketOrder', {
      behalf,
      body: { externalId: 'read', itemId: item.id, maxPrice: '0.01', quantity: 1 },
    })
    const ids: Partial<Record<MerchantRouteId, string>> = {
      getMerchantEvent: events[0]?.id ?? '',
      getDeposit: deposit.fundingId,
    }
    params.orderId = order.id
    // The merchant has made neither this trade, order nor deposit, and has no platform account.
    const ofSubUserAlone = [
      ...['getTransaction', 'getTradeTimeline', 'getSellInventory', 'getDeposit'],
      'getMarketOrder',
    ]
    // Withdrawals need custody and a callback: tests/e2e/payouts.test.ts makes and reads them.
    const elsewhere = ['getWithdrawal', 'getPayoutBatch']
    // The client holds each of these against the contract.
    for (const [id, route] of Object.entries(merchantRoutes)) {
      if (route.method !== 'GET' || elsewhere.includes(id)) continue
      const routeId = id as MerchantRouteId
      const ownId = ids[routeId]
      const call = {
        params: ownId === undefined ? params : { ...params, id: ownId },
        query: queries[routeId] ?? {},
      }
      const isOfUser = route.context === 'user'
      const data = await merchant.get(routeId, isOfUser ? { ...call, behalf } : call)
      assert.ok(data, id)
      if (isOfUser && !ofSubUserAlone.includes(id)) await merchant.get(routeId, call)
    }
  })

  it('never shows a trade to another account', async () => {
    const { merchant } = stack
    const { trades } = await merchant.get('listSubUserTrades', { params: { id: 'reader' } })
    const tradeId = trades[0]?.id ?? ''
    assert.equal((await readTrade(merchant, tradeId)).id, tradeId)
    const call = { params: { tradeId }, behalf: 'alice' }
    await merchant.refused('TRADE_NOT_FOUND', 'getTransaction', call)
    await merchant.refused('TRADE_NOT_FOUND', 'getTransaction', { params: { tradeId } })
  })

  it('pages without a gap or a repeat while trades are added', async () => {
    const { merchant, control } = stack
    const behalf = await aBuyer(merchant, 'pager', '500.00')
    const supply = await stock(control, 'market_a')
    const bought: string[] = []
    for (let i = 0; i < 7; i++) {
      bought.unshift((await buyNext(merchant, { market: 'market_a', supply, behalf })).receipt.id)
    }
    const seen: string[] = []
    for (let cursor: string | null = null; ; ) {
      const page: { transactions: { id: string }[]; nextCursor: string | null } =
        await merchant.get('listTransactions', {
          behalf,
          query: { limit: 2, ...(cursor === null ? {} : { cursor }) },
        })
      seen.push(...page.transactions.map(({ id }) => id))
      await buyNext(merchant, { market: 'market_a', supply, behalf })
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    assert.deepEqual(seen, bought)
  })

  it('the documents are served: OpenAPI 3.1 with the webhooks, and a page that shows it', async () => {
    const document = (await (
      await fetch(`${stack.merchant.baseUrl}/openapi/merchant.json`)
    ).json()) as { openapi: string; paths: object; webhooks: object }
    assert.match(document.openapi, /^3\.1/)
    for (const { path } of Object.values(merchantRoutes)) assert.ok(path in document.paths, path)
    assert.ok(Object.keys(document.webhooks).length >= 11)
    const page = await fetch(`${stack.merchant.baseUrl}/docs`)
    assert.match(page.headers.get('content-type') ?? '', /text\/html/)
  })
})
