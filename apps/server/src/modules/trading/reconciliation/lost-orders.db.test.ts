// Orders whose trades a restore has lost: written down, named to a person and adopted by a repeated buy.
import assert from 'node:assert/strict'
import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, it } from 'node:test'
import {
  type Buyer,
  type BuyOrder,
  createBuy,
  createPlacing,
  createQuickBuy,
  insertAccount,
  listKeys,
  type OrderIntent,
  readBought,
} from '#buying'
import { sql } from '#infra/database/db'
import { openRecoveryMark, readHistory } from '#infra/database/recovery-mark'
import { silentLog } from '#infra/process/log'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents, mills } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { readTrades } from '#trades'
import {
  balanceOf,
  closeAccount,
  givenBuyer,
  givenItem,
  givenListing,
  givenMerchant,
  givenTrade,
  testBuy,
  testBuyDeps,
  testFindSeller,
} from '../buying/testing/buyers.ts'
import { followRound } from '../buying/testing/rounds.ts'
import { orderUpdate, scriptedSupplier } from '../buying/testing/supplier.ts'
import { orderIntent } from './intent-kinds.ts'
import { createPlacingGate, openPlacingGate } from './placing-gate.ts'
import type { StatementLine, Statements } from './ports.ts'
import { reconcile } from './reconcile.ts'
import { createReporter } from './report.ts'
import { resolveAdopted } from './store/cases.ts'
import { lostItem, noPayments, startProcess, type TestProcess } from './testing/process.ts'

let database: TestDatabase
let clock: ManualClock
let noting: TestProcess
let lostCounts: number[]

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  lostCounts = []
  await database.db.script(`delete from reconciliation.placing_gate; delete from infra.sender;
    delete from infra.recovery_mark; delete from buying.lost_order; delete from buying.restore;
    delete from buying.market_account where name = 'added-later'`)
  noting = await startProcess({ ...{ db: database.db, clock }, gates: ['market_b'] })
})
afterEach(() => noting.close())

const INSERT_MARK = sql(
  'test.insert_mark',
  'insert into infra.recovery_mark (token, at) values ($1, $2)',
)

/** As a process that starts on a restored database finds it: its newest mark is of `copyOf`. */
async function restore(copyOf: Date = clock.now()): Promise<void> {
  await database.db.query(INSERT_MARK, [newId(), copyOf])
  assert.equal(await gateOf(newId())(), false)
}

/** With this mark outside the database. */
function gateOf(mark: string | null): (account?: string) => Promise<boolean> {
  const { db } = database
  let text = mark
  const file = {
    read: () => text,
    write: (next: string) => {
      text = next
    },
  }
  const mayPlace = createPlacingGate({
    ...{ db, clock, intents: noting.intents, lost: noPayments },
    mark: openRecoveryMark({ db, clock, file }),
    markets: [{ id: 'market_b', settleMs: 900_000 }],
    skipAddresses: async () => {},
    onClosed: () => {},
    onLostOrders: (orders) => lostCounts.push(orders),
  })
  return (account) => mayPlace('market_b', account)
}

const noted = (order: Partial<OrderIntent> = {}): OrderIntent => ({
  ...{ market: 'market_b', itemId: newId(), attempt: 1, begunAt: clock.now(), ...lostItem() },
  ...order,
})

function note(order: Partial<OrderIntent> = {}): OrderIntent {
  const whole = noted(order)
  assert.equal(noting.intents.note(orderIntent(whole)), true)
  return whole
}

const LOST = sql(
  'test.lost_orders',
  `select l.custom_id "customId", l.tenant_id "tenantId", l.external_id "externalId", l.listing_id "listingId",
     l.price, l.description ->> 'name' "name", r.copy_of "copyOf", r.restored_at "restoredAt", l.trade_id "tradeId"
   from buying.lost_order l join buying.restore r on r.id = l.restore_id order by l.custom_id`,
)
interface LostRow {
  readonly customId: string
  readonly tradeId: string | null
  readonly copyOf: Date
  readonly restoredAt: Date
}
const lostRows = () => database.db.query<LostRow & Record<string, unknown>>(LOST)

