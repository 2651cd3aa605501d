// Writes src/generated and src/partner/generated from the contract. A test fails when the files are stale.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatted } from './formatted.ts'
import { generatedFiles } from './generated-files.ts'

const SOURCES = join(import.meta.dirname, '../src')

const files = generatedFiles()
for (const folder of new Set([...files.keys()].map(dirname))) {
  mkdirSync(join(SOURCES, folder), { recursive: true })
  for (const name of readdirSync(join(SOURCES, folder))) {
    if (!files.has(`${folder}/${name}`)) rmSync(join(SOURCES, folder, name))
  }
}
for (const [name, content] of files) {
  const path = join(SOURCES, name)
  writeFileSync(path, formatted(path, content))
}
