import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listAudit } from '#audit'
import type { Depositor } from '#deposits'
import { type TestDatabase, testDatabase } from '../infra/testing/database.ts'
import {
  type DashboardServer,
  type LoggedInBrowser,
  startDashboardServer,
} from './testing/dashboard-server.ts'

let database: TestDatabase
let server: DashboardServer

before(async () => {
  database = await testDatabase()
  server = await startDashboardServer(database.db)
})
after(async () => {
  await server.close()
  await database.close()
})

const ofAccount = ({ accountId }: LoggedInBrowser): Depositor => ({
  ...{ accountId, tenantId: accountId, currency: 'USD' },
})

describe('deposits in the dashboard', () => {
  it('are quoted, created, paid, listed with filters and shown with their payments', async () => {
    const browser = await server.loggedIn('finance')
    const ways = await browser.call('GET', 'deposits/ways')
    assert.deepEqual(ways.data.gateway[0].chains, ['TRX', 'BSC'])
    const quote = await browser.call('POST', 'deposits/gateway/quote', { amount: '100.00' })
    assert.equal(quote.data.receiveAmountUsd, 99)
    const { quoteToken } = quote.data
    const created = await browser.call('POST', 'deposits/gateway', { quoteToken, chain: 'TRX' })
    assert.equal(created.status, 201)
    const { fundingId: id } = created.data
    const waiting = await browser.call('GET', `deposits/${id}`)
    assert.equal(waiting.data.pay.qrContent, 'TAddress')
    server.deposits.gateway.pay(id, '100', { state: 'paid' })
    await server.deposits.follow()
    const { data } = await browser.call('GET', `deposits/${id}`)
    assert.deepEqual([data.deposit.status, data.pay], ['completed', null])
    assert.deepEqual(
      [data.credits[0].amountToken, data.credits[0].amount, data.credits[0].feeUsd],
      ['100', 99, 1],
    )
    const listed = async (query: string) =>
      (await browser.call('GET', `deposits?${query}`)).data.items.length
    assert.equal(await listed('status=completed&method=gateway'), 1)
    assert.equal(await listed('status=expired'), 0)
    assert.equal(
      await listed(`from=${server.clock.now().toISOString().replace('2026', '2027')}`),
      0,
    )
    assert.equal((await browser.call('GET', 'deposits?status=lost')).key, 'VALIDATION_FAILED')
  })

  it('by card lead to the provider’s page; a deposit is cancelled before it is paid', async () => {
    const browser = await server.loggedIn()
    const body = { payAmount: '100.00', payCurrency: 'EUR' }
    const { quoteToken } = (await browser.call('POST', 'deposits/card/quote', body)).data
    const card = await browser.call('POST', 'deposits/card', { quoteToken })
    assert.match(card.data.widgetUrl, /^https:\/\/ramp\.example\//)
    const { id } = await server.deposits.given(ofAccount(browser))
    const cancelled = await browser.call('POST', `deposits/${id}/cancel`)
    assert.deepEqual(cancelled.data, { depositId: id, status: 'cancelled' })
    assert.equal(
      (await browser.call('POST', `deposits/${id}/cancel`)).key,
      'DEPOSIT_NOT_CANCELLABLE',
    )
    assert.match((await browser.call('GET', 'deposits/address')).data.address, /^0x/)
  })

  it('of another merchant are not found, and cannot be cancelled', async () => {
    const [owner, other] = [await server.loggedIn(), await server.loggedIn()]
    const { id } = await server.deposits.given(ofAccount(owner))
    assert.equal((await other.call('GET', `deposits/${id}`)).key, 'DEPOSIT_NOT_FOUND')
    assert.equal((await other.call('POST', `deposits/${id}/cancel`)).key, 'DEPOSIT_NOT_FOUND')
    assert.equal((await other.call('GET', 'deposits')).data.items.length, 0)
    const list = await other.call('GET', `deposits?userId=${owner.accountId}`)
    assert.deepEqual(list.data.items, [])
  })
})

describe('payouts in the dashboard', () => {
  it('show custody, its address, limits and destinations with their day of waiting', async () => {
    const browser = await server.loggedIn()
    assert.equal((await browser.call('GET', 'payouts/custody')).data.totalCents, 0)
    assert.deepEqual((await browser.call('GET', 'payouts/address')).data.chains, ['base'])
    assert.deepEqual((await browser.call('GET', 'payouts/withdrawals')).data.items, [])
    const address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
    const added = await browser.call('POST', 'payouts/destinations', { address })
    const [destination] = added.data.items
    const waitMs = Date.parse(destination.usableFrom) - Date.parse(destination.createdAt)
    assert.deepEqual([destination.address, waitMs], [address, 86_400_000])
    const only = await browser.call('PUT', 'payouts/destinations', { onlyKnown: true })
    assert.deepEqual([only.data.onlyKnown, only.data.limits.transactionCents], [true, 1_000_000])
    const badChecksum = { address: '0x70997970C51812dc3A010C7d01b50e0d17dc79c8' }
    assert.equal(
      (await browser.call('POST', 'payouts/destinations', badChecksum)).key,
      'CRYPTO_PAYOUT_DESTINATION_INVALID',
    )
    const removed = await browser.call('DELETE', `payouts/destinations/${address}`)
    assert.deepEqual(removed.data.items, [])
    assert.equal((await browser.call('DELETE', `payouts/destinations/${address}`)).key, 'NOT_FOUND')
    const acts = (await listAudit(database.db, { limit: 3 })).map(({ act }) => act)
    assert.deepEqual(acts, ['destination.remove', 'destination.only_known', 'destination.add'])
  })
})

describe('an administrator', () => {
  it('releases a held payment with a reason, and sees wallets and what waits', async () => {
    const owner = await server.loggedIn()
    const { id } = await server.deposits.given(ofAccount(owner))
    server.deposits.gateway.pay(id, '200000', { state: 'paid' })
    await server.deposits.follow()
    assert.equal((await owner.call('GET', `deposits/${id}`)).data.held[0].state, 'held')
    const admin = await server.loggedIn('administrator')
    const { data } = await admin.call('GET', 'admin/held-payments')
    const held = data.find(({ depositId }: { depositId: string }) => depositId === id)
    assert.deepEqual([held.amountUsd, held.accountId], [200_000, owner.accountId])
    const path = `admin/held-payments/${held.id}`
    const body = { decision: 'release', reason: 'the payer has called' }
    assert.equal((await admin.call('POST', path, body)).data.state, 'released')
    assert.equal((await admin.call('POST', path, body)).key, 'DEPOSIT_NOT_FOUND')
    await server.deposits.follow()
    const shown = (await owner.call('GET', `deposits/${id}`)).data
    assert.equal(shown.deposit.status, 'completed')
    assert.deepEqual([shown.held[0].decidedBy, shown.held[0].decisionReason], [null, null])
    assert.deepEqual((await admin.call('GET', 'admin/withdrawals')).data, [])
    assert.deepEqual((await admin.call('GET', 'admin/wallets')).data, [])
    const halt = { halted: true, reason: 'a drill' }
    assert.equal((await admin.call('PUT', 'admin/wallets/base/hot', halt)).key, 'NOT_FOUND')
    const decision = { decision: 'release', reason: 'a drill' }
    const withdrawal = await admin.call('POST', `admin/withdrawals/${id}`, decision)
    assert.equal(withdrawal.key, 'CRYPTO_PAYOUT_NOT_FOUND')
  })
})
