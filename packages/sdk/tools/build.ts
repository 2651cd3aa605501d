// Compiles the package to dist, from nothing. No types of Node are in sight (`types: []`), so whatever
// compiles uses only what browsers and edges have too.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '..')
const TSC = join(PACKAGE, '../../node_modules/typescript/bin/tsc')

rmSync(join(PACKAGE, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [TSC, '-p', 'tsconfig.build.json'], {
  cwd: PACKAGE,
  stdio: 'inherit',
})
// The compiler rewrites endings in code and leaves them in declarations, where older compilers stumble.
for (const path of globSync(join(PACKAGE, 'dist/**/*.d.ts'))) {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'"))
}
