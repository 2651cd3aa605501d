// Guards that no way through the service ever meets, because what stands before them is right. They are
// for the day on which it is not: each is met here by hand, with rows of real trades, and taken back.
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
import type { Seller } from '../../apps/server/src/modules/trading/selling/sell.ts'
import { scriptedPlatform } from '../../apps/server/src/modules/trading/selling/testing/platform.ts'
import {
  givenAssets,
  givenSeller,
  sellAssets,
  sellDeps,
} from '../../apps/server/src/modules/trading/selling/testing/sellers.ts'
import { until } from '../support/until.ts'
import { refusedIn, run, type Statement, TakenBack } from './refused.ts'

let test: TestDatabase
let db: Db
let buyer: Buyer
let seller: Seller

before(async () => {
  test = await testDatabase()
  db = test.db
  buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 1_000_000n })
  seller = await givenSeller(db)
})
after(() => test.close())

const refused = (name: string, ...statements: readonly Statement[]): Promise<void> =>
  refusedIn(db, name, ...statements)

async function anEndpoint(): Promise<string> {
  const [row] = await run<{ id: string }>(
    db,
    `insert into webhooks.endpoint (tenant_id, url, secret_sealed, created_at, updated_at)
     values ($1, 'https://x.example', 'x', now(), now()) returning id`,
    [newId()],
  )
  return row?.id ?? ''
}

interface Made {
  readonly tradeId: string
  readonly itemIds: readonly string[]
}

async function aTrade(count = 1): Promise<Made> {
  const items = []
  for (let i = 0; i < count; i++) {
    const id = await givenListing(db, { priceMills: 10_000n })
    items.push({ listing: { id }, maxPrice: cents(9999n), externalId: null })
  }
  const buy = testBuy({ db, clock: systemClock })
  const request = { requestId: newId(), externalId: null, tradeUrl: null, items }
  const { tradeId } = await buy(buyer, request)
  const rows = await run<{ id: string }>(
    db,
    'select id from trades.item where trade_id = $1 order by position',
    [tradeId],
  )
  return { tradeId, itemIds: rows.map(({ id }) => id) }
}

/** The same row once more with other values, whatever its table. */
const copyOf = (table: string, where: string, values: string): string =>
  `insert into ${table} overriding system value
   select (jsonb_populate_record(r, ${values})).* from ${table} r where ${where}`

const resolution = (captured: number, refunded: number, penalty: number): string =>
  `insert into ledger.hold_resolution (hold_id, amount, captured, refunded, penalty, journal_id)
   select id, amount, ${captured}, ${refunded}, amount - ${captured} - ${refunded} + ${penalty}, journal_id
   from ledger.hold where id = $1`

describe('a hold', () => {
  it('is of more than nothing', async () => {
    const { itemIds } = await aTrade()
    const copy = copyOf('ledger.hold', 'r.id = $1', `'{"amount": 0, "id": "${newId()}"}'`)
    await refused('hold_amount_positive', [copy, itemIds[0]])
  })
  it('is resolved once', async () => {
    const { itemIds } = await aTrade()
    const [id] = itemIds
    await refused('hold_resolved_once', [resolution(1, 1, 0), id], [resolution(1, 1, 0), id])
  })
  it('is resolved to the cent', async () => {
    const { itemIds } = await aTrade()
    await refused('hold_resolution_adds_up', [resolution(1, 1, 1), itemIds[0]])
  })
  it('is resolved into parts none of which is negative', async () => {
    const { itemIds } = await aTrade()
    await refused('hold_resolution_not_negative', [resolution(-5, 1, 0), itemIds[0]])
  })
  it('that never was is not resolved', async () => {
    const text = `insert into ledger.hold_resolution (hold_id, amount, captured, refunded, penalty, journal_id)
      values ($1, 1, 1, 0, 0, $1)`
    await refused('hold_resolution_hold', [text, newId()])
  })
})

describe('a journal', () => {
  it('is reversed once', async () => {
    const reversal = `insert into ledger.journal (kind, scope_id, idempotency_key, request_hash, reverses_id, created_at)
      select 'reversal', scope_id, $1, request_hash, id, created_at from ledger.journal
      where kind = 'deposit' and scope_id = $2`
    await refused(
      'journal_reversed_once',
      [reversal, 'one', buyer.accountId],
      [reversal, 'two', buyer.accountId],
    )
  })
})