it('an order whose trade is gone is written down once, with all that was noted of it', async () => {
  const order = note({ externalId: 'order-1' })
  note({ ...order })
  await restore()
  const copyOf = clock.now()
  assert.deepEqual(await lostRows(), [
    {
      ...{ customId: order.itemId, tenantId: order.tenantId, externalId: 'order-1' },
      ...{ listingId: order.listingId, price: order.price, name: order.description.name },
      ...{ copyOf, restoredAt: copyOf, tradeId: null },
    },
  ])
  clock.advance(1000)
  await restore()
  assert.equal((await lostRows()).length, 1)
  assert.deepEqual(lostCounts, [1])
})

it('an account that was added after the copy is known by name again: without its key it buys nothing, and its gate stays closed', async () => {
  const { db } = database
  const { itemId } = note({ marketAccount: 'added-later', externalId: 'order-7' })
  await restore()
  const accounts = (await listKeys(db)).filter(({ account }) => account !== 'main')
  assert.deepEqual(
    accounts.map(({ account, sealedKey }) => [account, sealedKey]),
    [['added-later', null]],
  )
  assert.equal((await lostRows()).filter(({ customId }) => customId === itemId).length, 1)
  clock.advance(900_000)
  const ofMain: Statements = {
    ...{ id: 'market_b', account: 'main' },
    traits: { settleMs: 900_000, keptOnUserReversalBps: null },
    read: async () => ({ kind: 'read', lines: [], isWhole: true }),
  }
  assert.deepEqual(await openPlacingGate({ db, clock, statements: [ofMain] }), {
    kind: 'unavailable',
    detail: 'account added-later: a restore has lost its key: add it again',
  })
  const given = {
    ...{ market: 'market_b', account: 'added-later', reserveMills: mills(0n) },
    ...({ use: 'buying', sealedKey: 'sealed' } as const),
    balance: { currency: 'USD', balanceMills: mills(1_000_000n), askedAt: clock.now() },
  }
  assert.equal(await db.transaction((tx) => insertAccount(tx, given)), true)
  const [added] = (await listKeys(db)).filter(({ account }) => account !== 'main')
  assert.deepEqual([added?.sealedKey, added?.keyVersion], ['sealed', 2])
  assert.equal(await db.transaction((tx) => insertAccount(tx, given)), false)
})

it('an order whose item is there is left to the gate', async () => {
  const { db } = database
  await givenTrade({ db, clock })
  let sent: OrderIntent | null = null
  await createPlacing({
    ...{ db, clock, market: scriptedSupplier(), concurrency: 1, onCase: () => {} },
    isMarketAvailable: async () => true,
    intents: {
      isReady: noting.intents.isReady,
      note: (order) => {
        sent = order
        return noting.intents.note(orderIntent(order))
      },
    },
    ...{ holdMs: 60_000, leaseMs: 30_000, giveUpMs: 900_000 },
  })(new AbortController().signal)
  assert.ok(sent)
  const { itemId } = sent as OrderIntent
  await db.query(FORGET_ORDER, [itemId])
  await restore()
  assert.deepEqual(await lostRows(), [])
})
const FORGET_ORDER = sql(
  'test.forget_order',
  'delete from buying.supplier_order where item_id = $1',
)

it('what was noted long before the copy, or by a line that is damaged, is not written down', async () => {
  note()
  clock.advance(3_600_001)
  await noting.intents.beat()
  const order = note()
  for (const name of readdirSync(noting.folder)) {
    appendFileSync(join(noting.folder, name), '00000000 {"intent":{"kind":"order"}}\n')
  }
  await restore()
  assert.deepEqual(
    (await lostRows()).map(({ customId }) => customId),
    [order.itemId],
  )
})

const MOVE_GATE = sql('test.move_gate', 'update reconciliation.placing_gate set history = $1')

