// Writes docs/retention.md; with --check it reports whether it is fresh. A table of the migrations without a
// line in tables.ts, and a line without a table, fail both.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import cost from '../../bench/cost.json' with { type: 'json' }
import { writeOrCheck } from '../generated.ts'
import { readTables } from '../sql-names.ts'
import { TABLES } from './tables.ts'

const ROOT = join(import.meta.dirname, '../..')
const COMMAND = 'node tools/retention/page.ts'

const migrations = globSync('apps/server/migrations/[0-9]*.sql', { cwd: ROOT }).sort()
/** The migrations' own record is made by no migration. */
const made = readTables(migrations.map((path) => readFileSync(join(ROOT, path), 'utf8'))).add(
  'infra.migration',
)
const wrong = [
  ...[...made].filter((name) => !(name in TABLES)).map((name) => `${name} has no line`),
  ...Object.keys(TABLES)
    .filter((name) => !made.has(name))
    .map((name) => `${name} is no table`),
].sort()
if (wrong.length > 0) {
  for (const problem of wrong) console.error(`tools/retention/tables.ts: ${problem}`)
  process.exitCode = 1
}

writeOrCheck({ path: 'docs/retention.md', content: page(), command: COMMAND })

function page(): string {
  const { version, trades, tables } = cost
  const figures: Readonly<Record<string, { rows: number; bytes: number } | undefined>> = tables
  const per = (count: number, digits: number): string =>
    (count / trades).toLocaleString('en', { maximumFractionDigits: digits })
  const sum = Object.values(tables).reduce((bytes, one) => bytes + one.bytes, 0)
  const rows = Object.entries(TABLES)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, [life, readBy, because]]) => {
      const figure = figures[name]
      const [count, bytes] = figure ? [per(figure.rows, 1), per(figure.bytes, 0)] : ['', '']
      return `| \`${name}\` | ${count} | ${bytes} | ${life} | ${readBy} | ${because} |`
    })
  return [
    '# What is kept, and for how long',
    '<!-- Made by tools/retention/page.ts from tables.ts beside it and bench/cost.json. Edit there. -->',
    'Each table of the database. The ledger and trades are never deleted. What has a setting is partitioned by ' +
      'the day (UTC), events and deliveries by the month, and removed a partition at a time, when all of it is older ' +
      '([0084](decisions/0084-days-are-removed-whole.md), [0089](decisions/0089-months-of-events.md), ' +
      '[0094](decisions/0094-months-of-deliveries.md)).',
    `Rows and bytes (with indexes) of a trade of one item are measured: PostgreSQL ${version}, sandbox, one ` +
      `endpoint that answers, no backlog, ${trades.toLocaleString('en')} trades to their end; together ` +
      `${per(sum, 0)} bytes. ` +
      '`npm run bench -- cost` measures them anew.',
    [
      '| Table | Rows a trade | Bytes a trade | Life | Read by | Why |',
      '|---|---|---|---|---|---|',
      ...rows,
    ].join('\n'),
  ]
    .join('\n\n')
    .concat('\n')
}
