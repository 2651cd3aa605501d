// What the database refuses, whatever the code above it does: a payment leaves once, keeps its nonce and its
// bytes, and is never what it was not. Each guard is met by hand and taken back.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { until } from '#infra/testing/until'
import { WAITING } from '#infra/testing/waiting'
import { type Db, sql, sqlState, type Tx, violatedConstraint } from '../../../infra/database/db.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { newId } from '../../../kernel/id.ts'
import { auditOutbound, endOfTransactionSlice } from './store/audit.ts'

let test: TestDatabase
let db: Db
before(async () => {
  test = await testDatabase()
  db = test.db
})
after(async () => {
  // The audit of the books counts the nonces that were given.
  await run(
    db,
    `insert into outbound.wallet (chain, key_ref, address, next_nonce, changed_at) values ('base', 'hot', $1, $2, now())`,
    [ADDRESS, nonce],
  )
  await test.close()
})

const run = (by: Db | Tx, text: string, values: readonly unknown[] = []) =>
  by.query<{ id: string }>(sql(`guard.${newId()}`, text), [...values])

const ADDRESS = `0x${'1'.repeat(40)}`
const hash = (): string => `0x${newId().replaceAll('-', '').repeat(2)}`

async function aTransaction(change: Readonly<Record<string, string>> = {}): Promise<string> {
  const columns = {
    ...{ id: newId(), chain: 'base', key_ref: 'hot', purpose: 'payout', ref_id: newId() },
    ...{ token: 'NATIVE', recipient: ADDRESS, units: '1' },
    ...{ due_at: '2026-01-01', created_at: '2026-01-01', ...change },
  }
  const names = Object.keys(columns)
  await run(
    db,
    `insert into outbound.transaction (${names.join()}) values (${names.map((_, i) => `$${i + 1}`).join()})`,
    Object.values(columns),
  )
  return columns.id
}

let nonce = 0
const signing = () => ({ state: 'signing', nonce: String(nonce++), signing: '{}' })

const attempt = (transactionId: string, of = hash(), number = 1): Promise<unknown> =>
  run(
    db,
    `insert into outbound.attempt (transaction_id, number, kind, hash, raw, max_fee_per_gas,
       max_priority_fee_per_gas, gas, signed_at) values ($1, $2, 'payment', $3, '0x00', 1, 1, 21000, now())`,
    [transactionId, number, of],
  )

const change = (table: string, id: string, to: string): Promise<unknown> =>
  run(db, `update ${table} set ${to} where id = $1`, [id])

const refused = (work: Promise<unknown>, why: string): Promise<void> =>
  assert.rejects(work, (error) => violatedConstraint(error) === why || sqlState(error) === why)

describe('a transaction of ours', () => {
  it('is one for its payment, and its nonce is its own', async () => {
    const refId = newId()
    await aTransaction({ ref_id: refId })
    await refused(aTransaction({ ref_id: refId }), 'transaction_once')
    const own = signing()
    await aTransaction(own)
    await refused(aTransaction({ ...own }), 'transaction_nonce_once')
  })

  it('that was signed is never again as if it had not been, and keeps its nonce', async () => {
    const id = await aTransaction(signing())
    await refused(
      change('outbound.transaction', id, 'nonce = nonce + 1000'),
      'transaction_keeps_its_nonce',
    )
    await attempt(id)
    for (const to of [
      "state = 'queued', nonce = null",
      "state = 'canceled', nonce = null, finished_at = now()",
    ]) {
      await refused(change('outbound.transaction', id, to), 'transaction_signed_stays_signed')
    }
  })

  it('that is finished stays so, and none is removed', async () => {
    const id = await aTransaction()
    await change('outbound.transaction', id, "state = 'canceled', finished_at = now()")
    await refused(change('outbound.transaction', id, 'fee_paid = 1'), 'transaction_finished_once')
    for (const table of ['transaction', 'attempt']) {
      await refused(run(db, `delete from outbound.${table}`), '42501')
    }
  })

  it('has bytes that stay as they were signed, each once', async () => {
    const [first, second] = [await aTransaction(signing()), await aTransaction(signing())]
    const of = hash()
    await attempt(first, of)
    await refused(attempt(second, of), 'attempt_hash_once')
    await refused(attempt(first), 'attempt_numbered')
    await refused(
      run(db, `update outbound.attempt set raw = '0x01' where hash = $1`, [of]),
      '42501',
    )
  })
})

it('a payment that counts as made is settled by hand only when another transaction has its nonce', async () => {
  const id = await aTransaction(signing())
  await refused(
    run(db, 'insert into outbound.final_watch (transaction_id, settled_at) values ($1, now())', [
      id,
    ]),
    'final_watch_settled_when_displaced',
  )
})

