// Sockets on three api processes: each receives everything once, whichever process it is on, and who loses
// its process finds the rest again at another.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { noValkey } from '../../apps/server/src/infra/testing/valkey-server.ts'
import { Tradepost } from '../../packages/sdk/src/index.ts'
import { followMarket } from '../../packages/sdk/src/live/index.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { type Frame, openReady, openSocket, tokenOf, wsUrl } from '../support/sockets.ts'
import { auditBooks, untilStocked } from '../support/stack.ts'
import { aBuyer, buyNext, stock, untilEnded } from '../support/trading.ts'
import { until } from '../support/until.ts'

const LISTING = sql(
  'test_listing',
  `select id from catalog.listing where market = 'market_b' and raw_id = $1`,
)

describe('sockets on three api processes', { skip: noValkey }, () => {
  let database: TestDatabase
  let cluster: Cluster
  before(async () => {
    database = await testDatabase({ poolSize: 2 })
    cluster = await startCluster({ database })
    await untilStocked(cluster.merchant, cluster.sandbox.control)
  })
  after(async () => {
    await cluster?.close()
    try {
      await auditBooks(database)
    } finally {
      await database.close()
    }
  })

  it('receive each change once, and each event of an account', async () => {
    const behalf = await aBuyer(cluster.merchant, 'cluster-sockets', '500.00')
    const token = await tokenOf(cluster.merchant, ['market', 'user'], behalf)
    // A token of one process opens sockets at all.
    const at = (path: '/market/live' | '/user/live', query: Readonly<Record<string, string>>) =>
      Promise.all(cluster.apis.map(({ baseUrl }) => openReady(wsUrl(baseUrl, path, query))))
    const markets = await at('/market/live', { token, scope: 'all' })
    const users = await at('/user/live', { token })
    const supply = await stock(cluster.sandbox.control, 'market_b')
    const { receipt } = await buyNext(cluster.merchant, { market: 'market_b', supply, behalf })
    await untilEnded(cluster.merchant, receipt.id)
    for (const user of users) {
      await user.frame('the end', ({ event }) => event === 'trade.settled')
      const events = user.frames.map(({ event }) => event)
      assert.equal(new Set(events).size, events.length, `each once: ${events.join()}`)
    }
    const { id } = supply.take()
    const [listing] = await database.db.query<{ id: bigint }>(LISTING, [id])
    const listingId = String(listing?.id)
    await cluster.sandbox.control.remove('market_b', id)
    for (const market of markets) {
      const isOfIt = ({ data }: Frame): boolean =>
        data.listingId === listingId || data.id === listingId
      await market.frame('its removal', (frame) => {
        return frame.event === 'market.remove' && isOfIt(frame)
      })
      // A listing may come back, for sale again; only then is it removed again.
      const events = market.frames
        .filter(isOfIt)
        .map(({ event }) => event)
        .join()
      assert.ok(!events.includes('market.remove,market.remove'), events)
    }
    await Promise.all([...markets, ...users].map((socket) => socket.end()))
  })

  it('count together: five of an account, wherever they are', async () => {
    const behalf = await aBuyer(cluster.merchant, 'cluster-caps', '1.00')
    const token = await tokenOf(cluster.merchant, ['market'], behalf)
    const address = (i: number) =>
      wsUrl(cluster.apis[i % 3]?.baseUrl ?? '', '/market/live', { token })
    const open = await Promise.all([0, 1, 2, 3, 4].map((i) => openReady(address(i))))
    for (const i of [0, 1, 2]) {
      assert.equal((await openSocket(address(i)).closed()).code, 4008)
    }
    await Promise.all(open.map((socket) => socket.end()))
  })

  it('lost with their process: the follower goes on at another, and misses nothing', async () => {
    const { apiKey } = cluster.demo.merchant
    const account = new Tradepost({ apiKey, baseUrl: cluster.baseUrl })
    const followers = Array.from({ length: 3 }, () => followMarket({ account, scope: 'watchlist' }))
    await Promise.all(followers.map(({ synced }) => synced))
    const victim = cluster.apis[0]
    victim?.signal('SIGKILL')
    await victim?.exited
    const { control } = cluster.sandbox
    for (const { id, priceMills } of (await control.listings('market_b', 200)).slice(0, 40)) {
      await control.setPrice('market_b', id, ((priceMills + 5000) / 1000).toFixed(2))
    }
    const reader = cluster.at(1)
    for (const { listings, stop } of followers) {
      await until(
        'it agrees with the route',
        async () => {
          const pages = await Promise.all(
            [1, 2].map((page) => reader.get('listLiveMarket', { query: { page, limit: 100 } })),
          )
          const rows = pages.flatMap(({ items }) => items)
          return (
            rows.length > 50 &&
            rows.length === listings.size &&
            rows.every((row) => isDeepStrictEqual(row, listings.get(row.id)))
          )
        },
        { everyMs: 250 },
      )
      stop()
    }
  })
})