it('an order that a failover has lost with its trade is written down as well', async () => {
  const { db } = database
  const mayPlace = gateOf(null)
  await db.query(INSERT_MARK, [newId(), clock.now()])
  await mayPlace()
  assert.equal(await mayPlace(), true)
  const earlier = `${(await readHistory(db)).split('/')[0]}/00000000`
  await db.query(MOVE_GATE, [earlier])
  await noting.intents.confirm(earlier)
  const order = note()
  await mayPlace()
  assert.deepEqual(
    (await lostRows()).map(({ customId }) => customId),
    [order.itemId],
  )
})

it('the time of the copy is that of the newest mark that the database has', async () => {
  note()
  const copyOf = new Date(clock.now().getTime() - 60_000)
  await restore(copyOf)
  const [row] = await lostRows()
  assert.deepEqual([row?.copyOf, row?.restoredAt], [copyOf, clock.now()])
})

const INTERNAL = { requestId: newId(), tradeUrl: null }

interface Lost {
  readonly buyer: Buyer
  readonly order: OrderIntent
  readonly listing: { readonly id: bigint }
}

/** A buyer whose order was lost: its listing is sold, and the catalog says so. */
async function givenLost(
  order: Partial<OrderIntent> = {},
  { balance = 5000n }: { readonly balance?: bigint } = {},
): Promise<Lost> {
  const { db } = database
  const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance })
  const id = await givenListing(db, { priceMills: 10_000n })
  const [listing] = await db.query<{ rawId: string }>(SELL, [id])
  const { tenantId, accountId, primaryTradeUrl } = buyer
  const whole = note({
    ...{ tenantId, accountId, tradeUrl: primaryTradeUrl?.url ?? '', listingId: id },
    ...{ rawListingId: listing?.rawId ?? '', externalId: `lost-${newId()}`, ...order },
  })
  await restore()
  return { buyer, order: whole, listing: { id } }
}
const SELL = sql(
  'test.sell',
  'update catalog.listing set live = false where id = $1 returning raw_id "rawId"',
)

const again = (
  { buyer, order, listing }: Lost,
  {
    maxPrice = 1070n,
    externalId = order.externalId,
    by = buyer,
    tradeUrl = null,
    items,
  }: {
    readonly maxPrice?: bigint
    readonly externalId?: string | null
    readonly by?: Buyer
    readonly tradeUrl?: string | null
    readonly items?: BuyOrder['items']
  } = {},
) =>
  testBuy({ db: database.db, clock })(by, {
    ...{ ...INTERNAL, externalId, tradeUrl },
    items: items ?? [{ listing, maxPrice: cents(maxPrice), externalId: 'unit-1' }],
  })

const STATE = sql(
  'test.adopted',
  `select i.work, o.state, o.custom_id "customId", t.price
   from buying.item i join buying.supplier_order o on o.item_id = i.id join trades.item t on t.id = i.id
   where i.trade_id = $1`,
)

const refused = (key: string) => (error: unknown) => error instanceof Refusal && error.key === key

it('a repeated buy adopts the lost order, at the price of that time, and its order is followed', async () => {
  const lost = await givenLost()
  const { tradeId, taken } = await again(lost, { maxPrice: 9999n })
  const [state] = await database.db.query<Record<string, unknown>>(STATE, [tradeId])
  const { itemId: customId } = lost.order
  assert.deepEqual(state, { work: 'follow', state: 'unknown', customId, price: 1070n })
  assert.equal(await balanceOf(database.db, lost.buyer.accountId, 'escrow'), 1070n)
  assert.equal(taken?.[0]?.listingId, lost.listing.id)
  assert.equal((await lostRows())[0]?.tradeId, tradeId)
  const replay = await again(lost, { maxPrice: 9999n })
  assert.deepEqual([replay.tradeId, replay.replayed], [tradeId, true])
})

