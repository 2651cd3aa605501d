// Several accounts at one market: which one an order goes to, and that it stays there.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents, mills } from '#kernel/money'
import { auditTrades, readTrades } from '#trades'
import type { Bought } from './buy.ts'
import { type AccountChanges, changeAccount, noteReading } from './keep-account.ts'
import { createMoving } from './move.ts'
import { insertAccount, listAccounts, rotateKey } from './store/accounts.ts'
import { beginOrder, claimPlacements } from './store/orders.ts'
import { givenBuyer, givenListing, givenMerchant, testBuy } from './testing/buyers.ts'
import { followRound, placeRound } from './testing/rounds.ts'
import { orderUpdate, type ScriptedSupplier, scriptedSupplier } from './testing/supplier.ts'

const SECOND = 1000
const MAIN = { market: 'market_b', account: 'main' } as const
const OTHER = { market: 'market_b', account: 'other' } as const
let database: TestDatabase
let clock: ManualClock
let main: ScriptedSupplier
let other: ScriptedSupplier

beforeEach(async () => {
  database = await testDatabase()
  clock = manualClock(new Date('2026-11-28T12:00:00.000Z'))
  main = scriptedSupplier()
  other = scriptedSupplier({ account: 'other', keyVersion: 1 })
  await database.db.transaction((tx) =>
    insertAccount(tx, {
      ...{ ...OTHER, sealedKey: 'sealed', reserveMills: mills(0n) },
      use: 'buying',
      balance: { currency: 'USD', balanceMills: mills(1_000_000n), askedAt: clock.now() },
    }),
  )
})
afterEach(async () => {
  const { db } = database
  assert.deepEqual(await auditTrades(db), [])
  assert.deepEqual(await db.query(sql('test.audit', 'select * from ledger.audit()')), [])
  assert.deepEqual(await db.query(sql('test.audit_buys', 'select * from buying.audit()')), [])
  await database.close()
})

async function givenBalance(of: typeof MAIN | typeof OTHER, balanceMills: bigint): Promise<void> {
  clock.advance(SECOND)
  const said = { kind: 'served', balanceMills: mills(balanceMills), currency: 'USD' } as const
  await noteReading(database.db, of, { reading: { askedAt: clock.now(), said }, at: clock.now() })
  clock.advance(SECOND)
}

const change = (of: typeof MAIN | typeof OTHER, changes: AccountChanges) =>
  database.db.transaction((tx) => changeAccount(tx, of, { changes, at: clock.now() }))

async function givenBuy(priceMills = 10_000n): Promise<Bought> {
  const { db } = database
  const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 100_000n })
  const id = await givenListing(db, { priceMills })
  return testBuy({ db, clock })(buyer, {
    ...{ requestId: newId(), externalId: null, tradeUrl: null },
    items: [{ listing: { id }, maxPrice: cents(100_000n), externalId: null }],
  })
}

const place = (market: ScriptedSupplier) =>
  placeRound({ db: database.db, clock, market, concurrency: 16, onCase: () => {} })
const follow = (market: ScriptedSupplier) =>
  followRound({ db: database.db, clock, market, onCase: () => {} })

const ORDER = sql(
  'test.order_of_trade',
  `select o.market_account account, o.state, i.market_account queue, i.work
   from buying.item i left join buying.supplier_order o on o.item_id = i.id where i.trade_id = $1`,
)
async function orderOf({ tradeId }: Bought) {
  const [row] = await database.db.query<{
    account: string | null
    state: string | null
    queue: string
    work: string
  }>(ORDER, [tradeId])
  return row
}
const statusOf = async ({ tradeId }: Bought) =>
  (await readTrades(database.db, [tradeId]))[0]?.items[0]?.status

const COVER = sql(
  'test.cover',
  `select cover_mills mills from catalog.market where id = 'market_b'`,
)
const coverMills = async () =>
  (await database.db.query<{ mills: bigint | null }>(COVER))[0]?.mills ?? null

