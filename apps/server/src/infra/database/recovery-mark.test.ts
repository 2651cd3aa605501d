import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, it } from 'node:test'
import { type EmbeddedPostgres, startPostgres } from '../../../embedded-postgres/postgres.ts'
import { systemClock } from '../process/clock.ts'
import { manualClock } from '../testing/clock.ts'
import { until } from '../testing/until.ts'
import { type Db, openDb } from './db.ts'
import { migrate } from './migrations.ts'
import { createMarkReader, type MarkFile, openRecoveryMark, readHistory } from './recovery-mark.ts'

let folder: string
let postgres: EmbeddedPostgres
let db: Db

const data = (name = 'postgres'): string => join(folder, name)
const start = async (): Promise<void> => {
  postgres = await startPostgres({ folder: data(), sharedBuffersMb: 16 })
  db = openDb({ url: postgres.url, poolSize: 2 })
}
const stop = async (): Promise<void> => {
  await db.close()
  await postgres.stop()
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-mark-'))
  await start()
  await migrate(postgres.url)
})
after(async () => {
  await stop()
  rmSync(folder, { recursive: true, force: true })
})

function memoryFile(text: string | null = null): MarkFile & { text: string | null } {
  const file = {
    text,
    read: () => file.text,
    write: (next: string) => {
      file.text = next
    },
  }
  return file
}
const open = (file: MarkFile) => openRecoveryMark({ db, clock: systemClock, file })

it('a mark is known from the first one on, also to the next process with its file', async () => {
  const file = memoryFile()
  const mark = open(file)
  assert.equal(await mark.isKnown(db), true, 'none yet')
  for (let n = 0; n < 10; n++) {
    const previous = file.text
    await mark.advance()
    assert.equal(await mark.isKnown(db), true)
    assert.equal(await open(file).isKnown(db), true)
    // The last write was lost with the machine.
    assert.equal(await open(memoryFile(previous)).isKnown(db), true)
  }
  const other = open(file)
  await other.advance()
  await mark.advance()
  assert.equal(await other.isKnown(db), true, 'two processes share a file')
})

it('one who reads the mark alone knows it, and a lost one no more until it is replaced', async () => {
  const file = memoryFile()
  const clock = manualClock()
  let unknown = 0
  const isKnown = createMarkReader({ ...{ db, clock, file }, onUnknown: () => unknown++ })
  const next = (): Promise<boolean> => {
    clock.advance(1000)
    return isKnown()
  }
  assert.equal(await next(), true, 'none yet')
  const mark = open(file)
  for (let n = 0; n < 5; n++) {
    await mark.advance()
    assert.equal(await next(), true)
  }
  file.text = `${randomUUID()}\n`
  assert.equal(await next(), false)
  assert.equal(await next(), false)
  assert.equal(unknown, 1)
  await mark.advance()
  assert.equal(await next(), true)
})

it('a copy that is older than the mark does not know it, and has the same history', async () => {
  const file = memoryFile()
  const mark = open(file)
  await mark.advance()
  const history = await readHistory(db)
  await stop()
  execFileSync('cp', ['-a', data(), data('copy')])
  await start()
  await open(file).advance()
  assert.equal(await readHistory(db), history, 'a restart changes nothing')
  await stop()
  rmSync(data(), { recursive: true })
  execFileSync('mv', [data('copy'), data()])
  await start()
  const restored = open(file)
  assert.equal(await restored.isKnown(db), false)
  assert.equal(await readHistory(db), history)
  await restored.advance()
  assert.equal(await restored.isKnown(db), true)
})

it('a point-in-time recovery, as a promotion, begins another history', async () => {
  const before = await readHistory(db)
  await stop()
  const [version = ''] = globSync('**/PG_VERSION', { cwd: data() }).sort(
    (a, b) => a.length - b.length,
  )
  const cluster = join(data(), dirname(version))
  writeFileSync(join(cluster, 'recovery.signal'), '')
  appendFileSync(join(cluster, 'postgresql.auto.conf'), "\nrestore_command = '/bin/false'\n")
  await start()
  // Reads are served before the recovery has ended.
  const after = await until('the recovery has ended', () => readHistory(db).catch(() => null), {
    deadlineMs: 20_000,
    everyMs: 50,
  })
  assert.notEqual(after, before)
  assert.equal(after.split('/')[0], before.split('/')[0], 'the same cluster')
})
