// The package as a merchant gets it: packed, and installed into an empty project.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '../..')

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
  npm(PACKAGE, 'pack', '--pack-destination', project)
  const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'))
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}')
  npm(project, 'install', '--offline', '--no-audit', '--no-fund', join(project, tarball))
  return {
    project,
    folder: join(project, 'node_modules/@tradepost/sdk'),
    remove: () => rmSync(project, { recursive: true, force: true }),
  }
}