class TakenBack extends Error {}

describe('the audit of transactions in slices', () => {
  /** What is found in slices of two transactions when these nonces of a wallet are used and skipped. */
  const foundIn = async (wallet: {
    readonly used: readonly number[]
    readonly skipped?: readonly number[]
    readonly next: number | null
  }): Promise<string[]> => {
    const found: string[] = []
    const work = db.transaction(async (tx) => {
      await run(
        tx,
        `insert into outbound.wallet (chain, key_ref, address, next_nonce, changed_at)
         select 'polygon', 'hot', $1, $2::bigint, now() where $2::bigint is not null`,
        [ADDRESS, wallet.next],
      )
      await run(
        tx,
        `insert into outbound.transaction (id, chain, key_ref, purpose, ref_id, token, recipient, units, state, nonce,
           due_at, created_at)
         select uuidv7(), 'polygon', 'hot', 'payout', uuidv7(), 'NATIVE', $1, 1, 'signing', n, now(), now()
         from unnest($2::bigint[]) with ordinality u (n, at) order by at`,
        [ADDRESS, wallet.used],
      )
      await run(
        tx,
        `insert into outbound.skipped_nonce (chain, key_ref, nonce, at) select 'polygon', 'hot', n, now() from unnest($1::bigint[]) n`,
        [wallet.skipped ?? []],
      )
      let after = '00000000-0000-0000-0000-000000000000'
      for (;;) {
        const upTo = await endOfTransactionSlice(tx, after, 2)
        if (upTo === null) break
        found.push(...(await auditOutbound(tx, { after, upTo })).map(({ detail }) => detail))
        after = upTo
      }
      throw new TakenBack()
    })
    await assert.rejects(work, TakenBack)
    return found.filter((detail) => detail.startsWith('polygon')).sort()
  }

  it('a hole in the nonces of a wallet is found, however long ago, and what was skipped is none', async () => {
    const used = [5, 6, 8, 9, 10, 11, 12]
    assert.deepEqual(await foundIn({ used, next: 13 }), ['polygon hot: 8 after 6, next 13'])
    assert.deepEqual(await foundIn({ used, skipped: [7], next: 13 }), [])
    const skipped = [3, 7, 14]
    assert.deepEqual(await foundIn({ used, skipped, next: 15 }), [], 'beside what was used')
    const far = { used: [5, 9], skipped: [6, 8], next: 10 }
    assert.deepEqual(await foundIn(far), ['polygon hot: 9 after 5, next 10'])
  })

  it('a nonce that was used and skipped, or not yet given, is found', async () => {
    const both = { used: [5, 6, 7], skipped: [6], next: 8 }
    assert.deepEqual(await foundIn(both), ['polygon hot: 6 after 5, next 8'])
    assert.deepEqual(await foundIn({ used: [5, 6], next: 6 }), ['polygon hot: 6 after 5, next 6'])
    assert.deepEqual(await foundIn({ used: [5], next: null }), ['polygon hot: 5 after none, next '])
  })
})

describe('of several attempts with one nonce', () => {
  /** With a payment as its first attempt and a cancel transaction as its second. */
  const replaced = async (tx: Tx, state: string, mined: 1 | 2 | null): Promise<string> => {
    const hashes = [hash(), hash()]
    const id = newId()
    await run(
      tx,
      `insert into outbound.transaction (id, chain, key_ref, purpose, ref_id, token, recipient, units, state, nonce,
         due_at, created_at, accepted_at, finished_at, mined_hash, mined_block)
       values ($1, 'base', 'gas', 'gas', $1, 'NATIVE', $2, 1, $3, 0, now(), now(), now(), now(), $4, $5)`,
      [id, ADDRESS, state, mined && hashes[mined - 1], mined],
    )
    await run(
      tx,
      `insert into outbound.attempt (transaction_id, number, kind, hash, raw, max_fee_per_gas, max_priority_fee_per_gas,
         gas, signed_at)
       select $1, n, case n when 1 then 'payment' else 'filler' end, ($2::text[])[n], '0x00', 1, 1, 21000, now()
       from generate_series(1, 2) n`,
      [id, hashes],
    )
    return id
  }
  const audited = async (state: string, mined: 1 | 2 | null): Promise<string[]> => {
    const found: string[] = []
    const work = db.transaction(async (tx) => {
      const id = await replaced(tx, state, mined)
      const text = `select detail id from outbound.audit() where invariant = 'a transaction ends as the attempt that was mined'`
      found.push(...(await run(tx, text)).map((row) => row.id.replace(id, 'it')))
      throw new TakenBack()
    })
    await assert.rejects(work, TakenBack)
    return found
  }

  it('the audit finds a transaction that did not end as the mined one', async () => {
    for (const state of ['confirmed', 'reverted', 'no_effect']) {
      assert.deepEqual(await audited(state, 1), [])
      assert.deepEqual(await audited(state, 2), [`it is ${state}, mined was filler`])
      assert.deepEqual(await audited(state, null), [`it is ${state}, mined was none`])
    }
    assert.deepEqual(await audited('displaced', 2), [])
    assert.deepEqual(await audited('displaced', null), [], 'by a transaction that is not ours')
    assert.deepEqual(await audited('displaced', 1), ['it is displaced, mined was payment'])
  })
})

