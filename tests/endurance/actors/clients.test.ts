import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../support/until.ts'
import { diceOf } from '../dice.ts'
import { type ClientsOptions, startClients } from './clients.ts'

const start = (options: Partial<ClientsOptions>) =>
  startClients({
    ...{ count: 1, meanPauseMs: 0, throwDice: diceOf(7) },
    ...{ act: async () => {}, onCutOff: () => assert.fail('nothing was cut off'), ...options },
  })

test('an act that was cut off is reported, and its client goes on', async () => {
  let acts = 0
  const cutOff: unknown[] = []
  const clients = start({
    act: async () => {
      if (++acts === 1) throw new Error('fetch failed')
    },
    onCutOff: (error) => cutOff.push(error),
  })
  await until('it acts again', () => acts > 1)
  await clients.stop()
  assert.deepEqual(cutOff.map(String), ['Error: fetch failed'])
})

test('an answer that breaks a promise ends its client, and fails the stop', async () => {
  let acts = 0
  const clients = start({
    act: async () => {
      acts++
      assert.equal('two trades', 'one trade')
    },
  })
  await until('it acts', () => acts > 0)
  await assert.rejects(clients.stop(), assert.AssertionError)
  assert.equal(acts, 1)
})

test('a stop waits for the act that is under way, and for no pause', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isEnded = false
  const clients = start({
    meanPauseMs: 3_600_000,
    act: async () => {
      await promise
      isEnded = true
    },
  })
  const stopped = clients.stop()
  resolve()
  await stopped
  assert.ok(isEnded)
})

test('clients that hurry do not pause', async () => {
  let acts = 0
  const clients = start({
    meanPauseMs: 3_600_000,
    act: async () => {
      acts++
    },
  })
  const endHurry = clients.hurry()
  await until('they go on', () => acts > 3)
  endHurry()
  await clients.stop()
})
