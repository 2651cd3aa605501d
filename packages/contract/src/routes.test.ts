import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TSchema } from 'typebox'
import { isErrorKey } from './errors.ts'
import { partnerRouteList } from './partner-routes.ts'
import { dashboardRouteList } from './routes/dashboard/index.ts'
import { dashboardOnlyRoutes } from './routes/dashboard-only.ts'
import { merchantRouteList, merchantRoutes } from './routes.ts'
import { sampleOf } from './testing/sample.ts'
import { compile } from './testing/validator.ts'

// What merchants call. A change here is a change for them.
const PROMISED = [
  ...[
    'GET /merchant',
    'GET /merchant/key',
    'GET /merchant/fees',
    'GET /merchant/stats',
    'GET /merchant/wallets',
  ],
  'GET /merchant/limits',
  ...['GET /merchant/users', 'POST /merchant/users', 'GET /merchant/users/{id}'],
  ...['PATCH /merchant/users/{id}', 'DELETE /merchant/users/{id}'],
  ...['POST /merchant/users/{id}/suspend', 'POST /merchant/users/{id}/reactivate'],
  ...['POST /merchant/users/{id}/fund', 'POST /merchant/users/{id}/defund'],
  ...['GET /merchant/users/{id}/trades', 'GET /merchant/users/{id}/ledger'],
  ...['GET /merchant/trades', 'GET /merchant/trades/{tradeId}', 'GET /merchant/ledger'],
  ...['GET /merchant/restores', 'GET /merchant/statements'],
  ...['GET /merchant/events', 'GET /merchant/events/{id}'],
  ...['POST /merchant/earnings/transfer', 'GET /user/wallet', 'GET /user/wallet/ledger'],
  ...['GET /user/settings/tradeurls', 'POST /user/settings/tradeurls'],
  ...['PATCH /user/settings/tradeurls/{id}', 'DELETE /user/settings/tradeurls/{id}'],
  ...['GET /market', 'GET /market/search', 'GET /market/search/suggestions', 'GET /market/prices'],
  ...['GET /market/items/{itemId}', 'GET /market/items/{itemId}/listings'],
  ...['GET /market/items/{itemId}/history', 'GET /market/listings/{listingId}'],
  ...['POST /market/items/lookup', 'GET /market/status', 'GET /market/listings'],
  ...['POST /market/preflight', 'POST /merchant/trades/lookup', 'POST /market/quick-buy'],
  ...['POST /market/orders', 'GET /market/orders', 'GET /market/orders/{orderId}'],
  ...['PATCH /market/orders/{orderId}', 'POST /market/orders/{orderId}/cancel'],
  'POST /market/transactions/{tradeId}/cancel',
  'GET /market/transactions/{tradeId}/timeline',
  'POST /market/transactions/{tradeId}/items/{itemId}/cancel',
  ...['GET /market/sell/prices', 'GET /market/sell/inventory', 'POST /market/sell'],
  ...['POST /market/buy', 'GET /market/transactions', 'GET /market/transactions/{tradeId}'],
  'POST /auth/ws-token',
  ...['GET /user/wallet/deposit/gate/chains', 'POST /user/wallet/deposit/gate/quote'],
  ...['POST /user/wallet/deposit/gate', 'POST /user/wallet/deposit/onramp/quote'],
  ...['POST /user/wallet/deposit/onramp', 'GET /user/wallet/deposit/crypto/address'],
  ...['GET /user/wallet/deposits', 'GET /user/wallet/deposits/{id}'],
  'POST /user/wallet/deposits/{id}/cancel',
  ...['POST /payout/crypto/withdrawals', 'GET /payout/crypto/withdrawals'],
  ...['GET /payout/crypto/withdrawals/{id}', 'GET /payout/crypto/balances'],
  ...['GET /payout/crypto/address', 'GET /payout/crypto/deposits'],
  ...['POST /payout/crypto/batches', 'GET /payout/crypto/batches/{id}'],
  'POST /payout/crypto/quote',
]

test('the interface has exactly the promised routes', () => {
  const actual = merchantRouteList.map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual([...actual].sort(), [...PROMISED].sort())
})