it('after a restore to before its account was added an order is adopted by the statement of that account, and the others buy meanwhile', async () => {
  const { db } = database
  const lost = await givenLost({ marketAccount: 'late' })
  const { itemId: customId } = lost.order
  clock.advance(900_000)
  const statementOf = (account: string, ids: readonly string[]): Statements => ({
    ...{ id: 'market_b', account, traits: { settleMs: 900_000, keptOnUserReversalBps: null } },
    read: async () => ({ kind: 'read', lines: ids.map((id) => lineOf(id)), isWhole: true }),
  })
  const lineOf = (id: string) => ({
    ...{ orderId: '77', customId: id, placedAt: lost.order.begunAt, state: 'open' as const },
    ...{ paidMills: mills(10_000n), returnedMills: null, detail: '' },
  })
  const ofMain = statementOf('main', [])
  const first = await openPlacingGate({ db, clock, statements: [ofMain] })
  assert.equal(first.kind, 'unavailable')
  const mayPlace = gateOf(null)
  assert.deepEqual([await mayPlace('main'), await mayPlace('late')], [true, false])
  await db.transaction((tx) =>
    insertAccount(tx, {
      ...{ market: 'market_b', account: 'late', reserveMills: mills(0n) },
      ...({ use: 'buying', sealedKey: 'sealed' } as const),
      balance: { currency: 'USD', balanceMills: mills(1_000_000n), askedAt: clock.now() },
    }),
  )
  const statements = [ofMain, statementOf('late', [customId])] as const
  assert.equal((await openPlacingGate({ db, clock, statements })).kind, 'opened')
  const { tradeId } = await again(lost)
  const main = scriptedSupplier()
  const late = scriptedSupplier({ account: 'late', keyVersion: 2 })
  late.orders.set(customId, orderUpdate('pending'))
  for (const market of [main, late]) await followRound({ db, clock, market, onCase: () => {} })
  const asked = [main, late].map(({ queries }) =>
    queries.filter((one) => one.customId === customId),
  )
  assert.deepEqual(
    asked.map(({ length }) => length),
    [0, 1],
  )
  const [state] = await db.query<Record<string, unknown>>(STATE, [tradeId])
  assert.equal(state?.state, 'placed')
})

it('two repeats at once make one trade', async () => {
  const lost = await givenLost()
  const [one, other] = await Promise.all([again(lost), again(lost)])
  assert.equal(one.tradeId, other.tradeId)
  assert.deepEqual([one.replayed, other.replayed].sort(), [false, true])
  assert.equal(await balanceOf(database.db, lost.buyer.accountId, 'escrow'), 1070n)
})

it('what is for sale is not bought under a lost external id, and nothing is escrowed', async () => {
  const lost = await givenLost()
  const listing = { id: await givenListing(database.db, { priceMills: 10_000n }) }
  const line = { listing, maxPrice: cents(2000n), externalId: null }
  const basket = [line, { ...line, listing: lost.listing }]
  for (const items of [[line], basket]) {
    await assert.rejects(again(lost, { items }), refused('MARKET_UNAVAILABLE'))
  }
  assert.equal(await balanceOf(database.db, lost.buyer.accountId, 'escrow'), 0n)
})

it('less than the price, or another trade URL, is refused for a person to decide', async () => {
  const lost = await givenLost()
  await assert.rejects(again(lost, { maxPrice: 1069n }), refused('MARKET_UNAVAILABLE'))
  const tradeUrl = 'https://steamcommunity.com/tradeoffer/new/?partner=9&token=accept00'
  await assert.rejects(again(lost, { tradeUrl }), refused('MARKET_UNAVAILABLE'))
  assert.equal((await lostRows())[0]?.tradeId, null)
})

it('one order of a basket is not adopted alone', async () => {
  const lost = await givenLost()
  note({ ...lost.order, itemId: newId(), rawListingId: 'another' })
  await restore()
  await assert.rejects(again(lost), refused('MARKET_UNAVAILABLE'))
})

it('a buyer without the money, or who is suspended, is refused as for any buy, and may repeat', async () => {
  const poor = await givenLost({}, { balance: 1069n })
  await assert.rejects(again(poor), refused('INSUFFICIENT_BALANCE'))
  const suspended = await givenLost()
  await closeAccount(database.db, suspended.buyer.accountId, 'suspended')
  await assert.rejects(again(suspended), refused('ACCOUNT_SUSPENDED'))
  for (const { tradeId } of await lostRows()) assert.equal(tradeId, null)
})

