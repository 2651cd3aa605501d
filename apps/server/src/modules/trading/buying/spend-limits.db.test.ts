// Limits of spending: of an API key, over all who buy with it, and of a sub-user.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  changeKey,
  countSpends,
  giveBackSpend,
  issueKey,
  readSpent,
  rotateKey,
  type SpendLimit,
} from '#identity'
import { sql } from '#infra/database/db'
import { manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { until } from '#infra/testing/until'
import { WAITING } from '#infra/testing/waiting'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { readLimitUse } from '#trades'
import { ENDS, whileLimitIsHeld } from '../../accounts/identity/testing/held-limit.ts'
import type { Buyer } from './buy.ts'
import { createPreflight } from './preflight.ts'
import { givenBuyer, givenListing, givenMerchant, testBuy, testBuyDeps } from './testing/buyers.ts'

const AT = new Date('2026-11-21T12:00:00Z')
/** 10.00 from the market, and 7% of fees. */
const PRICE = 1070n

let database: TestDatabase
const clock = manualClock(AT)
before(async () => {
  database = await testDatabase({ poolSize: 20 })
})
after(() => database.close())

async function aKey(tenantId: string, spendLimit: SpendLimit | null): Promise<string> {
  const { db } = database
  const key = await db.transaction((tx) =>
    issueKey(tx, { accountId: tenantId, kind: 'merchant', name: 'k', environment: 'test', at: AT }),
  )
  await db.transaction((tx) => changeKey(tx, key.id, { spendLimit }, AT))
  return key.id
}

const aDay = (amountCents: bigint): SpendLimit => ({
  amountCents: cents(amountCents),
  window: 'day',
})

async function buyOne(buyer: Buyer, at = clock) {
  const { db } = database
  const listing = { id: await givenListing(db, { priceMills: 10_000n }) }
  const items = [{ listing, maxPrice: cents(PRICE), externalId: null }]
  const order = { requestId: newId(), externalId: null, tradeUrl: null, items }
  return testBuy({ db, clock: at })(buyer, order)
}

/** What a preflight says of the same buy. */
async function tryOne(buyer: Buyer): Promise<readonly string[]> {
  const { db } = database
  const persona = { personaName: 'p' }
  const resolveTradeUrl = async (url: string) => ({
    ...{ url, platformId: '76561197960265729', persona, holdDays: 0, probation: false },
  })
  const listing = { id: await givenListing(db, { priceMills: 10_000n }) }
  const items = [{ listing, maxPrice: cents(PRICE), externalId: null }]
  const order = { requestId: newId(), externalId: null, tradeUrl: null, items }
  const tryBuy = createPreflight({ ...testBuyDeps({ db, clock }), resolveTradeUrl })
  return (await tryBuy(buyer, order)).refusals
}

const refusedBy = (limit: string, details: object) => (error: unknown) => {
  assert.ok(error instanceof Refusal, String(error))
  assert.equal(error.key, 'SPENDING_LIMIT_REACHED')
  assert.deepEqual(error.details, { limit, ...details })
  return true
}

const spentOf = async (keyId: string, at = AT) =>
  (await readSpent(database.db, [keyId], at)).get(keyId)

const HOLD_DIVISIONS = sql('test.hold_divisions', 'select pg_advisory_xact_lock(36)')
/** A division writes its parts only once no other transaction holds divisions up. */
const HOLDING = `create or replace function public.wait_for_test() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(36); return null; end';
  create trigger held before insert on identity.spend_part execute function public.wait_for_test()`

const CANCEL = sql(
  'test.cancel_items',
  `select buying.end_unplaced(array(select i.id from buying.item i where i.trade_id = $1), 'canceled', $2, null, null)`,
)
const cancel = (tradeId: string, at: Date) => database.db.query(CANCEL, [tradeId, at])

describe('the spend limit of a key', () => {
  it('lets exactly what it covers through when 200 buys of many sub-users race for 50', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const keyId = await aKey(tenantId, aDay(50n * PRICE + PRICE - 1n))
    const buyers = await Promise.all(
      Array.from({ length: 20 }, () => givenBuyer(db, { tenantId, balance: 1_000_000n })),
    )
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) => buyOne({ ...(buyers[i % 20] as Buyer), keyId })),
    )
    const refused = answers.filter(({ status }) => status === 'rejected')
    for (const one of refused) {
      const { reason } = one as PromiseRejectedResult
      assert.equal(reason.key, 'SPENDING_LIMIT_REACHED', String(reason))
    }
    assert.equal(answers.length - refused.length, 50)
    assert.equal(await spentOf(keyId), 50n * PRICE)
  })

  it('names itself, what was spent and when it begins anew', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const keyId = await aKey(tenantId, { amountCents: cents(2n * PRICE - 1n), window: 'month' })
    const buyer = { ...(await givenBuyer(db, { tenantId, balance: 10_000n })), keyId }
    assert.deepEqual(await tryOne(buyer), [])
    await buyOne(buyer)
    assert.deepEqual(await tryOne(buyer), ['SPENDING_LIMIT_REACHED'])
    const details = { limitCents: 2139, spentCents: 1070, resetsAt: '2026-12-01T00:00:00.000Z' }
    await assert.rejects(buyOne(buyer), refusedBy('key', details))
  })

  it('begins anew with the day, and a clock that is late counts in the new one', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const keyId = await aKey(tenantId, aDay(PRICE))
    const buyer = { ...(await givenBuyer(db, { tenantId, balance: 10_000n })), keyId }
    await buyOne(buyer)
    const tomorrow = new Date('2026-11-22T00:00:00Z')
    assert.equal(await spentOf(keyId, tomorrow), 0n)
    await buyOne(buyer, manualClock(tomorrow))
    const late = manualClock(new Date('2026-11-21T23:59:59Z'))
    const details = { limitCents: 1070, spentCents: 1070, resetsAt: '2026-11-23T00:00:00.000Z' }
    await assert.rejects(buyOne(buyer, late), refusedBy('key', details))
  })

  it('gets back what is refunded within its window, and nothing after it', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const keyId = await aKey(tenantId, aDay(PRICE))
    const buyer = { ...(await givenBuyer(db, { tenantId, balance: 10_000n })), keyId }
    const first = await buyOne(buyer)
    await cancel(first.tradeId, AT)
    assert.equal(await spentOf(keyId), 0n)
    const second = await buyOne(buyer)
    const tomorrow = new Date('2026-11-22T08:00:00Z')
    await buyOne(buyer, manualClock(tomorrow))
    await cancel(second.tradeId, tomorrow)
    assert.equal(await spentOf(keyId, tomorrow), PRICE)
  })

  it('is one for the old and the new key of a rotation', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const keyId = await aKey(tenantId, aDay(2n * PRICE))
    const buyer = await givenBuyer(db, { tenantId, balance: 10_000n })
    await buyOne({ ...buyer, keyId })
    const overlapUntil = new Date(AT.getTime() + 3_600_000)
    const rotated = await db.transaction((tx) =>
      rotateKey(tx, keyId, { overlapUntil, environment: 'test', at: AT }),
    )
    await buyOne({ ...buyer, keyId: rotated.id })
    assert.equal(await spentOf(keyId), 2n * PRICE)
    await assert.rejects(buyOne({ ...buyer, keyId }), { key: 'SPENDING_LIMIT_REACHED' })
  })

  it('is one for all keys of a chain of rotations, also when it is set after them, and is lifted for all', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const buyer = await givenBuyer(db, { tenantId, balance: 10_000n })
    const issue = { accountId: tenantId, kind: 'merchant', name: 'k', environment: 'test' } as const
    const first = await db.transaction((tx) => issueKey(tx, { ...issue, at: AT }))
    const other = await db.transaction((tx) => issueKey(tx, { ...issue, at: AT }))
    const rotate = (keyId: string, overlapMs: number) =>
      db.transaction((tx) =>
        rotateKey(tx, keyId, {
          overlapUntil: new Date(AT.getTime() + overlapMs),
          environment: 'test',
          at: AT,
        }),
      )
    // The first one is revoked at once; orders that it made are filled for longer.
    const second = await rotate(first.id, 0)
    const third = await rotate(second.id, 3_600_000)
    const set = (keyId: string, spendLimit: SpendLimit | null) =>
      db.transaction((tx) => changeKey(tx, keyId, { spendLimit }, AT))
    await set(third.id, aDay(PRICE))
    await buyOne({ ...buyer, keyId: first.id })
    for (const { id } of [first, second, third]) {
      assert.equal(await spentOf(id), PRICE)
      await assert.rejects(buyOne({ ...buyer, keyId: id }), { key: 'SPENDING_LIMIT_REACHED' })
    }
    await buyOne({ ...buyer, keyId: other.id })
    await set(second.id, null)
    for (const { id } of [first, second, third]) await buyOne({ ...buyer, keyId: id })
  })

  it('keeps what was spent when its amount or its window changes, and covers no more when it is lowered', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const keyId = await aKey(tenantId, aDay(3n * PRICE))
    const buyer = { ...(await givenBuyer(db, { tenantId, balance: 10_000n })), keyId }
    const trades = [await buyOne(buyer), await buyOne(buyer)]
    const set = (spendLimit: SpendLimit) =>
      db.transaction((tx) => changeKey(tx, keyId, { spendLimit }, AT))
    await set(aDay(PRICE))
    assert.equal(await spentOf(keyId), 2n * PRICE)
    // What comes back now only makes up for what is above the limit.
    await cancel((trades[0] as { tradeId: string }).tradeId, AT)
    await assert.rejects(buyOne(buyer), { key: 'SPENDING_LIMIT_REACHED' })
    await set({ amountCents: cents(2n * PRICE), window: 'month' })
    assert.equal(await spentOf(keyId), PRICE)
    await buyOne(buyer)
    await assert.rejects(buyOne(buyer), { key: 'SPENDING_LIMIT_REACHED' })
  })

  it('counts a buy in euros by the rate of its trade', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const keyId = await aKey(tenantId, aDay(100_000n))
    const buyer = await givenBuyer(db, { tenantId, balance: 10_000n, currency: 'EUR' })
    const { total } = await buyOne({ ...buyer, keyId })
    // 1.10 dollars for a euro, half up.
    assert.equal(await spentOf(keyId), (total * 110n + 50n) / 100n)
  })

  it('counts for its key alone, and neither a person nor another key', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const keyId = await aKey(tenantId, aDay(1n))
    const buyer = await givenBuyer(db, { tenantId, balance: 10_000n })
    await buyOne({ ...buyer, keyId: null })
    await buyOne({ ...buyer, keyId: await aKey(tenantId, null) })
    assert.equal(await spentOf(keyId), 0n)
  })

  it('loses nothing of what is given back while it is divided, for one who spends and for a change', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const keyId = await aKey(tenantId, aDay(1000n))
    const take = (refId: string, amount: bigint) =>
      db.transaction((tx) => countSpends(tx, [{ keyId, refId, cents: cents(amount) }], AT))
    const set = (amount: bigint) =>
      db.transaction((tx) => changeKey(tx, keyId, { spendLimit: aDay(amount) }, AT))
    /** Between what the division has summed and what it writes. */
    const giveBackWithin = (refId: string, amount: bigint, divide: () => Promise<unknown>) =>
      db.transaction(async (tx) => {
        await tx.query(HOLD_DIVISIONS)
        const dividing = divide()
        await until('the division waits', async () => (await db.query(WAITING)).length > 0)
        await giveBackSpend(tx, { refId, cents: cents(amount) }, AT)
        return { dividing }
      })
    const [first, second] = [newId(), newId()]
    await take(first, 600n)
    await set(1000n)
    await db.script(HOLDING)
    try {
      await (await giveBackWithin(first, 600n, () => take(second, 300n))).dividing
      assert.equal(await spentOf(keyId), 300n)
      await (await giveBackWithin(second, 300n, () => set(2000n))).dividing
      assert.equal(await spentOf(keyId), 0n)
    } finally {
      await db.script('drop trigger held on identity.spend_part')
    }
  })

  it('that another commit holds is waited for, and a buy has what that leaves', async () => {
    const { db } = database
    for (const ends of ENDS) {
      const tenantId = await givenMerchant(db)
      const keyId = await aKey(tenantId, aDay(2n * PRICE - 1n))
      const buyer = { ...(await givenBuyer(db, { tenantId, balance: PRICE })), keyId }
      const held = { keyId, cents: cents(PRICE), at: AT, ends }
      const [answer] = await whileLimitIsHeld(db, held, {
        begin: () => Promise.allSettled([buyOne(buyer)]),
      })
      const refused = answer.status === 'rejected' ? answer.reason.key : null
      assert.equal(refused, ends === 'commits' ? 'SPENDING_LIMIT_REACHED' : null)
      assert.equal(await spentOf(keyId), PRICE)
    }
  })

  it('of two limits that two transactions take, neither waits for the other in a ring', async () => {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const keys = [await aKey(tenantId, aDay(400n)), await aKey(tenantId, aDay(400n))]
    const take = (order: readonly string[]) =>
      db.transaction((tx) =>
        countSpends(
          tx,
          order.map((keyId) => ({ keyId, refId: newId(), cents: cents(10n) })),
          AT,
        ),
      )
    const answers = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) => take(i % 2 ? keys : keys.toReversed())),
    )
    for (const answer of answers) {
      if (answer.status === 'rejected') assert.equal(answer.reason.key, 'SPENDING_LIMIT_REACHED')
    }
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 40)
  })
})

