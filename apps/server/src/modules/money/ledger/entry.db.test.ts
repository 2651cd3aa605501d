// How a posting of each kind reads in the ledger of a wallet, and that what is shown can be filtered by it.
import assert from 'node:assert/strict'
import { after, before, test as it, describe as suite } from 'node:test'
import { TRANSACTION_TYPES } from '@tradepost/contract'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { describe, type EntryType, type Side } from './entry.ts'
import { history } from './history.ts'
import { post } from './store.ts'
import { AT, ownerWith } from './testing/wallets.ts'

let test: TestDatabase
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

const TABLE: readonly [string, Side, EntryType][] = [
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
  ['proceeds', 'credit', 'trade_payout'],
  ['adjustment', 'debit', 'adjustment'],
  ['adjustment', 'credit', 'adjustment'],
  // What touches no wallet on this side reads as an adjustment.
  ['buy', 'credit', 'adjustment'],
]

suite('the type of an entry', () => {
  for (const [kind, side, type] of TABLE) {
    it(`the ${side} of a ${kind} is ${type}, its reversal too, and the filter finds both`, async () => {
      const owner = await ownerWith(test.db, 500n)
      const wallet = { ownerId: owner.id, kind: 'spot' as const }
      const house = { house: 'adjustment' }
      const [from, to] = side === 'debit' ? [wallet, house] : [house, wallet]
      const { journalId } = await test.db.transaction((tx) =>
        post(tx, {
          kind,
          refId: null,
          scopeId: owner.id,
          idempotencyKey: newId(),
          requestHash: Buffer.from([0]),
          at: AT,
          externalRef: null,
          legs: [{ from, to, currency: 'USD', amount: cents(70n) }],
        }),
      )
      const REVERSE = sql('testing.reverse', 'select ledger.reverse($1, $2, $3, $4) id')
      const values = [journalId, owner.id, 'reversal', AT]
      const [reversal] = await test.db.query<{ id: string }>(REVERSE, values)
      const all = { cursor: null, limit: 10, status: null, from: null, to: null }
      const { items } = await history(test.db, wallet, { ...all, type })
      const shown = items.filter(({ id }) => id === journalId || id === reversal?.id)
      const amount = side === 'debit' ? -70n : 70n
      assert.deepEqual(
        shown.map((entry) => [entry.id, entry.type, entry.amount, entry.description]),
        [
          [reversal?.id, type, -amount, describe(type, true)],
          [journalId, type, amount, describe(type, false)],
        ],
      )
    })
  }

  it('of every kind of journal is one that the contract names', async () => {
    const KINDS = sql('testing.kinds', 'select debit_entry, credit_entry from ledger.journal_kind')
    const rows = await test.db.query<Record<string, string>>(KINDS)
    const known = new Set<string>(TRANSACTION_TYPES)
    for (const row of rows) for (const entry of Object.values(row)) assert.ok(known.has(entry))
  })

  it('the description of a reversal says so', () => {
    assert.equal(describe('trade_payment', false), 'Payment for a trade')
    assert.equal(describe('trade_payment', true), 'Reversal: payment for a trade')
  })
})

suite('a kind', () => {
  it('of journal that no module has added is refused', async () => {
    const owner = await ownerWith(test.db, 0n)
    const POST = sql(
      'testing.unknown_kind',
      `select ledger.post('gift', null, $1, 'gift', '\\x00', now(), array['USD']::ledger.currency[],
         array[ledger.house('adjustment', 'USD')], array[ledger.account_of($1, 'spot')], array[5::bigint])`,
    )
    await assert.rejects(test.db.query(POST, [owner.id]), /there is no journal of kind gift/)
  })

  it('of account that no module has added is refused', async () => {
    const OPEN = sql('testing.open_unknown', "select ledger.open_account($1, 'vault', 'USD')")
    await assert.rejects(test.db.query(OPEN, [newId()]), /account_has_traits_of_its_kind/)
  })
})
