import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Harness, type Json, startHarness } from '../testing/harness.ts'
import { type NoticeReceiver, startNoticeReceiver } from '../testing/notice-receiver.ts'

const SECRET = 'sandbox-gateway-secret'

interface Bench extends Harness {
  call(method: 'GET' | 'POST', path: string, body?: unknown, change?: Change): Promise<Json>
  /** The answer with its data as they came. */
  raw: Bench['call']
  create(fields?: Json): Promise<Json>
  query(tradeNo: string): Promise<Json>
  pay(order: Json, amount?: string): Promise<Json>
  script(...next: string[]): Promise<void>
}

type Change = Partial<{ secret: string; timestamp: string; nonce: string; clientId: string }>

let calls = 0

async function startBench(t: TestContext, options: Parameters<typeof startHarness>[1] = {}) {
  const h = await startHarness(t, options)
  const raw: Bench['call'] = async (method, path, body, change = {}) => {
    calls += 1
    const text = body === undefined ? '' : JSON.stringify(body)
    const { secret = SECRET, clientId = 'sandbox-gateway', nonce = `nonce${calls}` } = change
    const timestamp = change.timestamp ?? String(h.nowMs())
    const signature = createHmac('sha512', secret)
      .update(`${timestamp}\n${nonce}\n${text}\n`)
      .digest('hex')
    const response = await fetch(`${h.url}/gateway${path}`, {
      method,
      headers: {
        'X-GatePay-Certificate-ClientId': clientId,
        'X-GatePay-Timestamp': timestamp,
        'X-GatePay-Nonce': nonce,
        'X-GatePay-Signature': signature,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: text }),
    })
    return (await response.json()) as Json
  }
  const call: Bench['call'] = async (...asked) => {
    const answer = await raw(...asked)
    return { ...answer, data: dataOf(answer) }
  }
  const bench: Bench = {
    ...h,
    ...{ call, raw },
    create: async (fields = {}) => {
      const answer = await call('POST', '/v1/pay/address/create', { ...newOrder(h), ...fields })
      assert.equal(answer.status, 'SUCCESS', JSON.stringify(answer))
      return answer.data
    },
    query: async (tradeNo) =>
      (await call('GET', `/v1/pay/address/query?merchantTradeNo=${tradeNo}`)).data,
    pay: (order, amount) =>
      h.control('POST', `/gateway/${order.prepayId}/pay`, amount === undefined ? {} : { amount }),
    script: async (...next) => {
      const answer = await h.control('POST', '/gateway/script', { next })
      assert.equal(answer.status, 200, JSON.stringify(answer))
    },
  }
  return bench
}

/** Some answers carry their data as text. */
const dataOf = ({ data, status }: Json): Json =>
  status === 'SUCCESS' && typeof data === 'string' ? JSON.parse(data) : data

const newOrder = (h: Harness): Json => ({
  merchantTradeNo: 'trade1',
  currency: 'USDT',
  orderAmount: '100',
  env: { terminalType: 'APP' },
  goods: { goodsName: 'Deposit', goodsDetail: '' },
  orderExpireTime: h.nowMs() + 60_000,
  merchantUserId: 1,
  chain: 'TRX',
  fullCurrType: 'USDT_TRX',
})

const BTC = { payCurrency: 'BTC', chain: 'BTC', fullCurrType: 'BTC' }

async function withReceiver(t: TestContext, h: Harness): Promise<NoticeReceiver> {
  const receiver = await startNoticeReceiver(t)
  await h.control('PUT', '/notices', { url: receiver.url })
  return receiver
}

