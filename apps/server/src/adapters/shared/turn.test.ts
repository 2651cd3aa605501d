// A purchase leaves only under a turn that is fresh: a process that was suspended since it got one is late.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createMarketA } from '../market-a/index.ts'
import { createMarketB } from '../market-b/index.ts'
import { CONTEXT, PURCHASE, startSupplier } from './testing/supplier-server.ts'
import { createTurn } from './turn.ts'

const STALE = { isFresh: () => false, end: () => {}, giveBack: () => {} }

async function open(context: TestContext) {
  const asked: string[] = []
  const { adapter } = await startSupplier(context, ({ url = '' }, reply) => {
    asked.push(new URL(url, 'http://market').pathname)
    reply.end(
      JSON.stringify({ success: true, money: 1, currency: 'USD', id: 7, price: 5, msg: '' }),
    )
  })
  const takePermit = async () => assert.fail('there is no limit')
  return {
    asked,
    markets: [
      createMarketA({ ...adapter, callSpacingMs: 0, takePermit }).market,
      createMarketB({ ...adapter, callsPerMinute: 0 }).market,
    ],
  }
}

test('a purchase whose turn is over is not sent, and says so', async (context) => {
  const { asked, markets } = await open(context)
  for (const market of markets) {
    // Market A is asked in which currency our account is kept.
    assert.equal((await market.takeTurns(1, CONTEXT)).kind, 'turns')
    asked.length = 0
    const answer = await market.place(PURCHASE, { ...CONTEXT, turn: STALE })
    assert.ok(answer.kind === 'not-sent')
    assert.deepEqual([answer.withheld, asked], ['late', []])
  }
})

test('where there is no limit all turns that are asked for are given at once', async (context) => {
  const { markets } = await open(context)
  for (const market of markets) {
    const answer = await market.takeTurns(16, CONTEXT)
    assert.equal(answer.kind === 'turns' && answer.turns.length, 16)
  }
})

test('a turn ends once: what was used is not given back', () => {
  const ends: string[] = []
  const turn = createTurn({ end: () => ends.push('end'), giveBack: () => ends.push('back') })
  assert.equal(turn.isFresh(), true)
  turn.end()
  turn.giveBack()
  assert.deepEqual([ends, turn.isFresh()], [['end'], false])
})
