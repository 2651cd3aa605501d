// The database of a process that starts none: the one in DATABASE_URL, or an embedded one that runs.
import { accessSync, constants, existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findRunningPostgres, listRunningFolders } from '#embedded-postgres/postgres'
import { CannotStart } from '#infra/process/cannot-start'
import type { Config } from './config.ts'

/** Data folders of `npm run cluster`, below the folder for temporary files. */
export const CLUSTER_FOLDER = 'tradepost-cluster-data-'

type Where = Pick<Config, 'database' | 'dataDir'>
type Named = Where & Pick<Config, 'isDataDirSet'>

export interface FoundDatabase {
  readonly url: string
  /** Where the keys that belong to it are kept. */
  readonly dataDir: string
}

/** For a role that serves: never a database that it was not given. */
export function findDatabase(where: Where): string {
  return (
    findOwnDatabase(where) ??
    refuseStart(
      'DATABASE_URL must be set: no embedded database runs in DATA_DIR that could be shared.',
    )
  )
}

/**
 * For a command: the database in DATA_DIR. Where that is not set, the one installation or cluster that runs
 * on this machine will do as well, in whatever folder it was started. `running`: folders of the servers.
 */
export function findAnyDatabase(
  where: Named,
  running: () => readonly string[] = listRunningFolders,
): FoundDatabase {
  const own = findOwnDatabase(where)
  if (own !== null) return { url: own, dataDir: where.dataDir }
  if (where.isDataDirSet) refuseStart(`No database runs in DATA_DIR ${where.dataDir}.`)
  const found = running().filter(isInstallation).flatMap(findIn)
  const [only, second] = found
  if (second) {
    refuseStart(
      `Several run on this machine. Name one in DATA_DIR: ${found.map(({ dataDir }) => dataDir).join(', ')}.`,
    )
  }
  return (
    only ??
    refuseStart(
      'No DATABASE_URL is set, and no embedded database runs: load the settings of the processes ' +
        '(set -a; . /etc/tradepost.env), or start Tradepost first.',
    )
  )
}

/** A server of a test or a benchmark is none. */
const isInstallation = (folder: string): boolean =>
  basename(folder) === 'postgres' &&
  (existsSync(join(dirname(folder), 'format.json')) ||
    basename(dirname(folder)).startsWith(CLUSTER_FOLDER))

/** Empty for one that another user of this machine has started. */
function findIn(folder: string): FoundDatabase[] {
  try {
    accessSync(join(folder, 'access.json'), constants.R_OK)
  } catch {
    return []
  }
  const url = findRunningPostgres(folder)
  return url === null ? [] : [{ url, dataDir: dirname(folder) }]
}

/** That of the settings, where it runs; null otherwise. */
export const findOwnDatabase = ({ database, dataDir }: Where): string | null =>
  database.url?.reveal() ?? findRunningPostgres(join(dataDir, 'postgres'))

function refuseStart(reason: string): never {
  throw new CannotStart(reason)
}