describe('of two accounts', () => {
  it('the one without money orders nothing, and the other orders all', async () => {
    await givenBalance(MAIN, 0n)
    await givenBalance(OTHER, 50_000n)
    const bought = [await givenBuy(), await givenBuy()]
    await place(main)
    await place(other)
    assert.deepEqual([main.purchases.length, other.purchases.length], [0, 2])
    for (const one of bought) {
      assert.deepEqual(await orderOf(one), {
        ...{ account: 'other', state: 'placed', queue: 'other', work: 'follow' },
      })
    }
  })

  it('both place at once, each item once, and none beyond what its account has', async () => {
    await givenBalance(MAIN, 35_000n)
    await givenBalance(OTHER, 25_000n)
    const bought = await Promise.all(Array.from({ length: 8 }, () => givenBuy()))
    for (let i = 0; i < 3; i++) {
      await Promise.all([place(main), place(other), place(main), place(other)])
      // What one has claimed and could not pay waits for a second.
      clock.advance(2 * SECOND)
    }
    assert.deepEqual([main.purchases.length, other.purchases.length], [3, 2])
    const ids = [...main.purchases, ...other.purchases].map(({ customId }) => customId)
    assert.equal(new Set(ids).size, 5)
    const statuses = await Promise.all(bought.map(statusOf))
    assert.equal(statuses.filter((status) => status === 'initiated').length, 3)
  })

  it('the last money of one pays for one of 16 items that are claimed at once', async () => {
    await givenBalance(MAIN, 0n)
    await givenBalance(OTHER, 10_000n)
    await Promise.all(Array.from({ length: 16 }, () => givenBuy()))
    await Promise.all([place(other), place(other)])
    assert.deepEqual([main.purchases.length, other.purchases.length], [0, 1])
  })

  it('the shop sells what both have together, and one item for no more than one of them has', async () => {
    await givenBalance(MAIN, 30_000n)
    await givenBalance(OTHER, 50_000n)
    assert.equal(await coverMills(), 50_000n)
    for (let i = 0; i < 4; i++) await givenBuy()
    await givenBalance(OTHER, 50_000n)
    assert.equal(await coverMills(), 40_000n)
    await change(OTHER, { state: 'draining' })
    assert.equal(await coverMills(), 0n)
    // What waits is more than the other one has.
    assert.deepEqual(
      (await listAccounts(database.db)).map(({ closedBecause }) => closedBecause),
      [null, null, null],
    )
    await givenBalance(MAIN, 50_000n)
    assert.equal(await coverMills(), 10_000n)
  })

  it('what is closed at one is still for sale with the other', async () => {
    await givenBalance(MAIN, 30_000n)
    await givenBalance(OTHER, 50_000n)
    main.answers.push({
      kind: 'refused',
      code: 'PURCHASE_FAILED',
      detail: 'no',
      account: 'forbidden',
    })
    const refused = await givenBuy()
    await place(main)
    assert.equal(await statusOf(refused), 'failed')
    assert.equal(await coverMills(), 50_000n)
    const next = await givenBuy()
    await place(main)
    await place(other)
    assert.equal((await orderOf(next))?.account, 'other')
  })

  it('one for the feed buys nothing', async () => {
    await givenBalance(MAIN, 0n)
    await givenBalance(OTHER, 50_000n)
    await givenBuy()
    await change(OTHER, { use: 'feed' })
    await place(other)
    assert.equal(other.purchases.length, 0)
    assert.equal(await coverMills(), 0n)
  })
})

describe('between the turn and the commit of an order', () => {
  it('an account that was drained is not used: the item waits for another', async () => {
    const bought = await givenBuy()
    other.beforeTurn = async () => void (await change(OTHER, { state: 'draining' }))
    await place(other)
    assert.equal(other.purchases.length, 0)
    assert.deepEqual(await orderOf(bought), {
      ...{ account: null, state: null, queue: 'main', work: 'place' },
    })
    clock.advance(10 * SECOND)
    await place(main)
    assert.equal((await orderOf(bought))?.account, 'main')
  })

  it('a key that was rotated is not used', async () => {
    const bought = await givenBuy()
    other.beforeTurn = async () => {
      await database.db.transaction((tx) => rotateKey(tx, OTHER, { sealedKey: 'sealed anew' }))
    }
    await place(other)
    assert.equal(other.purchases.length, 0)
    clock.advance(10 * SECOND)
    const rotated = scriptedSupplier({ account: 'other', keyVersion: 2 })
    await place(rotated)
    assert.equal(rotated.purchases.length, 1)
    assert.equal((await orderOf(bought))?.account, 'other')
  })

  it('money that went meanwhile is not counted on', async () => {
    await givenBalance(OTHER, 50_000n)
    const bought = await givenBuy()
    other.beforeTurn = () => givenBalance(OTHER, 5_000n)
    await place(other)
    assert.equal(other.purchases.length, 0)
    assert.equal(await statusOf(bought), 'initiated')
  })
})

