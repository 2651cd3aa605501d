// What the adapter promises beside its port: log-ins, leases, confirmations, and silence about secrets.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createReserveSlot } from '#infra/database/call-slots'
import { sql } from '#infra/database/db'
import { acquireLease, releaseLease } from '#infra/database/leases'
import type { SendGuard } from '#infra/jobs/send-guard'
import { manualClock } from '#infra/testing/clock'
import { closedGuards, openGuard } from '#infra/testing/open-guard'
import { newId } from '#kernel/id'
import type { NewOffer, Outcome } from '#ports/selling'
import {
  CALL_KINDS,
  type PlatformAdapters,
  parseBotSecrets,
  readCallKinds,
} from '../game-platform/index.ts'
import { eventually } from './environment.ts'
import { type PlatformSetup, startPlatformSetup } from './platform-setup.ts'

const CONTEXT = { requestId: 'test', guard: openGuard }
const READ = { requestId: 'test', tenantId: newId(), notBefore: null }
const NEVER = new AbortController().signal
const FIRST_PLATFORM_ID = 76_561_197_960_265_728n
const ALWAYS_RENEW = { renewBeforeMs: 100_000 * 86_400_000 }

let setup: PlatformSetup
before(async () => {
  setup = await startPlatformSetup()
})
after(() => setup.close())

const READ_FACTS = sql('', `select name, value::text as value from infra.setting`)
const facts = () => setup.database.db.query<{ name: string; value: string }>(READ_FACTS)

const FORGET_RESTS = sql('', `delete from infra.setting where starts_with(name, 'platform-rest:')`)

const FORGET_SESSIONS = sql('', `delete from infra.setting where starts_with(name, 'bot-session:')`)
const FORGET_STATES = sql('', `delete from infra.setting where starts_with(name, 'bot:')`)

async function botId(): Promise<string> {
  const [bot] = await setup.sandbox.platform().secretsOf()
  return bot?.platformId ?? ''
}

async function offerTo(
  { inventories }: PlatformAdapters,
  token: string,
  partner = setup.sandbox.platform().newPartner(),
): Promise<NewOffer> {
  const platformId = String(FIRST_PLATFORM_ID + BigInt(partner))
  const { items } = okOf(await inventories.read(platformId, READ))
  const take = items.filter(({ tradable }) => tradable).slice(0, 1)
  const offerIntentId = newId()
  return {
    ...{ offerIntentId, partner, token, give: [], message: `Sale ${offerIntentId}` },
    botId: await botId(),
    take: take.map(({ assetId, contextId }) => ({ assetId, contextId })),
  }
}

function okOf<T>(outcome: Outcome<T>): T {
  assert.ok(outcome.kind === 'ok', JSON.stringify(outcome))
  return outcome.value
}

test('a renewed log-in is stored, sealed, before it is used, and serves every process', async () => {
  const before = await setup.sandbox.platform().secretsOf()
  const readBots = async () => parseBotSecrets(JSON.stringify(before))
  const acting = { secrets: setup.sealing, readBots }
  const renewing = setup.process({ acting, timing: ALWAYS_RENEW })
  await renewing.watchBots(NEVER, CONTEXT)
  const after = await setup.sandbox.platform().secretsOf()
  for (const [index, { platformId, refreshToken }] of after.entries()) {
    assert.notEqual(refreshToken, before[index]?.refreshToken)
    const stored = (await facts()).find(({ name }) => name === `bot-session:${platformId}`)
    assert.ok(stored)
    assert.equal(stored.value.includes(refreshToken), false)
    const { sealed } = JSON.parse(stored.value) as { sealed: string }
    assert.equal(setup.sealing.open(sealed, platformId), refreshToken)
  }
  // The file of the operator still has the old tokens, which the platform does not take any more.
  const other = setup.process({ acting })
  await other.watchBots(NEVER, CONTEXT)
  assert.ok((await other.bots.list(CONTEXT)).every(({ online }) => online))
})

test('where the stored log-in is of another life of the platform, the operator’s serves', async () => {
  const id = await botId()
  const strange = `e30.${Buffer.from(
    JSON.stringify({ sub: id, iat: 4_000_000_000, exp: 4_100_000_000, aud: ['derive', 'mobile'] }),
  ).toString('base64url')}.x`
  await setup.database.db.query(
    sql(
      '',
      `insert into infra.setting (name, value) values ($1, $2)
       on conflict (name) do update set value = excluded.value`,
    ),
    [`bot-session:${id}`, JSON.stringify({ sealed: setup.sealing.seal(strange, id) })],
  )
  const { bots } = setup.process()
  const answer = await bots.lookUp(id, ['7121999999'], CONTEXT)
  // It was asked, and has no such offer.
  assert.equal(answer.kind, 'unavailable')
  const offer = await offerTo(setup.process(), 'declin00')
  assert.equal((await bots.sendOffer(offer, CONTEXT)).kind, 'ok')
})

