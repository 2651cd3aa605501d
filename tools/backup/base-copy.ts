// A copy of the files of a running server. By the server's own pg_basebackup where it is on the PATH, over
// the replication protocol; else, on the same machine, as PostgreSQL's manual describes a low-level backup:
// pg_backup_start, the files as they are, pg_backup_stop, and the log between the two.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { CannotStart } from '../../apps/server/src/infra/process/cannot-start.ts'
import { whenEnded } from '../../apps/server/src/infra/process/processes.ts'
import type { Source } from './database.ts'
import {
  type CopiedFile,
  type Copy,
  type CopyFolder,
  type Manifest,
  namedWhereFull,
  writeManifest,
} from './folder.ts'

export interface CopyOptions {
  readonly keyIds: readonly string[]
  readonly signal: AbortSignal
  readonly onBytes: (bytes: number) => void
}

/** A whole copy or none: it gets its name when it is whole. */
export async function copyBase(
  source: Source,
  folder: CopyFolder,
  options: CopyOptions,
): Promise<Copy> {
  const draft = join(folder.base, `.new-${process.pid}`)
  mkdirSync(join(draft, 'data'), { recursive: true, mode: 0o700 })
  try {
    const startedAt = new Date()
    const copied = (await hasBaseBackup(source.major))
      ? await copyByServer(source, join(draft, 'data'), options)
      : await copyByFiles(source, join(draft, 'data'), options)
    const files = await listFiles(join(draft, 'data'), options.signal)
    const { postgres, systemIdentifier, segmentBytes, database, owner } = source
    const about: Omit<Manifest, 'format'> = {
      ...{ startedAt: startedAt.toISOString(), finishedAt: copied.finishedAt.toISOString() },
      ...{ way: copied.way, postgres, systemIdentifier, segmentBytes, database, owner },
      ...{ leastSettings: source.leastSettings, migrations: source.migrations },
      ...{ timeline: Number.parseInt(copied.firstSegment.slice(0, 8), 16) },
      ...{ firstSegment: copied.firstSegment, lastSegment: copied.lastSegment },
      keyIds: options.keyIds,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      files,
    }
    const manifest = writeManifest(draft, about)
    const name = startedAt
      .toISOString()
      .replaceAll(':', '-')
      .replace(/[.]\d+/, '')
    if (existsSync(join(folder.base, name)))
      throw new CannotStart(`There is a copy ${name} already.`)
    renameSync(draft, join(folder.base, name))
    return { name, folder: join(folder.base, name), manifest }
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw namedWhereFull(error, folder.path)
  }
}

interface Copied {
  readonly way: Manifest['way']
  readonly firstSegment: string
  readonly lastSegment: string
  /** By the server's clock. */
  readonly finishedAt: Date
}

// ---------------------------------------------------------------- by the server's program

const run = promisify(execFile)

/** Of the server's own major version. */
async function hasBaseBackup(major: number): Promise<boolean> {
  try {
    const { stdout } = await run('pg_basebackup', ['--version'])
    return new RegExp(`\\b${major}[.]`).test(stdout)
  } catch {
    return false
  }
}

async function copyByServer(
  { url, client }: Source,
  data: string,
  { signal }: CopyOptions,
): Promise<Copied> {
  const { hostname, port, username, password, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  const child = spawn(
    'pg_basebackup',
    [
      ...['--pgdata', data, '--wal-method', 'stream', '--checkpoint', 'fast', '--no-password'],
      ...['--host', decodeURIComponent(host), '--username', decodeURIComponent(username)],
      ...(port ? ['--port', port] : []),
    ],
    {
      env: { PATH: process.env.PATH, PGPASSWORD: decodeURIComponent(password) },
      stdio: ['ignore', 'ignore', 'pipe'],
      signal,
    },
  )
  const said = await endOf(child)
  if (said !== null) throw new CannotStart(`pg_basebackup failed: ${said}`)
  const label = /START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/.exec(
    readFileSync(join(data, 'backup_label'), 'utf8'),
  )
  const segments = readdirSync(join(data, 'pg_wal')).filter(isSegment).sort()
  return {
    way: 'pg_basebackup',
    firstSegment: label?.[1] ?? segments[0] ?? '',
    lastSegment: segments.at(-1) ?? '',
    finishedAt: await serverTime(client),
  }
}

/** Null when it ended well; else its last line. */
async function endOf(child: ChildProcess): Promise<string | null> {
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr = (stderr + String(chunk)).slice(-4000)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    whenEnded(child, resolve)
  })
  return code === 0 ? null : (stderr.trim().split('\n').at(-1) ?? `exit code ${code}`)
}

