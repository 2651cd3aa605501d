import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractFormats,
  dashboardRoutes,
  merchantRoutes,
  partnerRoutes,
} from '@tradepost/contract'
import fastJsonStringify from 'fast-json-stringify'
import { Type } from 'typebox'
import type { RouteShape } from './operation.ts'
import { createShapeCompiler, type RequestParts } from './shape.ts'

const shapes = createShapeCompiler(contractFormats('steamcommunity.com'))

const route = (change: Partial<RouteShape>): RouteShape => ({
  id: 'sample',
  method: 'POST',
  path: '/sample',
  response: Type.Object({}),
  ...change,
})

function run(shape: RouteShape, change: Partial<RequestParts> & { json?: unknown }) {
  const { json, ...parts } = change
  const request: RequestParts = {
    params: {},
    query: {},
    headers: {},
    url: '/sample',
    body:
      json === undefined ? undefined : { value: json, bytes: Buffer.from(JSON.stringify(json)) },
    ...parts,
  }
  const failure = shapes.compile(shape)(request)
  const errors = (failure?.meta?.errors ?? []) as {
    in: string
    pointer: string
    rule: string
    message: string
  }[]
  return { failure, errors, request, rules: errors.map((e) => `${e.in} ${e.pointer} ${e.rule}`) }
}

test('the shapes of every route compile, which its first call would otherwise find out', () => {
  const all: readonly RouteShape[] = [merchantRoutes, partnerRoutes, dashboardRoutes].flatMap(
    (routes) => Object.values<RouteShape>(routes),
  )
  for (const each of all) {
    shapes.compile(each)
    fastJsonStringify(each.response as object)
  }
})

test('a field whose format has several spellings arrives in its canonical one', () => {
  const url = 'https://steamcommunity.com/tradeoffer/new/?partner=7&token=accept00'
  const pasted = `\n${url.replace('?', '?l=english&')}#x`
  for (const [body, name] of [
    [merchantRoutes.createTradeUrl.body, 'url'],
    [merchantRoutes.buy.body, 'tradeUrl'],
    [merchantRoutes.preflightBuy.body, 'tradeUrl'],
    [merchantRoutes.quickBuy.body, 'tradeUrl'],
    [merchantRoutes.sell.body, 'tradeUrl'],
    [partnerRoutes.buyListing.body, 'tradeUrl'],
    [partnerRoutes.buyListingV1.body, 'tradeURL'],
  ] as const) {
    const { request, errors } = run(route({ body }), { json: { [name]: pasted } })
    assert.equal((request.body as { value: Record<string, unknown> }).value[name], url)
    assert.ok(!errors.some(({ pointer }) => pointer === `/${name}`))
  }
  const { errors } = run(route({ body: merchantRoutes.buy.body }), { json: { tradeUrl: 'x' } })
  assert.match(
    errors.find(({ pointer }) => pointer === '/tradeUrl')?.message ?? '',
    /^must be a valid trade-url, such as "https:\/\/steamcommunity\.com\/tradeoffer\/new\//,
  )
})

