// A copy in an empty folder, brought to a moment by the archive of the log, by a server that answers on a
// socket of its own alone. It ends on a timeline of its own, which the service notices.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { findBinaries } from '../../apps/server/embedded-postgres/postgres-binaries.ts'
import {
  choosePostgresUser,
  chownTree,
  commandAs,
} from '../../apps/server/embedded-postgres/postgres-user.ts'
import { CannotStart } from '../../apps/server/src/infra/process/cannot-start.ts'
import { whenEnded } from '../../apps/server/src/infra/process/processes.ts'
import { restoreCommand } from './archive.ts'
import { listFiles } from './base-copy.ts'
import { type Copy, type CopyFolder, namedWhereFull } from './folder.ts'

export interface Recovered {
  /** Of the database, through the socket, as the superuser. */
  readonly url: string
  readonly client: pg.Client
  /** When the last transaction that came back was committed; null when the log had none. */
  readonly lastCommit: Date | null
  /** Ends the server; the folder stays. */
  stop(): Promise<void>
}

export interface RecoverOptions {
  readonly folder: CopyFolder
  readonly copy: Copy
  /** Does not exist yet. */
  readonly data: string
  /** Null: to the end of the log. */
  readonly at: Date | null
  readonly signal: AbortSignal
  readonly onProgress: (step: string) => void
}

/** Refuses files that differ from what was copied. */
async function checkFiles({ name, folder, manifest }: Copy, signal: AbortSignal): Promise<void> {
  const found = new Map(
    (await listFiles(join(folder, 'data'), signal)).map((file) => [file.path, file.sha256]),
  )
  const damaged = manifest.files.filter(({ path, sha256 }) => found.get(path) !== sha256)
  const [first] = damaged
  if (!first) return
  throw new CannotStart(
    `${damaged.length} files of the copy ${name} are missing or differ from their checksums, first ${first.path}.`,
  )
}

export async function recover(options: RecoverOptions): Promise<Recovered> {
  const { copy, data, signal, onProgress } = options
  onProgress(`copying ${copy.manifest.files.length.toLocaleString('en')} files`)
  await checkFiles(copy, signal)
  try {
    copyData(copy, data, signal)
  } catch (error) {
    throw namedWhereFull(error, data)
  }
  const socket = mkdtempSync(join(tmpdir(), 'tradepost-restore-'))
  try {
    const server = await startRecovery(options, socket)
    const ended = new Promise<void>((resolve) => whenEnded(server, () => resolve()))
    const stop = async (): Promise<void> => {
      server.kill('SIGINT')
      await ended
      rmSync(socket, { recursive: true, force: true })
    }
    try {
      return { ...(await untilRecovered(options, { server, socket })), stop }
    } catch (error) {
      await stop()
      throw error
    }
  } catch (error) {
    rmSync(socket, { recursive: true, force: true })
    throw error
  }
}

function copyData({ folder, manifest }: Copy, data: string, signal: AbortSignal): void {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  for (const name of EMPTY_FOLDERS) mkdirSync(join(data, name), { recursive: true, mode: 0o700 })
  for (const { path } of manifest.files) {
    signal.throwIfAborted()
    mkdirSync(dirname(join(data, path)), { recursive: true, mode: 0o700 })
    copyFileSync(join(folder, 'data', path), join(data, path))
  }
  writeFileSync(join(data, 'recovery.signal'), '', { mode: 0o600 })
}

/** The server expects them, and a list of files has none that is empty. */
const EMPTY_FOLDERS = [
  ...['pg_wal/archive_status', 'pg_wal/summaries', 'pg_commit_ts', 'pg_dynshmem', 'pg_notify'],
  ...['pg_replslot', 'pg_serial', 'pg_snapshots', 'pg_stat', 'pg_stat_tmp', 'pg_subtrans'],
  ...['pg_tblspc', 'pg_twophase', 'pg_logical/snapshots', 'pg_logical/mappings'],
]