test('a call is refused for its signature, its age, its nonce or its client', async (t) => {
  const h = await startBench(t)
  const list = (change: Change) => h.call('GET', '/v1/pay/address/currencies', undefined, change)
  assert.deepEqual((await list({})).data.currencies.slice(0, 2), ['USDT', 'USDC'])
  assert.equal((await list({ secret: 'other' })).code, '400002')
  assert.equal((await list({ clientId: 'other' })).code, '400002')
  assert.equal((await list({ nonce: 'not a nonce' })).code, '400020')
  for (const awayMs of [-10_001, 10_001]) {
    assert.equal((await list({ timestamp: String(h.nowMs() + awayMs) })).code, '400003')
  }
  assert.equal((await list({ timestamp: String(h.nowMs() - 9_999) })).status, 'SUCCESS')
  assert.equal((await list({ nonce: 'twice' })).status, 'SUCCESS')
  assert.equal((await list({ nonce: 'twice' })).code, '400020')
})

test('chains, minimums and rates are read for each currency', async (t) => {
  const h = await startBench(t)
  const { chains } = (await h.call('GET', '/v1/pay/address/chains?currency=BTC')).data
  assert.deepEqual(
    chains.map(({ chain, full_curr_type }: Json) => [chain, full_curr_type]),
    [
      ['BSC', 'BTC_BSC'],
      ['BTC', 'BTC'],
    ],
  )
  const [pair] = (await h.call('GET', '/v1/pay/convert/pair?side=sell&currency=BTC')).data
  assert.equal(pair.sellCurrencyMin, '0.00006')
  const preview = { buyCurrency: 'USDT', sellCurrency: 'ETH', sellAmount: '2' }
  const { rate, buyAmount } = (await h.call('POST', '/v1/pay/convert/preview', preview)).data
  assert.equal(Number(buyAmount), 2 * Number(rate))
  assert.ok(Number(rate) > 3_200 && Number(rate) < 3_500)
  assert.equal((await h.call('GET', '/v1/pay/address/chains?currency=XRP')).code, '400627')
})

test('an order is created once for each merchant number, and found by both ids', async (t) => {
  const h = await startBench(t)
  const created = await h.create()
  assert.match(created.chain.address, /^T\w{33}$/)
  const again = await h.call('POST', '/v1/pay/address/create', newOrder(h))
  assert.equal(again.code, '400201')
  const byTradeNo = await h.query('trade1')
  const byId = await h.call('GET', `/v1/pay/address/query?prepayId=${created.prepayId}`)
  assert.deepEqual(byId.data, byTradeNo)
  assert.equal(byTradeNo.status, 'PENDING')
  const both = await h.call(
    'GET',
    `/v1/pay/address/query?prepayId=${created.prepayId}&merchantTradeNo=other`,
  )
  assert.equal(both.code, '400202')
})

test('an order of a wrong form is refused with the code of its fault', async (t) => {
  const h = await startBench(t)
  for (const [change, code] of [
    [{ merchantTradeNo: 'x'.repeat(33) }, '400001'],
    [{ orderExpireTime: h.nowMs() - 1 }, '400001'],
    [{ chain: 'BTC', fullCurrType: 'USDT_BTC' }, '400627'],
    [{ fullCurrType: 'USDC_TRX' }, '400627'],
    [{ orderAmount: '4.99' }, '400621'],
    [{ orderAmount: '1e3' }, '400621'],
    [{ orderAmount: '5.1234567' }, '400621'],
  ] as const) {
    const answer = await h.call('POST', '/v1/pay/address/create', { ...newOrder(h), ...change })
    assert.equal(answer.code, code, JSON.stringify(change))
  }
})

test('a payment is confirmed after its time, and parts add up to a paid order', async (t) => {
  const h = await startBench(t)
  const order = await h.create()
  await h.pay(order, '40.5')
  let seen = await h.query('trade1')
  assert.equal(seen.transaction_info.done_amount_total, '0')
  assert.equal(seen.transaction_info.confirming_tx_item_list[0].amount, '40.5')
  h.advance(1_000)
  seen = await h.query('trade1')
  assert.deepEqual([seen.status, seen.transaction_info.done_amount_total], ['PENDING', '40.5'])
  await h.pay(order)
  h.advance(1_000)
  seen = await h.query('trade1')
  assert.deepEqual([seen.status, seen.transaction_info.done_amount_total], ['PAID', '100'])
  assert.deepEqual([seen.totalFeeAmount, seen.totalSettleAmount], ['0.5', '99.5'])
  await h.pay(order, '12')
  h.advance(1_000)
  seen = await h.query('trade1')
  assert.deepEqual([seen.status, seen.transaction_info.done_amount_total], ['PAID', '112'])
})

