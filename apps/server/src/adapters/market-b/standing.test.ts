// Market B's gate refuses our key or address: the market goes off sale at the first answer that says so, and
// comes back when it serves us again.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { placeInTurn } from '../shared/testing/place-in-turn.ts'
import { CONTEXT, PURCHASE, startSupplier } from '../shared/testing/supplier-server.ts'
import { createMarketB } from './index.ts'

async function open(context: TestContext) {
  const gate = { refusal: null as { status: number; text: string } | null }
  const { adapter, alarms } = await startSupplier(context, ({ url = '' }, reply) => {
    const isOpen = url.startsWith('/v1/prices') || gate.refusal === null
    if (!isOpen && gate.refusal !== null) {
      reply.writeHead(gate.refusal.status).end(gate.refusal.text)
      return
    }
    reply.end(
      JSON.stringify({ success: true, user: { wallet: 5000 }, id: 7, price: 5, trades: [] }),
    )
  })
  const { market, feed } = createMarketB({ ...adapter, callsPerMinute: 0, probeSpacingMs: 0 })
  return { gate, alarms, market, feed }
}

for (const refusal of [
  { status: 403, text: 'Forbidden', kind: 'not-sent' },
  { status: 403, text: 'You need to whitelist your IP', kind: 'not-sent' },
  { status: 200, text: '{"success":false,"msg":"wrong api"}', kind: 'refused' },
]) {
  test(`"${refusal.text}" takes market B off sale until it serves us again`, async (context) => {
    const h = await open(context)
    assert.equal((await h.feed.health()).online, true)
    h.gate.refusal = refusal
    const answer = await placeInTurn(h.market, PURCHASE, CONTEXT)
    assert.equal(answer.kind, refusal.kind)
    if (answer.kind === 'refused') {
      assert.deepEqual([answer.code, answer.alarm], ['MARKET_UNAVAILABLE', true])
    }
    assert.equal((await h.feed.health()).online, false)
    assert.equal((await h.market.lookUp(LOOK_UP, CONTEXT)).kind, 'unavailable')
    assert.ok(h.alarms.some((facts) => (facts as { event?: string }).event === 'market_account'))
    h.gate.refusal = null
    assert.deepEqual(await h.feed.health(), { online: true, balanceMills: 5000n, detail: 'ok' })
  })
}

const LOOK_UP = [{ customId: 'c-1', orderId: '7', offerSeen: false, acceptanceSeen: false }]
