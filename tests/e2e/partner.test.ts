// The partner interface on the whole service: a platform with children, its money to the cent, and both
// generations of the catalogue. Every answer is held against the contract by the client.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type PartnerRouteId, partnerRoutes } from '@tradepost/contract'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { forgetWorker, writeBeat } from '../../apps/server/src/operations/index.ts'
import { type Call, createPartnerClient, type PartnerClient } from '../support/client.ts'
import {
  aChildOf,
  balanceOf,
  buyBody,
  orderEventsOf,
  someListing,
  untilCode,
} from '../support/partner.ts'
import { shareStack } from '../support/shared-stack.ts'
import type { Stack } from '../support/stack.ts'
import { centsOf, tradeUrl } from '../support/trading.ts'
import { until } from '../support/until.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'
import { registerIsolation } from './partner/isolation.ts'
import { registerWallet } from './partner/wallet.ts'

const LOCK_POSTINGS = sql('test_lock_postings', 'lock table ledger.posting')

let stack: Stack
let partner: PartnerClient
let child: PartnerClient
let receiver: Receiver
before(async () => {
  const shared = await shareStack()
  stack = shared
  receiver = shared.partnerReceiver
  const { baseUrl } = stack.demo
  partner = createPartnerClient({ baseUrl, apiKey: stack.demo.partner.apiKey })
  child = createPartnerClient({ baseUrl, apiKey: stack.demo.partner.childApiKey })
})
after(() => stack.close())

