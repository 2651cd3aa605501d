import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { keepSeconds, longestFirst, readSeconds } from './order.ts'

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-order-'))
})
after(() => rmSync(folder, { recursive: true }))

it('the file that took longest before comes first', () => {
  const seconds = { 'tools/options.test.ts': 3, 'tools/walls.test.ts': 9, 'tools/test.test.ts': 1 }
  assert.deepEqual(longestFirst(Object.keys(seconds), seconds), [
    'tools/walls.test.ts',
    'tools/options.test.ts',
    'tools/test.test.ts',
  ])
})

it('of files that never ran, whole installations come first, then databases, then the rest', () => {
  const files = ['tools/options.test.ts', 'tools/audit.db.test.ts', 'tests/e2e/cancel.test.ts']
  process.chdir(join(import.meta.dirname, '../..'))
  assert.deepEqual(longestFirst(files, {}), files.toReversed())
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
