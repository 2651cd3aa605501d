import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from '#infra/database/db'
import type { Violation } from '#infra/database/id-slices'
import { createMetrics } from '#infra/process/metrics'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { type Audit, createAudit } from '#ledger'
import { listBooksAudits } from '#operations'
import { findAccountsWithOpenTrades } from '#trades'
import { manualClock } from '../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { aMerchant, aSubUser } from '../../modules/accounts/identity/testing/accounts.ts'
import { credit } from '../../modules/money/ledger/testing/wallets.ts'
import { auditParts, createAuditBooks } from './audit-books.ts'

let test: TestDatabase
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

const run = { signal: AbortSignal.timeout(60_000), processId: 'test' }

function setUp(audit?: Audit) {
  const clock = manualClock()
  const metrics = createMetrics()
  const alarms: object[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => alarms.push(fields) }
  const deps = { db: test.db, clock, log, metrics, openBusiness: [findAccountsWithOpenTrades] }
  const job = createAuditBooks(audit ? { ...deps, audit } : deps)
  return { clock, metrics, alarms, job }
}

it('finds nothing in sound books, of the ledger and of trading', async () => {
  const { job, metrics, alarms } = setUp()
  assert.equal(await job.work(run), false)
  assert.deepEqual(alarms, [])
  const text = await metrics.text()
  assert.match(text, /tradepost_books_audit_violations\{scope="recent"\} 0/)
  assert.match(text, /tradepost_books_audit_violations\{scope="everything"\} 0/)
  const kept = await listBooksAudits(test.db)
  assert.deepEqual(
    kept.map(({ violationCount }) => violationCount),
    [0, 0, 0],
  )
})

it('logs each violation and counts them: the recent every time, the day every hour, everything every night', async () => {
  const violation: Violation = { invariant: 'balance is the sum of its postings', detail: 'x' }
  const calls: string[] = []
  let finishedAt: Date | null = null
  const { clock, metrics, alarms, job } = setUp({
    recent: async () => {
      calls.push('recent')
      return [violation, violation]
    },
    day: async () => {
      calls.push('day')
      return []
    },
    everything: async () => {
      calls.push('everything')
      finishedAt = clock.now()
      return [violation]
    },
    everythingFinishedAt: async () => finishedAt,
  })
  clock.set(new Date('2026-11-20T12:00:00Z'))
  // Never audited before: at once.
  await job.work(run)
  assert.equal(alarms.length, 3)
  assert.deepEqual(alarms[0], { alarm: 'books_broken', scope: 'recent', ...violation })
  const text = await metrics.text()
  assert.match(text, /tradepost_books_audit_violations\{scope="recent"\} 2/)
  assert.match(text, /tradepost_books_audit_violations\{scope="everything"\} 1/)
  const callsAt = async (at: string): Promise<string[]> => {
    calls.length = 0
    clock.set(new Date(at))
    await job.work(run)
    return [...calls]
  }
  assert.deepEqual(await callsAt('2026-11-20T12:59:59Z'), ['recent'])
  assert.deepEqual(await callsAt('2026-11-20T13:00:00Z'), ['recent', 'day'])
  // A night comes twenty hours after the last time, or later.
  assert.deepEqual(await callsAt('2026-11-21T01:00:00Z'), ['recent', 'day'])
  assert.deepEqual(await callsAt('2026-11-22T00:59:00Z'), ['recent', 'day'])
  assert.deepEqual(await callsAt('2026-11-22T01:00:00Z'), ['recent', 'everything'])
  assert.deepEqual(await callsAt('2026-11-22T01:01:00Z'), ['recent'])
  // Without a quiet hour for two days: by day.
  assert.deepEqual(await callsAt('2026-11-24T12:00:00Z'), ['recent', 'day', 'everything'])
})

it('an audit of everything that fails is tried again after an hour', async () => {
  let tries = 0
  const { clock, job } = setUp({
    recent: async () => [],
    day: async () => [],
    everything: async () => {
      tries++
      throw new Error('too slow')
    },
    everythingFinishedAt: async () => null,
  })
  await assert.rejects(job.work(run), /too slow/)
  clock.advance(60_000)
  await job.work(run)
  assert.equal(tries, 1)
  clock.advance(3_600_000)
  await assert.rejects(job.work(run), /too slow/)
})

