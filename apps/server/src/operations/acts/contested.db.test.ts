// A delivery that its market took back, naming the user: nothing is posted by a clock or by what the market
// says next, and one word of an operator ends it, with its money and its event.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Actor, listAudit } from '#audit'
import { findUndecided, type Outcome } from '#buying'
import { sql } from '#infra/database/db'
import { listCases, listEntries } from '#reconciliation'
import { auditTrades, readTrades } from '#trades'
import { createFollowing } from '../../modules/trading/buying/follow.ts'
import { auditBuys } from '../../modules/trading/buying/store/orders.ts'
import {
  balanceOf,
  closeAccount,
  givenBuyer,
  givenMerchant,
  givenTrade,
  houseBalance,
} from '../../modules/trading/buying/testing/buyers.ts'
import { placeRound } from '../../modules/trading/buying/testing/rounds.ts'
import { orderUpdate, scriptedSupplier } from '../../modules/trading/buying/testing/supplier.ts'
import { createUnmatchedWatch } from '../../modules/trading/buying/unmatched-purchase.ts'
import { createReporter } from '../../modules/trading/reconciliation/report.ts'
import { deleteAccount, OPEN_BUSINESS, resolveCase } from '../index.ts'
import { clock, db, given, LEFT, refused } from '../testing/closing.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const HOLD_MS = 7 * DAY + HOUR
const PRICE = 1070n
const ROW = '{"id":4711,"status":6,"penalties":{"buyer":300}}'
const operator: Actor = { kind: 'operator', id: 'ada', request: {} }

const supplier = scriptedSupplier()
const onCase = createReporter({ db, clock, source: 'follower', onOpened: () => {} })
const shared = { db, clock, market: supplier, onCase, holdMs: HOLD_MS, leaseMs: 30_000 }
const follow = createFollowing({ ...shared, holdPollMs: 6 * HOUR })

interface Given {
  readonly child?: { readonly tenantId: string; readonly accountId: string }
  readonly tradeUrl?: string
  readonly balance?: bigint
}

const aTradeUrl = () =>
  `https://steamcommunity.com/tradeoffer/new/?partner=${randomInt(1, 2 ** 31)}&token=accept00`

const DEPOSIT = sql(
  'test.deposit_of_child',
  `select ledger.post('deposit', null, $1::uuid, 'seed', '\\x00', $2, array['USD'::ledger.currency],
     array[ledger.house('clearing_demo', 'USD')], array[ledger.account_of($1::uuid, 'spot')], array[5000::bigint])`,
)

const bought: string[] = []

/** A buy of one item of 10 dollars by an account with 50, fees of 5% and 2%. */
async function givenBuy({ child, tradeUrl = aTradeUrl(), balance = 5000n }: Given = {}) {
  const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance })
  if (child) await db.query(DEPOSIT, [child.accountId, clock.now()])
  const who = { ...buyer, ...child }
  const { tradeId, itemId } = await givenTrade({ db, clock }, { buyer: who, tradeUrl })
  bought.push(tradeId)
  await placeRound({ ...shared, concurrency: 1 })
  const item = async () => {
    const [trade] = await readTrades(db, [tradeId])
    assert.ok(trade?.items[0])
    return trade.items[0]
  }
  return {
    ...{ item, itemId, tradeId, who },
    says: async (...said: Parameters<typeof orderUpdate>) => {
      supplier.orders.set(itemId, orderUpdate(...said))
      clock.advance(6 * HOUR)
      await follow()
    },
    status: async () => (await item()).status,
    spot: () => balanceOf(db, who.accountId, 'spot'),
    escrow: () => balanceOf(db, who.accountId, 'escrow'),
    cases: async () =>
      (await listCases(db, { state: null, kind: null, limit: 500 })).filter(
        (file) => file.itemId === itemId,
      ),
  }
}

async function givenContested(of?: Given) {
  const buy = await givenBuy(of)
  await buy.says('hold', { offerId: '5' })
  await buy.says('contested', { detail: ROW })
  const [file] = await buy.cases()
  assert.ok(file)
  const resolve = (outcome?: Outcome, reason = 'seen on the platform') =>
    resolveCase({ db, clock }, operator, file.id, { reason, outcome })
  return { ...buy, caseId: file.id, resolve }
}

const EVENTS = sql('test.events', 'select type from outbox.event where subject_id = $1 order by id')
const eventsOf = async (tradeId: string) =>
  (await db.query<{ type: string }>(EVENTS, [tradeId])).map(({ type }) => type)
const TO_HOLD = ['initiated', 'pending', 'active', 'hold'].map((status) => `trade.${status}`)