it('another account buys under the same external id as ever', async () => {
  const lost = await givenLost()
  const { tenantId } = lost.buyer
  const by = await givenBuyer(database.db, { tenantId, balance: 5000n })
  await assert.rejects(again(lost, { by }), refused('LISTING_NOT_FOUND'))
  const listing = { id: await givenListing(database.db, { priceMills: 10_000n }) }
  const items = [{ listing, maxPrice: cents(2000n), externalId: null }]
  assert.equal((await again(lost, { by, items })).replayed, false)
})

it('a sub-user that was lost and made anew under its name adopts what it had bought', async () => {
  const lost = await givenLost({ accountId: newId(), userExternalId: 'anna' })
  await assert.rejects(again(lost), refused('LISTING_NOT_FOUND'))
  await database.db.query(NAME, [lost.buyer.accountId, 'anna'])
  assert.equal((await again(lost)).replayed, false)
})
const NAME = sql('test.name', 'update identity.account set external_id = $2 where id = $1')

const quickBuy = (buyer: Buyer, itemId: string, externalId: string | null) =>
  createQuickBuy({
    ...testBuyDeps({ db: database.db, clock }),
    findItem: (id) => ({ id, game: 'cs2', phase: null }),
    findSibling: () => null,
    findSeller: (wanted) => testFindSeller(database.db, wanted),
  })(buyer, {
    ...{ ...INTERNAL, externalId, itemId, phase: null },
    ...{ maxPrice: cents(2000n), amount: 1, delivery: 'standard', externalIds: null },
  })

it('a quick-buy under a lost external id is refused, whether there is anything for sale or not', async () => {
  const lost = await givenLost()
  const itemId = await givenItem(database.db)
  const buy = () => quickBuy(lost.buyer, itemId, lost.order.externalId)
  await assert.rejects(buy(), refused('MARKET_UNAVAILABLE'))
  await givenListing(database.db, { priceMills: 10_000n, itemId })
  await assert.rejects(buy(), refused('MARKET_UNAVAILABLE'))
  assert.equal(await balanceOf(database.db, lost.buyer.accountId, 'escrow'), 0n)
})

it('while it is not known what is lost, a buy and a quick-buy under an external id are refused, and then accepted', async () => {
  const { db } = database
  const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 5000n })
  const itemId = await givenItem(db)
  const [listing, sold] = [
    { id: await givenListing(db, { priceMills: 10_000n, itemId }) },
    { id: await givenListing(db, { priceMills: 10_000n }) },
  ]
  await db.query(SELL, [sold.id])
  const buy = (externalId: string | null, of: { readonly id: bigint }) =>
    testBuy({ db, clock })(buyer, {
      ...{ ...INTERNAL, externalId },
      items: [{ listing: of, maxPrice: cents(2000n), externalId: null }],
    })
  const history = await readHistory(db)
  await noting.intents.confirm(`${history.split('/')[0]}/00000000`)
  await assert.rejects(buy('buy-1', listing), refused('SERVICE_DISABLED'))
  await assert.rejects(quickBuy(buyer, itemId, 'buy-2'), refused('SERVICE_DISABLED'))
  // It may have been sold to this buyer.
  await assert.rejects(buy('buy-3', sold), refused('SERVICE_DISABLED'))
  assert.equal(await balanceOf(db, buyer.accountId, 'escrow'), 0n)
  await noting.intents.confirm(history)
  assert.equal((await buy('buy-1', listing)).replayed, false)
  await givenListing(db, { priceMills: 10_000n, itemId })
  assert.equal((await quickBuy(buyer, itemId, 'buy-2')).replayed, false)
  await assert.rejects(buy('buy-3', sold), refused('LISTING_NOT_FOUND'))
})