const SET_LIMITS = sql(
  'test.set_limits',
  'update identity.account set limit_per_trade = $2, limit_per_day = $3, limit_open_trades = $4 where id = $1',
)

describe('limits of a sub-user', () => {
  async function limited(limits: { trade?: bigint; day?: bigint; open?: number }) {
    const { db } = database
    const tenantId = await givenMerchant(db)
    const buyer = await givenBuyer(db, { tenantId, balance: 100_000n })
    const { trade = null, day = null, open = null } = limits
    await db.query(SET_LIMITS, [buyer.accountId, trade, day, open])
    return buyer
  }

  it('refuse one buy above what a trade may cost, and take nothing', async () => {
    const buyer = await limited({ trade: PRICE - 1n })
    const details = { limitCents: 1069, requiredCents: 1070 }
    await assert.rejects(buyOne(buyer), refusedBy('perTrade', details))
    assert.deepEqual(await tryOne(buyer), ['SPENDING_LIMIT_REACHED'])
    const exact = await limited({ trade: PRICE })
    await buyOne(exact)
  })

  it('let through what a day covers of buys that race, less what was refunded of them', async () => {
    const buyer = await limited({ day: 3n * PRICE })
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => buyOne(buyer)))
    const placed = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    assert.equal(placed.length, 3)
    const details = { limitCents: 3210, spentCents: 3210, resetsAt: '2026-11-22T00:00:00.000Z' }
    await assert.rejects(buyOne(buyer), refusedBy('perDay', details))
    assert.deepEqual(await tryOne(buyer), ['SPENDING_LIMIT_REACHED'])
    await cancel(placed[0]?.tradeId ?? assert.fail(), AT)
    await buyOne(buyer)
    await buyOne(buyer, manualClock(new Date('2026-11-22T00:00:00Z')))
  })

  it('let through as many open buys as may be, of buys that race', async () => {
    const buyer = await limited({ open: 2 })
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => buyOne(buyer)))
    const placed = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    assert.equal(placed.length, 2)
    const use = () => readLimitUse(database.db, buyer.accountId, AT)
    assert.deepEqual(await use(), { spentToday: 2n * PRICE, openTrades: 2 })
    await assert.rejects(buyOne(buyer), refusedBy('openTrades', { limitTrades: 2, openTrades: 2 }))
    assert.deepEqual(await tryOne(buyer), ['SPENDING_LIMIT_REACHED'])
    await cancel(placed[0]?.tradeId ?? assert.fail(), AT)
    assert.deepEqual(await use(), { spentToday: PRICE, openTrades: 1 })
    await buyOne(buyer)
    const tomorrow = new Date('2026-11-22T00:00:00Z')
    const next = await readLimitUse(database.db, buyer.accountId, tomorrow)
    assert.deepEqual(next, { spentToday: 0n, openTrades: 2 })
  })
})
