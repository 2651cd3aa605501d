import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { readMarketsSettings } from './markets/settings.ts'
import { readPlatformSettings } from './platform/settings.ts'
import { ConfigFault, type Environment } from './settings.ts'

const readAll = (environment: Environment) => ({
  ...readConfig(environment),
  ...readMarketsSettings(environment),
  ...readPlatformSettings(environment),
})

test('without settings the documented defaults hold', () => {
  const config = readAll({})
  assert.equal(config.port, 3001)
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.dataDir, null)
  assert.equal(config.seed, 1)
  assert.equal(config.listingCount, 55_000)
  assert.equal(config.changesPerSecond, 20)
  assert.equal(config.burstChanges, 0)
  assert.equal(config.holdMs, 20_000)
  assert.deepEqual(config.marketAKeys, ['sandbox-market-a'])
  assert.deepEqual(config.marketBKeys, ['sandbox-market-b'])
  assert.equal(config.marketACallsPerSecond, 5)
  assert.equal(config.marketBCallsPerMinute, 60)
})

test('a bad value stops with a sentence that names the variable', () => {
  const bad: Record<string, string> = {
    SANDBOX_PORT: '70000',
    SANDBOX_SEED: 'one',
    SANDBOX_LISTINGS: '-5',
    HOLD_SECONDS: '0',
    SANDBOX_MARKET_A_KEY: 'one,,two',
    SANDBOX_MARKET_A_SETTINGS: '{"repeatedCustomId":"explodes"}',
    SANDBOX_MARKET_B_SETTINGS: '{"nothing":1}',
  }
  for (const [name, value] of Object.entries(bad)) {
    assert.throws(
      () => readAll({ [name]: value }),
      (error) => error instanceof ConfigFault && error.message.includes(name),
      name,
    )
  }
})

test('what the markets leave open can be set, and the rest keeps its default', () => {
  const config = readAll({
    SANDBOX_MARKET_A_SETTINGS: '{"repeatedCustomId":"refused"}',
    SANDBOX_MARKET_B_SETTINGS: '{"feedGapOneIn":0}',
    SANDBOX_MARKET_B_KEY: 'one, two',
  })
  assert.equal(config.marketA.repeatedCustomId, 'refused')
  assert.equal(config.marketA.lookupBatchMost, 50)
  assert.equal(config.marketB.feedGapOneIn, 0)
  assert.deepEqual(config.marketBKeys, ['one', 'two'])
})
