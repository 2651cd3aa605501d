import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPayoutBatchCsv } from './payout-batch-csv.ts'

const HEAD = 'externalId,chain,token,destination,amount'

test('each record is a withdrawal in cents, with columns in any order, quotation marks and a sub-user', () => {
  const text =
    '\uFEFFamount,forUser,destination,"token",chain,externalId\r\n25.5,ann,0x1,USDC,base,"a ""b"",\nc"\r\n\r\n1,,0x2,NATIVE,bsc,d\r\n'
  assert.deepEqual(readPayoutBatchCsv(text), [
    {
      ...{ line: 2, externalId: 'a "b",\nc', chain: 'base', token: 'USDC', destination: '0x1' },
      ...{ amountCents: 2550, forUser: 'ann' },
    },
    {
      ...{ line: 5, externalId: 'd', chain: 'bsc', token: 'NATIVE', destination: '0x2' },
      ...{ amountCents: 100, forUser: '' },
    },
  ])
})

test('an amount that is not dollars with at most two decimals is not a number, and the record is kept', () => {
  const amounts = ['1.234', '-1', '1e3', '1,5', '12345678901', 'x', '']
  const lines = amounts.map((amount) => `a,base,USDC,0x1,"${amount}"`)
  const rows = readPayoutBatchCsv([HEAD, ...lines].join('\n'))
  assert.ok(!('problem' in rows))
  assert.deepEqual(
    rows.map(({ amountCents }) => amountCents),
    amounts.map(() => Number.NaN),
  )
})

test('a file without a column or with a stray quotation mark is refused whole, with what and where', () => {
  assert.deepEqual(readPayoutBatchCsv('externalId,chain\na,base'), {
    problem: 'columns',
    missing: ['token', 'destination', 'amount'],
  })
  assert.deepEqual(readPayoutBatchCsv(''), {
    problem: 'columns',
    missing: ['externalId', 'chain', 'token', 'destination', 'amount'],
  })
  for (const stray of ['a"b,base,USDC,0x1,1', '"a,base,USDC,0x1,1']) {
    const text = `${HEAD}\na,base,USDC,0x1,1\n${stray}`
    assert.deepEqual(readPayoutBatchCsv(text), { problem: 'quotation', line: 3 })
  }
  assert.deepEqual(readPayoutBatchCsv(HEAD), [])
})
