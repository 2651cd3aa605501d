// The package as a merchant gets it: packed, and installed into an empty project.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '../..')
const ROOT = join(PACKAGE, '../..')
const NOT_COPIED = new Set(['dist', 'node_modules', 'runtimes'])

export interface Installed {
  readonly project: string
  /** The package within the project. */
  readonly folder: string
  remove(): void
}

export function installPackage(): Installed {
  const project = mkdtempSync(join(tmpdir(), 'tradepost-sdk-'))
  const npm = (cwd: string, ...args: string[]): unknown =>
    execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  npm(copyPackage(join(project, 'repository')), 'pack', '--pack-destination', project)
  const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'))
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}')
  npm(project, 'install', '--offline', '--no-audit', '--no-fund', join(project, tarball))
  return {
    project,
    folder: join(project, 'node_modules/@tradepost/sdk'),
    remove: () => rmSync(project, { recursive: true, force: true }),
  }
}

/**
 * A copy of the package in a repository of its own, in which it is built. Packing compiles to `dist`: two
 * test files that pack at the same moment would delete each other's files.
 */
function copyPackage(repository: string): string {
  const folder = join(repository, 'packages/sdk')
  cpSync(PACKAGE, folder, {
    recursive: true,
    filter: (path) => !NOT_COPIED.has(basename(path)),
  })
  cpSync(join(ROOT, 'tsconfig.json'), join(repository, 'tsconfig.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(repository, 'node_modules'))
  return folder
}