describe('an order of a child', () => {
  it('costs base price, platform fee and partner fee, and pays the partner when it settles', async () => {
    const start = { child: await balanceOf(child), partner: await balanceOf(partner) }
    const stats = await partner.get('getPartnerStats')
    const listing = await someListing(child)
    const base = centsOf(listing.price)
    const share = (bps: number): number => Math.floor((2 * base * bps + 10_000) / 20_000)
    const [house, cut] = [share(300), share(200)]
    assert.equal(centsOf(listing.priceWithFee), base + house + cut)

    const call = { body: buyBody(listing), idempotencyKey: randomUUID() }
    const bought = await child.get('buyListing', call)
    assert.equal(bought.order.status, 'INITIATED')
    assert.deepEqual(bought.item, listing)
    assert.equal(await balanceOf(child), start.child - base - house - cut)
    assert.deepEqual(await child.get('buyListing', call), bought, 'a replay is the first answer')
    const pasted = { ...call, body: { ...(call.body as object), tradeUrl: ` ${tradeUrl()}#x` } }
    assert.deepEqual(
      await child.get('buyListing', pasted),
      bought,
      'its trade URL as it was pasted',
    )
    const other = { ...call, body: { ...(call.body as object), tradeUrl: tradeUrl('other000') } }
    await child.refused('IDEMPOTENCY_CONFLICT', 'buyListing', other)

    const order = await untilCode(child, bought.order.serviceOrderId, 'COMPLETED')
    assert.equal(order.item, listing.marketHashName)
    assert.equal(order.itemId, listing.itemId)
    assert.equal(centsOf(order.amount), base + house + cut)
    assert.deepEqual([order.cancelType, order.cancelReason, order.protectedCauser], [0, null, 0])
    assert.ok(order.settlementTime)
    assert.equal(await balanceOf(partner), start.partner + cut)

    const [fee] = (await partner.get('listLedger', { query: { type: 'fee', limit: 1 } })).items
    assert.deepEqual([fee?.direction, centsOf(fee?.amount ?? 0)], ['credit', cut])
    const now = await partner.get('getPartnerStats')
    assert.equal(now.orderAmount, stats.orderAmount + 1)
    assert.equal(centsOf(now.partnerRevenue), centsOf(stats.partnerRevenue) + cut)
    assert.equal(centsOf(now.volume), centsOf(stats.volume) + base + house + cut)
    const [row] = (await child.get('listTransactions')).transactions
    assert.deepEqual(
      [row?.type, row?.status, row && centsOf(row.price), row && centsOf(row.fee)],
      ['purchase', 'COMPLETED', base, house + cut],
    )
  })

  it('that is declined shows as FAILED, and is refunded less 2% of the whole price', async () => {
    const start = await balanceOf(child)
    const listing = await someListing(child)
    const { order } = await child.get('buyListing', { body: buyBody(listing, 'declin00') })
    const failed = await untilCode(child, order.serviceOrderId, 'FAILED')
    assert.deepEqual([failed.cancelType, failed.cancelReason], [1, 'OFFER_NOT_ACCEPTED'])
    const paid = centsOf(failed.amount)
    const penalty = Math.floor((2 * paid * 200 + 10_000) / 20_000)
    assert.equal(await balanceOf(child), start - penalty)
    const { transactions } = await child.get('listTransactions', { query: { limit: 1 } })
    assert.deepEqual(
      transactions.map(({ type, amount }) => [type, centsOf(amount)]),
      [['refund', paid - penalty]],
    )
    const events = await until('the refund is reported to the partner', () => {
      const all = orderEventsOf(
        receiver.received,
        stack.demo.partner.webhookSecret,
        order.serviceOrderId,
      )
      return all.some(({ type }) => type === 'order.refunded') ? all : null
    })
    assert.deepEqual(events.at(-1)?.data.refund, {
      amount: (paid - penalty) / 100,
      penalty: penalty / 100,
    })
    assert.equal(events.filter(({ type }) => type === 'order.updated').length, 4)
    assert.deepEqual(new Set(events.map(({ type }) => type)).size, 2)
    const { items } = await child.get('listLedger', { query: { limit: 2 } })
    assert.deepEqual(
      items.map(({ type, direction, balanceAfter }) => [type, direction, centsOf(balanceAfter)]),
      [
        ['refund', 'credit', start - penalty],
        ['purchase', 'debit', start - paid],
      ],
    )
  })

  it('is refused at any other price, at the other market, and without a trade URL', async () => {
    const listing = await someListing(child)
    const start = await balanceOf(child)
    for (const price of [listing.price + 0.01, listing.price - 0.01].map(
      (n) => Math.round(n * 100) / 100,
    )) {
      const { meta } = await child.refused('PRICE_MISMATCH', 'buyListing', {
        body: { ...(buyBody(listing) as object), price },
      })
      assert.deepEqual(meta, { listingId: listing.id, currentPrice: listing.price })
    }
    const market = listing.market === 'market_a' ? 'market_b' : 'market_a'
    await child.refused('LISTING_NOT_FOUND', 'buyListing', {
      body: buyBody({ ...listing, market }),
    })
    const { tradeUrl: _, ...without } = buyBody(listing) as Record<string, unknown>
    await child.refused('TRADEURL_REQUIRED', 'buyListing', { body: without })
    await child.refused('VALIDATION_FAILED', 'buyListing', {
      body: { ...without, price: 1.001, tradeUrl: tradeUrl() },
    })
    assert.equal(await balanceOf(child), start)
  })

  it('of v1 names the market, the method and the trade URL as v1 does', async () => {
    const listing = await someListing(child)
    const market = listing.market === 'market_a' ? 'market_a_short' : 'market_b'
    const body = {
      ...{ itemId: listing.id, price: listing.price, method: 'balance', market },
      tradeURL: `${tradeUrl()}&l=english#pasted`,
    }
    await child.refused('MARKET_UNAVAILABLE', 'buyListingV1', { body: { ...body, market: 'eco' } })
    const answer = await child.call('buyListingV1', { body })
    assert.equal(answer.data?.item.market, market)
    assert.match(answer.headers.get('deprecation') ?? '', /^@\d+$/)
    assert.equal(answer.headers.get('link'), '</v2/market/buy>; rel="successor-version"')
    await untilCode(child, answer.data?.order.serviceOrderId ?? '', 'COMPLETED')
    const { stats } = await child.get('getTransactionStats')
    assert.ok(stats.completed >= 2 && stats.failed >= 1)
  })

  it('races those of a merchant for one listing, and one of all wins', async () => {
    const listing = await someListing(child)
    const body = buyBody(listing)
    const [ofMerchant, ...ofPartner] = await Promise.all([
      stack.merchant.call('buy', {
        body: {
          tradeUrl: tradeUrl(),
          items: [{ listingId: listing.id, maxPrice: '500.00' }],
        },
      }),
      ...[child, partner, child, partner].map((client) => client.call('buyListing', { body })),
    ])
    const answers = [ofMerchant, ...ofPartner]
    assert.equal(answers.filter(({ error }) => error === null).length, 1)
    const keys = answers.flatMap(({ error }) => (error ? [error.key] : []))
    assert.deepEqual([...new Set(keys)], ['LISTING_NOT_FOUND'])
  })
})

