import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { systemClock } from '#infra/process/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { until } from '#infra/testing/until'
import { WAITING } from '#infra/testing/waiting'
import { newId } from '#kernel/id'
import { cents, sumCents } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import { auditTrades, pauseTrading, readTrades, resumeTrading } from '#trades'
import { type Buyer, createBuy } from './buy.ts'
import { createQuickBuy, type ItemForSale, type QuickBuy, type QuickOrder } from './quick-buy.ts'
import {
  balanceOf,
  closeAccount,
  givenBuyer,
  givenItem,
  givenListing,
  givenMerchant,
  testBuyDeps,
  testFindSeller,
} from './testing/buyers.ts'

let database: TestDatabase
let quickBuy: QuickBuy
let tenantId: string
const phases = new Map<string, string | null>()
/** What differs in its phase alone from the things without one. */
const siblings = new Map<string, ItemForSale>()

before(async () => {
  database = await testDatabase({ poolSize: 24 })
  const { db } = database
  quickBuy = createQuickBuy({
    ...testBuyDeps({ db, clock: systemClock }),
    findItem: (id) => (phases.has(id) ? { id, game: 'cs2', phase: phases.get(id) ?? null } : null),
    findSibling: (_, phase) => siblings.get(phase) ?? null,
    findSeller: (wanted) => testFindSeller(db, wanted),
  })
  tenantId = await givenMerchant(db)
})
after(async () => {
  assert.deepEqual(await auditTrades(database.db), [])
  await database.close()
})

const item = async (phase: string | null = null): Promise<string> => {
  const id = await givenItem(database.db, phase)
  phases.set(id, phase)
  return id
}
const buyer = (balance: bigint): Promise<Buyer> => givenBuyer(database.db, { tenantId, balance })
const order = (itemId: string, overrides: Partial<QuickOrder> = {}): QuickOrder => ({
  requestId: newId(),
  externalId: null,
  tradeUrl: null,
  itemId,
  phase: null,
  maxPrice: cents(100_000n),
  amount: 1,
  delivery: 'standard',
  externalIds: null,
  ...overrides,
})
const refused = (key: string) => (error: unknown) => error instanceof Refusal && error.key === key

const ITEMS = sql(
  'test.items',
  `select i.listing_id, i.market, t.price, i.sourcing_mills, t.external_id, t.status from buying.item i
   join trades.item t on t.id = i.id where i.trade_id = $1 order by t.position`,
)
interface Row {
  listing_id: bigint
  market: string
  price: bigint
  sourcing_mills: bigint
  external_id: string | null
}
const itemsOf = (tradeId: string): Promise<Row[]> => database.db.query<Row>(ITEMS, [tradeId])

