import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { pauseTrading, readTrades, resumeTrading } from '#trades'
import { closeAccount } from '../buying/testing/buyers.ts'
import { encodeAsset } from './item.ts'
import { createPolicyReader, writeBand, writeItemPolicy, writePolicy } from './policy.ts'
import { createSell, type SellDeps, type Seller } from './sell.ts'
import { auditSells } from './store/sells.ts'
import { aBot, anAsset, type ScriptedPlatform, scriptedPlatform } from './testing/platform.ts'
import { givenAssets, givenSeller, QUOTE, sellAssets, sellDeps } from './testing/sellers.ts'

const BOT = '76561190000000001'

let database: TestDatabase
let clock: ManualClock
let platform: ScriptedPlatform
let deps: SellDeps
let seller: Seller

before(async () => {
  database = await testDatabase({ poolSize: 20 })
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  platform = scriptedPlatform()
  deps = sellDeps(database.db, clock, platform)
  seller = await givenSeller(database.db)
})
afterEach(async () => assert.deepEqual(await auditSells(database.db), []))

const refusedWith =
  (key: string, details?: Readonly<Record<string, unknown>>) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.key, key)
    if (details) assert.deepEqual(error.details, details)
    return true
  }
const COUNT = sql('test.count_sells', 'select count(*)::int count from selling.sell')
const countSells = async (): Promise<number> => {
  const [row] = await database.db.query<{ count: number }>(COUNT)
  return row?.count ?? 0
}

describe('a sell is accepted', () => {
  it('as a trade of its items at their quotes, with its description, and moves no money', async () => {
    const assets = givenAssets(platform, seller, 3)
    const receipt = await sellAssets(deps, seller, assets, { externalId: 'one' })
    assert.deepEqual([receipt.itemCount, receipt.total, receipt.replayed], [3, 2400n, false])
    const [trade] = await readTrades(database.db, [receipt.tradeId])
    assert.deepEqual(
      [trade?.type, trade?.status, trade?.platformId, trade?.externalId, trade?.total],
      ['sell', 'initiated', seller.platformId, 'one', 2400n],
    )
    const item = trade?.items[0]
    assert.deepEqual(
      [item?.price, item?.status, item?.description.wear, item?.description.delivery],
      [800n, 'initiated', '0.2345', null],
    )
  })

  it('by encoded ids and by raw asset ids alike', async () => {
    const [first = '', second = ''] = givenAssets(platform, seller, 2)
    const receipt = await createSell(deps)(seller, {
      requestId: newId(),
      externalId: null,
      tradeUrl: null,
      items: [
        {
          asset: { id: encodeAsset({ contextId: '2', assetId: first, classId: '310776560' }) },
          price: QUOTE,
        },
        { asset: { assetId: second }, price: QUOTE },
      ],
    })
    assert.equal(receipt.itemCount, 2)
  })

  it('with the price that the policy has now: an exception of the operator holds within a second', async () => {
    const assets = givenAssets(platform, seller, 1)
    const change = (policy: { accepted?: boolean; quote?: bigint } | null) =>
      database.db.transaction((tx) =>
        writeItemPolicy(
          tx,
          '00000000000000aa',
          policy && {
            accepted: policy.accepted ?? true,
            discountBps: null,
            quote: policy.quote === undefined ? null : cents(policy.quote),
            reason: 'test',
          },
          clock.now(),
        ),
      )
    try {
      await change({ quote: 555n })
      clock.advance(1000)
      await assert.rejects(
        sellAssets(deps, seller, assets),
        refusedWith('PRICE_MISMATCH', { assetid: assets[0], currentPriceCents: 555n }),
      )
      await change({ accepted: false })
      clock.advance(1000)
      await assert.rejects(sellAssets(deps, seller, assets), refusedWith('SELL_ITEM_NOT_ACCEPTED'))
    } finally {
      await change(null)
    }
  })
})

