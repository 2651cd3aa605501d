// Guards of the money at markets and of what a restore has lost that no way through the service meets: see
// guards.db.test.ts.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, sqlState, type Tx } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { WAITING } from '../../apps/server/src/infra/testing/waiting.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import type { Buyer } from '../../apps/server/src/modules/trading/buying/buy.ts'
import {
  givenBuyer,
  givenListing,
  givenMerchant,
  testBuy,
} from '../../apps/server/src/modules/trading/buying/testing/buyers.ts'
import { until } from '../support/until.ts'
import { refusedIn, run, type Statement } from './refused.ts'

let test: TestDatabase
let db: Db
let buyer: Buyer

before(async () => {
  test = await testDatabase()
  db = test.db
  buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 1_000_000n })
})
after(() => test.close())

const refused = (name: string, ...statements: readonly Statement[]): Promise<void> =>
  refusedIn(db, name, ...statements)

/** The second begins when the first has done its work, and the first commits when the second waits. */
async function inTurn<Result>(
  first: (tx: Tx) => Promise<Result>,
  second: () => Promise<Result>,
): Promise<readonly [Result, Result]> {
  let later: Promise<Result> | undefined
  const one = await db.transaction(async (tx) => {
    const result = await first(tx)
    later = second()
    await until('the other waits for a lock', async () => (await db.query(WAITING)).length === 1)
    return result
  })
  return [one, await (later as Promise<Result>)]
}

describe('our account at a market', () => {
  it('is one of its name', () =>
    refused('market_account_named_once', [
      `insert into buying.market_account (market) values ('market_b')`,
    ]))

  it('is closed for a reason', () =>
    refused('market_account_closed_for_a_reason', [
      `update buying.market_account set closed_at = now() where market = 'market_b'`,
    ]))

  it('pays one of two orders that begin at once when it covers one of them', async () => {
    const ids = [await givenListing(db, { priceMills: 10_000n })]
    ids.push(await givenListing(db, { priceMills: 10_000n }))
    const { tradeId } = await testBuy({ db, clock: systemClock })(buyer, {
      ...{ requestId: newId(), externalId: null, tradeUrl: null },
      items: ids.map((id) => ({ listing: { id }, maxPrice: cents(9999n), externalId: null })),
    })
    const items = await run<{ id: string }>(db, 'select id from buying.item where trade_id = $1', [
      tradeId,
    ])
    await run(
      db,
      `update buying.market_account set balance_mills = 15000, balance_at = now() - interval '1 hour'
       where market = 'market_b'`,
    )
    const begin = async (by: Db | Tx, item: { id: string } | undefined): Promise<boolean> => {
      const [row] = await run<{ order: string | null }>(
        by,
        `select buying.begin_order(i.id, i.due_at, now(), now()) "order" from buying.item i where i.id = $1`,
        [item?.id],
      )
      return row?.order != null
    }
    assert.deepEqual(
      await inTurn(
        (tx) => begin(tx, items[0]),
        () => begin(db, items[1]),
      ),
      [true, false],
    )
  })
})

const noteRestore = async (by: Db | Tx, history: string): Promise<string | undefined> => {
  const [row] = await run<{ id: string }>(by, 'select buying.note_restore($1, now(), now()) id', [
    history,
  ])
  return row?.id
}

/** Of a restore of its own, under an external id of its own. */
async function aLostOrder(): Promise<{ readonly customId: string; readonly restoreId: string }> {
  const restoreId = (await noteRestore(db, newId())) ?? ''
  const customId = newId()
  await run(
    db,
    `insert into buying.lost_order (custom_id, restore_id, market, market_account, tenant_id, account_id,
       external_id, trade_url, listing_id, raw_listing_id, game, catalog_item_id, description, currency,
       sourcing_mills, price, house_fee, merchant_fee, begun_at)
     values ($1, $2, 'market_b', 'main', $3, $4, $1, 'url', 7, 'raw', 'cs2', 'item', '{}', 'USD',
       10000, 1000, 0, 0, now())`,
    [customId, restoreId, buyer.tenantId, buyer.accountId],
  )
  return { customId, restoreId }
}

describe('a restore', () => {
  it('is noted once by two processes that notice it at once', async () => {
    const history = newId()
    const [one, other] = await inTurn(
      (tx) => noteRestore(tx, history),
      () => noteRestore(db, history),
    )
    assert.equal(one, other)
    assert.equal(await noteRestore(db, history), one)
  })

  it('costs what two people have signed', async () => {
    const { restoreId } = await aLostOrder()
    const loss = (approvedBy: string, approvedAt: string, journalId: string): Statement => [
      `insert into operations.restore_loss (restore_id, order_count, amount, reason, proposed_by, proposed_at,
         approved_by, approved_at, journal_id)
       values ($1, 1, 1000, 'r', 'ada', now(), ${approvedBy}, ${approvedAt}, ${journalId})`,
      restoreId,
    ]
    await refused('restore_loss_by_two', loss(`'ada'`, 'now()', 'null'))
    await refused('restore_loss_is_signed', loss(`'bert'`, 'null', 'null'))
    await refused('restore_loss_posted', loss('null', 'null', 'uuidv7()'))
  })
})

describe('a lost order', () => {
  const adopt = (customId: string) =>
    run(
      db,
      `select buying.adopt_order($1, $2, '1', 'url', $3, '\\x00', 'cs2', 'USD', null, uuidv7(), now(), $4, null,
         1000)`,
      [buyer.tenantId, buyer.accountId, newId(), customId],
    )

  it('is adopted by one trade', async () => {
    const { customId } = await aLostOrder()
    await adopt(customId)
    await assert.rejects(adopt(customId), (error) => sqlState(error) === 'PT421')
  })

  it('that was booked as a loss is adopted by none', async () => {
    const { customId } = await aLostOrder()
    await run(db, 'update buying.lost_order set closed_at = now() where custom_id = $1', [customId])
    await assert.rejects(adopt(customId), (error) => sqlState(error) === 'PT421')
  })

  it('is adopted at a moment, or booked, and never both', async () => {
    const { customId } = await aLostOrder()
    const update = (change: string): Statement => [
      `update buying.lost_order set ${change} where custom_id = $1`,
      customId,
    ]
    await refused('lost_order_adopted', update('trade_id = uuidv7()'))
    const both = 'trade_id = uuidv7(), adopted_at = now(), closed_at = now()'
    await refused('lost_order_ends_once', update(both))
  })
})
