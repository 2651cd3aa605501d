import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { type Currency, cents, sumCents } from '#kernel/money'
import type { CursorPage } from '#kernel/page'
import { Refusal } from '#kernel/refusal'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { readBalance } from './balances.ts'
import { demoDeposit } from './demo-deposit.ts'
import type { Entry } from './entry.ts'
import { fund, transferEarnings } from './fund.ts'
import { type HistoryFilter, history } from './history.ts'
import { historyValues, PAGE_OF_HISTORY } from './store.ts'
import { AT, credit, ownerWith } from './testing/wallets.ts'

let test: TestDatabase
let db: Db
/** With a ledger of 4,000 rows, once the test of depths has run. */
let filled: Owner
before(async () => {
  test = await testDatabase()
  db = test.db
})
after(() => test.close())

interface Owner {
  readonly id: string
  readonly currency: Currency
}

const ALL: HistoryFilter = {
  cursor: null,
  limit: 100,
  type: null,
  status: null,
  from: null,
  to: null,
}

const read = async (
  owner: Owner,
  filter: Partial<HistoryFilter> = {},
  kind: 'spot' | 'earnings' = 'spot',
) => history(db, { ownerId: owner.id, kind }, { ...ALL, ...filter })

/** All pages, one after the other. */
async function readAll(owner: Owner, filter: Partial<HistoryFilter>): Promise<Entry[]> {
  const entries: Entry[] = []
  let cursor: string | null = null
  do {
    const page = await read(owner, { ...filter, cursor })
    entries.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return entries
}

const reverse = (journalId: string): Promise<unknown> =>
  db.query(sql('testing.reverse', 'select ledger.reverse($1, $2, $3, $4)'), [
    journalId,
    newId(),
    'reversal',
    AT,
  ])

const transfer = (
  merchant: Owner,
  subUser: Owner,
  amount: bigint,
  direction: 'fund' | 'defund' = 'fund',
  at = AT,
) =>
  db.transaction((tx) =>
    fund(tx, {
      direction,
      merchant,
      subUser,
      amount: cents(amount),
      subUserAmount: cents(amount),
      idempotencyKey: newId(),
      at,
    }),
  )

describe('an entry', () => {
  it('of a fund is fund_out and fund_in under one id, with the key as its reference', async () => {
    const [merchant, subUser] = [await ownerWith(db, 1000n), await ownerWith(db, 0n)]
    const { transactionId } = await db.transaction((tx) =>
      fund(tx, {
        direction: 'fund',
        merchant,
        subUser,
        amount: cents(300n),
        subUserAmount: cents(300n),
        idempotencyKey: 'order-7',
        at: AT,
      }),
    )
    const common = {
      id: transactionId,
      status: 'posted',
      occurredAt: AT,
      externalRef: 'order-7',
    }
    assert.deepEqual((await read(merchant)).items[0], {
      ...common,
      type: 'fund_out',
      description: 'Funds sent',
      amount: -300n,
    })
    assert.deepEqual((await read(subUser)).items, [
      { ...common, type: 'fund_in', description: 'Funds received', amount: 300n },
    ])
  })

  it('of a defund is fund_out for the sub-user and fund_in for the merchant', async () => {
    const [merchant, subUser] = [await ownerWith(db, 0n), await ownerWith(db, 500n)]
    await transfer(merchant, subUser, 200n, 'defund')
    assert.equal((await read(merchant)).items[0]?.type, 'fund_in')
    assert.equal((await read(subUser)).items[0]?.type, 'fund_out')
  })

  it('of an earnings transfer is transfer_out in earnings and transfer_in in spot', async () => {
    const merchant = await ownerWith(db, 0n, { earnings: true })
    await credit(db, merchant, cents(500n), { kind: 'earnings' })
    const { transactionId } = await db.transaction((tx) =>
      transferEarnings(tx, { merchant, amount: cents(200n), idempotencyKey: 'k', at: AT }),
    )
    const [out] = (await read(merchant, {}, 'earnings')).items
    const [into] = (await read(merchant)).items
    assert.deepEqual([out?.id, out?.type, out?.amount], [transactionId, 'transfer_out', -200n])
    assert.deepEqual([into?.id, into?.type, into?.amount], [transactionId, 'transfer_in', 200n])
  })

  it('of a demo deposit is deposit_credit, once for an owner', async () => {
    const owner = await ownerWith(db, 0n)
    const deposit = {
      ownerId: owner.id,
      currency: 'USD',
      amount: cents(10_000_000n),
      at: AT,
    } as const
    await db.transaction((tx) => demoDeposit(tx, deposit))
    await db.transaction((tx) => demoDeposit(tx, deposit))
    const { items } = await read(owner)
    assert.deepEqual(
      items.map((entry) => [entry.type, entry.amount]),
      [['deposit_credit', 10_000_000n]],
    )
  })

  it('that was reversed stays, reads reversed, and its reversal cancels it out', async () => {
    const [merchant, subUser] = [await ownerWith(db, 1000n), await ownerWith(db, 0n)]
    const { transactionId } = await transfer(merchant, subUser, 300n)
    await reverse(transactionId)
    for (const [owner, type, sign] of [
      [merchant, 'fund_out', -1n],
      [subUser, 'fund_in', 1n],
    ] as const) {
      const [reversal, original] = (await read(owner, { type })).items
      assert.deepEqual(
        [original?.status, original?.amount, original?.type],
        ['reversed', sign * 300n, type],
      )
      assert.deepEqual(
        [reversal?.status, reversal?.amount, reversal?.type],
        ['posted', -sign * 300n, type],
      )
      assert.match(reversal?.description ?? '', /^Reversal: /)
    }
    const entries = (await read(merchant)).items
    assert.equal(sumCents(entries.map((entry) => entry.amount)), 1000n)
  })
})

describe('a filter', () => {
  let owner: Owner
  let other: Owner
  before(async () => {
    owner = await ownerWith(db, 1000n)
    other = await ownerWith(db, 0n)
    const first = await transfer(owner, other, 10n, 'fund', new Date('2026-11-21T00:00:00Z'))
    await transfer(owner, other, 20n, 'fund', new Date('2026-11-22T00:00:00Z'))
    await transfer(owner, other, 5n, 'defund', new Date('2026-11-23T00:00:00Z'))
    await reverse(first.transactionId)
  })
  const amounts = async (filter: Partial<HistoryFilter>) =>
    (await read(owner, filter)).items.map((entry) => Number(entry.amount))

  it('without any shows all, newest first', async () => {
    assert.deepEqual(await amounts({}), [10, 5, -20, -10, 1000])
  })
  it('on the type shows that type and its reversals', async () => {
    assert.deepEqual(await amounts({ type: 'fund_out' }), [10, -20, -10])
    assert.deepEqual(await amounts({ type: 'fund_in' }), [5])
    assert.deepEqual(await amounts({ type: 'withdrawal_debit' }), [])
  })
  it('on the status shows that status', async () => {
    assert.deepEqual(await amounts({ status: 'reversed' }), [-10])
    assert.deepEqual(await amounts({ status: 'posted' }), [10, 5, -20, 1000])
  })
  it('on the time includes both ends', async () => {
    const range = { from: new Date('2026-11-21T00:00:00Z'), to: new Date('2026-11-22T00:00:00Z') }
    assert.deepEqual(await amounts(range), [-20, -10])
  })
  it('holds on every page', async () => {
    const entries = await readAll(owner, { type: 'fund_out', limit: 1 })
    assert.deepEqual(
      entries.map((entry) => Number(entry.amount)),
      [10, -20, -10],
    )
  })
})

describe('pages', () => {
  it('show every entry once while others are written, and none that came after the first page', async () => {
    const [merchant, subUser] = [await ownerWith(db, 1_000_000n), await ownerWith(db, 0n)]
    for (let i = 0; i < 25; i++) await transfer(merchant, subUser, BigInt(100 + i))
    const seen: Entry[] = []
    let cursor: string | null = null
    do {
      const page = await read(subUser, { limit: 4, cursor })
      seen.push(...page.items)
      cursor = page.nextCursor
      await Promise.all([
        transfer(merchant, subUser, 7n),
        transfer(merchant, subUser, 7n, 'defund'),
      ])
    } while (cursor !== null)
    assert.deepEqual(
      seen.map((entry) => entry.amount),
      Array.from({ length: 25 }, (_, i) => BigInt(124 - i)),
    )
  })

  it('sum to the balance', async () => {
    const [merchant, subUser] = [await ownerWith(db, 5000n), await ownerWith(db, 0n)]
    for (let i = 1; i < 20; i++) {
      await transfer(merchant, subUser, BigInt(i), i % 3 ? 'fund' : 'defund').catch(() => {})
    }
    const entries = await readAll(subUser, { limit: 3 })
    const total = sumCents(entries.map((entry) => entry.amount))
    assert.equal(total, await readBalance(db, subUser.id))
  })

  it('end with null, exactly at the end too', async () => {
    const owner = await ownerWith(db, 1n)
    await credit(db, owner, cents(2n))
    assert.equal((await read(owner, { limit: 2 })).nextCursor, null)
    const first = await read(owner, { limit: 1 })
    assert.equal(first.nextCursor, first.items[0]?.id)
    const second = await read(owner, { limit: 1, cursor: first.nextCursor })
    assert.deepEqual([second.items.length, second.nextCursor], [1, null])
    const beyond = await read(owner, { cursor: second.items[0]?.id ?? '' })
    assert.deepEqual(beyond, { items: [], nextCursor: null })
  })

  it('a cursor that is no row of this wallet is refused', async () => {
    const [one, two] = [await ownerWith(db, 1n), await ownerWith(db, 1n)]
    const ofOtherWallet = (await read(two)).items[0]?.id ?? ''
    for (const cursor of [ofOtherWallet, newId()]) {
      await assert.rejects(read(one, { cursor }), (error) => {
        assert.ok(error instanceof Refusal)
        return error.key === 'VALIDATION_FAILED'
      })
    }
  })

  it('cost the same at any depth: both sides walk their index and stop at the limit', async () => {
    const owner = await ownerWith(db, 0n)
    const FILL = sql(
      'testing.fill',
      `select count(ledger.post('adjustment', null, $1, 'fill:' || i, '\\x00', $2, array['USD']::ledger.currency[],
         array[case when i % 2 = 1 then ledger.house('adjustment', 'USD') else ledger.account_of($1, 'spot') end],
         array[case when i % 2 = 1 then ledger.account_of($1, 'spot') else ledger.house('adjustment', 'USD') end],
         array[5::bigint])) from generate_series(1, 4000) i`,
    )
    const ROW_OF = sql(
      'testing.row_of',
      `select p.journal_id id from ledger.posting p
       where ledger.account_of($1, 'spot') in (p.debit_account_id, p.credit_account_id)
         and $2 = case when p.debit_account_id = ledger.account_of($1, 'spot') then p.debit_seq else p.credit_seq end`,
    )
    await db.query(FILL, [owner.id, AT])
    filled = owner
    await db.script('analyze ledger.posting; analyze ledger.journal')
    for (const beforeSeq of [4001n, 2000n, 60n]) {
      const [cursor] = await db.query<{ id: string }>(ROW_OF, [owner.id, beforeSeq])
      const values = historyValues({
        ...{ ownerId: owner.id, kind: 'spot', limit: 26, cursor: cursor?.id ?? null },
        ...{ type: null, reversed: null, from: null, to: null, look: null },
      })
      const EXPLAIN = sql(
        `testing.explain_${beforeSeq}`,
        `explain (analyze, buffers, timing off, format json) ${PAGE_OF_HISTORY.text}`,
      )
      const [row] = await db.query<{ 'QUERY PLAN': Plan[] }>(EXPLAIN, values)
      const plan = row?.['QUERY PLAN'][0]?.Plan
      // The one by journal finds where the cursor stands.
      const scans = (plan ? scansOf(plan) : []).filter(
        (node) =>
          node['Relation Name'] === 'posting' && node['Index Name'] !== 'posting_journal_id',
      )
      assert.deepEqual(scans.map((scan) => scan['Index Name']).sort(), [
        'posting_credit',
        'posting_debit',
      ])
      for (const scan of scans) assert.ok(scan['Actual Rows'] <= 26, `${scan['Actual Rows']} rows`)
      assert.ok(
        (plan?.['Shared Hit Blocks'] ?? Infinity) + (plan?.['Shared Read Blocks'] ?? 0) < 400,
        `${plan?.['Shared Hit Blocks']} blocks at ${beforeSeq}`,
      )
    }
  })
})

describe('a look for entries that few rows are', () => {
  const pages = async (filter: Partial<HistoryFilter>) => {
    const found: number[] = []
    let cursor: string | null = null
    do {
      const page: CursorPage<Entry> = await history(
        db,
        { ownerId: filled.id, kind: 'spot' },
        { ...ALL, ...filter, cursor },
        LOOK,
      )
      found.push(page.items.length)
      cursor = page.nextCursor
    } while (cursor !== null)
    return found
  }
  const LOOK = 1000n

  it('ends after so many rows, and goes on at the cursor', async () => {
    assert.deepEqual(await pages({ type: 'withdrawal_debit' }), [0, 0, 0, 0])
    assert.deepEqual(await pages({ to: new Date(AT.getTime() - 1) }), [0, 0, 0, 0])
  })

  it('leaves no row out and returns none twice', async () => {
    const all = await pages({ status: 'posted' })
    assert.equal(
      all.reduce((sum, count) => sum + count, 0),
      4000,
    )
    assert.deepEqual(await pages({ status: 'reversed' }), [0, 0, 0, 0])
  })
})

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: PlanNode[]
}
interface Plan {
  readonly Plan: PlanNode
}

const scansOf = (node: PlanNode): PlanNode[] => [
  ...(node['Node Type'].includes('Scan') ? [node] : []),
  ...(node.Plans ?? []).flatMap(scansOf),
]
