// Quick-buy, preflight and look-up over HTTP, against both markets of the sandbox.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MARKETS } from '../support/sandbox.ts'
import { shareStack } from '../support/shared-stack.ts'
import type { Stack } from '../support/stack.ts'
import { aBuyer, balanceOf, centsOf, tradeUrl, untilEnded } from '../support/trading.ts'

let stack: Stack
before(async () => {
  stack = await shareStack()
})
after(() => stack.close())

interface Popular {
  readonly id: string
  readonly prices: readonly number[]
}

/** The item with most listings from half a dollar to ten, with its prices as the buyer sees them. */
async function popularItem(behalf: string): Promise<Popular> {
  const { items } = await stack.merchant.get('searchMarket', {
    behalf,
    query: { inStock: true, minPrice: '0.50', maxPrice: '10.00', limit: 100 },
  })
  const [best] = items.toSorted((a, b) => (b.listingsCount ?? 0) - (a.listingsCount ?? 0))
  assert.ok(best && (best.listingsCount ?? 0) >= 3, 'something is for sale at least three times')
  const { items: listings } = await stack.merchant.get('listItemListings', {
    behalf,
    params: { itemId: best.id },
    query: { limit: 100 },
  })
  return { id: best.id, prices: listings.map(({ price }) => price as number) }
}

const amountOf = (price: number): string => price.toFixed(2)

