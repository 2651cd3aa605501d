// A delivery that market B took back, naming the buyer under `penalties`, through the service as it runs with
// the preset of production: nothing is posted by a clock, and one word of an operator books it once.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { shareStack } from '../support/shared-stack.ts'
import type { Stack } from '../support/stack.ts'
import {
  aBuyer,
  balanceOf,
  buyNext,
  onlyItem,
  readTrade,
  stock,
  untilEnded,
} from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack
before(async () => {
  stack = await shareStack()
})
after(() => stack.close())

const FIND_CASE = sql(
  'test_find_case',
  `select id from reconciliation.case_file
   where kind = 'reversal_unclear' and item_id = $1 and resolved_at is null`,
)
/** As if a day had passed since: of a process that runs, the clock cannot be set. */
const AGE = sql(
  'test_age',
  `update trades.item set hold_ends_at = hold_ends_at - interval '1 day' where id = $1`,
)
const DUE = sql(
  'test_due',
  'update buying.item set due_at = now(), leased_until = null where id = $1 returning due_at',
)
const DUE_AT = sql('test_due_at', 'select due_at from buying.item where id = $1')

it('stays in its hold for a day of clock without a posting, and one resolve books it once', async () => {
  const behalf = await aBuyer(stack.merchant, 'reverser', '100.00')
  const supply = await stock(stack.control, 'market_b')
  const bought = { market: 'market_b', supply, behalf, token: 'rvuser00' } as const
  const { receipt } = await buyNext(stack.merchant, bought)
  const { id: itemId } = onlyItem(await readTrade(stack.merchant, receipt.id))
  const { db } = stack.database
  const [file] = await until('its case is open', async () => {
    const found = await db.query<{ id: string }>(FIND_CASE, [itemId])
    return found.length > 0 && found
  })
  assert.ok(file)
  const spent = await balanceOf(stack.merchant, behalf)
  await db.query(AGE, [itemId])
  const [due] = await db.query<{ due_at: Date }>(DUE, [itemId])
  await until('it was looked at again', async () => {
    const [now] = await db.query<{ due_at: Date }>(DUE_AT, [itemId])
    return now !== undefined && due !== undefined && now.due_at > due.due_at
  })
  assert.equal((await readTrade(stack.merchant, receipt.id)).status, 'hold')
  assert.equal(await balanceOf(stack.merchant, behalf), spent)
  await stack.ops('cases', 'resolve', file.id, '--outcome', 'supplier', '--reason', 'it is back')
  assert.equal((await untilEnded(stack.merchant, receipt.id)).status, 'reverted')
  assert.equal(await balanceOf(stack.merchant, behalf), 100)
  await assert.rejects(
    stack.ops('cases', 'resolve', file.id, '--outcome', 'user', '--reason', 'it is not'),
  )
  assert.equal(await balanceOf(stack.merchant, behalf), 100)
})