test('a route is found under its own id', () => {
  for (const [name, route] of Object.entries(merchantRoutes)) assert.equal(route.id, name)
})

test('every refusal of a route is in the catalogue, each once', () => {
  for (const route of merchantRouteList) {
    assert.ok(route.refusals.every(isErrorKey), route.id)
    assert.equal(new Set(route.refusals).size, route.refusals.length, route.id)
  }
})

test('routes below /merchant and /payout run as the merchant, all others may run as a sub-user', () => {
  for (const route of merchantRouteList) {
    const isMerchants = /^\/(merchant|payout)(\/|$)/.test(route.path)
    assert.equal(route.context, isMerchants ? 'merchant' : 'user', route.id)
    const refusal = isMerchants ? 'FORBIDDEN' : 'USER_NOT_FOUND'
    assert.ok(route.refusals.includes(refusal), route.id)
  }
})

test('the parameters of a path are those of its schema', () => {
  for (const route of merchantRouteList) {
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const { properties = {} } = (route.params ?? {}) as { properties?: Record<string, unknown> }
    assert.deepEqual(Object.keys(properties), inPath, route.id)
  }
})

test('bodies and queries refuse what they do not know', () => {
  for (const route of merchantRouteList) {
    for (const schema of [route.body, route.query]) {
      if (schema === undefined) continue
      const accepts = compile(schema)
      const sample = sampleOf(schema, 'bare') as object
      assert.ok(!accepts({ ...sample, unknownField: '1' }), route.id)
    }
  }
})

test('reads have no body', () => {
  for (const route of merchantRouteList) {
    if (route.method === 'GET' || route.method === 'DELETE') assert.equal(route.body, undefined)
  }
})

test('operations that move money without a reference in the body need an Idempotency-Key', () => {
  const withKey = merchantRouteList.filter((route) => route.headers !== undefined)
  assert.deepEqual(withKey.map(({ id }) => id).sort(), [
    'defundSubUser',
    'fundSubUser',
    'transferEarnings',
  ])
})

test('calls that reach suppliers or the platform cost 5, as does one for many items, all others 1', () => {
  const dear = merchantRouteList.filter(({ cost }) => cost === 5)
  assert.deepEqual(dear.map(({ id }) => id).sort(), [
    ...['buy', 'cancelItem', 'cancelTrade', 'createDeposit', 'createMarketOrder', 'createOnramp'],
    ...['createPayoutBatch', 'createTradeUrl', 'createWithdrawal'],
    ...['getSellInventory', 'listMarketListings', 'lookUpItems', 'quickBuy', 'quoteDeposit'],
    ...['quoteOnramp', 'sell'],
  ])
  assert.deepEqual(merchantRoutes.listPrices.dearer, { query: 'limit', equals: -1, cost: 5 })
})

test('a look at the limits and the status is free, and nothing else is', () => {
  const free = merchantRouteList.filter(({ cost }) => cost === 0)
  assert.deepEqual(
    free.map(({ id }) => id),
    ['getMerchantLimits', 'getServiceStatus'],
  )
})

test('the caps are those that the limits name, each under a policy of its own', () => {
  const caps = merchantRouteList.flatMap(({ id, cap }) => (cap === undefined ? [] : [{ id, cap }]))
  assert.deepEqual(Object.fromEntries(caps.map(({ id, cap }) => [id, cap.limit])), {
    createSubUser: 60,
    updateSubUser: 60,
    deleteSubUser: 30,
    suspendSubUser: 30,
    reactivateSubUser: 30,
    fundSubUser: 60,
    defundSubUser: 60,
    createTradeUrl: 100,
    updateTradeUrl: 100,
    deleteTradeUrl: 100,
    suggestItems: 1000,
    buy: 100,
    createMarketOrder: 100,
    quoteDeposit: 100,
    createWithdrawal: 30,
    createPayoutBatch: 30,
  })
  // A batch counts in the cap of single withdrawals.
  const own = caps.filter(({ id }) => id !== 'createPayoutBatch')
  assert.equal(new Set(own.map(({ cap }) => cap.policy)).size, own.length)
  assert.ok(caps.every(({ cap }) => cap.windowSeconds === 60))
})

