// Copies of a real database, restored: what comes back, and what is refused.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import pg from 'pg'
import {
  type EmbeddedPostgres,
  startPostgres,
} from '../../apps/server/embedded-postgres/postgres.ts'
import { readBackups } from '../../apps/server/src/infra/database/backups.ts'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import { type Exit, ROOT, startChild } from '../../tests/support/child.ts'
import { until } from '../../tests/support/until.ts'
import { archiveInto } from './archive.ts'
import { copyBase } from './base-copy.ts'
import { openSource } from './database.ts'
import { copyFolderAt, listArchived, listCopies, type Manifest, openForWriting } from './folder.ts'

const KEY = randomBytes(32).toString('hex')
let folder: string
let postgres: EmbeddedPostgres
let client: pg.Client
const copies = (): string => join(folder, 'copies')

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-backup-test-'))
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data/secrets.key'), `${KEY}\n`)
  postgres = await startPostgres({ folder: join(folder, 'data/postgres'), sharedBuffersMb: 32 })
  await migrate(postgres.url)
  client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query('create table public.mark (name text)')
})
after(async () => {
  await client.end()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Ended extends Exit {
  readonly stdout: string
  readonly stderr: string
}

async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const program = join(ROOT, `tools/backup/${command}.ts`)
  const child = startChild(program, args, { DATA_DIR: join(folder, 'data'), ...env })
  return { ...(await child.exited), stdout: child.stdout(), stderr: child.stderr() }
}

async function ok(command: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(command, args)
  assert.equal(code, 0, stderr)
  return stdout
}

async function refused(
  args: readonly string[],
  env: Readonly<Record<string, string>> = { SECRETS_KEY: KEY },
): Promise<string> {
  const target = join(folder, 'refused')
  const { code, stderr } = await run(
    'restore',
    ['--from', copies(), '--data', target, ...args],
    env,
  )
  assert.equal(code, 1, stderr)
  assert.throws(() => readdirSync(target), 'nothing is left')
  return stderr
}

const mark = (name: string) => client.query('insert into public.mark values ($1)', [name])
/** Segments are archived in their order. */
async function archiveAll(): Promise<void> {
  const { rows } = await client.query<{ segment: string }>(
    'select pg_walfile_name(pg_switch_wal()) segment',
  )
  await until('the log is archived', async () =>
    listArchived(copyFolderAt(copies())).some(({ segment }) => segment === rows[0]?.segment),
  )
}
async function serverTime(): Promise<string> {
  const { rows } = await client.query<{ at: Date }>('select clock_timestamp() at')
  const at = assertRow(rows).at
  // It has lost its microseconds: after what came before, and before what comes next.
  const next = new Date(at.getTime() + 1)
  await until('the clock goes on', async () => Date.now() > next.getTime())
  return next.toISOString()
}
const assertRow = <Row>([row]: readonly Row[]): Row => {
  assert.ok(row)
  return row
}

/** What a service finds that is started on the folder. */
async function marksOf(name: string): Promise<{ marks: string[]; timeline: number }> {
  const restored = await startPostgres({
    folder: join(folder, name, 'postgres'),
    sharedBuffersMb: 32,
  })
  const reader = new pg.Client({ connectionString: restored.url })
  try {
    await reader.connect()
    const { rows } = await reader.query<{ name: string }>('select name from public.mark order by 1')
    const { rows: history } = await reader.query<{ timeline: number }>(
      "select ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int timeline",
    )
    return { marks: rows.map((row) => row.name), timeline: assertRow(history).timeline }
  } finally {
    await reader.end()
    await restored.stop()
  }
}

const restore = (name: string, ...args: string[]) =>
  ok('restore', [
    ...['--from', copies(), '--data', join(folder, name)],
    ...['--secrets-key-file', join(folder, 'data/secrets.key'), ...args],
  ])

it('a copy and the log behind it lead to any moment since, on a new timeline', async () => {
  await mark('before the copy')
  await ok('copy', ['--to', copies()])
  await mark('after the copy')
  const at = await serverTime()
  await mark('too late')
  await archiveAll()

  await restore('latest', '--to', 'latest')
  assert.deepEqual(await marksOf('latest'), {
    marks: ['after the copy', 'before the copy', 'too late'],
    timeline: 2,
  })
  await restore('moment', '--at', at)
  assert.deepEqual((await marksOf('moment')).marks, ['after the copy', 'before the copy'])
  assert.equal(readFileSync(join(folder, 'moment/secrets.key'), 'utf8'), `${KEY}\n`)
})

it('a copy holds no secret that the database does not hold', () => {
  const { password } = JSON.parse(
    readFileSync(join(folder, 'data/postgres/access.json'), 'utf8'),
  ) as { password: string }
  const copy = assertRow(listCopies(copyFolderAt(copies())))
  const text = readFileSync(join(copy.folder, 'manifest.json'), 'utf8')
  for (const secret of [password, KEY]) assert.ok(!text.includes(secret))
  const files = copy.manifest.files.map(({ path }) => path)
  assert.ok(!files.some((path) => /access[.]json|secrets[.]key|recovery-mark|intents/.test(path)))
})

it('a copy is restored and audited apart, and the service knows when', async () => {
  assert.match(await ok('verify', ['--from', copies()]), /restored, and the books are right, in/)
  await ok('copy', ['--to', copies(), '--keep', '2'])
  assert.match(
    await ok('list', ['--from', copies()]),
    /RESTORABLE UNTIL[\s\S]+Last restored and audited/,
  )
  const db = openDb({ url: postgres.url, poolSize: 1, applicationName: 'test' })
  try {
    const { takenAt, rehearsedAt, isArchiveFailing } = await readBackups(db)
    assert.ok(takenAt && rehearsedAt && rehearsedAt < takenAt)
    assert.equal(isArchiveFailing, false)
  } finally {
    await db.close()
  }
})

it('only the newest copies are kept when a number is given, and the log that they need', async () => {
  await ok('copy', ['--to', copies(), '--keep', '1'])
  const [copy, second] = listCopies(copyFolderAt(copies()))
  assert.ok(copy && !second)
  const archived = listArchived(copyFolderAt(copies()))
  assert.ok(archived.every(({ segment }) => segment >= copy.manifest.firstSegment))
})

it('a restore that cannot be right is refused in a sentence, and leaves nothing', async () => {
  assert.match(
    await refused(['--at', '2020-01-01T00:00:00Z']),
    /The first copy is of 20.*before it/,
  )
  assert.match(await refused(['--at', '2090-01-01T00:00:00Z']), /The log ends before 2090/)
  assert.match(
    await refused(['--to', 'latest'], {}),
    /sealed with the key [0-9a-f]{8}: set SECRETS_KEY/,
  )
  const other = { SECRETS_KEY: randomBytes(32).toString('hex') }
  assert.match(await refused(['--to', 'latest'], other), /SECRETS_KEY is another key/)
  const { code, stderr } = await run('restore', [
    ...['--from', copies(), '--data', join(folder, 'latest'), '--to', 'latest'],
  ])
  assert.equal(code, 1)
  assert.match(stderr, /latest is not empty/)
})

/** In a mount namespace of its own, on a disk of that size; what it leaves there is on stdout. */
function onSmallDisk(
  size: string,
  command: string,
  argsOn: (disk: string) => readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const disk = mkdtempSync(join(folder, 'disk-'))
  const script =
    'mount -t tmpfs -o size=$0 none "$1" || exit 2; cd "$1"; shift; "$@"; code=$?; find . -type f; exit $code'
  const program = join(ROOT, `tools/backup/${command}.ts`)
  return spawnSync(
    'unshare',
    ['-m', 'sh', '-c', script, size, disk, process.execPath, program, ...argsOn(disk)],
    { encoding: 'utf8', env: { ...process.env, DATA_DIR: join(folder, 'data'), ...env } },
  )
}

const noMounts =
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status !== 0 &&
  'a disk of its own cannot be mounted here'

it('a full disk is named in a sentence, and nothing is left on it', { skip: noMounts }, () => {
  const copying = onSmallDisk('4m', 'copy', (disk) => ['--to', disk], {
    DATABASE_URL: postgres.url,
  })
  const restoring = onSmallDisk(
    '4m',
    'restore',
    (disk) => ['--from', copies(), '--data', join(disk, 'data'), '--to', 'latest'],
    { SECRETS_KEY: KEY },
  )
  for (const { status, stdout, stderr } of [copying, restoring]) {
    assert.equal(status, 1, stderr)
    assert.match(stderr, /\nThe disk of \S+ is full: nothing was kept\.\n$/)
    assert.equal(stdout, '')
  }
})

it('a copy of a newer release is refused', async () => {
  const manifest = assertRow(listCopies(copyFolderAt(copies())))
  const file = join(manifest.folder, 'manifest.json')
  const text = readFileSync(file, 'utf8')
  const newer = JSON.parse(text) as Manifest
  const migrations = [...newer.migrations, { name: '9999_later', sha256: 'x', bears: 'none' }]
  writeFileSync(file, JSON.stringify({ ...newer, migrations }))
  try {
    assert.match(await refused(['--to', 'latest']), /9999_later/)
  } finally {
    writeFileSync(file, text)
  }
})

it('a copy with a damaged file is found, and not restored', async () => {
  const copy = assertRow(listCopies(copyFolderAt(copies())))
  const file = join(copy.folder, 'data/PG_VERSION')
  writeFileSync(file, '17\n')
  try {
    assert.match(await refused(['--to', 'latest']), /1 files? .*first PG_VERSION/)
  } finally {
    writeFileSync(file, '18\n')
  }
})

it('a missing segment of the log is named, and the time before it is still reached', async () => {
  const at = await serverTime()
  for (const name of ['one', 'two', 'three']) {
    await mark(name)
    await archiveAll()
  }
  const segments = listArchived(copyFolderAt(copies())).map(({ segment }) => segment)
  const missing = segments.at(-2)
  rmSync(join(copies(), 'wal', `${missing}.gz`))
  assert.match(await refused(['--to', 'latest']), new RegExp(`The segment ${missing} .* missing`))
  await restore('gap', '--at', at)
})

it('a copy that is interrupted leaves nothing behind', async () => {
  const source = await openSource(postgres.url)
  const target = openForWriting(join(folder, 'interrupted'))
  const stop = new AbortController()
  try {
    const copying = copyBase(source, target, {
      keyIds: [],
      signal: stop.signal,
      onBytes: () => stop.abort(),
    })
    await assert.rejects(copying, { name: 'AbortError' })
  } finally {
    await source.client.end()
  }
  assert.deepEqual(readdirSync(target.base), [])
})

it('a database that goes away meanwhile is named in a sentence, and no copy is left', async () => {
  const target = join(folder, 'cut')
  const copying = run('copy', ['--to', target])
  await until('the copy is connected, and its connection ended', async () => {
    const { rows } = await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tradepost-backup'",
    )
    return rows.length > 0
  })
  const { code, stderr } = await copying
  assert.equal(code, 1, stderr)
  assert.match(stderr, /The database (ended the connection|does not answer): [^\n]+\.\n?$/)
  assert.deepEqual(readdirSync(join(target, 'base')), [])
})

it('an archive that moves says so, and goes back where its copy fails', async () => {
  const archive = async (): Promise<string> => {
    const { rows } = await client.query<{ command: string }>(
      "select current_setting('archive_command') command",
    )
    return assertRow(rows).command
  }
  const before = await archive()
  const source = await openSource(postgres.url)
  try {
    const archiving = await archiveInto(source, openForWriting(join(folder, 'elsewhere')))
    assert.equal(archiving.isMoved, true)
    assert.match(await archive(), /elsewhere/)
    await archiving.undo()
    await until('the setting is read again', async () => (await archive()) === before)
  } finally {
    await source.client.end()
  }
})
