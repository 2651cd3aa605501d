// The WebSockets of the whole service: access, frames, and close codes.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MarketListing } from '@tradepost/contract'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import {
  changeKey,
  issueKey,
  revokeKey,
} from '../../apps/server/src/modules/accounts/identity/index.ts'
import { compile } from '../../packages/contract/src/testing/validator.ts'
import { type Client, createClient } from '../support/client.ts'
import type { SandboxListing } from '../support/sandbox.ts'
import { shareStack } from '../support/shared-stack.ts'
import {
  type Frame,
  openReady,
  openSocket,
  type Socket,
  tokenOf,
  wsUrl,
} from '../support/sockets.ts'
import { explainMarket, type Stack } from '../support/stack.ts'
import { aBuyer, buyNext, type ListingSupply, stock, untilEnded } from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack
let supply: ListingSupply
before(async () => {
  stack = await shareStack()
  supply = await stock(stack.control, 'market_a')
})
after(() => stack.close())

const isMarketListing = compile(MarketListing)

/** A socket of the market, of the merchant itself or of a sub-user. */
async function market(
  query: Readonly<Record<string, string>> = {},
  behalf?: string,
): Promise<Socket> {
  const token = await tokenOf(stack.merchant, ['market'], behalf)
  return openReady(wsUrl(stack.demo.baseUrl, '/market/live', { token, ...query }))
}

const LISTING_ID = sql(
  'test_listing_id',
  'select id from catalog.listing where market = $1 and raw_id = $2 and (live and not taken or not $3)',
)
/** Null: the service has not got it, or does not offer it where that is asked. */
async function findListingId(
  market: string,
  rawId: string,
  { isLive }: { readonly isLive: boolean },
): Promise<string | null> {
  const { db } = stack.database
  const [row] = await db.query<{ id: bigint }>(LISTING_ID, [market, rawId, isLive])
  return row === undefined ? null : String(row.id)
}

const listingIdOf = async (market: string, rawId: string): Promise<string> =>
  (await findListingId(market, rawId, { isLive: false })) ??
  assert.fail(`${market}:${rawId} is a listing here`)

/**
 * The first of these that is for sale here: of what a market lists a few are locked, and never come, and what
 * a buy of ours has failed for stays taken.
 */
async function firstForSale(market: string, next: () => SandboxListing) {
  for (;;) {
    const { id: rawId } = next()
    const listingId = await findListingId(market, rawId, { isLive: true })
    if (listingId !== null) return { rawId, listingId }
  }
}

describe('the door of a socket', () => {
  const closingOf = async (path: '/market/live' | '/user/live', query: Record<string, string>) => {
    const socket = openSocket(wsUrl(stack.demo.baseUrl, path, query))
    const closing = await socket.closed()
    assert.deepEqual(socket.frames, [])
    return closing
  }

  it('is closed without a token', async () => {
    const missing = { code: 4001, reason: 'Missing token' }
    assert.deepEqual(await closingOf('/market/live', {}), missing)
    assert.deepEqual(await closingOf('/market/live', { token: '' }), missing)
    assert.deepEqual(await closingOf('/user/live', { scope: 'all' }), missing)
  })

  it('is closed to a token that is not ours, before its scope is looked at', async () => {
    const token = await tokenOf(stack.merchant, ['user'])
    const invalid = { code: 4001, reason: 'Invalid token' }
    for (const wrong of [
      'x',
      `${token}x`,
      `x${token}`,
      token.slice(0, -1),
      stack.merchant.apiKey,
    ]) {
      assert.deepEqual(await closingOf('/market/live', { token: wrong, scope: 'none' }), invalid)
    }
  })

  it('is closed to a scope that was not granted, or that there is not', async () => {
    const missing = { code: 4003, reason: 'Missing scope' }
    const user = await tokenOf(stack.merchant, ['user'])
    const forMarket = await tokenOf(stack.merchant, ['market'])
    assert.deepEqual(await closingOf('/market/live', { token: user }), missing)
    assert.deepEqual(await closingOf('/user/live', { token: forMarket }), missing)
    assert.deepEqual(await closingOf('/market/live', { token: forMarket, scope: 'none' }), missing)
  })

  it('lets five sockets of an account in, of each channel, and another when one is gone', async () => {
    const user = await aBuyer(stack.merchant, 'sockets-caps', '1.00')
    const token = await tokenOf(stack.merchant, ['market', 'user'], user)
    const address = (path: '/market/live' | '/user/live') =>
      wsUrl(stack.demo.baseUrl, path, { token })
    const open = await Promise.all(
      Array.from({ length: 5 }, () => openReady(address('/market/live'))),
    )
    assert.deepEqual(await closingOf('/market/live', { token }), { code: 4008, reason: 'Too many' })
    const own = await openReady(address('/user/live'))
    await open[0]?.end()
    open[0] = await until('a connection slot is free again', async () => {
      const socket = openSocket(address('/market/live'))
      return (await socket.greeted()) ? socket : null
    })
    await Promise.all([own, ...open].map((socket) => socket.end()))
  })

  it('is refused without an upgrade', async () => {
    for (const path of ['/market/live', '/user/live']) {
      const response = await fetch(`${stack.demo.baseUrl}${path}?token=x`)
      const { error } = (await response.json()) as { error: { key: string } }
      assert.deepEqual([response.status, error.key], [400, 'BAD_REQUEST'])
    }
  })

  it('does not open elsewhere', async () => {
    const socket = openSocket(wsUrl(stack.demo.baseUrl, '/market/live', {}).replace('/live', ''))
    assert.equal((await socket.closed()).code, 1006)
  })

  it('refuses tokens to the suspended, and to bodies of another shape', async () => {
    const user = await aBuyer(stack.merchant, 'sockets-suspended', '1.00')
    await stack.merchant.get('suspendSubUser', { params: { id: user } })
    await stack.merchant.refused('ACCOUNT_SUSPENDED', 'issueWsToken', { body: {}, behalf: user })
    for (const body of [
      { scopes: [] },
      { scopes: ['all'] },
      { scopes: ['user', 'user'] },
      { x: 1 },
    ]) {
      await stack.merchant.refused('VALIDATION_FAILED', 'issueWsToken', { body })
    }
  })
})

