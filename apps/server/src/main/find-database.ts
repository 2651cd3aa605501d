// The database of a process that starts none: the one in DATABASE_URL, or an embedded one that runs.
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CannotStart } from '#infra/cannot-start'
import { findRunningPostgres } from '#infra/postgres'
import type { Config } from './config.ts'

/** Data folders of `npm run cluster`, below the folder for temporary files. */
export const CLUSTER_FOLDER = 'tradepost-cluster-data-'

type Where = Pick<Config, 'database' | 'dataDir'>

/** For a role that serves: never a database that it was not given. */
export function findDatabase(where: Where): string {
  return (
    findOwn(where) ??
    refuseStart(
      'DATABASE_URL must be set: no embedded database runs in DATA_DIR that could be shared.',
    )
  )
}

/** For a command: the database of the one cluster that runs on this machine will do as well. */
export function findAnyDatabase(where: Where): string {
  const own = findOwn(where)
  if (own !== null) return own
  const [only, second] = globSync(`${CLUSTER_FOLDER}*/postgres`, { cwd: tmpdir() })
    .map((folder) => findRunningPostgres(join(tmpdir(), folder)))
    .filter((url) => url !== null)
  if (second) {
    refuseStart('Several clusters run on this machine: name one database in DATABASE_URL.')
  }
  return (
    only ??
    refuseStart('No DATABASE_URL is set, and no embedded database runs: start Tradepost first.')
  )
}

const findOwn = ({ database, dataDir }: Where): string | null =>
  database.url?.reveal() ?? findRunningPostgres(join(dataDir, 'postgres'))

function refuseStart(reason: string): never {
  throw new CannotStart(reason)
}