describe('a delivery that its market took back, naming the user', () => {
  it('stays in its hold with its escrow, and is one case with the whole row', async () => {
    const buy = await givenContested()
    assert.deepEqual(
      [await buy.status(), await buy.spot(), await buy.escrow()],
      ['hold', 5000n - PRICE, PRICE],
    )
    const [file, ...others] = await buy.cases()
    assert.deepEqual([file?.kind, others], ['reversal_unclear', []])
    assert.equal(file?.details.row, ROW)
  })

  it('reaches its hold first where earlier looks had not seen it', async () => {
    const buy = await givenBuy()
    await buy.says('contested', { detail: ROW })
    assert.equal(await buy.status(), 'hold')
    assert.deepEqual(await eventsOf(buy.tradeId), TO_HOLD)
  })

  it('posts nothing for twenty days of clock, and one resolve books it once', async () => {
    const buy = await givenContested()
    for (let i = 0; i < 80; i++) await buy.says('contested', { detail: ROW })
    assert.deepEqual([await buy.status(), await buy.escrow()], ['hold', PRICE])
    assert.deepEqual(await eventsOf(buy.tradeId), TO_HOLD)
    assert.equal((await buy.cases()).length, 1)
    assert.equal(await buy.resolve('supplier'), 'resolved')
    assert.deepEqual([await buy.status(), await buy.spot()], ['reverted', 5000n])
    assert.deepEqual(await buy.resolve('user'), { alreadyBy: 'ada' })
    assert.deepEqual([await buy.status(), await buy.spot()], ['reverted', 5000n])
  })

  for (const state of ['completed', 'hold', 'failed', 'reverted', 'declined', 'active'] as const) {
    it(`is not ended by what its market says next: ${state}`, async () => {
      const buy = await givenContested()
      const said = state === 'reverted' ? { revertedBy: 'user' as const } : {}
      for (let i = 0; i < 40; i++) await buy.says(state, said)
      assert.deepEqual([await buy.status(), await buy.escrow()], ['hold', PRICE])
      assert.deepEqual(
        (await buy.cases()).map(({ kind, state: is }) => [kind, is]),
        [['reversal_unclear', 'open']],
      )
      assert.equal(await buy.resolve('supplier'), 'resolved')
    })
  }

  it('cannot be ended by anything but a decision, not even by a statement of SQL', async () => {
    const buy = await givenContested()
    const end = sql(
      'test.end_contested',
      `select buying.move_item($1, 'hold', 'completed', $2, $2, null, null, null, null, null, 0)`,
    )
    await assert.rejects(db.query(end, [buy.itemId, clock.now()]), /item_decided_before_its_end/)
    assert.equal(await buy.status(), 'hold')
    assert.equal(await buy.resolve('supplier'), 'resolved')
  })

  it('makes all open holds of its account due at once', async () => {
    const tradeUrl = 'https://steamcommunity.com/tradeoffer/new/?partner=77&token=accept00'
    const first = await givenBuy({ tradeUrl })
    await first.says('hold', { offerId: '5' })
    clock.advance(HOUR)
    const second = await givenBuy({ tradeUrl })
    supplier.orders.set(second.itemId, orderUpdate('hold', { offerId: '6' }))
    clock.advance(2000)
    await follow()
    const asked = () => supplier.queries.filter(({ customId }) => customId === second.itemId).length
    await first.says('contested', { detail: ROW })
    const before = asked()
    await follow()
    assert.equal(asked(), before + 1, 'its own look is an hour away')
    assert.ok(await findUndecided(db, first.itemId))
  })
})

