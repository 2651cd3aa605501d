// Turns at a market: an item is claimed only for a turn that is there.
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { createPlacing } from './place.ts'
import { givenTrade } from './testing/buyers.ts'
import { openTurn, type ScriptedSupplier, scriptedSupplier } from './testing/supplier.ts'

const SECOND = 1000

let database: TestDatabase
let clock: ManualClock
let supplier: ScriptedSupplier
let putBack: string[]
before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-09-26T10:00:00Z'))
  supplier = scriptedSupplier()
  putBack = []
  await database.db.script(`update buying.item set work = 'none', is_live = false`)
})

const givenItem = () => givenTrade({ db: database.db, clock })

function worker(mayPlace: () => boolean = () => true): () => Promise<boolean> {
  const place = createPlacing({
    db: database.db,
    clock,
    market: supplier,
    isMarketAvailable: async () => true,
    mayPlace: async () => mayPlace(),
    holdMs: 60 * SECOND,
    leaseMs: 30 * SECOND,
    giveUpMs: 900 * SECOND,
    concurrency: 8,
    onPutBack: (reason) => putBack.push(reason),
    onCase: (kind) => assert.fail(`an unexpected case: ${kind}`),
  })
  return () => place(new AbortController().signal)
}

const COUNT_DUE = sql(
  'test.count_due',
  `select count(*)::int count from buying.item where work = 'place' and due_at <= $1
     and coalesce(leased_until <= $1, true)`,
)
async function countDue(): Promise<number | undefined> {
  const [row] = await database.db.query<{ count: number }>(COUNT_DUE, [clock.now()])
  return row?.count
}

it('turns are given back when the gate closes while they are waited for, and nothing is claimed', async () => {
  await givenItem()
  let isOpen = true
  let givenBack = 0
  supplier.takeTurns = async () => {
    isOpen = false
    return { kind: 'turns', turns: [{ ...openTurn, giveBack: () => void givenBack++ }] }
  }
  await worker(() => isOpen)()
  assert.deepEqual([givenBack, supplier.purchases.length], [1, 0])
  assert.equal(await countDue(), 1, 'no lease keeps it from the next worker')
})

it('a turn without an item is given back', async () => {
  await givenItem()
  let givenBack = 0
  const turn = { ...openTurn, giveBack: () => void givenBack++ }
  supplier.takeTurns = async () => ({ kind: 'turns', turns: [{ ...openTurn }, turn, turn] })
  await worker()()
  assert.deepEqual([givenBack, supplier.purchases.length], [2, 1])
})

it('a market without a turn is asked again only after the time that it names', async () => {
  await givenItem()
  const { takeTurns } = supplier
  let asked = 0
  supplier.takeTurns = async () => {
    asked++
    return { kind: 'not-sent', detail: 'no turn', retryAfterMs: 500, withheld: 'pace' }
  }
  const place = worker()
  for (let i = 0; i < 3; i++) await place()
  assert.deepEqual([asked, await countDue(), putBack], [1, 1, []])
  supplier.takeTurns = takeTurns
  clock.advance(500)
  await place()
  assert.equal(supplier.purchases.length, 1)
})

it('an item whose call was not made is put back, and counted by the reason', async () => {
  await givenItem()
  const unsent = { kind: 'not-sent', detail: 'away', retryAfterMs: 1 } as const
  supplier.answers.push({ ...unsent, withheld: 'late' }, unsent)
  const place = worker()
  await place()
  clock.advance(1)
  await place()
  assert.deepEqual(putBack, ['late', 'not_reached'])
})