it('finds a deleted account with money, or with something open', async () => {
  const merchant = await aMerchant(test.db)
  const [rich, busy] = [await aSubUser(test.db, merchant.id), await aSubUser(test.db, merchant.id)]
  await credit(test.db, { id: rich.id, currency: 'USD' }, cents(5n))
  // No way of the service leads here.
  const DELETE = sql(
    'testing.delete_accounts',
    "update identity.account set status = 'deleted', deleted_at = now() where id = any ($1::uuid[])",
  )
  await test.db.query(DELETE, [[rich.id, busy.id]])
  const openBusiness = [async () => [busy.id]]
  const parts = auditParts(openBusiness)
  const audit = createAudit({ db: test.db, clock: manualClock() }, { parts })
  assert.deepEqual(await audit.everything(), [
    { invariant: 'a deleted account has no money', detail: rich.id },
    { invariant: 'a deleted account has nothing open', detail: busy.id },
  ])
})

it('finds transfers and withdrawals whose postings, deposits or events are not there', async () => {
  const parts = auditParts([])
  const found = async (name: string, damage: string): Promise<string[]> => {
    let invariants: string[] = []
    await test.db
      .transaction(async (tx) => {
        await tx.query(sql('', damage))
        const part = parts.find((one) => one.name === name)
        const { violations } = (await part?.audit(tx, null)) ?? { violations: [] }
        invariants = violations.map(({ invariant }) => invariant).sort()
        throw new RolledBack()
      })
      .catch((error) => {
        if (!(error instanceof RolledBack)) throw error
      })
    return invariants
  }
  assert.deepEqual(await found('transfers', CREDITED_TRANSFER), [
    'a credited transfer is a completed deposit',
    'a transfer is posted when and only when it is booked',
  ])
  assert.deepEqual(await found('transfers', COMPLETED_CUSTODY), [
    'a deposit into custody has its event when it was completed',
    'a transfer is posted when and only when it is booked',
  ])
  const elsewhere = 'a deposit into custody is with its merchant, or put aside'
  assert.deepEqual(await found('transfers', custodyPostedTo('unclaimed', true)), [])
  assert.deepEqual(await found('transfers', custodyPostedTo('merchant', true)), [elsewhere])
  assert.deepEqual(
    await found('transfers', `${custodyPostedTo('unclaimed', true)}, ${ANNOUNCED}`),
    ['a deposit into custody has its event when it was completed'],
  )
  assert.deepEqual(await found('transfers', custodyPostedTo('unclaimed', false)), [
    'a deposit into custody has its event when it was completed',
    elsewhere,
  ])
  assert.deepEqual(await found('withdrawals', CONFIRMED_WITHDRAWAL), [
    ENDS_OTHERWISE,
    'a withdrawal from custody has the event of its status, and of no other end',
    'a withdrawal is posted as it ended',
  ])
  for (const [status, state] of [
    ['queued', 'confirmed'],
    ['queued', 'reverted'],
    ['refunded', 'queued'],
    ['refunded', 'confirmed'],
  ] as const) {
    const invariants = await found('withdrawals', withdrawalBeside(status, state))
    assert.ok(invariants.includes(ENDS_OTHERWISE), `${status}, ${state}: ${invariants}`)
  }
  // One that an operator recorded as paid has no nonce, and its transaction was given up.
  const recorded = await found(
    'withdrawals',
    withdrawalBeside('confirmed', 'confirmed', 'null::bigint'),
  )
  assert.ok(recorded.includes(ENDS_OTHERWISE))
  const alike = await found('withdrawals', withdrawalBeside('queued', 'queued'))
  assert.ok(!alike.includes(ENDS_OTHERWISE))
  const inFlight = 'nothing is in flight without an open withdrawal'
  assert.ok((await found('withdrawals', inFlightBeside('refunded'))).includes(inFlight))
  assert.ok(!(await found('withdrawals', inFlightBeside('queued'))).includes(inFlight))
})

