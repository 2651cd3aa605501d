// What many worthless transfers cost the service and its other owners: nothing that grows with their number.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Queryable, sql, type Tx } from '../../apps/server/src/infra/database/db.ts'
import { FIRST_ID } from '../../apps/server/src/infra/database/id-slices.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import { readMigrations } from '../../apps/server/src/infra/database/schema-history.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { rowsRead, useIndexesOnly } from '../../apps/server/src/infra/testing/indexes-only.ts'
import type { Hex } from '../../apps/server/src/kernel/chain.ts'
import { auditDust } from '../../apps/server/src/modules/crypto/chains/store/audit.ts'
import { collectDust } from '../../apps/server/src/modules/crypto/chains/store/dust.ts'
import {
  listDueTransfers,
  settleTransfer,
} from '../../apps/server/src/modules/crypto/chains/store/transfers.ts'
import { startProxy } from '../support/chains/index.ts'
import { openJournal } from './journal-handler.ts'
import { payOften } from './pay-often.ts'
import { auditAll, openWatch, scanToTheEnd } from './watch.ts'

const { db, close } = await testDatabase()
const journal = await openJournal(db)
const watch = await openWatch({ db, handlers: journal.handlers })
const { chain, clock } = watch
const never = new AbortController().signal
await chain.mine(3)
await watch.scan()

after(async () => {
  try {
    assert.deepEqual(await auditAll(db), [])
  } finally {
    await chain.stop()
    await close()
  }
})

const credits = async (ownerId: string) =>
  (await journal.entriesOf(ownerId))
    .filter(({ what }) => what === 'credit')
    .map(({ token, units, cents }) => `${token} ${units} ${cents}`)
const settle = async (blocks = 3) => {
  await chain.mine(blocks)
  await watch.scan()
  clock.advance(10_000)
  return watch.confirm()
}

test('a thousand small transfers to one owner delay the deposit of another by no round, and are one credit', async () => {
  const [flooded, other] = [await watch.newAddress(), await watch.newAddress()]
  await payOften(chain, flooded.address, { units: 1_000n, count: 100, transactions: 10 })
  await chain.pay(other.address, 'USDC', 25_000_000n)
  let round = await settle()
  assert.deepEqual(await credits(other.ownerId), ['USDC 25000000 2500'])
  const dust = [round.dust]
  for (; round.hasMore; dust.push(round.dust)) round = await watch.confirm()
  assert.deepEqual(dust, [199, 200, 200, 200, 200, 1])
  assert.deepEqual(await credits(flooded.ownerId), ['USDC 1000000 100'])
})

test('small transfers of which a re-organisation undoes one are credited when those in the chain reach the minimum', async () => {
  const { ownerId, address } = await watch.newAddress()
  const pay = async (units: bigint) => {
    await chain.pay(address, 'USDC', units)
    await settle()
  }
  await pay(600_000n)
  await pay(300_000n)
  await chain.reorg(3)
  await settle()
  await pay(399_999n)
  assert.deepEqual(await credits(ownerId), [])
  await pay(1n)
  assert.deepEqual(await credits(ownerId), ['USDC 1000000 100'])
  assert.deepEqual(await auditDust(db), [])
})

test('a small transfer that moves to another block counts once', async () => {
  const { ownerId, address } = await watch.newAddress()
  await chain.pay(address, 'USDC', 600_000n)
  await settle()
  const hash = await chain.pay(address, 'USDC', 300_000n)
  await settle()
  const raw = await chain.raw(hash)
  await chain.reorg(3, [[raw, 1]])
  await settle(4)
  await chain.pay(address, 'USDC', 99_999n)
  await settle()
  assert.deepEqual(await credits(ownerId), [])
  await chain.pay(address, 'USDC', 1n)
  await settle()
  assert.deepEqual(await credits(ownerId), ['USDC 1000000 100'])
  assert.deepEqual(await auditDust(db), [])
})

// ---------------------------------------------------------------- in numbers that no test can send

