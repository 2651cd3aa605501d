// The markets' adapters against the sandbox program, with the call budget kept in a real database: what runs
// here is what runs in production.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createTakePermit } from '#infra/database/call-permits'
import { createReserveSlot } from '#infra/database/call-slots'
import { createHttpClient, type HttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { openGuard } from '#infra/testing/open-guard'
import { newId } from '#kernel/id'
import { mills } from '#kernel/money'
import type { FeedEvent, SourceItem } from '#ports/catalog'
import { createItemSource } from '../catalog-source/index.ts'
import { createRateSource } from '../fx/index.ts'
import { createMarketA, type MarketAOptions } from '../market-a/index.ts'
import { createMarketB, type MarketBOptions } from '../market-b/index.ts'
import { placeInTurn } from '../shared/testing/place-in-turn.ts'
import { wholePages } from '../shared/testing/whole-pages.ts'
import { eventually } from './environment.ts'
import { feedConformance, snapshotOf, tellsPrice, withChanges } from './feed.ts'
import { marketConformance } from './market.ts'
import { type SandboxProgram, startSandboxProgram } from './sandbox.ts'
import { statementsConformance } from './statements.ts'

const metrics = createMetrics()
let sandbox: SandboxProgram
let database: TestDatabase
let http: HttpClient
let closedPort = 0
let wakes = 0
const CONTEXT = { requestId: 'test', guard: openGuard }

before(async () => {
  http = createHttpClient({ log: silentLog, metrics })
  closedPort = await freePort()
  ;[sandbox, database] = await Promise.all([
    startSandboxProgram({
      // A hold outlasts the look that sees it, and the reversal that follows, on a busy machine too.
      HOLD_SECONDS: '5',
      SANDBOX_LISTINGS: '1600',
      SANDBOX_CHANGES_PER_SECOND: '0',
      // Every listing is to be compared: none trade locked, no change lost on the way.
      SANDBOX_MARKET_B_SETTINGS: '{"lockedOneIn":0,"feedGapOneIn":0}',
      SANDBOX_MARKET_B_CALLS_PER_MINUTE: '2400',
    }),
    testDatabase(),
  ])
})
after(async () => {
  await http.close()
  await sandbox.stop()
  await database.close()
})

const complaints: object[] = []
const items = () =>
  createItemSource({
    url: `${sandbox.url}/catalog/cs2/items.json`,
    log: { ...silentLog, warn: (fields) => void complaints.push(fields) },
  })

const marketA = (changes: Partial<MarketAOptions> = {}) =>
  createMarketA({
    baseUrl: `${sandbox.url}/market-a`,
    apiKey: 'sandbox-market-a',
    http,
    clock: systemClock,
    reserveSlot: createReserveSlot({ db: database.db, clock: systemClock }),
    takePermit: createTakePermit({ db: database.db, clock: systemClock }),
    rng: Math.random,
    log: silentLog,
    metrics,
    balanceMaxAgeMs: 0,
    cancelAfterMs: 3000,
    ...changes,
  })

const marketB = (changes: Partial<MarketBOptions> = {}) =>
  createMarketB({
    keepPages: wholePages,
    baseUrl: `${sandbox.url}/market-b`,
    apiKey: 'sandbox-market-b',
    http,
    clock: systemClock,
    reserveSlot: createReserveSlot({ db: database.db, clock: systemClock }),
    callsPerMinute: 2400,
    rng: Math.random,
    log: silentLog,
    metrics,
    balanceMaxAgeMs: 0,
    probeSpacingMs: 100,
    cancelAfterMs: 3000,
    // As the sandbox is played: its reversals are certain, and every listing is compared.
    penalties: 'believe',
    manualSellers: true,
    onWake: () => {
      wakes += 1
    },
    ...changes,
  })

test('the exchange rates of the day are believable', async () => {
  const url = `${sandbox.url}/fx/stats/eurofxref/eurofxref-daily.xml`
  const { usdPerEurMicros, asOf } = await createRateSource({ url, http }).fetch()
  assert.ok(usdPerEurMicros > 1_000_000n && usdPerEurMicros < 1_400_000n)
  assert.match(asOf, /^\d{4}-\d{2}-\d{2}$/)
  const lost = createRateSource({ url: `http://127.0.0.1:${closedPort}/`, http })
  await assert.rejects(lost.fetch())
})

test('the item list is read whole, each row of it, and once', async () => {
  const source = items()
  const fetched = await source.fetch(null)
  assert.ok(fetched !== null && fetched.items.length > 20_000)
  assert.equal(await source.fetch(fetched.etag), null)
  assert.deepEqual(complaints, [])
})

test('a list of the public form says of every item what our own form says, but its price', async () => {
  const url = `${sandbox.url}/catalog/public/en/`
  const log = { ...silentLog, warn: (fields: object) => void complaints.push(fields) }
  const published = createItemSource({ url, log })
  const [ours, theirs] = await Promise.all([items().fetch(null), published.fetch(null)])
  assert.ok(ours !== null && theirs !== null)
  assert.equal(theirs.unreadable, 0)
  const keyOf = ({ marketHashName, phase }: SourceItem) => `${marketHashName} ${phase}`
  const byKey = new Map(theirs.items.map((item) => [keyOf(item), item]))
  assert.equal(byKey.size, ours.items.length)
  for (const item of ours.items) {
    const { rarityColor, ...said } = byKey.get(keyOf(item)) ?? assert.fail(keyOf(item))
    const { rarityColor: color, ...rest } = item
    assert.deepEqual(said, { ...rest, referencePriceMills: null, volume: null })
    assert.equal(rarityColor, color.toLowerCase())
  }
  assert.equal(await published.fetch(theirs.etag), null)
  const [{ gameBook }, { gameBook: own }] = [published, items()]
  await Promise.all([gameBook.refresh(), own.refresh()])
  assert.deepEqual(gameBook.sticker(1), own.sticker(1))
})

test('both markets’ lists of prices are read whole, without a key', async () => {
  const { signal } = new AbortController()
  const [a, b] = await Promise.all(
    [marketA({ apiKey: 'none' }), marketB({ apiKey: 'none' })].map(({ prices }) =>
      prices.fetch(signal),
    ),
  )
  assert.ok(a && b)
  assert.deepEqual([a.unreadable, b.unreadable, b.madeAt], [0, 0, null])
  assert.ok(Math.abs((a.madeAt?.getTime() ?? 0) - Date.now()) < 600_000)
  assert.ok(a.prices.length > 1000 && b.prices.some(({ phase }) => phase !== null))
  assert.ok(b.prices.every(({ pricesMills }) => pricesMills.length === 2))
})

test('stickers and charms on listings have names and pictures', async () => {
  const { gameBook } = items()
  for (const feed of [marketA({ gameBook }).feed, marketB({ gameBook }).feed]) {
    const listings = [...(await snapshotOf(feed)).values()]
    const decorations = listings.flatMap(({ stickers, charm }) => [
      ...stickers,
      ...(charm === null ? [] : [charm]),
    ])
    assert.ok(decorations.length > 10)
    for (const { name, iconUrl } of decorations) {
      assert.match(name, /^(Sticker|Charm) \| /)
      assert.notEqual(iconUrl, '')
    }
  }
})

test('of market A nothing is for sale whose seller delivers less often than we ask for', async () => {
  const all = [...(await snapshotOf(marketA().feed)).values()]
  const strict = marketA({ leastChance: 95 })
  const likely = [...(await snapshotOf(strict.feed)).values()]
  assert.ok(likely.length > 0 && likely.length < all.length)
  assert.ok(likely.every(({ chance }) => typeof chance === 'number' && chance >= 95))
  const other = all.find(({ chance }) => typeof chance === 'number' && chance < 95)
  assert.ok(other)
  const purchase = {
    ...{ customId: newId(), rawListingId: other.rawId, marketHashName: other.marketHashName },
    ...{ ceilingMills: other.priceMills, partner: 12_345_678, token: 'accept00' },
  }
  const answer = await placeInTurn(strict.market, purchase, CONTEXT)
  assert.deepEqual(
    [answer.kind, 'code' in answer && answer.code],
    ['refused', 'LISTING_UNAVAILABLE'],
  )
})

const linkOf = (token: string, partner: number) => ({
  ...{ partner, token, platformId: String(76_561_197_960_265_728n + BigInt(partner)) },
  canonical: `https://steamcommunity.com/tradeoffer/new/?partner=${partner}&token=${token}`,
})

test('a trade link is checked at market B, which knows no name', async () => {
  const { tradeLinks } = marketB({ callsPerMinute: 0 })
  const ask = (token: string, partner = 4_242) =>
    tradeLinks.resolveTradeUrl(linkOf(token, partner), { requestId: 'test', tenantId: newId() })
  const good = await ask('accept00')
  assert.ok(good.kind === 'resolved')
  assert.deepEqual(
    [good.persona.platformId, good.persona.personaName, good.persona.avatarUrl],
    ['76561197960269970', '76561197960269970', ''],
  )
  // Beside a success, and without one.
  for (const partner of [10, 11]) {
    assert.equal((await ask('privat00', partner)).kind, 'refused')
    assert.equal((await ask('banned00', partner)).kind, 'refused')
    // It serves them not, which says nothing of their link.
    assert.equal((await ask('holdup00', partner)).kind, 'unavailable')
  }
  const { tradeLinks: astray } = marketB({ baseUrl: `http://127.0.0.1:${closedPort}` })
  const away = await astray.resolveTradeUrl(linkOf('accept00', 1), { requestId: 't', tenantId: '' })
  assert.equal(away.kind, 'unavailable')
})

test('trade links take a quarter of the calls of the account, and leave it the others', async () => {
  const { tradeLinks, market } = marketB({ callsPerMinute: 60 })
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      tradeLinks.resolveTradeUrl(linkOf('accept00', index + 1), { requestId: 't', tenantId: '' }),
    ),
  )
  const { resolved = [], unavailable = [] } = Object.groupBy(answers, ({ kind }) => kind)
  assert.ok(resolved.length >= 1 && resolved.length <= 2, `${resolved.length} were checked`)
  assert.equal(resolved.length + unavailable.length, 6)
  assert.ok('mills' in (await market.balance(CONTEXT)))
})