test('no dashboard operation is also one of an API key', () => {
  for (const { methods, path } of dashboardOnlyRoutes) {
    for (const route of merchantRouteList) {
      const same = path.endsWith('*')
        ? route.path.startsWith(path.slice(0, -1))
        : route.path === path
      assert.ok(!(same && methods.includes(route.method)), `${path} and ${route.id}`)
    }
  }
})

describe('a query', () => {
  const query = (route: { query: TSchema }) => compile(route.query, { coerce: true })

  test('gets its defaults, so that handlers always see page and limit', () => {
    const asked: Record<string, unknown> = {}
    assert.ok(query(merchantRoutes.searchMarket)(asked))
    assert.deepEqual(asked, { page: 1, limit: 25, sort: 'relevance' })
    const listings: Record<string, unknown> = {}
    assert.ok(query(merchantRoutes.listItemListings)(listings))
    assert.deepEqual(listings, { page: 1, limit: 25, sort: 'priceAsc' })
  })
  test('has a limit of 1 to 100', () => {
    const accepts = query(merchantRoutes.listMerchantTrades)
    for (const limit of ['1', '25', '100']) assert.ok(accepts({ limit }), limit)
    for (const limit of ['0', '-1', '101', '1.5', 'x', '', '1e9'])
      assert.ok(!accepts({ limit }), limit)
  })
  test('of prices also takes -1', () => {
    const accepts = query(merchantRoutes.listPrices)
    for (const limit of ['-1', '1', '100']) assert.ok(accepts({ limit }), limit)
    for (const limit of ['0', '-2', '101']) assert.ok(!accepts({ limit }), limit)
  })
  test('has pages from 1', () => {
    const accepts = query(merchantRoutes.listSubUsers)
    for (const page of ['1', '2147483647']) assert.ok(accepts({ page }), page)
    for (const page of ['0', '-1', '2147483648', '9e99', 'x']) assert.ok(!accepts({ page }), page)
  })
  test('has a UUID as cursor', () => {
    const accepts = query(merchantRoutes.listMerchantLedger)
    assert.ok(accepts({ cursor: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d' }))
    for (const cursor of ['', 'x', '1']) assert.ok(!accepts({ cursor }), cursor)
  })
  test('of trades knows every documented filter', () => {
    const accepts = query(merchantRoutes.listMerchantTrades)
    const all = {
      ...{ type: 'sell', status: 'hold', hideResolved: 'true', subUserId: 'u', itemName: 'AK' },
      ...{ externalId: 'e', offerId: '1', tradeId: 'no uuid', from: '2026-11-21T00:00:00Z' },
      ...{ to: '2026-11-22T00:00:00+01:00', limit: '5' },
    }
    assert.ok(accepts({ ...all }))
    const wrong = { type: 'swap', status: 'done', hideResolved: 'yes', from: '2026-11-21' }
    for (const [name, value] of Object.entries(wrong)) {
      assert.ok(!accepts({ ...all, [name]: value }), name)
    }
    for (const name of ['subUserId', 'itemName', 'externalId', 'offerId', 'tradeId']) {
      assert.ok(accepts({ ...all, [name]: 'x'.repeat(128) }), name)
      assert.ok(!accepts({ ...all, [name]: 'x'.repeat(129) }), name)
      assert.ok(!accepts({ ...all, [name]: '' }), name)
    }
    const ofSubUser = query(merchantRoutes.listSubUserTrades)
    assert.ok(!ofSubUser({ subUserId: 'u' }))
  })
  test('of a search knows every documented filter', () => {
    const accepts = query(merchantRoutes.searchMarket)
    const all = {
      ...{
        q: 'ak red',
        sort: 'priceDesc',
        page: '2',
        limit: '10',
        minPrice: '0',
        maxPrice: '9.50',
      },
      ...{ itemType: 'Rifle', weapon: 'AK-47,AWP', exterior: 'Field-Tested', rarity: 'Covert' },
      ...{ category: 'Normal,StatTrak™', collection: 'The Cache Collection' },
      ...{ phase: 'Phase 1,Ruby', delivery: 'instant', inStock: 'true' },
    }
    assert.ok(accepts({ ...all }))
    const wrong = {
      ...{ sort: 'best', minPrice: '-1', maxPrice: '1e3', category: 'Shiny', phase: 'Phase 5' },
      ...{ delivery: 'fast', inStock: '2', q: '' },
    }
    for (const [name, value] of Object.entries(wrong)) {
      assert.ok(!accepts({ ...all, [name]: value }), name)
    }
  })
  test('of listings bounds wear and paint seed', () => {
    const accepts = query(merchantRoutes.listItemListings)
    assert.ok(accepts({ minWear: '0', maxWear: '1', paintSeed: '1000', hasStickers: 'false' }))
    for (const wrong of [
      { minWear: '-0.1' },
      { maxWear: '1.1' },
      { paintSeed: '1001' },
      { paintSeed: '1.5' },
    ]) {
      assert.ok(!accepts({ ...wrong }), JSON.stringify(wrong))
    }
  })
  test('of suggestions is 1 to 100 characters', () => {
    const accepts = query(merchantRoutes.suggestItems)
    for (const q of ['a', 'x'.repeat(100)]) assert.ok(accepts({ q }))
    for (const q of ['', 'x'.repeat(101)]) assert.ok(!accepts({ q }))
    assert.ok(!accepts({}))
  })
})

describe('a buy', () => {
  const accepts = compile(merchantRoutes.buy.body)
  const item = { listingId: '4700012345', maxPrice: '5.50' }

  test('has 1 to 10 items', () => {
    assert.ok(accepts({ items: [item] }))
    assert.ok(accepts({ items: Array.from({ length: 10 }, () => item) }))
    assert.ok(!accepts({ items: [] }))
    assert.ok(!accepts({ items: Array.from({ length: 11 }, () => item) }))
    for (const items of [undefined, null, {}, 'x', [null], [[]]]) assert.ok(!accepts({ items }))
  })
  test('names each listing in exactly one way', () => {
    const raw = { listingRawId: 'market_a:1', maxPrice: '5.50' }
    assert.ok(accepts({ items: [raw] }))
    assert.ok(!accepts({ items: [{ maxPrice: '5.50' }] }))
    assert.ok(!accepts({ items: [{ ...item, ...raw }] }))
  })
  test('needs a maxPrice above zero for each item', () => {
    for (const maxPrice of [undefined, null, 5.5, '0', '0.00', '-1', '1e2', '5,50']) {
      assert.ok(!accepts({ items: [{ ...item, maxPrice }] }), String(maxPrice))
    }
  })
  test('takes references of at most 128 characters', () => {
    const id = 'x'.repeat(128)
    assert.ok(accepts({ items: [{ ...item, externalId: id }], externalId: id }))
    assert.ok(!accepts({ items: [item], externalId: `${id}x` }))
    assert.ok(!accepts({ items: [{ ...item, externalId: `${id}x` }] }))
    assert.ok(!accepts({ items: [item], externalId: '' }))
  })
  test('refuses unknown fields at any depth', () => {
    assert.ok(!accepts({ items: [{ ...item, price: 1 }] }))
    assert.ok(!accepts({ items: [item], userId: 'x' }))
  })
})

test('only true makes a trade URL primary', () => {
  const accepts = compile(merchantRoutes.updateTradeUrl.body)
  assert.ok(accepts({ isPrimary: true }))
  for (const isPrimary of [false, 'true', 1, null, undefined]) assert.ok(!accepts({ isPrimary }))
})

test('an Idempotency-Key has 1 to 128 characters, and other headers pass', () => {
  const accepts = compile(merchantRoutes.fundSubUser.headers)
  assert.ok(accepts({ 'idempotency-key': 'x'.repeat(128), host: 'localhost' }))
  assert.ok(!accepts({ 'idempotency-key': 'x'.repeat(129) }))
})

test('a shape of a request names all that it takes', () => {
  for (const route of [...merchantRouteList, ...partnerRouteList, ...dashboardRouteList]) {
    for (const part of ['query', 'body'] as const) {
      const shape = route[part] as { type?: string; additionalProperties?: boolean } | undefined
      if (shape?.type === 'object') {
        assert.equal(shape.additionalProperties, false, `${part} of ${route.id}`)
      }
    }
  }
})
