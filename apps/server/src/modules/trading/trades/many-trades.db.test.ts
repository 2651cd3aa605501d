import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type ReadDb, type Statement, sql } from '#infra/database/db'
import { EVERY_ID } from '#infra/database/id-slices'
import { newId } from '#kernel/id'
import type { CursorPage } from '#kernel/page'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import {
  countTrades,
  findTrades,
  keepFigures,
  listTrades,
  lookUpTrades,
  pageMovements,
  pageTrades,
  readChildFigures,
  readFigures,
  readOrderFigures,
  readTotals,
  type Trade,
  type TradeFilter,
  type TradeTotals,
} from './index.ts'
import { auditTrades, endOfSlice } from './store/audit.ts'
import { FIGURES } from './store/figures.ts'
import { PAGE_OF_MOVEMENTS } from './store/orders.ts'
import { readSeries } from './store/series.ts'
import { LOOK_UP, type TradeSlice } from './store/trades.ts'
import { anyHistory, History, moveTrade } from './testing/histories.ts'
import { givenManyTrades } from './testing/many-trades.ts'

const COUNT = 12_000
const LOOK = 5000
const FROM = new Date('2026-11-01T00:00:00.000Z')
const tenantId = newId()
let database: TestDatabase

before(async () => {
  database = await testDatabase()
  await givenManyTrades(database.db, { tenantId, count: COUNT, from: FROM })
})
after(() => database.close())

const IN_SLICE = sql('test_in_slice', 'select from trades.trade where id > $1 and id <= $2')
const NEWEST = sql('test_newest', 'select id::text id from trades.trade order by id desc limit 2')

/** Follows the cursor to the end, as a client does. */
async function pagesOf(filter: TradeFilter) {
  const pages: number[] = []
  const found: string[] = []
  let cursor: string | null = null
  do {
    const slice: TradeSlice = { cursor, limit: 25, look: LOOK }
    const page: CursorPage<Trade> = await listTrades(database.db, { tenantId, ...filter }, slice)
    pages.push(page.items.length)
    found.push(...page.items.map(({ externalId }) => externalId ?? ''))
    cursor = page.nextCursor
  } while (cursor !== null)
  return { pages, found }
}

test('a look for a name that few trades have ends after so many trades, and goes on at the cursor', async () => {
  assert.deepEqual(await pagesOf({ itemName: 'oldest' }), { pages: [0, 0, 1], found: ['many-1'] })
  assert.deepEqual(await pagesOf({ itemName: 'no such name' }), { pages: [0, 0, 0], found: [] })
})

test('a look for a status or a type that no trade has ends after so many trades, too', async () => {
  for (const filter of [{ statuses: ['hold'] }, { type: 'sell' }] as const) {
    assert.deepEqual(await pagesOf(filter), { pages: [0, 0, 0], found: [] })
  }
})

test('a name that many trades have fills its pages, and no trade is left out or comes twice', async () => {
  const { pages, found } = await pagesOf({ itemName: 'redline' })
  assert.equal(found.length, COUNT - 1)
  assert.equal(new Set(found).size, COUNT - 1)
  assert.equal(pages[0], 25)
})

test('the platform account of a user finds its newest trades: for all, and for its tenant alone', async () => {
  const text = '76561198000000001'
  const found = (owner: string | null) =>
    findTrades(database.db, { ids: [], text, tenantId: owner })
  const [newest] = await database.db.query<{ id: string }>(NEWEST)
  for (const owner of [null, tenantId]) {
    const trades = await found(owner)
    assert.deepEqual([trades.length, trades[0]?.id], [20, newest?.id])
  }
  assert.deepEqual(await found(newId()), [])
})

test('a look reads no more trades than it may', async () => {
  const explain = sql(
    'test_explain',
    `explain (analyze, format json) select t.id from (
       select t.* from trades.trade t where t.tenant_id = '${tenantId}' and t.id < '${'f'.repeat(8)}-ffff-ffff-ffff-${'f'.repeat(12)}'
       order by t.id desc limit ${LOOK}) t
     where exists (select from trades.item i where i.trade_id = t.id
       and i.description ->> 'marketHashName' ilike '%no such name%') order by t.id desc limit 26`,
  )
  const [row] = await database.db.query<Record<string, unknown>>(explain)
  const counts = [
    ...JSON.stringify(row).matchAll(/"Actual Rows":([\d.]+),"Actual Loops":([\d.]+)/g),
  ]
  const most = Math.max(...counts.map(([, rows, loops]) => Number(rows) * Number(loops)))
  assert.ok(most <= LOOK, `${most} rows in one step of the plan`)
})