describe('a token', () => {
  it('says how long and for what it is good', async () => {
    const answer = await stack.merchant.get('issueWsToken', { body: {} })
    assert.deepEqual(answer.scopes, ['market'])
    assert.equal(answer.expiresIn, 300)
    const seconds = (Date.parse(answer.expiresAt) - Date.now()) / 1000
    assert.ok(seconds > 270 && seconds <= 301, `${seconds}`)
  })

  it('is not found in any log', async () => {
    const token = await tokenOf(stack.merchant, ['market'])
    const socket = await openReady(wsUrl(stack.demo.baseUrl, '/market/live', { token }))
    await socket.end()
    assert.ok(!stack.server().said().includes(token))
  })
})

describe('the market’s socket', () => {
  it('greets with its scope and the time', async () => {
    for (const scope of ['watchlist', 'all', 'filter']) {
      const socket = await market({ scope })
      const [ready] = socket.frames
      assert.deepEqual([ready?.event, ready?.data], ['market.ready', { scope }])
      assert.ok(Number.isInteger(ready?.ts) && Math.abs(Date.now() - (ready?.ts ?? 0)) < 30_000)
      await socket.end()
    }
    const socket = await market()
    assert.deepEqual(socket.frames[0]?.data, { scope: 'all' })
    await socket.end()
  })

  it('sends a new price as the account pays it, a removal, and a buy', async () => {
    const buyer = await aBuyer(stack.merchant, 'sockets-prices')
    const [own, users] = [await market(), await market({}, buyer)]
    const { rawId, listingId } = await firstForSale('market_a', supply.take)
    const isOf = (id: string, price?: number) => (frame: Frame) =>
      frame.data.id === id && (price === undefined || frame.data.price === price)
    // Its market may only just have been read: once both have received it, it is not new any more.
    await stack.control.setPrice('market_a', rawId, '20.00')
    await own.frame('an earlier price', isOf(listingId, 20.6))
    await users.frame('an earlier price', isOf(listingId, 21.4))
    await stack.control.setPrice('market_a', rawId, '10.00')
    // 3% of the house for the merchant; 5% and the merchant's 2% for a sub-user.
    const seen = await own.frame('the merchant’s price', isOf(listingId, 10.3))
    const usersFrame = await users.frame('the sub-user’s price', isOf(listingId, 10.7))
    for (const { event, data } of [seen, usersFrame]) {
      assert.equal(event, 'market.update')
      assert.ok(isMarketListing(data), JSON.stringify(data))
      assert.equal(data.referencePrice, null)
      for (const enriched of ['rarity', 'collection', 'fade', 'hardened']) {
        assert.ok(!(enriched in data), enriched)
      }
    }
    const shown = await stack.merchant.get('getListing', { params: { listingId }, behalf: buyer })
    const { rarity: _, collection: _1, fade: _2, ...rest } = shown
    assert.deepEqual(usersFrame.data, { ...rest, referencePrice: null })

    const listed = (await stack.control.listings('market_b', 50)).values()
    const { rawId: goneRawId, listingId: goneId } = await firstForSale(
      'market_b',
      () => listed.next().value ?? assert.fail('market B has something for sale'),
    )
    await stack.control.remove('market_b', goneRawId)
    const gone = await own.frame('the removal', ({ data }) => data.listingId === goneId)
    assert.equal(gone.event, 'market.remove')
    assert.match(String(gone.data.itemId), /^[0-9a-f]{16}$/)

    const bought = await buyNext(stack.merchant, { market: 'market_a', supply, behalf: buyer })
    const boughtId = await listingIdOf('market_a', bought.listing.id)
    await users.frame(
      'the buy',
      ({ event, data }) => event === 'market.remove' && data.listingId === boughtId,
    )
    await Promise.all([own.end(), users.end()])
  })

  it('sends to a filter its listings alone, as GET /market/listings shows them', async () => {
    const { rawId, listingId: id } = await firstForSale('market_a', supply.take)
    const [row] = await stack.database.db.query<{ item_id: string }>(
      sql('test_item_of_listing', 'select item_id from catalog.listing where id = $1'),
      [BigInt(id)],
    )
    const itemId = row?.item_id ?? ''
    const filter = { itemId, maxPrice: '15.00', market: 'market_a' }
    const [fitting, all] = [await market({ scope: 'filter', ...filter }), await market()]
    const isOf = (frame: Frame) => frame.data.id === id || frame.data.listingId === id
    await stack.control.setPrice('market_a', rawId, '10.00')
    const came = await fitting
      .frame('it fits', (frame) => isOf(frame) && frame.data.price === 10.3)
      .catch(async (error: Error) => {
        const frames = all.frames.filter(isOf).map(({ event, data }) => `${event} ${data.price}`)
        const known = await explainMarket(stack, 'market_a')
        throw new Error(`${rawId}, to all: ${frames.join(', ')}\n${known}`, { cause: error })
      })
    assert.ok(['market.new', 'market.update'].includes(came.event))
    const { items } = await stack.merchant.get('listMarketListings', {
      query: { itemId, minPrice: '10.30', maxPrice: '10.30', limit: 100 },
    })
    assert.deepEqual(
      items.find((one) => one.id === id),
      came.data,
    )
    await stack.control.setPrice('market_a', rawId, '30.00')
    await fitting.frame('it fits no more', (one) => isOf(one) && one.event === 'market.remove')
    await stack.control.setPrice('market_a', rawId, '40.00')
    await all.frame('the last price', (frame) => frame.data.id === id && frame.data.price === 41.2)
    for (const { data, event } of fitting.frames) {
      if (event === 'market.ready' || event === 'market.remove') continue
      assert.equal(data.itemId, itemId)
      assert.ok(Number(data.price) <= 15)
    }
    await Promise.all([fitting.end(), all.end()])
  })

  it('is closed to a filter that listings would be refused for', async () => {
    const token = await tokenOf(stack.merchant, ['market'])
    for (const query of [
      ...['minPrice=2&maxPrice=1', 'minWear=1.5', 'minWear=0.2&maxWear=0.1', 'market=steam'],
      ...['sort=newest', 'limit=5', 'page=1', 'weapon=Slingshot', 'itemId=x', 'constructor=1'],
      ...['maxPrice=1&maxPrice=1', `paintSeed=${Array(51).fill(1)}`, 'paintSeed=1001', 'q='],
      `${'ü'.repeat(90)}=1`,
    ]) {
      const address = `${wsUrl(stack.demo.baseUrl, '/market/live', { token, scope: 'filter' })}&${query}`
      const socket = openSocket(address)
      const { code, reason } = await socket.closed()
      assert.equal(code, 4003, query)
      const name = /^\w+/.exec(query)?.[0] ?? ''
      assert.ok(reason.startsWith(`Bad filter: ${name}`), `${query}: ${reason}`)
    }
  })

  it('is closed when the client sends a frame', async () => {
    for (const said of ['{}', '', 'x'.repeat(100_000)]) {
      const socket = await market()
      socket.say(said)
      assert.deepEqual(await socket.closed(), { code: 4002, reason: 'Read-only' })
    }
  })

  it('is closed when the sub-user is suspended', async () => {
    const user = await aBuyer(stack.merchant, 'sockets-suspend-me', '1.00')
    const token = await tokenOf(stack.merchant, ['market', 'user'], user)
    const open = [
      await openReady(wsUrl(stack.demo.baseUrl, '/market/live', { token })),
      await openReady(wsUrl(stack.demo.baseUrl, '/user/live', { token })),
    ]
    await stack.merchant.get('suspendSubUser', { params: { id: user } })
    for (const socket of open) assert.equal((await socket.closed()).code, 4001)
    const again = openSocket(wsUrl(stack.demo.baseUrl, '/market/live', { token }))
    assert.equal((await again.closed()).code, 4001)
  })
})