test('no log line and no stored row carries a token, a secret or a cookie', async () => {
  const lines: string[] = []
  const take = (...parts: unknown[]): void => {
    const whole = parts.map((part) =>
      part instanceof Object
        ? JSON.stringify(part, (_, value) => (value instanceof Error ? value.stack : value))
        : String(part),
    )
    lines.push(whole.join(' '))
  }
  const log = { debug: take, info: take, warn: take, error: take }
  const adapters = setup.process({ log, timing: ALWAYS_RENEW })
  await adapters.watchBots(NEVER, CONTEXT)
  const offer = await offerTo(adapters, 'manual00')
  const { offerId } = okOf(await adapters.bots.sendOffer(offer, CONTEXT))
  await setup.sandbox.platform().script('end_sessions')
  await adapters.bots.cancelOffer(offer.botId, offerId, CONTEXT)
  await setup.processAt(setup.nowhere, { log }).watchBots(NEVER, CONTEXT)
  assert.ok(lines.length > 10)
  const secrets = await setup.sandbox.platform().secretsOf()
  const words = secrets.flatMap((bot) => [bot.refreshToken, ...Object.values(bot).slice(2, 4)])
  const texts = [...lines, ...(await facts()).map(({ value }) => value)]
  for (const text of texts) {
    for (const word of words) assert.equal(text.includes(word), false, text)
    assert.doesNotMatch(text, /steamLoginSecure|eyJ[\w-]{20,}\.eyJ/, text)
  }
})

test('a bot that a dead process holds is taken over when its lease has run out', async () => {
  const adapters = setup.process()
  const id = await botId()
  const lease = { name: `bot:${id}`, holder: 'a process that died' }
  const now = new Date()
  await acquireLease(setup.database.db, lease, { now, until: new Date(now.getTime() + 1500) })
  const offer = await offerTo(adapters, 'declin00')
  assert.equal((await adapters.bots.sendOffer(offer, CONTEXT)).kind, 'ok')
})

test('a bot that is in use for long is unavailable, and nothing was sent', async () => {
  const adapters = setup.process({ timing: { turnPatienceMs: 300 } })
  const lease = { name: `bot:${await botId()}`, holder: 'a process at work' }
  const now = new Date()
  await acquireLease(setup.database.db, lease, { now, until: new Date(now.getTime() + 60_000) })
  try {
    const offer = await offerTo(adapters, 'manual00')
    assert.equal((await adapters.bots.sendOffer(offer, CONTEXT)).kind, 'unavailable')
    assert.deepEqual(await setup.sandbox.platform().offersWith(offer.offerIntentId), [])
  } finally {
    await releaseLease(setup.database.db, lease)
  }
})

test('what we give away is confirmed by its own id; what is not ours waits, and rings', async () => {
  const alarms: Record<string, unknown>[] = []
  const offerIntentIds = new Set<string>()
  const adapters = setup.process({
    log: {
      debug() {},
      info() {},
      warn() {},
      error: (about) => void alarms.push(about as Record<string, unknown>),
    },
    hasIntent: async (words) => words.some((word) => offerIntentIds.has(word)),
  })
  const { bots } = adapters
  const environment = setup.sandbox.platform()
  const bought = await offerTo(adapters, 'accept00')
  const { offerId } = okOf(await bots.sendOffer(bought, CONTEXT))
  const asset = await eventually('the hold to be over', async () => {
    const { state, take } = await environment.offer(offerId)
    return state === 'settled' && (take as { newAssetId: string }[])[0]?.newAssetId
  })
  await environment.script('foreign_confirmation')
  const offerIntentId = newId()
  offerIntentIds.add(offerIntentId)
  const gift: NewOffer = {
    ...{ offerIntentId, botId: bought.botId, partner: environment.newPartner(), token: 'manual00' },
    ...{ take: [], give: [{ assetId: String(asset), contextId: '2' }], message: 'Delivery' },
  }
  const given = okOf(await bots.sendOffer(gift, CONTEXT))
  const confirm = (guard: SendGuard) =>
    bots.confirmOffer(gift.botId, given.offerId, { ...CONTEXT, guard })
  const state = async () =>
    okOf(await bots.lookUp(gift.botId, [given.offerId], CONTEXT)).get(given.offerId)?.state
  for (const guard of closedGuards) {
    assert.notEqual((await confirm(guard)).kind, 'ok')
    assert.equal(await state(), 'needs_confirmation')
  }
  assert.deepEqual(await confirm(openGuard), { kind: 'ok', value: 'confirmed' })
  assert.equal(await state(), 'active')
  await adapters.watchBots(NEVER, CONTEXT)
  const strange = alarms.filter(
    ({ alarm, bot }) => alarm === 'strange_confirmation' && bot === gift.botId,
  )
  assert.equal(strange.length, 1)
  assert.notEqual(strange[0]?.offerId, given.offerId)
  assert.match(
    await setup.metrics.text(),
    new RegExp(`platform_strange_confirmations\\{bot="${gift.botId}"\\} 1`),
  )
  await bots.cancelOffer(gift.botId, given.offerId, CONTEXT)
})

