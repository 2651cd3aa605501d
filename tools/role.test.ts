import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { SETTINGS } from '../apps/server/src/main/settings.ts'
import { flagsOf } from '../tests/support/node-flags.ts'
import { healthUrl } from './health.ts'
import { argumentsOf, SCRIPT_OF } from './role.ts'

const folder = mkdtempSync(join(tmpdir(), 'tradepost-role-'))
after(() => rmSync(folder, { recursive: true }))

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<{ readonly code: number | null; readonly pid: number | undefined; stderr: string }>(
    (resolve) => {
      const child = execFile(
        process.execPath,
        [join(import.meta.dirname, 'role.ts'), ...args],
        { env: { DATA_DIR: folder, ...env } },
        (_error, _stdout, stderr) => resolve({ code: child.exitCode, pid: child.pid, stderr }),
      )
    },
  )

describe('a role', () => {
  it('is started by the program and with the flags of its script', () => {
    assert.deepEqual(argumentsOf('api'), [...flagsOf('api'), 'apps/server/src/main/api.ts'])
    assert.deepEqual(argumentsOf('signer'), ['apps/signer/src/main.ts'])
    for (const role of Object.keys(SCRIPT_OF))
      assert.match(argumentsOf(role)?.at(-1) ?? '', /\.ts$/)
  })

  for (const [what, args, env, sentence] of [
    [
      'that is none',
      ['apj'],
      {},
      /^tradepost: the first argument is the role, one of api, .*; not "apj"\.\n$/,
    ],
    ['that is missing', [], {}, /; none was given\.\n$/],
    [
      'with a secret whose file is missing',
      ['worker'],
      { SECRETS_KEY_FILE: join(folder, 'absent') },
      /^tradepost: SECRETS_KEY_FILE names a file that cannot be read: .*\n$/,
    ],
    [
      'whose data folder cannot be written to',
      ['worker'],
      { DATA_DIR: '/dev/null/tradepost' },
      /^tradepost: DATA_DIR \/dev\/null\/tradepost cannot be made: .*\n$/,
    ],
    [
      'with an argument that it does not take',
      ['migrate', '--stop'],
      {},
      /^tradepost: npm run migrate takes --plan or --stop-the-world and nothing else, .*\n$/,
    ],
  ] as const) {
    it(`${what} ends with one sentence and 1`, async () => {
      const { code, stderr } = await run(args, env)
      assert.match(stderr, sentence)
      assert.equal(stderr.trimEnd().split('\n').length, 1)
      assert.equal(code, 1)
    })
  }
})

describe('the health check', () => {
  it('asks an api and a worker where their settings let them answer, and nothing else', () => {
    const port = SETTINGS.properties.PORT.default
    assert.equal(
      healthUrl(`node\0${argumentsOf('api')?.join('\0')}`, {}),
      `http://127.0.0.1:${port}/healthz`,
    )
    const worker = `node\0${argumentsOf('worker')?.join('\0')}`
    assert.equal(healthUrl(worker, {}), `http://127.0.0.1:${Number(port) + 3}/metrics`)
    assert.equal(healthUrl(worker, { METRICS_PORT: '9100' }), 'http://127.0.0.1:9100/metrics')
    assert.equal(healthUrl('node\0apps/server/src/main/migrate.ts', {}), null)
  })
})
