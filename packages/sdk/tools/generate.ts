// Writes src/generated from the contract. A test fails when the files are stale.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from './formatted.ts'
import { generatedFiles } from './generated-files.ts'

const FOLDER = join(import.meta.dirname, '../src/generated')

const files = generatedFiles()
mkdirSync(FOLDER, { recursive: true })
for (const name of readdirSync(FOLDER)) if (!files.has(name)) rmSync(join(FOLDER, name))
for (const [name, content] of files) {
  const path = join(FOLDER, name)
  writeFileSync(path, formatted(path, content))
}