test('market A is called no more often than it allows, also when it reads at once what it got in seconds', async () => {
  // As two processes would.
  const markets = [marketA({ lookUpPatienceMs: 20_000 }), marketA({ lookUpPatienceMs: 20_000 })]
  const answers = markets.flatMap(({ market }) =>
    Array.from({ length: 6 }, () => market.balance(CONTEXT)),
  )
  await sandbox.standStill(2500)
  for (const answer of await Promise.all(answers)) {
    assert.ok('mills' in answer, 'our key was taken away')
  }
})

describe('the conformance of', { concurrency: 2 }, () => {
  describe('market A', { concurrency: 1 }, () => {
    const environment = () => sandbox.environment('market_a')
    feedConformance(
      'market A',
      once(() => ({ feed: marketA().feed, environment: environment() })),
    )
    marketConformance(
      'market A',
      once(() => ({
        market: marketA().market,
        impatient: marketA({ buyDeadlineMs: 500 }).market,
        astray: marketA({ baseUrl: `http://127.0.0.1:${closedPort}` }).market,
        environment: environment(),
      })),
    )

    statementsConformance(
      'market A',
      once(() => ({
        ...marketA(),
        astray: marketA({ baseUrl: `http://127.0.0.1:${closedPort}` }).statements,
        environment: environment(),
      })),
    )

    test('what changes of a listing whose seller seldom delivers is not reported', async () => {
      const { feed } = marketA({ leastChance: 95 })
      const likely = await snapshotOf(feed)
      const all = [...(await snapshotOf(marketA().feed)).values()]
      // Of one name, so that one look sees both.
      const [one, other] = all.flatMap((unlikely) => {
        if (likely.has(unlikely.rawId) || unlikely.phase !== null) return []
        const { marketHashName: name } = unlikely
        const [beside] = [...likely.values()].filter((each) => each.marketHashName === name)
        return beside === undefined ? [] : [beside.rawId, unlikely.rawId]
      })
      assert.ok(one && other)
      await withChanges(feed, async (seen) => {
        const reported = new Set<string>()
        for (const priceMills of [7_770, 8_880]) {
          await environment().setPrice(other, priceMills)
          await environment().setPrice(one, priceMills)
          await seen(`the price of ${one}`, (event) => {
            if (event.kind === 'upsert') reported.add(event.listing.rawId)
            else if (event.kind !== 'gap') reported.add(event.rawId)
            return tellsPrice(event, one, priceMills)
          })
        }
        assert.deepEqual([reported.has(one), reported.has(other)], [true, false])
      })
    })

    test('before its first export was read nothing is reported: beside no book every listing is new', async () => {
      const [ready, fresh] = [marketA().feed, marketA().feed]
      const known = [...(await snapshotOf(ready)).values()]
      const { rawId } = known.find(({ phase }) => phase === null) ?? assert.fail()
      const stop = new AbortController()
      const reported: FeedEvent[] = []
      const reading = (async () => {
        for await (const event of fresh.changes(stop.signal)) reported.push(event)
      })()
      try {
        await withChanges(ready, async (seen) => {
          for (const priceMills of [6_660, 5_550]) {
            await environment().setPrice(rawId, priceMills)
            await seen(`the price of ${rawId}`, (event) => tellsPrice(event, rawId, priceMills))
          }
        })
        assert.equal(reported.length, 0)
        await snapshotOf(fresh)
        await eventually('a later price', async () => {
          await environment().setPrice(rawId, 4_000 + reported.length)
          return reported.some((event) => event.kind === 'price' && event.rawId === rawId)
        })
        assert.ok(reported.every(({ kind }) => kind !== 'upsert'))
      } finally {
        stop.abort()
        await reading
      }
    })

    test('a token that expired is replaced, and the feed goes on', async () => {
      const { feed } = marketA()
      const stop = new AbortController()
      let gaps = 0
      const reading = (async () => {
        for await (const event of feed.changes(stop.signal)) if (event.kind === 'gap') gaps += 1
      })()
      try {
        await eventually('expiry', async () => {
          await environment().script('token_expired')
          return gaps > 0
        })
      } finally {
        stop.abort()
        await reading
      }
    })

    test('a key that the market refuses is said of our account and raises an alarm', async () => {
      const alarms: object[] = []
      const { market, feed } = marketA({
        apiKey: 'absent',
        log: { ...silentLog, error: (fields) => alarms.push(fields) },
      })
      const answer = await placeInTurn(market, anyPurchase(), CONTEXT)
      assert.ok(answer.kind !== 'unknown' && 'account' in answer && answer.account === 'forbidden')
      const { account } = await feed.health()
      assert.ok(account?.said.kind === 'refused' && account.said.because === 'forbidden')
      assert.ok(alarms.length > 0)
    })
  })

  describe('market B', { concurrency: 1 }, () => {
    const environment = () => sandbox.environment('market_b')

    feedConformance(
      'market B',
      once(() => ({ feed: marketB().feed, environment: environment() })),
    )
    marketConformance(
      'market B',
      once(() => ({
        market: marketB().market,
        impatient: marketB({ buyDeadlineMs: 500 }).market,
        astray: marketB({ baseUrl: `http://127.0.0.1:${closedPort}` }).market,
        environment: environment(),
      })),
    )

    statementsConformance(
      'market B',
      once(() => ({
        ...marketB(),
        astray: marketB({ baseUrl: `http://127.0.0.1:${closedPort}` }).statements,
        environment: environment(),
      })),
    )

    test('events of our orders wake the follower', async () => {
      const { market, feed } = marketB()
      const stop = new AbortController()
      const reading = (async () => {
        for await (const _ of feed.changes(stop.signal)) void _
      })()
      try {
        await eventually('a wake-up', async () => {
          const listing = await environment().takeListing()
          const purchase = { ...anyPurchase(), rawListingId: listing.id }
          await placeInTurn(
            market,
            { ...purchase, ceilingMills: mills(BigInt(listing.priceMills)) },
            CONTEXT,
          )
          return wakes > 0
        })
      } finally {
        stop.abort()
        await reading
      }
    })

    test('an address that the market forbids buys nothing, and what waits for it is no refusal', async () => {
      const alarms: object[] = []
      const log = { ...silentLog, error: (fields: object) => alarms.push(fields) }
      const { market, feed } = marketB({ log })
      const listing = await environment().takeListing()
      const purchase = { ...anyPurchase(), rawListingId: listing.id, token: 'manual00' }
      const wanted = { ...purchase, ceilingMills: mills(BigInt(listing.priceMills)) }
      await sandbox.control('PUT', '/markets/market_b', { forbidden: true })
      try {
        assert.equal((await placeInTurn(market, wanted, CONTEXT)).kind, 'not-sent')
        assert.equal((await feed.health()).account?.said.kind, 'refused')
        assert.ok(alarms.length > 0)
      } finally {
        await sandbox.control('PUT', '/markets/market_b', { forbidden: false })
      }
      const query = { ...purchase, orderId: null, offerSeen: false, acceptanceSeen: false }
      const answer = await market.lookUp([query], CONTEXT)
      assert.equal(answer.kind === 'read' && answer.orders.get(purchase.customId), 'absent')
      assert.equal((await placeInTurn(market, wanted, CONTEXT)).kind, 'accepted')
    })

    for (const [form, state] of [
      ['buyer', 'contested'],
      ['both', 'contested'],
      ['text', 'contested'],
      ['seller', 'reverted'],
      ['number', 'reverted'],
      ['list', 'reverted'],
      ['none', 'reverted'],
    ] as const) {
      test(`a reversal whose penalties are "${form}" is ${state} where they are not believed`, async () => {
        const { market } = marketB({ penalties: 'hold' })
        const listing = await environment().takeListing()
        await environment().script(`reversal_by:user+penalties:${form}`)
        const purchase = { ...anyPurchase(), rawListingId: listing.id }
        const ceilingMills = mills(BigInt(listing.priceMills))
        const placed = await placeInTurn(market, { ...purchase, ceilingMills }, CONTEXT)
        assert.ok(placed.kind === 'accepted')
        const query = {
          ...purchase,
          orderId: placed.orderId,
          offerSeen: true,
          acceptanceSeen: true,
        }
        const update = await eventually('the reversal', async () => {
          const answer = await market.lookUp([query], CONTEXT)
          const seen = answer.kind === 'read' ? answer.orders.get(purchase.customId) : undefined
          if (seen === undefined || seen === 'absent') return null
          return ['contested', 'reverted'].includes(seen.state) ? seen : null
        })
        const { revertedBy, failure } = update
        assert.deepEqual([update.state, failure], [state, null])
        assert.equal(revertedBy, state === 'contested' ? null : 'supplier')
        if (state === 'contested') assert.match(update.detail ?? '', /"penalties":/)
      })
    }

    test('without manual sellers only listings of bots are in its feed', async () => {
      const listings = [...(await snapshotOf(marketB({ manualSellers: false }).feed)).values()]
      const all = await snapshotOf(marketB().feed)
      assert.ok(listings.length > 0 && listings.length < all.size)
      assert.ok(listings.every(({ delivery }) => delivery === 'instant'))
    })

    test('a key that the market refuses is said of our account and raises an alarm', async () => {
      const alarms: object[] = []
      const { market, feed } = marketB({
        apiKey: 'absent',
        log: { ...silentLog, error: (fields) => alarms.push(fields) },
      })
      const answer = await placeInTurn(market, anyPurchase(), CONTEXT)
      assert.ok(answer.kind !== 'unknown' && 'account' in answer && answer.account === 'forbidden')
      const { account } = await feed.health()
      assert.ok(account?.said.kind === 'refused' && account.said.because === 'forbidden')
      assert.ok(alarms.length > 0)
    })
  })
})

const anyPurchase = () => ({
  customId: newId(),
  rawListingId: '1',
  marketHashName: 'AK-47 | Redline (Field-Tested)',
  ceilingMills: mills(1000n),
  partner: 1,
  token: 'accept00',
})

/** Suites ask for their subject in each test; it is made once, when the sandbox is up. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
