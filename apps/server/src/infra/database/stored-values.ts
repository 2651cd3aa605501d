// Small values of an installation that outlive its processes, such as that its demo data was created.
import { type Queryable, sql, type Tx } from './db.ts'

/** The value under a name; null when there is none, or when it is only claimed. */
export async function readStoredValue<T extends object>(
  db: Queryable,
  name: string,
): Promise<T | null> {
  const [row] = await db.query<{ value: T }>(READ, [name])
  return row && Object.keys(row.value).length > 0 ? row.value : null
}

/** All values whose names begin so. */
export function listStoredValues<T extends object>(
  db: Queryable,
  prefix: string,
): Promise<{ readonly name: string; readonly value: T }[]> {
  return db.query(LIST, [prefix])
}

/**
 * True for the first transaction that claims a name. Another claim waits until the first has committed, and
 * is false; when the first has rolled back, the next one is the first.
 */
export async function claimStoredValue(tx: Tx, name: string): Promise<boolean> {
  const rows = await tx.query(CLAIM, [name])
  return rows.length > 0
}

export async function writeStoredValue(tx: Tx, name: string, value: object): Promise<void> {
  await tx.query(WRITE, [name, JSON.stringify(value)])
}

/** False when there was none. */
export async function deleteStoredValue(tx: Tx, name: string): Promise<boolean> {
  const rows = await tx.query(DELETE, [name])
  return rows.length > 0
}

const READ = sql('infra_read_fact', 'select value from infra.setting where name = $1')
const LIST = sql(
  'infra_list_facts',
  `select name, value from infra.setting where starts_with(name, $1) order by name limit 1000`,
)
const CLAIM = sql(
  'infra_claim_fact',
  `insert into infra.setting (name, value) values ($1, '{}') on conflict (name) do nothing
   returning name`,
)
const WRITE = sql(
  'infra_write_fact',
  `insert into infra.setting (name, value) values ($1, $2)
   on conflict (name) do update set value = excluded.value`,
)
const DELETE = sql('infra_delete_fact', 'delete from infra.setting where name = $1 returning name')
