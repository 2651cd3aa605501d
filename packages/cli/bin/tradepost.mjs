#!/usr/bin/env node
// Runs what was compiled; in the repository, where nothing is, the TypeScript itself.
import { existsSync } from 'node:fs'

const source = new URL('../src/main.ts', import.meta.url)
if (!existsSync(source)) {
  await import('../dist/cli/src/main.js')
} else if (process.features.typescript) {
  await import(source.href)
} else {
  process.stderr.write(`This Node is ${process.version}. In the repository run: npx tradepost\n`)
  process.exitCode = 1
}