it('events of an order go to the child’s endpoint, or else to its partner’s', async () => {
  const own = await startReceiver()
  try {
    const [apart, plain] = [await aChildOf(partner), await aChildOf(partner)]
    const set = await stack.ops('webhook:set', own.url, '--account', apart.apiKeyId)
    const secret = /whsec_[\w-]+/.exec(set)?.[0] ?? ''
    const listing = await someListing(child)
    const orders: string[] = []
    for (const [i, { client, apiKeyId }] of [apart, plain].entries()) {
      await partner.get('transferToChild', {
        body: { toApiKeyId: apiKeyId, amountCents: 5_000, idempotencyKey: randomUUID() },
      })
      // Of another item: lists are a quarter of a second old, and may still show what was just bought.
      const wanted = i === 0 ? listing : await someListing(child, '1.00', 20)
      const { order } = await client.get('buyListing', { body: buyBody(wanted, 'declin00') })
      orders.push(order.serviceOrderId)
    }
    const [first = '', second = ''] = orders
    const refunded = (receiver: Receiver, key: string, id: string) =>
      until('the refund is reported', () => {
        const events = orderEventsOf(receiver.received, key, id)
        return events.some(({ type }) => type === 'order.refunded') ? events : null
      })
    assert.ok((await refunded(own, secret, first)).length > 1)
    const partnerSecret = stack.demo.partner.webhookSecret
    assert.ok((await refunded(receiver, partnerSecret, second)).length > 1)
    assert.deepEqual(orderEventsOf(receiver.received, partnerSecret, first), [])
    assert.deepEqual(orderEventsOf(own.received, secret, second), [])
  } finally {
    await own.close()
  }
})

