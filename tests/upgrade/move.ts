// A database moves to a new server by logical replication: docs/postgresql-upgrade.md has the same steps.
import pg from 'pg'
import type { EmbeddedPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { onServer } from '../../apps/server/src/infra/testing/database.ts'
import { until } from '../support/until.ts'

const NAME = 'tradepost_upgrade'

const TABLES = `
  select c.oid, format('%I.%I', n.nspname, c.relname) name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
    and format('%I.%I', n.nspname, c.relname) <> all ('{catalog.picture}')`

/** They are not in the log, and would be lost. The pictures, which are left out above, are fetched again. */
export const listUnlogged = (url: string): Promise<{ name: string }[]> =>
  onServer(
    url,
    `select name from (${TABLES}) t join pg_class c on c.oid = t.oid where c.relpersistence <> 'p'`,
  )

/**
 * Once a table is published, a row of it that has no key can be neither changed nor deleted: the whole row
 * has to be its key.
 */
async function giveKeys(url: string): Promise<void> {
  const tables = await onServer<{ name: string }>(
    url,
    `select name from (${TABLES}) t join pg_class c on c.oid = t.oid where c.relreplident = 'd'
       and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
  )
  for (const { name } of tables) await onServer(url, `alter table ${name} replica identity full`)
}

/** The server must be started again. */
export const allowReplication = (url: string): Promise<unknown> =>
  onServer(url, "alter system set wal_level = 'logical'")

/** Every table of the new server, which the same release has migrated, follows that of the old one. */
export async function follow(old: EmbeddedPostgres, next: EmbeddedPostgres): Promise<void> {
  // What migrations have written is in the old one, too.
  await onServer(
    next.url,
    `set session_replication_role = replica;
     do $$ begin execute (select 'truncate ' || string_agg(name, ', ') from (${TABLES}) t); end $$`,
  )
  await giveKeys(old.url)
  await onServer(
    old.url,
    `create publication ${NAME} for all tables with (publish_via_partition_root = true)`,
  )
  const { username, password, port } = new URL(old.url)
  const source = `host=127.0.0.1 port=${port} user=${username} password=${password} dbname=tradepost`
  await onServer(next.url, `create subscription ${NAME} connection '${source}' publication ${NAME}`)
  await until(
    'every table is copied',
    async () =>
      (await onServer(next.url, "select from pg_subscription_rel where srsubstate <> 'r'"))
        .length === 0,
    { deadlineMs: 300_000 },
  )
}

/** Once no process writes any more: the new server has everything, and follows no longer. */
export async function finish(old: EmbeddedPostgres, next: EmbeddedPostgres): Promise<void> {
  await until('no process has a session', async () => {
    const sessions = await onServer<{ application_name: string }>(
      old.url,
      `select application_name from pg_stat_activity where application_name ~ '^tradepost( |$)'`,
    )
    return sessions.length === 0
  })
  const [end] = await onServer<{ lsn: string }>(old.url, 'select pg_current_wal_lsn()::text lsn')
  await until('the new server has everything', async () => {
    const done = await onServer(
      old.url,
      `select from pg_replication_slots where slot_name = '${NAME}' and confirmed_flush_lsn >= '${end?.lsn}'`,
    )
    return done.length === 1
  })
  await copySequences(old.url, next.url)
  await onServer(next.url, `drop subscription ${NAME}`)
  await onServer(next.url, 'analyze')
}

async function copySequences(from: string, to: string): Promise<void> {
  const sequences = await onServer<{ name: string; last: string }>(
    from,
    `select format('%I.%I', schemaname, sequencename) name, last_value::text last from pg_sequences
     where last_value is not null`,
  )
  const client = new pg.Client({ connectionString: to })
  await client.connect()
  try {
    for (const { name, last } of sequences)
      await client.query('select setval($1, $2)', [name, last])
  } finally {
    await client.end()
  }
}

/** Names of tables whose rows differ, and of sequences. */
export async function listDifferences(one: string, other: string): Promise<string[]> {
  const [a, b] = await Promise.all([one, other].map(readContent))
  return [...new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])].filter(
    (name) => a?.get(name) !== b?.get(name),
  )
}

async function readContent(url: string): Promise<Map<string, string>> {
  const content = new Map<string, string>()
  for (const { name } of await onServer<{ name: string }>(url, TABLES)) {
    const [row] = await onServer<{ digest: string }>(
      url,
      `select count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)), 0) digest from ${name} t`,
    )
    content.set(name, row?.digest ?? '')
  }
  const sequences = await onServer<{ name: string; last: string }>(
    url,
    `select schemaname || '.' || sequencename name, last_value::text last from pg_sequences`,
  )
  for (const { name, last } of sequences) content.set(name, last ?? 'none')
  return content
}
