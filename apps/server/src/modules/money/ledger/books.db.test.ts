// The books cannot be made wrong: every attack on them is refused by the database itself. Then each
// guard is taken away in turn, to show that the attack would have worked and that the auditor sees it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, sql, sqlState, type Tx, violatedConstraint } from '#infra/database/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { credit, ownerWith } from './testing/wallets.ts'

let test: TestDatabase
let db: Db
let poor: { id: string }
let rich: { id: string }
let euro: { id: string }
/** A journal that gave `rich` little, so that taking it back twice overdraws nothing. */
let small: string

before(async () => {
  test = await testDatabase()
  db = test.db
  poor = await ownerWith(db, 100n)
  const owner = await ownerWith(db, 100_000n)
  rich = owner
  small = await credit(db, owner, cents(10n))
  euro = await ownerWith(db, 5000n, { currency: 'EUR' })
})
after(() => test.close())

class RolledBack extends Error {}

/** Runs statements and takes them back; answers what the last one answered, or throws what it threw. */
async function tried<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  let result: T | undefined
  await db
    .transaction(async (tx) => {
      result = await work(tx)
      throw new RolledBack()
    })
    .catch((error) => {
      if (!(error instanceof RolledBack)) throw error
    })
  return result as T
}

const run = (tx: Tx, text: string, values: unknown[] = []): Promise<unknown[]> =>
  tx.query(sql(`attack.${newId()}`, text), values)

const account = (owner: { id: string }, kind = 'spot'): string =>
  `ledger.account_of('${owner.id}', '${kind}')`

const journal = (id: string): string =>
  `insert into ledger.journal (id, kind, scope_id, idempotency_key, request_hash, created_at)
   values ('${id}', 'adjustment', '${id}', 'attack', '\\x00', now())`

/** Inserts a posting by hand, below its own journal. */
const posting = (from: string, to: string, amount: number | string, currency = 'USD'): string[] => {
  const id = newId()
  return [
    journal(id),
    `insert into ledger.posting (journal_id, kind, currency, debit_account_id, credit_account_id, amount, created_at)
     values ('${id}', 'adjustment', '${currency}', ${from}, ${to}, ${amount}, now())`,
  ]
}

interface Attack {
  readonly name: string
  readonly statements: () => string[]
  /** SQLSTATE, or the name of the constraint. */
  readonly refusedBy: string
  /** Taking this away must let the attack through. */
  readonly guard?: string
  /** ... and this is what the auditor then says. */
  readonly seenAs?: string
}

const setAside = (owner: { id: string }, hold: string, amount: number): string[] => {
  const id = newId()
  return [
    journal(id),
    `insert into ledger.posting (journal_id, kind, currency, debit_account_id, credit_account_id, amount, created_at)
     values ('${id}', 'buy', 'USD', ${account(owner)}, ${account(owner, 'escrow')}, ${amount}, now())`,
    `insert into ledger.hold (id, owner_id, journal_id, amount) values ('${hold}', '${owner.id}', '${id}', ${amount})`,
  ]
}

const resolution = (hold: string, parts: [number, number, number, number]): string =>
  `insert into ledger.hold_resolution (hold_id, amount, captured, refunded, penalty, journal_id)
   values ('${hold}', ${parts.join(', ')}, '${newId()}')`

const hold = newId()

