// `npm run mutations`: takes each guard of the books away in turn, in a database of its
// own, and runs the tests that must notice. It prints for each guard the test that failed first; survivors
// make it fail. A whole run counts in docs/evidence.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import pg from 'pg'
import { startPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import { onServer, TEMPLATE } from '../../apps/server/src/infra/testing/database.ts'
import { readOptions } from '../../tools/options.ts'
import { minuteText, writeEvidence } from '../support/evidence.ts'
import { MUTATIONS } from './list.ts'
import { type Mutation, takeAway } from './mutation.ts'

const ROOT = join(import.meta.dirname, '../..')
const PRISTINE = 'pristine'
const TEST_TIMEOUT_MS = 120_000
/** These take the same guard away themselves, and cannot once it is gone: no proof of anything. */
const IS_NO_PROOF = /once its guard is taken away/

interface Caught {
  readonly file: string
  readonly test: string
}

process.chdir(ROOT)
const { rest: wanted } = readOptions({
  name: 'npm run mutations',
  about: 'Takes each guard of the books away in turn and runs the tests that must notice.',
  rest: '[part of a name …]',
  options: {},
})
const chosen = MUTATIONS.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
)
const folder = mkdtempSync(join(tmpdir(), 'tradepost-mutations-'))
const postgres = await startPostgres({ folder, maxConnections: 200, sharedBuffersMb: 128 })
process.env.TEST_POSTGRES_URL = postgres.url
const results = new Map<Mutation, Caught | null>()
try {
  await onServer(postgres.url, `create database ${PRISTINE}`)
  await migrate(postgres.urlOf(PRISTINE))
  await refuseFailures()
  for (const mutation of chosen) {
    await mutate(mutation)
    const caught = await firstFailure(mutation.files)
    results.set(mutation, caught)
    const by = caught ? `${caught.test} (${caught.file})` : ''
    console.log(`${caught ? 'caught  ' : 'SURVIVED'} ${mutation.kind} ${mutation.name}: ${by}`)
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
const survivors = [...results].flatMap(([{ name }, caught]) => (caught === null ? [name] : []))
console.log(`${results.size} guards, ${survivors.length} survivors`)
if (results.size === MUTATIONS.length) writeEvidence('mutations', summary())
process.exit(survivors.length > 0 ? 1 : 0)

/** A test that fails with every guard in place would catch anything. */
async function refuseFailures(): Promise<void> {
  await makeTemplate()
  for (const file of new Set(chosen.flatMap(({ files }) => files))) {
    const failure = await firstFailure([file])
    if (failure) throw new Error(`${failure.file} fails by itself: ${failure.test}`)
  }
}

async function makeTemplate(): Promise<void> {
  await onServer(postgres.url, `drop database if exists ${TEMPLATE} with (force)`)
  await onServer(postgres.url, `create database ${TEMPLATE} template ${PRISTINE}`)
}

async function mutate(mutation: Mutation): Promise<void> {
  await makeTemplate()
  const client = new pg.Client({ connectionString: postgres.urlOf(TEMPLATE) })
  await client.connect()
  try {
    await takeAway(client, mutation)
  } finally {
    await client.end()
  }
}

async function firstFailure(files: readonly string[]): Promise<Caught | null> {
  for (const file of files) {
    const stop = new AbortController()
    const stream = run({
      files: [join(ROOT, file)],
      concurrency: 1,
      timeout: TEST_TIMEOUT_MS,
      signal: stop.signal,
    })
    let caught: Caught | null = null
    for await (const { type, data } of stream) {
      if (type !== 'test:fail' || caught) continue
      const { failureType } = data.details.error as Error & { failureType?: string }
      if (failureType === 'subtestsFailed' || IS_NO_PROOF.test(data.name)) continue
      const isFile = data.name.endsWith('.test.ts')
      caught = { file: relative(ROOT, file), test: isFile ? 'the audit afterwards' : data.name }
      stop.abort()
    }
    if (caught) return caught
  }
  return null
}

function summary(): string[] {
  const kinds = [...Map.groupBy(results, ([{ kind }]) => kind)].map(([kind, found]) => {
    const caught = found.filter(([, by]) => by !== null).length
    return `| ${kind} | ${found.length} | ${caught} |`
  })
  const survived = survivors.length === 0 ? 'none' : survivors.map((one) => `\`${one}\``).join(', ')
  return [
    `${minuteText(new Date())}. Survivors: ${survived}.`,
    '',
    '| Guard taken away | Guards | Caught by a test |',
    '|---|---|---|',
    ...kinds,
  ]
}