describe('children', () => {
  it('of ten calls at once with one e-mail address one is made, with one key', async () => {
    const email = `Ten-${randomUUID()}@example.com`
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        partner.get('createChild', { body: { email: i % 2 ? email : email.toLowerCase() } }),
      ),
    )
    assert.equal(new Set(answers.map(({ apiKeyId }) => apiKeyId)).size, 1)
    assert.equal(answers.filter(({ apiKey }) => apiKey !== undefined).length, 1)
    const { apiKey = '', apiKeyId, ...made } = answers.find((each) => each.apiKey) ?? answers[0]!
    assert.deepEqual([made.status, made.linkedUserId], ['active', null])
    assert.equal(
      (await createPartnerClient({ baseUrl: partner.baseUrl, apiKey: apiKey }).get('getProfile'))
        .profile.id,
      apiKeyId,
    )
  })

  it('are funded by e-mail address or key id, once for each idempotencyKey', async () => {
    const { client, email, apiKeyId } = await aChildOf(partner)
    const body = { toEmail: email.toUpperCase(), amountCents: 500, idempotencyKey: randomUUID() }
    const first = await partner.get('transferToChild', { body })
    assert.equal(first.userApiKeyId, apiKeyId)
    await partner.get('transferToChild', { body })
    const { toEmail: _, ...named } = { ...body, toApiKeyId: apiKeyId }
    await partner.get('transferToChild', { body: named })
    assert.equal(await balanceOf(client), 500)
    await partner.refused('IDEMPOTENCY_CONFLICT', 'transferToChild', {
      body: { ...body, amountCents: 501 },
    })
    const [row] = (await client.get('listLedger')).items
    assert.deepEqual(
      [row?.type, row?.amount, row?.balanceAfter, row?.reference],
      ['transfer_in', 5, 5, body.idempotencyKey],
    )
    const [out] = (await partner.get('listLedger', { query: { limit: 1 } })).items
    assert.deepEqual([out?.id, out?.type, out?.direction], [row?.id, 'transfer_out', 'debit'])
    for (const wrong of [
      { ...body, toApiKeyId: apiKeyId },
      { amountCents: 1, idempotencyKey: 'x' },
      { ...body, amountCents: 0 },
    ]) {
      await partner.refused('VALIDATION_FAILED', 'transferToChild', { body: wrong })
    }
  })

  it('of 32 transfers that would overdraw as many pass as the balance covers', async () => {
    const [rich, poor] = [await aChildOf(partner), await aChildOf(partner)]
    const balance = await balanceOf(partner)
    const amountCents = Math.floor(balance / 10)
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        partner.call('transferToChild', {
          body: {
            toApiKeyId: (i % 2 ? rich : poor).apiKeyId,
            amountCents,
            idempotencyKey: randomUUID(),
          },
        }),
      ),
    )
    const passed = answers.filter(({ error }) => error === null).length
    assert.equal(passed, Math.floor(balance / amountCents))
    assert.deepEqual(
      new Set(answers.flatMap(({ error }) => (error ? [error.key] : []))),
      new Set(['INSUFFICIENT_BALANCE']),
    )
    assert.equal(await balanceOf(partner), balance - passed * amountCents)
    assert.equal(
      (await balanceOf(rich.client)) + (await balanceOf(poor.client)),
      passed * amountCents,
    )
  })

  it('of one partner share its bound of dear reads', async () => {
    const children = await Promise.all([aChildOf(partner), aChildOf(partner)])
    const [refused, served] = await stack.database.db.transaction(async (tx) => {
      // The reads stay under way: one, eight that wait, and what is beyond is refused.
      await tx.query(LOCK_POSTINGS)
      let refused = 0
      const calls = Array.from({ length: 12 }, (_, i) =>
        (i % 2 ? children[0] : children[1]).client
          .call('listLedger', { query: { type: 'transfer_in' } })
          .then(({ status }) => {
            if (status === 503) refused++
            return status
          }),
      )
      await until('three were refused', () => (refused >= 3 ? true : null))
      return [refused, calls] as const
    })
    const statuses = await Promise.all(served)
    assert.equal(refused, 3)
    assert.equal(statuses.filter((status) => status === 200).length, 9)
  })

  it('of another partner are not found', async () => {
    for (const to of [{ toEmail: 'shop@other.example' }, { toApiKeyId: randomUUID() }]) {
      const { message } = await partner.refused('USER_NOT_FOUND', 'transferToChild', {
        body: { ...to, amountCents: 1, idempotencyKey: randomUUID() },
      })
      assert.equal(message, 'There is no such user.')
    }
  })
})

describe('keys', () => {
  it('of a child are refused where only the partner’s own may call', async () => {
    const top = Object.values(partnerRoutes).filter(({ access }) => access === 'top')
    assert.deepEqual(top.map(({ id }) => id).sort(), [
      ...['createChild', 'getItemOverview', 'getMarketHealth', 'getPartnerStats'],
      ...['listDepositRates', 'transferToChild'],
    ])
    for (const { id } of top) {
      await child.refused('FORBIDDEN', id as PartnerRouteId, { params: { id: '0'.repeat(16) } })
    }
  })

  it('belong to one interface, and a request carries one header', async () => {
    const { baseUrl, merchant } = stack.demo
    const keyOf = async (path: string, headers: Record<string, string>): Promise<string> => {
      const response = await fetch(baseUrl + path, { headers })
      const { error } = (await response.json()) as { error?: { key: string } }
      return `${response.status} ${error?.key}`
    }
    const [ofPartner, ofMerchant] = [stack.demo.partner.apiKey, merchant.apiKey]
    assert.equal(await keyOf('/v1/user', {}), '401 MISSING_API_KEY')
    assert.equal(await keyOf('/v1/user', { 'api-key': ofPartner }), '401 MISSING_API_KEY')
    assert.equal(await keyOf('/v1/user', { 'x-api-key': ofMerchant }), '401 INVALID_API_KEY')
    assert.equal(await keyOf('/merchant', { 'api-key': ofPartner }), '401 INVALID_API_KEY')
    const both = { 'api-key': ofMerchant, 'x-api-key': ofPartner }
    assert.equal(await keyOf('/v1/user', both), '401 INVALID_API_KEY')
    assert.equal(await keyOf('/merchant', both), '401 INVALID_API_KEY')
    assert.equal(await keyOf('/v2/nothing', { 'x-api-key': ofPartner }), '404 NOT_FOUND')
  })

  it('show the fees that hold: the child’s own, the partner’s, the default', async () => {
    const { fees } = await child.get('getFees')
    const { profile } = await partner.get('getProfile')
    assert.deepEqual(
      [fees.currentFee, fees.platformFee, fees.partnerFee, fees.withdrawFee, fees.isCustom],
      [5, 3, 2, 0.5, false],
    )
    assert.deepEqual(fees.inheritedFrom, { type: 'ApiKey', id: profile.id })
    const own = (await partner.get('getFees')).fees
    assert.deepEqual([own.currentFee, own.partnerFee, own.isCustom], [3, 0, true])
  })
})

