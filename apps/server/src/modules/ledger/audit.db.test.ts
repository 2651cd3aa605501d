import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Db, sql, type Tx } from '#infra/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { createAudit } from './audit.ts'
import { auditSince, lastPostingId } from './store.ts'
import { credit, ownerWith } from './testing/wallets.ts'

let test: TestDatabase
let db: Db
before(async () => {
  test = await testDatabase()
  db = test.db
})
after(() => test.close())

class RolledBack extends Error {}

/** What the audit of the news says after the damage, which is taken back. */
async function damaged(since: bigint, statements: readonly string[]): Promise<string[]> {
  let found: string[] = []
  const work = async (tx: Tx): Promise<void> => {
    for (const statement of statements) await tx.query(sql(`damage.${newId()}`, statement))
    found = (await auditSince(tx, since)).map((violation) => violation.invariant)
    throw new RolledBack()
  }
  await db.transaction(work).catch((error) => {
    if (!(error instanceof RolledBack)) throw error
  })
  return [...new Set(found)]
}

it('the audit of the news sees damage to what is new', async () => {
  const owner = await ownerWith(db, 500n)
  await credit(db, owner, cents(30n))
  const since = await lastPostingId(db)
  await credit(db, owner, cents(40n))
  const spot = `ledger.account_of('${owner.id}', 'spot')`
  const DAMAGE: readonly [string, string[]][] = [
    [
      'balance is the sum of its postings',
      [
        'alter table ledger.balance disable trigger balance_guard',
        `update ledger.balance set posted = posted + 1 where account_id = ${spot}`,
      ],
    ],
    [
      "an account's postings form a gapless chain",
      [
        'alter table ledger.posting disable trigger posting_append_only',
        `update ledger.posting set amount = amount + 1 where credit_account_id = ${spot} and credit_seq = 3`,
      ],
    ],
    [
      "an account's postings form a gapless chain",
      [
        'alter table ledger.posting disable trigger posting_append_only',
        `delete from ledger.posting where credit_account_id = ${spot} and credit_seq = 2`,
      ],
    ],
    [
      'a posting names accounts of its currency',
      [
        'alter table ledger.posting disable trigger posting_append_only',
        `update ledger.posting set currency = 'EUR' where credit_account_id = ${spot} and credit_seq = 3`,
      ],
    ],
    [
      'no balance below its floor',
      [
        'alter table ledger.balance disable trigger balance_guard',
        'alter table ledger.balance drop constraint no_overdraft',
        `update ledger.balance set floor = 1000 where account_id = ${spot}`,
      ],
    ],
  ]
  assert.deepEqual(await damaged(since, []), [])
  for (const [invariant, statements] of DAMAGE) {
    const found = await damaged(since, statements)
    assert.ok(found.includes(invariant), `${invariant}: ${found.join('; ')}`)
  }
})

it('the audit of the news looks two calls back, so that late commits are not missed', async () => {
  const audit = createAudit(db)
  const owner = await ownerWith(db, 500n)
  assert.deepEqual(await audit.news(), [])
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let posted = (): void => {}
  const isPosted = new Promise<void>((resolve) => {
    posted = resolve
  })
  // A posting takes its id now and commits after the next audit.
  const late = db.transaction(async (tx) => {
    const LATE = sql(
      'testing.late',
      `select ledger.post('adjustment', null, $1, 'late', '\\x00', now(), array['USD']::ledger.currency[],
         array[ledger.house('adjustment', 'USD')], array[ledger.account_of($1, 'spot')], array[5::bigint])`,
    )
    await tx.query(LATE, [owner.id])
    posted()
    await held
  })
  await isPosted
  await credit(db, await ownerWith(db, 0n), cents(7n))
  assert.deepEqual(await audit.news(), [])
  release()
  await late
  // Only the late posting brings this wallet back into view.
  const raise = (by: number): Promise<void> =>
    db.script(`begin;
      alter table ledger.balance disable trigger balance_guard;
      update ledger.balance set posted = posted + ${by}
        where account_id = ledger.account_of('${owner.id}', 'spot');
      alter table ledger.balance enable trigger balance_guard;
      commit`)
  await raise(1)
  const found = await audit.news()
  await raise(-1)
  assert.deepEqual(
    found.map((violation) => violation.invariant),
    ['balance is the sum of its postings'],
  )
  assert.deepEqual(await audit.everything(), [])
})