describe('a resolution', () => {
  it('is never edited', async () => {
    const { itemIds } = await aTrade()
    const [id] = itemIds
    const editing = db.transaction(async (tx) => {
      await run(tx, resolution(1, 1, 0), [id])
      await run(tx, 'update ledger.hold_resolution set captured = captured where hold_id = $1', [
        id,
      ])
      throw new TakenBack('it is edited')
    })
    await assert.rejects(editing, (error) => sqlState(error) === '42501')
  })
})

describe('an account', () => {
  it('of an owner is of a kind whose balance is kept', async () => {
    const text = `insert into ledger.account (id, kind, owner_id, currency) values (999999, 'exchange', $1, 'USD')`
    await refused('account_has_traits_of_its_kind', [text, newId()])
  })
  it('never becomes another', async () => {
    const text = 'update ledger.account set currency = currency where owner_id = $1'
    await assert.rejects(run(db, text, [buyer.accountId]), (error) => sqlState(error) === '42501')
  })
  it('and a journal keep the meaning of their kinds', async () => {
    for (const table of ['account_kind', 'journal_kind']) {
      const text = `update ledger.${table} set name = name`
      await assert.rejects(run(db, text), (error) => sqlState(error) === '42501')
    }
  })
})

describe('an item of a buy', () => {
  it('has fees within its price, a refund that adds up, and no work once it is given back', async () => {
    const { itemIds } = await aTrade()
    const update = (table: string, change: string): [string, unknown] => [
      `update ${table} set ${change} where id = $1`,
      itemIds[0],
    ]
    await refused('item_amounts', update('trades.item', 'house_fee = price + 1'))
    await refused('item_refund_adds_up', update('trades.item', 'refunded = price, penalty = 1'))
    await refused('item_settled_when_completed', update('trades.item', `status = 'completed'`))
    await refused('item_given_back_has_no_work', update('buying.item', 'is_live = false'))
  })
  it('is of a listing that no other item is buying', async () => {
    const { itemIds } = await aTrade()
    const copy = copyOf('buying.item', 'r.id = $1', `jsonb_build_object('id', uuidv7())`)
    await refused('item_one_live_purchase', [copy, itemIds[0]])
  })
  it('has one order, under an id of its own', async () => {
    const { itemIds } = await aTrade(2)
    const order = `insert into buying.supplier_order (item_id, market, custom_id, state, sent_at)
      values ($1, 'market_b', $2, 'placing', now())`
    const [one, two] = itemIds
    await refused('supplier_order_pkey', [order, one, 'x'], [order, one, 'y'])
    await refused('supplier_order_custom_id', [order, one, 'x'], [order, two, 'x'])
  })
})

describe('the limit of items that wait', () => {
  it('leaves room for one quick-buy, so that none is refused for its size alone', () =>
    refused('setting_waiting_limit_fits_a_quick_buy', [
      'update buying.setting set waiting_limit = 199',
    ]))
})

describe('an event', () => {
  it('is delivered once to each endpoint', async () => {
    const id = await anEndpoint()
    const delivery = `insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id,
        subject_id, payload, status, due_at, created_at)
      values ($1, 1, 'trade.initiated', $1, $1, $1, '{}', 'pending', now(), now())`
    await refused('delivery_first_once', [delivery, id], [delivery, id])
  })
  it('is parked with a reason, and has one only while it is parked', async () => {
    const id = await anEndpoint()
    const delivery = `insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id,
        subject_id, payload, status, due_at, created_at, parked_reason)
      values ($1, 2, 'trade.initiated', $1, $1, $1, '{}', $2, now(), now(), $3)`
    await refused('delivery_parked_for_a_reason', [delivery, id, 'parked', null])
    await refused('delivery_parked_for_a_reason', [delivery, id, 'pending', 'not parked'])
  })
  it('goes to an endpoint of an interface that exists', async () => {
    const id = await anEndpoint()
    const change = `update webhooks.endpoint set dialect = 'none' where id = $1`
    await refused('endpoint_dialect_known', [change, id])
  })
  it('goes to no endpoint that was removed', async () => {
    const id = await anEndpoint()
    const change = 'update webhooks.endpoint set removed_at = now() where id = $1'
    await refused('endpoint_removed_is_disabled', [change, id])
  })
  it('is written once', async () => {
    const { tradeId } = await aTrade()
    const again = `select outbox.add(e.type, e.subject_type, e.tenant_id, e.account_id, e.subject_id, e.payload,
      e.subject_id, e.created_at) from outbox.event e where e.subject_id = $1`
    await refused('event_once', [again, tradeId])
  })
})

