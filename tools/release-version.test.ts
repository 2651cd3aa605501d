import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { closeChangelog, isNewer, type Json, withVersion } from './release-version.ts'

test('a release goes up', () => {
  assert.equal(isNewer('0.2.0', '0.1.9'), true)
  assert.equal(isNewer('0.10.0', '0.9.0'), true)
  for (const version of ['0.1.0', '0.0.9', '1', 'v0.2.0', '']) {
    assert.equal(isNewer(version, '0.1.0'), false, version)
  }
})

test('our packages get the version wherever they are named, and no others', () => {
  const manifest = {
    name: '@tradepost/server',
    version: '0.1.0',
    dependencies: { '@tradepost/contract': '0.1.0', other: '0.1.0' },
  }
  assert.deepEqual(withVersion(manifest, '0.2.0', '0.1.0'), {
    name: '@tradepost/server',
    version: '0.2.0',
    dependencies: { '@tradepost/contract': '0.2.0', other: '0.1.0' },
  })
})

test('of the lock file only the versions of our packages change', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Json
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const changed = withVersion(lock, '99.0.0', manifest.version)
  assert.deepEqual(withVersion(changed, manifest.version, '99.0.0'), lock)
  const { packages } = changed as { packages: Record<string, { version?: string }> }
  for (const [path, { version }] of Object.entries(packages)) {
    const isOwn = path === '' || (/^(apps|packages)\//.test(path) && !path.includes('node_modules'))
    assert.equal(version === '99.0.0', isOwn, path)
  }
})

test('a release without an entry in the changelog is refused', () => {
  assert.equal(
    closeChangelog('## 0.2.0 (not yet released)\n', '0.2.0', '2030-01-02'),
    '## 0.2.0 (2030-01-02)\n',
  )
  assert.throws(
    () => closeChangelog('## 0.1.0 (2029-01-01)\n', '0.2.0', '2030-01-02'),
    /no heading/,
  )
})
