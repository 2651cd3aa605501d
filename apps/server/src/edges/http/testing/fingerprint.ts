// A digest of each table: two that are equal show that nothing was written between.
import { type Db, sql } from '#infra/database/db'

/** Everything that people, accounts and their log consist of, but when a session was last used. */
export async function fingerprint(db: Db): Promise<Readonly<Record<string, string>>> {
  const tables = await db.query<{ name: string }>(
    sql(
      'test.tables',
      `select format('%I.%I', schemaname, tablename) name from pg_tables
       where schemaname in ('people', 'identity', 'audit', 'outbox', 'mail', 'operations', 'webhooks', 'deposits', 'payouts')
       order by 1`,
    ),
  )
  const digests = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await db.query<{ digest: string }>(
        sql(
          `test.digest ${name}`,
          `select coalesce(md5(string_agg(line, '|' order by line)), '') digest
           from (select (to_jsonb(t) - 'last_seen_at' - 'idle_until')::text line from ${name} t) lines`,
        ),
      )
      return [name, row?.digest ?? ''] as const
    }),
  )
  return Object.fromEntries(digests)
}
