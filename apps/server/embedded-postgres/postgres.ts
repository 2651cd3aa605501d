// A real PostgreSQL 18 under the data folder, for the first start on a fresh machine, for development and
// for tests. Its programs come from npm. It answers on the loopback address only, with a random password
// kept in a file of mode 600. It survives everything that a machine does to it: whatever was left behind
// by a killed process is found and put right at the next start.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { CannotStart } from '../src/infra/process/cannot-start.ts'
import { findFreePort, isFreePort } from '../src/infra/process/ports.ts'
import { signal, waitForEnd, whenEnded } from '../src/infra/process/processes.ts'
import {
  type Access,
  DATABASE,
  isServerOf,
  readAccess,
  readServerPid,
  urlOf,
  writeAccess,
} from './postgres-access.ts'
import { findBinaries, type PostgresBinaries } from './postgres-binaries.ts'
import { choosePostgresUser, chownTree, commandAs, type PostgresUser } from './postgres-user.ts'

export interface EmbeddedPostgres {
  /** Of the database `tradepost`. */
  readonly url: string
  readonly port: number
  readonly dataFolder: string
  urlOf(database: string): string
  /** The process id of the server as it runs now; another one after a crash. */
  pid(): number
  /** Fast shutdown: open transactions are rolled back, everything is written, then it ends. */
  stop(): Promise<void>
  /** Signals it to stop without waiting, for a process that ends at this moment. */
  abandon(): void
}

export interface EmbeddedPostgresOptions {
  /** Everything of this server is kept below. */
  readonly folder: string
  readonly maxConnections?: number
  readonly sharedBuffersMb?: number
  /**
   * False where the data is worth nothing once the machine has died: nothing waits for the disk. What a
   * killed server has committed is there all the same.
   */
  readonly isDurable?: boolean
  /** A line for people: `creating the database`. */
  readonly onProgress?: (step: string) => void
  /** The server ended by itself and is being started again. */
  readonly onCrash?: (detail: string) => void
}

const MAJOR_VERSION = '18'
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 30_000
const MAX_LOG_BYTES = 10_000_000

export { findRunningPostgres, listRunningFolders } from './postgres-access.ts'

export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const place = await prepare(options)
  let child = await launch(place, options)
  let stopping = false
  let restarting: Promise<void> = Promise.resolve()

  const watch = (): void => {
    whenEnded(child, (code, signalName) => {
      if (stopping) return
      options.onCrash?.(`PostgreSQL ended (${signalName ?? `exit code ${code}`})`)
      restarting = restart()
    })
  }
  const restart = async (): Promise<void> => {
    for (let delayMs = 100; !stopping; delayMs = Math.min(delayMs * 2, 5000)) {
      try {
        child = await launch(place, options)
        watch()
        return
      } catch (error) {
        options.onCrash?.(`PostgreSQL does not start again: ${(error as Error).message}`)
        await new Promise((resolve) => setTimeout(resolve, delayMs))
      }
    }
  }
  watch()
  await createDatabase(place)

  return {
    url: urlOf(place.access, DATABASE),
    port: place.access.port,
    dataFolder: place.data,
    urlOf: (database) => urlOf(place.access, database),
    pid: () => child.pid ?? -1,
    stop: async () => {
      stopping = true
      await restarting
      await shutDown(child)
    },
    abandon: () => {
      stopping = true
      child.kill('SIGINT')
    },
  }
}

/** Where one server lives and what is needed to run it. */
interface Place {
  readonly folder: string
  readonly data: string
  readonly logFile: string
  access: Access
  readonly binaries: PostgresBinaries
  readonly user: PostgresUser
}