test('an order expires with what it has, waits for what is on its way, and keeps what comes late', async (t) => {
  const h = await startBench(t)
  const partly = await h.create()
  await h.pay(partly, '30')
  h.advance(60_000)
  assert.equal((await h.query('trade1')).status, 'EXPIRED')
  await h.pay(partly, '70')
  h.advance(1_000)
  const late = await h.query('trade1')
  assert.deepEqual([late.status, late.transaction_info.done_amount_total], ['EXPIRED', '100'])

  const inTime = await h.create({ merchantTradeNo: 'trade2' })
  h.advance(59_500)
  await h.pay(inTime)
  const expired = await h.control('POST', `/gateway/${inTime.prepayId}/expire`)
  assert.equal(expired.status, 'PROCESS')
  h.advance(1_000)
  assert.equal((await h.query('trade2')).status, 'PAID')
})

test('a convert order is credited in USDT at its own rate, late payments after a while at the new one', async (t) => {
  const h = await startBench(t)
  const order = await h.create(BTC)
  assert.deepEqual(Object.keys(order), ['prepayId', 'terminalType', 'expireTime', 'chain'])
  let seen = await h.query('trade1')
  assert.ok(Number(seen.payAmount) > 0.001 && Number(seen.payAmount) < 0.0011)
  await h.pay(order)
  h.advance(1_000)
  seen = await h.query('trade1')
  assert.equal(seen.status, 'PAID')
  assert.equal(seen.transaction_info.done_tx_item_list[0].inUsdt, '100')
  h.advance(60_000)
  await h.pay(order, '0.001')
  h.advance(1_000)
  seen = await h.query('trade1')
  assert.equal(seen.transaction_info.delay_tx_item_list[0].amount, '0.001')
  h.advance(3_000)
  const [, late] = (await h.query('trade1')).transaction_info.done_tx_item_list
  assert.ok(Number(late.inUsdt) > 90 && Number(late.inUsdt) < 105)
})

test('a script delays a conversion, blocks a payment, or lets the conversion fail', async (t) => {
  const h = await startBench(t)
  for (const [word, status] of [
    ['payment_blocked', 'BLOCK'],
    ['exchange_failed', 'ERROR'],
    ['conversion_delay:30', 'PENDING'],
  ] as const) {
    await h.script(word)
    const order = await h.create({ ...BTC, merchantTradeNo: word.replace(/\W/g, '') })
    await h.pay(order)
    h.advance(2_000)
    assert.equal((await h.query(word.replace(/\W/g, ''))).status, status, word)
  }
  h.advance(30_000)
  assert.equal((await h.query('conversion_delay30')).status, 'PAID')
})

test('an unpaid order is closed, a refund is listed, and the statement has every movement', async (t) => {
  const h = await startBench(t)
  const closed = await h.create()
  const close = (merchantTradeNo: string) =>
    h.call('POST', '/v1/pay/order/close', { merchantTradeNo })
  assert.equal((await close('trade1')).data.result, 'SUCCESS')
  await h.pay(closed, '10')
  h.advance(1_000)
  const paid = await h.query('trade1')
  assert.deepEqual([paid.status, paid.transaction_info.done_amount], ['CLOSED', '10'])
  assert.equal((await close('trade1')).data.result, 'SUCCESS')
  const paidOnce = await h.create({ merchantTradeNo: 'trade2' })
  await h.pay(paidOnce, '5')
  assert.equal((await close('trade2')).code, '400204')
  const refund = (fields: Json) => h.control('POST', `/gateway/${closed.prepayId}/refund`, fields)
  assert.equal((await refund({ amount: '10.01' })).status, 409)
  await refund({ amount: '4', state: 'rejected' })
  await refund({})
  const { refundList } = await h.query('trade1')
  assert.deepEqual(
    refundList.map(({ refundAmount, status }: Json) => [refundAmount, status]),
    [
      ['4', 'REFUND_REJECTED'],
      ['10', 'REFUND_SUCCESS'],
    ],
  )
  assert.deepEqual(
    (await statement(h)).map(({ financialType, payAmount }: Json) => [financialType, payAmount]),
    [
      ['refund_fi', '-10'],
      ['distribution_fi', '-0.05'],
      ['receipt_fi', '10'],
    ],
  )
})

