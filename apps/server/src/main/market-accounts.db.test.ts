// Which key each of our accounts at the markets is called with, and which of them feeds its market.
import assert from 'node:assert/strict'
import { after, beforeEach, it } from 'node:test'
import {
  changeAccount,
  hashKey,
  insertAccount,
  keyContext,
  listKeys,
  noteReading,
  rotateKey,
} from '#buying'
import { createTakePermit } from '#infra/database/call-permits'
import { createReserveSlot } from '#infra/database/call-slots'
import { createHttpClient } from '#infra/http/http-client'
import { CannotStart } from '#infra/process/cannot-start'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { createSecretBox } from '#infra/process/secrets'
import { manualClock } from '#infra/testing/clock'
import { testDatabase } from '#infra/testing/database'
import { mills } from '#kernel/money'
import { createKeepPages } from '#reconciliation'
import { definitionOf, MARKETS } from '../adapters/markets.ts'
import type { Adapters } from './adapters.ts'
import { createMarketAccounts, settleKeysOfMain } from './market-accounts.ts'

const { db, close } = await testDatabase()
const clock = manualClock()
const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
after(async () => {
  await http.close()
  await close()
})

const SETTINGS = { market_a: 'key-of-settings', market_b: 'other-key-of-settings' }
const secrets = createSecretBox([Buffer.alloc(32, 7)])
const MAIN = { market: 'market_b', account: 'main' }
const SECOND = { market: 'market_b', account: 'second' }

/** What each account was opened with, newest last. */
let opened: Parameters<Adapters['openAccount']>[0][]
let warned: string[]
const log = { ...silentLog, warn: (fields: object) => void warned.push(JSON.stringify(fields)) }

const openAccount: Adapters['openAccount'] = (account) => {
  opened.push(account)
  const tools = {
    ...{ http, clock, rng: Math.random, log: silentLog, metrics: createMetrics() },
    reserveSlot: createReserveSlot({ db, clock }),
    takePermit: createTakePermit({ db, clock }),
    keepPages: createKeepPages({ db, clock, log: silentLog }),
  }
  const { market, pace: _pace, apiKey, ...of } = account
  const key = { ...of, baseUrl: 'http://127.0.0.1:9', apiKey: apiKey ?? 'of the settings' }
  return definitionOf(market).open(tools, key, {})
}

function open() {
  const markets = MARKETS.map(({ id: market }) =>
    openAccount({ market, account: 'main', keyVersion: 1, pace: null, apiKey: null }),
  )
  return createMarketAccounts({ db, log: silentLog, secrets, adapters: { markets, openAccount } })
}
const settle = (settings = SETTINGS, box = secrets) =>
  settleKeysOfMain({ db, log, secrets: box, settings })

const rotate = (key: string, of = MAIN) =>
  db.transaction((tx) =>
    rotateKey(tx, of, {
      sealedKey: secrets.seal(key, keyContext(of)),
      hashes: [hashKey(of, SETTINGS.market_b), hashKey(of, key)],
    }),
  )
const change = (of: typeof MAIN, changes: Parameters<typeof changeAccount>[2]['changes']) =>
  db.transaction((tx) => changeAccount(tx, of, { changes, at: clock.now() }))

beforeEach(async () => {
  opened = []
  warned = []
  await db.script('delete from buying.market_account')
  await settle()
})

const addSecond = (use: 'buying' | 'feed' | 'both' = 'buying') =>
  db.transaction((tx) =>
    insertAccount(tx, {
      ...{ ...SECOND, use, reserveMills: mills(0n) },
      sealedKey: secrets.seal('key-of-second', keyContext(SECOND)),
      balance: { currency: 'USD', balanceMills: mills(1n), askedAt: clock.now() },
    }),
  )

it('a start with another key of main than the one it has is refused, and names the command that rotates', async () => {
  await assert.rejects(settle({ ...SETTINGS, market_b: 'an-unknown-key' }), (error: Error) => {
    assert.ok(error instanceof CannotStart)
    assert.match(error.message, /^MARKET_B_KEY .*market:account rotate market_b main/)
    assert.doesNotMatch(error.message, /unknown-key|key-of/)
    return true
  })
  await settle()
})

it('once main was rotated its new key is used, and a restart with the setting of before does not go back', async () => {
  const accounts = open()
  await accounts.refresh()
  const before = accounts.find(MAIN)
  await rotate('new-key')
  await accounts.refresh()
  const { market } = accounts.find(MAIN) ?? assert.fail('it is there')
  assert.equal(market.keyVersion, 2)
  assert.notEqual(before?.market, market)
  assert.equal(opened.at(-1)?.apiKey, 'new-key')
  assert.equal(accounts.at('market_b').length, 1)

  opened = []
  await settle()
  assert.match(warned.join(), /market_key_not_used.*MARKET_B_KEY/)
  const restarted = open()
  await restarted.refresh()
  assert.equal(opened.at(-1)?.apiKey, 'new-key')
  warned = []
  await settle({ ...SETTINGS, market_b: 'new-key' })
  assert.deepEqual(warned, [])
})

it('every key that main has had may stay in the settings, and no other one', async () => {
  await rotate('second-key')
  await rotate('third-key')
  for (const key of [SETTINGS.market_b, 'second-key', 'third-key']) {
    await settle({ ...SETTINGS, market_b: key })
  }
  await assert.rejects(settle({ ...SETTINGS, market_b: 'an-unknown-key' }), CannotStart)
  const [main] = (await listKeys(db)).filter(({ market }) => market === 'market_b')
  assert.equal(main?.keyHashes.length, 3)
})

it('a start whose SECRETS_KEY does not open the rotated key is refused', async () => {
  await rotate('new-key')
  await assert.rejects(settle(SETTINGS, createSecretBox([Buffer.alloc(32, 8)])), /SECRETS_KEY/)
})

it('an account is opened again with its own pace when that is set, and once', async () => {
  const accounts = open()
  await accounts.refresh()
  const before = accounts.find(MAIN)
  await accounts.refresh()
  assert.equal(accounts.find(MAIN), before)
  await change(MAIN, { pace: 30 })
  await accounts.refresh()
  assert.equal(opened.at(-1)?.pace, 30)
  const paced = accounts.find(MAIN)
  assert.notEqual(paced, before)
  await accounts.refresh()
  assert.equal(accounts.find(MAIN), paced)
})

it('a market is fed with main, with another account while main is drained, disabled or refused, and with main again', async () => {
  await addSecond()
  const accounts = open()
  const feeder = async () => {
    await accounts.refresh()
    return accounts.feeder('market_b').market.account
  }
  assert.equal(await feeder(), 'main')
  for (const state of ['draining', 'disabled'] as const) {
    await change(MAIN, { state })
    assert.equal(await feeder(), 'second')
    await change(MAIN, { state: 'enabled' })
    assert.equal(await feeder(), 'main')
  }
  const at = clock.now()
  const said = { kind: 'refused', because: 'forbidden', detail: 'Bad KEY' } as const
  const refuse = (of: typeof MAIN) => noteReading(db, of, { reading: { askedAt: at, said }, at })
  await refuse(MAIN)
  assert.equal(await feeder(), 'second')
  await refuse(SECOND)
  assert.equal(await feeder(), 'main')
  assert.equal(accounts.feeder('market_a').market.account, 'main')
})

it('an account that is for the feed goes before main that is for buying', async () => {
  await addSecond('feed')
  await change(MAIN, { use: 'buying' })
  const accounts = open()
  await accounts.refresh()
  assert.equal(accounts.feeder('market_b').market.account, 'second')
})