describe('a key that is revoked', () => {
  const aKey = async (): Promise<{ id: string; client: Client }> => {
    const { db } = stack.database
    const { id } = await stack.merchant.get('getMerchant')
    const key = await db.transaction((tx) =>
      issueKey(tx, {
        accountId: id,
        kind: 'merchant',
        name: 'another',
        environment: 'test',
        at: new Date(),
      }),
    )
    const { baseUrl } = stack.demo
    return { id: key.id, client: createClient({ baseUrl, apiKey: key.secret }) }
  }
  const socketOf = async (client: Client): Promise<Socket> =>
    openReady(
      wsUrl(stack.demo.baseUrl, '/user/live', { token: await tokenOf(client, ['user'], user) }),
    )
  let user: string
  before(async () => {
    user = await aBuyer(stack.merchant, 'sockets-of-two-keys')
  })

  it('takes its sockets and its tokens along, and leaves those of other keys', async () => {
    const [lost, kept] = [await aKey(), await aKey()]
    const token = await tokenOf(lost.client, ['user'], user)
    const [closing, staying] = [await socketOf(lost.client), await socketOf(kept.client)]
    await stack.database.db.transaction((tx) => revokeKey(tx, lost.id, new Date()))
    assert.deepEqual(await closing.closed(), { code: 4001, reason: 'Invalid token' })
    const again = openSocket(wsUrl(stack.demo.baseUrl, '/user/live', { token }))
    assert.equal((await again.closed()).code, 4001)
    // It still receives events.
    const { receipt } = await buyNext(stack.merchant, { market: 'market_a', supply, behalf: user })
    await staying.frame(
      'the buy',
      ({ data }) => (data.trade as { id?: string } | undefined)?.id === receipt.id,
    )
    await staying.end()
  })

  it('or no longer allowed where a token was asked for, closes that token’s sockets', async () => {
    const key = await aKey()
    const token = await tokenOf(key.client, ['user'], user)
    const socket = await openReady(wsUrl(stack.demo.baseUrl, '/user/live', { token }))
    const allow = (allowlist: readonly string[]) =>
      stack.database.db.transaction((tx) => changeKey(tx, key.id, { allowlist }, new Date()))
    await allow(['127.0.0.0/8', '::1/128'])
    await (await openReady(wsUrl(stack.demo.baseUrl, '/user/live', { token }))).end()
    await allow(['192.0.2.0/24'])
    assert.deepEqual(await socket.closed(), { code: 4001, reason: 'Invalid token' })
    const again = openSocket(wsUrl(stack.demo.baseUrl, '/user/live', { token }))
    assert.equal((await again.closed()).code, 4001)
  })
})

