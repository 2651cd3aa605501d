// What a migration does to a database, measured and not read from its text: the locks that it holds at its
// end, the files that it writes anew, the tables that it reads whole, and what is not there as before.
import type { ClientBase } from 'pg'

/** Tables and functions are named with their schemas. Only what was there before the migration is listed. */
export interface Effects {
  /** The strongest lock on each table, from ROW EXCLUSIVE on: a reader stops no other. */
  readonly locks: Readonly<Record<string, Lock>>
  /** Tables whose files are written anew, and indexes where that of their table is not. */
  readonly rewritten: readonly string[]
  /** Tables that are read from end to end. */
  readonly read: readonly string[]
  /** Tables that got an index. */
  readonly indexed: readonly string[]
  /** Columns that take no null any more; `isNew`: no row from before can have a value. */
  readonly notNull: readonly { readonly table: string; readonly column: string; isNew: boolean }[]
  /** Functions that cannot be called or read as before. */
  readonly signatures: readonly string[]
  /** Tables, columns, and columns with another type. */
  readonly gone: readonly string[]
}

/** From the weakest on. */
const LOCKS = [
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
] as const
export type Lock = (typeof LOCKS)[number]

/** Runs the text within the transaction that the caller has begun, and ends. */
export async function measure(client: ClientBase, text: string): Promise<Effects> {
  const before = await look(client)
  await client.query(text)
  const after = await look(client)
  const isTable = ({ kind }: Relation): boolean => 'rpm'.includes(kind)
  const old = [...before.relations.values()]
  const tables = old.filter(isTable)
  const isNew = (one: Relation | undefined): boolean =>
    one !== undefined && (after.relations.get(one.oid)?.file ?? one.file) !== one.file
  const existed = (oid: number): boolean => before.relations.has(oid)
  const namesOf = (found: readonly Relation[]): string[] => found.map(({ name }) => name).sort()
  const was = (columns: ReadonlyMap<string, Column>) =>
    [...columns.values()].filter(({ relation }) => existed(relation))
  return {
    locks: await readLocks(client, tables),
    rewritten: namesOf(
      old.filter((one) => isNew(one) && !isNew(before.relations.get(one.of ?? 0))),
    ),
    read: namesOf(
      tables.filter(({ oid, scans }) => (after.relations.get(oid)?.scans ?? 0) > scans),
    ),
    indexed: [
      ...new Set(
        [...after.relations.values()]
          .filter(({ oid, of }) => of !== null && existed(of) && !existed(oid))
          .map(({ of }) => before.relations.get(of ?? 0)?.name ?? ''),
      ),
    ].sort(),
    notNull: was(after.columns)
      .filter(({ key, notNull }) => notNull && !before.columns.get(key)?.notNull)
      .filter(({ key, filled }) => before.columns.has(key) || !filled)
      .map(({ key, relation, name }) => ({
        table: before.relations.get(relation)?.name ?? '',
        column: name,
        isNew: !before.columns.has(key),
      })),
    signatures: [...before.functions].filter((one) => !after.functions.has(one)).sort(),
    gone: [
      ...namesOf(tables.filter(({ oid }) => !after.relations.has(oid))),
      ...was(before.columns)
        .filter(({ relation }) => after.relations.has(relation))
        .filter(({ key, type }) => after.columns.get(key)?.type !== type)
        .map(({ relation, name }) => `${before.relations.get(relation)?.name}.${name}`)
        .sort(),
    ],
  }
}

interface Relation {
  readonly oid: number
  readonly name: string
  readonly kind: string
  /** Another one when the file was written anew. */
  readonly file: number
  /** From end to end, by this transaction and by what the server has not yet counted of those before it. */
  readonly scans: number
  /** Of an index its table. */
  readonly of: number | null
}

interface Column {
  readonly key: string
  readonly relation: number
  readonly name: string
  readonly type: string
  readonly notNull: boolean
  /** Rows from before the column have its default. */
  readonly filled: boolean
}

interface Look {
  readonly relations: ReadonlyMap<number, Relation>
  readonly columns: ReadonlyMap<string, Column>
  readonly functions: ReadonlySet<string>
}

const OURS = `n.nspname <> 'information_schema' and n.nspname !~ '^pg_'`

const RELATIONS = `
  select c.oid::int oid, n.nspname || '.' || c.relname name, c.relkind kind, c.relfilenode::int file,
    pg_stat_get_xact_numscans(c.oid)::int scans, i.indrelid::int "of"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_index i on i.indexrelid = c.oid
  where c.relkind in ('r', 'p', 'm', 'i', 'I', 'v') and ${OURS}`

const COLUMNS = `
  select a.attrelid || '.' || a.attname key, a.attrelid::int relation, a.attname name,
    format_type(a.atttypid, a.atttypmod) type, a.attnotnull "notNull", a.atthasmissing filled
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped and ${OURS}`

const FUNCTIONS = `
  select format('%I.%I(%s) returns %s', n.nspname, p.proname, pg_get_function_arguments(p.oid),
    pg_get_function_result(p.oid)) signature
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where ${OURS} and p.prorettype <> 'trigger'::regtype`

async function look(client: ClientBase): Promise<Look> {
  const { rows: relations } = await client.query<Relation>(RELATIONS)
  const { rows: columns } = await client.query<Column>(COLUMNS)
  const { rows: functions } = await client.query<{ signature: string }>(FUNCTIONS)
  return {
    relations: new Map(relations.map((one) => [one.oid, one])),
    columns: new Map(columns.map((one) => [one.key, one])),
    functions: new Set(functions.map(({ signature }) => signature)),
  }
}

const HELD = `
  select relation::int oid, mode from pg_locks
  where pid = pg_backend_pid() and locktype = 'relation' and mode = any ($1) and relation = any ($2::oid[])`

async function readLocks(
  client: ClientBase,
  tables: readonly Relation[],
): Promise<Record<string, Lock>> {
  const { rows } = await client.query<{ oid: number; mode: Lock }>(HELD, [
    LOCKS,
    tables.map(({ oid }) => oid),
  ])
  const strength = ({ mode }: { mode: Lock }): number => LOCKS.indexOf(mode)
  const name = new Map(tables.map(({ oid, name }) => [oid, name]))
  return Object.fromEntries(
    rows
      .toSorted((a, b) => strength(a) - strength(b))
      .map(({ oid, mode }) => [name.get(oid) ?? '', mode] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  )
}