describe('a quick-buy', () => {
  it('takes the cheapest of all markets, in the order of their prices, as one trade', async () => {
    const itemId = await item()
    for (const [priceMills, market] of [
      [3_000n, 'market_a'],
      [1_000n, 'market_b'],
      [2_000n, 'market_a'],
      [4_000n, 'market_b'],
    ] as const)
      await givenListing(database.db, { priceMills, market, itemId })
    const anna = await buyer(5_000n)
    const receipt = await quickBuy(
      anna,
      order(itemId, { amount: 3, externalIds: ['one', 'two', 'three'] }),
    )
    const items = await itemsOf(receipt.tradeId)
    assert.deepEqual(
      items.map(({ market, sourcing_mills, external_id }) => [market, sourcing_mills, external_id]),
      [
        ['market_b', 1_000n, 'one'],
        ['market_a', 2_000n, 'two'],
        ['market_a', 3_000n, 'three'],
      ],
    )
    assert.equal(receipt.total, 107n + 214n + 321n)
    assert.equal(await balanceOf(database.db, anna.accountId, 'spot'), 5_000n - receipt.total)
    assert.equal(await balanceOf(database.db, anna.accountId, 'escrow'), receipt.total)
    const [trade] = await readTrades(database.db, [receipt.tradeId])
    assert.deepEqual([trade?.status, trade?.total, trade?.items.length], ['initiated', 642n, 3])
    assert.equal(trade?.items[0]?.description.name, 'AK-47 | Redline')
  })

  it('buys what there is when there is less than was asked for', async () => {
    const itemId = await item()
    for (let i = 0; i < 2; i++) await givenListing(database.db, { priceMills: 1_000n, itemId })
    const receipt = await quickBuy(
      await buyer(5_000n),
      order(itemId, { amount: 4, externalIds: ['a', 'b', 'c', 'd'] }),
    )
    assert.equal(receipt.itemCount, 2)
    const items = await itemsOf(receipt.tradeId)
    assert.deepEqual(
      items.map(({ external_id }) => external_id),
      ['a', 'b'],
    )
  })

  it('for instant delivery leaves cheaper listings with standard delivery', async () => {
    const itemId = await item()
    await givenListing(database.db, { priceMills: 1_000n, itemId, delivery: 'standard' })
    await givenListing(database.db, { priceMills: 2_000n, itemId, delivery: 'instant' })
    const instant = await quickBuy(
      await buyer(5_000n),
      order(itemId, { amount: 2, delivery: 'instant' }),
    )
    assert.deepEqual([instant.itemCount, instant.total], [1, 214n])
    const standard = await quickBuy(await buyer(5_000n), order(itemId, { amount: 2 }))
    assert.deepEqual([standard.itemCount, standard.total], [1, 107n])
  })

  it('pays exactly maxPrice, and not a cent more', async () => {
    const itemId = await item()
    await givenListing(database.db, { priceMills: 10_000n, itemId })
    const anna = await buyer(5_000n)
    await assert.rejects(
      quickBuy(anna, order(itemId, { maxPrice: cents(1_069n) })),
      refused('NO_LISTING_AT_PRICE'),
    )
    assert.equal(await balanceOf(database.db, anna.accountId, 'spot'), 5_000n)
    const receipt = await quickBuy(anna, order(itemId, { maxPrice: cents(1_070n) }))
    assert.equal(receipt.total, 1_070n)
  })

  it('leaves the listings of a market that is away, and says so when there are no others', async () => {
    const itemId = await item()
    await givenListing(database.db, { priceMills: 1_000n, market: 'market_a', itemId })
    await givenListing(database.db, { priceMills: 9_000n, market: 'market_b', itemId })
    const { db } = database
    const anna = await buyer(5_000n)
    await db.script("update catalog.market set online = false where id = 'market_a'")
    try {
      const cheap = order(itemId, { maxPrice: cents(200n), tradeUrl: 'never asked about' })
      await assert.rejects(quickBuy(anna, cheap), (error: Refusal) => {
        assert.equal(error.key, 'MARKET_UNAVAILABLE')
        assert.deepEqual(error.details, { market: 'market_a' })
        return true
      })
      assert.equal(await balanceOf(db, anna.accountId, 'spot'), 5_000n)
      const tooCheap = order(itemId, { maxPrice: cents(50n) })
      await assert.rejects(quickBuy(anna, tooCheap), refused('NO_LISTING_AT_PRICE'))
      const { tradeId } = await quickBuy(anna, order(itemId, { amount: 2 }))
      assert.deepEqual(
        (await itemsOf(tradeId)).map(({ market }) => market),
        ['market_b'],
      )
    } finally {
      await db.script('update catalog.market set online = true')
    }
  })

  it('that the wallet cannot cover takes nothing, and says what it needs', async () => {
    const itemId = await item()
    for (let i = 0; i < 3; i++) await givenListing(database.db, { priceMills: 10_000n, itemId })
    const poor = await buyer(3_209n)
    await assert.rejects(quickBuy(poor, order(itemId, { amount: 3 })), (error: Refusal) => {
      assert.equal(error.key, 'INSUFFICIENT_BALANCE')
      assert.deepEqual(error.details, { requiredCents: 3_210n, availableCents: 3_209n })
      return true
    })
    const receipt = await quickBuy(await buyer(5_000n), order(itemId, { amount: 3 }))
    assert.equal(receipt.itemCount, 3, 'the listings are free again')
  })

  it('of an unknown item, or in a phase that it has not, is refused', async () => {
    const anna = await buyer(5_000n)
    await assert.rejects(quickBuy(anna, order('ffffffffffffffff')), refused('ITEM_NOT_FOUND'))
    const ruby = await item('Ruby')
    await givenListing(database.db, { priceMills: 1_000n, itemId: ruby })
    await assert.rejects(
      quickBuy(anna, order(ruby, { phase: 'Phase 1' })),
      refused('VALIDATION_FAILED'),
    )
    await assert.rejects(
      quickBuy(anna, order(await item(), { phase: 'Ruby' })),
      refused('VALIDATION_FAILED'),
    )
    assert.equal((await quickBuy(anna, order(ruby, { phase: 'Ruby' }))).itemCount, 1)
  })

  it('of a thing without a phase buys the thing that has the phase asked for', async () => {
    const plain = await item()
    const ruby = await item('Ruby')
    siblings.set('Ruby', { id: ruby, game: 'cs2', phase: 'Ruby' })
    await givenListing(database.db, { priceMills: 1_000n, itemId: plain })
    const listing = await givenListing(database.db, { priceMills: 3_000n, itemId: ruby })
    const anna = await buyer(5_000n)
    const same = order(plain, { phase: 'Ruby', amount: 2, externalId: 'of the sibling' })
    const receipt = await quickBuy(anna, same)
    siblings.clear()
    assert.deepEqual(
      (await itemsOf(receipt.tradeId)).map(({ listing_id }) => listing_id),
      [listing],
    )
    assert.equal((await quickBuy(anna, same)).tradeId, receipt.tradeId, 'a replay finds it again')
  })

  it('that finds nothing says so before the trade URL is asked about', async () => {
    const { db } = database
    const strict = createQuickBuy({
      ...testBuyDeps({ db, clock: systemClock }),
      resolveTradeUrl: async () => refuse('TRADEURL_INVALID_TOKEN'),
      findItem: (id) => ({ id, game: 'cs2', phase: null }),
      findSibling: () => null,
      findSeller: (wanted) => testFindSeller(db, wanted),
    })
    const itemId = await item()
    const anna = await buyer(0n)
    const bad = order(itemId, { tradeUrl: 'bad' })
    await assert.rejects(strict(anna, bad), refused('NO_LISTING_AT_PRICE'))
    await givenListing(db, { priceMills: 1_000n, itemId, delivery: 'standard' })
    await assert.rejects(
      strict(anna, { ...bad, delivery: 'instant' }),
      refused('NO_LISTING_AT_PRICE'),
    )
    await assert.rejects(strict(anna, bad), refused('TRADEURL_INVALID_TOKEN'))
    await assert.rejects(
      strict({ ...anna, primaryTradeUrl: null }, order(itemId)),
      refused('TRADEURL_REQUIRED'),
    )
    await assert.rejects(strict(anna, order(itemId)), refused('INSUFFICIENT_BALANCE'))
  })

  it('is refused for an account that was deleted meanwhile, with nothing escrowed', async () => {
    const itemId = await item()
    await givenListing(database.db, { priceMills: 1_000n, itemId })
    const gone = await buyer(0n)
    await closeAccount(database.db, gone.accountId, 'deleted')
    await assert.rejects(quickBuy(gone, order(itemId)), refused('USER_NOT_FOUND'))
    assert.equal(await balanceOf(database.db, gone.accountId, 'escrow'), 0n)
  })

  it('is refused while trading is paused', async () => {
    const itemId = await item()
    await givenListing(database.db, { priceMills: 1_000n, itemId })
    const { db } = database
    await pauseTrading(db, systemClock, 'a test')
    try {
      const fresh = createQuickBuy({
        ...testBuyDeps({ db, clock: systemClock }),
        findItem: (id) => ({ id, game: 'cs2', phase: null }),
        findSibling: () => null,
        findSeller: (wanted) => testFindSeller(db, wanted),
      })
      await assert.rejects(fresh(await buyer(5_000n), order(itemId)), refused('SERVICE_DISABLED'))
    } finally {
      await resumeTrading(db, systemClock, 'the test is over')
    }
  })

  it('said 16 times at once makes one trade and 16 equal answers', async () => {
    const itemId = await item()
    for (let i = 0; i < 40; i++) await givenListing(database.db, { priceMills: 1_000n, itemId })
    const anna = await buyer(50_000n)
    const same = order(itemId, { externalId: 'same', amount: 5 })
    const receipts = await Promise.all(Array.from({ length: 16 }, () => quickBuy(anna, same)))
    assert.equal(new Set(receipts.map(({ tradeId }) => tradeId)).size, 1)
    assert.equal(receipts.filter(({ replayed }) => !replayed).length, 1)
    assert.equal(await balanceOf(database.db, anna.accountId, 'spot'), 50_000n - 5n * 107n)
    await assert.rejects(quickBuy(anna, { ...same, amount: 6 }), refused('IDEMPOTENCY_CONFLICT'))
    await assert.rejects(
      quickBuy(anna, { ...same, itemId: 'ffffffffffffffff' }),
      refused('IDEMPOTENCY_CONFLICT'),
    )
  })
})

