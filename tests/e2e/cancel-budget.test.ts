// Cancels share the call budget of purchases. With the markets' real limits, a cancel of many items ends with
// an outcome for each: those that had no turn in time are named, and finished by a worker.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { MARKETS } from '../support/sandbox.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { aBuyer, balanceOf, buyRaw, readTrade, stock, untilEnded } from '../support/trading.ts'
import { until } from '../support/until.ts'

const ITEMS = 8

let stack: Stack
before(async () => {
  stack = await startStack(await testDatabase({ poolSize: 2 }), {
    SANDBOX_MARKET_A_CALLS_PER_SECOND: '5',
    SANDBOX_MARKET_B_CALLS_PER_MINUTE: '60',
  })
})
after(() => stack.close())

describe('a cancel of eight items under the real limits of calls', { concurrency: 2 }, () => {
  for (const market of MARKETS) {
    it(`is canceled or under way at ${market}, never failed without a reason`, async (context) => {
      const { merchant, control } = stack
      const behalf = await aBuyer(merchant, `many-${market}`, '500.00')
      const supply = await stock(control, market)
      const raw = Array.from({ length: ITEMS }, () => `${market}:${supply.take().id}`)
      const { data, error } = await buyRaw(merchant, { raw, token: 'slowly00', behalf })
      assert.ok(data, JSON.stringify(error))
      const params = { tradeId: data.id }
      await until('all items are placed', async () => {
        const { items } = await readTrade(merchant, data.id)
        return items.every(({ status }) => status !== 'initiated')
      })
      const canceled = new Set<string>()
      // A cancel is repeated for what was too soon; what is under way is not asked for again.
      await until('no item is too soon to cancel', async () => {
        const answer = await merchant.call('cancelTrade', { behalf, params })
        if (!answer.data) return answer.error?.key === 'TRADE_NOT_CANCELLABLE'
        const { items } = answer.data
        for (const { itemId, status, reason } of items) {
          if (status === 'cancelled') canceled.add(itemId)
          else assert.notEqual(reason, undefined, JSON.stringify(items))
        }
        return items.every(({ reason }) => reason !== 'TRADE_CANCEL_TOO_SOON')
      })
      const trade = await untilEnded(merchant, data.id)
      assert.ok(canceled.size > 0)
      for (const { id, status } of trade.items) {
        if (canceled.has(id)) assert.equal(status, 'canceled')
      }
      context.diagnostic(trade.items.map(({ status }) => status).join(' '))
      if (trade.status === 'canceled') assert.equal(await balanceOf(merchant, behalf), 500)
    })
  }
})
