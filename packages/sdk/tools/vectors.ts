// Writes vectors/webhook-signatures.json. A test fails when the file is stale.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from './formatted.ts'
import { vectorsFile } from './signature-vectors.ts'

const path = join(import.meta.dirname, '../vectors/webhook-signatures.json')
writeFileSync(path, formatted(path, vectorsFile()))
