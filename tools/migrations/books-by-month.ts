// Tries on copies what docs/scale.md proposes for the ledger and trades once they are too large: partitions
// by the month of a UUID of version 7 that every caller knows, and narrow tables for what is unique over all
// months. Nothing of the service uses it; it measures what the step would take.
import pg from 'pg'

type Say = (text: string) => void

/** The tables as they are, copied into this schema; the copies are divided. */
const COPIES = 'books_by_month'

interface Table {
  readonly name: string
  /** By whose time it is divided. */
  readonly column: string
}

const TABLES: readonly Table[] = [
  { name: 'ledger.journal', column: 'id' },
  { name: 'ledger.posting', column: 'journal_id' },
  { name: 'ledger.hold', column: 'id' },
  { name: 'ledger.hold_resolution', column: 'hold_id' },
  { name: 'trades.trade', column: 'id' },
  { name: 'trades.item', column: 'trade_id' },
  { name: 'trades.item_step', column: 'trade_id' },
]

/** What is unique over all months, and the table that says so for ever. */
const KEYS = [
  {
    name: 'journal_key',
    of: 'ledger.journal',
    columns: 'scope_id, idempotency_key, id',
    unique: 'scope_id, idempotency_key',
    rows: 'true',
  },
  {
    name: 'trade_key',
    of: 'trades.trade',
    columns: 'tenant_id, external_id, account_id, id',
    unique: 'tenant_id, external_id, account_id',
    rows: 'external_id is not null',
  },
] as const

const MONTHS_AHEAD = 13
const PROBES = 200
let measured = 0

export async function divideBooks(
  url: string,
  { trades, say }: { readonly trades: number; readonly say: Say },
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`create schema ${COPIES}`)
    const copied = await timed(async () => {
      for (const table of TABLES) await copy(client, table)
    })
    say(`copies with their indexes: ${seconds(copied)}`)
    await client.query('checkpoint')
    await client.query('vacuum analyze')
    const before = await probe(client)
    for (const key of KEYS) {
      const took = await timed(() => client.query(keysSql(key)))
      const { all } = await bytesOf(client, key.name)
      say(`${key.name}: ${seconds(took)}, ${mb(all)} for ${trades.toLocaleString('en')} trades`)
    }
    for (const table of TABLES) {
      const name = copyOf(table)
      const { all, indexes } = await bytesOf(client, name)
      const proof = await timed(() => client.query(proofSql(table)))
      const swap = await timed(() => client.query(divideSql(table)))
      const sizes = `${mb(all)}, of them ${mb(indexes)} of indexes`
      say(`${table.name}: ${sizes}; proof ${seconds(proof)}, swap ${swap.toFixed(0)} ms`)
    }
    await client.query('analyze')
    const after = await probe(client)
    for (const [what, ms] of Object.entries(before)) {
      const then = after[what] ?? Number.NaN
      say(
        `${what}: ${ms.toFixed(3)} ms in one table, ${then.toFixed(3)} ms in ${MONTHS_AHEAD + 1} months`,
      )
    }
  } finally {
    await client.query(`drop schema if exists ${COPIES} cascade`)
    await client.end()
  }
}

const copyOf = ({ name }: Table): string => name.replace('.', '_')

/** With its indexes. Triggers are left out: they write balances and figures, which the copies do not have. */
async function copy(client: pg.Client, table: Table): Promise<void> {
  const name = `${COPIES}.${copyOf(table)}`
  await client.query(`create table ${name} (like ${table.name} including all excluding identity)`)
  await client.query(`insert into ${name} select * from ${table.name}`)
}

const keysSql = ({ name, of, columns, unique, rows }: (typeof KEYS)[number]): string => `
  create table ${COPIES}.${name} as select ${columns} from ${COPIES}.${of.replace('.', '_')} where ${rows};
  alter table ${COPIES}.${name} add primary key (${unique});`

/** Later than every row: the copy is the partition of all before. */
const END = "'ffffffff-0000-7000-8000-000000000000'::uuid"