async function aPlacedTrade(): Promise<Made> {
  const trade = await aTrade(2)
  for (const id of trade.itemIds) {
    const order = `insert into buying.supplier_order (item_id, market, custom_id, state, sent_at)
      values ($1, 'market_b', $1::uuid::text, 'placed', now())`
    await run(db, order, [id])
  }
  return trade
}

const move = (by: Db | Tx, id: string | undefined): Promise<unknown> =>
  run(
    by,
    `select buying.move_item($1, 'initiated', 'pending', now(), now(), null, null, null, null, null, null)`,
    [id],
  )

describe('a step', () => {
  it('waits for another of the same trade, so that the last one sees what all of them made', async () => {
    const { tradeId, itemIds } = await aPlacedTrade()
    await inTurn(
      (tx) => move(tx, itemIds[0]),
      () => move(db, itemIds[1]),
    )
    const rows = await run<{ status: string }>(
      db,
      'select status from trades.trade where id = $1',
      [tradeId],
    )
    assert.deepEqual(rows, [{ status: 'pending' }])
  })
  it('locks the trade before its item, so that two of them never wait for each other', async () => {
    const { itemIds } = await aPlacedTrade()
    const end = `select buying.end_unplaced(array[$1::uuid], 'canceled', now(), null, null) as ended`
    const later: Promise<{ ended: string[] }[]>[] = []
    await db.transaction(async (tx) => {
      await move(tx, itemIds[0])
      later.push(run(db, end, [itemIds[1]]))
      await untilWaiting(1)
      await move(tx, itemIds[1])
    })
    assert.deepEqual(await Promise.all(later), [[{ ended: [] }]])
  })
})

describe('a listing', () => {
  const taken = async (id: bigint, mills: number): Promise<boolean | undefined> => {
    const rows = await run<{ taken: boolean }>(db, 'select catalog.take_listing($1, $2) as taken', [
      id,
      mills,
    ])
    return rows[0]?.taken
  }
  it('is taken once, and not when it costs more than was agreed', async () => {
    const id = await givenListing(db, { priceMills: 10_000n })
    assert.equal(await taken(id, 9999), false, 'it became dearer')
    assert.equal(await taken(id, 10_000), true)
    assert.equal(await taken(id, 10_000), false, 'it is gone')
  })

  it('is taken in the order of all others, whatever the order of the basket', async () => {
    const low = await givenListing(db, { priceMills: 10_000n })
    const middle = await givenListing(db, { priceMills: 10_000n })
    const high = await givenListing(db, { priceMills: 10_000n })
    // Without an order the first would hold the lowest and then want the middle one; the second the reverse.
    const waiting: Promise<unknown>[] = []
    await db.transaction(async (tx) => {
      await run(tx, 'select from catalog.listing where id = $1 for update', [high])
      waiting.push(placeBuy([low, high, middle]))
      await untilWaiting(1)
      const second = placeBuy([middle, low])
      waiting.push(second.catch((error) => assert.equal(sqlState(error), 'PT410')))
      await untilWaiting(2)
    })
    await Promise.all(waiting)
  })
})

const placeBuy = (ids: readonly bigint[]): Promise<unknown> =>
  run(
    db,
    `select buying.place_buy($1, $2, '1', 'url', null, '\\x00', 'cs2', 'USD', null, uuidv7(), now(),
       array_fill(null::text, array[n]), $3::bigint[], array_fill('market_b'::text, array[n]),
       array_fill('raw'::text, array[n]), array_fill('item'::text, array[n]), array_fill('{}'::jsonb, array[n]),
       array_fill(10000::bigint, array[n]), array_fill(1000::bigint, array[n]),
       array_fill(0::bigint, array[n]), array_fill(0::bigint, array[n]))
     from (select cardinality($3::bigint[]) n) basket`,
    [buyer.tenantId, buyer.accountId, ids],
  )

