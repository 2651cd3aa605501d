import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type Harness, type Json, startHarness } from '../testing/harness.ts'
import { startNoticeReceiver } from '../testing/notice-receiver.ts'

const SECRET = 'sandbox-onramp-secret'
const WALLET = `0x${'ab'.repeat(20)}`

interface Bench extends Harness {
  call(path: string, body: unknown, change?: Change): Promise<Json>
  /** Opens the page at the address of an order. */
  page(fields?: Json): Promise<Response>
  create(fields?: Json): Promise<Json>
  order(recognitionId?: string): Promise<Json>
  script(...next: string[]): Promise<void>
}

type Change = Partial<{ secret: string; timestamp: number; apiKey: string }>

const V2 = '/onramp/api/v2/common/transaction'

async function startBench(t: TestContext): Promise<Bench> {
  const h = await startHarness(t)
  const call: Bench['call'] = async (path, body, change = {}) => {
    const { secret = SECRET, timestamp = h.nowMs(), apiKey = 'sandbox-onramp' } = change
    const payload = Buffer.from(JSON.stringify({ timestamp, body })).toString('base64')
    const response = await fetch(`${h.url}/onramp${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'X-ONRAMP-APIKEY': apiKey,
        'X-ONRAMP-PAYLOAD': payload,
        'X-ONRAMP-SIGNATURE': createHmac('sha512', secret).update(payload).digest('hex'),
      },
      body: JSON.stringify(body),
    })
    return (await response.json()) as Json
  }
  return {
    ...h,
    call,
    page: async (fields = {}) =>
      fetch(`${h.url}/onramp/main/buy/?${new URLSearchParams({ ...NEW_ORDER, ...fields })}`),
    create: async (fields = {}) => {
      const page = `${h.url}/onramp/main/buy/?${new URLSearchParams({ ...NEW_ORDER, ...fields })}`
      const begun = await fetch(page, { redirect: 'manual' })
      assert.equal(begun.status, 303, await begun.text())
      const hash = /hash=(\w+)$/.exec(begun.headers.get('location') ?? '')?.[1] ?? ''
      const { items } = await h.control('GET', '/onramp/orders')
      const order = items.find(({ pagePath }: Json) => pagePath.endsWith(hash))
      return { hash, orderId: order.orderId }
    },
    order: async (recognitionId = 'deposit-1') => {
      const { data } = await call('/onramp/api/v1/transaction/merchantHistory', { order: 'DESC' })
      return data.find((one: Json) => one.merchantRecognitionId === recognitionId)
    },
    script: async (...next) => {
      const answer = await h.control('POST', '/onramp/script', { next })
      assert.equal(answer.status, 200, JSON.stringify(answer))
    },
  }
}

const NEW_ORDER = {
  ...{ appId: '1', coinCode: 'usdt', network: 'bep20', fiatType: '21', fiatAmount: '100' },
  ...{ walletAddress: WALLET, merchantRecognitionId: 'deposit-1' },
  redirectUrl: 'https://shop.example/back?cart=7',
}

test('a call is refused for its signature, its key or its age', async (t) => {
  const h = await startBench(t)
  const limits = (change: Change) => h.call(`${V2}/limits`, { type: 1 }, change)
  assert.deepEqual((await limits({})).data.onramp['21'], { min: 15, max: 12_500 })
  assert.equal((await limits({ secret: 'other' })).code, 401)
  assert.equal((await limits({ apiKey: 'other' })).code, 401)
  assert.equal((await limits({ timestamp: h.nowMs() - 60_001 })).code, 401)
})

test('the configuration names fiat types, coins and the networks of our chains', async (t) => {
  const h = await startBench(t)
  const { data } = await h.call(`${V2}/allConfigMapping`, {})
  assert.deepEqual(data.fiatSymbolMapping, { EUR: 12, GBP: 20, USD: 21 })
  assert.deepEqual(data.coinSymbolMapping, { usdt: 54, usdc: 116 })
  assert.deepEqual(Object.keys(data.chainSymbolMapping), [
    ...['erc20', 'bep20', 'arbitrum', 'base', 'optimism'],
  ])
  const countries = (await h.call(`${V2}/allCountryConfig`, {})).data
  assert.deepEqual(
    [countries.DE.fiatType, countries.GB.fiatType, countries.US.fiatType],
    [12, 20, 21],
  )
})

test('a quote takes its fees from the money, rounds the tokens down, and refuses what it does not serve', async (t) => {
  const h = await startBench(t)
  const quote = (fields: Json) =>
    h.call(`${V2}/quotes`, {
      ...{ coinCode: 'usdc', network: 'base', fiatType: 21, fiatAmount: 100, type: 1 },
      ...fields,
    })
  const { data } = await quote({})
  const { rate, quantity, onrampFee, gatewayFee, gasFee } = data
  assert.deepEqual([onrampFee, gatewayFee], [1, 2.5])
  assert.equal(quantity, Math.floor(((100 - 3.5 - gasFee) / rate) * 100) / 100)
  assert.equal((await quote({ fiatAmount: 14.99 })).code, 413)
  assert.equal((await quote({ fiatAmount: 12_500.01 })).code, 413)
  assert.equal((await quote({ fiatAmount: '1e3' })).code, 409)
  assert.equal((await quote({ coinCode: 'btc' })).code, 406)
  assert.equal((await quote({ fiatType: 1 })).code, 400)
  assert.equal((await quote({ countryCode: 'DE' })).code, 403)
  assert.equal((await quote({ countryCode: 'US' })).status, 1)
})

test('a person pays on the page and is sent back, and pressing twice pays once', async (t) => {
  const h = await startBench(t)
  const { hash, orderId } = await h.create()
  const page = await h.get(`/onramp/checkout?hash=${hash}`)
  const html = await page.text()
  assert.match(html, /<button class="primary" name="choice" value="pay">Pay 100.00 USD</)
  assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self'/)
  const press = (choice: string) =>
    fetch(`${h.url}/onramp/checkout`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ hash, choice }),
    })
  const result = await (await press('pay')).text()
  assert.match(result, /Payment received/)
  const back = /content="3; url=([^"]+)"/.exec(result)?.[1] ?? ''
  const { searchParams, host } = new URL(back.replaceAll('&#38;', '&'))
  assert.equal(host, 'shop.example')
  assert.deepEqual(
    ['cart', 'orderId', 'status'].map((name) => searchParams.get(name)),
    ['7', String(orderId), 'pending'],
  )
  await press('cancel')
  h.advance(1_500)
  const order = await h.order()
  assert.deepEqual([order.status, order.actualCryptoAmount], [15, order.expectedCryptoAmount])
})

test('the page fails a payment in each way, and knows no foreign hash', async (t) => {
  const h = await startBench(t)
  for (const [choice, status] of [
    ['wrong-amount', -4],
    ['other-name', -3],
    ['cancel', -2],
  ] as const) {
    const { hash } = await h.create({ merchantRecognitionId: choice })
    const answer = await fetch(`${h.url}/onramp/checkout`, {
      method: 'POST',
      body: new URLSearchParams({ hash, choice }),
    })
    assert.match(await answer.text(), /status=failed/)
    assert.equal((await h.order(choice)).status, status)
  }
  assert.equal((await h.get('/onramp/checkout?hash=0')).status, 404)
  await h.create({ merchantRecognitionId: 'slow' })
  h.advance(1_200_000)
  assert.equal((await h.order('slow')).status, -1)
})

test('an address of a script is shown as text', async (t) => {
  const h = await startBench(t)
  const redirectUrl = 'https://shop.example/"><script>alert(1)</script>'
  const { hash } = await h.create({ redirectUrl })
  await h.control('POST', '/onramp/deposit-1/fail')
  const html = await (await h.get(`/onramp/checkout?hash=${hash}`)).text()
  assert.ok(!html.includes('<script'))
  assert.equal((await h.page({ redirectUrl: 'javascript:alert(1)' })).status, 400)
})

test('control completes or fails an order by either id, once', async (t) => {
  const h = await startBench(t)
  const { orderId } = await h.create()
  const done = await h.control('POST', '/onramp/deposit-1/complete', { amount: '12.34' })
  assert.deepEqual([done.status, done.sentAmount], [15, '12.34'])
  assert.equal((await h.control('POST', `/onramp/${orderId}/fail`)).status, 409)
  assert.equal((await h.control('POST', '/onramp/none/fail')).status, 404)
  await h.create({ merchantRecognitionId: 'second' })
  const failed = await h.control('POST', '/onramp/second/fail', { reason: 'name_mismatch' })
  assert.equal(failed.status, -3)
})

test('only success is announced, with a signed payload that repeats the body', async (t) => {
  const h = await startBench(t)
  const receiver = await startNoticeReceiver(t)
  await h.control('PUT', '/notices', { url: receiver.url })
  await h.create({ merchantRecognitionId: 'fails' })
  await h.control('POST', '/onramp/fails/fail')
  await h.create()
  await h.control('POST', '/onramp/deposit-1/complete')
  h.advance(0)
  await receiver.count(1)
  const [notice] = receiver.received
  assert.ok(notice)
  assert.equal(notice.path, '/inbound/onramp')
  const payload = String(notice.headers['x-onramp-payload'])
  const signature = createHmac('sha512', SECRET).update(payload).digest('hex')
  assert.equal(notice.headers['x-onramp-signature'], signature)
  const { body } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) as Json
  assert.deepEqual(body, JSON.parse(notice.body))
  assert.deepEqual([body.merchantRecognitionId, body.status], ['deposit-1', 15])
})

test('an order begins when its page is opened, once for each id', async (t) => {
  const h = await startBench(t)
  assert.equal(await h.order(), undefined)
  const { orderId } = await h.create()
  assert.deepEqual(await h.create().then((again) => again.orderId), orderId)
  assert.match(await (await h.page()).text(), /Pay 100.00 USD/)
  const { appId, status } = await h.order()
  assert.deepEqual([appId, status], [1, 0])
  const again = await h.control('POST', '/onramp/deposit-1/again')
  assert.notEqual(again.orderId, orderId)
  const unnamed = await h.create({ merchantRecognitionId: '' })
  assert.notEqual((await h.create({ merchantRecognitionId: '' })).orderId, unnamed.orderId)
})

test('an address that is not whole is refused to its reader, and a call makes no card payment', async (t) => {
  const h = await startBench(t)
  for (const change of [
    { appId: '2' },
    { appId: '' },
    { walletAddress: '' },
    { coinCode: 'btc' },
    { fiatAmount: '100.005' },
    { fiatAmount: '1e3' },
    { fiatAmount: '14.99' },
    { merchantRecognitionId: 'a b' },
  ]) {
    const page = await h.page(change)
    assert.equal(page.status, 400, JSON.stringify(change))
    assert.match(await page.text(), /Begin again in the shop/)
  }
  const intent = await h.call('/onramp-merchants/widget/createIntent', { ...NEW_ORDER, type: 1 })
  assert.equal(intent.code, 400)
  assert.deepEqual((await h.control('GET', '/onramp/orders')).items, [])
})

test('a scripted query shows false figures', async (t) => {
  const h = await startBench(t)
  await h.create({ merchantRecognitionId: 'placed' })
  assert.equal(
    (await h.control('POST', '/onramp/script', { next: ['lost_reply_placed'] })).status,
    400,
  )
  await h.script('sends:1.00')
  await h.control('POST', '/onramp/placed/complete')
  assert.equal((await h.order('placed')).actualCryptoAmount, 1)
  await h.script('other_wallet', 'false_amount:1e9')
  assert.notEqual((await h.order('placed')).walletAddress, WALLET)
  assert.equal((await h.order('placed')).actualCryptoAmount, '1e9')
  await h.script('lookup_blind:5')
  assert.equal(await h.order('placed'), undefined)
})
