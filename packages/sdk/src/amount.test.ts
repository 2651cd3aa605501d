import assert from 'node:assert/strict'
import { it } from 'node:test'
import { merchantRoutes } from '@tradepost/contract'
import { compile } from '../../contract/src/testing/validator.ts'
import { amountText } from './amount.ts'
import { aClient } from './testing/a-client.ts'
import { startScripted, success } from './testing/scripted-server.ts'

it('every amount of cents has one text, with two decimals', () => {
  for (const cents of [1, 9, 10, 99, 100, 1_230, 123_456, 99_999_999_999]) {
    const text = amountText('price', cents / 100)
    assert.match(text, /^\d+\.\d{2}$/)
    assert.equal(BigInt(text.replace('.', '')), BigInt(cents))
  }
  assert.equal(amountText('price', '12.5'), '12.5')
})

it('a number that is no amount of whole cents is refused', () => {
  for (const amount of [0, -1, 0.001, 12.345, 1e9, 1e21, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => amountText('price', amount), { name: 'TypeError', message: /^price / })
  }
})

it('a sell takes the price that the inventory showed and sends it in the form of the contract', async () => {
  await using server = await startScripted()
  const { tradepost } = aClient(server.baseUrl)
  const accepts = compile(merchantRoutes.sell.body)
  for (const price of [0.07, 12.5, 1234, '12.50']) {
    server.script(success({ id: 'the-trade' }))
    await tradepost.selling.sell({ items: [{ id: 'MjozMTI0NTY', price }], externalId: 'sell-1' })
    const body = JSON.parse(server.requests.at(-1)?.body ?? '') as { items: { price: unknown }[] }
    assert.ok(accepts(body), String(price))
    assert.equal(Number(body.items[0]?.price), Number(price))
  }
  assert.throws(() => tradepost.selling.sell({ items: [{ id: 'a', price: 0.001 }] }), TypeError)
  assert.equal(server.requests.length, 4)
})
