import assert from 'node:assert/strict'
import { it } from 'node:test'
import { listAudit } from '#audit'
import { forgetBot } from '#operations'
import { createBotMemory, forgetBot as forget } from '../adapters/game-platform/memory.ts'
import { manualClock } from '../infra/testing/clock.ts'
import { testDatabase } from '../infra/testing/database.ts'

const AT = new Date('2026-11-21T12:00:00.000Z')

it('a bot that an operator has forgotten is no more among those that were seen', async (t) => {
  const { db, close } = await testDatabase()
  t.after(close)
  const deps = { db, clock: manualClock(AT), forget }
  const memory = createBotMemory({ db, secrets: null })
  const state = { online: false, activeOffers: 0, freeSlots: 0, restrictedUntil: null, seenAt: AT }
  for (const id of ['7656001', '7656002']) await memory.writeState(id, state)
  const actor = { kind: 'operator', id: 'ada', request: {} } as const
  const order = { bot: '7656001', reason: 'its offers are ended' }
  await forgetBot(deps, actor, order)
  assert.deepEqual([...(await memory.readStates()).keys()], ['7656002'])
  await assert.rejects(forgetBot(deps, actor, order), /NOT_FOUND/)
  const [entry, ...others] = await listAudit(db, { limit: 2 })
  assert.deepEqual([entry?.act, entry?.subject.id, others], ['bot.forget', '7656001', []])
})
