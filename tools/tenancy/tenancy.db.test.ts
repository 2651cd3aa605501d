import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { compareTenancy } from './compare.ts'
import { MIXED, OVER_TENANTS } from './reviewed.ts'
import { functionsIn, isMixed, isOverTenants, statementsIn } from './statements.ts'
import { TABLES } from './tables.ts'

let test: TestDatabase
before(async () => {
  test = await testDatabase({ poolSize: 1 })
})
after(() => test.close())

const COLUMNS = sql(
  'test.columns',
  `select c.table_schema || '.' || c.table_name "table", array_agg(c.column_name::text) columns
   from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
   where t.table_type = 'BASE TABLE'
     and not (select relispartition from pg_class where oid = format('%I.%I', c.table_schema, c.table_name)::regclass)
     and c.table_schema not in ('pg_catalog', 'information_schema')
   group by 1`,
)

it('every table of the database is listed, with a column that it has', async () => {
  const rows = await test.db.query<{ table: string; columns: string[] }>(COLUMNS)
  const columnsOf = new Map(rows.map(({ table, columns }) => [table, columns]))
  assert.deepEqual([...columnsOf.keys()].sort(), Object.keys(TABLES).sort())
  const wrong = Object.entries(TABLES).filter(
    ([table, found]) => 'column' in found && !columnsOf.get(table)?.includes(found.column),
  )
  assert.deepEqual(wrong, [])
})

const STATEMENT = (text: string) => ({ name: 'x', text })

it('a statement on rows of tenants is bound by the id of a tenant, an account or a row', () => {
  const isOver = (text: string): boolean => isOverTenants(STATEMENT(text))
  assert.ok(!isOver('select from trades.trade where tenant_id = $1 and status = $2'))
  assert.ok(!isOver('select from trades.trade where id = any ($1)'))
  assert.ok(!isOver('insert into trades.trade (id) values ($1)'))
  assert.ok(!isOver('select from catalog.item where volume > $1'))
  assert.ok(isOver('select from trades.trade where status = $1'))
  assert.ok(
    isOver(
      'update trades.item i set price = v.price from unnest($1::uuid[]) v (id) where i.id = v.id',
    ),
  )
})

it('rows of tenants beside shared rows are seen, kinds and settings of the service are not', () => {
  assert.ok(isMixed(STATEMENT('select from buying.item i join buying.market_account a on true')))
  assert.ok(!isMixed(STATEMENT('select from ledger.journal j join ledger.journal_kind k on true')))
  assert.ok(!isMixed(STATEMENT('select from trades.trade t join trades.item i on true')))
})

it('a statement is read with the constants that it is made of, a function as its last migration has it', () => {
  const hole = (name: string): string => `\${${name}}`
  const source = `const A = \`from ${hole('B')}\`\nconst B = "trades.trade"\nsql("one", \`select ${hole('A')}\`)`
  assert.deepEqual(statementsIn(source), [{ name: 'one', text: 'select from trades.trade' }])
  const made = (body: string): string =>
    `create or replace function a.b() returns void as $$ ${body} $$;`
  const [found] = functionsIn([made('first; -- not this'), made('second;')])
  assert.match(found?.text ?? '', /second/)
})

it('what is not listed is named, and so is what is listed and gone', () => {
  const faults = compareTenancy({
    tables: new Set(['trades.trade', 'trades.new_one']),
    migrations: [],
    sources: ['sql("trades.everything", "select from trades.trade")'],
  })
  assert.ok(faults.some((fault) => fault.startsWith('trades.new_one: is not in')))
  assert.ok(faults.some((fault) => fault.startsWith('trades.everything: is bound to no tenant')))
  assert.ok(faults.some((fault) => /^trades\.item: .* no migration makes it/.test(fault)))
  assert.ok(faults.some((fault) => fault.startsWith('payouts.purge_quotes: is in OVER_TENANTS')))
})

it('a statement is in one group of each list', () => {
  for (const groups of [MIXED, OVER_TENANTS]) {
    const names = Object.values(groups).flat()
    assert.equal(new Set(names).size, names.length)
  }
})
