// Whose each table's rows are is written down, and so are the statements that reach beyond one tenant: those
// decide what it takes to give tenants databases of their own. Fails where a table or a statement is not
// listed, or a list names what is not there.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readNames } from './sql-names.ts'
import { compareTenancy } from './tenancy/compare.ts'

const ROOT = join(import.meta.dirname, '..')
const SERVER = 'apps/server'
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const migrations = globSync(`${SERVER}/migrations/[0-9]*.sql`, { cwd: ROOT }).sort().map(read)
/** Tests may look at any row. */
const sources = globSync(`${SERVER}/src/**/*.ts`, { cwd: ROOT })
  .filter((path) => !/\.test\.ts$|\/(testing|conformance)\//.test(path))
  .map(read)

// The one table that the program makes which applies them.
const tables = new Set([...readNames(migrations).tables, 'infra.migration'])
const faults = compareTenancy({ tables, migrations, sources })
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