const ENDS_OTHERWISE = 'a withdrawal ends as its transaction does'

class RolledBack extends Error {}

const transferOf = (purpose: string): string => `
  address as (
    insert into chains.address (owner_id, purpose, hd_index, address, created_at)
    values (uuidv7(), '${purpose}', 7, '0x' || repeat('7', 40), now()) returning id, owner_id),
  transfer as (
    insert into chains.transfer (chain, tx_hash, kind, ordinal, contract, token, decimals, sender, recipient, address_id,
      owner_id, purpose, units, block_number, block_hash, state, usd_e8, rate_sources, first_seen_at, due_at, settled_at)
    select 'base', 'hash', 'native', '0', '0x', 'NATIVE', 18, '0x', '0x', id, owner_id, '${purpose}', 5, 1, 'hash',
      'credited', 1, '{test}', now(), now(), now() from address returning id, owner_id)`
const CREDITED_TRANSFER = `with ${transferOf('deposit')} select from transfer`
const completedCustody = (isUnclaimed: boolean): string => `
  insert into payouts.deposit (id, merchant_id, chain, token, units, decimals, address, tx_hash, status, created_at,
    updated_at, completed_at, is_unclaimed)
  select id, owner_id, 'base', 'NATIVE', 5, 18, '0x', 'hash', 'completed', now(), now(), now(), ${isUnclaimed} from transfer`
const COMPLETED_CUSTODY = `with ${transferOf('payout_custody')} ${completedCustody(false)}`
const custodyPostedTo = (role: string, isUnclaimed: boolean): string => `
  with ${transferOf('payout_custody')}, deposit as (${completedCustody(isUnclaimed)} returning id, merchant_id)
  select from deposit, custody.post(array['transfer:' || id], array['deposit'], array[id], array['base'], array['NATIVE'],
    array['deposit_address'], array[null::uuid], array['${role}'], array[merchant_id], array[5::numeric], now())`
const ANNOUNCED = `outbox.add('payout.crypto.deposit.completed', 'custody_deposit', merchant_id, merchant_id, id, '{}', id, now())`
const withdrawalOf = (status: string, owner = 'uuidv7()', nonce = '0'): string => `
  insert into payouts.withdrawal (id, source, owner_id, tenant_id, external_id, request_hash, chain, token, decimals,
    destination, amount_cents, fee_cents, units, fee_units, usd_e8, status, nonce, failure_reason, created_at,
    confirmed_at, refunded_at)
  select uuidv7(), 'custody', ${owner}, uuidv7(), 'x', '', 'base', 'NATIVE', 18, '0x' || repeat('1', 40), 100, 1, 1, 1,
    1, s, case s when 'confirmed' then ${nonce} end, case s when 'refunded' then 'x' end, now(), case s when 'confirmed' then now() end,
    case s when 'refunded' then now() end from (values ('${status}')) v (s)`
const CONFIRMED_WITHDRAWAL = withdrawalOf('confirmed')
const withdrawalBeside = (status: string, state: string, nonce = '0'): string => `
  with withdrawal as (${withdrawalOf(status, 'uuidv7()', nonce)} returning id)
  insert into outbound.transaction (id, chain, key_ref, purpose, ref_id, token, recipient, units, state, nonce,
    due_at, created_at, accepted_at, finished_at, mined_hash, mined_block)
  select id, 'base', 'hot', 'payout', id, 'NATIVE', '0x' || repeat('1', 40), 1, s,
    case when is_mined then 0 end, now(), now(), case when is_mined then now() end, case when is_mined then now() end,
    case when is_mined then '0x' || repeat('1', 64) end, case when is_mined then 1 end
  from withdrawal, (values ('${state}', '${state}' <> 'queued')) v (s, is_mined)`
const OWNER = `'${newId()}'::uuid`
const inFlightBeside = (status: string): string => `
  with posted as (
    select custody.post(array['transfer:audited'], array['deposit'], array[null::uuid], array['base'], array['NATIVE'],
      array['hot_wallet'], array[null::uuid], array['in_flight'], array[${OWNER}], array[5::numeric], now()))
  ${withdrawalOf(status, `(select ${OWNER} from posted)`)}`
