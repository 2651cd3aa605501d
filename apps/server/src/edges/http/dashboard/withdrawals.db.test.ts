// Withdrawals and batches of them that a person makes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BatchPreview, OwnBatch } from '@tradepost/contract'
import { listAudit } from '#audit'
import { post } from '#custody'
import { sql } from '#infra/database/db'
import { baseUnits } from '#kernel/chain'
import { newId } from '#kernel/id'
import { writeCallback } from '#payouts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

/** As its approval leaves one that is above a limit. */
const HELD = sql(
  'test.held',
  `update payouts.withdrawal set status = 'queued', held_reason = 'over_transaction_limit', due_at = null,
     approved_at = $2 where id = $1`,
)

describe('a withdrawal made in the dashboard', () => {
  const order = {
    ...{ chain: 'base', token: 'USDC', amountCents: 2500 },
    destination: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  }
  /** With a callback that could be asked; no worker asks it here. */
  const give = (ownerId: string, units: bigint) =>
    database.db.transaction(async (tx) => {
      const callback = { url: 'http://127.0.0.1:9/approve', secretSealed: 'unused' }
      await writeCallback(tx, ownerId, callback, server.clock.now())
      return post(
        tx,
        [
          {
            ...{ key: `transfer:${newId()}`, reason: 'deposit', refId: null },
            ...{ chain: 'base', token: 'USDC', units: baseUnits(units) },
            debit: 'deposit_address',
            credit: { role: 'merchant', ownerId },
          },
        ],
        server.clock.now(),
      )
    })

  it('shows its fee first, is made once for its reference, and leaves one entry in the log', async () => {
    const browser = await server.loggedIn('finance')
    await give(browser.accountId, 30_000_000n)
    const quote = await browser.call('POST', 'payouts/quote', order)
    assert.deepEqual(quote.data, {
      ...{ amountToken: '25', feeCents: 10, feeToken: '0.1', totalToken: '25.1' },
      ...{ heldToken: '30', isCovered: true, isAboveLimit: false },
    })
    const large = await browser.call('POST', 'payouts/quote', { ...order, amountCents: 1_000_001 })
    assert.deepEqual([large.data.isCovered, large.data.isAboveLimit], [false, true])
    const body = { ...order, externalId: 'form-1' }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => browser.call('POST', 'payouts/withdrawals', body)),
    )
    const ids = new Set(answers.map(({ data }) => data.id))
    assert.deepEqual([ids.size, answers[0]?.status], [1, 201])
    assert.equal((await browser.call('GET', 'payouts/custody')).data.totalCents, 490)
    const entries = await listAudit(database.db, { accountId: browser.accountId, limit: 9 })
    assert.deepEqual(
      entries.map(({ act, subject }) => [act, subject.id]),
      [
        ['payout.create', [...ids][0]],
        ['person.log_in', entries[1]?.actor.id],
      ],
    )
    const [made] = (await browser.call('GET', 'audit')).data.items
    assert.deepEqual(made.subject, { type: 'withdrawal', id: [...ids][0], name: 'form-1' })
    const other = { ...body, amountCents: 100 }
    const conflict = await browser.call('POST', 'payouts/withdrawals', other)
    assert.equal(conflict.key, 'IDEMPOTENCY_CONFLICT')
    const more = { ...body, externalId: 'form-2' }
    const refused = await browser.call('POST', 'payouts/withdrawals', more)
    assert.equal(refused.key, 'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE')
  })

  it('with others is previewed line by line, made once, and leaves one entry in the log', async () => {
    const browser = await server.loggedIn('finance')
    await give(browser.accountId, 60_000_000n)
    const line = (externalId: string, change: object = {}) => ({ ...order, externalId, ...change })
    const mixed = [line('a'), line('b', { destination: '0x12' }), line('c'), line('d')]
    const preview = await browser.call('POST', 'payouts/batches/preview', { withdrawals: mixed })
    const { lines, ...sums } = preview.data as BatchPreview
    assert.deepEqual(
      lines.map(({ refusal, feeCents }) => refusal?.key ?? feeCents),
      [10, 'CRYPTO_PAYOUT_DESTINATION_INVALID', 10, 'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE'],
    )
    assert.equal(lines[1]?.refusal?.reason, 'malformed')
    assert.deepEqual(sums, { amountCents: 5000, feeCents: 20, aboveLimit: 0 })
    const bad = await browser.call('POST', 'payouts/batches', {
      externalId: 'friday',
      withdrawals: [line('a'), line('a')],
    })
    assert.deepEqual([bad.key, bad.meta.index], ['VALIDATION_FAILED', 1])
    const body = { externalId: 'friday', withdrawals: [line('a'), line('c')] }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => browser.call('POST', 'payouts/batches', body)),
    )
    const [first] = answers
    assert.equal(first?.status, 201)
    for (const { data } of answers) assert.deepEqual(data, first.data)
    assert.deepEqual(first.data.byStatus, { pending_callback: 2 })
    const { id } = first.data
    const shown = (await browser.call('GET', `payouts/batches/${id}`)).data as OwnBatch
    assert.deepEqual(
      [shown.batch.total, shown.withdrawals.map(({ externalId }) => externalId)],
      [2, ['a', 'c']],
    )
    const listed = async (query: string) =>
      (await browser.call('GET', `payouts/batches?${query}`)).data.items.length
    assert.deepEqual([await listed(''), await listed('externalId=monday')], [1, 0])
    const otherTenant = await server.loggedIn()
    assert.equal(
      (await otherTenant.call('GET', `payouts/batches/${id}`)).key,
      'CRYPTO_PAYOUT_NOT_FOUND',
    )
    const entries = await listAudit(database.db, { accountId: browser.accountId, limit: 9 })
    const made = entries.filter(({ act }) => act === 'payout.create_batch')
    assert.deepEqual(
      made.map(({ subject, details }) => [subject.id, details]),
      [[id, { externalId: 'friday', withdrawals: 2, amountCents: 5000 }]],
    )
  })

  it('that waits is shown with its owner’s name, and then with who decided and why', async () => {
    const owner = await server.loggedIn()
    await give(owner.accountId, 30_000_000n)
    const body = { ...order, externalId: 'form-1' }
    const { id } = (await owner.call('POST', 'payouts/withdrawals', body)).data
    await database.db.query(HELD, [id, server.clock.now()])
    const admin = await server.loggedIn('administrator')
    const waiting = (await admin.call('GET', 'admin/withdrawals')).data
    const shown = waiting.find((one: { readonly id: string }) => one.id === id)
    assert.deepEqual([shown.ownerId, shown.ownerName], [owner.accountId, 'M'])
    const path = `admin/withdrawals/${id}`
    assert.deepEqual((await admin.call('GET', path)).data.decisions, [])
    const decision = { decision: 'refuse', reason: 'the merchant has called' }
    assert.equal((await admin.call('POST', path, decision)).data.outcome, 'refunded')
    assert.deepEqual((await admin.call('GET', path)).data.decisions, [
      { ...decision, by: admin.email, at: server.clock.now().toISOString() },
    ])
  })

  it('is refused to a developer, without a fresh factor, and to an unknown destination', async () => {
    const developer = await server.loggedIn('developer')
    for (const path of ['payouts/quote', 'payouts/withdrawals']) {
      assert.equal((await developer.call('POST', path, order)).key, 'FORBIDDEN')
    }
    const batch = { externalId: 'b', withdrawals: [{ ...order, externalId: 'w' }] }
    for (const [path, body] of [
      ['payouts/batches', batch],
      ['payouts/batches/preview', { withdrawals: batch.withdrawals }],
    ] as const) {
      assert.equal((await developer.call('POST', path, body)).key, 'FORBIDDEN')
    }
    const owner = await server.loggedIn()
    await give(owner.accountId, 30_000_000n)
    await owner.call('PUT', 'payouts/destinations', { onlyKnown: true })
    const refused = await owner.call('POST', 'payouts/quote', order)
    assert.equal(refused.key, 'CRYPTO_PAYOUT_DESTINATION_INVALID')
    await owner.call('PUT', 'payouts/destinations', { onlyKnown: false })
    server.clock.advance(11 * 60_000)
    const late = await owner.call('POST', 'payouts/withdrawals', { ...order, externalId: 'form-1' })
    assert.equal(late.key, 'TWO_FACTOR_FRESH_REQUIRED')
    const lateBatch = await owner.call('POST', 'payouts/batches', batch)
    assert.equal(lateBatch.key, 'TWO_FACTOR_FRESH_REQUIRED')
    assert.equal((await owner.call('GET', 'payouts/custody')).data.totalCents, 3000)
  })
})
