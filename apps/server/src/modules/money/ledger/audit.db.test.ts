import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, sql, type Tx } from '#infra/database/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { type AuditPart, createAudit } from './audit.ts'
import { auditSince, lastPostingId } from './audit-store.ts'
import { credit, ownerWith } from './testing/wallets.ts'

let test: TestDatabase
let db: Db
before(async () => {
  test = await testDatabase()
  db = test.db
})
after(() => test.close())

class RolledBack extends Error {}

/** What the audit of recent postings says after the damage, which is taken back. */
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

it('the audit of recent postings sees damage to what is new', async () => {
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
      "an account's postings form a gapless chain",
      [
        'alter table ledger.posting disable trigger posting_apply',
        `insert into ledger.posting (journal_id, kind, currency, debit_account_id, credit_account_id, amount, created_at)
           select journal_id, kind, currency, debit_account_id, credit_account_id, amount, created_at
           from ledger.posting where credit_account_id = ${spot} and credit_seq = 3`,
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

it('the audit of recent postings looks two calls back, so that late commits are seen', async () => {
  const audit = createAudit({ db, clock: manualClock() })
  const owner = await ownerWith(db, 500n)
  assert.deepEqual(await audit.recent(), [])
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
  assert.deepEqual(await audit.recent(), [])
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
  const found = await audit.recent()
  await raise(-1)
  assert.deepEqual(
    found.map((violation) => violation.invariant),
    ['balance is the sum of its postings'],
  )
  assert.deepEqual(await audit.everything(), [])
})

describe('the audit of everything', () => {
  /** Each breaks one promise somewhere in old books; the damage is repaired by its second statement. */
  const DAMAGE: readonly [string, string, string][] = [
    [
      "an account's postings form a gapless chain",
      'update ledger.posting set amount = amount + 1 where id = $id',
      'update ledger.posting set amount = amount - 1 where id = $id',
    ],
    [
      'balance is the sum of its postings',
      'update ledger.balance set posted = posted + 1 where account_id = $account',
      'update ledger.balance set posted = posted - 1 where account_id = $account',
    ],
    [
      'every journal has a posting',
      `insert into ledger.journal (kind, scope_id, idempotency_key, request_hash, created_at)
         values ('adjustment', uuidv7(), 'empty', '\\x00', now())`,
      `delete from ledger.journal where idempotency_key = 'empty'`,
    ],
    [
      'a resolved hold adds up',
      `insert into ledger.hold values ('$hold', uuidv7(), uuidv7(), 5);
       insert into ledger.hold_resolution values ('$hold', 4, 4, 0, 0, uuidv7())`,
      `delete from ledger.hold_resolution where hold_id = '$hold'; delete from ledger.hold where id = '$hold'`,
    ],
    [
      'escrow is the sum of the open holds',
      `insert into ledger.hold values ('$hold', uuidv7(), uuidv7(), 5)`,
      `delete from ledger.hold where id = '$hold'`,
    ],
  ]

  for (const [invariant, damage, repair] of DAMAGE) {
    it(`finds: ${invariant}`, async () => {
      const owner = await ownerWith(db, 500n)
      await credit(db, owner, cents(30n))
      const ACCOUNT = sql(
        'testing.account',
        `select p.id, p.credit_account_id account from ledger.posting p
         where p.credit_account_id = ledger.account_of($1, 'spot') order by p.id limit 1`,
      )
      const [row] = await db.query<{ id: bigint; account: bigint }>(ACCOUNT, [owner.id])
      const hold = newId()
      const run = (text: string): Promise<void> => {
        const named = text
          .replaceAll('$id', String(row?.id))
          .replaceAll('$account', String(row?.account))
          .replaceAll('$hold', hold)
        // A role without triggers: nothing less can write such a row.
        return db.script(
          `set session_replication_role = replica; ${named}; reset session_replication_role`,
        )
      }
      const audit = createAudit({ db, clock: manualClock() })
      await run(damage)
      const found = await audit.everything()
      await run(repair)
      assert.ok(found.some((violation) => violation.invariant === invariant))
      assert.deepEqual(await audit.everything(), [])
    })
  }

  it('goes on where a stopped process left it, and says when it reached the end', async () => {
    const clock = manualClock()
    const stopped = new AbortController()
    const audited: (string | null)[] = []
    const part: AuditPart = {
      name: 'counting',
      audit: async (_, after) => {
        audited.push(after)
        const next = Number(after ?? 0) + 1
        if (next === 2) stopped.abort()
        return { violations: [], next: next < 4 ? String(next) : null }
      },
    }
    const create = () => createAudit({ db, clock }, { parts: [part] })
    const before = await create().everythingFinishedAt()
    await create().everything(stopped.signal)
    assert.deepEqual(audited, [null, '1'])
    assert.deepEqual(await create().everythingFinishedAt(), before)
    await create().everything()
    assert.deepEqual(audited, [null, '1', '2', '3'])
    assert.deepEqual(await create().everythingFinishedAt(), clock.now())
  })
})
