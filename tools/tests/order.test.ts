import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { batchesOf, keepSeconds, readSeconds, recordSeconds } from './order.ts'

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-order-'))
})
after(() => rmSync(folder, { recursive: true }))

const server = (name: string): string => `apps/server/src/modules/money/${name}.test.ts`

it('the file that took longest before comes first', () => {
  const seconds = {
    'tests/e2e/a.test.ts': 30,
    'tests/e2e/b.test.ts': 90,
    'tests/e2e/c.test.ts': 60,
  }
  const batches = batchesOf(Object.keys(seconds), seconds, () => false)
  assert.deepEqual(batches.flat(), [
    'tests/e2e/b.test.ts',
    'tests/e2e/c.test.ts',
    'tests/e2e/a.test.ts',
  ])
})

it('of files that never ran, whole installations come first, then databases, then the rest', () => {
  const files = [
    'packages/sdk/src/amount.test.ts',
    'tools/audit.db.test.ts',
    'tests/e2e/cancel.test.ts',
  ]
  process.chdir(join(import.meta.dirname, '../..'))
  assert.deepEqual(
    batchesOf(files, {}),
    files.toReversed().map((path) => [path]),
  )
})

it('files that share an installation share a process, however long they take', () => {
  const sharing = ['tests/e2e/a.test.ts', 'tests/live/b.test.ts']
  const own = 'tests/e2e/c.test.ts'
  const files = [own, ...sharing]
  const seconds = Object.fromEntries(files.map((path) => [path, 50]))
  const batches = batchesOf(files, seconds, (path) => sharing.includes(path))
  assert.deepEqual(batches, [sharing, [own]])
})

it('files of one part share a process until it takes too long', () => {
  const files = [server('a'), server('b'), 'packages/sdk/src/c.test.ts', server('d'), server('e')]
  const seconds = Object.fromEntries(files.map((path) => [path, 20]))
  assert.deepEqual(batchesOf(files, seconds), [
    [server('a'), server('b'), server('d')],
    ['packages/sdk/src/c.test.ts'],
    [server('e')],
  ])
})

it('a long file has a process of its own', () => {
  const files = [
    server('a'),
    server('b'),
    server('c'),
    'tests/e2e/d.test.ts',
    'tests/e2e/e.test.ts',
  ]
  const seconds = Object.fromEntries(files.map((path) => [path, 2]))
  const batches = batchesOf(files, { ...seconds, [server('b')]: 21 }, () => false)
  assert.deepEqual(batches, [
    [server('b')],
    [server('a'), server('c')],
    ['tests/e2e/d.test.ts', 'tests/e2e/e.test.ts'],
  ])
})

it('what is known is kept beside what a run of a few files adds', () => {
  const path = join(folder, 'deep/seconds.json')
  assert.deepEqual(readSeconds(path), {})
  keepSeconds(path, { a: 1, b: 2 })
  keepSeconds(path, { b: 3 })
  assert.deepEqual(readSeconds(path), { a: 1, b: 3 })
  writeFileSync(path, '{"a":')
  assert.deepEqual(readSeconds(path), {})
})

it('the record names files that exist and take long or start installations, in whole seconds, in order', () => {
  const path = join(folder, 'record.json')
  mkdirSync(join(folder, 'tests'))
  for (const name of ['b.test.ts', 'a.test.ts', 'short.test.ts', 'tests/c.test.ts']) {
    writeFileSync(join(folder, name), '')
  }
  recordSeconds(folder, path, { 'b.test.ts': 90.4, 'a.test.ts': 10, 'gone.test.ts': 50 })
  assert.equal(readFileSync(path, 'utf8'), '{\n  "a.test.ts": 10,\n  "b.test.ts": 90\n}\n')
  recordSeconds(folder, path, { 'a.test.ts': 9, 'short.test.ts': 1, 'tests/c.test.ts': 0.2 })
  assert.deepEqual(readSeconds(path), { 'b.test.ts': 90, 'tests/c.test.ts': 1 })
})
