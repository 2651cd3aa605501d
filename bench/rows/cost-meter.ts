// What a PostgreSQL server has done between two moments: statements, transactions, write-ahead log, CPU, and
// rows and bytes of each table. Its own questions are asked of another database and are not counted, but for
// those about tables, which are asked outside of the time that is measured.
import pg from 'pg'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startPostgres,
} from '../../apps/server/embedded-postgres/postgres.ts'
import { readRows, runScript, withClient } from '../installation/installation.ts'
import { cpuSecondsOfServer } from '../machine.ts'

/** Counters of the server, from its start on. */
export interface Counters {
  readonly atMs: number
  readonly statements: number
  readonly transactions: number
  readonly wal: string
  readonly cpuMs: number
}

/** What was done between two readings. */
export interface Used {
  readonly seconds: number
  readonly statements: number
  readonly transactions: number
  readonly walBytes: number
  readonly cpuMs: number
}

export interface TableCount {
  readonly rows: number
  /** With its indexes, what is stored apart, and all of its partitions. */
  readonly bytes: number
  readonly updates: number
  /** Updates that wrote no index. */
  readonly hotUpdates: number
}
export type TableCounts = Readonly<Record<string, TableCount>>

export interface Statement {
  readonly query: string
  readonly calls: number
  readonly walBytes: number
  readonly cpuMs: number
}

export interface Meter {
  /** Writes everything to the disk first, so that whole pages are logged anew as after each checkpoint. */
  begin(): Promise<Counters>
  since(from: Counters): Promise<Used>
  /** The statements since the last `begin`, the ones that were asked most often first. */
  statements(): Promise<Statement[]>
  tables(): Promise<TableCounts>
  /** Bytes of the log since a reading, by table with its indexes; what belongs to none is left out. */
  walByTable(from: Counters): Promise<Record<string, { bytes: number; wholePages: number }>>
  connections(): Promise<number>
  close(): Promise<void>
}

/** A server that counts statements and whose log can be read. */
export async function startMeasuredPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const plain = await startPostgres(options)
  await runScript(
    plain.urlOf('postgres'),
    "alter system set shared_preload_libraries = 'pg_stat_statements'",
    'create extension pg_walinspect',
    'create extension pg_stat_statements',
  )
  await plain.stop()
  return startPostgres(options)
}

export async function openMeter(postgres: EmbeddedPostgres): Promise<Meter> {
  const client = new pg.Client({ connectionString: postgres.urlOf('postgres') })
  await client.connect()
  const one = async <Row>(text: string, values: unknown[] = []): Promise<Row> =>
    (await client.query(text, values)).rows[0] as Row
  const read = async (): Promise<Counters> => {
    const row = await one<{ statements: string; transactions: string; wal: string }>(COUNTERS)
    return {
      atMs: performance.now(),
      statements: Number(row.statements),
      transactions: Number(row.transactions),
      wal: row.wal,
      cpuMs: cpuSecondsOfServer(postgres.pid()) * 1000,
    }
  }
  return {
    begin: async () => {
      await client.query('checkpoint')
      await client.query('select pg_stat_statements_reset()')
      return read()
    },
    since: async (from) => {
      const now = await read()
      const { bytes } = await one<{ bytes: string }>(
        'select pg_wal_lsn_diff($1::pg_lsn, $2::pg_lsn) bytes',
        [now.wal, from.wal],
      )
      return {
        seconds: (now.atMs - from.atMs) / 1000,
        statements: now.statements - from.statements,
        transactions: now.transactions - from.transactions,
        walBytes: Number(bytes),
        cpuMs: now.cpuMs - from.cpuMs,
      }
    },
    statements: async () => {
      const { rows } = await client.query(STATEMENTS)
      return rows.map((row) => ({
        query: String(row.query).replaceAll(/\s+/g, ' '),
        calls: Number(row.calls),
        walBytes: Number(row.wal_bytes),
        cpuMs: Number(row.ms),
      }))
    },
    tables: () => withClient(postgres.url, readTables),
    walByTable: async (from) => {
      const { rows: pages } = await client.query(WAL_BY_FILE, [from.wal])
      const names = await readRows<{ file: string; table: string }>(postgres.url, TABLE_OF_FILE)
      const tableOf = new Map(names.map(({ file, table }) => [Number(file), table]))
      const found: Record<string, { bytes: number; wholePages: number }> = {}
      for (const { file, bytes, whole } of pages) {
        const table = tableOf.get(Number(file)) ?? 'the rest'
        const sum = found[table] ?? { bytes: 0, wholePages: 0 }
        found[table] = {
          bytes: sum.bytes + Number(bytes),
          wholePages: sum.wholePages + Number(whole),
        }
      }
      return found
    },
    connections: async () => (await one<{ count: number }>(CONNECTIONS)).count,
    close: () => client.end(),
  }
}

