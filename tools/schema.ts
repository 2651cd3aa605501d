// Writes apps/server/migrations/schema.sql: what all migrations together make, read back from the
// catalogs of a database that has just been migrated. With --check it only reports whether the file is
// fresh. It is there to be read and to be reviewed beside a migration; nothing ever runs it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, openDb } from '../apps/server/src/infra/db.ts'
import { migrate } from '../apps/server/src/infra/migrations.ts'
import { startPostgres } from '../apps/server/src/infra/postgres.ts'
import { writeOrCheck } from './generated.ts'
import {
  COLUMNS,
  CONSTRAINTS,
  FUNCTIONS,
  INDEXES,
  SCHEMAS,
  SEQUENCES,
  TABLES,
  TRIGGERS,
  TYPES,
} from './schema-catalog.ts'

const HEAD = `-- The schema of the database, all migrations applied. Made by tools/schema.ts; a picture, not a script:
-- functions are named without their bodies, which stand in the migrations.`

writeOrCheck({
  path: 'apps/server/migrations/schema.sql',
  content: await dumpOfFreshDatabase(),
  command: 'node tools/schema.ts',
})

async function dumpOfFreshDatabase(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-schema-'))
  try {
    const postgres = await startPostgres({ folder, maxConnections: 10, sharedBuffersMb: 32 })
    try {
      await migrate(postgres.url)
      const db = openDb({ url: postgres.url, poolSize: 1 })
      try {
        return await dump(db)
      } finally {
        await db.close()
      }
    } finally {
      await postgres.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Thing {
  readonly schema: string
  readonly text: string
}

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly rest: string
  readonly comment: string | null
}

interface Part {
  readonly table: string
  readonly text: string
}

interface Table {
  readonly schema: string
  readonly name: string
  readonly options: string | null
  readonly comment: string | null
  /** Of a view. */
  readonly definition: string | null
}

async function dump(db: Db): Promise<string> {
  const schemas = await db.query<{ name: string }>(SCHEMAS)
  const types = await db.query<Thing>(TYPES)
  const sequences = await db.query<Thing>(SEQUENCES)
  const tables = await db.query<Table>(TABLES)
  const columns = await db.query<Column>(COLUMNS)
  const constraints = await db.query<Part>(CONSTRAINTS)
  const below = [...(await db.query<Part>(INDEXES)), ...(await db.query<Part>(TRIGGERS))]
  const functions = await db.query<Thing>(FUNCTIONS)

  const blocks = schemas.flatMap(({ name }) => {
    const own = (things: readonly Thing[]): string[] =>
      things.filter(({ schema }) => schema === name).map(({ text }) => text)
    return [
      `create schema ${name};`,
      [...own(types), ...own(sequences)].join('\n'),
      ...tables
        .filter(({ schema }) => schema === name)
        .map((table) => describeTable(table, { columns, constraints, below })),
      own(functions).join('\n'),
    ].filter((block) => block !== '')
  })
  return `${[HEAD, ...blocks.map(inLowerCase)].join('\n\n')}\n`
}

/** PostgreSQL shouts its keywords and names the type of each text; we write neither. */
function inLowerCase(block: string): string {
  return block
    .split('\n')
    .map((line) => {
      const [code = '', ...comment] = line.startsWith('--') ? ['', line] : line.split(/(?= {2}-- )/)
      return code
        .replace(/('(?:[^']|'')*')::text\b/g, '$1')
        .replace(/'(?:[^']|'')*'|"[^"]*"|[A-Z]+/g, (word) =>
          /^['"]/.test(word) ? word : word.toLowerCase(),
        )
        .concat(...comment)
    })
    .join('\n')
}

function describeTable(
  table: Table,
  parts: {
    readonly columns: readonly Column[]
    readonly constraints: readonly Part[]
    readonly below: readonly Part[]
  },
): string {
  const fullName = `${table.schema}.${table.name}`
  if (table.definition !== null) return `create view ${fullName} as\n${table.definition}`
  const mine = <P extends { readonly table: string }>(all: readonly P[]): P[] =>
    all.filter((part) => part.table === fullName)
  const constraints = mine(parts.constraints)
  const columns = mine(parts.columns)
  const last = columns.length + constraints.length - 1
  const lines = [
    ...columns.map(({ name, type, rest }) => `${name} ${type}${rest}`),
    ...constraints.map(({ text }) => text),
  ].map((line, i) => {
    const comment = columns[i]?.comment
    return `  ${line}${i < last ? ',' : ''}${comment ? `  -- ${comment}` : ''}`
  })
  return [
    ...(table.comment ? [`-- ${table.comment}`] : []),
    `create table ${fullName} (`,
    ...lines,
    `)${table.options ? ` with (${table.options})` : ''};`,
    ...mine(parts.below).map(({ text }) => `${text};`),
  ].join('\n')
}
