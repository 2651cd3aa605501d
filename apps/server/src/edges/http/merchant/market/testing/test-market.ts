// The routes of the market over two markets with a few listings, on a database of its own.
import assert from 'node:assert/strict'
import { Ajv2020 as Ajv } from 'ajv/dist/2020.js'
import { createCatalog, openCatalogueView, openListingsView } from '#catalog'
import { mills } from '#kernel/money'
import { manualClock } from '../../../../../infra/testing/clock.ts'
import { testDatabase } from '../../../../../infra/testing/database.ts'
import {
  chunksOf,
  DRAGON_LORE,
  REDLINE,
  RUBY,
  sourceItem,
  sourceListing,
  sourceOf,
} from '../../../../../modules/trading/catalog/testing/fixtures.ts'
import type { TradingAccount } from '../../../shared/principal.ts'
import { startTestServer, type TestAnswer } from '../../../shared/testing/server.ts'
import type { ResolveAccount } from '../../resolve-account.ts'
import { createMarketOperations } from '../market-operations.ts'

export const FADE = sourceItem({
  marketHashName: '★ Karambit | Fade (Factory New)',
  weapon: 'Karambit',
  itemType: 'Knife',
  rarity: 'Covert',
  exterior: 'Factory New',
  collection: null,
  volume: 1,
})
export const CASE = sourceItem({
  marketHashName: 'Recoil Case',
  weapon: null,
  itemType: 'Container',
  rarity: 'Base Grade',
  floatRange: null,
  paintIndex: null,
  referencePriceMills: mills(0n),
  volume: 9000,
})
export const ITEMS = [REDLINE, DRAGON_LORE, RUBY, FADE, CASE]

export const STICKER = {
  name: 'Sticker | Howl',
  slot: 2,
  wear: 0.5,
  iconUrl: 'https://cdn.example/s.png',
}
export const CHARM = { name: 'Charm | Lil Ava', pattern: 77, iconUrl: 'https://cdn.example/c.png' }
export const redlines = [
  sourceListing(REDLINE, {
    priceMills: mills(10_000n),
    wear: '0.30000001192092896',
    stickers: [STICKER],
  }),
  sourceListing(REDLINE, { priceMills: mills(10_501n), wear: null, charm: CHARM, paintSeed: 5 }),
  sourceListing(REDLINE, {
    priceMills: mills(12_000n),
    wear: '0.1599999964237213134765625',
    delivery: 'instant',
  }),
]
export const redlineOfB = sourceListing(REDLINE, {
  market: 'market_b',
  priceMills: mills(9_999n),
  wear: '0.20000000298023224',
})
export const others = [
  sourceListing(RUBY, { priceMills: mills(900_000n) }),
  sourceListing(FADE, { priceMills: mills(1_500_000n), paintSeed: 412 }),
  sourceListing(DRAGON_LORE, { priceMills: mills(7_000_000n), delivery: 'instant' }),
]

const account = (change: Partial<TradingAccount> = {}): TradingAccount => ({
  id: '019aa000-0000-7000-8000-000000000001',
  tenantId: '019aa000-0000-7000-8000-000000000001',
  role: 'merchant',
  status: 'active',
  currency: 'USD',
  platformId: null,
  houseFeeBps: 300,
  merchantBuyFeeBps: 0,
  merchantSellFeeBps: 0,
  primaryTradeUrl: null,
  ...change,
})
/** The merchant (3%), `alice` (3% and 2%), `jean` (the same in euros), `free` (no fees). */
const resolveAccount: ResolveAccount = async (_merchant, reference) => {
  const fees = { merchantBuyFeeBps: 200 }
  if (reference === 'alice') return account(fees)
  if (reference === 'jean') return account({ ...fees, currency: 'EUR' })
  if (reference === 'free') return account({ houseFeeBps: 0 })
  return account()
}

export type TestMarket = Awaited<ReturnType<typeof openTestMarket>>

export async function openTestMarket() {
  const clock = manualClock()
  const database = await testDatabase()
  const catalog = createCatalog({ db: database.db, clock })
  await catalog.refreshItems(sourceOf(ITEMS), null)
  for (const market of ['market_a', 'market_b'] as const) {
    await catalog.markMarket(market, { online: true, detail: '', balanceMills: null })
  }
  await catalog.openIngest('market_a').applySnapshot(chunksOf([...redlines, ...others]))
  await catalog.openIngest('market_b').applySnapshot(chunksOf([redlineOfB]))
  const view = await openCatalogueView({ db: database.db, clock, onError: assert.ifError })
  const listings = await openListingsView({ db: database.db, clock, onError: assert.ifError })
  const server = await startTestServer({
    resolveAccount,
    operations: Object.values(
      createMarketOperations({
        ...{ catalog, view, listings, clock },
        currentRate: async () => 1_250_000n,
      }),
    ),
  })
  const get = (path: string, headers: Record<string, string> = {}): Promise<TestAnswer> =>
    server.call('GET', path, { headers })
  return {
    ...{ clock, database, catalog, view, listings, server, get },
    // biome-ignore lint/suspicious/noExplicitAny: the shape is checked against the contract's schema
    data: async (path: string, headers?: Record<string, string>): Promise<any> => {
      const answer = await get(path, headers)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(Object.keys(answer.json), ['requestId', 'success', 'data'])
      assert.equal(answer.json.requestId, answer.headers.get('x-request-id'))
      return answer.json.data
    },
    refusal: async (path: string, status: number, key: string): Promise<TestAnswer> => {
      const answer = await get(path)
      assert.equal(answer.status, status, answer.text)
      assert.equal(answer.json.error?.key, key)
      return answer
    },
    close: async () => {
      await server.close()
      await Promise.all([view.stop(), listings.stop()])
      await database.close()
    },
  }
}

export const as = (name: string): Record<string, string> => ({ 'on-behalf-of': name })

const ajv = new Ajv({ strict: false, formats: { date: true, 'date-time': true } })
export function isOfShape(route: { readonly response: object }, value: unknown): void {
  // The contract leaves objects open for readers; here nothing that it does not name may be sent.
  const closed = JSON.parse(JSON.stringify(route.response), (_key, node) =>
    node?.type === 'object' ? { ...node, additionalProperties: false } : node,
  )
  assert.ok(ajv.validate(closed, value), JSON.stringify(ajv.errors))
}