describe('a quick-buy', () => {
  it('buys the cheapest, delivers them and settles, with a reference for each unit', async () => {
    const { merchant } = stack
    const behalf = await aBuyer(merchant, 'quick', '500.00')
    const { id: itemId, prices } = await popularItem(behalf)
    const amount = Math.min(prices.length, 5)
    const cheapest = prices.slice(0, amount)
    const externalIds = cheapest.map((_, i) => `unit-${i}`)
    const body = {
      itemId,
      amount,
      delivery: 'standard',
      maxPrice: amountOf(Math.max(...cheapest)),
      tradeUrl: tradeUrl(),
      externalId: 'quick-1',
      externalIds,
    }
    const receipt = await merchant.get('quickBuy', { behalf, body })
    assert.equal(receipt.requestedCount, amount)
    assert.equal(receipt.itemCount, amount)
    const paid = cheapest.reduce((sum, price) => sum + centsOf(price), 0)
    assert.equal(centsOf(receipt.totalPrice), paid)
    assert.deepEqual(
      await merchant.get('quickBuy', { behalf, body }),
      receipt,
      'said twice, bought once',
    )
    await merchant.refused('IDEMPOTENCY_CONFLICT', 'quickBuy', {
      behalf,
      body: { ...body, delivery: 'instant' },
    })
    assert.equal(centsOf(await balanceOf(merchant, behalf)), 50_000 - paid)
    const trade = await untilEnded(merchant, receipt.id)
    assert.deepEqual(
      trade.items.map(({ externalId }) => externalId),
      externalIds,
    )
    assert.ok(
      trade.items.every(({ status }) => status === 'completed'),
      JSON.stringify(trade.summary),
    )
    const { entries } = await merchant.get('getTradeTimeline', {
      behalf,
      params: { tradeId: trade.id },
    })
    const words = (kind: string) => entries.filter((entry) => entry.kind === kind)
    assert.equal(entries[0]?.kind, 'request')
    // A market forgets an offer when it ends; on a busy machine some end between two looks.
    const shown = trade.items.filter(({ offerId }) => offerId !== undefined)
    assert.ok(shown.length > 0, 'some offers were seen')
    assert.deepEqual(
      words('offer')
        .map(({ itemId }) => itemId)
        .toSorted(),
      shown.map(({ id }) => id).toSorted(),
    )
    assert.deepEqual(
      words('item')
        .filter(({ itemId }) => itemId === trade.items[0]?.id)
        .map(({ status }) => status),
      ['pending', 'active', 'hold', 'completed'],
    )
    assert.deepEqual(
      words('money').map(({ what, amount }) => [what, centsOf(amount ?? 0)]),
      [['trade_payment', -paid]],
    )
    assert.deepEqual(
      words('event').map(({ what }) => what.replace('trade.', '')),
      ['initiated', 'pending', 'active', 'hold', 'completed', 'settled'],
    )
    assert.deepEqual(
      entries.map(({ at }) => at),
      entries.map(({ at }) => at).toSorted(),
    )
    await merchant.refused('TRADE_NOT_FOUND', 'getTradeTimeline', { params: { tradeId: trade.id } })

    const { results } = await merchant.get('lookUpTrades', {
      body: { externalIds: ['never-used', 'quick-1'] },
    })
    assert.deepEqual(
      results.map(({ status, trades }) => [status, trades.map(({ id }) => id)]),
      [
        ['never_seen', []],
        ['found', [receipt.id]],
      ],
    )
  })

  it('takes the next cheapest for a listing that is gone when it is placed', async () => {
    const { merchant, control } = stack
    const behalf = await aBuyer(merchant, 'unlucky')
    const { id: itemId, prices } = await popularItem(behalf)
    const limit = prices[2] as number
    // Whichever market has the cheapest one: its next purchase finds the listing sold.
    for (const market of MARKETS) await control.script(market, 'reject:sold_out')
    const receipt = await merchant.get('quickBuy', {
      behalf,
      body: {
        itemId,
        amount: 1,
        delivery: 'standard',
        maxPrice: amountOf(limit),
        tradeUrl: tradeUrl(),
      },
    })
    const trade = await untilEnded(merchant, receipt.id)
    for (const market of MARKETS) await control.clearScript(market)
    assert.equal(trade.status, 'completed', JSON.stringify(trade.items[0]))
    assert.ok(centsOf(trade.totalPrice) <= centsOf(limit))
    assert.equal(centsOf(await balanceOf(merchant, behalf)), 10_000 - centsOf(trade.totalPrice))
    const { entries } = await merchant.get('getTradeTimeline', {
      behalf,
      params: { tradeId: trade.id },
    })
    const replaced = entries.filter(({ what }) => what === 'replaced')
    assert.ok(replaced.length === 1 || replaced.length === 2, JSON.stringify(entries))
    await stack.auditBooks()
  })

  it('below every price buys nothing, and a list of references must fit', async () => {
    const { merchant } = stack
    const behalf = await aBuyer(merchant, 'too-thrifty')
    const { id: itemId } = await popularItem(behalf)
    const body = { itemId, amount: 2, delivery: 'standard', maxPrice: '0.01', tradeUrl: tradeUrl() }
    await merchant.refused('NO_LISTING_AT_PRICE', 'quickBuy', { behalf, body })
    const hidden = tradeUrl('privat00', 39_734_275)
    await merchant.refused('NO_LISTING_AT_PRICE', 'quickBuy', {
      behalf,
      body: { ...body, tradeUrl: hidden },
    })
    await merchant.refused('TRADEURL_INVALID_TOKEN', 'quickBuy', {
      behalf,
      body: { ...body, tradeUrl: hidden, maxPrice: '900.00' },
    })
    for (const externalIds of [['a'], ['a', 'a'], ['a', 'b', 'c']]) {
      await merchant.refused('VALIDATION_FAILED', 'quickBuy', {
        behalf,
        body: { ...body, externalIds },
      })
    }
    await merchant.refused('VALIDATION_FAILED', 'quickBuy', {
      behalf,
      body: { ...body, phase: 'Ruby' },
    })
    assert.equal(await balanceOf(merchant, behalf), 100)
  })
})

describe('a preflight', () => {
  it('names the price that the buy then takes, and what is wrong with the rest', async () => {
    const { merchant } = stack
    const behalf = await aBuyer(merchant, 'careful')
    const { id: itemId } = await popularItem(behalf)
    const { items } = await merchant.get('listItemListings', { behalf, params: { itemId } })
    const listing = items[0]
    assert.ok(listing)
    const body = {
      tradeUrl: tradeUrl(),
      items: [
        { listingId: listing.id, maxPrice: '500.00' },
        { listingId: '999999999', maxPrice: '5.00' },
      ],
    }
    const tried = await merchant.get('preflightBuy', { behalf, body })
    assert.deepEqual(tried.refusals, ['LISTING_NOT_FOUND'])
    assert.equal(tried.items[0]?.price, listing.price)
    assert.equal(tried.recipient.state, 'ready')
    assert.equal(centsOf(tried.balance.after), 10_000 - centsOf(listing.price as number))
    assert.equal(await balanceOf(merchant, behalf), 100, 'nothing was taken')
    const hidden = await merchant.get('preflightBuy', {
      behalf,
      body: { ...body, tradeUrl: tradeUrl('privat00', 39_734_274) },
    })
    assert.equal(hidden.recipient.refusal, 'TRADEURL_INVALID_TOKEN')
  })
})
