// The migrations since the first version are run one after the other on a database of their own, and what
// each does there is judged and recorded. `npm run measure:migrations` writes what `npm run migrate --
// --plan` reads.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { LOCKS_FILE } from '../../apps/server/src/infra/database/migration-plan.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import {
  bearsOf,
  indexAlone,
  type Migration,
  readMigrations,
} from '../../apps/server/src/infra/database/schema-history.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { type Effects, measure } from './effects.ts'
import { findBroken, GROWING, LAST_OF_THE_FIRST_RELEASE } from './rules.ts'

const database = await testDatabase({ isEmpty: true })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
after(async () => {
  await client.end()
  await database.close()
})

const all = readMigrations()
const later = all.filter(({ name }) => name > LAST_OF_THE_FIRST_RELEASE)
await migrate(database.url, { migrations: all.filter((one) => !later.includes(one)) })
const measured: [Migration, Effects][] = []
for (const migration of later) {
  // One that builds an index concurrently does nothing else, and cannot be in a transaction.
  if (indexAlone(migration)) await client.query(migration.text)
  else measured.push([migration, await inTransaction(migration.text, 'commit')])
}

async function inTransaction(text: string, end: 'commit' | 'rollback'): Promise<Effects> {
  await client.query('begin')
  try {
    const effects = await measure(client, text)
    await client.query(end)
    return effects
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

for (const [migration, effects] of measured) {
  it(`${migration.name} breaks no rule of migrations`, () =>
    assert.deepEqual(findBroken({ ...migration, bears: bearsOf(migration) }, effects), []))
}

it('the record of locks is of the migrations as they are', () => {
  const record = Object.fromEntries(measured.map(([{ name }, { locks }]) => [name, locks]))
  const text = `${JSON.stringify(record, null, 2)}\n`
  if (process.env.KEEP_LOCKS) writeFileSync(LOCKS_FILE, text)
  assert.equal(readFileSync(LOCKS_FILE, 'utf8'), text, 'run `npm run measure:migrations`')
})

it('every table that is said to grow exists', async () => {
  const { rows } = await client.query(
    'select name from unnest($1::text[]) name where to_regclass(name) is null',
    [GROWING],
  )
  assert.deepEqual(rows, [])
})

const PREPARED = `
  alter table trades.trade add column of_fixture text;
  alter table trades.trade add constraint trade_has_fixture check (of_fixture is not null) not valid;`

/** What each does, and what is found; nothing where it is the right way to do the same. */
const FIXTURES: readonly (readonly [
  what: string,
  text: string,
  found: readonly RegExp[],
  bears?: 'none',
])[] = [
  [
    'a column with a default that differs from row to row is a rewrite',
    'alter table trades.item add column key uuid not null default gen_random_uuid()',
    [/^rewrite trades\.item:/],
  ],
  [
    'a column with one default for all rows is none',
    'alter table trades.item add column flag boolean not null default false',
    [],
  ],
  [
    'another type of a column is a rewrite, and what older processes use is gone',
    'alter table trades.item alter column position type numeric',
    [/^rewrite trades\.item:/, /^gone trades\.item\.position:/],
  ],
  [
    'an index of a table that grows is to be built concurrently',
    'create index x on ledger.posting (journal_id)',
    [/^index ledger\.posting:/],
  ],
  ['an index of a small table is not', 'create index x on catalog.market (online)', []],
  [
    'not null by reading every row is refused',
    `${PREPARED} alter table trades.trade alter column of_fixture set not null`,
    [/^not-null trades\.trade\.of_fixture:/],
  ],
  [
    'not null by a check that is valid reads nothing, but to make it valid under another lock does',
    `${PREPARED} alter table trades.trade validate constraint trade_has_fixture;
     alter table trades.trade alter column of_fixture set not null`,
    [/^not-null trades\.trade\.of_fixture:/],
  ],
  [
    'a new column that no older row can fill is refused, of a small table too',
    'alter table identity.trade_url add column of_fixture text not null',
    [/^not-null identity\.trade_url\.of_fixture:/],
  ],
  [
    'a check that is not to be validated later reads the table under its lock',
    'alter table ledger.hold add constraint x check (amount > 0)',
    [/^read ledger\.hold:/],
  ],
  [
    'one that is does not',
    'alter table ledger.hold add constraint x check (amount > 0) not valid',
    [],
  ],
  [
    'rows that are changed all at once are refused',
    `update trades.item set description = '{}'`,
    [/^read trades\.item:/],
  ],
  [
    'a function with another argument is another one',
    `drop function identity.external_id_of(uuid);
     create function identity.external_id_of(account_id_ uuid, also_ text) returns text language sql as 'select also_'`,
    [/^signature identity\.external_id_of\(account_id_ uuid\) returns text:/],
  ],
  [
    'a function whose argument has another name is another one',
    `drop function identity.external_id_of(uuid);
     create function identity.external_id_of(other_ uuid) returns text language sql as 'select other_::text'`,
    [/^signature identity\.external_id_of\(account_id_ uuid\) returns text:/],
  ],
  [
    'a function with another body is the same one',
    `create or replace function identity.external_id_of(account_id_ uuid) returns text language sql as 'select null'`,
    [],
  ],
  [
    'a table that older processes use is not taken from them',
    'drop table mail.message cascade',
    [/^gone mail\.message:/],
  ],
  [
    'where no older process runs, it may go',
    'drop function identity.external_id_of(uuid); drop table mail.message cascade',
    [],
    'none',
  ],
  [
    'what is permitted with a reason is not found',
    '-- permits index ledger.posting: it is the fixture of this rule\ncreate index x on ledger.posting (journal_id)',
    [],
  ],
  [
    'without a reason nothing is permitted',
    '-- permits index ledger.posting:\ncreate index x on ledger.posting (journal_id)',
    [/^index ledger\.posting:/],
  ],
  [
    'of another table nothing is permitted, and a permission that is not used is refused',
    '-- permits index ledger.journal: it is another one\ncreate index x on ledger.posting (journal_id)',
    [/^index ledger\.posting:/, /^index ledger\.journal: is permitted, and does not happen/],
  ],
]

describe('of migrations', () => {
  for (const [what, text, wanted, bears = 'previous'] of FIXTURES) {
    it(what, async () => {
      const found = findBroken({ text, bears }, await inTransaction(text, 'rollback'))
      assert.equal(found.length, wanted.length, found.join('\n'))
      for (const [i, pattern] of wanted.entries()) assert.match(found[i] ?? '', pattern)
    })
  }

  it('not null by a check that an earlier one has made valid is permitted', async () => {
    await client.query(`${PREPARED} alter table trades.trade validate constraint trade_has_fixture`)
    const text = 'alter table trades.trade alter column of_fixture set not null'
    assert.deepEqual(
      findBroken({ text, bears: 'previous' }, await inTransaction(text, 'rollback')),
      [],
    )
  })
})