test('the list of all tenants, also of a time, is a walk of the primary key', async () => {
  const { db } = database
  const plans: string[] = []
  const explained: ReadDb = {
    ...db,
    query: async (statement, values) => {
      const explain = sql(`test_explain_${plans.length}`, `explain (format json) ${statement.text}`)
      const [plan] = await db.query(explain, values)
      plans.push(JSON.stringify(plan))
      return []
    },
  }
  const slice = { cursor: null, limit: 25 }
  const to = new Date(FROM.getTime() + 60_000)
  for (const filter of [{}, { from: FROM }, { to }]) await listTrades(explained, filter, slice)
  assert.equal(plans.length, 3)
  for (const plan of plans) {
    assert.match(plan, /"Scan Direction":"Backward","Index Name":"trade_pkey"/)
    assert.doesNotMatch(plan, /"Node Type":"Seq Scan"/)
  }
})

test('an audit takes so many trades at a time, each trade once, and looks at no other', async () => {
  const { db } = database
  const sizes: number[] = []
  let after = EVERY_ID.after
  for (;;) {
    const upTo = await endOfSlice(db, after, LOOK)
    if (upTo === null) break
    sizes.push((await db.query(IN_SLICE, [after, upTo])).length)
    after = upTo
  }
  assert.deepEqual(sizes, [LOOK, LOOK, COUNT - 2 * LOOK])
  // No trade of this file has an event of its beginning, so that each one looked at is a finding.
  const [last, before] = await db.query<{ id: string }>(NEWEST)
  assert.ok(last && before)
  const found = await auditTrades(db, { after: before.id, upTo: last.id })
  const withoutBeginning = found.filter(({ invariant }) => /event of its beginning/.test(invariant))
  assert.deepEqual(
    withoutBeginning.map(({ detail }) => detail),
    [last.id],
  )
})

test('figures of many trades are those of their sums', async () => {
  const range = { from: null, to: null, currency: 'USD' } as const
  const figures = await readTotals(database.db, tenantId, range)
  const byStatus = new Map(figures.map((row) => [row.status, row]))
  assert.equal(byStatus.get('completed')?.tradeCount, (COUNT * 3) / 4)
  assert.equal(byStatus.get('completed')?.gmvCents, 1050n * BigInt((COUNT * 3) / 4))
  assert.equal(byStatus.get('completed')?.feesCents, 20n * BigInt((COUNT * 3) / 4))
  assert.equal(byStatus.get('failed')?.tradeCount, COUNT / 4)
  assert.equal(byStatus.get('failed')?.gmvCents, 0n)
  assert.equal(figures.length, 2)
})

test('the list of all tenants up to a time begins there', async () => {
  const { db } = database
  const from = new Date()
  await givenManyTrades(db, { tenantId: newId(), count: 3, from })
  const to = new Date(from.getTime() + 2000)
  const { items } = await listTrades(db, { to }, { cursor: null, limit: 2 })
  assert.deepEqual(
    items.map(({ externalId }) => externalId),
    ['many-2', 'many-1'],
  )
})

