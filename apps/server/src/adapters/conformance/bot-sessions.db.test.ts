// What the adapter promises beside its port: log-ins, leases, confirmations, and silence about secrets.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#infra/database/db'
import { acquireLease, releaseLease } from '#infra/database/leases'
import type { SendGuard } from '#infra/jobs/send-guard'
import { closedGuards, openGuard } from '#infra/testing/open-guard'
import { newId } from '#kernel/id'
import type { NewOffer } from '#ports/selling'
import { type PlatformAdapters, parseBotSecrets } from '../game-platform/index.ts'
import { offerTo as anOffer, botOf, CONTEXT, NEVER, okOf } from './bots-under-test.ts'
import { eventually } from './environment.ts'
import { type PlatformSetup, startPlatformSetup } from './platform-setup.ts'

const ALWAYS_RENEW = { renewBeforeMs: 100_000 * 86_400_000 }

let setup: PlatformSetup
before(async () => {
  setup = await startPlatformSetup()
})
after(() => setup.close())

const READ_VALUES = sql('', `select name, value::text as value from infra.setting`)
const storedValues = () => setup.database.db.query<{ name: string; value: string }>(READ_VALUES)

const botId = (): Promise<string> => botOf({ environment: setup.sandbox.platform() })

const offerTo = ({ inventories }: PlatformAdapters, token: string): Promise<NewOffer> =>
  anOffer({ inventories, environment: setup.sandbox.platform() }, { token })

test('a renewed log-in is stored, sealed, before it is used, and serves every process', async () => {
  const before = await setup.sandbox.platform().secretsOf()
  const readBots = async () => parseBotSecrets(JSON.stringify(before))
  const acting = { secrets: setup.sealing, readBots }
  const renewing = setup.process({ acting, timing: ALWAYS_RENEW })
  await renewing.watchBots(NEVER, CONTEXT)
  const after = await setup.sandbox.platform().secretsOf()
  for (const [index, { platformId, refreshToken }] of after.entries()) {
    assert.notEqual(refreshToken, before[index]?.refreshToken)
    const stored = (await storedValues()).find(({ name }) => name === `bot-session:${platformId}`)
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
  const texts = [...lines, ...(await storedValues()).map(({ value }) => value)]
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
