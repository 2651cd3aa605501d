import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import type { PostingAbout } from '#ledger'
import { STATUSES, type Trade, type TradeItem } from '#trades'
import { explainToAccount } from './explain-to-account.ts'

const AT = new Date('2026-11-20T12:00:00.000Z')

function tradeIn(status: TradeItem['status'], type: Trade['type'] = 'buy'): Trade {
  const item: TradeItem = {
    ...{ id: newId(), externalId: null, catalogItemId: '0123456789abcdef', status },
    description: { marketHashName: 'AK-47 | Redline' } as TradeItem['description'],
    ...{ price: cents(1_050n), houseFee: cents(30n), merchantFee: cents(20n), offerId: '6543' },
    ...{ failure: null, failureDetail: 'market_a answered 503', revertedBy: 'supplier' },
    refund:
      status === 'declined'
        ? { refunded: cents(1_029n), penalty: cents(21n), buyerFault: true }
        : null,
    ...{ holdEndsAt: new Date(AT.getTime() + 7 * 86_400_000), settledAt: null },
  }
  return {
    ...{
      id: newId(),
      type,
      tenantId: newId(),
      accountId: newId(),
      platformId: '7656',
      tradeUrl: '',
    },
    ...{
      externalId: null,
      marketOrderId: null,
      status,
      game: 'cs2',
      currency: 'USD',
      total: cents(1_050n),
    },
    ...{ createdAt: AT, updatedAt: AT, items: [item] },
  }
}

const explain = (trade: Trade, postings: readonly PostingAbout[] = []) => {
  const { money, items } = explainToAccount({ trade, postings }, AT)
  const [item] = items.values()
  assert.ok(item)
  return { money, ...item }
}

test('no sentence for an account names a supplier, a bot or a page of the operators', () => {
  for (const type of ['buy', 'sell'] as const) {
    for (const status of STATUSES) {
      const { money, where, next } = explain(tradeIn(status, type))
      const text = `${money} ${where} ${next}`
      assert.ok(where.length > 0 && next.length > 0, `${type} ${status}`)
      assert.doesNotMatch(text, /market_a|supplier|bot \d|runbook|worker|undefined/i, text)
    }
  }
})

test('a fee is credited after the hold where there is one', () => {
  const trade = tradeIn('hold')
  assert.match(explain(trade).next, /the item completes, and your fee is credited\.$/)
  const items = trade.items.map((item) => ({ ...item, merchantFee: cents(0n) }))
  assert.match(explain({ ...trade, items }).next, /if nothing was reversed, the item completes\.$/)
})

test('the money is named by where it is, and a refund by what was kept', () => {
  const booked = {
    ...{ debit: 'spot', credit: 'escrow', amount: 1_050n, currency: 'USD' },
  } as unknown as PostingAbout
  assert.equal(explain(tradeIn('hold'), [booked]).money, '$10.50 held in escrow.')
  assert.match(explain(tradeIn('hold')).next, /^The hold ends at 2026-11-27 12:00:00 UTC\./)
  assert.equal(
    explain(tradeIn('declined')).next,
    'declined. $10.29 went back to the wallet; $0.21 was kept, as the offer was declined or expired. This trade is finished.',
  )
  const trade = tradeIn('reverted')
  const refund = { refunded: cents(0n), penalty: cents(1_050n), buyerFault: true }
  const items = trade.items.map((item) => ({ ...item, revertedBy: 'user' as const, refund }))
  assert.equal(
    explain({ ...trade, items }).next,
    'reverted. $10.50 was kept, as the user reversed the delivery. This trade is finished.',
  )
})

test('of two items the one that is over is finished, and the trade once both are', () => {
  const [declined, held] = [tradeIn('declined'), tradeIn('hold')]
  const of = (...items: readonly TradeItem[]) => explain({ ...declined, items })
  const [over, alive] = [...declined.items, ...held.items]
  assert.ok(over && alive)
  assert.match(of(over, alive).next, /This item is finished\.$/)
  assert.match(of(over, { ...over, id: newId() }).next, /This trade is finished\.$/)
})

test('what was paid for and the fees are named in the plain words of an invoice', () => {
  const trade = tradeIn('completed')
  const booked = (credit: string, amount: bigint) =>
    ({ debit: 'spot', credit, amount, currency: 'USD' }) as unknown as PostingAbout
  const postings = [booked('supplier_prefund', 123_455n), booked('house_revenue', 103n)]
  assert.equal(explain(trade, postings).money, '$1,234.55 paid for the item, $1.03 service fee.')
})

test('what the buyer declined is back with its seller, and no longer ordered', () => {
  assert.match(explain(tradeIn('declined')).where, /^back with its seller, as the buyer declined/)
})
