import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AdminPosting, Deposit } from '@tradepost/contract'
import { listAudit } from '#audit'
import { writeHoldings } from '#chains'
import { post } from '#custody'
import type { Depositor } from '#deposits'
import { sql } from '#infra/database/db'
import { baseUnits } from '#kernel/chain'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { notifyLowBalances } from '#operations'
import { listServiceWallets } from '#outbound'
import { custodyHandler } from '#payouts'
import { givenWithdrawal } from '../../../modules/crypto/payouts/testing/withdrawals.ts'
import { credit } from '../../../modules/money/ledger/testing/wallets.ts'
import { type LoggedInBrowser, startDashboardServer } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

const ofAccount = ({ accountId }: LoggedInBrowser): Depositor => ({
  ...{ accountId, tenantId: accountId, currency: 'USD' },
})

describe('deposits in the dashboard', () => {
  it('say where to pay until the whole amount has arrived', async () => {
    const browser = await server.loggedIn('owner')
    const { id } = await server.deposits.given(ofAccount(browser))
    const payOf = async () => {
      await server.deposits.follow()
      const { deposit, pay } = (await browser.call('GET', `deposits/${id}`)).data
      return [deposit.status, pay?.address ?? null]
    }
    const [, address] = await payOf()
    assert.ok(address)
    server.deposits.gateway.pay(id, '20', { state: 'part_paid' })
    assert.deepEqual(await payOf(), ['pending', address])
    server.deposits.gateway.pay(id, '30', { state: 'conversion_delay' })
    assert.deepEqual(await payOf(), ['pending', null])
  })

  it('say where to pay the rest of what was paid in part until the order ended', async () => {
    const browser = await server.loggedIn('owner')
    const { id } = await server.deposits.given(ofAccount(browser))
    server.deposits.gateway.pay(id, '40', { state: 'expired' })
    await server.deposits.follow()
    const read = async () => (await browser.call('GET', `deposits/${id}`)).data
    const { deposit, pay } = await read()
    assert.deepEqual([deposit.status, deposit.quotedUsd, deposit.fee], ['partial', 99, 0.4])
    assert.deepEqual([pay.address, pay.missingToken], [deposit.address, '60'])
    server.deposits.gateway.pay(id, '60', { state: 'paid' })
    await server.deposits.follow()
    const whole = await read()
    assert.deepEqual([whole.deposit.status, whole.pay], ['completed', null])
  })

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

  it('are quoted thirty times in a minute by one person, who goes on with other pages', async () => {
    const [browser, other] = [await server.loggedIn('finance'), await server.loggedIn('finance')]
    const quote = (person: LoggedInBrowser) =>
      person.call('POST', 'deposits/gateway/quote', { amount: '100.00' })
    const answers = await Promise.all(Array.from({ length: 31 }, () => quote(browser)))
    const refused = answers.filter(({ status }) => status !== 200)
    assert.deepEqual(
      refused.map(({ status, meta }) => [status, meta?.policy]),
      [[429, 'dashboard-expensive']],
    )
    assert.equal((await browser.call('GET', 'deposits')).status, 200)
    assert.equal((await quote(other)).status, 200)
  })

  it('by card lead to the provider’s page; a deposit is cancelled before it is paid', async () => {
    const browser = await server.loggedIn()
    const body = { payAmount: '100.00', payCurrency: 'EUR' }
    const { quoteToken } = (await browser.call('POST', 'deposits/card/quote', body)).data
    const card = await browser.call('POST', 'deposits/card', { quoteToken })
    assert.match(card.data.widgetUrl, /^https:\/\/ramp\.example\//)
    const [listed] = (await browser.call('GET', 'deposits')).data.items
    assert.deepEqual(listed.cardCharge, { amount: 100, currency: 'EUR' })
    const { id } = await server.deposits.given(ofAccount(browser))
    const cancelled = await browser.call('POST', `deposits/${id}/cancel`)
    assert.deepEqual(cancelled.data, { depositId: id, status: 'cancelled' })
    // Both are in the audit log, what the deposit was made by else is not.
    const entries = await listAudit(database.db, { accountId: browser.accountId, limit: 9 })
    assert.deepEqual(
      entries.map(({ act, subject, details }) => [act, subject.id, details]).slice(0, 2),
      [
        ['deposit.cancel', id, {}],
        ['deposit.create', card.data.fundingId, { method: 'onramp' }],
      ],
    )
    const [, made] = (await browser.call('GET', 'audit')).data.items
    assert.equal(made.subject.name, '€100.00 by card')
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

it('a function that is not set up is refused with that reason, not as a pause or an outage', async (test) => {
  const bare = await startDashboardServer(database.db, { hasAddresses: false })
  test.after(() => bare.close())
  const browser = await bare.loggedIn()
  const refusals = await Promise.all(
    ['deposits/address', 'payouts/address'].map(async (path) => {
      const { status, key, meta, message } = await browser.call('GET', path)
      return [status, key, meta, message]
    }),
  )
  const meta = { reason: 'switched_off' }
  assert.deepEqual(refusals, [
    [503, 'GATEWAY_UNAVAILABLE', meta, 'This way of paying is not set up at this service.'],
    [503, 'SERVICE_DISABLED', meta, 'This function is not set up at this service.'],
  ])
})

describe('a deposit into payout custody', () => {
  it('has a page for its merchant and for administrators, and none for another merchant', async () => {
    const { db } = database
    const owner = await server.loggedIn()
    const [id, at] = [newId(), server.clock.now()]
    const [ownerId, units] = [owner.accountId, 25_000_000n]
    const received = { chain: 'base', token: 'USDC', units: baseUnits(units) }
    await db.transaction(async (tx) => {
      await custodyHandler.record(tx, {
        ...{ transferId: id, ownerId, ...received, decimals: 6, at },
        ...{ address: `0x${'1'.repeat(40)}`, txHash: `0x${'2'.repeat(64)}` },
      })
      const credit = { role: 'merchant', ownerId } as const
      const booked = { key: `transfer:${id}`, reason: 'deposit', refId: id, ...received }
      await post(tx, [{ ...booked, debit: 'deposit_address', credit }], at)
      await custodyHandler.credit(tx, { transferId: id, confirmations: 30n, at })
    })
    const { hits } = (await owner.call('GET', `search?q=${id}`)).data
    assert.deepEqual([hits[0].kind, hits[0].id], ['custody_deposit', id])
    const { deposit, credits } = (await owner.call('GET', `deposits/${id}`)).data
    assert.deepEqual(
      [deposit.status, deposit.receivedAmountToken, deposit.token, credits],
      ['completed', '25', 'USDC', []],
    )
    const listed = async (query: string, by = owner): Promise<readonly string[]> =>
      (await by.call('GET', `payouts/deposits?${query}`)).data.items.map((one: Deposit) => one.id)
    const later = new Date(at.getTime() + 1).toISOString()
    assert.deepEqual(await listed(''), [id])
    assert.deepEqual(await listed(`status=completed&from=${at.toISOString()}&to=${later}`), [id])
    assert.deepEqual(await listed('status=pending'), [])
    assert.deepEqual(await listed(`from=${later}`), [])
    const otherTenant = await server.loggedIn()
    assert.deepEqual(await listed('', otherTenant), [])
    assert.equal((await otherTenant.call('GET', `deposits/${id}`)).key, 'DEPOSIT_NOT_FOUND')
    const admin = await server.loggedIn('administrator')
    const { data } = await admin.call('GET', `admin/deposits/${id}`)
    assert.deepEqual(
      [data.accountId, data.postings.map((one: AdminPosting) => [one.to, one.amount, one.unit])],
      [ownerId, [['merchant', '25', 'USDC base']]],
    )
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

describe('the mail about a low balance', () => {
  const path = 'wallets/threshold'
  const look = async (): Promise<void> => {
    const { clock } = server
    let after: string | null = null
    do after = await notifyLowBalances({ db: database.db, clock }, after)
    while (after !== null)
  }
  const mailsTo = async ({ email }: { readonly email: string }) =>
    (await server.mailTo(email)).filter(({ subject }) => subject === 'Your balance is low')
  const give = ({ accountId: id }: { readonly accountId: string }, amount: bigint) =>
    credit(database.db, { id, currency: 'USD' }, cents(amount))

  it('is sent once below the threshold, again after a tenth above it, and after a change of it', async () => {
    const owner = await server.loggedIn()
    await give(owner, 10_000n)
    const { id } = (await owner.call('POST', 'users', { externalId: 'shopper' })).data
    const move = async (way: 'fund' | 'defund', amount: string): Promise<void> => {
      const key = { 'idempotency-key': newId() }
      const { status } = await owner.call('POST', `users/${id}/${way}`, { amount }, key)
      assert.equal(status, 200)
    }
    const set = (threshold: string | null) => owner.call('PUT', path, { threshold })
    const shown = { balance: 100, currency: 'USD', lowSince: null }
    assert.deepEqual((await owner.call('GET', path)).data, { threshold: null, ...shown })
    assert.deepEqual((await set('50.00')).data, { threshold: 50, ...shown })
    await look()
    assert.equal((await mailsTo(owner)).length, 0)
    await move('fund', '60.00')
    await Promise.all([look(), look()])
    const [mail, ...others] = await mailsTo(owner)
    assert.match(mail?.text ?? '', /Balance: 40.00 USD\n+Your threshold: 50.00 USD/)
    assert.deepEqual(others, [])
    const lowSince = server.clock.now().toISOString()
    assert.equal((await owner.call('GET', path)).data.lowSince, lowSince)
    // 52 is not yet a tenth above, 55 is.
    for (const [amount, mails] of [
      ['12.00', 1],
      ['15.00', 2],
    ] as const) {
      await move('defund', amount)
      await look()
      await move('fund', amount)
      await look()
      assert.equal((await mailsTo(owner)).length, mails, amount)
    }
    for (const [threshold, mails] of [
      ['45.00', 3],
      ['45.00', 3],
      [null, 3],
    ] as const) {
      await set(threshold)
      await look()
      assert.equal((await mailsTo(owner)).length, mails, `${threshold}`)
    }
    assert.equal((await owner.call('GET', path)).data.threshold, null)
    const entries = await listAudit(database.db, { accountId: owner.accountId, limit: 50 })
    assert.deepEqual(
      entries
        .filter(({ act }) => act === 'balance_threshold.set')
        .map(({ details }) => details.threshold),
      [null, '45.00', '45.00', '50.00'],
    )
  })

  it('is set by owners and finance, of a merchant or a partner, and read by everyone of the account', async () => {
    for (const threshold of ['0.00', '-1', '1.234', 5]) {
      const refused = await (await server.loggedIn()).call('PUT', path, { threshold })
      assert.equal(refused.key, 'VALIDATION_FAILED', `${threshold}`)
    }
    for (const role of ['developer', 'read_only'] as const) {
      const browser = await server.loggedIn(role)
      const refused = await browser.call('PUT', path, { threshold: '5.00' })
      assert.equal(refused.key, 'FORBIDDEN', role)
      assert.equal((await browser.call('GET', path)).data.threshold, null)
    }
    const partner = await server.partner('finance')
    await give(partner, 100n)
    server.nextMinute()
    const browser = server.browser()
    await browser.logIn(partner.email)
    const set = await browser.call('PUT', path, { threshold: '1.01' })
    assert.deepEqual([set.status, set.data.balance], [200, 1])
    await look()
    assert.equal((await mailsTo(partner)).length, 1)
  })
})
/** The hot wallet of a chain, with a payment of 7 USDC that it cannot cover. */
const A_WALLET = sql(
  'test_money_wallet',
  `with payment as (
     insert into outbound.transaction (id, chain, key_ref, purpose, ref_id, token, token_address, recipient, units,
       hold_reason, due_at, created_at)
     values (uuidv7(), 'base', 'hot', 'payout', uuidv7(), 'USDC', '0x' || repeat('3', 40), '0x' || repeat('4', 40),
       7000000, 'hot_wallet_low', $1, $1))
   insert into outbound.wallet (chain, key_ref, address, next_nonce, changed_at)
   values ('base', 'hot', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', 0, $1)`,
)

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
    assert.deepEqual(
      [held.amountUsd, held.accountId, held.accountName],
      [200_000, owner.accountId, 'M'],
    )
    const path = `admin/held-payments/${held.id}`
    const body = { decision: 'release', reason: 'the payer has called' }
    const released = (await admin.call('POST', path, body)).data
    assert.deepEqual([released.state, released.decidedBy], ['released', admin.email])
    assert.equal((await admin.call('POST', path, body)).key, 'DEPOSIT_NOT_FOUND')
    await server.deposits.follow()
    const shown = (await owner.call('GET', `deposits/${id}`)).data
    assert.equal(shown.deposit.status, 'completed')
    assert.deepEqual([shown.held[0].decidedBy, shown.held[0].decisionReason], [null, null])
    assert.deepEqual((await admin.call('GET', 'admin/withdrawals')).data, [])
    assert.deepEqual((await admin.call('GET', 'admin/wallets')).data, [])
    const deposit = (await admin.call('GET', `admin/deposits/${id}`)).data
    assert.deepEqual(
      [deposit.held[0].decidedBy, deposit.held[0].decisionReason],
      [admin.email, 'the payer has called'],
    )
    assert.deepEqual(
      deposit.postings.map(({ kind, to, amount, unit }: AdminPosting) => [kind, to, amount, unit]),
      [
        ['deposit', 'deposit_fees', '2000.00', 'USD'],
        ['deposit', 'spot', '198000.00', 'USD'],
      ],
    )
    const halt = { halted: true, reason: 'a drill' }
    assert.equal((await admin.call('PUT', 'admin/wallets/base/hot', halt)).key, 'NOT_FOUND')
    const decision = { decision: 'release', reason: 'a drill' }
    const withdrawal = await admin.call('POST', `admin/withdrawals/${id}`, decision)
    assert.equal(withdrawal.key, 'CRYPTO_PAYOUT_NOT_FOUND')
  })

  it('sees what each wallet holds by the books and by its node, and what is queued on it', async () => {
    const { db } = database
    const at = server.clock.now()
    await db.query(A_WALLET, [at])
    const refill = { key: `transfer:${newId()}`, reason: 'refill', refId: null }
    const tokens = { chain: 'base', token: 'USDC', units: baseUnits(5_000_000n) }
    await db.transaction((tx) =>
      post(tx, [{ ...refill, ...tokens, debit: 'hot_wallet', credit: 'capital' }], at),
    )
    const held = [{ role: 'hot_wallet', token: 'USDC', units: 4_500_000n }] as const
    await writeHoldings(db, { chain: 'base', block: 17n, held, at })
    const admin = await server.loggedIn('administrator')
    const [wallet] = (await admin.call('GET', 'admin/wallets')).data
    const balance = wallet.balances.find(({ token }: { token: string }) => token === 'USDC')
    assert.deepEqual(balance, {
      ...{ token: 'USDC', booked: '5', onNode: '4.5', comparedAt: at.toISOString() },
      ...{ queued: '7', isLow: true },
    })
  })

  it('halts a wallet, and has it reopened with the transactions that took its nonces', async () => {
    const admin = await server.loggedIn('administrator')
    const put = (body: object) => admin.call('PUT', 'admin/wallets/base/hot', body)
    const halted = await put({ halted: true, reason: 'an unknown payment' })
    assert.deepEqual(halted.data, { chain: 'base', key: 'hot', halted: true })
    const reopen = { halted: false, reason: 'a refill by hand' }
    const wrong = await put({ ...reopen, foreignHashes: ['0x12'] })
    assert.equal(wrong.key, 'VALIDATION_FAILED')
    const hash = `0x${'5C'.repeat(32)}`
    const reopened = await put({ ...reopen, foreignHashes: [hash] })
    assert.deepEqual(reopened.data, { chain: 'base', key: 'hot', halted: false })
    const [wallet] = await listServiceWallets(database.db)
    assert.deepEqual(
      [wallet?.state, wallet?.foreignHashes],
      ['reopening', [hash.toLowerCase()]],
      'a worker looks for it at two nodes',
    )
    const [entry] = await listAudit(database.db, { limit: 1 })
    assert.deepEqual(
      [entry?.act, entry?.subject.id, entry?.details],
      ['wallet.reopen', 'base:hot', { reason: reopen.reason, foreignHashes: [hash.toLowerCase()] }],
    )
  })

  it('halts a wallet that is reopening, or halted already; hashes are named to reopen it alone', async () => {
    const { db } = database
    const admin = await server.loggedIn('administrator')
    const put = (body: object) => admin.call('PUT', 'admin/wallets/base/hot', body)
    const named = { foreignHashes: [`0x${'5c'.repeat(32)}`] }
    await put({ halted: true, reason: 'an unknown payment' })
    await put({ halted: false, reason: 'a refill by hand' })
    assert.equal((await listServiceWallets(db))[0]?.state, 'reopening')
    const wrong = await put({ halted: true, reason: 'not by hand', ...named })
    assert.deepEqual(
      [wrong.key, wrong.meta.errors[0].pointer],
      ['VALIDATION_FAILED', '/foreignHashes'],
    )
    for (const reason of ['not by hand', 'the key is stolen']) {
      assert.equal((await put({ halted: true, reason })).status, 200)
      const [[wallet], [entry]] = [await listServiceWallets(db), await listAudit(db, { limit: 1 })]
      assert.deepEqual([wallet?.state, wallet?.haltedReason], ['halted', reason])
      assert.deepEqual([entry?.act, entry?.details], ['wallet.halt', { reason }])
    }
  })

  it('inspects a withdrawal with its postings in kind; what is unknown is not found', async () => {
    const { accountId } = await server.person()
    const admin = await server.loggedIn('administrator')
    const given = { merchantId: accountId, externalId: 'inspected', at: server.clock.now() }
    const { id } = await givenWithdrawal(database.db, given)
    const { data } = await admin.call('GET', `admin/withdrawals/${id}`)
    assert.deepEqual(
      [data.accountId, data.accountName, data.source, data.withdrawal.externalId],
      [accountId, 'M', 'custody', 'inspected'],
    )
    const booked = data.postings.map((one: AdminPosting) => [one.from, one.to, one.unit])
    assert.deepEqual(booked, [['merchant', 'in_flight', 'ETH base']])
    const wrong = [
      await admin.call('GET', `admin/withdrawals/${accountId}`),
      await admin.call('GET', `admin/deposits/${id}`),
    ]
    assert.deepEqual(
      wrong.map(({ key }) => key),
      ['CRYPTO_PAYOUT_NOT_FOUND', 'DEPOSIT_NOT_FOUND'],
    )
  })
})

describe('the fees of a merchant', () => {
  it('are set by owner and finance, with an audit row; those of the service are not theirs', async () => {
    const owner = await server.loggedIn()
    const { data: fees } = await owner.call('GET', 'fees')
    assert.equal(fees.feeBps, 300, 'what its own buys cost it')
    const wanted = { buyFeeBps: 250, sellFeeBps: 125 }
    const set = await owner.call('PUT', 'fees', wanted)
    assert.deepEqual([set.status, set.data], [200, { ...fees, ...wanted }])
    assert.deepEqual((await owner.call('GET', 'fees')).data, set.data)
    const [row] = (await owner.call('GET', 'audit')).data.items
    assert.deepEqual(
      [row.act, row.changes.buyFeeBps, row.changes.sellFeeBps],
      ['account.set_fees', { from: 200, to: 250 }, { from: 200, to: 125 }],
    )
    const refused = [
      { ...wanted, childDefaultFeeBps: 0 },
      { ...wanted, feeBps: 0 },
      { ...wanted, buyFeeBps: 10_001 },
      { buyFeeBps: 1 },
    ]
    for (const body of refused) {
      assert.equal((await owner.call('PUT', 'fees', body)).key, 'VALIDATION_FAILED')
    }
    server.clock.advance(11 * 60_000)
    const stale = await owner.call('PUT', 'fees', wanted)
    assert.equal(stale.key, 'TWO_FACTOR_FRESH_REQUIRED')
    const finance = await server.loggedIn('finance')
    assert.equal((await finance.call('PUT', 'fees', wanted)).status, 200)
  })
})
