// The migrations that a database has had, beside those that this version brings: what is missing, what was
// edited, and whether a newer version has been there whose tables this one can still work on.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart } from '../process/cannot-start.ts'

const MIGRATIONS_FOLDER: string = join(import.meta.dirname, '../../../migrations')

export interface Migration {
  /** `0001_ledger` */
  readonly name: string
  readonly text: string
  readonly sha256: string
}

/** All migrations that this version of the code brings, in their order. */
export function readMigrations(folder: string = MIGRATIONS_FOLDER): readonly Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      const sha256 = createHash('sha256').update(text).digest('hex')
      return { name: name.replace(/\.sql$/, ''), text, sha256 }
    })
}

/** Which processes may run on the tables that a migration leaves: those of the release before, or none. */
export type Bears = 'previous' | 'none'

/** As its first line says, `-- bears: previous`; without that line nothing is promised. */
export const bearsOf = ({ text }: Pick<Migration, 'text'>): Bears =>
  /^-- bears: previous\r?\n/.test(text) ? 'previous' : 'none'

export interface IndexAlone {
  readonly index: string
  readonly table: string
}

/**
 * The index that a migration builds concurrently, which needs that it does nothing else; null for any other
 * migration. `if not exists`, because it may have been built by a process that ended before it said so.
 */
export function indexAlone({ text }: Pick<Migration, 'text'>): IndexAlone | null {
  const statement = text.replace(/^--.*$/gm, '').trim()
  const [, name, schema, table] =
    /^create (?:unique )?index concurrently if not exists (\w+) on (\w+)\.(\w+) [^;]*;?$/.exec(
      statement,
    ) ?? []
  return name === undefined ? null : { index: `${schema}.${name}`, table: `${schema}.${table}` }
}

export interface Applied {
  readonly name: string
  readonly sha256: string
  /** Null for what was recorded before this was. */
  readonly bears: Bears | null
}

/** Through the row as JSON: a database that an older version migrated last has no such column yet. */
export const APPLIED = `
  select name, sha256, to_jsonb(m) ->> 'bears' bears from infra.migration m order by name`

export interface SchemaState {
  /** Names of this version's migrations that the database lacks. */
  readonly missing: readonly string[]
  /** It has migrations of a later version. */
  readonly isNewer: boolean
  /** Why this version cannot work on it, or not any more; null when it can, once nothing is missing. */
  readonly refusal: CannotStart | null
}

export function compareSchema(
  applied: readonly Applied[],
  known: readonly Migration[] = readMigrations(),
): SchemaState {
  const hashes = new Map(known.map(({ name, sha256 }) => [name, sha256]))
  const last = known.at(-1)?.name ?? ''
  const later = applied.filter(({ name }) => !hashes.has(name))
  const names = new Set(applied.map(({ name }) => name))
  const missing = known.map(({ name }) => name).filter((name) => !names.has(name))
  const edited = applied.find(({ name, sha256 }) => sha256 !== (hashes.get(name) ?? sha256))
  // What is missing beside a later one was written for other tables than these.
  const unbearable = later.find(
    ({ name, bears }) => bears !== 'previous' || name < last || missing.length > 0,
  )
  const refusal =
    (names.has(BEFORE_RELEASE) && FROM_BEFORE_RELEASE) ||
    (edited && editedSentence(edited.name)) ||
    (unbearable && newerSentence(unbearable.name))
  return {
    missing,
    isNewer: later.length > 0,
    refusal: refusal ? new CannotStart(refusal) : null,
  }
}

const newerSentence = (name: string): string =>
  `The database was written by a newer version of Tradepost (it has migration ${name}, which ` +
  'this version does not know). Start that version, or use another database.'

const editedSentence = (name: string): string =>
  `Migration ${name} was changed after it had been applied to this database. Restore the file ` +
  'as it was and write a new migration instead, or use another database.'

/** Known to development databases alone: the files of the schemas have what it made. */
const BEFORE_RELEASE = '0022_administration'
const FROM_BEFORE_RELEASE =
  'The database was made by a version of Tradepost from before its first release, which cannot be ' +
  'migrated. Delete it (of `npm start`, the folder .data) or use another one: the next start makes it anew.'
