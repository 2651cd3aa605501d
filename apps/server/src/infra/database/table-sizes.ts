// How large the tables are, for those who watch the disk.
import { type Queryable, sql } from './db.ts'

export interface TableSize {
  /** With its schema. */
  readonly table: string
  /** With its indexes, what is stored apart, and all of its partitions. */
  readonly bytes: bigint
}

const LIST = sql(
  'infra.list_table_sizes',
  `select n.nspname || '.' || c.relname "table", case c.relkind
     when 'p' then (select sum(pg_total_relation_size(relid)) from pg_partition_tree(c.oid))::bigint
     else pg_total_relation_size(c.oid) end bytes
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p') and not c.relispartition and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
   order by 1 limit 1000`,
)

export const listTableSizes = (db: Queryable): Promise<TableSize[]> => db.query<TableSize>(LIST)
