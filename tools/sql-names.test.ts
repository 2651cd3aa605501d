import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { arrowHoles, readNames, readTables, statements, tableHoles } from './sql-names.ts'

const names = readNames([
  `create table ledger.posting (id bigint); create table trading.item (id uuid);
   create function ledger.post(amount bigint) returns void language sql as $$ select 1 $$;
   create function outbox.add(type text) returns void language sql as $$ select 1 $$;
   -- create table ledger.never (id bigint);`,
])

const named = (holes: readonly { readonly name: string }[]): string[] =>
  holes.map(({ name }) => name)

it('the tables that are there are those that no later migration drops, without views', () => {
  const made = `create table if not exists ledger.posting (id bigint);
    create unlogged table sockets.slot (id bigint); create view ledger.balances as select 1;
    create table sockets.slot_first partition of sockets.slot for values from (1) to (2);
    -- create table ledger.never (id bigint);`
  assert.deepEqual([...readTables([made])], ['ledger.posting', 'sockets.slot'])
  assert.deepEqual([...readTables([made, 'drop table if exists sockets.slot'])], ['ledger.posting'])
})

describe('the owners of tables', () => {
  it('are read from what migrations make, comments aside', () => {
    assert.deepEqual([...names.tables], ['ledger.posting', 'trading.item'])
    assert.deepEqual([...names.functions], ['ledger.post', 'outbox.add'])
  })

  it('own every mention, also behind a comma, in a join and as a type', () => {
    for (const text of [
      'select * from ledger.posting',
      'select * from trading.item i, ledger.posting p',
      'select 1 from trading.item join ledger.posting using (id)',
      'insert into ledger.posting (id) values (1)',
      'select null::ledger.posting',
    ]) {
      assert.deepEqual(named(tableHoles(text, names, 'trading')), ['ledger.posting'], text)
    }
  })

  it('may name their own', () => {
    assert.deepEqual(tableHoles('select * from ledger.posting', names, 'ledger'), [])
  })

  it('are not asked about comments', () => {
    assert.deepEqual(tableHoles('select 1 -- from ledger.posting\n', names, 'trading'), [])
  })

  it('of a migration follow from what each statement is about', () => {
    const migration = `
      create function trading.step() returns void language plpgsql as $$
      begin
        update trading.item set id = id; perform ledger.post(1); delete from ledger.posting;
      end $$;
      insert into ledger.posting values (1);
      create table trading.copy (id bigint references ledger.posting (id));`
    assert.deepEqual(
      tableHoles(migration, names).map(({ subject, name }) => [subject, name]),
      [
        ['trading', 'ledger.posting'],
        ['trading', 'ledger.posting'],
      ],
    )
  })
})

describe('a call of another schema', () => {
  it('passes where an arrow leads, and nowhere else', () => {
    const text = 'select ledger.post(1), outbox.add($1)'
    const arrows = { trading: { ledger: 'posts its money' } }
    assert.deepEqual(named(arrowHoles(text, names, arrows, 'trading')), ['outbox.add'])
  })

  it('passes to infra from everywhere, and its tables stay its own', () => {
    const infra = readNames([
      `create table infra.lease (name text);
       create function infra.now() returns timestamptz language sql as $$ select now() $$`,
    ])
    const text = 'select infra.now(), name from infra.lease'
    assert.deepEqual(arrowHoles(text, infra, {}, 'trading'), [])
    assert.deepEqual(named(tableHoles(text, infra, 'trading')), ['infra.lease'])
  })
})

describe('statements', () => {
  it('end at a semicolon outside quotes and bodies', () => {
    const script = "insert into a.b values ('x;y'); create function a.f() as $$ a; b; $$; select 1"
    assert.equal(statements(script).length, 3)
  })
})
