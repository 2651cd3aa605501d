import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SubUser } from '#identity'
import { cents } from '#kernel/money'
import { type AccountFigures, statsView } from './merchant.ts'

const subUser = (id: string, status: SubUser['status'] = 'active'): SubUser => ({
  id,
  merchantId: 'm',
  email: null,
  platformId: null,
  externalId: `ext-${id}`,
  status,
  feeBps: null,
  currency: 'USD',
  limitPerTrade: null,
  limitPerDay: null,
  limitOpenTrades: null,
  createdAt: new Date(0),
})

const account = (accountId: string, tradeCount: number, gmv = 0n, fees = 0n): AccountFigures => ({
  accountId,
  tradeCount,
  gmvCents: cents(gmv),
  feesCents: cents(fees),
})

test('totals count every trade, the merchant’s own included; sub-users have their share', () => {
  const view = statsView({
    currency: 'USD',
    figures: [
      { status: 'completed', tradeCount: 6, gmvCents: cents(17_445n), feesCents: cents(101n) },
      { status: 'failed', tradeCount: 5, gmvCents: cents(0n), feesCents: cents(0n) },
    ],
    accounts: [
      account('m', 2, 5000n),
      account('a', 4, 12_345n, 99n),
      account('b', 4),
      account('deleted-trader', 1, 100n, 2n),
    ],
    subUsers: [
      subUser('a'),
      subUser('b', 'suspended'),
      subUser('deleted-trader', 'deleted'),
      subUser('deleted-idle', 'deleted'),
    ],
    wallets: [
      { id: 'w1', ownerId: 'm', kind: 'spot', currency: 'USD', balance: cents(1010n) },
      { id: 'w2', ownerId: 'm', kind: 'earnings', currency: 'USD', balance: cents(101n) },
    ],
    balances: new Map([['a', cents(250n)]]),
  })
  assert.deepEqual(view.totals, {
    tradeCount: 11,
    gmv: 174.45,
    gmvCents: 17_445,
    feesEarnedCents: 101,
    feesEarned: 1.01,
    spotBalance: 10.1,
    earningsBalance: 1.01,
    currency: 'USD',
  })
  assert.deepEqual(view.byStatus, { completed: 6, failed: 5 })
  assert.deepEqual(
    view.bySubUser.map((row) => [
      row.subUserId,
      row.tradeCount,
      row.gmv,
      row.balance,
      row.feesContributedCents,
    ]),
    [
      ['a', 4, 123.45, 2.5, 99],
      ['b', 4, 0, 0, 0],
      ['deleted-trader', 1, 1, 0, 2],
    ],
  )
})