describe('a sell is refused, and nothing is written,', () => {
  it('for every reason that there is', async () => {
    const before = await countSells()
    const [asset = ''] = givenAssets(platform, seller, 1)
    const attempt = (assetIds: string[], options = {}, who = seller) =>
      sellAssets(deps, who, assetIds, options)
    const own = (item: Parameters<typeof anAsset>[1], assetId = '1') =>
      platform.items.set(seller.platformId ?? '', [anAsset(assetId, item)])

    await assert.rejects(
      attempt([asset, asset]),
      refusedWith('DUPLICATE_LISTING_ID', { assetid: asset }),
    )
    await assert.rejects(
      attempt([asset], {}, { ...seller, platformId: null }),
      refusedWith('PLATFORM_ACCOUNT_NOT_LINKED'),
    )
    await assert.rejects(
      attempt([asset], {}, { ...seller, primaryTradeUrl: null }),
      refusedWith('TRADEURL_REQUIRED'),
    )
    const tradeUrl = 'https://steamcommunity.com/tradeoffer/new/?partner=7&token=accept00'
    await assert.rejects(attempt([asset], { tradeUrl }), refusedWith('TRADEURL_PLATFORM_MISMATCH'))
    await assert.rejects(attempt(['99']), refusedWith('SELL_ITEM_NOT_FOUND', { assetid: '99' }))
    await assert.rejects(
      attempt([asset], { price: cents(799n) }),
      refusedWith('PRICE_MISMATCH', { assetid: asset, currentPriceCents: 800n }),
    )
    platform.inventory = 'private'
    await assert.rejects(attempt([asset]), refusedWith('INVENTORY_PRIVATE'))
    platform.inventory = 'away'
    await assert.rejects(attempt([asset]), refusedWith('PLATFORM_UNAVAILABLE'))
    platform.inventory = 'public'
    for (const item of [
      { tradable: false },
      { contextId: '16' as const },
      { marketHashName: 'Unknown' },
    ]) {
      own(item)
      await assert.rejects(attempt(['1']), refusedWith('SELL_ITEM_NOT_ACCEPTED', { assetid: '1' }))
    }
    assert.equal(await countSells(), before)
  })

  it('of an encoded id whose asset is of another kind now', async () => {
    const [asset = ''] = givenAssets(platform, seller, 1)
    const id = encodeAsset({ contextId: '2', assetId: asset, classId: '1' })
    const order = { requestId: newId(), externalId: null, tradeUrl: null }
    await assert.rejects(
      createSell(deps)(seller, { ...order, items: [{ asset: { id }, price: QUOTE }] }),
      refusedWith('SELL_ITEM_NOT_FOUND'),
    )
  })

  it('for an account that was deleted meanwhile: its proceeds would be stranded', async () => {
    const gone = await givenSeller(database.db)
    const assets = givenAssets(platform, gone, 1)
    await closeAccount(database.db, gone.accountId, 'deleted')
    await assert.rejects(sellAssets(deps, gone, assets), refusedWith('USER_NOT_FOUND'))
  })

  it('of a merchant for itself that was closed meanwhile', async () => {
    const { tenantId } = seller
    const own: Seller = { ...seller, accountId: tenantId }
    const assets = givenAssets(platform, own, 1)
    await closeAccount(database.db, tenantId, 'deleted')
    await assert.rejects(sellAssets(deps, own, assets), refusedWith('USER_NOT_FOUND'))
  })

  it('while trading is paused', async () => {
    const assets = givenAssets(platform, seller, 1)
    await pauseTrading(database.db, clock, 'test')
    try {
      await assert.rejects(sellAssets(deps, seller, assets), refusedWith('SERVICE_DISABLED'))
      // The reader may remember for a moment; the commit never does.
      const hasty = { ...deps, isPaused: async () => false }
      await assert.rejects(sellAssets(hasty, seller, assets), refusedWith('SERVICE_DISABLED'))
    } finally {
      await resumeTrading(database.db, clock, 'test')
    }
  })

  for (const [what, details] of [
    ['all bots are offline', { online: false }],
    ['all bots are full', { freeSlots: 0 }],
    ['all bots have 30 offers out', { activeOffers: 30 }],
    ['all bots are restricted', { restrictedUntil: new Date('2027-01-01') }],
  ] as const) {
    it(`while ${what}`, async () => {
      const assets = givenAssets(platform, seller, 1)
      platform.bots.set(BOT, aBot(BOT, details))
      await assert.rejects(sellAssets(deps, seller, assets), refusedWith('SELL_NO_BOT_AVAILABLE'))
    })
  }
})

describe('an asset', () => {
  it('is in one open sell: of 20 at once one wins', async () => {
    const assets = givenAssets(platform, seller, 3)
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        sellAssets(deps, seller, i % 2 ? assets : assets.toReversed()),
      ),
    )
    const won = answers.filter((answer) => answer.status === 'fulfilled')
    assert.equal(won.length, 1)
    for (const answer of answers) {
      if (answer.status === 'rejected') refusedWith('SELL_ITEM_NOT_ACCEPTED')(answer.reason)
    }
  })
})

describe('a replay', () => {
  it('20 times at once makes one trade and 20 equal answers, whatever has become of the assets', async () => {
    const assets = givenAssets(platform, seller, 2)
    const receipts = await Promise.all(
      Array.from({ length: 20 }, () => sellAssets(deps, seller, assets, { externalId: 'again' })),
    )
    assert.equal(new Set(receipts.map((receipt) => receipt.tradeId)).size, 1)
    assert.equal(receipts.filter((receipt) => !receipt.replayed).length, 1)
    platform.items.clear()
    platform.inventory = 'away'
    const [first] = receipts
    const later = await sellAssets(deps, seller, assets, { externalId: 'again' })
    assert.deepEqual(
      [later.tradeId, later.total, later.createdAt],
      [first?.tradeId, first?.total, first?.createdAt],
    )
  })

  it('with another body is refused', async () => {
    const [first = '', second = ''] = givenAssets(platform, seller, 2)
    await sellAssets(deps, seller, [first], { externalId: 'mine' })
    await assert.rejects(
      sellAssets(deps, seller, [second], { externalId: 'mine' }),
      refusedWith('IDEMPOTENCY_CONFLICT'),
    )
  })
})

describe('the policy', () => {
  it('is read again when anything of it has changed, and not before', async () => {
    const { db } = database
    const read = createPolicyReader({ db, clock })
    const first = await read()
    clock.advance(1000)
    assert.equal(await read(), first)
    await db.transaction((tx) => writeBand(tx, 500, 1500))
    clock.advance(999)
    assert.equal(await read(), first)
    clock.advance(1)
    assert.deepEqual((await read()).bands[0], { leastVolume: 500, discountBps: 1500 })
    await db.transaction((tx) => writeBand(tx, 500, null))
    await db.transaction((tx) => writePolicy(tx, { buying: false }, clock.now()))
    clock.advance(1000)
    assert.equal((await read()).buying, false)
    await db.transaction((tx) => writePolicy(tx, { buying: true }, clock.now()))
  })
})