describe('quick-buys of a thin item at the same moment', () => {
  it('share its listings: each is sold once, all are sold, none above maxPrice', async () => {
    const itemId = await item()
    for (let i = 0; i < 40; i++)
      await givenListing(database.db, { priceMills: 1_000n + BigInt(i * 10), itemId })
    for (let i = 0; i < 5; i++) await givenListing(database.db, { priceMills: 9_000n, itemId })
    const buyers = await Promise.all(Array.from({ length: 24 }, () => buyer(50_000n)))
    const settled = await Promise.allSettled(
      buyers.map((who) => quickBuy(who, order(itemId, { amount: 3, maxPrice: cents(200n) }))),
    )
    const receipts = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    for (const one of settled) {
      if (one.status === 'rejected') assert.ok(refused('NO_LISTING_AT_PRICE')(one.reason))
    }
    const items = (await Promise.all(receipts.map(({ tradeId }) => itemsOf(tradeId)))).flat()
    assert.equal(items.length, 40)
    assert.equal(new Set(items.map(({ listing_id }) => listing_id)).size, 40)
    assert.ok(items.every(({ price }) => price <= 200n))
    assert.equal(
      sumCents(receipts.map(({ total }) => total)),
      items.reduce((sum, { price }) => sum + price, 0n),
    )
  })

  it('neither wait in a ring with baskets and feeds, nor lose a listing to them', async () => {
    const itemId = await item()
    const ids: bigint[] = []
    for (let i = 0; i < 60; i++)
      ids.push(
        await givenListing(database.db, { priceMills: 1_000n + BigInt((i * 37) % 60), itemId }),
      )
    const { db } = database
    const buy = createBuy(testBuyDeps({ db, clock: systemClock }))
    const tick = sql(
      'test.tick',
      `update catalog.listing l set price_mills = l.price_mills + $2
       from (select id from catalog.listing where id = any ($1::bigint[]) order by id for update) f where f.id = l.id`,
    )
    const buyers = await Promise.all(Array.from({ length: 16 }, () => buyer(50_000n)))
    const work = buyers.flatMap((who, i) => [
      quickBuy(who, order(itemId, { amount: 4 })),
      buy(who, {
        requestId: newId(),
        externalId: null,
        tradeUrl: null,
        items: [ids[i], ids[59 - i], ids[(i * 7) % 60]].map((id) => ({
          listing: { id: id as bigint },
          maxPrice: cents(100_000n),
          externalId: null,
        })),
      }),
      db.query(tick, [ids, i % 2 === 0 ? 1 : -1]),
    ])
    const settled = await Promise.allSettled<unknown>(work)
    for (const one of settled) {
      if (one.status === 'rejected' && !(one.reason instanceof Refusal)) throw one.reason
    }
    // A basket that lost one thing lets the others go, perhaps after all others have looked.
    await quickBuy(await buyer(50_000n), order(itemId, { amount: 60 })).catch((error: Refusal) =>
      assert.equal(error.key, 'NO_LISTING_AT_PRICE'),
    )
    const [sold] = await db.query<{ items: bigint; listings: bigint }>(
      sql(
        'test.sold',
        'select count(*) items, count(distinct listing_id) listings from buying.item i join trades.item t on t.id = i.id where t.catalog_item_id = $1',
      ),
      [itemId],
    )
    assert.equal(sold?.items, sold?.listings)
    assert.equal(sold?.items, 60n, 'every listing is sold, and once')
  })

  it('wait for a buyer who may yet let go', async () => {
    const itemId = await item()
    const id = await givenListing(database.db, { priceMills: 1_000n, itemId })
    const { db } = database
    let letGo: () => void = () => {}
    const isHeld = Promise.withResolvers<void>()
    const holding = db
      .transaction(async (tx) => {
        await tx.query(sql('test.hold', 'update catalog.listing set taken = true where id = $1'), [
          id,
        ])
        isHeld.resolve()
        await new Promise<void>((resolve) => {
          letGo = resolve
        })
        throw new Error('changed my mind')
      })
      .catch(() => {})
    await isHeld.promise
    const buying = quickBuy(await buyer(5_000n), order(itemId))
    await until('it waits', async () => (await db.query(WAITING)).length > 0)
    letGo()
    await holding
    assert.equal((await buying).itemCount, 1)
  })
})

