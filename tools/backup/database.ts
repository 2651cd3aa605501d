// The database that is copied: who it is, and whether its files are on this machine.
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { APPLIED, type Applied } from '../../apps/server/src/infra/database/schema-history.ts'
import { CannotStart } from '../../apps/server/src/infra/process/cannot-start.ts'

export interface Source {
  readonly url: string
  readonly client: pg.Client
  readonly postgres: string
  readonly major: number
  readonly systemIdentifier: string
  readonly segmentBytes: number
  readonly database: string
  readonly owner: string
  readonly leastSettings: Readonly<Record<string, string>>
  readonly migrations: readonly Applied[]
  /** Null: it is not on this machine, or its files are closed to us. */
  readonly dataFolder: string | null
  /** Bytes of all databases of the server. */
  readonly bytes: number
  /** In words where the connection has ended: whatever failed then, failed by that. */
  reasonOf(error: unknown): unknown
}

/** The connection is a session of its own: a copy by files ends with it. */
export async function openSource(url: string): Promise<Source> {
  const client = new pg.Client({ connectionString: url, application_name: 'tradepost-backup' })
  let lost: string | null = null
  client.on('error', (error) => {
    lost ??= error.message
  })
  try {
    await client.connect()
  } catch (error) {
    throw new CannotStart(`The database does not answer: ${(error as Error).message}.`)
  }
  const reasonOf = (error: unknown): unknown => {
    const why = lost ?? (isEndOfConnection(error) ? (error as Error).message : null)
    return why === null ? error : new CannotStart(`The database ended the connection: ${why}.`)
  }
  try {
    return { ...(await readSource(url, client)), reasonOf }
  } catch (error) {
    await client.end()
    throw reasonOf(error)
  }
}

/** A query fails before its connection says that it has ended. */
const isEndOfConnection = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? error.severity === 'FATAL'
    : error instanceof Error && /^Connection terminated|is not queryable$/.test(error.message)

/** Undefined table: a database of another program. */
const NO_TABLE = '42P01'

async function readSource(url: string, client: pg.Client): Promise<Omit<Source, 'reasonOf'>> {
  const { rows } = await client.query<{
    isStandby: boolean
    postgres: string
    major: number
    systemIdentifier: string
    segmentBytes: string
    database: string
    owner: string
    leastSettings: Readonly<Record<string, string>>
    dataFolder: string | null
    tablespaces: number
    bytes: string
  }>(ABOUT)
  const about = rows[0]
  if (!about) throw new CannotStart('The database says nothing about itself.')
  if (about.isStandby) throw new CannotStart('This database is a standby: copy the primary.')
  if (about.tablespaces > 0) {
    throw new CannotStart(
      'The server has tablespaces of its own: copy it with pgBackRest or WAL-G.',
    )
  }
  const { rows: migrations } = await client.query<Applied>(APPLIED).catch((error) => {
    if ((error as pg.DatabaseError).code !== NO_TABLE) throw error
    return { rows: [] }
  })
  if (migrations.length === 0) {
    throw new CannotStart(
      `The database ${about.database} is not Tradepost's: it has no migrations.`,
    )
  }
  const { isStandby: _, tablespaces: __, ...details } = about
  return {
    ...details,
    ...{
      url,
      client,
      migrations,
      bytes: Number(about.bytes),
      segmentBytes: Number(about.segmentBytes),
    },
    dataFolder: isFolderOf(about) ? about.dataFolder : null,
  }
}

const ABOUT = `
  select pg_is_in_recovery() "isStandby", current_setting('server_version') postgres,
    current_setting('server_version_num')::int / 10000 major,
    (select system_identifier::text from pg_control_system()) "systemIdentifier",
    (select bytes_per_wal_segment::text from pg_control_init()) "segmentBytes",
    current_database() database, (select rolname from pg_roles where oid = 10) owner,
    (select jsonb_object_agg(name, setting) from pg_settings where name in ('max_connections',
      'max_locks_per_transaction', 'max_prepared_transactions', 'max_wal_senders', 'max_worker_processes'))
      "leastSettings",
    case when pg_has_role(current_user, 'pg_read_all_settings', 'usage')
      then current_setting('data_directory') end "dataFolder",
    (select count(*)::int from pg_tablespace where spcname not in ('pg_default', 'pg_global')) tablespaces,
    (select sum(pg_database_size(oid))::text from pg_database where has_database_privilege(oid, 'connect')) bytes`

/** A server elsewhere may name a folder that exists here, too: the control file begins with the identity. */
function isFolderOf({
  dataFolder,
  systemIdentifier,
}: {
  readonly dataFolder: string | null
  readonly systemIdentifier: string
}): boolean {
  if (dataFolder === null) return false
  const head = Buffer.alloc(8)
  try {
    const file = openSync(join(dataFolder, 'global/pg_control'), 'r')
    try {
      readSync(file, head)
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
  return head.readBigUInt64LE().toString() === systemIdentifier
}
