// `npm run mutations`: takes each guard of the books away in turn, in a database of its
// own, and runs the tests that must notice. Survivors make it fail. docs/mutations.md gets what was seen;
// of the guards that were not run it keeps what it had, and guards that are no longer in the list leave
// it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import pg from 'pg'
import { startPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import { TEMPLATE } from '../../apps/server/src/infra/testing/database.ts'
import { readOptions } from '../../tools/options.ts'
import { MUTATIONS } from './list.ts'
import type { Edit, Mutation } from './mutation.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/mutations.md')
const PRISTINE = 'pristine'
const HEAD = '| Kind | Gone | What failed then | Seen |\n|---|---|---|---|'
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
  await onServer(`create database ${PRISTINE}`)
  await migrate(postgres.urlOf(PRISTINE))
  await refuseFailures()
  for (const mutation of chosen) {
    await mutate(mutation)
    const caught = await firstFailure(mutation.files)
    results.set(mutation, caught)
    console.log(`${caught ? 'caught  ' : 'SURVIVED'} ${mutation.name}: ${caught?.test ?? ''}`)
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
const survivors = [...results.values()].filter((caught) => caught === null).length
console.log(`${results.size} guards, ${survivors} survivors`)
writeFileSync(PAGE, page())
process.exit(survivors > 0 ? 1 : 0)

/** A test that fails with every guard in place would catch anything. */
async function refuseFailures(): Promise<void> {
  await makeTemplate()
  for (const file of new Set(chosen.flatMap(({ files }) => files))) {
    const failure = await firstFailure([file])
    if (failure) throw new Error(`${failure.file} fails by itself: ${failure.test}`)
  }
}

async function makeTemplate(): Promise<void> {
  await onServer(`drop database if exists ${TEMPLATE} with (force)`)
  await onServer(`create database ${TEMPLATE} template ${PRISTINE}`)
}

async function mutate({ statements = [], edits = [] }: Mutation): Promise<void> {
  await makeTemplate()
  const client = new pg.Client({ connectionString: postgres.urlOf(TEMPLATE) })
  await client.connect()
  try {
    for (const one of edits) await rewrite(client, one)
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function rewrite(client: pg.Client, { of, from, to }: Edit): Promise<void> {
  const { rows } = await client.query<{ text: string }>(
    `select pg_get_functiondef(p.oid) as text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname || '.' || p.proname = $1`,
    [of],
  )
  const text = rows.map((row) => row.text).find((one) => one.includes(from))
  if (text === undefined) throw new Error(`${of} does not say "${from}" any more`)
  await client.query(text.replace(from, to))
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

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function page(): string {
  const known = knownRows()
  const today = new Date().toISOString().slice(0, 10)
  const rows = MUTATIONS.map((mutation) => {
    const start = `| ${mutation.kind} | ${cell(mutation.name)} |`
    const caught = results.get(mutation)
    if (caught === undefined) return known.get(start) ?? `${start} not run yet | |`
    const seen = caught ? `${cell(caught.test)} (\`${caught.file}\`)` : '**nothing**'
    return `${start} ${seen} | ${today} |`
  })
  return `# What happens when a guard is lost

<!-- Made by \`npm run mutations\`. The guards are in tests/mutations/list.ts and money.ts. -->

\`npm run mutations\` takes each constraint, trigger, lock and idempotency guard of the books away in turn, in a database of its own, and runs tests until one fails. The first one that failed is named; with every guard in place all of them pass. \`npm run mutations <part of a name>\` runs some of them.

${HEAD}
${rows.join('\n')}
`
}

/** The rows of the page as it is, by their first two cells. */
function knownRows(): Map<string, string> {
  const rows = new Map<string, string>()
  for (const line of readFileSync(PAGE, 'utf8').split('\n')) {
    const start = /^\| \w+ \| (?:\\\||[^|])*\|/.exec(line)?.[0]
    if (start !== undefined) rows.set(start, line)
  }
  return rows
}

function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|')
}