describe('the catalogue', () => {
  it('is the same in both generations', async () => {
    const query = { q: 'ak', start: 1, end: 5, sort: 'priceDesc' }
    const { items, itemsCount } = await child.get('search', { query })
    const v1 = await child.get('searchV1', { query })
    assert.deepEqual([v1.items, v1.itemsCount], [items, itemsCount])
    assert.ok(items.length > 0 && items.length <= 5 && itemsCount >= items.length)
    const [first] = items
    assert.ok(first)
    const { listings } = await child.get('listListings', { query: { item: first.id } })
    assert.equal(listings[0]?.price, first.price)
    const old = await child.get('listListingsV1', { query: { item: first.id } })
    assert.deepEqual(
      old.listings.map(({ id }) => id),
      listings.map(({ id }) => id),
    )
    const { items: suggested } = await child.get('suggest', { query: { q: 'ak' } })
    assert.deepEqual((await child.get('suggestV1', { query: { q: 'ak' } })).items, suggested)
  })

  it('narrows by every filter, and refuses values that no item has', async () => {
    const total = async (query: Call['query']): Promise<number> =>
      (await child.get('search', { query: query ?? {} })).itemsCount
    const all = await total({})
    for (const query of [
      { team: 'CT' },
      { team: 'T' },
      { team: 'any' },
      { wear: 'Field-Tested' },
      { category: 'Normal' },
      { weapon: 'AK-47' },
      { itemType: 'Rifle' },
      { tags: 'Rifle,Field-Tested' },
      { minPrice: '5.00' },
      { maxPrice: '5.00' },
      { paintIndex: 282 },
    ]) {
      assert.ok((await total(query)) < all, JSON.stringify(query))
    }
    assert.equal(
      (await total({ team: 'CT' })) + (await total({ team: 'T' })) + (await total({ team: 'any' })),
      all,
    )
    for (const query of [
      { wear: 'Brand-New' },
      { tags: 'Nothing' },
      { rarity: 'None' },
      { end: 101 },
    ]) {
      await child.refused('VALIDATION_FAILED', 'search', { query })
    }
    const { meta } = await child.refused('VALIDATION_FAILED', 'searchV1', {
      query: { item_type: 'X' },
    })
    assert.equal((meta as { errors: { pointer: string }[] }).errors[0]?.pointer, '/item_type')
  })

  it('reads up to ten listings as they are now, an error for each that is not there', async () => {
    const { listings } = await child.get('listLiveListings')
    assert.ok(listings.length > 2)
    const wanted = listings
      .slice(0, 2)
      .map(({ itemId, id, market }) => ({ item: itemId, listing: id, market }))
    const [a] = wanted
    assert.ok(a)
    const { items } = await child.get('getListingDetails', {
      body: {
        items: [
          ...wanted,
          { ...a, item: '0'.repeat(16) },
          { ...a, listing: '999999999999' },
          { ...a, market: a.market === 'market_a' ? 'market_b' : 'market_a' },
        ],
      },
    })
    assert.deepEqual(
      items.map((each) => ('error' in each ? each.error : each.id)),
      [
        wanted[0]?.listing,
        wanted[1]?.listing,
        'ITEM_NOT_FOUND',
        'LISTING_NOT_FOUND',
        'LISTING_NOT_FOUND',
      ],
    )
    await child.refused('MARKET_UNAVAILABLE', 'getListingDetailV1', {
      query: { item: a.item, listing: a.listing, market: 'eco' },
    })
    const v1 = await child.get('listLiveListingsV1')
    assert.equal(v1.listingsCount, v1.listings.length)
  })

  it('shows an item, its variants, and every item in one answer', async () => {
    const { items: found } = await child.get('search', { query: { weapon: 'AK-47', end: 1 } })
    const [item] = found
    assert.ok(item)
    assert.equal((await child.get('getItem', { params: { id: item.id } })).item.id, item.id)
    const overview = await partner.get('getItemOverview', { params: { id: item.id } })
    assert.ok(overview.inStock)
    assert.ok(overview.variants.some(({ itemId }) => itemId === item.id))
    assert.ok(overview.variants.length > 1)
    const { items, itemsCount } = await child.get('listItems')
    assert.equal(Object.keys(items).length, itemsCount)
    assert.ok(items[item.marketHashName])
    const fast = await child.get('listItems', { query: { fastDeliveryOnly: true } })
    assert.ok(fast.itemsCount < itemsCount)
    assert.ok(Object.values(fast.items).every((each) => each.fastDelivery && each.price !== null))
  })
})

