// Selling to the bots, through the wire and the platform's real protocol: what users do with an offer, what
// is paid and when, and which events are sent.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { SellInventoryResponse, Trade } from '@tradepost/contract'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { type Stack, startStack } from '../support/stack.ts'
import {
  balanceOf,
  centsOf,
  linkSeller,
  sellItems as sellAt,
  tradeUrl,
  untilEnded,
  untilRefused,
  untilServed,
  untilStatus,
} from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack

before(async () => {
  // Long enough that a delivery can be reverted in its hold on a busy machine.
  stack = await startStack(await testDatabase({ poolSize: 2 }), { HOLD_SECONDS: '4' })
})
after(() => stack.close())

let sellers = 0

interface Seller {
  readonly behalf: string
  readonly partner: number
  readonly inventory: SellInventoryResponse
  readonly accepted: SellInventoryResponse['items']
}

/** A sub-user with a platform account of its own, whose trade URL says what it does with offers. */
async function aSeller(token: string, currency: 'USD' | 'EUR' = 'USD'): Promise<Seller> {
  const { behalf, partner, url } = await aUser(token, currency)
  const accepted = await linkSeller(stack.merchant, behalf, url, 3)
  const inventory = await stack.merchant.get('getSellInventory', { behalf })
  return { behalf, partner, inventory, accepted }
}

/** One whose inventory nothing has read yet. */
async function aLinkedUser(token: string) {
  const user = await aUser(token)
  await untilServed('its trade URL is known', () =>
    stack.merchant.call('createTradeUrl', { behalf: user.behalf, body: { url: user.url } }),
  )
  return user
}

async function aUser(token: string, currency: 'USD' | 'EUR' = 'USD') {
  const { merchant } = stack
  const nth = ++sellers
  const behalf = `seller-${nth}`
  const partner = 50_000_000 + nth
  await merchant.get('createSubUser', { body: { externalId: behalf, currency } })
  return { behalf, partner, url: tradeUrl(token, partner) }
}

const priceOf = ({ price }: { readonly price: number }): string => price.toFixed(2)

const sellItems = (behalf: string, items: SellInventoryResponse['items'], externalId?: string) =>
  sellAt(stack.merchant, behalf, items, externalId)

const untilEvents = (trade: Trade, events: string): Promise<true> =>
  until(
    `trade ${trade.id} has the events "${events}"`,
    () => {
      const types = stack.webhooks.typesOf(trade.id).join(' ')
      if (types === events) return true
      throw new Error(`it has "${types}"`)
    },
    { everyMs: 100 },
  )

const sum = (items: readonly { readonly price: number }[]): number =>
  items.reduce((total, { price }) => total + centsOf(price), 0)
const halfUp = (cents: number, bps: number): number => Math.floor((cents * bps + 5000) / 10_000)

describe('what there is to sell', () => {
  it('is the inventory of the linked account with an offer for each item that the bots buy', async () => {
    const { inventory, accepted } = await aSeller('accept00')
    assert.equal(inventory.count, inventory.items.length)
    assert.ok(accepted.length < inventory.count, 'some items are not accepted')
    for (const item of accepted) {
      assert.ok(item.tradable && item.price > 0 && item.price < (item.marketPrice ?? 0))
    }
    const prices = await stack.merchant.get('listSellPrices', {})
    const byName = new Map(prices.map((price) => [price.marketHashName, price]))
    for (const item of accepted.filter(({ doppler }) => doppler === undefined)) {
      assert.deepEqual(byName.get(item.marketHashName), {
        marketHashName: item.marketHashName,
        deposit: item.price,
        accepted: true,
      })
    }
  })

  it('needs a linked account', async () => {
    await stack.merchant.get('createSubUser', { body: { externalId: 'unlinked' } })
    const behalf = 'unlinked'
    await stack.merchant.refused('PLATFORM_ACCOUNT_NOT_LINKED', 'getSellInventory', { behalf })
    const body = { items: [{ assetid: '1', price: '1.00' }] }
    await stack.merchant.refused('PLATFORM_ACCOUNT_NOT_LINKED', 'sell', { behalf, body })
  })
})