class TakenBack extends Error {}
/** In a transaction of which nothing stays. */
const scratch = (work: (tx: Tx) => Promise<void>): Promise<void> =>
  assert.rejects(
    db.transaction(async (tx) => {
      await work(tx)
      throw new TakenBack()
    }),
    TakenBack,
  )

const PLANT_ADDRESS = sql(
  '',
  `insert into chains.address (owner_id, purpose, hd_index, address, created_at)
   values (uuidv7(), 'deposit', (select coalesce(max(hd_index), 0) + 1000 from chains.address),
     '0x' || substr(replace(uuidv7()::text || uuidv7()::text, '-', ''), 1, 40), now())
   returning id`,
)
const PLANT = sql(
  '',
  `insert into chains.transfer (chain, tx_hash, kind, ordinal, contract, token, decimals, sender, recipient, address_id,
     owner_id, purpose, units, block_number, block_hash, first_seen_at, due_at)
   select 'bsc', uuidv7()::text, 'erc20', n::text, '0x', 'USDC', 18, '0x', '0x', $1::uuid,
     case when $3 then uuidv7() else $1 end, 'deposit', $4::numeric, 1, '0x', now(), $5::timestamptz + n * interval '1 second'
   from generate_series(1, $2) n`,
)
const WAIT = sql(
  '',
  `update chains.transfer set state = 'dust', settled_at = now() where address_id = $1 and state = 'pending'`,
)
const PLANTED_AT = new Date('2026-01-01T00:00:00Z')

async function plantAddress(to: Queryable): Promise<string> {
  const [row] = await to.query<{ id: string }>(PLANT_ADDRESS)
  assert.ok(row)
  return row.id
}

/** Pending transfers of one owner, or of as many owners. */
const plant = (
  to: Queryable,
  addressId: string,
  { count, units = 1n, eachOwner = false }: { count: number; units?: bigint; eachOwner?: boolean },
) => to.query(PLANT, [addressId, count, eachOwner, units, PLANTED_AT])

const RATE = { usdE8: 100_000_000n, rateSources: ['test'], at: new Date('2026-02-01T00:00:00Z') }
const listDue = (tx: Tx, given: { after?: string; limit: number }) =>
  listDueTransfers(tx, 'bsc', { now: RATE.at, after: FIRST_ID, ...given })

test('one more small transfer reads no more rows where five thousand wait than where one does', () =>
  scratch(async (tx) => {
    await useIndexesOnly(tx)
    const reads: number[] = []
    for (const count of [1, 5000]) {
      const addressId = await plantAddress(tx)
      await plant(tx, addressId, { count })
      await tx.query(WAIT, [addressId])
      await plant(tx, addressId, { count: 1, units: 2n })
      const [transfer] = (await listDue(tx, { limit: 1 })).transfers
      assert.ok(transfer)
      const add = async () => {
        const settled = { ...RATE, state: 'dust', usdE8: null, rateSources: null } as const
        assert.ok(await settleTransfer(tx, transfer, settled))
        assert.equal(await collectDust(tx, transfer, { ...RATE, leastUnits: 5003n }), null)
      }
      reads.push(
        await rowsRead(tx, 'chains.transfer', async () => {
          reads.push(await rowsRead(tx, 'chains.dust_sum', add))
        }),
      )
    }
    const [sums = 0, transfers = 0] = reads
    assert.deepEqual(reads.slice(2), [sums, transfers])
    assert.ok(sums + transfers < 10, String(reads))
    assert.deepEqual(await auditDust(tx), [])
  }))