// ---------------------------------------------------------------- by the files

async function copyByFiles(
  { client, dataFolder, major }: Source,
  data: string,
  { signal, onBytes }: CopyOptions,
): Promise<Copied> {
  if (dataFolder === null) {
    throw new CannotStart(
      `The database is not on this machine, or its files are closed to this user, and no pg_basebackup of ` +
        `PostgreSQL ${major} is on the PATH: install postgresql-client-${major}, and give the role the ` +
        'attribute REPLICATION.',
    )
  }
  const ask = async (text: string, values: readonly unknown[] = []): Promise<string> => {
    const { rows } = await client.query<{ value: string }>(text, [...values])
    return rows[0]?.value ?? ''
  }
  // The slot keeps the log of the time of the copy; it and the backup end with this session.
  await ask(`select (pg_create_physical_replication_slot($1, true, true)).slot_name::text value`, [
    `tradepost_backup_${process.pid}`,
  ])
  const firstSegment = await ask(`select pg_walfile_name(pg_backup_start('tradepost', true)) value`)
  let bytes = 0
  const onFile = (size: number): void => {
    bytes += size
    onBytes(bytes)
  }
  await copyTree(dataFolder, data, { signal, onFile })
  const { rows } = await client.query<{ segment: string; label: string; at: Date }>(
    `select pg_walfile_name(lsn) segment, labelfile label, clock_timestamp() at from pg_backup_stop(false)`,
  )
  const stopped = rows[0]
  if (!stopped) throw new CannotStart('The server did not end the backup.')
  writeFileSync(join(data, 'backup_label'), stopped.label, { mode: 0o600 })
  copyLog(join(dataFolder, 'pg_wal'), join(data, 'pg_wal'), {
    from: firstSegment,
    to: stopped.segment,
  })
  return { way: 'files', firstSegment, lastSegment: stopped.segment, finishedAt: stopped.at }
}

/** Made anew by the next server, or of no use to it. The folders themselves stay. */
const EMPTY_FOLDERS = new Set([
  ...['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots'],
  ...['pg_stat_tmp', 'pg_subtrans'],
])
const LEFT_OUT =
  /^(postmaster[.](pid|opts)|current_logfiles.*|pg_internal[.]init.*|pgsql_tmp.*|t\d+_.*)$/

async function copyTree(
  from: string,
  to: string,
  options: { readonly signal: AbortSignal; readonly onFile: (bytes: number) => void },
  isTop = true,
): Promise<void> {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    options.signal.throwIfAborted()
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    const isFolder = entry.isDirectory() || (isTop && entry.name === 'pg_wal')
    if (isFolder) {
      mkdirSync(target, { mode: 0o700 })
      if (!(isTop && EMPTY_FOLDERS.has(entry.name))) await copyTree(source, target, options, false)
    } else if (entry.isFile() && !LEFT_OUT.test(entry.name)) {
      options.onFile(await copyFile(source, target))
    }
  }
}

/** Its bytes. A file that was dropped meanwhile is none: the log says so, too. */
async function copyFile(from: string, to: string): Promise<number> {
  const writing = createWriteStream(to, { mode: 0o600 })
  try {
    await pipeline(createReadStream(from), writing)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    rmSync(to, { force: true })
    return 0
  }
  return writing.bytesWritten
}

function copyLog(from: string, to: string, range: { from: string; to: string }): void {
  mkdirSync(join(to, 'archive_status'), { recursive: true, mode: 0o700 })
  for (const name of readdirSync(from)) {
    const isOfRange = isSegment(name) && name >= range.from && name <= range.to
    if (!isOfRange && !/^[0-9A-F]{8}[.]history$/.test(name)) continue
    copyFileSync(join(from, name), join(to, name))
    chmodSync(join(to, name), 0o600)
  }
}

const isSegment = (name: string): boolean => /^[0-9A-F]{24}$/.test(name)

async function serverTime(client: Source['client']): Promise<Date> {
  const { rows } = await client.query<{ at: Date }>('select clock_timestamp() at')
  return rows[0]?.at ?? new Date()
}

// ---------------------------------------------------------------- checksums

/** All files below a folder with their checksums, by name. */
export async function listFiles(folder: string, signal: AbortSignal): Promise<CopiedFile[]> {
  const files: CopiedFile[] = []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((found) => found.isFile())) {
    signal.throwIfAborted()
    const path = join(entry.parentPath, entry.name)
    files.push({ path: relative(folder, path), ...(await checksum(path)) })
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function checksum(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  return { bytes, sha256: hash.digest('hex') }
}
