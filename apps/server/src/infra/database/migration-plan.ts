// What `npm run migrate` would apply to a database, for the one who is about to run it. Only reads: the locks
// are those that each migration was measured to take, and nothing waits for this or is locked by it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { connect } from './migrations.ts'
import {
  APPLIED,
  type Applied,
  bearsOf,
  compareSchema,
  indexAlone,
  type Migration,
  readMigrations,
} from './schema-history.ts'

/** By migration and table the strongest lock; of the schemas of the first release there is none. */
export const LOCKS_FILE: string = join(import.meta.dirname, 'migration-locks.json')

type Locks = Readonly<Record<string, Readonly<Record<string, string>>>>

const WORDS: Readonly<Record<string, string>> = {
  RowExclusiveLock: 'only writers of the same rows wait',
  ShareUpdateExclusiveLock: 'only VACUUM waits',
  ShareLock: 'writers wait',
  ShareRowExclusiveLock: 'writers wait',
  ExclusiveLock: 'writers wait',
  AccessExclusiveLock: 'readers and writers wait',
}

/** Lines of text. Throws CannotStart where `migrate` would refuse the database. */
export async function planMigration(
  url: string,
  {
    migrations = readMigrations(),
    locks = JSON.parse(readFileSync(LOCKS_FILE, 'utf8')) as Locks,
  }: { readonly migrations?: readonly Migration[]; readonly locks?: Locks } = {},
): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await connect(client, url)
  try {
    const { missing: names, refusal } = compareSchema(await readApplied(client), migrations)
    if (refusal) throw refusal
    const missing = migrations.filter(({ name }) => names.includes(name))
    if (missing.length === 0) return 'Nothing would be applied: the database is current.'
    const sizes = await readSizes(
      client,
      missing.flatMap((one) => tablesOf(one, locks)),
    )
    return missing.flatMap((one) => describe(one, locks, sizes)).join('\n')
  } finally {
    await client.end()
  }
}

async function readApplied(client: pg.Client): Promise<readonly Applied[]> {
  const { rows } = await client.query<{ record: string | null }>(
    `select to_regclass('infra.migration') record`,
  )
  return rows[0]?.record == null ? [] : (await client.query<Applied>(APPLIED)).rows
}

const locksOf = (migration: Migration, locks: Locks): Readonly<Record<string, string>> => {
  const alone = indexAlone(migration)
  return alone ? { [alone.table]: 'ShareUpdateExclusiveLock' } : (locks[migration.name] ?? {})
}

const tablesOf = (migration: Migration, locks: Locks): string[] =>
  Object.keys(locksOf(migration, locks))

interface Size {
  readonly name: string
  /** With its indexes, as people read it. */
  readonly size: string
  /** By the last ANALYZE; negative before the first. */
  readonly rows: number
}

async function readSizes(
  client: pg.Client,
  names: readonly string[],
): Promise<ReadonlyMap<string, Size>> {
  const { rows } = await client.query<Size>(
    `select name, pg_size_pretty(pg_total_relation_size(c.oid)) size, c.reltuples::bigint::float8 rows
     from (select distinct unnest($1::text[]) name) n join pg_class c on c.oid = to_regclass(n.name)`,
    [names],
  )
  return new Map(rows.map((one) => [one.name, one]))
}

function describe(
  migration: Migration,
  locks: Locks,
  sizes: ReadonlyMap<string, Size>,
): readonly string[] {
  const bears =
    bearsOf(migration) === 'previous'
      ? 'processes of the release before go on'
      : 'no process of an older release may run'
  const alone = indexAlone(migration) ? '; builds an index concurrently' : ''
  return [
    `${migration.name}: ${bears}${alone}`,
    ...Object.entries(locksOf(migration, locks)).map(([table, lock]) => {
      const size = sizes.get(table)
      const rows = size === undefined || size.rows < 0 ? '' : `, about ${size.rows} rows`
      const what = size === undefined ? 'made by an earlier one of these' : `${size.size}${rows}`
      return `  ${table} (${what}): ${lock}, ${WORDS[lock] ?? 'unknown'}`
    }),
  ]
}
