// Writes docs/openapi/merchant.json from the contract; with --check it only tells whether the file is
// fresh. The same bytes are served at /openapi/merchant.json.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ERRORS, merchantRouteList, openapiDocument, webhookEvents } from '@tradepost/contract'

const ROOT = join(import.meta.dirname, '..')
const COMMAND = 'node tools/openapi.ts'

const document = openapiDocument({
  routes: merchantRouteList,
  events: webhookEvents,
  errors: ERRORS,
  serverUrl: '/',
})

writeOrCheck(
  join(ROOT, 'docs/openapi/merchant.json'),
  `${JSON.stringify(document, null, 2)}\n`,
  process.argv.includes('--check'),
)

function writeOrCheck(path: string, fresh: string, checkOnly: boolean): void {
  if (readOrNull(path) === fresh) return
  if (checkOnly) {
    console.error(`${relative(ROOT, path)} is stale: run \`${COMMAND}\` and commit the result.`)
    process.exit(1)
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, fresh)
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