describe('a sell', () => {
  it('has items of a price, settled only when they are completed', async () => {
    const { itemIds } = await aSell()
    const update = (change: string): [string, unknown] => [
      `update trades.item set ${change} where id = $1`,
      itemIds[0],
    ]
    await refused('item_amounts', update('merchant_fee = price + 1'))
    await refused('item_settled_when_completed', update('settled_at = now()'))
  })

  it('is the only open one of its assets', async () => {
    const { itemIds } = await aSell()
    const copy = copyOf('selling.item', 'r.id = $1', `jsonb_build_object('id', uuidv7())`)
    await refused('item_one_open_sell', [copy, itemIds[0]])
  })

  it('is found under its external id by the same request only', async () => {
    const open = (hash: string): Promise<unknown> =>
      run(
        db,
        `select trades.begin_or_replay('sell', $1, $2, '1', 'url', 'one', $3::bytea, 'cs2', 'USD', null, uuidv7(),
           now(), 1, 1)`,
        [seller.tenantId, seller.accountId, hash],
      )
    await assert.rejects(
      db.transaction(async () => {
        await open('\\x00')
        await open('\\x00')
        await open('\\x01')
      }),
      (error) => sqlState(error) === 'PT409',
    )
  })

  it('has each offer of the platform once', async () => {
    const { tradeId } = await aSell()
    const offer = `insert into selling.offer (trade_id, bot_id, platform_id, state, offer_id, sent_at, expires_at, due_at)
      values ($1, 'bot', '1', 'out', 'the same', now(), now(), now())`
    await refused('offer_once', [offer, tradeId], [offer, tradeId])
  })

  it('leaves each item in stock once, and each asset', async () => {
    const { itemIds } = await aSell(2)
    const stock = `insert into selling.stock (item_id, bot_id, asset_id, context_id, catalog_item_id,
        market_hash_name, cost, currency, cost_usd, acquired_at, unlocks_at)
      values ($1, 'bot', $2, '2', 'item', 'name', 1, 'USD', 1, now(), now())`
    const [one, two] = itemIds
    await refused('stock_pkey', [stock, one, '1'], [stock, one, '2'])
    await refused('stock_asset', [stock, one, '1'], [stock, two, '1'])
  })

  it('takes a step after the other, so that the last one sees what all of them made', async () => {
    const { tradeId, itemIds } = await aSell(2)
    const cancel = (by: Db | Tx, id: string | undefined): Promise<unknown> =>
      moveSold(by, tradeId, id, 'canceled')
    await inTurn(
      (tx) => cancel(tx, itemIds[0]),
      () => cancel(db, itemIds[1]),
    )
    const rows = await run<{ status: string }>(
      db,
      'select status from trades.trade where id = $1',
      [tradeId],
    )
    assert.deepEqual(rows, [{ status: 'canceled' }])
  })

  it('takes the steps of its table, and each of them once', async () => {
    const { tradeId, itemIds } = await aSell()
    const [id] = itemIds
    await assert.rejects(
      moveSold(db, tradeId, id, 'reverted'),
      (error) => sqlState(error) === 'PT500',
    )
    assert.deepEqual(await moveSold(db, tradeId, id, 'canceled'), [{ moved: 1 }])
    assert.deepEqual(await moveSold(db, tradeId, id, 'canceled'), [{ moved: 0 }])
  })

  it('is given to bots after the one before, because limits count what was written', async () => {
    const [one, two] = [await aSell(), await aSell()]
    const assign = (by: Db | Tx, tradeId: string): Promise<unknown> =>
      run(
        by,
        `select selling.assign($1, array['bot'], array[100], array[0], 30, 5, now(), now(), now())`,
        [tradeId],
      )
    await inTurn(
      (tx) => assign(tx, one.tradeId),
      () => assign(db, two.tradeId),
    )
  })
})

describe('a case', () => {
  const report = (by: Db | Tx): Promise<{ isNew: boolean }[]> =>
    run(
      by,
      `select is_new as "isNew" from reconciliation.report('missing', 'item:one', null, null, 'statement',
         '{}', '{}', now())`,
    )
  it('is opened once, when two see it at the same time', async () => {
    const answers: unknown[] = []
    await inTurn(
      async (tx) => answers.push(...(await report(tx))),
      async () => answers.push(...(await report(db))),
    )
    assert.deepEqual(answers, [{ isNew: true }, { isNew: false }])
  })
  it('is open once for each subject', async () => {
    const open = `insert into reconciliation.case_file (kind, subject, source, facts, first_seen_at, last_seen_at)
      values ('missing', 'item:two', 'statement', '{}', now(), now())`
    await refused('case_file_one_open', [open], [open])
  })
})

const moveSold = (
  by: Db | Tx,
  tradeId: string,
  itemId: string | undefined,
  to: string,
): Promise<{ moved: number }[]> =>
  run(
    by,
    `select selling.move_items($1, array[$2::uuid], 'initiated', $3::trades.status, now(), null, null, null,
       null, null, ${to === 'reverted' ? `'user'` : 'null'}) as moved`,
    [tradeId, itemId, to],
  )