describe('a quick-buy that loses each listing it waits for', () => {
  it('gives up after six, with nothing taken, though the next is still held', async () => {
    const itemId = await item()
    const { db } = database
    const holders: Holder[] = []
    for (let i = 0n; i < 7n; i++) {
      holders.push(await holdListing(await givenListing(db, { priceMills: 1_000n + i, itemId })))
    }
    const anna = await buyer(5_000n)
    const buying = quickBuy(anna, order(itemId))
    const outcome = assert.rejects(buying, refused('NO_LISTING_AT_PRICE'))
    for (const holder of holders.slice(0, 6)) {
      await holder.untilAwaited()
      await holder.keep()
    }
    await outcome
    await holders[6]?.keep()
    assert.equal(await balanceOf(db, anna.accountId, 'spot'), 5_000n)
    assert.equal(await balanceOf(db, anna.accountId, 'escrow'), 0n)
  })
})

interface Holder {
  /** Another session waits for this listing. */
  untilAwaited(): Promise<void>
  /** It is taken for good. */
  keep(): Promise<void>
}

async function holdListing(id: bigint): Promise<Holder> {
  const { db } = database
  const held = Promise.withResolvers<number>()
  const end = Promise.withResolvers<void>()
  const holding = db.transaction(async (tx) => {
    const [row] = await tx.query<{ pid: number }>(
      sql(
        'test.hold_listing',
        'update catalog.listing set taken = true where id = $1 returning pg_backend_pid() pid',
      ),
      [id],
    )
    held.resolve((row as { pid: number }).pid)
    await end.promise
  })
  const pid = await held.promise
  const awaited = sql(
    'test.awaited',
    'select count(*) from pg_stat_activity where $1::integer = any (pg_blocking_pids(pid))',
  )
  return {
    untilAwaited: async () => {
      for (const giveUpAt = Date.now() + 20_000; ; ) {
        const [row] = await db.query<{ count: bigint }>(awaited, [pid])
        if (row && row.count > 0n) return
        assert.ok(Date.now() < giveUpAt, 'another session waits for the listing')
      }
    },
    keep: async () => {
      end.resolve()
      await holding
    },
  }
}
