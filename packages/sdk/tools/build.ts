// Compiles the package to dist, from nothing. No types of Node are in sight (`types: []`), so whatever
// compiles uses only what browsers and edges have too.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '..')
const TSC = join(PACKAGE, '../../node_modules/typescript/bin/tsc')

rmSync(join(PACKAGE, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [TSC, '-p', 'tsconfig.build.json'], {
  cwd: PACKAGE,
  stdio: 'inherit',
})
writeRequiredModules()

// The compiler rewrites endings in code and leaves them in declarations, where older compilers stumble.
for (const path of globSync(join(PACKAGE, 'dist/**/*.d.ts'))) {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'"))
}

/** What `require` loads: the module itself, or an error that names the Node.js versions that can. */
function writeRequiredModules(): void {
  const { exports } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
    exports: Readonly<
      Record<string, string | { readonly require: string; readonly default: string }>
    >
  }
  for (const target of Object.values(exports)) {
    if (typeof target !== 'string')
      writeFileSync(join(PACKAGE, target.require), moduleOf(target.default))
  }
}

function moduleOf(path: string): string {
  return `'use strict'
try {
  module.exports = require('./${basename(path)}')
} catch (error) {
  if (error.code !== 'ERR_REQUIRE_ESM') throw error
  const message = '@tradepost/sdk is an ES module. Node.js can require one from 20.19 and 22.12 on: use such a version, or import().'
  throw new Error(message, { cause: error })
}
`
}
