import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, sql, sqlState, type Tx, violatedConstraint } from '../../../infra/database/db.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { useIndexesOnly } from '../../../infra/testing/indexes-only.ts'
import { until } from '../../../infra/testing/until.ts'
import { baseUnits } from '../../../kernel/chain.ts'
import { newId } from '../../../kernel/id.ts'
import {
  auditCustody,
  auditCustodySlice,
  closeAccounts,
  type Posting,
  post,
  readBalance,
  readBalances,
  readOwed,
} from './index.ts'

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

  it('are audited, whole and slice by slice: damage behind their back is found', async () => {
    const owner = newId()
    await write(deposit(owner, 2n), deposit(owner, 3n), withdrawal(owner, 4n))
    const audits = {
      whole: (by: Tx | Db) => auditCustody(by),
      posting: (by: Tx | Db) => auditCustodySlice(by, 'posting', EVERYTHING),
      balance: (by: Tx | Db) => auditCustodySlice(by, 'balance', EVERYTHING),
    }
    for (const audit of Object.values(audits)) assert.deepEqual(await audit(database.db), [])
    const account = `select id from custody.account where role = 'merchant' and owner_id = '${owner}'`
    const second = `where credit_account_id = (${account}) and credit_seq = 2`
    const sum = 'a custody balance is the sum of its postings'
    const chain = 'the custody postings of an account form a gapless chain'
    const wrongToken = `update custody.account set token = 'DAI' where id = (${account})`
    for (const [what, damage, invariant] of [
      ['balance', `update custody.balance set units = 7 where account_id = (${account})`, sum],
      ['balance', `update custody.balance set seq = seq - 1 where account_id = (${account})`, sum],
      ['posting', `update custody.posting set units = units + 1 ${second}`, chain],
      [
        'posting',
        `update custody.posting set credit_after = null, credit_seq = null ${second}`,
        chain,
      ],
      ['posting', `delete from custody.posting ${second}`, chain],
      ['posting', wrongToken, 'a custody posting is of one chain and token'],
    ] as const) {
      const found = await foundAfter(damage, audits[what])
      assert.ok(found.includes(invariant), `${damage}: ${found}`)
      if (!damage.includes('null')) assert.ok((await foundAfter(damage, audits.whole)).length > 0)
    }
  })
})

const EVERYTHING = { after: '0', upTo: '9223372036854775807' }

/** What an audit finds after damage that no trigger saw; it is taken back. */
const foundAfter = (
  damage: string,
  audit: (by: Tx) => Promise<{ readonly invariant: string }[]>,
): Promise<string[]> =>
  database.db
    .transaction(async (tx) => {
      await tx.query(sql('test_off', 'set local session_replication_role = replica'))
      await tx.query(sql(`test_damage.${newId()}`, damage))
      throw Object.assign(new Error('undo'), { found: await audit(tx) })
    })
    .catch((error: { found: { invariant: string }[] }) =>
      error.found.map(({ invariant }) => invariant),
    )

describe('a closing', () => {
  const never = new AbortController().signal
  const close = (size = { least: 3, most: 8 }): Promise<number> =>
    closeAccounts(database.db, { signal: never, size })
  const of = (token: string) => ({ chain: 'optimism', token })
  const capital = (token: string, units: bigint): Posting =>
    deposit('', units, { ...of(token), debit: 'hot_wallet', credit: 'capital' })

  it('bounds what a balance reads: the postings above it', async () => {
    await write(...Array.from({ length: 40 }, (_, i) => capital('DAI', BigInt(i + 1))))
    await write(
      capital('DAI', MUCH),
      deposit('', 20n, { ...of('DAI'), debit: 'network_fees', credit: 'hot_wallet' }),
    )
    const accounts = ['hot_wallet', 'capital', 'network_fees'] as const
    const read = () =>
      Promise.all(accounts.map((role) => readBalance(database.db, role, of('DAI'))))
    const before = await read()
    assert.deepEqual(before, [MUCH + 800n, MUCH + 820n, 20n])
    assert.equal(await postingsRead('hot_wallet', 'DAI'), 42n)
    await closeAll('DAI')
    assert.deepEqual(await read(), before)
    await write(capital('DAI', 5n))
    assert.deepEqual(await read(), [MUCH + 805n, MUCH + 825n, 20n])
    const own = await readBalances(database.db, null)
    assert.equal(
      own.find(({ role, token }) => role === 'capital' && token === 'DAI')?.units,
      MUCH + 825n,
    )
    assert.ok((await postingsRead('hot_wallet', 'DAI')) <= 3n)
  })

  /** Index entries of postings that the balance of an account reads. */
  const postingsRead = (role: string, token: string): Promise<bigint> =>
    database.db.transaction(async (tx) => {
      await useIndexesOnly(tx)
      const count = async (): Promise<bigint> => {
        const [row] = await tx.query<{ count: bigint }>(ENTRIES_READ)
        return row?.count ?? 0n
      }
      const before = await count()
      await tx.query(BALANCE_OF, [role, token])
      return (await count()) - before
    })
  /** The housekeeping of the database may hold the table for a moment. */
  const closeAll = (token: string): Promise<unknown> =>
    until('what can be closed is closed', async () => {
      await close()
      return (await postingsRead('hot_wallet', token)) < 3n
    })
  const ENTRIES_READ = sql(
    'test_entries_read',
    `select sum(pg_stat_get_xact_tuples_returned(indexrelid))::bigint count from pg_index
     where indrelid = 'custody.posting'::regclass`,
  )
  const BALANCE_OF = sql('test_balance_of', "select custody.balance_of($1, null, 'optimism', $2)")

  it('is not made while a posting below it may still be committed', async () => {
    const release = Promise.withResolvers<void>()
    const posted = Promise.withResolvers<void>()
    await write(capital('LATE', 1n), capital('LATE', 2n))
    const late = database.db.transaction(async (tx) => {
      await post(tx, [capital('LATE', 100n)], AT)
      posted.resolve()
      await release.promise
    })
    await posted.promise
    await write(capital('LATE', 4n), capital('LATE', 8n))
    const made = await close()
    release.resolve()
    await late
    assert.equal(made, 0)
    await closeAll('LATE')
    assert.equal(await readBalance(database.db, 'hot_wallet', of('LATE')), 115n)
    assert.equal(await readBalance(database.db, 'capital', of('LATE')), 115n)
  })

  it('is summed by the database, stays as it is, and is audited', async () => {
    await write(capital('KEPT', 7n), capital('KEPT', 8n), capital('KEPT', 9n))
    const forged = `insert into custody.closing (account_id, posting_id, units)
      select a.id, max(p.id), 1 from custody.account a join custody.posting p on p.debit_account_id = a.id
      where a.role = 'hot_wallet' and a.token = 'KEPT' group by a.id`
    await database.db.script(forged)
    assert.equal(await readBalance(database.db, 'hot_wallet', of('KEPT')), 24n)
    for (const text of [
      'update custody.closing set units = 2',
      'delete from custody.closing',
      'truncate custody.closing',
    ]) {
      assert.equal(await refusal(database.db.script(text)), '42501', text)
    }
    const all = (by: Tx | Db) => auditCustodySlice(by, 'closing', EVERYTHING)
    assert.deepEqual(await all(database.db), [])
    const found = await foundAfter('update custody.closing set units = units + 1', all)
    assert.ok(found.includes('a custody closing is the sum of its postings'))
  })
})
