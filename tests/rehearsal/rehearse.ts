// The production profile rehearsed against a strict sandbox: `npm run rehearse`, or with the names of
// variants. Nothing of the service is shortened but the hold, so that it takes minutes; tests/e2e/
// production-profile.test.ts is the short form.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDatabase } from '../../tools/tests/database.ts'
import { closeOnSignal, createSay } from '../support/long-run.ts'
import { deadSessions, marketBAlone, noHeaders, type Variant, whole } from './variants.ts'
import { startWorld } from './world.ts'

const folder = mkdtempSync(join(tmpdir(), 'tradepost-rehearse-'))
const VARIANTS: Readonly<Record<string, Variant>> = {
  'market-b-alone': marketBAlone,
  whole,
  'dead-sessions': deadSessions,
  'no-headers': noHeaders(folder),
}

const given = process.argv.slice(2)
const wanted = given.length === 0 ? Object.keys(VARIANTS) : given
const strange = wanted.find((name) => !Object.hasOwn(VARIANTS, name))
if (strange !== undefined) {
  console.error(`There is no variant ${strange}: ${Object.keys(VARIANTS).join(', ')}`)
  process.exit(2)
}

const say = createSay()
const postgres = await startDatabase(folder)
process.env.TEST_POSTGRES_URL = postgres.url
const world = await startWorld({ holdSeconds: 20 })
const close = async (): Promise<void> => {
  await world.close().finally(() => postgres.stop())
  rmSync(folder, { recursive: true, force: true })
}
closeOnSignal(close)
try {
  for (const name of wanted) {
    say(`${name} begins`)
    await VARIANTS[name]?.(world)
    say(`${name} is as it should be`)
  }
} finally {
  await close()
}
say('the books are right')