const ATTACKS: readonly Attack[] = [
  {
    name: 'a wallet pays more than it has',
    statements: () => posting(account(poor), account(rich), 101),
    refusedBy: 'no_overdraft',
    guard: 'alter table ledger.balance drop constraint no_overdraft',
    seenAs: 'no balance below its floor',
  },
  {
    name: 'a posting of nothing',
    statements: () => posting(account(rich), account(poor), 0),
    refusedBy: 'posting_amount_positive',
    guard: 'alter table ledger.posting drop constraint posting_amount_positive',
  },
  {
    name: 'a negative posting that takes instead of giving',
    statements: () => posting(account(poor), account(rich), -50),
    refusedBy: 'posting_amount_positive',
    guard: 'alter table ledger.posting drop constraint posting_amount_positive',
  },
  {
    name: 'a posting from a wallet to itself',
    statements: () => posting(account(rich), account(rich), 50),
    refusedBy: 'posting_two_accounts',
    guard: 'alter table ledger.posting drop constraint posting_two_accounts',
  },
  {
    name: 'a posting between two currencies',
    statements: () => posting(account(rich), account(euro), 50),
    refusedBy: 'posting_accounts_exist',
    guard: 'alter table ledger.posting disable trigger posting_apply',
    seenAs: 'a posting names accounts of its currency',
  },
  {
    name: 'a posting to an account that does not exist',
    statements: () => posting(account(rich), '999999', 50),
    refusedBy: 'posting_accounts_exist',
    guard: 'alter table ledger.posting disable trigger posting_apply',
    seenAs: 'a posting names accounts of its currency',
  },
  {
    name: 'a posting to a house account that does not exist',
    statements: () => posting(account(rich), '-999999', 50),
    refusedBy: 'posting_accounts_exist',
    guard: 'alter table ledger.posting disable trigger posting_apply',
    seenAs: 'a posting names accounts of its currency',
  },
  {
    name: 'a posting without a journal',
    statements: () => posting(account(rich), account(poor), 50).slice(1),
    refusedBy: 'posting_journal',
    guard: 'alter table ledger.posting drop constraint posting_journal',
  },
  {
    name: 'a balance raised by hand',
    statements: () => [
      `update ledger.balance set posted = posted + 1 where account_id = ${account(poor)}`,
    ],
    refusedBy: '42501',
    guard: 'alter table ledger.balance disable trigger balance_guard',
    seenAs: 'balance is the sum of its postings',
  },
  {
    name: 'a floor lowered by hand',
    statements: () => [
      `update ledger.balance set floor = -1000000 where account_id = ${account(poor)}`,
    ],
    refusedBy: '42501',
    guard: 'alter table ledger.balance disable trigger balance_guard',
  },
  {
    name: 'a balance born with money in it',
    statements: () => [
      `insert into ledger.account (id, kind, owner_id, currency) values (888888, 'earnings', '${poor.id}', 'USD')`,
      `insert into ledger.balance (account_id, currency, posted, seq) values (888888, 'USD', 1000, 1)`,
    ],
    refusedBy: '42501',
    guard: 'alter table ledger.balance disable trigger balance_guard',
    seenAs: 'balance is the sum of its postings',
  },
  {
    name: 'a balance deleted',
    statements: () => [`delete from ledger.balance where account_id = ${account(poor)}`],
    refusedBy: '42501',
    guard: 'alter table ledger.balance disable trigger balance_kept',
    seenAs: 'all accounts of a currency sum to zero',
  },
  {
    name: 'the amount of a posting edited',
    statements: () => ['update ledger.posting set amount = amount + 1'],
    refusedBy: '42501',
    guard: 'alter table ledger.posting disable trigger posting_append_only',
    seenAs: 'balance is the sum of its postings',
  },
  {
    name: 'a posting deleted',
    statements: () => [
      'delete from ledger.posting where id = (select max(id) from ledger.posting)',
    ],
    refusedBy: '42501',
    guard: 'alter table ledger.posting disable trigger posting_append_only',
    seenAs: 'every journal has a posting',
  },
  {
    name: 'all postings truncated',
    statements: () => ['truncate ledger.posting'],
    refusedBy: '42501',
    guard: 'alter table ledger.posting disable trigger posting_append_only',
    seenAs: 'balance is the sum of its postings',
  },
  {
    name: 'a journal edited',
    statements: () => ["update ledger.journal set kind = 'adjustment'"],
    refusedBy: '42501',
    guard: 'alter table ledger.journal disable trigger journal_append_only',
  },
  {
    name: 'an account moved to another owner',
    statements: () => [
      `update ledger.account set owner_id = '${rich.id}', kind = 'earnings' where id = ${account(poor)}`,
    ],
    refusedBy: '42501',
    guard: 'alter table ledger.account disable trigger account_append_only',
  },
  {
    name: 'a second wallet of a kind',
    statements: () => [
      `insert into ledger.account (id, kind, owner_id, currency) values (777777, 'spot', '${poor.id}', 'EUR')`,
    ],
    refusedBy: 'account_owner_kind',
    guard: 'drop index ledger.account_owner_kind',
  },
  {
    name: 'a posting that says its own place in the chain',
    // The trigger overwrites what is claimed, so the attack has no effect at all: see below.
    statements: () => [
      ...posting(account(rich), account(poor), 50),
      'select 1 / (select count(*) from ledger.posting where debit_seq = 4242)',
    ],
    refusedBy: '22012',
  },
  {
    name: 'a hold edited',
    statements: () => [...setAside(rich, hold, 500), 'update ledger.hold set amount = amount - 1'],
    refusedBy: '42501',
    guard: 'alter table ledger.hold disable trigger hold_append_only',
    seenAs: 'escrow is the sum of the open holds',
  },
  {
    name: 'a hold resolved twice',
    statements: () => [
      ...setAside(rich, hold, 500),
      resolution(hold, [500, 500, 0, 0]),
      resolution(hold, [500, 0, 500, 0]),
    ],
    refusedBy: 'hold_resolved_once',
    guard: 'alter table ledger.hold_resolution drop constraint hold_resolved_once',
  },
  {
    name: 'a hold resolved to more than it holds',
    statements: () => [...setAside(rich, hold, 500), resolution(hold, [500, 300, 200, 1])],
    refusedBy: 'hold_resolution_adds_up',
    guard: 'alter table ledger.hold_resolution drop constraint hold_resolution_adds_up',
    seenAs: 'a resolved hold adds up',
  },
  {
    name: 'a hold resolved with a negative penalty',
    statements: () => [...setAside(rich, hold, 500), resolution(hold, [500, 600, 0, -100])],
    refusedBy: 'hold_resolution_not_negative',
    guard: 'alter table ledger.hold_resolution drop constraint hold_resolution_not_negative',
  },
  {
    name: 'a journal reversed twice',
    statements: () => [
      `select ledger.reverse('${small}', '${newId()}', 'first', now())`,
      `select ledger.reverse('${small}', '${newId()}', 'second', now())`,
    ],
    refusedBy: 'journal_reversed_once',
    guard: 'alter table ledger.journal drop constraint journal_reversed_once',
  },
  {
    name: 'a key used again for another request',
    statements: () => {
      const scope = newId()
      const post = (hash: string): string =>
        `select ledger.post('adjustment', null, '${scope}', 'key', '\\x${hash}', now(),
           array['USD']::ledger.currency[], array[${account(rich)}], array[${account(poor)}], array[1::bigint])`
      return [post('01'), post('02')]
    },
    refusedBy: 'PT409',
  },
]

