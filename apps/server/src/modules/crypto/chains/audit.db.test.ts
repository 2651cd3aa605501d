// The audit of transfers, sweeps, batches and sums finds in slices of any size what it finds in all at once.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql, type Tx } from '#infra/database/db'
import {
  type AuditOfSlice,
  type EndOfSlice,
  EVERY_ID,
  FIRST_ID,
  type Violation,
} from '#infra/database/id-slices'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import {
  auditBatches,
  auditDust,
  auditSweeps,
  auditTransfers,
  endOfBatchSlice,
  endOfDustSlice,
  endOfSweepSlice,
  endOfTransferSlice,
} from './store/audit.ts'

let test: TestDatabase
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

class TakenBack extends Error {}
const run = (tx: Tx, text: string) => tx.query(sql('', text))

const id = (n: number): string => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`

interface Planted {
  readonly n: number
  readonly state?: 'pending' | 'credited' | 'dust'
  readonly token?: string
  readonly block?: readonly [number: number, hash: string]
  readonly isReplaced?: boolean
  readonly units?: number
  readonly sweep?: number
  readonly batch?: number
}

const transferOf = ({ n, state = 'pending', units = 1, ...given }: Planted): string => {
  const { block: [number, hash] = [99, 'h99'], isReplaced = false, sweep, batch } = given
  const { token = 'NATIVE' } = given
  const isBooked = state !== 'pending'
  return `('${id(n)}', 'base', 'tx${n}', 'native', '0', '0x', '${token}', 18, '0x', '0x', '${id(0)}', '${id(99)}', 'deposit',
    ${units}, ${number}, '${hash}', ${isReplaced ? 'now()' : 'null'}, '${state}', ${isBooked ? 'now()' : 'null'},
    ${sweep ? `'${id(sweep)}'::uuid` : 'null::uuid'}, ${batch ? `'${id(batch)}'::uuid` : 'null::uuid'}, now(), now())`
}

// Those of one sweep or batch are far from each other, so that every slice border is between some of them.
const TRANSFERS: readonly Planted[] = [
  { n: 1 },
  { n: 2, block: [99, 'another'] },
  { n: 3, sweep: 1, units: 4 },
  { n: 4, sweep: 2, units: 4 },
  { n: 5, block: [101, 'h101'] },
  { n: 6, block: [101, 'h101'], isReplaced: true },
  { n: 7, state: 'credited', batch: 1, units: 4 },
  { n: 8, state: 'credited', batch: 2, units: 4 },
  // Older than the blocks that are kept.
  { n: 9, block: [7, 'h7'] },
  { n: 10, sweep: 1, units: 6 },
  { n: 11, sweep: 2, units: 6 },
  { n: 12, state: 'credited', batch: 1, units: 6 },
  { n: 13, state: 'credited', batch: 2, units: 6 },
  { n: 14, state: 'credited', batch: 4, units: 1 },
  { n: 15, block: [100, 'another'] },
  { n: 16, state: 'dust', units: 3 },
  { n: 17, state: 'dust', units: 4, isReplaced: true },
  { n: 18, state: 'dust', token: 'USDT' },
]

const PLANT = [
  `insert into chains.address (id, owner_id, purpose, hd_index, address, created_at)
   values ('${id(0)}', '${id(99)}', 'deposit', 7, '0x' || repeat('7', 40), now())`,
  `insert into chains.cursor (chain, number, hash, updated_at) values ('base', 100, 'h100', now())`,
  `insert into chains.block (chain, number, hash, parent_hash, scanned_at)
   select 'base', n, 'h' || n, 'h' || n - 1, now() from generate_series(98, 100) n`,
  `insert into chains.sweep (id, address_id, chain, token, units, gas_units, target, target_role, state, began_at, ended_at)
   select i::uuid, '${id(0)}', 'base', 'NATIVE', units, 0, '0x', 'treasury', state, now(), now()
   from (values ('${id(1)}', 10, 'swept'), ('${id(2)}', 11, 'swept'), ('${id(3)}', 5, 'failed'),
     ('${id(4)}', 1, 'swept')) v (i, units, state)`,
  `insert into chains.dust_batch (id, address_id, chain, token, units, created_at, dissolved_at)
   select i::uuid, '${id(0)}', 'base', 'NATIVE', units, now(), dissolved
   from (values ('${id(1)}', 10, null), ('${id(2)}', 9, null), ('${id(3)}', 5, now()),
     ('${id(4)}', 1, now())) v (i, units, dissolved)`,
  `insert into chains.dust_sum (id, address_id, chain, token, units)
   values ('${id(1)}', '${id(0)}', 'base', 'NATIVE', 3), ('${id(2)}', '${id(0)}', 'base', 'USDC', 2)`,
  `insert into chains.transfer (id, chain, tx_hash, kind, ordinal, contract, token, decimals, sender, recipient, address_id,
     owner_id, purpose, units, block_number, block_hash, orphaned_at, state, settled_at, sweep_id, dust_batch_id,
     first_seen_at, due_at)
   values ${TRANSFERS.map(transferOf).join(', ')}`,
]

const SUMMED = 'a batch of small transfers is their sum'
const BROUGHT = 'a sweep moves no more than its transfers brought'
const IN_BLOCK = 'a canonical transfer is in a block of the chain'
const HAS_SUM = 'a small transfer that waits has a sum'
const IS_SUM = 'a sum of small transfers is what waits'
const POSTED = 'a transfer is posted when and only when it is booked'
const EXPECTED = [
  ...[2, 4].map((n) => `${SUMMED}: ${id(n)}`),
  ...[2, 5, 15].map((n) => `${IN_BLOCK}: base transfer ${id(n)}`),
  `${HAS_SUM}: ${id(18)}`,
  `${IS_SUM}: ${id(2)}`,
  ...[2, 4].map((n) => `${BROUGHT}: ${id(n)}`),
  ...[7, 8, 12, 13, 14, 16, 17, 18].map((n) => `${POSTED}: ${id(n)}`),
]

const AUDITS: readonly (readonly [AuditOfSlice, EndOfSlice])[] = [
  [auditTransfers, endOfTransferSlice],
  [auditSweeps, endOfSweepSlice],
  [auditBatches, endOfBatchSlice],
  [auditDust, endOfDustSlice],
]

const linesOf = (violations: readonly Violation[]): string[] =>
  violations.map(({ invariant, detail }) => `${invariant}: ${detail}`).sort()

async function inSlices(tx: Tx, limit: number): Promise<string[]> {
  const found: Violation[] = []
  for (const [audit, endOfSlice] of AUDITS) {
    let after = FIRST_ID
    for (;;) {
      const upTo = await endOfSlice(tx, after, limit)
      if (upTo === null) break
      found.push(...(await audit(tx, { after, upTo })))
      after = upTo
    }
  }
  return linesOf(found)
}

it('finds each planted fault once and nothing else, in slices of any size and in all at once', async () => {
  const work = test.db.transaction(async (tx) => {
    for (const statement of PLANT) await run(tx, statement)
    const whole: Violation[] = []
    for (const [audit] of AUDITS) whole.push(...(await audit(tx, EVERY_ID)))
    assert.deepEqual(linesOf(whole), EXPECTED)
    for (const limit of [1, 2, 3, 4, 7, 100]) {
      assert.deepEqual(await inSlices(tx, limit), EXPECTED, `slices of ${limit}`)
    }
    throw new TakenBack()
  })
  await assert.rejects(work, TakenBack)
})
