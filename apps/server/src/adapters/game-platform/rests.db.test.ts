// What a 429 of the platform stops, for how long, and what the other processes and the operator know of it.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from '#infra/database/db'
import { createMetrics } from '#infra/process/metrics'
import { manualClock } from '../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { CALL_KINDS } from './call-kinds.ts'
import { createRests, readKindsWithRests } from './rests.ts'

const MINUTE_MS = 60_000
const [ONE, TWO, THREE, FOUR] = ['1', '2', '3', '4'].map((digit) => `7656119800000000${digit}`) as [
  string,
  string,
  string,
  string,
]

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(() => database.db.query(sql('', `delete from infra.setting`), []))

interface Line {
  readonly alarm?: string
  readonly kind?: string
}

function given({ clock = manualClock(), bots = 4 } = {}) {
  const metrics = createMetrics()
  const alarms: Line[] = []
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (line: unknown) => void alarms.push(line as Line),
  }
  const rests = createRests({
    ...{ db: database.db, clock, log, metrics, restMs: MINUTE_MS },
    countBots: async () => bots,
  })
  const waits = async (kind: keyof typeof CALL_KINDS, ...ids: (string | null)[]) =>
    Promise.all(ids.map((id) => rests.waitMs(kind, id)))
  return { clock, rests, waits, metrics, alarms }
}

test('a 429 lets one bot rest for that kind, and leaves its other kinds and the other bots', async () => {
  const { rests, waits } = given()
  assert.equal(await rests.refused('send', ONE), MINUTE_MS)
  assert.deepEqual(await waits('send', ONE, TWO, THREE), [MINUTE_MS, 0, 0])
  assert.deepEqual(await waits('web-api', ONE), [0])
})

test('each refusal after a rest doubles it, up to fifteen minutes, and one answer ends that', async () => {
  const { clock, rests } = given()
  for (const minutes of [1, 2, 4, 8, 15, 15]) {
    assert.equal(await rests.refused('send', ONE), minutes * MINUTE_MS)
    clock.advance(minutes * MINUTE_MS)
  }
  await rests.served('send', ONE, clock.now().getTime())
  assert.equal(await rests.refused('send', ONE), MINUTE_MS)
})

test('calls that were under way when the rest began neither lengthen nor end it', async () => {
  const { clock, rests, waits } = given()
  const askedAtMs = clock.now().getTime()
  await rests.refused('send', ONE)
  assert.equal(await rests.refused('send', ONE), MINUTE_MS)
  await rests.served('send', ONE, askedAtMs)
  assert.deepEqual(await waits('send', ONE), [MINUTE_MS])
})

test('three bots that are refused one kind within a minute bar it for our address, and two do not', async () => {
  const { clock, rests, waits, metrics } = given()
  await rests.refused('send', ONE)
  clock.advance(MINUTE_MS / 2)
  await rests.refused('send', TWO)
  assert.deepEqual(await waits('send', FOUR), [0])
  await rests.refused('send', THREE)
  assert.deepEqual(await waits('send', FOUR), [MINUTE_MS])
  assert.deepEqual(await waits('cancel', FOUR), [0])
  assert.match(await metrics.text(), /platform_kinds_barred\{kind="send"\} 1/)
  assert.match(await metrics.text(), /platform_refused_total\{kind="send"\} 3/)
  // Barred until it is served, however often it is tried in between.
  clock.advance(MINUTE_MS)
  assert.deepEqual(await waits('send', FOUR), [0])
  assert.equal(await rests.refused('send', FOUR), 2 * MINUTE_MS)
  assert.match(await metrics.text(), /platform_kinds_barred\{kind="send"\} 1/)
  clock.advance(2 * MINUTE_MS)
  await rests.served('send', FOUR, clock.now().getTime())
  assert.match(await metrics.text(), /platform_kinds_barred\{kind="send"\} 0/)
})

test('refusals more than a minute apart bar nothing', async () => {
  const { clock, rests, waits } = given()
  for (const bot of [ONE, TWO, THREE]) {
    await rests.refused('send', bot)
    assert.deepEqual(await waits('send', FOUR), [0])
    clock.advance(MINUTE_MS)
  }
})

test('where there are fewer bots, all of them bar a kind, and an anonymous caller bars it alone', async () => {
  const { rests, waits } = given({ bots: 2 })
  await rests.refused('send', ONE)
  await rests.refused('send', TWO)
  assert.deepEqual(await waits('send', null), [MINUTE_MS])
  await rests.refused('inventory', null)
  assert.deepEqual(await waits('inventory', null, ONE), [MINUTE_MS, MINUTE_MS])
})

test('another process knows of a rest, and so does the operator', async () => {
  const clock = manualClock()
  const { rests } = given({ clock })
  const since = clock.now()
  await rests.refused('send', ONE)
  const other = given({ clock })
  assert.deepEqual(await other.waits('send', ONE), [MINUTE_MS])
  const kinds = await readKindsWithRests(database.db, CALL_KINDS, clock.now())
  const { barred, bots, headers } = kinds.find(({ kind }) => kind === 'send') ?? assert.fail()
  const until = new Date(since.getTime() + MINUTE_MS)
  assert.deepEqual([barred, bots], [null, [{ botId: ONE, since, until }]])
  assert.deepEqual(headers, CALL_KINDS.send.headers)
})

test('only a kind whose first call is refused is suspected of its headers', async () => {
  const { clock, rests, alarms } = given()
  await rests.served('cancel', ONE, clock.now().getTime())
  await rests.refused('cancel', ONE)
  assert.deepEqual(alarms, [])
  await rests.refused('send', ONE)
  await rests.refused('send', TWO)
  assert.deepEqual(alarms, [{ kind: 'send', alarm: 'headers_suspected' }])
})