const perform = async (tx: Tx, attack: Attack): Promise<void> => {
  for (const statement of attack.statements()) await run(tx, statement)
}

const audit = async (tx: Tx): Promise<string[]> => {
  const rows = (await run(tx, 'select distinct invariant from ledger.audit()')) as {
    invariant: string
  }[]
  return rows.map((row) => row.invariant)
}

describe('the database refuses', () => {
  for (const attack of ATTACKS) {
    it(attack.name, async () => {
      await assert.rejects(
        tried((tx) => perform(tx, attack)),
        (error) => {
          assert.equal(violatedConstraint(error) ?? sqlState(error), attack.refusedBy)
          return true
        },
      )
    })
  }
})

describe('without its guard the attack goes through', () => {
  for (const attack of ATTACKS.filter(({ guard }) => guard !== undefined)) {
    const seen = attack.seenAs === undefined ? '' : ', and the auditor sees it'
    it(`${attack.name}${seen}`, async () => {
      const violations = await tried(async (tx) => {
        await run(tx, attack.guard ?? '')
        await perform(tx, attack)
        return audit(tx)
      })
      if (attack.seenAs !== undefined) {
        assert.ok(violations.includes(attack.seenAs), `the auditor said: ${violations.join('; ')}`)
      }
    })
  }
})

describe('what no constraint can forbid, the auditor sees', () => {
  const FAULTS: readonly { name: string; statements: () => string[]; seenAs: string }[] = [
    {
      name: 'a journal without postings',
      statements: () => [journal(newId())],
      seenAs: 'every journal has a posting',
    },
    {
      name: 'money in escrow that no hold explains',
      statements: () => posting(account(rich), account(rich, 'escrow'), 50),
      seenAs: 'escrow is the sum of the open holds',
    },
    {
      name: 'a hold without money in escrow',
      statements: () => setAside(rich, newId(), 50).toSpliced(1, 1),
      seenAs: 'escrow is the sum of the open holds',
    },
    {
      name: 'a hold resolved while its money stays in escrow',
      statements: () => [...setAside(rich, hold, 500), resolution(hold, [500, 0, 500, 0])],
      seenAs: 'escrow is the sum of the open holds',
    },
  ]
  for (const fault of FAULTS) {
    it(fault.name, async () => {
      const violations = await tried(async (tx) => {
        for (const statement of fault.statements()) await run(tx, statement)
        return audit(tx)
      })
      assert.ok(violations.includes(fault.seenAs), `the auditor said: ${violations.join('; ')}`)
    })
  }
})

it('a posting says nothing of its own place: the trigger writes it', async () => {
  const [row] = await tried(async (tx) => {
    const id = newId()
    await run(tx, journal(id))
    return run(
      tx,
      `insert into ledger.posting (journal_id, kind, currency, debit_account_id, credit_account_id, amount,
         debit_seq, debit_after, credit_seq, credit_after, created_at)
       values ('${id}', 'adjustment', 'USD', ${account(rich)}, ${account(poor)}, 50, 4242, 1, 4242, 1000000, now())
       returning debit_seq, debit_after, credit_seq, credit_after`,
    )
  })
  assert.deepEqual(row, { debit_seq: 3n, debit_after: 99_960n, credit_seq: 2n, credit_after: 150n })
})

it('opening a wallet again answers the one that is there', async () => {
  const [row] = await tried((tx) =>
    run(tx, `select ledger.open_account('${poor.id}', 'spot', 'EUR') = ${account(poor)} same`),
  )
  assert.deepEqual(row, { same: true })
})