describe('a withdrawal', () => {
  const aWithdrawal = async (externalId: string, ownerId: string): Promise<string> => {
    const [row] = await run(
      db,
      `insert into payouts.withdrawal (id, source, owner_id, tenant_id, external_id, request_hash, chain, token, decimals,
         destination, amount_cents, fee_cents, units, fee_units, usd_e8, status, due_at, created_at)
       values ($1, 'custody', $2, $2, $3, '', 'base', 'NATIVE', 18, $4, 100, 1, 1, 1, 1, 'pending_callback', now(), now())
       returning id`,
      [newId(), ownerId, externalId, ADDRESS],
    )
    return row?.id ?? ''
  }

  it('is one for its external id, goes forward, stays as it was asked for, and is kept', async () => {
    const ownerId = newId()
    const id = await aWithdrawal('one', ownerId)
    await refused(aWithdrawal('one', ownerId), 'withdrawal_once')
    const table = 'payouts.withdrawal'
    const confirmed = "status = 'confirmed', due_at = null, confirmed_at = now()"
    await refused(change(table, id, confirmed), 'withdrawal_goes_forward')
    await refused(change(table, id, 'units = units + 1'), '42501')
    const refunded = "status = 'refunded', due_at = null, refunded_at = now()"
    await refused(change(table, id, refunded), 'withdrawal_refunded_for_a_reason')
    await change(table, id, `${refunded}, failure_reason = 'x'`)
    await refused(change(table, id, "status = 'queued'"), 'withdrawal_goes_forward')
    await refused(run(db, 'delete from payouts.withdrawal'), '42501')
  })

  it('counts in the sums of the last day from its approval until it is refunded', async () => {
    const ownerId = newId()
    const sumOf = async (): Promise<unknown> => {
      const text = `select cents::text id from payouts.lock_and_sum_approved(array[$1::uuid], now() - interval '1 day')
        where tenant_id = $1`
      return (await run(db, text, [ownerId]))[0]?.id
    }
    const table = 'payouts.withdrawal'
    const id = await aWithdrawal('approved', ownerId)
    assert.equal(await sumOf(), '0')
    await change(table, id, "status = 'queued', due_at = null, approved_at = now()")
    assert.equal(await sumOf(), '100')
    await change(table, id, "held_reason = 'over_day_limit'")
    assert.equal(await sumOf(), '0')
    await change(table, id, 'held_reason = null')
    assert.equal(await sumOf(), '100')
    const [other] = await run(
      db,
      `insert into payouts.withdrawal (id, source, owner_id, tenant_id, external_id, request_hash, chain, token, decimals,
         destination, amount_cents, fee_cents, units, fee_units, usd_e8, status, created_at, approved_at, journal_id)
       values ($1, 'wallet', $2, $2, 'approved at once', '', 'base', 'NATIVE', 18, $3, 11, 1, 1, 0, 1, 'queued', now(),
         now(), $1) returning id`,
      [newId(), ownerId, ADDRESS],
    )
    assert.equal(await sumOf(), '111')
    const refunded = "status = 'refunded', refunded_at = now(), failure_reason = 'x'"
    await change(table, id, refunded)
    assert.equal(await sumOf(), '11')
    await change(table, other?.id ?? '', refunded)
    assert.equal(await sumOf(), '0')
  })

  it('is summed up with others by one approval at a time', async () => {
    const sum = (tx: Tx) =>
      run(tx, 'select from payouts.lock_and_sum_approved(array[$1::uuid], now())', [newId()])
    const others: Promise<unknown>[] = []
    await db.transaction(async (tx) => {
      await sum(tx)
      others.push(db.transaction(sum))
      await until('the other waits', async () => (await db.query(WAITING)).length > 0)
    })
    await Promise.all(others)
  })
})
