import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql, sqlState, violatedConstraint } from '../../infra/db.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { baseUnits } from '../../kernel/chain.ts'
import { newId } from '../../kernel/id.ts'
import { auditCustody, type Posting, post, readBalance, readBalances, readOwed } from './index.ts'

const AT = new Date('2026-11-20T12:00:00.000Z')
const USDT = { chain: 'ethereum', token: 'USDT' }
/** More than a 64-bit integer holds: 30 tokens of 18 decimals. */
const MUCH = 30_000_000_000_000_000_000n

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const write = (...postings: Posting[]): Promise<number> =>
  database.db.transaction((tx) => post(tx, postings, AT))

const merchant = (ownerId: string) => ({ role: 'merchant', ownerId }) as const
const inFlight = (ownerId: string) => ({ role: 'in_flight', ownerId }) as const

const deposit = (ownerId: string, units: bigint, more: Partial<Posting> = {}): Posting => ({
  key: `transfer:${newId()}`,
  reason: 'deposit',
  refId: null,
  ...USDT,
  debit: 'deposit_address',
  credit: merchant(ownerId),
  units: baseUnits(units),
  ...more,
})

const withdrawal = (ownerId: string, units: bigint): Posting =>
  deposit(ownerId, units, {
    reason: 'withdrawal',
    debit: merchant(ownerId),
    credit: inFlight(ownerId),
  })

async function refusal(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
  } catch (error) {
    return violatedConstraint(error) ?? sqlState(error)
  }
  return undefined
}

describe('the books in kind', () => {
  it('carry amounts beyond 64 bits, each on its normal side', async () => {
    const owner = newId()
    const held = await readBalance(database.db, 'deposit_address', USDT)
    await write(deposit(owner, MUCH), withdrawal(owner, MUCH - 1n))
    assert.deepEqual(await readBalances(database.db, owner), [
      { role: 'in_flight', ...USDT, units: MUCH - 1n },
      { role: 'merchant', ...USDT, units: 1n },
    ])
    assert.equal(await readBalance(database.db, 'deposit_address', USDT), held + MUCH)
    const own = await readBalances(database.db, null)
    assert.ok(own.some(({ role, units }) => role === 'deposit_address' && units >= MUCH))
    const owed = await readOwed(database.db)
    assert.ok(owed.some(({ role, units }) => role === 'in_flight' && units >= MUCH - 1n))
    assert.equal(await readBalance(database.db, merchant(newId()), USDT), 0n)
  })

  it('write a key once; other content under it is refused', async () => {
    const owner = newId()
    const posting = deposit(owner, 5n)
    assert.deepEqual([await write(posting), await write(posting)], [1, 0])
    assert.equal(await readBalance(database.db, merchant(owner), USDT), 5n)
    assert.equal(await refusal(write({ ...posting, units: baseUnits(6n) })), 'PT409')
    assert.equal(await refusal(write({ ...posting, debit: 'capital' })), 'PT409')
  })

  it('never let an owner fall below zero, however many draw at once', async () => {
    const owner = newId()
    await write(deposit(owner, 3n))
    const results = await Promise.all(
      Array.from({ length: 8 }, () => refusal(write(withdrawal(owner, 1n)))),
    )
    assert.equal(results.filter((result) => result === undefined).length, 3)
    assert.ok(results.every((result) => result === undefined || result === 'no_overdraft'))
    assert.equal(await readBalance(database.db, merchant(owner), USDT), 0n)
  })

  it('refuse an owner where none belongs, none where one belongs, and two chains in one posting', async () => {
    const traits = 'account_has_traits_of_its_role'
    const run = (text: string): Promise<string | undefined> =>
      refusal(database.db.script(`select ${text}`))
    assert.equal(await run("custody.open_account('treasury', uuidv7(), 'base', 'USDC')"), traits)
    assert.equal(await run("custody.open_account('merchant', null, 'base', 'USDC')"), traits)
    assert.equal(
      await refusal(
        database.db.script(`insert into custody.posting (debit_account_id, credit_account_id, units, reason,
            idempotency_key, created_at)
          values (custody.open_account('treasury', null, 'base', 'USDC'),
            custody.open_account('capital', null, 'bsc', 'USDC'), 1, 'sweep', 'test:1', now())`),
      ),
      'posting_one_chain_and_token',
    )
  })

  it('are append-only, and a balance moves through postings alone', async () => {
    await write(deposit(newId(), 1n))
    for (const text of [
      'update custody.posting set units = 2',
      'delete from custody.posting',
      'truncate custody.balance cascade',
      'update custody.balance set units = units + 1',
      "update custody.account set token = 'USDC'",
    ]) {
      assert.equal(await refusal(database.db.script(text)), '42501', text)
    }
  })

  it('are audited: a balance that was changed behind their back is found', async () => {
    await write(deposit(newId(), 1n))
    assert.deepEqual(await auditCustody(database.db), [])
    const found = await database.db
      .transaction(async (tx) => {
        await tx.query(sql('test_off', 'set local session_replication_role = replica'))
        await tx.query(sql('test_forge', 'update custody.balance set units = units + 1'))
        throw Object.assign(new Error('undo'), { found: await auditCustody(tx) })
      })
      .catch((error: { found: { invariant: string }[] }) => error.found)
    assert.ok(found.some(({ invariant }) => invariant.includes('sum of its postings')))
  })
})
