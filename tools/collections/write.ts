// Writes docs/postman and docs/bruno from the contract: each interface for integrators as a collection of
// Postman and as a folder of Bruno. With --check it only reports whether the files are fresh.
import { readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openapiDocuments } from '@tradepost/contract'
import { writeOrCheck } from '../generated.ts'
import { brunoFiles } from './bruno.ts'
import { collectionOf } from './collection.ts'
import { postmanCollection } from './postman.ts'

const ROOT = join(import.meta.dirname, '../..')
const command = 'node tools/collections/write.ts'

for (const name of ['merchant', 'partner']) {
  const document = openapiDocuments[name]?.()
  if (document === undefined) throw new Error(`there is no document ${name}`)
  // Read back from its JSON, as a client reads it.
  const collection = collectionOf(JSON.parse(JSON.stringify(document)))
  writeOrCheck({
    path: `docs/postman/${name}.json`,
    content: `${JSON.stringify(postmanCollection(collection), null, 2)}\n`,
    command,
  })
  const folder = `docs/bruno/${name}`
  const files = brunoFiles(collection)
  for (const [file, content] of files) {
    writeOrCheck({ path: `${folder}/${file}`, content, command })
  }
  for (const file of filesBelow(folder)) {
    if (!files.has(file)) remove(`${folder}/${file}`)
  }
}

function filesBelow(folder: string): string[] {
  const path = join(ROOT, folder)
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)))
}

/** Of an operation that there is no longer. */
function remove(path: string): void {
  if (process.argv.includes('--check')) {
    console.error(`${path} is stale: run \`${command}\` and commit the result.`)
    process.exitCode = 1
  } else rmSync(join(ROOT, path))
}
