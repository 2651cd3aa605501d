// The operator's look at the calls to the game platform.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { createRests } from '../../apps/server/src/adapters/game-platform/rests.ts'
import { silentLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { answerOps, newSecretsKey, type Settings } from '../support/server.ts'

const ONE = '76561198000000001'
const clock = manualClock(new Date('2026-11-20T12:00:00.000Z'))
const folder = mkdtempSync(join(tmpdir(), 'tradepost-platform-'))
const file = join(folder, 'kinds.json')

let database: TestDatabase
let settings: Settings
before(async () => {
  database = await testDatabase()
  settings = {
    DATABASE_URL: database.url,
    SECRETS_KEY: newSecretsKey(),
    DATA_DIR: folder,
    PLATFORM_CALL_KINDS: file,
  }
})
after(async () => {
  rmSync(folder, { recursive: true })
  await database.close()
})

const run = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await answerOps(settings, args, { clock })
  assert.equal(code, 0, stderr)
  return stdout.trimEnd()
}

it('platform:kinds shows kinds, headers and paces as they are set, and what rests since when', async () => {
  writeFileSync(file, '{"send":{"headers":{"referer":null,"x-new":"{site}/a"},"paceMs":500}}')
  const rests = createRests({
    ...{ db: database.db, clock, log: silentLog, metrics: createMetrics(), restMs: 60_000 },
    countBots: async () => 3,
  })
  await rests.refused('send', ONE)
  await rests.refused('inventory', null)
  clock.advance(30_000)

  const said = await run('platform:kinds')
  const row = (kind: string): string => said.split('\n').find((line) => line.startsWith(kind)) ?? ''
  assert.match(row('send '), /^send +500 +each bot +1$/)
  assert.match(
    row('inventory '),
    /^inventory +1000 +our address +refused for 30 s, tried again at 2026-11-20T12:01:00\.000Z/,
  )
  const [, details = ''] = said.split('\nsend: ')
  const [send = ''] = details.split('\n\n')
  assert.match(send, /replaced in part by PLATFORM_CALL_KINDS/)
  assert.match(send, /\n {2}x-new: \{site\}\/a\n/)
  assert.doesNotMatch(send, /referer:/)
  const again = 'tried again at 2026-11-20T12:01:00.000Z'
  assert.ok(send.includes(`bot ${ONE} rests: refused for 30 s, ${again}`), send)

  const kinds = JSON.parse(await run('platform:kinds', '--json')) as {
    readonly kind: string
    readonly bots: readonly { readonly botId: string }[]
  }[]
  assert.deepEqual(
    kinds.filter(({ bots }) => bots.length > 0).map(({ kind, bots }) => [kind, bots[0]?.botId]),
    [['send', ONE]],
  )
})
