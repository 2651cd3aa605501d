import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#infra/db'
import { newId } from '#kernel/id'
import type { CursorPage } from '#kernel/page'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { listTrades, readFigures, type Trade } from './index.ts'
import type { TradeSlice } from './store/trades.ts'
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

/** Follows the cursor to the end, as a client does. */
async function pagesOf(itemName: string) {
  const pages: number[] = []
  const found: string[] = []
  let cursor: string | null = null
  do {
    const slice: TradeSlice = { cursor, limit: 25, look: LOOK }
    const page: CursorPage<Trade> = await database.db.snapshot((at) =>
      listTrades(at, { tenantId, itemName }, slice),
    )
    pages.push(page.items.length)
    found.push(...page.items.map(({ externalId }) => externalId ?? ''))
    cursor = page.nextCursor
  } while (cursor !== null)
  return { pages, found }
}

test('a look for a name that few trades have ends after so many trades, and goes on at the cursor', async () => {
  assert.deepEqual(await pagesOf('oldest'), { pages: [0, 0, 1], found: ['many-1'] })
  assert.deepEqual(await pagesOf('no such name'), { pages: [0, 0, 0], found: [] })
})

test('a name that many trades have fills its pages, and no trade is left out or comes twice', async () => {
  const { pages, found } = await pagesOf('redline')
  assert.equal(found.length, COUNT - 1)
  assert.equal(new Set(found).size, COUNT - 1)
  assert.equal(pages[0], 25)
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

test('figures of many trades are those of their sums', async () => {
  const range = { from: null, to: null, currency: 'USD' } as const
  const figures = await readFigures(database.db, tenantId, range)
  const byStatus = new Map(figures.map((row) => [row.status, row]))
  assert.equal(byStatus.get('completed')?.tradeCount, (COUNT * 3) / 4)
  assert.equal(byStatus.get('completed')?.gmvCents, 1050n * BigInt((COUNT * 3) / 4))
  assert.equal(byStatus.get('completed')?.feesCents, 20n * BigInt((COUNT * 3) / 4))
  assert.equal(byStatus.get('failed')?.tradeCount, COUNT / 4)
  assert.equal(byStatus.get('failed')?.gmvCents, 0n)
  assert.equal(figures.length, 2)
})