// Each with accounts of its own, at the platform too: they wait at once.
describe('a user who accepts', { concurrency: 3 }, () => {
  it('is paid after the hold, less the merchant’s fee, and every view shows the same', async () => {
    const { behalf, accepted } = await aSeller('accept00')
    const items = accepted.slice(0, 3)
    const receipt = await sellItems(behalf, items, 'sale-1')
    assert.deepEqual([receipt.status, receipt.itemCount, receipt.currency], ['initiated', 3, 'USD'])
    assert.equal(centsOf(receipt.totalPrice), sum(items))
    assert.deepEqual(await sellItems(behalf, items, 'sale-1'), receipt, 'a replay')

    const held = await untilStatus(stack.merchant, receipt.id, ['hold'])
    assert.equal(await balanceOf(stack.merchant, behalf), 0)
    assert.equal(new Set(held.items.map((item) => item.offerId)).size, 1, 'one offer for all')

    const trade = await untilEnded(stack.merchant, receipt.id)
    const fees = items.reduce((total, { price }) => total + halfUp(centsOf(price), 200), 0)
    assert.deepEqual([trade.status, trade.type], ['completed', 'sell'])
    assert.equal(centsOf(await balanceOf(stack.merchant, behalf)), sum(items) - fees)
    await untilEvents(trade, 'initiated pending active hold completed settled')
    const [, settled] = stack.webhooks.of(trade.id).filter(({ data }) => data.settlement)
    assert.deepEqual(settled?.data.settlement, { houseFeeCents: 0, merchantFeeCents: fees })
    assert.equal(settled?.data.trade.items.length, 3)

    const ledger = await stack.merchant.get('listWalletLedger', { behalf })
    assert.deepEqual(
      ledger.items.map((row) => row.type),
      ['trade_payout', 'trade_payout', 'trade_payout'],
    )
    const query = { type: 'sell', offerId: trade.items[0]?.offerId ?? '' }
    const listed = await stack.merchant.get('listMerchantTrades', { query })
    assert.deepEqual(listed.trades, [trade])
    const byName = { itemName: items[1]?.marketHashName ?? '', subUserId: behalf }
    const found = await stack.merchant.get('listMerchantTrades', { query: byName })
    assert.deepEqual(found.trades, [trade])
    const own = await stack.merchant.get('listTransactions', { behalf })
    assert.deepEqual(own.transactions, [trade])

    const params = { tradeId: trade.id }
    const { entries } = await stack.merchant.get('getTradeTimeline', { behalf, params })
    const [first] = trade.items
    assert.deepEqual(
      entries.filter((entry) => entry.itemId === first?.id).map((entry) => entry.what),
      ['moved', 'moved', 'known', 'moved', 'moved', 'trade_payout'],
    )

    const after = await stack.merchant.get('getSellInventory', { behalf })
    const left = new Set(after.items.map((item) => item.assetid))
    assert.ok(
      items.every((item) => !left.has(item.assetid)),
      'the items are gone',
    )
  })

  it('in euros is paid at the rate of the sell', async () => {
    const { behalf, accepted } = await aSeller('accept00', 'EUR')
    const receipt = await sellItems(behalf, accepted.slice(0, 1))
    assert.equal(receipt.currency, 'EUR')
    assert.ok(receipt.totalPrice < (accepted[0]?.price ?? 0), 'a dollar is less than a euro')
    await untilEnded(stack.merchant, receipt.id)
    const price = centsOf(receipt.totalPrice)
    assert.equal(centsOf(await balanceOf(stack.merchant, behalf)), price - halfUp(price, 200))
  })

  it('and reverses in the hold is paid nothing', async () => {
    const { behalf, accepted } = await aSeller('rvuser00')
    const receipt = await sellItems(behalf, accepted.slice(0, 2))
    const trade = await untilEnded(stack.merchant, receipt.id)
    assert.deepEqual([trade.status, trade.revertedBy], ['reverted', 'user'])
    assert.equal(await balanceOf(stack.merchant, behalf), 0)
    await untilEvents(trade, 'initiated pending active hold reverted')
  })
})

