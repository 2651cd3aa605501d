import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { takeDataFolder, writeAtomically } from './data-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'tradepost-folder-'))
after(() => rmSync(root, { recursive: true }))

test('a folder is taken by one process at a time, and free when it lets go', () => {
  const path = join(root, 'one')
  const folder = takeDataFolder(path)
  assert.equal(folder.isNew, true)
  assert.throws(() => takeDataFolder(path), {
    name: 'CannotStart',
    message: new RegExp(`in use by another running Tradepost \\(process ${process.pid}\\)`),
  })
  folder.release()
  const again = takeDataFolder(path)
  assert.equal(again.isNew, false)
  again.release()
  assert.deepEqual(readdirSync(path), ['format.json'])
})

test('a lock of a process that is gone is no lock, nor is one whose id was given out again', () => {
  const path = join(root, 'stale')
  takeDataFolder(path).release()
  for (const lock of [
    JSON.stringify({ pid: 999_999_999, mark: '1' }),
    JSON.stringify({ pid: process.pid, mark: 'of an earlier process' }),
    'half a li',
    '',
  ]) {
    writeFileSync(join(path, 'lock'), lock)
    takeDataFolder(path).release()
  }
})

test('of several processes that find a stale lock, exactly one takes the folder', async () => {
  const path = join(root, 'race')
  takeDataFolder(path).release()
  writeFileSync(join(path, 'lock'), JSON.stringify({ pid: 999_999_999, mark: '1' }))
  const module = JSON.stringify(join(import.meta.dirname, 'data-folder.ts'))
  const program = `
    const { takeDataFolder } = await import(${module})
    try { takeDataFolder(${JSON.stringify(path)}); console.log('taken') } catch { console.log('refused') }
    process.stdin.resume()`
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  // The process that has taken it holds it until all have tried.
  const words = await Promise.all(
    children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()),
  )
  for (const child of children) child.stdin.end()
  await Promise.all(children.map((child) => once(child, 'exit')))
  assert.deepEqual(words.sort(), ['refused', 'refused', 'refused', 'taken'])
})

test('a folder that cannot be made is reported in a sentence', () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  assert.throws(() => takeDataFolder(join(file, 'below')), {
    name: 'CannotStart',
    message: /^DATA_DIR .* cannot be made/,
  })
})

test('a file is written whole and for its owner alone', () => {
  const path = join(root, 'secret')
  writeAtomically(path, 'one')
  writeAtomically(path, 'two')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(
    readdirSync(root).filter((name) => name.startsWith('secret')),
    ['secret'],
  )
})