const STATEMENT = '/v1/pay/bill/orderlist'
const windowOf = (h: Harness, more = ''): string =>
  `?startTime=${h.nowMs() - 3_600_000}&endTime=${h.nowMs()}&page=1&count=500${more}`
const statement = async (h: Bench): Promise<Json[]> =>
  (await h.call('GET', STATEMENT + windowOf(h))).data.balance_history_item_list

test('a statement is read in pages of at most a day, and its old path is none', async (t) => {
  const h = await startBench(t)
  const order = await h.create()
  for (const amount of ['1', '2', '3']) {
    await h.pay(order, amount)
    h.advance(1_000)
  }
  const { total, hasNext, nextPage } = (
    await h.call('GET', STATEMENT + windowOf(h).replace('count=500', 'count=4'))
  ).data
  assert.deepEqual([total, hasNext, nextPage], [6, true, 2])
  const receipts = (await statement(h)).filter(
    ({ financialType }) => financialType === 'receipt_fi',
  )
  assert.deepEqual(
    receipts.map(({ payAmount, hash }) => [payAmount, hash === '']),
    [
      ['3', false],
      ['2', true],
      ['1', false],
    ],
  )
  const wide = windowOf(h).replace(/startTime=\d+/, `startTime=${h.nowMs() - 86_400_001}`)
  assert.equal((await h.call('GET', STATEMENT + wide)).code, '400001')
  assert.equal((await h.get(`/gateway/v1/pay/bill/list${windowOf(h)}`)).status, 404)
})

test('a success has no code each third time, and its data as text each fifth', async (t) => {
  const h = await startBench(t)
  const answers: string[] = []
  for (let call = 1; call <= 5; call += 1) {
    const { code, data } = await h.raw('GET', '/v1/pay/address/currencies')
    answers.push(`${code} ${typeof data}`)
  }
  assert.deepEqual(answers, [
    ...['000000 object', '000000 object', 'null object', '000000 object', '000000 string'],
  ])
})

test('a look-up without its list names the sum, and the details name each transaction', async (t) => {
  const h = await startBench(t)
  await h.control('PUT', '/gateway', { paymentLists: false })
  const order = await h.create()
  await h.pay(order, '30')
  h.advance(60_000)
  await h.pay(order, '70')
  h.advance(1_000)
  const { transaction_info } = await h.query('trade1')
  assert.deepEqual(
    [transaction_info.done_amount_total, transaction_info.done_tx_item_list],
    ['100', undefined],
  )
  const path = `/v1/pay/address/transactiondetail?prepayId=${order.prepayId}`
  const { inTerm, outOfTerm } = (await h.call('GET', path)).data.transactionDetail
  assert.deepEqual(
    [inTerm.done.txList, outOfTerm.done.txList].map(([{ amount }]) => amount),
    ['30', '70'],
  )
})

test('a scripted create loses its answer with or without an order', async (t) => {
  const h = await startBench(t)
  for (const [word, isPlaced] of [
    ['lost_reply_placed', true],
    ['lost_reply_not_placed', false],
  ] as const) {
    await h.script(word)
    const merchantTradeNo = word
    await assert.rejects(h.create({ merchantTradeNo }))
    assert.equal((await h.query(word)).prepayId !== undefined, isPlaced)
  }
  await h.script('http_500+placed', 'reject:400627')
  const answer = await h.call('POST', '/v1/pay/address/create', newOrder(h))
  assert.equal(answer.code, '300000')
  assert.equal((await h.query('trade1')).status, 'PENDING')
  const refused = await h.call('POST', '/v1/pay/address/create', {
    ...newOrder(h),
    merchantTradeNo: 'trade2',
  })
  assert.equal(refused.code, '400627')
  assert.equal((await h.control('POST', '/gateway/script', { next: ['nonsense'] })).status, 400)
})

