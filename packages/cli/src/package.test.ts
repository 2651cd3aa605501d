// The package as people get it: packed, installed into an empty project, run by every Node of this machine.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { after, before, it } from 'node:test'
import { promisify } from 'node:util'
import { startScripted, success } from '../../sdk/src/testing/scripted-server.ts'

const PACKAGE = join(import.meta.dirname, '..')
const ROOT = join(PACKAGE, '../..')
const run = promisify(execFile)

const project = mkdtempSync(join(tmpdir(), 'tradepost-cli-package-'))
const installed = join(project, 'node_modules/tradepost')
const program = join(project, 'node_modules/.bin/tradepost')

before(() => {
  const npm = (cwd: string, ...args: string[]): unknown =>
    execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const commander = dirname(createRequire(import.meta.url).resolve('commander'))
  for (const folder of [PACKAGE, commander]) npm(folder, 'pack', '--pack-destination', project)
  const tarballs = readdirSync(project).filter((name) => name.endsWith('.tgz'))
  assert.equal(tarballs.length, 2)
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}')
  const paths = tarballs.map((name) => join(project, name))
  npm(project, 'install', '--offline', '--no-audit', '--no-fund', ...paths)
})

after(() => rmSync(project, { recursive: true, force: true }))

it('the package has the compiled program, its README and one dependency', () => {
  const paths = globSync('**/*', { cwd: installed, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => relative(installed, join(one.parentPath, one.name)))
  const others = paths.filter((path) => !/^dist\/(cli|sdk)\/src\/.*\.js$/.test(path)).sort()
  assert.deepEqual(others, ['README.md', 'bin/tradepost.mjs', 'package.json'])
  assert.ok(!paths.some((path) => /test/.test(path)))
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: object
  }
  assert.deepEqual(Object.keys(dependencies), ['commander'])
})

it('it runs on every Node from 20 on, and prints the version of its SDK', async (context) => {
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    version: string
  }
  await using server = await startScripted()
  for (const [name, path] of nodes()) {
    const env = {
      PATH: process.env.PATH,
      XDG_CONFIG_HOME: project,
      TRADEPOST_API_KEY: 'tp_test_1',
      TRADEPOST_URL: server.baseUrl,
    }
    const call = async (...args: string[]): Promise<string> =>
      (await run(path, [realpathSync(program), ...args], { env, timeout: 30_000 })).stdout
    assert.equal((await call('--version')).trim(), version)
    assert.match(await call('--help'), /^Usage: tradepost /)
    const wallets = { spot: { currency: 'USD', balance: 12.5 }, earnings: null }
    server.script(success({ id: 'the-id', email: 'a@example.com', wallets }))
    assert.match(await call('whoami'), /spot +12\.50 USD/)
    context.diagnostic(name)
  }
})

it('it names its commands as npx starts them where npx started it', async () => {
  const { stdout } = await run('npx', ['tradepost', '--help'], {
    ...{ cwd: project, timeout: 30_000 },
  })
  assert.match(stdout, /^Usage: npx tradepost .*^ {2}npx tradepost login --demo /ms)
})

it('in the repository it runs without being built, by npx', async () => {
  const linked = join(ROOT, 'node_modules/.bin/tradepost')
  assert.ok(existsSync(linked), 'npm ci links it')
  assert.ok(realpathSync(linked).startsWith(realpathSync(PACKAGE)))
  const { stdout } = await run(process.execPath, [linked, '--help'], { timeout: 30_000 })
  assert.match(stdout, /^Usage: npx tradepost/)
})

/** This Node, and others on the machine from version 20 on. */
function nodes(): Map<string, string> {
  const found = new Map([[process.version, process.execPath]])
  for (const folder of [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/bin',
    '/usr/local/bin',
  ]) {
    const path = join(folder, 'node')
    if (!existsSync(path)) continue
    const version = execFileSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 }).trim()
    if (Number(/^v(\d+)/.exec(version)?.[1]) >= 20 && !found.has(version)) found.set(version, path)
  }
  return found
}
