import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, sql } from '#infra/database/db'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { type MonthlyStatement, readMonthlyStatement } from './monthly-statement.ts'
import { AT, credit, ownerWith } from './testing/wallets.ts'

let test: TestDatabase
let db: Db
before(async () => {
  test = await testDatabase()
  db = test.db
})
after(() => test.close())

const COUNT = sql(
  'testing.closed_months',
  'select count(*) closed from ledger.statement where owner_id = $1',
)
const closedOf = async (ownerId: string): Promise<number> =>
  Number((await db.query<{ closed: bigint }>(COUNT, [ownerId]))[0]?.closed)

const onDay = (day: string): Date => new Date(`${day}T12:00:00.000Z`)
const credited = async (day: string) => {
  const owner = await ownerWith(db, 0n)
  await credit(db, owner, cents(100n), { at: onDay(day) })
  return owner
}

describe('a closed month', () => {
  it('cannot be changed, nor taken away', async () => {
    const { id: ownerId } = await credited('2026-09-01')
    await readMonthlyStatement(db, { ownerId, month: '2026-09', at: AT })
    for (const statement of [
      'update ledger.statement set ordinal = ordinal + 1',
      'update ledger.statement_account set closing = closing + 1',
      'update ledger.statement_row set credit = credit + 1',
      'delete from ledger.statement',
      'delete from ledger.statement_account',
      'delete from ledger.statement_row',
    ]) {
      await assert.rejects(db.script(statement), { code: '42501' }, statement)
    }
  })

  it('is closed once by many readers at once, with all months before it', async () => {
    const { id: ownerId } = await credited('2026-05-31')
    const read = () => readMonthlyStatement(db, { ownerId, month: '2026-09', at: AT })
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, read))
    for (const other of others) assert.deepEqual(other, first)
    assert.equal(first?.number, '2026-09-0005')
    assert.equal(await closedOf(ownerId), 5)
  })
})

it('reading the running month closes the months before it, and not itself', async () => {
  const { id: ownerId } = await credited('2026-09-01')
  const { isClosed, number, wallets } = await readMonthlyStatement(db, {
    ...{ ownerId, month: null, at: AT },
  })
  assert.deepEqual([isClosed, number, wallets[0]?.opening], [false, null, 100n])
  assert.equal(await closedOf(ownerId), 2)
})

it('a month ends at midnight of UTC', async () => {
  const owner = await ownerWith(db, 0n)
  await credit(db, owner, cents(1n), { at: new Date('2026-09-30T23:59:59.999Z') })
  await credit(db, owner, cents(2n), { at: new Date('2026-10-01T00:00:00.000Z') })
  const closingOf = async (month: string) =>
    (await readMonthlyStatement(db, { ownerId: owner.id, month, at: AT })).wallets[0]?.closing
  assert.deepEqual([await closingOf('2026-09'), await closingOf('2026-10')], [1n, 3n])
})

it('what is posted while a month is being closed is in it or in the next one, and never in both', async () => {
  const owner = await ownerWith(db, 0n)
  await credit(db, owner, cents(1n), { at: onDay('2026-09-15') })
  const asked = { ownerId: owner.id, at: AT }
  const closings: Promise<MonthlyStatement>[] = []
  const posted = Array.from({ length: 40 }, (_, i) => {
    if (i % 8 === 0) closings.push(readMonthlyStatement(db, { ...asked, month: '2026-09' }))
    const at = i % 2 === 0 ? '2026-09-30T23:59:59.999Z' : '2026-10-01T00:00:00.000Z'
    return credit(db, owner, cents(100n), { at: new Date(at) })
  })
  await Promise.all(posted)
  const [september, ...again] = await Promise.all(closings)
  for (const each of again) assert.deepEqual(each, september)
  const october = await readMonthlyStatement(db, { ...asked, month: '2026-10' })
  const [first, second] = [september?.wallets[0], october.wallets[0]]
  assert.equal(first?.closing, second?.opening)
  assert.equal(second?.closing, 4001n)
  const countOf = (wallet: typeof first) => wallet?.rows.reduce((sum, { count }) => sum + count, 0)
  assert.equal((countOf(first) ?? 0) + (countOf(second) ?? 0), 41)
})

it('months before the first are closed without being kept, and one to come is refused', async () => {
  const { id: ownerId } = await credited('2026-10-05')
  const asked = { ownerId, at: AT }
  const old = await readMonthlyStatement(db, { ...asked, month: '2026-09' })
  assert.deepEqual([old.isClosed, old.number], [true, '2026-09-0000'])
  assert.equal(await closedOf(ownerId), 0)
  await assert.rejects(
    readMonthlyStatement(db, { ...asked, month: '2026-12' }),
    (error) => error instanceof Refusal && error.key === 'VALIDATION_FAILED',
  )
})