test('numbers and booleans of a query have one spelling', () => {
  const shape = route({
    query: Type.Object(
      {
        n: Type.Optional(Type.Integer({ minimum: -5 })),
        x: Type.Optional(Type.Number()),
        b: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
  })
  for (const [name, text, value] of [
    ['n', '0', 0],
    ['n', '-5', -5],
    ['n', '42', 42],
    ['x', '0.25', 0.25],
    ['x', '-3', -3],
    ['x', '0.30000001192092896', 0.30000001192092896],
    ['x', '0.0599999986588954925537109375000000000000', 0.05999999865889549],
    ['x', '2.5e-7', 2.5e-7],
    ['b', 'true', true],
    ['b', 'false', false],
  ] as const) {
    const { failure, request } = run(shape, { query: { [name]: text } })
    assert.equal(failure, null, text)
    assert.equal(request.query[name], value)
  }
  for (const [name, text] of [
    ...[
      '',
      ' 1',
      '1 ',
      '+1',
      '01',
      '-0',
      '1.0',
      '1e2',
      '0x10',
      '1e400',
      'NaN',
      '12345678901234567',
    ].map((text) => ['n', text]),
    ...[
      '.5',
      '5.',
      '1e2',
      '1e-',
      '1E-7',
      '1e-400',
      `0.${'1'.repeat(41)}`,
      'Infinity',
      '1,5',
      '',
    ].map((text) => ['x', text]),
    ...['1', 'TRUE', 'yes', ''].map((text) => ['b', text]),
  ] as [string, string][]) {
    assert.deepEqual(run(shape, { query: { [name]: text } }).rules, [`query /${name} type`], text)
  }
})

test('a body is never reinterpreted', () => {
  const shape = route({ body: Type.Object({ n: Type.Integer(), b: Type.Boolean() }) })
  assert.deepEqual(run(shape, { json: { n: '5', b: 'true' } }).rules, [
    'body /n type',
    'body /b type',
  ])
})

test('an amount that is sent as a number is refused, and the message shows the form', () => {
  const sell = (price: unknown) =>
    run(merchantRoutes.sell, { json: { items: [{ assetid: '1', price }] } }).errors
  for (const [price, rule] of [
    [12.5, 'type'],
    ['12,50', 'pattern'],
  ] as const) {
    const [problem] = sell(price)
    assert.deepEqual([problem?.pointer, problem?.rule], ['/items/0/price', rule])
    assert.match(problem?.message ?? '', /(such as|must look like) "5\.50"$/)
  }
  assert.deepEqual(sell('12.50'), [])
})

test('numbers that JSON can spell and no machine can hold are refused', () => {
  const shape = route({ body: Type.Object({ n: Type.Integer(), x: Type.Number() }) })
  const json = JSON.parse('{"n":1e400,"x":-1e400}')
  assert.deepEqual(run(shape, { json }).rules, ['body /n type', 'body /x type'])
})

test('a parameter that is given twice is refused', () => {
  const { rules } = run(merchantRoutes.searchMarket, {
    query: { limit: ['5', '6'], q: ['a', 'b'] },
  })
  assert.deepEqual(rules.sort(), ['query /limit repeated', 'query /q repeated'])
})

test('unknown fields and parameters are named', () => {
  const { rules } = run(merchantRoutes.createSubUser, {
    json: { 'a/b~c': 1 },
    query: { page: '1' },
  })
  assert.deepEqual(rules, [
    'query /page additionalProperties',
    'body /a~1b~0c additionalProperties',
  ])
})

test('names of the object prototype are unknown fields like any other', () => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty', '__proto__']) {
    const json = JSON.parse(`{"${name}":1}`)
    const { rules } = run(merchantRoutes.createSubUser, { json })
    assert.deepEqual(rules, [`body /${name} additionalProperties`])
  }
})

test('a route without a body takes none, or an empty object', () => {
  const { suspendSubUser } = merchantRoutes
  assert.equal(run(suspendSubUser, { params: { id: 'a' } }).failure, null)
  assert.equal(run(suspendSubUser, { params: { id: 'a' }, json: {} }).failure, null)
  assert.deepEqual(run(suspendSubUser, { params: { id: 'a' }, json: { why: 1 } }).rules, [
    'body /why additionalProperties',
  ])
  assert.deepEqual(run(suspendSubUser, { params: { id: 'a' }, json: [] }).rules, ['body  type'])
})

test('a missing body names the fields that it should have had', () => {
  assert.deepEqual(run(merchantRoutes.buy, {}).rules, ['body /items required'])
})

test('defaults are filled in', () => {
  const { request } = run(merchantRoutes.searchMarket, {})
  assert.deepEqual({ ...request.query }, { page: 1, limit: 25, sort: 'relevance' })
})