describe('an order', () => {
  it('keeps its account while its key is rotated and its state is changed during the call', async () => {
    const bought = await givenBuy()
    other.afterTurn = async () => {
      await database.db.transaction((tx) => rotateKey(tx, OTHER, { sealedKey: 'sealed anew' }))
      await change(OTHER, { state: 'disabled' })
    }
    await place(other)
    assert.deepEqual(await orderOf(bought), {
      ...{ account: 'other', state: 'placed', queue: 'other', work: 'follow' },
    })
  })

  it('is looked up by its account alone, also when that is disabled and its answer was lost', async () => {
    const bought = await givenBuy()
    other.answers.push({ kind: 'unknown', detail: 'no answer' })
    await place(other)
    await change(OTHER, { state: 'disabled' })
    const customId = other.purchases[0]?.customId ?? assert.fail('it was sent')
    other.orders.set(customId, orderUpdate('pending'))
    for (let i = 0; i < 4; i++) {
      clock.advance(120 * SECOND)
      await follow(main)
    }
    assert.equal(main.queries.length, 0)
    await follow(other)
    assert.deepEqual(
      other.queries.map((query) => query.customId),
      [customId],
    )
    assert.equal(await statusOf(bought), 'pending')
    await place(main)
    assert.equal(main.purchases.length, 0)
  })

  it('that certainly did not leave may begin with another account, under the same id', async () => {
    const bought = await givenBuy()
    other.answers.push({ kind: 'not-sent', detail: 'no connection', retryAfterMs: 1000 })
    await place(other)
    assert.deepEqual(await orderOf(bought), {
      ...{ account: 'other', state: 'not_sent', queue: 'other', work: 'place' },
    })
    clock.advance(10 * SECOND)
    await place(main)
    assert.equal((await orderOf(bought))?.account, 'main')
    assert.equal(main.purchases[0]?.customId, other.purchases[0]?.customId)
  })

  it('of which nothing is known begins with no other account', async () => {
    const bought = await givenBuy()
    other.answers.push({ kind: 'unknown', detail: 'no answer' })
    await place(other)
    // As no code of ours leaves it: waiting, with an order whose answer was lost.
    await database.db.script(`update buying.item set work = 'place', due_at = '2026-11-28'`)
    const at = clock.now()
    const leaseUntil = new Date(at.getTime() + 60 * SECOND)
    const claim = { ...MAIN, limit: 1, at, leaseUntil, placeableSince: new Date(0) }
    const [item] = await claimPlacements(database.db, claim)
    assert.ok(item)
    assert.equal(await beginOrder(database.db, item, { at, leaseUntil }, main), false)
    assert.equal((await orderOf(bought))?.account, 'other')
    await database.db.script(`update buying.item set work = 'follow'`)
  })
})

describe('two workers whose clocks differ by half a minute', () => {
  it('order each item once, with one account, and give up none while its call is under way', async () => {
    const { db } = database
    await givenBalance(MAIN, 1_000_000n)
    await givenBalance(OTHER, 1_000_000n)
    const behind = manualClock(new Date(clock.now().getTime() - 15 * SECOND))
    const ahead = manualClock(new Date(clock.now().getTime() + 15 * SECOND))
    const onCase = () => {}
    const placeWith = (at: ManualClock, market: ScriptedSupplier) =>
      placeRound({ db, clock: at, market, concurrency: 4, onCase })
    const followWith = (at: ManualClock, market: ScriptedSupplier) =>
      followRound({ db, clock: at, market, onCase })
    const bought = await Promise.all(Array.from({ length: 12 }, () => givenBuy()))
    // While a call is under way its market does not know the order, and both workers look.
    let inside = false
    const meddle = async () => {
      if (inside) return
      inside = true
      for (const at of [behind, ahead, behind, ahead]) {
        at.advance(2 * SECOND)
        for (const market of [main, other]) {
          await followWith(at, market)
          await placeWith(at, market)
        }
      }
      inside = false
    }
    main.afterTurn = meddle
    other.afterTurn = meddle
    for (let i = 0; i < 6; i++) {
      await Promise.all([
        placeWith(behind, main),
        placeWith(ahead, main),
        placeWith(behind, other),
        placeWith(ahead, other),
      ])
      for (const at of [behind, ahead]) at.advance(2 * SECOND)
    }
    const sent = [...main.purchases, ...other.purchases].map(({ customId }) => customId)
    assert.deepEqual([sent.length, new Set(sent).size], [12, 12])
    for (const one of bought) {
      assert.equal(await statusOf(one), 'pending')
      const order = await orderOf(one)
      const [row] = await db.query<{ id: string }>(ITEM, [one.tradeId])
      const by = main.purchases.some(({ customId }) => customId === row?.id) ? 'main' : 'other'
      assert.deepEqual(order, { account: by, state: 'placed', queue: by, work: 'follow' })
    }
  })
})
const ITEM = sql('test.item', 'select id from buying.item where trade_id = $1')

describe('what a quick-buy has waiting', () => {
  it('stays at its market while one of the accounts there covers it', async () => {
    await givenBalance(MAIN, 0n)
    await givenBalance(OTHER, 50_000n)
    const moved: string[] = []
    await givenBuy()
    const move = createMoving({
      ...{ db: database.db, clock, market: 'market_b', mayPlace: async () => true },
      onMoved: (id) => void moved.push(id),
    })
    await move(new AbortController().signal)
    assert.deepEqual(moved, [])
  })
})