/** Reads the copy once, under a lock that no reader or writer waits for. */
const proofSql = (table: Table): string => `
  alter table ${COPIES}.${copyOf(table)} add constraint proof check (${table.column} < ${END}) not valid;
  alter table ${COPIES}.${copyOf(table)} validate constraint proof;`

/**
 * The swap: the copy becomes the first partition, and months follow it. What is unique within each month is
 * an index of the month alone: one of all months would need the column that they are divided by.
 */
function divideSql(table: Table): string {
  const name = `${COPIES}.${copyOf(table)}`
  const startOf = (month: number): string =>
    `'ffffffff-${String(month).padStart(4, '0')}-7000-8000-000000000000'`
  const months = Array.from(
    { length: MONTHS_AHEAD },
    (_, i) => `
    create table ${name}_${i} (like ${name}_first including all excluding constraints);
    alter table ${name} attach partition ${name}_${i} for values from (${startOf(i)}) to (${startOf(i + 1)});`,
  )
  return `
    begin;
    alter table ${name} rename to ${copyOf(table)}_first;
    create table ${name} (like ${name}_first including all excluding indexes excluding constraints) partition by range (${table.column});
    do $$ declare definition text; begin
      for definition in
        select pg_get_indexdef(i.indexrelid) from pg_index i
        where i.indrelid = '${name}_first'::regclass and not i.indisunique
      loop execute regexp_replace(replace(definition, '${name}_first', '${name}'), 'INDEX [^ ]+ ON', 'INDEX ON'); end loop;
    end $$;
    alter table ${name} attach partition ${name}_first for values from (minvalue) to (${END});
    ${months.join('\n')}
    commit;`
}

/** The mean time of reads that every caller makes, in milliseconds. */
async function probe(client: pg.Client): Promise<Readonly<Record<string, number>>> {
  const { rows: accounts } = await client.query<{ id: string }>(
    `select debit_account_id id from ${COPIES}.ledger_posting where debit_account_id > 0 group by 1 limit ${PROBES}`,
  )
  const { rows: trades } = await client.query<{
    id: string
    tenant_id: string
    account_id: string
  }>(`select id, tenant_id, account_id from ${COPIES}.trades_trade limit ${PROBES}`)
  const measure = async (text: string, values: readonly (readonly unknown[])[]) => {
    const statement = { name: `probe ${++measured}`, text }
    // A plan is kept after some calls.
    for (const of of values) await client.query(statement, [...of])
    const took = await timed(async () => {
      for (const of of values) await client.query(statement, [...of])
    })
    return took / values.length
  }
  return {
    'a page of a ledger': await measure(
      `select * from ${COPIES}.ledger_posting where debit_account_id = $1 and debit_seq is not null
       order by debit_seq desc limit 50`,
      accounts.map(({ id }) => [id]),
    ),
    'a journal by its id': await measure(
      `select p.* from ${COPIES}.ledger_journal j join ${COPIES}.ledger_posting p on p.journal_id = j.id where j.id = $1`,
      (
        await client.query<{ id: string }>(
          `select id from ${COPIES}.ledger_journal limit ${PROBES}`,
        )
      ).rows.map(({ id }) => [id]),
    ),
    'a trade with its items': await measure(
      `select t.*, i.* from ${COPIES}.trades_trade t join ${COPIES}.trades_item i on i.trade_id = t.id where t.id = $1`,
      trades.map(({ id }) => [id]),
    ),
    'the newest trades of an account': await measure(
      `select * from ${COPIES}.trades_trade where account_id = $1 order by id desc limit 50`,
      trades.map((trade) => [trade.account_id]),
    ),
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function bytesOf(
  client: pg.Client,
  name: string,
): Promise<{ readonly all: number; readonly indexes: number }> {
  const { rows } = await client.query<{ all: string; indexes: string }>(
    'select pg_total_relation_size($1::regclass) "all", pg_indexes_size($1::regclass) indexes',
    [`${COPIES}.${name}`],
  )
  return { all: Number(rows[0]?.all), indexes: Number(rows[0]?.indexes) }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`
