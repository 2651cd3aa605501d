import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findBinaries, linkLibraries } from './postgres-binaries.ts'

const folder = mkdtempSync(join(tmpdir(), 'tradepost-binaries-'))
after(() => rmSync(folder, { recursive: true }))

test('links that the installation did not make are made, and only beside their library', () => {
  mkdirSync(join(folder, 'native/lib'), { recursive: true })
  writeFileSync(join(folder, 'native/lib/libx.so.1.2'), '')
  writeFileSync(
    join(folder, 'native/pg-symlinks.json'),
    JSON.stringify([
      { source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' },
      { source: 'native/lib/libx.so.1.2', target: '../outside' },
    ]),
  )
  for (let i = 0; i < 2; i++) linkLibraries(folder)
  assert.equal(readlinkSync(join(folder, 'native/lib/libx.so.1')), 'libx.so.1.2')
  assert.throws(() => readlinkSync(join(folder, '../outside')))
})

test('the programs for this machine are found', async () => {
  const { initdb, postgres } = await findBinaries()
  assert.match(initdb, /initdb$/)
  assert.match(postgres, /postgres$/)
})