test('notices are signed, repeated on their schedule, and end with the provider’s acknowledgement', async (t) => {
  const h = await startBench(t)
  const receiver = await withReceiver(t, h)
  receiver.answer = { status: 200, body: '{"success":true}' }
  const order = await h.create()
  await h.pay(order)
  h.advance(1_000)
  await receiver.count(2)
  const [first] = receiver.received
  assert.ok(first)
  assert.equal(first.path, '/inbound/gateway')
  const header = (name: string): string => String(first.headers[`x-gatepay-${name}`])
  const signature = createHmac('sha512', SECRET)
    .update(`${header('timestamp')}\n${header('nonce')}\n${first.body}\n`)
    .digest('hex')
  assert.equal(header('signature'), signature)
  const body = JSON.parse(first.body) as Json
  assert.deepEqual(
    [body.bizType, body.bizStatus, JSON.parse(body.data).merchantTradeNo],
    ['TRANSFER_ADDRESS', 'TRANSFERRED_ADDRESS_IN_TERM', 'trade1'],
  )
  receiver.answer = { status: 200, body: '{"returnCode":"SUCCESS"}' }
  await settled(h, 'waiting')
  h.advance(15_000)
  await receiver.count(4)
  await settled(h, 'received')
  h.advance(3_600_000)
  assert.equal(receiver.received.length, 4)
})

test('notices are lost, doubled, reordered, forged and replayed by script', async (t) => {
  const h = await startBench(t)
  const receiver = await withReceiver(t, h)
  const statuses = (): string[] =>
    receiver.received.map(({ body }) => (JSON.parse(body) as Json).bizStatus)
  const orderOf = (merchantTradeNo: string) => h.create({ merchantTradeNo })

  await h.script('notice_reordered')
  await h.pay(await orderOf('reordered'))
  h.advance(1_000)
  await receiver.count(2)
  assert.deepEqual(new Set(statuses()).size, 2)
  assert.equal(statuses()[0], 'PAY_SUCCESS')

  await h.script('notice_lost', 'notice_doubled')
  await h.pay(await orderOf('lost'))
  h.advance(1_000)
  await receiver.count(4)
  assert.deepEqual(statuses().slice(2), ['PAY_SUCCESS', 'PAY_SUCCESS'])

  await h.script('notice_forged')
  await h.pay(await orderOf('forged'))
  h.advance(1_000)
  await receiver.count(7)
  const amounts = receiver.received
    .slice(4)
    .map(({ body }) => /"amount\\":\\"(\d+)/.exec(body)?.[1])
  assert.ok(amounts.includes('999100') && amounts.includes('100'))

  await settled(h, 'received')
  await h.script('replay_notices')
  await receiver.count(13)
})

test('orders, their times and their notices survive a restart', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-gateway-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  let nowMs = 0
  await t.test('an order is paid before the restart', async (before) => {
    const h = await startBench(before, { config: { dataDir } })
    await h.pay(await h.create())
    nowMs = h.nowMs()
  })
  const h = await startBench(t, { config: { dataDir }, startMs: nowMs + 500 })
  const receiver = await withReceiver(t, h)
  assert.equal((await h.query('trade1')).transaction_info.done_amount, '0')
  h.advance(500)
  assert.equal((await h.query('trade1')).status, 'PAID')
  await receiver.count(2)
})

/** Waits until every notice is in this state: an answer arrives in its own time. */
async function settled(h: Harness, state: string): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const { items } = await h.control('GET', '/gateway/notices')
    const open = items.filter((item: Json) => item.state !== state && item.state !== 'lost')
    if (open.every((item: Json) => item.state === 'given_up')) return
  }
  assert.fail(`the notices are not ${state}`)
}
