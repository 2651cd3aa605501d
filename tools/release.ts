// `npm run release -- 0.5.0`: gives all packages of the repository one new version, and the changelog its
// date. It commits, tags and publishes nothing; docs/releasing.md says what follows.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions } from './options.ts'
import { closeChangelog, isNewer, type Json, withVersion } from './release-version.ts'

const ROOT = join(import.meta.dirname, '..')
const [version = ''] = readOptions({
  name: 'npm run release',
  about: 'Gives every package this version and closes the change log.',
  rest: '<version>',
  options: {},
}).rest
const current = (readJson('package.json') as { version: string }).version

if (!isNewer(version, current)) {
  console.error(`Give a version above ${current}, such as: npm run release -- 0.5.0`)
  process.exit(1)
}
const today = new Date().toISOString().slice(0, 10)
write('CHANGELOG.md', closeChangelog(read('CHANGELOG.md'), version, today))
for (const path of ['package.json', 'package-lock.json', ...workspaces()]) {
  write(path, `${JSON.stringify(withVersion(readJson(path), version, current), null, 2)}\n`)
}
const SDK_VERSION = 'packages/sdk/src/version.ts'
write(SDK_VERSION, read(SDK_VERSION).replace(`'${current}'`, `'${version}'`))
console.log(`All packages are ${version}. What follows: docs/releasing.md`)

function workspaces(): string[] {
  return globSync('{apps,packages}/*/package.json', { cwd: ROOT })
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

function readJson(path: string): Json {
  return JSON.parse(read(path)) as Json
}

function write(path: string, text: string): void {
  writeFileSync(join(ROOT, path), text)
}
