// Compiles the program and the part of the SDK that it uses to dist, from nothing.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '..')
const TSC = join(PACKAGE, '../../node_modules/typescript/bin/tsc')

rmSync(join(PACKAGE, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [TSC, '-p', 'tsconfig.build.json'], {
  cwd: PACKAGE,
  stdio: 'inherit',
})