async function prepare(options: EmbeddedPostgresOptions): Promise<Place> {
  const { folder } = options
  const binaries = await findBinaries()
  mkdirSync(join(folder, 'run'), { recursive: true })
  // Others may pass through, not look: the server runs as another user when we are root.
  chmodSync(folder, 0o711)
  const user = await choosePostgresUser(binaries.postgres, join(folder, 'run'))
  const place: Place = {
    folder,
    data: join(folder, 'data'),
    logFile: join(folder, 'postgres.log'),
    access: readAccess(folder) ?? { password: randomBytes(24).toString('base64url'), port: 0 },
    binaries,
    user,
  }
  await endOrphan(place)
  if (!existsSync(place.data)) await initialise(place, options)
  checkVersion(place)
  letArchiveBeSet(place)
  if (process.getuid?.() === 0) chownTree(place.data, user.owner)
  if (!(await isFreePort(place.access.port)))
    place.access = { ...place.access, port: await findFreePort() }
  writeAccess(place.folder, place.access)
  return place
}

/** A server that outlived the process which started it: it is ended, its folder is needed. */
async function endOrphan({ data, folder }: Place): Promise<void> {
  const pid = readServerPid(data)
  if (pid === null) return
  if (!isServerOf(pid, data)) {
    // The machine died with it. The id may be another program's by now, and PostgreSQL would take
    // that for a server of this folder and refuse to start.
    rmSync(join(data, 'postmaster.pid'), { force: true })
    return
  }
  signal(pid, 'SIGINT')
  if (await waitForEnd(pid, STOP_TIMEOUT_MS)) return
  signal(pid, 'SIGQUIT')
  if (await waitForEnd(pid, STOP_TIMEOUT_MS)) return
  throw new CannotStart(
    `A PostgreSQL that was left behind in ${folder} (process ${pid}) does not end.`,
  )
}

/** Made beside its place and moved there when it is whole: a killed initialisation leaves no half. */
async function initialise(place: Place, options: EmbeddedPostgresOptions): Promise<void> {
  options.onProgress?.('creating the database')
  const { folder, user, binaries, access } = place
  for (const name of readdirSync(folder)) {
    if (/^(data|password)\.new-/.test(name)) rmSync(join(folder, name), { recursive: true })
  }
  const suffix = randomBytes(4).toString('hex')
  const data = join(folder, `data.new-${suffix}`)
  const passwordFile = join(folder, `password.new-${suffix}`)
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, access.password, { mode: 0o600 })
  if (process.getuid?.() === 0) {
    for (const path of [data, passwordFile]) chownSync(path, user.owner.uid, user.owner.gid)
  }
  // The database and the password belong together: one is useless without the other.
  writeAccess(place.folder, place.access)
  const { file, args, ids } = commandAs(user, [
    binaries.initdb,
    ...['-D', data, '-U', DATABASE, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin'],
    ...['--builtin-locale', 'C.UTF-8', '--data-checksums', '--no-instructions'],
  ])
  try {
    await new Promise<void>((resolve, reject) => {
      execFile(file, args, { ...ids, env: environment() }, (error, _, stderr) => {
        if (!error) return resolve()
        reject(new CannotStart(`PostgreSQL could not create its files: ${lastLine(stderr)}`))
      })
    })
    renameSync(data, place.data)
  } finally {
    rmSync(passwordFile, { force: true })
    rmSync(data, { recursive: true, force: true })
  }
}

function checkVersion({ data }: Place): void {
  const file = join(data, 'PG_VERSION')
  if (!existsSync(file)) {
    throw new CannotStart(`${data} is no whole database: restore it, or choose another DATA_DIR.`)
  }
  const found = readFileSync(file, 'utf8').trim()
  if (found === MAJOR_VERSION) return
  throw new CannotStart(
    `The database in ${data} was written by PostgreSQL ${found}; this version of Tradepost brings ` +
      `PostgreSQL ${MAJOR_VERSION}. Start the version that wrote it, or choose another DATA_DIR.`,
  )
}

/**
 * The archive of the log can only be switched on at a start, so it always is; `npm run backup` then says
 * where to, in postgresql.auto.conf, which comes after this file. Until then nothing is kept.
 */
function letArchiveBeSet({ data }: Place): void {
  const file = join(data, 'postgresql.conf')
  if (/^archive_command/m.test(readFileSync(file, 'utf8'))) return
  appendFileSync(file, "archive_command = 'true'\n")
}

