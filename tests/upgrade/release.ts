// Another release of the service: its files as git has them, with its own installation.
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readMigrations } from '../../apps/server/src/infra/database/schema-history.ts'
import type { seedDemo } from '../../apps/server/src/main/demo/seed.ts'
import { ROOT } from '../support/child.ts'

const run = promisify(execFile)
const git = async (...args: readonly string[]): Promise<string> =>
  (await run('git', ['-c', 'safe.directory=*', ...args], { cwd: ROOT })).stdout.trim()

export interface Release {
  readonly root: string
  /** Names of the migrations that it brings. */
  readonly migrations: ReadonlySet<string>
  readonly seed: typeof seedDemo
}

/** The commit that a name stands for; null when there is none. */
export const findCommit = (name: string): Promise<string | null> =>
  git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`).catch(() => null)

/** The newest tag; before the first one, what was there before the last change of the schema. */
export async function releaseBefore(): Promise<string> {
  const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD').catch(() => '')
  if (tag !== '') return tag
  const change = await git('rev-list', '-1', 'HEAD', '--', 'apps/server/migrations')
  return `${change}~1`
}

const INSTALL_MS = 10 * 60_000

/** Not a worktree of git: nothing stays in the repository, however this ends. */
export async function installRelease(
  commit: string,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<Release> {
  const root = join(folder, 'before')
  mkdirSync(root)
  const archive = join(folder, 'before.tar')
  await git('archive', '--format=tar', `--output=${archive}`, commit)
  await run('tar', ['-xf', archive, '-C', root], { signal })
  rmSync(archive)
  await run('npm', ['ci', '--no-audit', '--no-fund'], {
    ...{ cwd: root, signal, timeout: INSTALL_MS, maxBuffer: 10_000_000 },
  })
  const migrations = readMigrations(join(root, 'apps/server/migrations'))
  const { seedDemo: seed } = (await import(
    join(root, 'apps/server/src/main/demo/seed.ts')
  )) as typeof import('../../apps/server/src/main/demo/seed.ts')
  return { root, seed, migrations: new Set(migrations.map(({ name }) => name)) }
}
