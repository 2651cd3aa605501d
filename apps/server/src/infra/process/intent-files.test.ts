import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, it } from 'node:test'
import { type ManualClock, manualClock } from '../testing/clock.ts'
import { type Intent, type IntentFilesOptions, openIntentFiles } from './intent-files.ts'

const SYSTEM = '7570000000000000001'
const DAY_MS = 24 * 3_600_000

let parent: string
let folder: string
let clock: ManualClock
let monotonicMs: number

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tradepost-intent-files-'))
  folder = join(parent, 'intents')
  clock = manualClock(new Date())
  monotonicMs = 1000
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

const open = (processId = 'one', options: Partial<IntentFilesOptions> = {}) =>
  openIntentFiles({
    ...{ folder, processId, system: SYSTEM, clock, monotonicMs: () => monotonicMs },
    ...options,
  })
const order = (item: number, gate = 'market_a'): Intent => ({ gate, kind: 'order', item })
const paths = (): string[] => readdirSync(folder).map((name) => join(folder, name))
const itemsOf = (intents: readonly Intent[] | null) => intents?.map(({ item }) => item)

it('what was appended is read back from the moment that is asked for', () => {
  const files = open()
  files.append(order(1))
  monotonicMs += 1000
  files.append(order(2))
  assert.deepEqual(itemsOf(files.readSince(0)), [1, 2])
  assert.deepEqual(itemsOf(files.readSince(1500)), [2])
})

it('a clock that is set back hides nothing', () => {
  const files = open()
  files.append(order(1))
  clock.advance(-3 * DAY_MS)
  monotonicMs += 1000
  files.append(order(2))
  assert.deepEqual(itemsOf(files.readSince(0)), [1, 2])
  assert.deepEqual(itemsOf(files.readSince(2000)), [2])
})

it('a line is in the file when append returns, readable by its owner alone', () => {
  open().append(order(1))
  const [path = ''] = paths()
  assert.match(readFileSync(path, 'utf8'), /"item":1/)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
})

it('processes that share a folder have a file each, also with one id and in one millisecond', () => {
  const [one, other] = [open('one'), open('other')]
  one.append(order(1))
  other.append(order(2, 'bots'))
  assert.equal(paths().length, 2)
  assert.deepEqual(itemsOf(one.readSince(0)), [1])
  assert.deepEqual(one.readOther('other')?.gates, new Set(['bots']))
  assert.equal(one.readOther('unknown'), null)
})

it('a last line without its end is left out', () => {
  open('killed').append(order(1))
  const [path = ''] = paths()
  appendFileSync(path, '0badc0de {"n":2,"inte')
  assert.deepEqual(open().readOther('killed')?.gates, new Set(['market_a']))
})

for (const [what, damage] of [
  [
    'a changed line',
    (path: string) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace('"item":1', '"item":7')),
  ],
  [
    'a line that was taken out',
    (path: string) => {
      const [header, , last] = readFileSync(path, 'utf8').split('\n')
      writeFileSync(path, `${header}\n${last}\n`)
    },
  ],
  ['a file that was cut', (path: string) => truncateSync(path, statSync(path).size - 5)],
  ['a file that was removed', (path: string) => rmSync(path)],
  ['a line of someone else', (path: string) => appendFileSync(path, 'anything\n')],
] as const) {
  it(`${what} is damage to its own process`, () => {
    const files = open()
    files.append(order(1))
    files.append(order(2))
    damage(paths()[0] ?? '')
    assert.equal(files.readSince(0), null)
  })
}

it('files of another cluster say nothing of a process', () => {
  open('killed', { system: '1' }).append(order(1))
  assert.equal(open().readOther('killed'), null)
})

it('once the machine was started again, files of before say nothing of a process', () => {
  open('killed', { bootId: 'before' }).append(order(1))
  open('unknown', { bootId: null }).append(order(1))
  const files = open()
  assert.equal(files.readOther('killed'), null)
  assert.equal(open('other', { bootId: null }).readOther('unknown'), null)
  assert.deepEqual(
    itemsOf(open('next', { bootId: 'before' }).readOther('killed')?.recent ?? null),
    [1],
  )
})

it('another file is begun when one is large, and says for what was sent before it', () => {
  const files = open('one', { fileBytes: 300 })
  for (let item = 1; item <= 5; item++) {
    monotonicMs += 1000
    files.append(order(item, item === 1 ? 'bots' : 'market_a'))
  }
  assert.ok(paths().length > 1)
  assert.deepEqual(itemsOf(files.readSince(0)), [1, 2, 3, 4, 5])
  assert.deepEqual(itemsOf(files.readSince(5000)), [4, 5])
  assert.deepEqual(open('other').readOther('one')?.gates, new Set(['bots', 'market_a']))
})

it('what is older than a week is removed, and the file that is written to is a day old at most', () => {
  open('killed').append(order(1))
  const [old = ''] = paths()
  const files = open()
  const eightDaysAgo = new Date(clock.now().getTime() - 8 * DAY_MS)
  utimesSync(old, eightDaysAgo, eightDaysAgo)
  monotonicMs += DAY_MS
  files.tidy()
  assert.equal(paths().includes(old), false)
  assert.equal(paths().length, 2)
  files.append(order(2))
  assert.deepEqual(itemsOf(files.readSince(0)), [2])
})

it('no more is kept than there is room for, the newest file of each process longest', () => {
  const files = open('one', { fileBytes: 200, folderBytes: 2000 })
  for (let item = 1; item <= 40; item++) {
    monotonicMs += 1000
    files.append(order(item))
  }
  const bytes = paths().reduce((sum, path) => sum + statSync(path).size, 0)
  assert.ok(bytes <= 2500, `${bytes}`)
  assert.deepEqual(itemsOf(files.readSince(monotonicMs)), [40])
  assert.equal(files.readSince(0), null, 'what was removed is not taken for nothing')
})

it('files that cannot be written to are put aside, and are damage from then on', () => {
  const files = open('one', { fileBytes: 200 })
  files.append(order(1))
  rmSync(folder, { recursive: true })
  assert.throws(() => {
    for (let item = 2; item < 9; item++) files.append(order(item))
  })
  assert.throws(() => files.append(order(9)))
  assert.equal(files.readSince(0), null)
})

for (const [what, spoil] of [
  ['a file that others can read', (path: string) => chmodSync(path, 0o640)],
  [
    'a link in place of a file',
    (path: string) => {
      rmSync(path)
      symlinkSync('/etc/hostname', path)
    },
  ],
  ...(process.getuid?.() === 0
    ? [['a file of another user', (path: string) => chownSync(path, 12_345, 12_345)] as const]
    : []),
] as const) {
  it(`${what} keeps the process from starting, and is named`, () => {
    open('killed')
    const [path = ''] = paths()
    spoil(path)
    assert.throws(
      () => open(),
      (error: Error) => error.name === 'CannotStart' && error.message.includes(path),
    )
  })
}

it('a folder that others can reach keeps the process from starting', () => {
  open('killed')
  chmodSync(folder, 0o755)
  assert.throws(() => open(), { name: 'CannotStart' })
})
