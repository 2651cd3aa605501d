import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createPriceList as createPriceListA } from '../market-a/prices.ts'
import { createPriceList as createPriceListB } from '../market-b/prices.ts'

const { signal } = new AbortController()

async function serve(t: TestContext, text: string): Promise<string> {
  const server = createServer((_, reply) => reply.end(text)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const NAME = 'AK-47 | Redline (Field-Tested)'
const listA = (head: object, ...items: object[]) => JSON.stringify({ ...head, items })
const HEAD = { success: true, time: 1_700_000_000, currency: 'USD' }

test('market A names a price, sales and the age of its list', async (t) => {
  const row = { market_hash_name: NAME, volume: '120', price: '0.620' }
  const list = await createPriceListA(await serve(t, listA(HEAD, row))).fetch(signal)
  assert.deepEqual(list, {
    madeAt: new Date(1_700_000_000_000),
    unreadable: 0,
    prices: [{ marketHashName: NAME, phase: null, pricesMills: [620n], volume: 120 }],
  })
})

test('a price that is spelled in another way, or is none, is not read', async (t) => {
  const rows = ['1e3', '-0.5', '0', 'x', null, '0.1234567'].map((price) => ({
    ...{ market_hash_name: NAME, price },
  }))
  const list = await createPriceListA(await serve(t, listA(HEAD, ...rows))).fetch(signal)
  assert.deepEqual([list.prices.length, list.unreadable], [0, 6])
  const rowsB = [{ name: NAME, min: '1e3' }, { name: NAME, min: -5 }, { min: 100 }]
  const text = listA({ success: true }, ...rowsB)
  const listB = await createPriceListB(await serve(t, text)).fetch(signal)
  assert.deepEqual([listB.prices.length, listB.unreadable], [0, 3])
})

test('a list in another currency, of unknown age, cut or refused is none', async (t) => {
  const row = { market_hash_name: NAME, price: '0.620' }
  for (const text of [
    listA({ ...HEAD, currency: 'RUB' }, row),
    listA({ success: true, currency: 'USD' }, row),
    listA({ ...HEAD, success: false }, row),
    listA(HEAD, row).slice(0, -2),
    '<html>',
  ]) {
    await assert.rejects(createPriceListA(await serve(t, text)).fetch(signal), text)
  }
})

test('market B names the cheapest offer and the platform’s price, with the phase in the name', async (t) => {
  const items = [
    { name: '★ Karambit | Doppler Ruby (Factory New)', count: 2, min: 900, steam_price: '1000' },
    { name: NAME, count: 0, min: 0, steam_price: '31000' },
  ]
  const list = await createPriceListB(await serve(t, listA({ success: true }, ...items))).fetch(
    signal,
  )
  assert.deepEqual(list.prices, [
    {
      ...{ marketHashName: '★ Karambit | Doppler (Factory New)', phase: 'Ruby' },
      ...{ pricesMills: [900n, 1000n], volume: null },
    },
    { marketHashName: NAME, phase: null, pricesMills: [31_000n], volume: null },
  ])
})
