// What of a platform that refuses calls, or answers what cannot be used, stops what: one bot, one kind,
// nothing else.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createReserveSlot } from '#infra/database/call-slots'
import { sql } from '#infra/database/db'
import { manualClock } from '#infra/testing/clock'
import { newId } from '#kernel/id'
import type { NewOffer } from '#ports/selling'
import {
  CALL_KINDS,
  type PlatformAdapters,
  parseBotSecrets,
  readCallKinds,
} from '../game-platform/index.ts'
import { offerTo as anOffer, CONTEXT, idOf, NEVER, okOf, READ } from './bots-under-test.ts'
import { eventually } from './environment.ts'
import { startFaulty } from './faulty-platform.ts'
import { type PlatformSetup, startPlatformSetup } from './platform-setup.ts'

let setup: PlatformSetup
before(async () => {
  setup = await startPlatformSetup()
})
after(() => setup.close())

const forget = (prefix: string): Promise<unknown> =>
  setup.database.db.query(sql('', 'delete from infra.setting where starts_with(name, $1)'), [
    prefix,
  ])

const offerTo = ({ inventories }: PlatformAdapters, token: string): Promise<NewOffer> =>
  anOffer({ inventories, environment: setup.sandbox.platform() }, { token })

const urlOf = (partner: number) =>
  ({ partner, token: 'accept00', platformId: idOf(partner), canonical: '' }) as const

test('a tenant with ever new trade URLs leaves the others their look-ups, which wait for a turn', async () => {
  // A clock that stands still: no turn comes free, however long the calls take.
  const clock = manualClock()
  const { platform } = setup.process({
    reserveSlot: createReserveSlot({ db: setup.database.db, clock }),
    timing: { paceScale: 1 },
    callKinds: readCallKinds('{"trade-page":{"paceMs":100}}'),
  })
  const lookUp = (tenantId: string) => {
    const url = urlOf(setup.sandbox.platform().newPartner())
    return platform.resolveTradeUrl(url, { requestId: 'test', tenantId })
  }
  const greedy = newId()
  const answers = await Promise.all(Array.from({ length: 40 }, () => lookUp(greedy)))
  const { resolved = [], unavailable = [] } = Object.groupBy(answers, ({ kind }) => kind)
  // Its share saves up four turns beside the one of now, and one more may be free.
  assert.ok(resolved.length >= 5 && resolved.length <= 6, `${resolved.length} were looked up`)
  assert.equal(resolved.length + unavailable.length, 40)
  assert.ok(unavailable.every((answer) => 'retryAfterMs' in answer && answer.retryAfterMs > 0))
  assert.equal((await lookUp(newId())).kind, 'resolved')
})

test('a platform that refuses trade pages to three bots is asked for none for a minute', async () => {
  const faulty = await startFaulty(setup.sandbox.url, { status: 429, body: '' })
  try {
    const clock = manualClock()
    const { platform } = setup.processAt(faulty.url, { clock, timing: { restMs: 60_000 } })
    const lookUp = async (): Promise<string> => {
      return (await platform.resolveTradeUrl(urlOf(7), READ)).kind
    }
    assert.equal(await lookUp(), 'unavailable')
    const asked = faulty.requests()
    clock.advance(59_000)
    assert.equal(await lookUp(), 'unavailable')
    assert.equal(faulty.requests(), asked)
    clock.advance(1000)
    assert.equal(await lookUp(), 'unavailable')
    assert.equal(faulty.requests(), asked + 1)
  } finally {
    await faulty.stop()
    await forget('platform-rest:')
  }
})

test('a trade URL resolves although the first two bots are signed out', async () => {
  const secrets = await setup.sandbox.platform().secretsOf()
  const spoilt = secrets.map((bot, index) =>
    index < 2 ? { ...bot, refreshToken: `${bot.refreshToken}x` } : bot,
  )
  await forget('bot-session:')
  const readBots = async () => parseBotSecrets(JSON.stringify(spoilt))
  const { platform } = setup.process({ acting: { secrets: setup.sealing, readBots } })
  assert.equal((await platform.resolveTradeUrl(urlOf(7), READ)).kind, 'resolved')
})

test('a bot is not asked about its own trade URL, nor one whose own trades are held', async () => {
  const [one, two] = await setup.sandbox.platform().secretsOf()
  const withBots = (...bots: unknown[]) => {
    const readBots = async () => parseBotSecrets(JSON.stringify(bots))
    return setup.process({ acting: { secrets: setup.sealing, readBots } })
  }
  const own = urlOf(Number(BigInt(one?.platformId ?? '') - BigInt(idOf(0))))
  const alone = await withBots(one).platform.resolveTradeUrl(own, READ)
  assert.ok(alone.kind === 'unavailable' && alone.isUnasked)
  assert.equal((await withBots(one, two).platform.resolveTradeUrl(own, READ)).kind, 'resolved')

  const both = withBots(one, two)
  await both.watchBots(NEVER, CONTEXT)
  await setup.sandbox.platform().script('my_hold')
  const seen = await both.platform.resolveTradeUrl(urlOf(7), READ)
  assert.ok(seen.kind === 'resolved' && seen.holdDays === 0)
  const restricted = (await both.bots.list(CONTEXT)).filter((bot) => bot.restrictedUntil !== null)
  assert.equal(restricted.length, 1)
  await forget('bot:')
})