describe('a user who does not', { concurrency: 5 }, () => {
  for (const token of ['declin00', 'expire00']) {
    it(`${token}: keeps the items, and no money has moved`, async () => {
      const { behalf, accepted } = await aSeller(token)
      const receipt = await sellItems(behalf, accepted.slice(0, 2))
      const trade = await untilEnded(stack.merchant, receipt.id)
      assert.deepEqual([trade.status, trade.error], ['declined', 'OFFER_NOT_ACCEPTED'])
      assert.ok(trade.items.every((item) => item.refund === undefined))
      assert.equal(await balanceOf(stack.merchant, behalf), 0)
      await untilEvents(trade, 'initiated pending active declined')
      // The assets are free for the next try.
      const again = await sellItems(behalf, accepted.slice(0, 1))
      assert.notEqual(again.id, receipt.id)
      await untilEnded(stack.merchant, again.id)
    })
  }

  it('banned00: may not trade', async () => {
    const { behalf, accepted } = await aSeller('banned00')
    const receipt = await sellItems(behalf, accepted.slice(0, 1))
    const trade = await untilEnded(stack.merchant, receipt.id)
    assert.deepEqual([trade.status, trade.error], ['failed', 'STEAM_ACCOUNT_RESTRICTED'])
  })

  it('holdup00: would have the items held back', async () => {
    const { behalf, accepted } = await aSeller('holdup00')
    const receipt = await sellItems(behalf, accepted.slice(0, 1))
    const trade = await untilEnded(stack.merchant, receipt.id)
    assert.deepEqual([trade.status, trade.error], ['failed', 'BUYER_TRADE_RESTRICTED'])
  })

  it('manual00: decides when it likes', async () => {
    const { behalf, accepted } = await aSeller('manual00')
    const receipt = await sellItems(behalf, accepted.slice(0, 1))
    const active = await untilStatus(stack.merchant, receipt.id, ['active'])
    const offerId = active.offerId ?? ''
    await stack.merchant.refused('SELL_ITEM_NOT_ACCEPTED', 'sell', {
      behalf,
      body: { items: accepted.slice(0, 1).map((item) => ({ id: item.id, price: priceOf(item) })) },
    })
    const params = { tradeId: receipt.id }
    const canceled = await stack.merchant.get('cancelTrade', { behalf, params })
    assert.deepEqual(
      [canceled.cancelled, canceled.items[0]?.reason],
      [0, 'TRADE_NOT_CANCELLABLE'],
      'an offer that is out is the user’s to decline',
    )
    await stack.control.moveOffer(offerId, 'accept')
    await untilStatus(stack.merchant, receipt.id, ['hold'])
    await stack.control.revertOffer(offerId, 'user')
    const trade = await untilEnded(stack.merchant, receipt.id)
    assert.equal(trade.status, 'reverted')
  })
})

describe('a send that goes wrong', () => {
  const script = async (...next: string[]): Promise<void> => {
    const answer = await fetch(`${stack.demo.sandboxUrl}/control/platform/script`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ next }),
    })
    assert.ok(answer.ok, await answer.text())
  }

  for (const [word, rule, status, error] of [
    ['lost_reply_placed', 'an offer whose answer was lost is found and followed', 'completed'],
    ['lost_reply_not_placed', 'one that never was fails the items', 'failed', 'PURCHASE_FAILED'],
    ['reject:26', 'assets that are gone fail the items', 'failed', 'LISTING_UNAVAILABLE'],
    ['session_lost', 'a session that ended is renewed, and the offer sent', 'completed'],
  ] as const) {
    it(`${word}: ${rule}`, async () => {
      const { behalf, accepted } = await aSeller('accept00')
      await script(word)
      const receipt = await sellItems(behalf, accepted.slice(0, 2))
      const trade = await untilEnded(stack.merchant, receipt.id)
      assert.deepEqual([trade.status, trade.error], [status, error])
    })
  }
})

