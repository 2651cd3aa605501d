// Market B's gate refuses our key or address: the first answer that says so is reported of our account, until
// it serves us again.
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
  test(`"${refusal.text}" refuses our account at market B until it serves us again`, async (context) => {
    const h = await open(context)
    assert.equal((await h.feed.health()).account?.said.kind, 'served')
    h.gate.refusal = refusal
    const answer = await placeInTurn(h.market, PURCHASE, CONTEXT)
    assert.equal(answer.kind, refusal.kind)
    if (answer.kind === 'refused') {
      assert.deepEqual([answer.code, answer.alarm], ['MARKET_UNAVAILABLE', true])
    }
    assert.ok(answer.kind !== 'accepted' && 'account' in answer && answer.account === 'forbidden')
    const refused = await h.feed.health()
    assert.equal(refused.online, true)
    const said = refused.account?.said
    assert.ok(said?.kind === 'refused' && said.because === 'forbidden')
    assert.equal((await h.market.lookUp(LOOK_UP, CONTEXT)).kind, 'unavailable')
    assert.ok(h.alarms.some((fields) => (fields as { event?: string }).event === 'market_account'))
    h.gate.refusal = null
    assert.deepEqual((await h.feed.health()).account?.said, {
      ...{ kind: 'served', balanceMills: 5000n, currency: 'USD' },
    })
  })
}

const LOOK_UP = [{ customId: 'c-1', orderId: '7', offerSeen: false, acceptanceSeen: false }]