async function startRecovery(
  { folder, copy, data, at }: RecoverOptions,
  socket: string,
): Promise<ChildProcess> {
  const postgres = await findServer(copy.manifest.postgres)
  const user = await choosePostgresUser(postgres, socket)
  if (process.getuid?.() === 0) chownTree(data, user.owner)
  chmodSync(socket, 0o700)
  writeFileSync(join(socket, 'pg_hba.conf'), 'local all all trust\n', { mode: 0o644 })
  const settings = {
    ...copy.manifest.leastSettings,
    listen_addresses: '',
    unix_socket_directories: socket,
    hba_file: join(socket, 'pg_hba.conf'),
    restore_command: restoreCommand(folder),
    recovery_target_timeline: 'latest',
    recovery_target_action: 'promote',
    ...(at ? { recovery_target_time: at.toISOString().replace('Z', '+00:00') } : {}),
    archive_mode: 'off',
    fsync: 'on',
    ssl: 'off',
    shared_preload_libraries: '',
    logging_collector: 'off',
    log_destination: 'stderr',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
  }
  const { file, args, ids } = commandAs(user, [
    postgres,
    ...['-D', data],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  const log = openSync(logOf(socket), 'a', 0o600)
  const child = spawn(file, args, {
    ...ids,
    stdio: ['ignore', log, log],
    detached: true,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
  child.on('error', () => {})
  return child
}

/** The program of the copy's major version: an installation for production has none from npm. */
async function findServer(version: string): Promise<string> {
  const major = version.split('.')[0] ?? ''
  const ofNpm = await findBinaries().then(
    ({ postgres }) => [postgres],
    () => [],
  )
  const programs = [...ofNpm, 'postgres', `/usr/lib/postgresql/${major}/bin/postgres`]
  for (const program of programs) {
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
    if (stdout?.includes(`(PostgreSQL) ${major}.`)) return program
  }
  throw new CannotStart(
    `No PostgreSQL ${major} is on this machine (${programs.join(', ')}): install postgresql-${major}.`,
  )
}

const logOf = (socket: string): string => join(socket, 'postgres.log')
const readLog = (socket: string): string =>
  existsSync(logOf(socket)) ? readFileSync(logOf(socket), 'utf8') : ''

async function untilRecovered(
  { copy, at, signal, onProgress }: RecoverOptions,
  { server, socket }: { readonly server: ChildProcess; readonly socket: string },
): Promise<Omit<Recovered, 'stop'>> {
  const { owner, database } = copy.manifest
  const url = `postgres://${encodeURIComponent(owner)}@/${encodeURIComponent(database)}?host=${encodeURIComponent(socket)}`
  let segments = 0
  for (;;) {
    signal.throwIfAborted()
    if (server.exitCode !== null || server.signalCode !== null) {
      throw new CannotStart(whyEnded(readLog(socket), at))
    }
    const restored = readLog(socket).match(/restored log file "[0-9A-F]{24}"/g)?.length ?? 0
    if (restored > segments) onProgress(`applying the log, segment ${restored}`)
    segments = restored
    const client = await connect(url)
    if (client) {
      const { rows } = await client.query<{ isOver: boolean; last: Date | null }>(
        'select not pg_is_in_recovery() "isOver", pg_last_xact_replay_timestamp() last',
      )
      if (rows[0]?.isOver) return { url, client, lastCommit: rows[0].last }
      await client.end()
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function connect(url: string): Promise<pg.Client | null> {
  const client = new pg.Client({ connectionString: url, application_name: 'tradepost-restore' })
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch {
    await client.end().catch(() => {})
    return null
  }
}

function whyEnded(log: string, at: Date | null): string {
  const last = /last completed transaction was at log time ([^\n]+)/.exec(log)?.[1]
  if (/recovery ended before configured recovery target was reached/.test(log)) {
    return `The log ends before ${at?.toISOString()}: its last transaction was at ${last ?? 'the end of the copy'}.`
  }
  const line = log
    .trim()
    .split('\n')
    .filter((text) => /FATAL|PANIC|ERROR/.test(text))
    .at(-1)
  return `The server did not recover: ${line ?? log.trim().split('\n').at(-1) ?? 'it said nothing'}`
}