describe('a sell is refused', () => {
  it('for another price, an unknown asset, one named twice, or another account’s trade URL', async () => {
    const { behalf, accepted, inventory } = await aSeller('accept00')
    const [item] = accepted
    assert.ok(item)
    const refused = (key: Parameters<typeof stack.merchant.refused>[0], body: unknown) =>
      stack.merchant.refused(key, 'sell', { behalf, body })
    const line = { assetid: item.assetid, price: priceOf(item) }
    const mismatch = await refused('PRICE_MISMATCH', {
      items: [{ ...line, price: (item.price + 0.01).toFixed(2) }],
    })
    assert.deepEqual(mismatch.meta, { assetid: item.assetid, currentPrice: item.price })
    await refused('SELL_ITEM_NOT_FOUND', { items: [{ ...line, assetid: '999' }] })
    await refused('DUPLICATE_LISTING_ID', { items: [line, { id: item.id, price: line.price }] })
    await refused('TRADEURL_PLATFORM_MISMATCH', {
      items: [line],
      tradeUrl: tradeUrl('accept00', 7),
    })
    await refused('VALIDATION_FAILED', { items: [{ price: '1.00' }] })
    const unloved = inventory.items.find((one) => !one.accepted)
    assert.ok(unloved)
    await refused('SELL_ITEM_NOT_ACCEPTED', { items: [{ id: unloved.id, price: '1.00' }] })
  })

  it('of a private inventory, a suspended sub-user, and while the platform is away', async () => {
    const { behalf, accepted } = await aSeller('accept00')
    const other = await aLinkedUser('accept00')
    const body = {
      items: accepted.slice(0, 1).map((item) => ({ id: item.id, price: priceOf(item) })),
    }
    await stack.merchant.get('suspendSubUser', { params: { id: behalf } })
    await stack.merchant.refused('ACCOUNT_SUSPENDED', 'sell', { behalf, body })
    await stack.merchant.get('reactivateSubUser', { params: { id: behalf } })
    await stack.control.setPlatform({ online: false })
    try {
      await stack.merchant.refused('PLATFORM_UNAVAILABLE', 'getSellInventory', {
        behalf: other.behalf,
      })
      const { items } = await stack.merchant.get('getSellInventory', { behalf })
      assert.ok(items.length > 0, 'what was read a moment ago is answered')
    } finally {
      await stack.control.setPlatform({ online: true })
    }
    // The platform shows an inventory of which its owner says so.
    const url = tradeUrl('privat00', other.partner)
    await untilRefused('TRADEURL_INVALID_TOKEN', () =>
      stack.merchant.call('createTradeUrl', { behalf: other.behalf, body: { url } }),
    )
    await stack.merchant.refused('INVENTORY_PRIVATE', 'getSellInventory', { behalf: other.behalf })
    const items = body.items.map((item) => ({ ...item, price: '0.01' }))
    const untilKey = (is: (key: string | undefined) => boolean): Promise<true> =>
      until('the api knows the switch', async () => {
        const { error } = await stack.merchant.call('sell', { behalf, body: { items } })
        return is(error?.key)
      })
    await stack.ops('trading:pause', '--reason', 'test')
    try {
      await untilKey((key) => key === 'SERVICE_DISABLED')
    } finally {
      await stack.ops('trading:resume', '--reason', 'test')
    }
    await untilKey((key) => key !== 'SERVICE_DISABLED')
  })
})

describe('the operator', () => {
  it('decides what is paid, and sees what was bought', async () => {
    const { behalf, accepted } = await aSeller('accept00')
    const item = accepted.find(({ doppler }) => doppler === undefined)
    assert.ok(item)
    const said = await stack.ops(
      'selling',
      'item',
      item.marketHashName,
      '--price',
      '0.77',
      '--reason',
      'test',
    )
    assert.match(said, /0\.77/)
    try {
      const price = await until('the new price', async () => {
        const { items } = await stack.merchant.get('getSellInventory', { behalf })
        const now = items.find(({ assetid }) => assetid === item.assetid)
        return now?.price === 0.77 ? now : null
      })
      const receipt = await sellItems(behalf, [price])
      await untilEnded(stack.merchant, receipt.id)
      assert.match(await stack.ops('selling', 'stock', '--state', 'owned'), /0\.77 USD/)
      const shown = await stack.ops('trade', receipt.id)
      assert.match(shown, /\(sell\)/)
      assert.match(shown, /offer .*intent .*offerIntentId=/)
      assert.match(shown, /money .*proceeds/)
    } finally {
      await stack.ops('selling', 'item', item.marketHashName, '--clear')
    }
    assert.match(await stack.ops('selling', 'policy'), /The bots buy/)
  })
})

it('nothing is left over: the books are clean', () => stack.auditBooks())