/** Starts the server and returns when it answers. */
async function launch(place: Place, options: EmbeddedPostgresOptions): Promise<ChildProcess> {
  const deadline = Date.now() + START_TIMEOUT_MS
  if (existsSync(place.logFile) && statSync(place.logFile).size > MAX_LOG_BYTES) {
    renameSync(place.logFile, `${place.logFile}.1`)
  }
  for (;;) {
    const logStart = existsSync(place.logFile) ? statSync(place.logFile).size : 0
    const child = spawnServer(place, options)
    if (await answers(place, child, deadline)) return child
    await shutDown(child)
    const reason = readLog(place).subarray(logStart).toString()
    // Processes of a killed server need a moment to notice that it is gone.
    const passing = /lock file .* already exists|pre-existing shared memory/.test(reason)
    if (!passing || Date.now() > deadline) {
      throw new CannotStart(
        `PostgreSQL does not start: ${lastLine(reason, /FATAL|PANIC|error/)} (see ${place.logFile})`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function spawnServer(place: Place, options: EmbeddedPostgresOptions): ChildProcess {
  const { file, args, ids } = commandAs(place.user, [
    place.binaries.postgres,
    ...['-D', place.data, '-p', String(place.access.port)],
    ...settings(options).flatMap((setting) => ['-c', setting]),
  ])
  const log = openSync(place.logFile, 'a', 0o600)
  try {
    // In a session of its own: Ctrl-C in a terminal must reach us, who stop it last, and not the
    // server while our requests are still being finished.
    const child = spawn(file, args, {
      ...ids,
      detached: true,
      stdio: ['ignore', log, log],
      env: environment(),
    })
    child.on('error', () => {})
    return child
  } finally {
    closeSync(log)
  }
}

/** Durable by default; sized for a small machine that runs the service beside it. */
function settings({
  maxConnections = 120,
  sharedBuffersMb = 256,
  isDurable = true,
}: EmbeddedPostgresOptions) {
  return [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${maxConnections}`,
    `fsync=${isDurable ? 'on' : 'off'}`,
    'synchronous_commit=on',
    'full_page_writes=on',
    `shared_buffers=${sharedBuffersMb}MB`,
    'effective_cache_size=1GB',
    'work_mem=8MB',
    'maintenance_work_mem=64MB',
    'archive_mode=on',
    'max_wal_size=2GB',
    'checkpoint_timeout=15min',
    'random_page_cost=1.1',
    // Both cores belong to many small statements. Parallel plans would also need /dev/shm, of which
    // containers have little.
    'max_parallel_workers_per_gather=0',
    'max_parallel_maintenance_workers=0',
    'jit=off',
    'autovacuum_naptime=15s',
    'log_timezone=UTC',
    'timezone=UTC',
    'log_line_prefix=%m [%p] ',
  ]
}

async function answers(place: Place, child: ChildProcess, deadline: number): Promise<boolean> {
  while (Date.now() < deadline && child.pid !== undefined && child.exitCode === null) {
    if (child.signalCode !== null) return false
    if (await canConnect(place)) return true
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return false
}

async function canConnect(place: Place): Promise<boolean> {
  const client = new pg.Client({
    connectionString: urlOf(place.access, 'postgres'),
    connectionTimeoutMillis: 5000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function createDatabase(place: Place): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(place.access, 'postgres') })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      DATABASE,
    ])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}

async function shutDown(child: ChildProcess): Promise<void> {
  const { pid } = child
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  for (const name of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    child.kill(name)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, STOP_TIMEOUT_MS, 'late')
    })
    const outcome = await Promise.race([ended, late])
    clearTimeout(timer)
    if (outcome !== 'late') return
  }
}

/** Nothing of our own surroundings, which may carry secrets or PG* variables, reaches the server. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
})

function readLog({ logFile }: Place): Buffer {
  return existsSync(logFile) ? readFileSync(logFile) : Buffer.alloc(0)
}

function lastLine(text: string, about = /\S/): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return (
    lines.filter((line) => about.test(line)).at(-1) ??
    lines.at(-1) ??
    'no reason given'
  ).trim()
}
