import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, it } from 'node:test'
import { changedPaths, testsOf } from './changed.ts'

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{}',
  'docs/guides/first.md': '# First',
  'packages/contract/package.json': '{ "name": "@tradepost/contract" }',
  'packages/contract/src/index.ts': 'export const A = 1',
  'apps/server/package.json':
    '{ "name": "@tradepost/server", "imports": { "#infra/*": "./src/infra/*.ts", "#ledger": "./src/ledger/index.ts" } }',
  'apps/server/src/infra/clock.ts': 'export const now = 1',
  'apps/server/src/ledger/post.ts': "import { now } from '#infra/clock'\n// it's not ./other.ts",
  'apps/server/src/ledger/index.ts': "export * from './post.ts'",
  'apps/server/src/ledger/post.test.ts': "import './post.ts'",
  'apps/server/src/main/api.ts': "import '#ledger'",
  'apps/server/src/other.ts': '',
  'apps/server/src/other.test.ts': "import { A } from '@tradepost/contract'\nimport './other.ts'",
  'tests/support/server.ts': [
    'const program = (role) => join(ROOT, `apps/server/src/main/$',
    '{role}.ts`)',
  ].join(''),
  'tests/e2e/buy.test.ts': "import '../support/server.ts'",
  'tests/e2e/guides.test.ts': "readFileSync(join(ROOT, 'docs/guides/first.md'))",
}
const tests = Object.keys(FILES).filter((path) => path.endsWith('.test.ts'))

let root: string
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tradepost-changed-'))
  for (const [path, text] of Object.entries(FILES)) write(path, text)
})
after(() => rmSync(root, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...args], {
    cwd: root,
    encoding: 'utf8',
  })

const of = (...changed: string[]): readonly string[] =>
  testsOf(root, { tests, files: Object.keys(FILES), changed })

it('a test depends on what it imports, through aliases, packages and programs that it starts', () => {
  assert.deepEqual(of('apps/server/src/infra/clock.ts'), [
    'apps/server/src/ledger/post.test.ts',
    'tests/e2e/buy.test.ts',
  ])
  assert.deepEqual(of('packages/contract/src/index.ts'), ['apps/server/src/other.test.ts'])
  assert.deepEqual(of('apps/server/src/main/api.ts'), ['tests/e2e/buy.test.ts'])
})

it('a test depends on the documents that it names, and on itself', () => {
  assert.deepEqual(of('docs/guides/first.md'), ['tests/e2e/guides.test.ts'])
  assert.deepEqual(of('tests/e2e/guides.test.ts'), ['tests/e2e/guides.test.ts'])
})

it('what only a comment names is no dependency', () => {
  assert.deepEqual(of('apps/server/src/other.ts'), ['apps/server/src/other.test.ts'])
})

it('what all tests run on changes all of them', () => {
  for (const path of [
    'package-lock.json',
    'tools/tests/run.ts',
    'apps/server/migrations/0001_a.sql',
  ])
    assert.deepEqual(of(path), tests)
})

it('changed is what was committed since main, what was not committed, and what is new', () => {
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  assert.deepEqual(changedPaths(root, undefined), [])
  git('checkout', '-q', '-b', 'work')
  write('docs/guides/first.md', '# Second')
  git('commit', '-q', '-a', '-m', 'second')
  write('apps/server/src/other.ts', 'export {}')
  write('apps/server/src/new name.ts', '')
  const changed = [
    'apps/server/src/other.ts',
    'docs/guides/first.md',
    'apps/server/src/new name.ts',
  ]
  assert.deepEqual(changedPaths(root, undefined), changed)
  assert.deepEqual(changedPaths(root, 'HEAD'), [changed[0], changed[2]])
})