/** A tenant with a trade every quarter of an hour for five days, and the same reads before and after. */
async function tenantOfFiveDays() {
  const { db } = database
  const id = newId()
  const below = { tenantId: id, accountId: newId() }
  await givenManyTrades(db, { ...below, count: 480, from: FROM, everySeconds: 900 })
  const day = (n: number, hours = 0) => new Date(FROM.getTime() + (n * 24 + hours) * 3_600_000)
  const ranges = [
    [null, null],
    [day(1), null],
    [null, day(3)],
    [day(0, 5), day(3, 17)],
    [day(1), day(2)],
    [day(2, 1), day(2, 20)],
    [day(1, 12), day(2, 12)],
    [day(3), day(1)],
    [day(9), null],
  ] as const
  const figures = () =>
    Promise.all(
      ranges.map(async ([from, to]) => {
        const { accounts } = await readFigures(db, id, { from, to, currency: 'USD' }, 10)
        return accounts
      }),
    )
  const tenantFigures = () =>
    Promise.all(ranges.map(async ([from, to]) => readTotals(db, id, { from, to, currency: 'USD' })))
  const keptDays = async (): Promise<string[]> => {
    const rows = await db.query<{ day: string }>(
      sql(
        'test_days',
        'select distinct day::text from trades.day_figures where tenant_id = $1 order by 1',
      ),
      [id],
    )
    return rows.map((row) => row.day)
  }
  /** The trades are those of an account below the tenant. */
  const totals = () => readOrderFigures(db, id)
  const keep = (at: Date) => keepFigures(db, { at, signal: AbortSignal.timeout(60_000) })
  /** What the account's own lists and figures show. */
  const shown = () =>
    db.snapshot(async (at) => {
      const pages = []
      for (const page of [1, 7, 60, 61]) {
        const { total, movements } = await pageMovements(at, below, { page, limit: 10 })
        pages.push([total, ...movements.map((row) => [row.type, row.trade.id, row.at])])
      }
      const { total } = await pageTrades(at, below, { page: 1, limit: 1 })
      const counts = [...(await countTrades(at, below))].sort()
      return { pages, total, counts, figures: await readChildFigures(at, below) }
    })
  return {
    ...{ id, day, figures, tenantFigures, totals, keptDays, keep, shown },
    accountId: below.accountId,
  }
}

/** Counts, volume and fees together. */
const inAll = (
  figures: readonly Pick<TradeTotals, 'tradeCount' | 'gmvCents' | 'feesCents'>[],
): readonly [number, bigint, bigint] =>
  figures.reduce<readonly [number, bigint, bigint]>(
    ([count, gmv, fees], one) => [count + one.tradeCount, gmv + one.gmvCents, fees + one.feesCents],
    [0, 0n, 0n],
  )

test('lists and figures of an account are the same from kept days and from the trades themselves', async () => {
  const { id, day, keep, shown } = await tenantOfFiveDays()
  // Of the first day, and given back long after it.
  const [late] = await database.db.query<{ id: string }>(
    sql(
      'test_late_refund',
      `update trades.item i set status_at = $2 from trades.trade t
       where t.id = i.trade_id and t.tenant_id = $1 and t.external_id = 'many-4' returning t.id`,
    ),
    [id, day(9)],
  )
  const before = await shown()
  assert.deepEqual([before.total, before.pages[0]?.[0]], [480, 600])
  assert.deepEqual(before.pages[0]?.[1], ['refund', late?.id, day(9)])
  assert.deepEqual(before.counts, [
    ['completed', 360],
    ['failed', 120],
  ])
  assert.equal(before.figures.completed.count, 360)
  for (const at of [day(3, 12), day(30)]) {
    await keep(at)
    assert.deepEqual(await shown(), before)
  }
})

test('figures of every range are the same from kept days and from the trades themselves', async () => {
  const { day, figures, totals, keptDays, keep } = await tenantOfFiveDays()
  const before = await figures()
  const totalsBefore = await totals()
  assert.deepEqual(totalsBefore.completed, { count: 360, total: 378_000n, merchantFees: 7_200n })
  assert.equal(before[0]?.[0]?.tradeCount, 480)
  await keep(day(3, 12))
  assert.deepEqual(await keptDays(), ['2026-11-01', '2026-11-02'], 'the day before is left open')
  assert.deepEqual(await figures(), before)
  assert.deepEqual(await totals(), totalsBefore)
  await keep(day(30))
  await keep(day(30))
  assert.deepEqual(await totals(), totalsBefore)
  assert.equal((await keptDays()).length, 6)
  assert.deepEqual(await figures(), before)
})

test('a tenant whose days cannot be kept stops those of no other, and its error is thrown', async () => {
  const { db } = database
  const [broken, other] = [await tenantOfFiveDays(), await tenantOfFiveDays()]
  const constraint = 'figures_mark_test'
  await db.script(`alter table trades.figures_mark add constraint ${constraint}
    check (tenant_id <> '${broken.id}') not valid`)
  await assert.rejects(broken.keep(broken.day(30)), new RegExp(constraint))
  await db.script(`alter table trades.figures_mark drop constraint ${constraint}`)
  assert.deepEqual([(await broken.keptDays()).length, (await other.keptDays()).length], [0, 6])
  await broken.keep(broken.day(30))
  assert.equal((await broken.keptDays()).length, 6)
})

