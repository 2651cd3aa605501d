import { MIXED, OVER_TENANTS } from './reviewed.ts'
import { functionsIn, isMixed, isOverTenants, type Statement, statementsIn } from './statements.ts'
import { rootOf, TABLES } from './tables.ts'

export interface Compared {
  /** With their schemas; views among them are left out. */
  readonly tables: ReadonlySet<string>
  /** Texts, in their order. */
  readonly migrations: readonly string[]
  readonly sources: readonly string[]
}

/** A sentence for each table and statement that is not listed, or listed and not there. */
export function compareTenancy({ tables, migrations, sources }: Compared): string[] {
  const functions = functionsIn(migrations)
  const known = new Set([...tables].filter((name) => !isGone(name, migrations)))
  for (const { name } of functions) known.delete(name)
  const statements = sources.flatMap(statementsIn)
  const namesOf = (all: readonly Statement[], isWanted: (one: Statement) => boolean): Set<string> =>
    new Set(all.filter(isWanted).map(({ name }) => name))
  return [
    ...differences(known, new Set(Object.keys(TABLES)), {
      missing: 'is not in tools/tenancy/tables.ts: say whose its rows are',
      surplus: 'is in tools/tenancy/tables.ts, and no migration makes it',
    }),
    ...Object.keys(TABLES)
      .filter((name) => rootOf(name) === null)
      .map((name) => `${name}: is part of a table that is not in tools/tenancy/tables.ts`),
    ...differences(namesOf([...statements, ...functions], isMixed), listed(MIXED), {
      missing: 'has rows of tenants and shared rows: say in MIXED of tools/tenancy/reviewed.ts why',
      surplus: 'is in MIXED of tools/tenancy/reviewed.ts, and has no such rows any more',
    }),
    ...differences(namesOf(statements, isOverTenants), listed(OVER_TENANTS), {
      missing:
        'is bound to no tenant, account or row: say in OVER_TENANTS of tools/tenancy/reviewed.ts why',
      surplus: 'is in OVER_TENANTS of tools/tenancy/reviewed.ts, and is bound to one or gone',
    }),
  ]
}

/** Dropped, or given another name, and not made again after that. */
function isGone(table: string, migrations: readonly string[]): boolean {
  const name = table.replace('.', '\\.')
  const steps = new RegExp(
    `create (?:unlogged )?table (?:if not exists )?${name}\\b|(drop table (?:if exists )?${name}\\b|alter table ${name} rename to)`,
    'g',
  )
  const last = [...migrations.join('\n').matchAll(steps)].at(-1)
  return last?.[1] !== undefined
}

const listed = (groups: Readonly<Record<string, readonly string[]>>): Set<string> =>
  new Set(Object.values(groups).flat())

const differences = (
  found: ReadonlySet<string>,
  wanted: ReadonlySet<string>,
  { missing, surplus }: { readonly missing: string; readonly surplus: string },
): string[] => [
  ...[...found].filter((name) => !wanted.has(name)).map((name) => `${name}: ${missing}`),
  ...[...wanted].filter((name) => !found.has(name)).map((name) => `${name}: ${surplus}`),
]