test('a tenant with ever new trade URLs leaves the others their look-ups, which wait for a turn', async () => {
  // A clock that stands still: no turn comes free, however long the calls take.
  const clock = manualClock()
  const { platform } = setup.process({
    reserveSlot: createReserveSlot({ db: setup.database.db, clock }),
    timing: { paceScale: 1 },
    callKinds: readCallKinds('{"trade-page":{"paceMs":100}}'),
  })
  const lookUp = (tenantId: string) => {
    const partner = setup.sandbox.platform().newPartner()
    const platformId = String(FIRST_PLATFORM_ID + BigInt(partner))
    const url = { partner, token: 'accept00', platformId, canonical: '' }
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
      const url = { partner: 7, token: 'accept00', platformId: '76561197960265735', canonical: '' }
      return (await platform.resolveTradeUrl(url, READ)).kind
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
    await setup.database.db.query(FORGET_RESTS)
  }
})

test('a trade URL resolves although the first two bots are signed out', async () => {
  const secrets = await setup.sandbox.platform().secretsOf()
  const spoilt = secrets.map((bot, index) =>
    index < 2 ? { ...bot, refreshToken: `${bot.refreshToken}x` } : bot,
  )
  await setup.database.db.query(FORGET_SESSIONS)
  const readBots = async () => parseBotSecrets(JSON.stringify(spoilt))
  const { platform } = setup.process({ acting: { secrets: setup.sealing, readBots } })
  const url = { partner: 7, token: 'accept00', platformId: '76561197960265735', canonical: '' }
  assert.equal((await platform.resolveTradeUrl(url, READ)).kind, 'resolved')
})

test('a bot is not asked about its own trade URL, nor one whose own trades are held', async () => {
  const [one, two] = await setup.sandbox.platform().secretsOf()
  const withBots = (...bots: unknown[]) => {
    const readBots = async () => parseBotSecrets(JSON.stringify(bots))
    return setup.process({ acting: { secrets: setup.sealing, readBots } })
  }
  const platformId = one?.platformId ?? ''
  const partner = Number(BigInt(platformId) - FIRST_PLATFORM_ID)
  const own = { partner, token: 'accept00', platformId, canonical: '' }
  const alone = await withBots(one).platform.resolveTradeUrl(own, READ)
  assert.ok(alone.kind === 'unavailable' && alone.isUnasked)
  assert.equal((await withBots(one, two).platform.resolveTradeUrl(own, READ)).kind, 'resolved')

  const both = withBots(one, two)
  await both.watchBots(NEVER, CONTEXT)
  await setup.sandbox.platform().script('my_hold')
  const other = { partner: 7, token: 'accept00', platformId: '76561197960265735', canonical: '' }
  const seen = await both.platform.resolveTradeUrl(other, READ)
  assert.ok(seen.kind === 'resolved' && seen.holdDays === 0)
  const restricted = (await both.bots.list(CONTEXT)).filter((bot) => bot.restrictedUntil !== null)
  assert.equal(restricted.length, 1)
  await setup.database.db.query(FORGET_STATES)
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
    await setup.database.db.query(FORGET_RESTS)
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
    const url = { partner: 7, token: 'accept00', platformId: '76561197960265735', canonical: '' }
    assert.equal((await platform.resolveTradeUrl(url, READ)).kind, 'unavailable')
    const suspected = alarms.filter(({ alarm }) => alarm === 'headers_suspected')
    assert.deepEqual(suspected.map(({ kind }) => kind).sort(), [
      ...['acknowledge', 'confirmations-list', 'inventory', 'own-inventory', 'send', 'trade-page'],
    ])
  } finally {
    await setup.database.db.query(FORGET_RESTS)
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

const headersToPass = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    ['content-type', 'user-agent', 'cookie'].map((name) => [name, String(headers[name])]),
  )

/** Logs bots in as the platform does, and then sends nothing but this. */
async function startFaulty(
  url: string,
  { status, body }: { readonly status: number; readonly body: string },
): Promise<{ readonly url: string; requests(): number; stop(): Promise<void> }> {
  let requests = 0
  const server: Server = createServer(async (request, reply) => {
    requests += 1
    if (!request.url?.includes('IAuthenticationService')) {
      reply.writeHead(status, { 'content-type': 'application/json', 'x-eresult': '1' }).end(body)
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = await fetch(`${url}${request.url}`, {
      method: 'POST',
      headers: headersToPass(request),
      body: Buffer.concat(chunks),
    })
    reply.writeHead(answer.status, { 'x-eresult': answer.headers.get('x-eresult') ?? '' })
    reply.end(Buffer.from(await answer.arrayBuffer()))
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