async function readTables(client: pg.Client): Promise<TableCounts> {
  const { rows: tables } = await client.query(TABLES)
  const found: Record<string, TableCount> = {}
  for (const { table, bytes, updates, hotUpdates } of tables) {
    const { rows } = await client.query(`select count(*) "rows" from ${table}`)
    found[table] = {
      rows: Number(rows[0].rows),
      bytes: Number(bytes),
      updates: Number(updates),
      hotUpdates: Number(hotUpdates),
    }
  }
  return found
}

const COUNTERS = `
  select (select coalesce(sum(s.calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid
      where d.datname = 'tradepost') statements,
    (select xact_commit + xact_rollback from pg_stat_database where datname = 'tradepost') transactions,
    pg_current_wal_lsn()::text wal`

const STATEMENTS = `
  select s.query, s.calls, s.wal_bytes, s.total_exec_time + s.total_plan_time ms
  from pg_stat_statements s join pg_database d on d.oid = s.dbid
  where d.datname = 'tradepost' order by s.calls desc limit 200`

const CONNECTIONS = `
  select count(*)::int count from pg_stat_activity
  where datname = 'tradepost' and backend_type = 'client backend'`

/** Sizes and updates of tables, of a partitioned one those of all its partitions. */
const TABLES = `
  select n.nspname || '.' || c.relname "table", sum(pg_total_relation_size(part.relid)) bytes,
    sum(pg_stat_get_tuples_updated(part.relid)) updates, sum(pg_stat_get_tuples_hot_updated(part.relid)) "hotUpdates"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
    cross join lateral (
      select relid from pg_partition_tree(c.oid) where c.relkind = 'p' union all select c.oid where c.relkind = 'r') part
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
  group by 1`

/** What a record says beside its blocks is counted to its first block. */
const WAL_BY_FILE = `
  select relfilenode file, sum(block_data_length + block_fpi_length
      + case when nth = 1 then greatest(record_length - of_blocks, 0) else 0 end) bytes,
    sum(block_fpi_length) whole
  from (
    select relfilenode, block_data_length, block_fpi_length, record_length,
      row_number() over record nth, sum(block_data_length + block_fpi_length) over (partition by start_lsn) of_blocks
    from pg_get_wal_block_info($1::pg_lsn, pg_current_wal_lsn(), false)
    window record as (partition by start_lsn order by block_id)) block
  group by 1`

const TABLE_OF_FILE = `
  with owned as (
    select c.oid, coalesce(i.indrelid, c.oid) holder from pg_class c left join pg_index i on i.indexrelid = c.oid
    where c.relkind in ('r', 'i', 't', 'm'))
  select pg_relation_filenode(o.oid) file, n.nspname || '.' || root.relname "table"
  from owned o
    left join pg_class main on main.reltoastrelid = o.holder
    join pg_class root on root.oid = coalesce(pg_partition_root(coalesce(main.oid, o.holder)), main.oid, o.holder)
    join pg_namespace n on n.oid = root.relnamespace
  where pg_relation_filenode(o.oid) is not null`