it('a listing that the catalog lacks is adopted, and shown under the number that was bought', async () => {
  const lost = await givenLost({ rawListingId: 'never seen' })
  const { tradeId } = await again(lost)
  const [bought] = await readBought(database.db, tradeId)
  assert.equal(bought?.listingId, lost.listing.id)
})

/** Reads a statement that lists the order under our id. */
async function compareWith(
  { order }: Lost,
  { beforeReport = async () => {} }: { readonly beforeReport?: () => Promise<unknown> } = {},
): Promise<void> {
  const { db } = database
  const line: StatementLine = {
    ...{ orderId: `at-market-${order.itemId}`, customId: order.itemId, placedAt: order.begunAt },
    ...{ paidMills: order.sourcingMills, state: 'open', returnedMills: null, detail: 'waiting' },
  }
  const report = createReporter({ db, clock, source: 'statement', onOpened: () => {} })
  await reconcile(
    {
      ...{ db, clock, log: silentLog, market: scriptedSupplier(), absent: new Map() },
      statements: {
        ...{ id: 'market_b', account: 'main' },
        ...{ traits: { settleMs: 900_000, keptOnUserReversalBps: 0 } },
        read: async () => ({ kind: 'read', lines: [line], isWhole: true }),
      },
      reportStatement: async (...finding) => {
        await beforeReport()
        await report(...finding)
      },
      reportBalance: async () => {},
    },
    { scope: 'lost', lengthMs: 7_200_000 },
  )
}

const CASE_OF = sql(
  'test.case_of',
  `select state, facts, resolution from reconciliation.case_file
   where kind = 'orphan_purchase' and facts ->> 'customId' = $1`,
)
const caseOf = async ({ order }: Lost) => {
  const [found] = await database.db.query<{
    state: string
    facts: Record<string, unknown>
    resolution: string | null
  }>(CASE_OF, [order.itemId])
  return found
}

it('the case of a lost order names its tenant, account, external id, item and price', async () => {
  const lost = await givenLost()
  await compareWith(lost)
  const found = await caseOf(lost)
  const { tenantId, accountId, externalId, description, price } = lost.order
  assert.equal(found?.state, 'open')
  const { facts } = found
  assert.deepEqual(
    [facts.tenantId, facts.accountId, facts.externalId, facts.marketHashName, facts.priceCents],
    [tenantId, accountId, externalId, description.marketHashName, String(price)],
  )
})

const resolvingBuy = (lost: Lost) =>
  createBuy({
    ...testBuyDeps({ db: database.db, clock }),
    onAdopted: (tx, adopted) => resolveAdopted(tx, adopted, clock.now()),
  })(lost.buyer, {
    ...{ ...INTERNAL, externalId: lost.order.externalId },
    items: [{ listing: lost.listing, maxPrice: cents(1070n), externalId: null }],
  })

it('adopting resolves the case, and the statement opens no other', async () => {
  const lost = await givenLost()
  await compareWith(lost)
  const { tradeId } = await resolvingBuy(lost)
  const found = await caseOf(lost)
  assert.deepEqual([found?.state, found?.resolution], ['resolved', `adopted by trade ${tradeId}`])
  await compareWith(lost)
  assert.equal((await caseOf(lost))?.state, 'resolved')
})

it('a repeat while the statement is read leaves no open case', async () => {
  const lost = await givenLost()
  let adopted = false
  await compareWith(lost, {
    beforeReport: async () => {
      if (adopted) return
      adopted = true
      await resolvingBuy(lost)
    },
  })
  assert.equal((await caseOf(lost))?.state, 'resolved')
})

it('an adopted order is followed to its end under the id that its market has', async () => {
  const lost = await givenLost()
  const { tradeId } = await again(lost)
  const market = scriptedSupplier()
  const { itemId: customId } = lost.order
  market.orders.set(customId, orderUpdate('active', { offerId: '77' }))
  await followRound({ db: database.db, clock, market, onCase: () => {} })
  const [trade] = await readTrades(database.db, [tradeId])
  assert.deepEqual([trade?.status, trade?.items[0]?.offerId], ['active', '77'])
})