test('of thousands that reach the minimum together the thousand largest are a batch, and the others wait', () =>
  scratch(async (tx) => {
    const addressId = await plantAddress(tx)
    const at = { addressId, chain: 'bsc', token: 'USDC' } as const
    await plant(tx, addressId, { count: 900, units: 10n })
    await plant(tx, addressId, { count: 9000 })
    await tx.query(WAIT, [addressId])
    const read = await rowsRead(tx, 'chains.transfer', async () => {
      const tooMuch = await collectDust(tx, at, { ...RATE, leastUnits: 9101n })
      assert.equal(tooMuch, null)
      const batch = await collectDust(tx, at, { ...RATE, leastUnits: 9100n })
      assert.equal(batch?.units, 9100n)
    })
    assert.ok(read <= 5000, `${read} rows`)
    assert.deepEqual(await auditDust(tx), [])
    assert.equal((await collectDust(tx, at, { ...RATE, leastUnits: 1000n }))?.units, 1000n)
  }))

test('due transfers are listed round by owner, and no more of them are read however many there are', () =>
  scratch(async (tx) => {
    const addressId = await plantAddress(tx)
    await plant(tx, addressId, { count: 5000 })
    const others = await plantAddress(tx)
    await plant(tx, others, { count: 500, eachOwner: true })
    const served: string[] = []
    for (let after: string | null = FIRST_ID; after !== null; ) {
      const read = await rowsRead(tx, 'chains.transfer', async () => {
        const { transfers, nextOwner } = await listDue(tx, { after: after ?? FIRST_ID, limit: 100 })
        assert.equal(transfers.length, nextOwner === null ? 1 : 100)
        served.push(...transfers.map(({ ownerId }) => ownerId))
        after = nextOwner
      })
      assert.ok(read <= 600, `${read} rows`)
    }
    assert.equal(new Set(served).size, 501)
    assert.equal(served.length, 501)
  }))

test('what waited below the minimum before its sums were kept is summed by the migration', async () => {
  const old = await testDatabase({ isEmpty: true })
  try {
    const all = readMigrations()
    const sums = all.findIndex(({ name }) => name.endsWith('_sums_of_small_transfers'))
    await migrate(old.url, { migrations: all.slice(0, sums) })
    const addressId = await plantAddress(old.db)
    await plant(old.db, addressId, { count: 30, units: 7n })
    await old.db.query(WAIT, [addressId])
    await plant(old.db, addressId, { count: 5 })
    await migrate(old.url)
    const found = await old.db.query(sql('', 'select units from chains.dust_sum'))
    assert.deepEqual(found, [{ units: '210' }])
    assert.deepEqual(await auditDust(old.db), [])
  } finally {
    await old.close()
  }
})

test('a block full of native sends is read with one call for its receipts, or with sixteen of them at a time', async () => {
  const proxy = await startProxy(chain.url)
  // The node of tests needs longer than its deadline to trace such a block.
  proxy.refuse('debug_traceBlockByHash', 'trace_block')
  try {
    for (const isOffered of [true, false]) {
      if (!isOffered) proxy.refuse('eth_getBlockReceipts')
      const behind = { db, handlers: journal.handlers, clock, node: { ...chain, url: proxy.url } }
      const { node, scanDeps } = await openWatch(behind)
      const [good, bad] = [await watch.newAddress(), await watch.newAddress()]
      await chain.rpc('anvil_setCode', [bad.address, '0x60006000fd'])
      for (let i = 0; i < 300; i++) await chain.pay(good.address, 'NATIVE', 1n)
      await chain.send({ to: bad.address, value: 1n, gas: 100_000n })
      await chain.mine(1)
      let [asked, underWay, most] = [0, 0, 0]
      const receipt = async (hash: Hex) => {
        asked += 1
        most = Math.max(most, ++underWay)
        const found = await node.receipt(hash)
        underWay -= 1
        return found
      }
      await scanToTheEnd({ ...scanDeps, node: { ...node, receipt } }, never)
      assert.deepEqual([asked, most], isOffered ? [0, 0] : [301, 16])
      assert.equal(proxy.calls('eth_getBlockReceipts'), isOffered ? 1 : 2)
      const counts = [good, bad].map(
        async ({ ownerId }) => (await journal.entriesOf(ownerId)).length,
      )
      assert.deepEqual(await Promise.all(counts), [300, 0])
    }
  } finally {
    await proxy.close()
  }
})
