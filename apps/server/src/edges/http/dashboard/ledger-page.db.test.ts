// What the rows of a ledger say they are about: trades, deposits, withdrawals and the other account.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createChild } from '#identity'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { post } from '#ledger'
import { givenWalletWithdrawal } from '../../../modules/crypto/payouts/testing/withdrawals.ts'
import { credit } from '../../../modules/money/ledger/testing/wallets.ts'
import { givenManyTrades } from '../../../modules/trading/trades/testing/many-trades.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()
const { db } = database

const TRADE = sql(
  'test.newest_trade',
  `select t.id, i.id "itemId" from trades.trade t join trades.item i on i.trade_id = t.id
   where t.tenant_id = $1 order by t.id desc limit 1`,
)

const RATE = sql(
  'test.rate',
  `insert into fx.rate (as_of, usd_per_eur_micros, fetched_at) values ('2026-11-20', 1250000, now())`,
)

async function givenTrade(tenantId: string): Promise<{ id: string; itemId: string }> {
  await givenManyTrades(db, { tenantId, count: 1, from: server.clock.now() })
  const [trade] = await db.query<{ id: string; itemId: string }>(TRADE, [tenantId])
  assert.ok(trade)
  return trade
}

/** One dollar between the wallet of `ownerId` and the service. */
const book = (kind: string, refId: string, { ownerId, to }: { ownerId: string; to: boolean }) => {
  const wallet = { ownerId, kind: 'spot' }
  const house = { house: to ? 'clearing_demo' : 'supplier_prefund' }
  return db.transaction((tx) =>
    post(tx, {
      ...{ kind, refId, externalRef: null, scopeId: ownerId, idempotencyKey: newId() },
      ...{ requestHash: Buffer.alloc(32), at: server.clock.now() },
      legs: [
        {
          ...(to ? { from: house, to: wallet } : { from: wallet, to: house }),
          ...{ currency: 'USD' as const, amount: cents(100n) },
        },
      ],
    }),
  )
}

it('a row of a merchant is about its trade, its deposit, or the sub-user that has the money', async () => {
  const owner = await server.loggedIn()
  const { accountId } = owner
  await credit(db, { id: accountId, currency: 'USD' }, cents(100_000n))
  await db.query(RATE)
  const clara = (await owner.call('POST', 'users', { externalId: 'clara' })).data
  const eva = { externalId: 'eva', currency: 'EUR' }
  const inEuros = (await owner.call('POST', 'users', eva)).data
  const key = () => ({ 'idempotency-key': newId() })
  await owner.call('POST', `users/${clara.id}/fund`, { amount: '25.00' }, key())
  // Converted, by way of the service.
  await owner.call('POST', `users/${inEuros.id}/fund`, { amount: '10.00' }, key())
  const trade = await givenTrade(accountId)
  const deposit = await server.deposits.given({ accountId, tenantId: accountId, currency: 'USD' })
  await book('buy', trade.id, { ownerId: accountId, to: false })
  await book('refund', trade.itemId, { ownerId: accountId, to: true })
  await book('deposit', deposit.id, { ownerId: accountId, to: true })
  const otherTenant = await server.loggedIn()
  const foreign = await givenTrade(otherTenant.accountId)
  await book('buy', foreign.id, { ownerId: accountId, to: false })

  const { data } = await owner.call('GET', 'ledger')
  const item = { type: 'trade', id: trade.id, name: 'The Oldest One' }
  assert.deepEqual(
    data.items.map(({ type, subject }: { type: string; subject: unknown }) => [type, subject]),
    [
      ['trade_payment', null],
      ['deposit_credit', { type: 'deposit', id: deposit.id, name: '100 USDT' }],
      ['trade_refund', item],
      ['trade_payment', item],
      ['fund_out', { type: 'account', id: inEuros.id, name: 'eva' }],
      ['fund_out', { type: 'account', id: clara.id, name: 'clara' }],
      ['deposit_credit', null],
    ],
  )
  const [received] = (await owner.call('GET', `users/${clara.id}/ledger`)).data.items
  const merchant = { type: 'account', id: accountId, name: owner.email }
  assert.deepEqual([received.type, received.subject], ['fund_in', merchant])
})

it('an exported ledger has the currency, the balance after each row and the trade that it is about', async () => {
  const owner = await server.loggedIn()
  const { accountId } = owner
  await credit(db, { id: accountId, currency: 'USD' }, cents(1_000n))
  const trade = await givenTrade(accountId)
  await book('buy', trade.id, { ownerId: accountId, to: false })
  await book('refund', trade.itemId, { ownerId: accountId, to: true })
  const foreign = await givenTrade((await server.loggedIn()).accountId)
  await book('buy', foreign.id, { ownerId: accountId, to: false })
  const response = await fetch(`${server.url}/dashboard/api/exports/ledger`, {
    headers: { cookie: owner.cookie ?? '' },
  })
  const [header, ...rows] = (await response.text()).trimEnd().split('\r\n')
  assert.equal(header, 'id,occurred_at,type,status,amount,reference,currency,balance,trade_id')
  assert.deepEqual(
    rows.map((row) => row.split(',').slice(4)),
    [
      ['-1.00', '', 'USD', '9.00', ''],
      ['1.00', '', 'USD', '10.00', trade.id],
      ['-1.00', '', 'USD', '9.00', trade.id],
      ['10.00', '', 'USD', '10.00', ''],
    ],
  )
})

it('a row of a partner is about the child that has the money; a child’s, about its withdrawal', async () => {
  const { email, accountId: partnerId } = await server.partner()
  const { child } = await db.transaction((tx) =>
    createChild(tx, {
      ...{ partnerId, email: 'anna@shops.example', name: 'Anna', description: null },
      ...{ environment: 'test', at: server.clock.now() },
    }),
  )
  server.nextMinute()
  const browser = server.browser()
  await browser.logIn(email)
  await credit(db, { id: partnerId, currency: 'USD' }, cents(10_000n))
  const transfer = { toEmail: 'anna@shops.example', amountCents: 2_500, idempotencyKey: 'week-1' }
  await browser.call('POST', 'partner/transfers', transfer)
  const withdrawal = await givenWalletWithdrawal(db, {
    ...{ accountId: child.id, tenantId: partnerId, at: server.clock.now() },
  })
  const subjectsIn = async (path: string): Promise<unknown[]> =>
    (await browser.call('GET', `partner/${path}`)).data.items.map(
      ({ subject }: { subject: unknown }) => subject,
    )
  assert.deepEqual((await subjectsIn('ledger'))[0], {
    ...{ type: 'account', id: child.id, name: 'anna@shops.example' },
  })
  assert.deepEqual(await subjectsIn(`children/${child.id}/ledger`), [
    { type: 'withdrawal', id: withdrawal.id, name: withdrawal.externalId },
    { type: 'account', id: partnerId, name: email },
  ])
})