async function aSell(count = 1): Promise<Made> {
  const platform = scriptedPlatform()
  const deps = sellDeps(db, systemClock, platform)
  const { tradeId } = await sellAssets(deps, seller, givenAssets(platform, seller, count))
  const rows = await run<{ id: string }>(
    db,
    'select id from selling.item where trade_id = $1 order by position',
    [tradeId],
  )
  return { tradeId, itemIds: rows.map(({ id }) => id) }
}

describe('an invitation', () => {
  const invite = (
    account: string,
    email: string,
    { accepted = false, revoked = false } = {},
  ): Statement => [
    `insert into people.invitation (id, token_hash, account_id, account_kind, email, role, invited_by, created_at,
       expires_at, accepted_at, revoked_at)
     select id, sha256(id::text::bytea), $2, 'merchant', $3, 'owner', 'a test', now(), now(),
       case when $4 then now() end, case when $5 then now() end
     from (select $1::uuid as id) made`,
    ...[newId(), account, email, accepted, revoked],
  ]

  it('is the only open one of an account to an address, in any case of letters', async () => {
    const account = newId()
    await refused(
      'invitation_open_once',
      invite(account, 'x@example.com'),
      invite(newId(), 'x@example.com'),
      invite(account, 'X@example.com', { revoked: true }),
      invite(account, 'X@example.com'),
    )
  })

  it('is accepted or revoked, and not both', async () => {
    const both = invite(newId(), 'x@example.com', { accepted: true, revoked: true })
    await refused('invitation_ends_once', both)
  })

  it('names a sender that exists, where it names one', async () => {
    const id = newId()
    const [text, ...values] = invite(newId(), 'x@example.com')
    const sender = 'update people.invitation set inviter_id = $1 where account_id = $2'
    await refused('invitation_inviter', [text, ...values], [sender, id, String(values[1])])
  })
})

describe('journals of several accounts', () => {
  it('take their locks in one order, whatever the order of their legs', async () => {
    const owners = [newId(), newId(), newId()]
    const ids: string[] = []
    for (const owner of owners) {
      const [row] = await run<{ id: string }>(
        db,
        `select ledger.open_account($1, 'spot', 'USD')::text as id`,
        [owner],
      )
      ids.push(row?.id ?? '')
    }
    const [low, middle, high] = ids
    const deposit = (by: Db | Tx, ...to: (string | undefined)[]): Promise<unknown> =>
      run(
        by,
        `select ledger.post('deposit', null, $1::uuid, 'legs', '\\x00', now(),
           array(select 'USD'::ledger.currency from unnest($2::bigint[])),
           array(select ledger.house('clearing_demo', 'USD') from unnest($2::bigint[])),
           $2::bigint[], array(select 1::bigint from unnest($2::bigint[])))`,
        [newId(), to],
      )
    // A lock is held on the highest account: the first journal waits there and holds the lowest.
    // The second takes the middle one and wants the lowest; the first, let go, wants the middle one.
    const waiting: Promise<unknown>[] = []
    await db.transaction(async (tx) => {
      await run(tx, 'select from ledger.balance where account_id = $1 for no key update', [high])
      waiting.push(deposit(db, low, high, middle))
      await untilWaiting(1)
      waiting.push(deposit(db, middle, low))
      await untilWaiting(2)
    })
    await Promise.all(waiting)
  })

  it('find the accounts locked that their transaction named', async () => {
    const [{ id } = { id: '' }] = await run<{ id: string }>(
      db,
      `select ledger.account_of($1, 'spot')::text as id`,
      [buyer.accountId],
    )
    await db.transaction(async (tx) => {
      await run(tx, 'select ledger.lock_accounts(array[$1::bigint])', [id])
      const taking = run(
        db,
        'select from ledger.balance where account_id = $1 for no key update nowait',
        [id],
      )
      await assert.rejects(taking, (error) => sqlState(error) === '55P03')
    })
  })
})

/** The second begins when the first has done its work, and the first commits when the second waits. */
async function inTurn(
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<void> {
  const later: Promise<unknown>[] = []
  await db.transaction(async (tx) => {
    await first(tx)
    later.push(second())
    await untilWaiting(1)
  })
  await Promise.all(later)
}

const untilWaiting = (count: number): Promise<unknown> =>
  until('the others wait for a lock', async () => (await db.query(WAITING)).length >= count)

describe('a payout callback', () => {
  it('has a previous secret until a moment that is known', () =>
    refused('merchant_previous_secret_ends', [
      `insert into payouts.merchant (id, callback_url, callback_secret_sealed, callback_previous_secret_sealed, changed_at)
       values ($1, 'https://x.example', 'x', 'y', now())`,
      newId(),
    ]))
})
