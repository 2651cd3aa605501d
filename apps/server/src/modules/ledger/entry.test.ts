import assert from 'node:assert/strict'
import { describe as suite, test } from 'node:test'
import { describe, type EntryType, type JournalKind, kindsOf, type Side, typeOf } from './entry.ts'

const TABLE: readonly [JournalKind, Side, EntryType][] = [
  ['buy', 'debit', 'trade_payment'],
  ['refund', 'credit', 'trade_refund'],
  ['settle', 'credit', 'fee_credit'],
  ['fund', 'debit', 'fund_out'],
  ['fund', 'credit', 'fund_in'],
  ['defund', 'debit', 'fund_out'],
  ['defund', 'credit', 'fund_in'],
  ['earnings_transfer', 'debit', 'transfer_out'],
  ['earnings_transfer', 'credit', 'transfer_in'],
  ['deposit', 'credit', 'deposit_credit'],
  ['adjustment', 'debit', 'adjustment'],
  ['adjustment', 'credit', 'adjustment'],
]

suite('the type of an entry', () => {
  for (const [kind, side, type] of TABLE) {
    test(`the ${side} of a ${kind} is ${type}`, () => {
      assert.equal(typeOf(kind, side, null), type)
    })
    test(`the reversal of the ${side} of a ${kind} is ${type} too`, () => {
      const otherSide = side === 'debit' ? 'credit' : 'debit'
      assert.equal(typeOf('reversal', otherSide, kind), type)
    })
    test(`a filter on ${type} finds the ${side} of a ${kind} and its reversal`, () => {
      const otherSide = side === 'debit' ? 'credit' : 'debit'
      assert.ok(kindsOf(type, side).kinds.includes(kind))
      assert.ok(kindsOf(type, otherSide).reversing.includes(kind))
    })
  }

  test('what the table does not name is an adjustment, on the page and in the filter', () => {
    assert.equal(typeOf('buy', 'credit', null), 'adjustment')
    assert.equal(typeOf('reversal', 'debit', 'reversal'), 'adjustment')
    assert.ok(kindsOf('adjustment', 'credit').kinds.includes('buy'))
    assert.ok(kindsOf('adjustment', 'debit').reversing.includes('reversal'))
  })

  test('each kind on each side answers to exactly one type', () => {
    const types: EntryType[] = [
      'deposit_credit',
      'withdrawal_debit',
      'trade_payment',
      'trade_refund',
      'trade_payout',
      'fee_credit',
      'fund_in',
      'fund_out',
      'transfer_in',
      'transfer_out',
      'adjustment',
    ]
    for (const side of ['debit', 'credit'] as const) {
      const kinds = types.flatMap((type) => kindsOf(type, side).kinds)
      assert.equal(new Set(kinds).size, kinds.length)
    }
  })

  test('the description of a reversal says so', () => {
    assert.equal(describe('trade_payment', 'buy'), 'Payment for a trade')
    assert.equal(describe('trade_payment', 'reversal'), 'Reversal: payment for a trade')
  })
})