describe('the user’s socket', () => {
  it('sends the events of webhooks, of this account only', async () => {
    const [one, other] = [
      await aBuyer(stack.merchant, 'sockets-user-one'),
      await aBuyer(stack.merchant, 'sockets-user-other'),
    ]
    const socketOf = async (user: string): Promise<Socket> => {
      const token = await tokenOf(stack.merchant, ['user'], user)
      return openReady(wsUrl(stack.demo.baseUrl, '/user/live', { token }))
    }
    const [own, strange] = [await socketOf(one), await socketOf(other)]
    assert.deepEqual(own.frames[0]?.data, { scope: 'user' })
    const { receipt } = await buyNext(stack.merchant, { market: 'market_a', supply, behalf: one })
    await untilEnded(stack.merchant, receipt.id)
    await own.frame('the end', ({ event }) => event === 'trade.settled')
    const received = own.frames.slice(1)
    const posted = await until('the webhooks', () => {
      const all = stack.webhooks.of(receipt.id)
      return all.some(({ type }) => type === 'trade.settled') ? all : null
    })
    assert.deepEqual(
      received.map(({ event }) => event).sort(),
      posted.map(({ type }) => type).sort(),
    )
    for (const { event, data, ts } of received) {
      const same = posted.find(({ type }) => type === event)
      assert.equal(ts, Date.parse(same?.createdAt ?? ''))
      assert.deepEqual(Object.keys(data), Object.keys(same?.data ?? {}))
      assert.equal((data.trade as { id: string }).id, receipt.id)
    }
    assert.equal(strange.frames.length, 1, 'other accounts receive nothing')
    await Promise.all([own.end(), strange.end()])
  })
})
