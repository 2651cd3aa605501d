// Writes what is measured and counted into docs/scale.md: lines of bench/results.json, whose rows each table
// has, and the statements that reach beyond one tenant. With --check it only reports whether they are fresh.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrNull, replaceRegion, writeOrCheck } from './generated.ts'
import { MIXED, OVER_TENANTS } from './tenancy/reviewed.ts'
import { rootOf, TABLES } from './tenancy/tables.ts'

const PAGE = 'docs/scale.md'
const RESULTS = join(import.meta.dirname, '../bench/results.json')
/** What one process, one database or one trade takes; one that was not measured is left out. */
const ROWS = [
  'cost',
  'buy',
  'limits',
  'replica',
  'webhooks',
  'follow',
  'accounts',
  'all-in-one',
  'million',
]

interface Row {
  readonly at: string
  readonly machine: { readonly cpu: string; readonly cores: number }
  readonly loadBefore: readonly [number, number]
  readonly lines: readonly { readonly path: string; readonly ours: string; readonly peer: string }[]
}

const results = JSON.parse(readFileSync(RESULTS, 'utf8')) as Readonly<Record<string, Row>>
const page = [
  ['measured', measured()],
  ['tables', tables()],
  ['shared', shared()],
  ['statements', groups()],
].reduce(
  (text, [name = '', content = '']) => replaceRegion(text, name, content),
  readOrNull(PAGE) ?? '',
)

writeOrCheck({ path: PAGE, content: page, command: 'node tools/scale-page.ts' })

function measured(): string {
  const lines = ROWS.flatMap((name) => {
    const row = results[name]
    if (row === undefined) return []
    const { at, machine, loadBefore } = row
    const where = `${at.slice(0, 10)}, ${machine.cores} cores, load ${loadBefore[0]}`
    return row.lines.map(
      ({ path, ours, peer }) => `| ${path} | ${ours} | ${peer || '–'} | \`${name}\`, ${where} |`,
    )
  })
  return ['| What | Measured | Beside | Row of the bench |', '|---|---|---|---|', ...lines].join(
    '\n',
  )
}

function tables(): string {
  const kinds = {
    tenant: 'name the tenant',
    account: 'name an account, whose tenant is one look away',
    part: 'belong to a row of one of those, and name only that row',
    person: 'belong to a person, who may be a member of several tenants',
    shared: 'are shared by all tenants, or each cell has its own',
  }
  const all = Object.entries(TABLES)
  const counts = Object.entries(kinds).map(([kind, says]) => {
    const wanted = all.filter(([table, found]) =>
      kind === 'part'
        ? found.kind === 'part' && ['tenant', 'account'].includes(rootOf(table) ?? '')
        : found.kind === kind ||
          (found.kind === 'part' && rootOf(table) === kind && !isOfTenants(kind)),
    )
    return `| ${wanted.length} | ${says} |`
  })
  return [`| Of ${all.length} tables | |`, '|---:|---|', ...counts].join('\n')
}

function isOfTenants(kind: string): boolean {
  return kind === 'tenant' || kind === 'account'
}

function shared(): string {
  const why = Map.groupBy(
    Object.entries(TABLES).flatMap(([table, found]) =>
      found.kind === 'shared' && !found.isSameEverywhere ? [{ table, why: found.why }] : [],
    ),
    (each) => each.why,
  )
  const lines = [...why].map(
    ([text, each]) => `| ${text} | ${each.map(({ table }) => `\`${table}\``).join(', ')} |`,
  )
  return ['| Why | Tables |', '|---|---|', ...lines].join('\n')
}

function groups(): string {
  const linesOf = (of: Readonly<Record<string, readonly string[]>>): string[] =>
    Object.entries(of).map(([why, names]) => `| ${names.length} | ${why} |`)
  return [
    ...['| Rows of tenants beside shared rows | |', '|---:|---|', ...linesOf(MIXED)],
    ...['', '| Rows of several tenants | |', '|---:|---|', ...linesOf(OVER_TENANTS)],
  ].join('\n')
}
