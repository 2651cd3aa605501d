// What a call of a bot is answered when its kind rests: whether another bot would fare better.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createHttpClient } from '#infra/http/http-client'
import { silentLog as log } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { manualClock } from '../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { CALL_KINDS } from './call-kinds.ts'
import { createBotCalls } from './calls.ts'
import { createPlatformCalls } from './platform-calls.ts'
import { createRests } from './rests.ts'
import { createSessionDoubts } from './session-doubts.ts'

const BOTS = ['1', '2', '3'].map((digit) => ({
  platformId: `7656119800000000${digit}`,
  identitySecret: '',
  refreshToken: '',
}))
const [ONE, TWO] = BOTS as [(typeof BOTS)[number], (typeof BOTS)[number]]
const metrics = createMetrics()
const http = createHttpClient({ log, metrics })
const clock = manualClock()

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(async () => {
  await http.close()
  await database.close()
})

test('a bot that begins to rest after it was chosen leaves the call to the next; a barred address does not', async () => {
  const rests = createRests({
    ...{ db: database.db, clock, log, metrics, restMs: 60_000 },
    countBots: async () => BOTS.length,
  })
  const platformCalls = createPlatformCalls({
    ...{ http, clock, rests, kinds: CALL_KINDS, paceScale: 0 },
    site: 'http://127.0.0.1:1',
    spend: async () => 0,
  })
  const calls = createBotCalls({
    ...{ apiUrl: 'http://127.0.0.1:1', communityUrl: 'http://127.0.0.1:1', platformCalls },
    sessions: {
      get: async () => ({ kind: 'none', detail: 'no session here', isAway: false }),
      forget: () => {},
    },
    doubts: createSessionDoubts(clock),
    ...{ deadlineMs: 1000, sendDeadlineMs: 1000 },
  })
  const ask = async (bot: (typeof BOTS)[number]) => {
    const context = { requestId: 'test' }
    const page = await calls.tradePage({ bot, operation: 'trade-page', context, path: '/' })
    assert.equal(page.kind, 'refused')
    return page.kind === 'refused' && [page.detail, page.because]
  }
  await rests.refused('trade-page', ONE.platformId)
  assert.deepEqual(await ask(ONE), ['the kind rests for the bot', undefined])
  assert.deepEqual(await ask(TWO), ['no session here', undefined])
  for (const { platformId } of BOTS) await rests.refused('trade-page', platformId)
  assert.deepEqual(await ask(TWO), ['no turn within the call budget', 'pace'])
})