test('a 429 for one bot leaves the sends of another at full pace', async () => {
  const { bots } = setup.process({ timing: { restMs: 60_000 } })
  const [one, two] = await setup.sandbox.platform().secretsOf()
  const send = async (botId = '') =>
    bots.sendOffer({ ...(await offerTo(setup.process(), 'manual00')), botId }, CONTEXT)
  try {
    await setup.sandbox.platform().script('429:send')
    const refused = await send(one?.platformId)
    assert.ok(refused.kind === 'unavailable' && refused.retryAfterMs > 50_000)
    const startedAt = performance.now()
    for (let count = 0; count < 3; count += 1) {
      const { offerId } = okOf(await send(two?.platformId))
      await bots.cancelOffer(two?.platformId ?? '', offerId, CONTEXT)
    }
    assert.ok(performance.now() - startedAt < 30_000)
    assert.equal((await send(one?.platformId)).kind, 'unavailable')
  } finally {
    await forget('platform-rest:')
  }
})

test('a platform that expects other headers is known at the first call of each kind', async () => {
  const without = Object.fromEntries(
    Object.entries(CALL_KINDS).map(([kind, { headers }]) => [
      kind,
      { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, null])) },
    ]),
  )
  const alarms: { readonly alarm?: string; readonly kind?: string }[] = []
  const error = (line: unknown): void => void alarms.push(line as (typeof alarms)[number])
  const quiet = (): void => {}
  const { bots, inventories, platform, watchBots } = setup.process({
    callKinds: readCallKinds(JSON.stringify(without)),
    log: { debug: quiet, info: quiet, warn: quiet, error },
  })
  try {
    await watchBots(NEVER, CONTEXT)
    const offer = await offerTo(setup.process(), 'manual00')
    assert.equal((await bots.sendOffer(offer, CONTEXT)).kind, 'unavailable')
    assert.equal((await inventories.read('76561197960269970', READ)).kind, 'unavailable')
    assert.equal((await platform.resolveTradeUrl(urlOf(7), READ)).kind, 'unavailable')
    const suspected = alarms.filter(({ alarm }) => alarm === 'headers_suspected')
    assert.deepEqual(suspected.map(({ kind }) => kind).sort(), [
      ...['acknowledge', 'confirmations-list', 'inventory', 'own-inventory', 'send', 'trade-page'],
    ])
  } finally {
    await forget('platform-rest:')
  }
})

test('a trade of which the platform does not say what we got rings once after an hour', async () => {
  const rung: { readonly alarm?: string; readonly tradeId?: string }[] = []
  const error = (line: unknown): void => void rung.push(line as (typeof rung)[number])
  const quiet = (): void => {}
  const hour = 3_600_000
  const later = setup.process({
    clock: { now: () => new Date(Date.now() + hour + 60_000) },
    log: { debug: quiet, info: quiet, warn: quiet, error },
  })
  const { bots } = setup.process()
  await setup.sandbox.platform().script('status_2_bare')
  const offer = await offerTo(setup.process(), 'accept00')
  const { offerId } = okOf(await bots.sendOffer(offer, CONTEXT))
  const tradeId = await eventually('the trade', async () => {
    const seen = okOf(await bots.lookUp(offer.botId, [offerId], CONTEXT)).get(offerId)
    return seen?.tradeId ?? null
  })
  for (const reader of [bots, later.bots, later.bots]) {
    assert.equal(okOf(await reader.readExchange(offer.botId, tradeId, CONTEXT)).state, 'pending')
  }
  const lingering = rung.filter(({ alarm }) => alarm === 'trade_lingers')
  assert.deepEqual(
    lingering.map((line) => line.tradeId),
    [tradeId],
  )
})

test('whatever the platform answers, nothing throws, and a send is never more than unknown', async () => {
  const invalidAnswers = [
    { status: 200, body: '' },
    { status: 200, body: '<html>maintenance</html>' },
    { status: 200, body: 'null' },
    { status: 200, body: '[]' },
    { status: 200, body: '{"response":[]}' },
    { status: 200, body: '{"response":{"trade_offers_sent":{"0":1}}}' },
    { status: 200, body: '{"response":{"trade_offers_sent":[null,7,{"tradeofferid":{}}]}}' },
    { status: 200, body: '{"response":{"offer":{"__proto__":{"tradeofferid":"1"}}}}' },
    { status: 200, body: '{"response":{"their_escrow":{"escrow_end_duration_seconds":0}}}' },
    { status: 200, body: '{"success":true,"conf":{"0":{}}}' },
    { status: 500, body: '{"strError":{}}' },
    { status: 503, body: 'x'.repeat(100_000) },
    { status: 301, body: '' },
  ]
  for (const invalid of invalidAnswers) {
    const faulty = await startFaulty(setup.sandbox.url, invalid)
    try {
      const { bots, inventories, watchBots } = setup.processAt(faulty.url)
      const offer = { ...(await offerTo(setup.process(), 'manual00')) }
      const about = JSON.stringify(invalid)
      const sent = await bots.sendOffer(offer, CONTEXT)
      assert.ok(sent.kind === 'unknown' || sent.kind === 'unavailable', about)
      const found = await bots.findOffer({ ...offer, since: new Date(0) }, CONTEXT)
      assert.notEqual(found.kind, 'ok', about)
      for (const outcome of [
        await bots.lookUp(offer.botId, ['7121000001'], CONTEXT),
        await bots.readExchange(offer.botId, '798942565000000002', CONTEXT),
        await inventories.read('76561197960269970', READ),
      ]) {
        assert.notEqual(outcome.kind, 'ok', about)
      }
      const canceled = await bots.cancelOffer(offer.botId, '7121000001', CONTEXT)
      assert.notEqual(canceled.kind, 'ok', about)
      await watchBots(NEVER, CONTEXT)
    } finally {
      await faulty.stop()
    }
  }
})