test('the figures of a tenant are the sums of those of its accounts, in every range', async () => {
  const { id, day, figures, tenantFigures, keep } = await tenantOfFiveDays()
  await database.db.query(
    sql(
      'test_own_trades',
      `update trades.trade set account_id = tenant_id where tenant_id = $1 and external_id like '%5'`,
    ),
    [id],
  )
  const [all] = await figures()
  assert.deepEqual(
    all?.map(({ tradeCount }) => tradeCount),
    [432, 48],
  )
  for (const at of [FROM, day(3, 12), day(30)]) {
    await keep(at)
    assert.deepEqual((await tenantFigures()).map(inAll), (await figures()).map(inAll))
  }
})

const SAME_NAME = sql(
  'test_same_name',
  `insert into trades.trade (type, tenant_id, account_id, platform_id, trade_url, external_id, request_hash, game,
     currency, status, item_count, total, created_at, updated_at)
   select 'buy', $1, uuidv7(), '76561198000000001', 'https://steamcommunity.com/tradeoffer/new/?partner=1&token=accept00',
     'same', '\\x00', 'cs2', 'USD', 'completed', 1, 1050, $3, $3 from generate_series(1, $2::integer)`,
)

const SET_STATUS = sql(
  'test_set_status',
  `update trades.trade set status = $2::trades.status, earned = case $2 when 'completed' then 20 else 0 end,
     updated_at = $3 where tenant_id = $1 and external_id = any ($4::text[])`,
)

test('a day is kept with the trades of it that are open; its figures follow them to their end', async () => {
  const { id, day, figures, totals, keptDays, keep } = await tenantOfFiveDays()
  const { db } = database
  const held = Array.from({ length: 40 }, (_, i) => `many-${12 * i + 1}`)
  await db.query(SET_STATUS, [id, 'hold', FROM, held])
  await db.query(SET_STATUS, [id, 'initiated', FROM, ['many-129']])
  const range = { from: day(0), to: day(4, 23), currency: 'USD', unit: 'day' } as const
  const inProgress = async (): Promise<number[]> =>
    (await readSeries(db, id, range)).map(({ inProgressCount }) => inProgressCount)
  const before = await figures()
  assert.deepEqual(await inProgress(), [8, 9, 8, 8, 8])
  await keep(day(30))
  assert.equal((await keptDays()).length, 6)
  assert.deepEqual(await figures(), before)
  assert.deepEqual(await inProgress(), [8, 9, 8, 8, 8])
  await db.query(SET_STATUS, [id, 'hold', day(30), ['many-129']])
  const { completed, open } = await totals()
  assert.deepEqual([completed.count, open.count, open.merchantFees], [319, 41, 820n])
  await db.query(SET_STATUS, [id, 'completed', day(31), [...held, 'many-129']])
  const ended = await figures()
  assert.deepEqual(await inProgress(), [0, 0, 0, 0, 0])
  assert.deepEqual(await totals(), {
    completed: { count: 360, total: 378_000n, merchantFees: 7_200n },
    open: { count: 0, total: 0n, merchantFees: 0n },
  })
  await keep(day(31))
  assert.deepEqual(await figures(), ended)
  assert.equal((await totals()).completed.count, 360)
})

test('kept figures are those of the trades themselves, after any history', async () => {
  const property = fc.asyncProperty(anyHistory, async (steps) => {
    const history = new History(database.db)
    for (const step of steps) {
      await history.take(step)
      if (step.what !== 'keep') continue
      assert.deepEqual(await history.shown(), await history.fromTrades())
    }
    // The last changes are not added yet; then they are.
    assert.deepEqual(await history.shown(), await history.fromTrades())
    history.wait(50)
    await history.keep()
    assert.deepEqual(await history.shown(), await history.fromTrades())
  })
  await fc.assert(property, { numRuns: 6, endOnFailure: true })
})

