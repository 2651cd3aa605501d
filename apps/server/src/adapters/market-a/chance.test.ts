// Sellers at market A who deliver less often than we ask for: their listings are not for sale, and a purchase
// says how much we ask for.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { placeInTurn } from '../shared/testing/place-in-turn.ts'
import { CONTEXT, PURCHASE, startSupplier } from '../shared/testing/supplier-server.ts'
import { createMarketA } from './index.ts'

const NAME = 'AK-47 | Redline (Field-Tested)'
const ANSWERS: Readonly<Record<string, unknown>> = {
  'get-money': { success: true, money: 100, currency: 'USD' },
  'buy-for': { success: true, id: '11392691554', price: 50 },
  'USD.json': {
    ...{ success: true, time: 1_700_000_000, currency: 'USD', items: ['1.json'] },
    format: ['price', 'id', 'market_hash_name', 'chance_to_transfer'],
  },
  '1.json': [
    [100, 1, NAME, 89],
    [100, 2, NAME, 90],
    [100, 3, NAME, ''],
  ],
}

async function open(context: TestContext, leastChance: number) {
  const bought: URLSearchParams[] = []
  const { adapter } = await startSupplier(context, ({ url = '' }, reply) => {
    const { pathname, searchParams } = new URL(url, 'http://market')
    const method = pathname.split('/').at(-1) ?? ''
    if (method === 'buy-for') bought.push(searchParams)
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(ANSWERS[method] ?? {}))
  })
  const limits = { callSpacingMs: 0, takePermit: async () => assert.fail('there is no limit') }
  return { ...createMarketA({ ...adapter, ...limits, leastChance }), bought }
}

async function rawIdsOf(feed: Awaited<ReturnType<typeof open>>['feed']): Promise<string[]> {
  const ids: string[] = []
  for await (const chunk of feed.snapshot(new AbortController().signal)) {
    ids.push(...chunk.map(({ rawId }) => rawId))
  }
  return ids
}

test('a listing of a seller below the least chance is not for sale; one of whom nothing is said is', async (context) => {
  assert.deepEqual(await rawIdsOf((await open(context, 90)).feed), ['2', '3'])
  assert.deepEqual(await rawIdsOf((await open(context, 0)).feed), ['1', '2', '3'])
})

test('a purchase names the chance that it asks for, and none where all are taken', async (context) => {
  const strict = await open(context, 90)
  assert.equal((await placeInTurn(strict.market, PURCHASE, CONTEXT)).kind, 'accepted')
  assert.equal(strict.bought[0]?.get('chance_to_transfer'), '90')
  const any = await open(context, 0)
  assert.equal((await placeInTurn(any.market, PURCHASE, CONTEXT)).kind, 'accepted')
  assert.equal(any.bought[0]?.has('chance_to_transfer'), false)
})