registerIsolation(() => ({ stack, partner, child }))
registerWallet(() => ({ stack, partner, child }))

describe('market health', () => {
  type Health = Awaited<ReturnType<typeof read>>
  const read = () => partner.get('getMarketHealth')
  const shows = (wanted: string, holds: (health: Health) => boolean): Promise<Health> =>
    until(`market health shows ${wanted}`, async () => {
      const now = await read()
      if (!holds(now)) throw new Error(JSON.stringify(now))
      return now
    })
  const isOk = () => shows('ok', ({ status }) => status === 'ok')

  it('is degraded while a worker that was killed has left its heartbeat, and says which', async () => {
    const ok = await isOk()
    for (const entry of Object.values(ok.markets)) {
      assert.ok(entry.commonConsumers > 0)
      assert.ok(entry.workers.every(({ heartbeat }) => (heartbeat?.balanceUsd ?? 0) > 0))
    }
    const { db } = stack.database
    const killed = { market: 'market_a', workerId: 'killed' } as const
    const beatAt = new Date(ok.ts - ok.markets.market_a.staleMs - 1)
    await writeBeat(db, { ...killed, beatAt, balanceMills: null, breaker: 'closed' })
    const { status, markets } = await read()
    assert.deepEqual(
      [status, markets.market_a.status, markets.market_b.status],
      ['degraded', 'degraded', 'ok'],
    )
    const worker = markets.market_a.workers.find(({ workerId }) => workerId === 'killed')
    assert.deepEqual(
      [worker?.status, worker?.consumerCount, worker?.heartbeat?.balanceUsd],
      ['stale-heartbeat', 0, null],
    )
    await forgetWorker(db, { ...killed, at: new Date(ok.ts) })
    assert.equal((await read()).status, 'ok')
  })

  it('follows the markets: an empty balance, no answer, an answer that comes too late', async () => {
    const { control } = stack
    const ofA = (wanted: string) =>
      shows(`market A ${wanted}`, ({ markets }) => markets.market_a.status === wanted)
    const balance = (await control.state()).markets.market_a.accounts[0]?.balance
    assert.ok(balance)
    // Two answers in a row that are late are the market's: meanwhile the other market has its faults.
    await control.setMarket('market_b', { latencyMs: 5000 })
    await control.setMarket('market_a', { balance: '0' })
    const empty = await ofA('degraded')
    assert.deepEqual([empty.status, empty.service.market_a], ['degraded', true])
    await control.setMarket('market_a', { balance, online: false })
    const offline = await ofA('down')
    assert.notEqual(offline.status, 'ok')
    assert.equal(offline.service.market_a, false)
    const down = await shows('down', ({ status }) => status === 'down')
    assert.deepEqual(down.service, { market_a: false, market_b: false })
    await control.setMarket('market_a', { online: true })
    const slow = await ofA('ok')
    assert.deepEqual([slow.status, slow.markets.market_b.status], ['degraded', 'down'])
    await control.setMarket('market_b', { latencyMs: 0 })
    await isOk()
  })
})