test('a trade that is not placed for days is in the figures, at the price of its last listing', async () => {
  const history = new History(database.db)
  const [, accountId = ''] = history.accounts
  const trade = await history.buy(accountId, 5000, false)
  history.wait(60)
  await history.keep()
  await history.replace(0, 700)
  const open = async () => (await readOrderFigures(database.db, history.tenantId)).open
  const after = { count: 1, total: 700n, merchantFees: 14n }
  assert.deepEqual(await open(), after)
  await history.keep()
  assert.deepEqual(await open(), after)
  assert.equal(await readTrades(FIGURES, [history.tenantId, null, null, 'USD', 10]), 0)
  for (const to of ['pending', 'active', 'hold', 'completed'] as const) {
    await moveTrade(database.db, trade, to, history.at)
  }
  assert.deepEqual(await history.shown(), await history.fromTrades())
})

test('a step that is under way while the day of its trade is kept is counted once', async () => {
  const history = new History(database.db)
  const [, accountId = ''] = history.accounts
  const trades = [
    await history.buy(accountId, 5000, false),
    await history.buy(accountId, 700, false),
  ]
  for (const trade of trades) {
    for (const to of ['pending', 'active', 'hold'] as const) {
      await moveTrade(database.db, trade, to, history.at)
    }
  }
  history.wait(20)
  const [first, second] = trades
  assert.ok(first && second)
  // Of the first day, which is not kept yet: its sums will contain this one.
  await moveTrade(database.db, first, 'completed', history.at)
  history.wait(30)
  await database.db.transaction(async (tx) => {
    await moveTrade(tx, second, 'completed', history.at)
    await history.keep()
  })
  assert.deepEqual(await history.shown(), await history.fromTrades())
  const { completed } = await readChildFigures(database.db, {
    tenantId: history.tenantId,
    accountId,
  })
  assert.deepEqual(completed, { count: 2, total: 5700n, merchantFees: 114n })
  await history.keep()
  assert.deepEqual(await history.shown(), await history.fromTrades())
})

test('trades in their hold add nothing to what stats and a partner’s totals read', async () => {
  const { id, day, keep } = await tenantOfFiveDays()
  const all = Array.from({ length: 480 }, (_, i) => `many-${i + 1}`)
  await database.db.query(SET_STATUS, [id, 'hold', FROM, all])
  await keep(day(8))
  assert.equal(await readTrades(FIGURES, [id, null, null, 'USD', 10]), 0)
  assert.equal((await readOrderFigures(database.db, id)).open.count, 480)
})

/** So many rows of trades does a statement read. */
async function readTrades({ name, text }: Statement, values: readonly unknown[]): Promise<number> {
  const explain = sql(`test_explain_${name}`, `explain (analyze, format json) ${text}`)
  const [row] = await database.db.query<Record<string, unknown>>(explain, values)
  const scans = [
    ...JSON.stringify(row).matchAll(/"Relation Name":"trade",.*?"Actual Rows":([\d.]+)/g),
  ]
  assert.ok(scans.length > 0)
  return scans.reduce((sum, [, count]) => sum + Number(count), 0)
}

test('stats and pages of kept days read no trade of them', async () => {
  const { id, accountId, day, keep } = await tenantOfFiveDays()
  await keep(day(4, 12))
  const forStats = await readTrades(FIGURES, [id, null, null, 'USD', 10])
  assert.ok(forStats <= 200, `${forStats} of 480 trades are read`)
  const forPage = await readTrades(PAGE_OF_MOVEMENTS, [accountId, id, 10, 0])
  assert.ok(forPage <= 250, `${forPage} of 480 trades are read`)
})

test('a look-up by an external id that many accounts have used counts and reads a part of them', async () => {
  const { db } = database
  const history = new History(db)
  await db.query(SAME_NAME, [history.tenantId, 300, FROM])
  const counts = { shown: 5, counted: 100 }
  const [one, none] = await db.snapshot((at) =>
    lookUpTrades(at, history.tenantId, ['same', 'other'], counts),
  )
  assert.deepEqual([one?.trades.length, one?.total], [5, 100])
  assert.deepEqual([none?.trades.length, none?.total], [0, 0])
  assert.equal(await readTrades(LOOK_UP, [history.tenantId, ['same'], 5, 100]), 100)
})
