import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import type { NewOnrampOrder } from '#ports/deposits'
import { toProviderId } from '../shared/deposit-ids.ts'
import { pageAddress } from './page-address.ts'

const WALLET = `0x${'5a'.repeat(20)}`
const PAGE = { widgetUrl: 'https://ramp.example/main/buy', appId: '42', wallet: WALLET }

const order = (changes: Partial<NewOnrampOrder> = {}): NewOnrampOrder => ({
  orderId: newId(),
  payCurrency: 'EUR',
  pay: 50_05n,
  receiveUsd: cents(50_00n),
  redirectUrl: null,
  coin: null,
  paymentMethod: 'instant',
  expiresAt: new Date(),
  ...changes,
})

test('the address of a card payment names its order, and nothing else', () => {
  const wanted = order()
  const { origin, pathname, searchParams } = new URL(pageAddress(wanted, PAGE))
  assert.equal(`${origin}${pathname}`, 'https://ramp.example/main/buy/')
  assert.deepEqual(Object.fromEntries(searchParams), {
    ...{ appId: '42', walletAddress: WALLET, coinCode: 'usdt', network: 'bep20' },
    ...{ fiatAmount: '50.05', fiatType: '12', paymentMethod: '1', lang: 'en' },
    merchantRecognitionId: toProviderId(wanted.orderId),
  })
})

test('an amount has two digits at most, and no exponent', () => {
  for (const [pay, text] of [
    [100n, '1'],
    [110n, '1.1'],
    [1n, '0.01'],
    [10_000_00n, '10000'],
    [999_999_99n, '999999.99'],
  ] as const) {
    const { searchParams } = new URL(pageAddress(order({ pay }), PAGE))
    assert.equal(searchParams.get('fiatAmount'), text)
  }
})

test('no address of a shop reaches beyond its own value', () => {
  for (const redirectUrl of [
    'https://shop.example/?a=1&walletAddress=0x00',
    'https://shop.example/done#&appId=7',
    'https://shop.example/%26fiatAmount=1 "<>',
  ]) {
    const address = pageAddress(
      order({ redirectUrl, coin: { coinCode: 'usdc', network: 'base' } }),
      PAGE,
    )
    const { searchParams, hash } = new URL(address)
    assert.deepEqual([searchParams.get('redirectUrl'), hash], [redirectUrl, ''])
    assert.deepEqual(searchParams.getAll('walletAddress'), [WALLET])
    assert.deepEqual(searchParams.getAll('appId'), ['42'])
    assert.deepEqual(searchParams.get('coinCode'), 'usdc')
    assert.match(address, /^[!-~]+$/)
  }
})
