// What a client makes of a snapshot and the frames is what the routes say: under churn, over the death of
// the worker that reads the feeds, of an api process with all its sockets, and of a market.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { seedDemo } from '../../apps/server/src/main/demo/seed.ts'
import { type MarketListing, Tradepost } from '../../packages/sdk/src/index.ts'
import { followMarket, type MarketFollower } from '../../packages/sdk/src/live/index.ts'
import { createClient } from '../support/client.ts'
import { MARKETS, type Sandbox, SMALL_DATASET, startSandbox } from '../support/sandbox.ts'
import { newSecretsKey, type Server, type Settings, startServer } from '../support/server.ts'
import { auditBooks, untilStocked } from '../support/stack.ts'
import { aBuyer, buyNext, stock } from '../support/trading.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'tradepost-live-'))
const secretsKey = newSecretsKey()
/** As many items as are followed in full. */
const ITEMS = 12

let database: TestDatabase
let sandbox: Sandbox
let settings: Settings
let worker: Server
const apis: Server[] = []
const clients: Tradepost[] = []
const followers: {
  readonly name: string
  readonly market: MarketFollower
  truth(): Promise<Map<string, MarketListing>>
}[] = []
let apiKey: string
let itemIds: string[]

before(async () => {
  database = await testDatabase({ poolSize: 2 })
  sandbox = await startSandbox()
  const credentials = await seedDemo({
    db: database.db,
    clock: systemClock,
    secrets: createSecretBox([Buffer.from(secretsKey, 'hex')]),
    webhooks: { demoUrl: null, allowPrivate: true },
  })
  apiKey = credentials.merchant.apiKey
  settings = {
    ...SMALL_DATASET,
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRETS_KEY: secretsKey,
    SANDBOX_PORT: String(sandbox.port),
  }
  worker = await startServer('worker', settings)
  apis.push(await startServer('api', settings), await startServer('api', settings))
  for (const { baseUrl } of apis) clients.push(new Tradepost({ apiKey, baseUrl }))
  for (const { baseUrl } of apis) {
    await untilStocked(createClient({ baseUrl, apiKey }), sandbox.control)
  }
  const plain = (await client(0).market.allPrices()).filter(
    ({ marketHashName, listingsCount }) => listingsCount > 3 && !marketHashName.includes('Doppler'),
  )
  itemIds = plain.slice(0, ITEMS).map(({ id }) => id)
  assert.equal(itemIds.length, ITEMS)
  const names = new Set(plain.slice(0, ITEMS).map(({ marketHashName }) => marketHashName))
  for (const [i, account] of clients.entries()) {
    followers.push({
      name: `watchlist at ${i}`,
      market: followMarket({ account, scope: 'watchlist' }),
      truth: () => rowsOf(client(1).market.live({ limit: 100 })),
    })
    followers.push({
      name: `all at ${i}`,
      market: followMarket({
        account,
        scope: 'all',
        items: itemIds,
        filter: ({ marketHashName }) => names.has(marketHashName),
      }),
      truth: async () => {
        const all = new Map<string, MarketListing>()
        for (const itemId of itemIds) {
          for (const [id, one] of await rowsOf(client(1).market.listings(itemId, { limit: 100 }))) {
            const { rarity: _, collection: _1, fade: _2, ...shown } = one
            all.set(id, { ...shown, referencePrice: null })
          }
        }
        return all
      },
    })
  }
  await Promise.all(followers.map(({ market }) => market.synced))
})

after(async () => {
  for (const { market } of followers) market.stop()
  await Promise.all([...apis, worker].map((server) => server.end()))
  await sandbox.child.end()
  await auditBooks(database)
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

const client = (i: number): Tradepost => {
  const found = clients[i]
  assert.ok(found)
  return found
}
const merchant = () => createClient({ baseUrl: apis[1]?.baseUrl ?? '', apiKey })

async function rowsOf(list: AsyncIterable<MarketListing>): Promise<Map<string, MarketListing>> {
  const rows = new Map<string, MarketListing>()
  for await (const row of list) rows.set(row.id, row)
  return rows
}

/** Every follower has what the routes say; nothing moves meanwhile. */
async function agree(when: string): Promise<void> {
  for (const { name, market, truth } of followers) {
    const differences = async (): Promise<string[]> => {
      const wanted = await truth()
      assert.ok(wanted.size > 20, `${name}: there is something to agree on`)
      const ids = new Set([...wanted.keys(), ...market.listings.keys()])
      return [...ids].filter((id) => !isDeepStrictEqual(wanted.get(id), market.listings.get(id)))
    }
    await until(
      `${name} agrees ${when}`,
      async () => {
        const different = market.isSynced ? await differences() : ['not synced']
        if (different.length === 0) return true
        throw new Error(`${different.length} differ, such as ${different.slice(0, 3).join()}`)
      },
      { everyMs: 250 },
    )
  }
}

let turn = 0
/** New prices and removals on both markets, as fast as they are taken. */
async function churn(times: number): Promise<void> {
  const known = await Promise.all(MARKETS.map((market) => sandbox.control.listings(market, 1000)))
  for (let i = 0; i < times; i++) {
    turn += 7
    const at = turn % 2
    const market = MARKETS[at] ?? 'market_a'
    const listing = known[at]?.[(turn * 31) % (known[at]?.length ?? 1)]
    assert.ok(listing)
    const isGone = turn % 5 === 0
    if (isGone) await sandbox.control.remove(market, listing.id).catch(() => {})
    else {
      const price = ((listing.priceMills * (80 + (turn % 40))) / 100_000).toFixed(2)
      await sandbox.control
        .setPrice(market, listing.id, price === '0.00' ? '0.01' : price)
        .catch(() => {})
    }
  }
}

it('agrees after churn and buys', async () => {
  const behalf = await aBuyer(merchant(), 'live', '500.00')
  const supply = await stock(sandbox.control, 'market_b')
  await Promise.all([
    churn(400),
    (async () => {
      for (let i = 0; i < 10; i++) await buyNext(merchant(), { market: 'market_b', supply, behalf })
    })(),
  ])
  await agree('after churn')
})

it('agrees after the worker was killed in the middle of it', async () => {
  const moving = churn(300)
  worker.signal('SIGKILL')
  await worker.exited
  worker = await startServer('worker', settings)
  await moving
  await agree('after the worker')
})

it('agrees after an api process was killed and its clients have come back', async () => {
  const moving = churn(300)
  const { port } = new URL(apis[0]?.baseUrl ?? '')
  apis[0]?.signal('SIGKILL')
  await apis[0]?.exited
  await churn(50)
  apis[0] = await startServer('api', { ...settings, PORT: port })
  await moving
  await agree('after the api')
})

it('agrees while a market is away, and when it is back', async () => {
  await sandbox.control.setMarket('market_b', { online: false })
  await until('the market is away', async () => {
    const { items } = await client(1).market.listings(itemIds[0] ?? '', { limit: 100 })
    return items.length < 100 && (await marketState()) === 'away'
  })
  await agree('without a market')
  await sandbox.control.setMarket('market_b', { online: true })
  await until('the market is back', async () => (await marketState()) === 'up')
  await agree('with the market')
})

async function marketState(): Promise<'up' | 'away'> {
  const [row] = await database.db.query<{ online: boolean }>(
    sql('test_market_online', `select online from catalog.market where id = 'market_b'`),
  )
  return row?.online ? 'up' : 'away'
}
