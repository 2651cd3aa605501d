// Orders whose trades a restore has lost: written down, named to a person and adopted by a repeated buy.
import assert from 'node:assert/strict'
import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, it } from 'node:test'
import { createPlacing, type OrderIntent } from '#buying'
import { sql } from '#infra/database/db'
import { openRecoveryMark } from '#infra/database/recovery-mark'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { givenBuyer, givenListing, givenMerchant, testBuy } from '../buying/testing/buyers.ts'
import { scriptedSupplier } from '../buying/testing/supplier.ts'
import { orderIntent } from './intent-kinds.ts'
import { createPlacingGate } from './placing-gate.ts'
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
    delete from infra.recovery_mark; delete from buying.lost_order; delete from buying.restore`)
  noting = await startProcess({ ...{ db: database.db, clock }, gates: ['market_b'] })
})
afterEach(() => noting.close())

const INSERT_MARK = sql(
  'test.insert_mark',
  'insert into infra.recovery_mark (token, at) values ($1, $2)',
)

/** As a process that starts on a restored database finds it: its newest mark is of `copyOf`. */
async function restore(copyOf: Date = clock.now()): Promise<void> {
  const { db } = database
  await db.query(INSERT_MARK, [newId(), copyOf])
  let text: string | null = newId()
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
  assert.equal(await mayPlace('market_b'), false)
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

it('an order whose item is there is left to the gate', async () => {
  const { db } = database
  const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 5000n })
  const listing = { id: await givenListing(db, { priceMills: 10_000n }) }
  await testBuy({ db, clock })(buyer, {
    ...{ requestId: newId(), externalId: null, tradeUrl: null },
    items: [{ listing, maxPrice: cents(5000n), externalId: null }],
  })
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
const FORGET_ORDER = sql('test.forget_order', 'delete from buying.supplier_order where item_id = $1')

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

it('the time of the copy is that of the newest mark that the database has', async () => {
  note()
  const copyOf = new Date(clock.now().getTime() - 60_000)
  await restore(copyOf)
  const [row] = await lostRows()
  assert.deepEqual([row?.copyOf, row?.restoredAt], [copyOf, clock.now()])
})