describe('the decision', () => {
  it('that the user took it back costs the user the whole price', async () => {
    const penalties = await houseBalance(db, 'penalty_income')
    const buy = await givenContested()
    assert.equal(await buy.resolve('user'), 'resolved')
    const { status, revertedBy, refund } = await buy.item()
    assert.deepEqual(
      [status, revertedBy, refund],
      ['reverted', 'user', { refunded: 0n, penalty: PRICE, buyerFault: true }],
    )
    assert.deepEqual([await buy.spot(), await buy.escrow()], [5000n - PRICE, 0n])
    assert.equal(await houseBalance(db, 'penalty_income'), penalties + PRICE)
    assert.deepEqual(await eventsOf(buy.tradeId), [...TO_HOLD, 'trade.reverted', 'trade.refunded'])
  })

  it('that the supplier did gives the whole price back', async () => {
    const buy = await givenContested()
    assert.equal(await buy.resolve('supplier'), 'resolved')
    const { status, revertedBy, refund } = await buy.item()
    assert.deepEqual(
      [status, revertedBy, refund],
      ['reverted', 'supplier', { refunded: PRICE, penalty: 0n, buyerFault: false }],
    )
    assert.deepEqual([await buy.spot(), await buy.escrow()], [5000n, 0n])
    assert.deepEqual(await eventsOf(buy.tradeId), [...TO_HOLD, 'trade.reverted', 'trade.refunded'])
  })

  it('that it was delivered settles it as any other', async () => {
    const buy = await givenContested()
    assert.equal(await buy.resolve('delivered'), 'resolved')
    assert.equal(await buy.status(), 'completed')
    assert.deepEqual([await buy.spot(), await buy.escrow()], [5000n - PRICE, 0n])
    assert.equal(await balanceOf(db, buy.who.tenantId, 'earnings'), 20n)
    assert.deepEqual(await eventsOf(buy.tradeId), [...TO_HOLD, 'trade.completed', 'trade.settled'])
  })

  it('keeps who said it and why, in the case and in the log of acts', async () => {
    const buy = await givenContested()
    await buy.resolve('supplier', 'the inventory lacks it, the seller has it')
    const [file] = await buy.cases()
    assert.deepEqual(
      [file?.resolvedBy, file?.resolution],
      ['ada', 'supplier: the inventory lacks it, the seller has it'],
    )
    assert.equal((await listEntries(db, buy.caseId)).at(-1)?.what, 'resolved')
    const [entry] = await listAudit(db, { limit: 1 })
    assert.deepEqual([entry?.act, entry?.details.outcome], ['case.resolve', 'supplier'])
  })

  it('is made once, also when several decide at the same moment', async () => {
    const buy = await givenContested()
    const outcomes = ['user', 'supplier', 'delivered', 'supplier', 'user'] as const
    const results = await Promise.all(outcomes.map((outcome) => buy.resolve(outcome)))
    assert.equal(results.filter((result) => result === 'resolved').length, 1)
    assert.equal((await eventsOf(buy.tradeId)).length, TO_HOLD.length + 2)
  })

  it('needs an outcome, and the case stays open without one', async () => {
    const buy = await givenContested()
    assert.equal(await buy.resolve(), 'needs-outcome')
    assert.deepEqual([(await buy.cases())[0]?.state, await buy.status()], ['open', 'hold'])
    assert.equal(await buy.resolve('delivered'), 'resolved')
  })

  it('is refused to a case of any other kind, which stays open', async () => {
    const buy = await givenContested()
    await onCase('unclear_fault', { itemId: buy.itemId, market: 'market_b' })
    const other = (await buy.cases()).find(({ kind }) => kind === 'unclear_fault')
    const resolved = await resolveCase({ db, clock }, operator, other?.id ?? '', {
      ...{ reason: 'the wrong case', outcome: 'user' },
    })
    assert.equal(resolved, 'takes-no-outcome')
    assert.deepEqual(
      [(await buy.cases()).map(({ state }) => state), await buy.status()],
      [['open', 'open'], 'hold'],
    )
    assert.equal(await buy.resolve('supplier'), 'resolved')
  })

  it('is not contradicted afterwards by the row that was decided about', async () => {
    const buy = await givenContested()
    await buy.resolve('user')
    clock.advance(HOUR)
    await createUnmatchedWatch({ ...shared, watchMs: DAY })()
    assert.deepEqual(
      (await buy.cases()).map(({ kind }) => kind),
      ['reversal_unclear'],
    )
  })
})

describe('an account that is not active any more', () => {
  it('gets its money back while it is suspended', async () => {
    const buy = await givenContested()
    await closeAccount(db, buy.who.accountId, 'suspended')
    assert.equal(await buy.resolve('supplier'), 'resolved')
    assert.deepEqual([await buy.status(), await buy.spot()], ['reverted', 5000n])
  })

  it('is not deleted before the decision, and can be after it', async () => {
    const buy = await givenContested({ balance: PRICE })
    const remove = () =>
      deleteAccount({ db, clock, openBusiness: OPEN_BUSINESS, closeBusiness: [] }, operator, {
        ...{ accountId: buy.who.accountId, reason: 'it wants to' },
      })
    await assert.rejects(remove, refused('USER_HAS_FUNDS_OR_OPEN_TRADES'))
    assert.equal(await buy.resolve('user'), 'resolved')
    await remove()
    const [left] = await db.query(LEFT, [buy.who.accountId])
    assert.equal(left, undefined)
  })
})

describe('an order of a partner’s child', () => {
  for (const [outcome, childSpot, partnerSpot] of [
    ['user', 5000n - PRICE, 0n],
    ['supplier', 5000n, 0n],
    ['delivered', 5000n - PRICE, 20n],
  ] as const) {
    it(`ends right when the outcome is ${outcome}`, async () => {
      const { partnerId, childId } = await given()
      const buy = await givenContested({ child: { tenantId: partnerId, accountId: childId } })
      assert.equal(await buy.resolve(outcome), 'resolved')
      assert.deepEqual(
        [await buy.spot(), await buy.escrow(), await balanceOf(db, partnerId, 'spot')],
        [childSpot, 0n, partnerSpot],
      )
    })
  }
})

it('leaves the books of trades and buys whole', async () => {
  // Tests beside these write trades without items into the same database.
  const broken = (await auditTrades(db)).filter(({ detail }) => bought.includes(detail))
  assert.deepEqual(broken, [])
  assert.ok(bought.length > 10)
  assert.deepEqual(await auditBuys(db), [])
})