test('both or neither listing identifier is one problem of the item', () => {
  for (const ids of [{}, { listingId: '1', listingRawId: 'market_a:1' }]) {
    const { rules, failure } = run(merchantRoutes.buy, {
      json: { items: [{ ...ids, maxPrice: '1' }] },
    })
    assert.deepEqual(rules, ['body /items/0 exactlyOneOf'])
    assert.equal(failure?.status, 422)
  }
})

test('problems of all parts come together, twenty at the most', () => {
  const { rules } = run(merchantRoutes.fundSubUser, {
    params: { id: 'x'.repeat(129) },
    query: { q: '1' },
    headers: { 'idempotency-key': 'k'.repeat(129) },
    json: { amount: 5 },
  })
  assert.deepEqual(rules, [
    'path /id maxLength',
    'query /q additionalProperties',
    'header /idempotency-key maxLength',
    'body /amount type',
  ])
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, i]))
  assert.equal(run(merchantRoutes.createSubUser, { json: many }).errors.length, 20)
})

test('a missing or empty Idempotency-Key is a bad request and not a matter of shape', () => {
  for (const headers of [{}, { 'idempotency-key': '' }]) {
    const { failure } = run(merchantRoutes.fundSubUser, { headers, json: { bad: 1 } })
    assert.equal(failure?.key, 'BAD_REQUEST')
    assert.equal(failure?.status, 400)
  }
})

test('a refused value is never said back', () => {
  const secret = 'hunter2secret'
  const table: [RouteShape, Partial<RequestParts> & { json?: unknown }][] = [
    [
      merchantRoutes.buy,
      { json: { items: [{ listingId: secret, maxPrice: secret }], tradeUrl: secret } },
    ],
    [merchantRoutes.buy, { json: { items: secret } }],
    [merchantRoutes.createSubUser, { json: { email: secret, currency: secret } }],
    [merchantRoutes.searchMarket, { query: { sort: secret, limit: secret, category: secret } }],
    [merchantRoutes.getItem, { params: { itemId: secret } }],
  ]
  for (const [shape, parts] of table) {
    const { failure, errors } = run(shape, parts)
    assert.ok(errors.length > 0)
    assert.ok(!JSON.stringify(failure).includes(secret))
  }
})

test('an unknown name of a hundred kilobytes is clipped', () => {
  const { failure } = run(merchantRoutes.createSubUser, { json: { ['n'.repeat(100_000)]: 1 } })
  assert.ok(JSON.stringify(failure).length < 1000)
})

test('of a large refused body only the first problem is named, quickly', () => {
  const json = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 0]))
  const { errors } = run(merchantRoutes.createSubUser, { json })
  assert.equal(errors.length, 1)
})

test('NUL in a path or query is refused', () => {
  const shape = route({
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ q: Type.Optional(Type.String()) }),
  })
  const parts = { params: { id: 'a\0' }, query: { q: '\0' }, url: '/sample/a%00?q=%00' }
  assert.deepEqual(run(shape, parts).rules, ['path /id characters', 'query /q characters'])
})

test('an offset whose plus sign was not encoded is read as the plus that it was', () => {
  const times = route({ query: merchantRoutes.listMerchantTrades.query })
  const query = { from: '2026-11-01T02:00:00 02:00', to: '2026-11-01T02:00:00.5+02:00' }
  assert.equal(run(times, { query }).failure, null)
  assert.equal(query.from, '2026-11-01T02:00:00+02:00')
  assert.equal(query.to, '2026-11-01T02:00:00.5+02:00')
})

test('what is no time is answered with one that is, and a date alone is named', () => {
  const times = route({ query: merchantRoutes.listMerchantTrades.query })
  for (const [from, message] of [
    ['yesterday', 'must be a time such as 2026-11-01T00:00:00Z'],
    ['2026-11-01T02:00:00 2:00', 'must be a time such as 2026-11-01T00:00:00Z'],
    ['2026-11-01', 'must be a time such as 2026-11-01T00:00:00Z, not a date alone'],
  ]) {
    const { errors } = run(times, { query: { from } })
    assert.deepEqual(
      errors.map((error) => [error.pointer, error.message]),
      [['/from', message]],
    )
  }
})
