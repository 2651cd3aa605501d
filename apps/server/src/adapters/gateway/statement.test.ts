import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#kernel/id'
import { toProviderId } from '../shared/deposit-ids.ts'
import type { CallGateway } from './calls.ts'
import { readStatement } from './statement.ts'

const FROM = new Date('2026-11-22T00:00:00.000Z')
const HOUR_MS = 3_600_000
const depositId = newId()
let lines = 0

const line = (changes: object = {}) => ({
  transactId: `t${++lines}`,
  transactTime: FROM.getTime(),
  ...{ orderId: '7', merchantTradeNo: toProviderId(depositId), financialType: 'receipt_fi' },
  ...{ payAmount: '10', currency: 'USDT', hash: `0x${lines}`, status: 'PAID' },
  ...changes,
})

/** Answers as the pages that are given, by their number from 1. */
const pagesOf =
  (page: (number: number) => object): CallGateway =>
  async ({ query }) => ({ kind: 'success', data: page(Number(query?.page)) })

const onePage = (...items: readonly object[]) =>
  pagesOf(() => ({ hasNext: false, nextPage: 0, balance_history_item_list: items }))

const read = (call: CallGateway, hours = 1) =>
  readStatement({ from: FROM, until: new Date(FROM.getTime() + hours * HOUR_MS) }, call, {
    requestId: 'statement',
  })

const movements = async (...items: readonly object[]) => {
  const answer = await read(onePage(...items))
  assert.ok(answer.kind === 'read', JSON.stringify(answer))
  return answer.value.map((one) =>
    one.kind === 'other' ? 'other' : `${one.kind} ${one.ref} ${one.amountToken} ${one.currency}`,
  )
}

const detailOf = async (call: CallGateway) => {
  const answer = await read(call)
  return answer.kind === 'unavailable' ? answer.detail : `${answer.value.length} lines`
}

test('a movement is a payment or a refund by its kind and its sign, and anything else is neither', async () => {
  assert.deepEqual(
    await movements(
      line({ hash: '0xa' }),
      line({ hash: '' }),
      line({ hash: null }),
      line({ financialType: 'refund_fi', payAmount: '-4', hash: '0xb' }),
      line({ financialType: 'convert_refund_fi', payAmount: '-0.5' }),
      line({ financialType: 'refund_fi', payAmount: '4' }),
      line({ payAmount: '-10' }),
      line({ payAmount: '0' }),
      line({ financialType: 'distribution_fi', payAmount: '-0.05' }),
      line({ financialType: 'of a later year', payAmount: 'much', orderId: null }),
    ),
    [
      ...['payment 7/0xa 10 USDT', 'payment null 10 USDT', 'payment null 10 USDT'],
      ...['refund null 4 USDT', 'refund null 0.5 USDT'],
      ...['other', 'other', 'other', 'other', 'other'],
    ],
  )
})

test('one transaction may pay two orders, and of one that pays an order twice only the sum counts', async () => {
  assert.deepEqual(
    await movements(
      line({ hash: '0xa' }),
      line({ hash: '0xa', orderId: '8' }),
      line({ hash: '0xb' }),
      line({ hash: '0xb', payAmount: '3' }),
    ),
    [
      ...['payment 7/0xa 10 USDT', 'payment 8/0xa 10 USDT'],
      ...['payment null 10 USDT', 'payment null 3 USDT'],
    ],
  )
})

test('a payment or a refund that is not whole makes the statement unreadable', async () => {
  for (const changes of [
    { orderId: '' },
    { currency: null },
    { payAmount: '1e3' },
    { payAmount: null },
    { transactTime: 'noon' },
    { transactTime: null },
    { financialType: null },
    { transactId: null },
  ]) {
    assert.equal((await read(onePage(line(changes)))).kind, 'unavailable', JSON.stringify(changes))
  }
})

test('twenty thousand lines are read in pages, a line that two pages show once', async () => {
  const all = Array.from({ length: 20_000 }, () => line())
  const call = pagesOf((page) => ({
    hasNext: page < 41,
    nextPage: page + 1,
    // A line that came after the first page has moved all others by one.
    balance_history_item_list:
      page === 1 ? all.slice(0, 500) : all.slice((page - 1) * 500 - 1, page * 500 - 1),
  }))
  assert.equal(await detailOf(call), '20000 lines')
})

test('each day is asked for alone, and no moment twice', async () => {
  const asked: string[] = []
  const call: CallGateway = async ({ query }) => {
    asked.push(`${query?.startTime}-${query?.endTime}`)
    return { kind: 'success', data: { hasNext: false, balance_history_item_list: [] } }
  }
  await read(call, 49)
  const at = (hours: number, moreMs = 0) => FROM.getTime() + hours * HOUR_MS + moreMs
  assert.deepEqual(asked, [
    `${at(0)}-${at(24, -1)}`,
    `${at(24)}-${at(48, -1)}`,
    `${at(48)}-${at(49)}`,
  ])
})

test('pages that repeat, go back or never end are no statement', async () => {
  const same = [line(), line()]
  const repeats = pagesOf((page) => ({
    ...{ hasNext: true, nextPage: page + 1, balance_history_item_list: same },
  }))
  assert.equal(await detailOf(repeats), 'the statement repeats itself')
  const back = pagesOf(() => ({
    ...{ hasNext: true, nextPage: 1, balance_history_item_list: [line()] },
  }))
  assert.equal(await detailOf(back), 'the statement does not go on')
  const endless = pagesOf((page) => ({
    ...{ hasNext: true, nextPage: page + 1, balance_history_item_list: [line()] },
  }))
  assert.equal(await detailOf(endless), 'the statement is too long')
  const silent = pagesOf(() => ({
    balance_history_item_list: Array.from({ length: 500 }, () => line()),
  }))
  assert.equal(await detailOf(silent), 'the statement does not say whether it goes on')
  assert.equal(
    await detailOf(pagesOf(() => ({ balance_history_item_list: 'none' }))),
    'the statement is no list',
  )
  assert.equal(await detailOf(pagesOf(() => ({ hasNext: false }))), '0 lines')
})
