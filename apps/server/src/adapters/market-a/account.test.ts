// An account at market A that is kept in another currency than the dollar, as the whole adapter meets it.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { placeInTurn } from '../shared/testing/place-in-turn.ts'
import { CONTEXT, PURCHASE, startSupplier } from '../shared/testing/supplier-server.ts'
import { createMarketA } from './index.ts'

const EXPORT_INDEX = {
  success: true,
  time: 1,
  currency: 'USD',
  format: ['price', 'id', 'market_hash_name'],
  items: [],
}

async function open(context: TestContext, money: object) {
  const account = { money }
  const calls: string[] = []
  const { adapter, alarms } = await startSupplier(context, ({ url = '' }, reply) => {
    const method = new URL(url, 'http://market').pathname.split('/').at(-1) ?? ''
    calls.push(method)
    const answers: Record<string, object> = {
      'get-money': account.money,
      'buy-for': { success: true, id: '11392691554', price: 50 },
      'USD.json': EXPORT_INDEX,
    }
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(answers[method] ?? {}))
  })
  const { market, feed } = createMarketA({
    ...adapter,
    callSpacingMs: 0,
    takePermit: async () => assert.fail('there is no limit'),
  })
  return { account, calls, alarms, market, feed }
}

test('an account in euros buys nothing, is reported as refused and raises one alarm', async (context) => {
  const h = await open(context, { success: true, money: 123.45, currency: 'EUR' })
  const health = await h.feed.health()
  assert.deepEqual([health.online, health.balanceMills], [true, null])
  const said = health.account?.said
  assert.ok(said?.kind === 'refused' && said.because === 'currency')
  assert.match(said.detail, /kept in EUR, not in USD/)
  const answer = await placeInTurn(h.market, PURCHASE, CONTEXT)
  assert.ok(answer.kind === 'not-sent' && answer.account === 'currency')
  assert.ok('unavailable' in (await h.market.balance(CONTEXT)))
  assert.equal(h.calls.includes('buy-for'), false)
  assert.deepEqual(
    h.alarms.map((fields) => (fields as { event?: string }).event),
    ['market_account_currency'],
  )
})

test('money that settles is shown beside the balance, and not counted', async (context) => {
  const money = { success: true, money: 123.45, money_settlement: 10.5, currency: 'USD' }
  const h = await open(context, money)
  const { balanceMills, settlingMills } = await h.feed.health()
  assert.deepEqual([balanceMills, settlingMills], [123_450n, 10_500n])
  assert.deepEqual(await h.market.balance(CONTEXT), { mills: 123_450n })
})

test('an account whose currency is not known yet is read before the first purchase, once', async (context) => {
  const h = await open(context, { success: true, money: 123.45 })
  assert.equal((await placeInTurn(h.market, PURCHASE, CONTEXT)).kind, 'not-sent')
  h.account.money = { success: true, money: 123.45, currency: 'USD' }
  assert.equal((await placeInTurn(h.market, PURCHASE, CONTEXT)).kind, 'accepted')
  assert.equal((await placeInTurn(h.market, PURCHASE, CONTEXT)).kind, 'accepted')
  assert.deepEqual(h.calls, ['get-money', 'get-money', 'buy-for', 'buy-for'])
  const { account, ...health } = await h.feed.health()
  assert.deepEqual(health, {
    ...{ online: true, balanceMills: 123_450n, settlingMills: null, detail: 'ok' },
  })
  assert.deepEqual(account?.said, { kind: 'served', balanceMills: 123_450n, currency: 'USD' })
})
