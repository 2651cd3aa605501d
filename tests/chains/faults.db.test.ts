// Chain deposits under crashes, replaced blocks and false answers: cases D2, D7, D16, D18, D20 and D21 of the
// plan of chains. After each all that the chain holds for us is in the books, once.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import type { Address, Hex } from '../../apps/server/src/kernel/chain.ts'
import { CHAIN_IDS } from '../../apps/server/src/modules/crypto/chains/chain.ts'
import { confirmTransfers } from '../../apps/server/src/modules/crypto/chains/confirm.ts'
import type { ChainNode } from '../../apps/server/src/modules/crypto/chains/ports.ts'
import { TRANSFER_TOPIC } from '../../apps/server/src/modules/crypto/chains/read-transfers.ts'
import { scanChain } from '../../apps/server/src/modules/crypto/chains/scan.ts'
import { readBalance } from '../../apps/server/src/modules/money/custody/index.ts'
import { callData, startChain, startProxy } from '../support/chains/index.ts'
import { Crash, createSteps } from './crash.ts'
import { openJournal } from './journal-handler.ts'
import { auditAll, onUnclaimed, openWatch, scanToTheEnd, TREASURY, type Watch } from './watch.ts'

const { db, close } = await testDatabase()
const journal = await openJournal(db)
const { handlers } = journal
const watches = new Map<string, Watch>()
for (const chain of CHAIN_IDS) {
  const tags = chain === 'base'
  const watch = await openWatch({
    ...{ db, handlers, chain },
    ...(tags && {
      rules: {
        finality: { mode: 'safe', orBlocks: 180n },
        largeFinality: { mode: 'finalized', orBlocks: 1800n },
      },
    }),
    ...(chain === 'arbitrum' && { secondRpcUrls: [] }),
  })
  await watch.chain.mine(10)
  await watch.scan()
  watches.set(chain, watch)
}
const watchOf = (chain: string): Watch => {
  const watch = watches.get(chain)
  assert.ok(watch)
  return watch
}
const ethereum = watchOf('ethereum')
const never = new AbortController().signal
const HOUR_MS = 3_600_000

after(async () => {
  try {
    assert.deepEqual(await auditAll(db), [])
  } finally {
    for (const { chain } of watches.values()) await chain.stop()
    await close()
  }
})

const credits = async (ownerId: string) =>
  (await journal.entriesOf(ownerId)).filter(({ what }) => what === 'credit')

async function settle({ chain, clock, scan, confirm }: Watch, blocks = 3) {
  await chain.mine(blocks)
  await scan()
  clock.advance(10_000)
  return confirm()
}

test('one address is paid on five chains, with the decimals of each', async () => {
  const { ownerId, address } = await ethereum.newAddress()
  for (const [chain, { chain: node }] of watches) {
    await node.pay(address, 'USDT', 10n * 10n ** (chain === 'bsc' ? 18n : 6n))
  }
  for (const watch of watches.values()) await settle(watch, 10)
  const found = await credits(ownerId)
  assert.deepEqual(
    found.map(({ cents }) => cents),
    [1000n, 1000n, 1000n, 1000n, 1000n],
  )
})

test('a small value is credited at the safe block, a large one at the finalized one', async () => {
  const watch = watchOf('base')
  const [small, large] = [await watch.newAddress(), await watch.newAddress()]
  await watch.chain.pay(small.address, 'USDC', 999_990_000n)
  await watch.chain.pay(large.address, 'USDC', 1_000_000_000n)
  await watch.chain.mine(1)
  const seen = async () => [
    (await credits(small.ownerId)).length,
    (await credits(large.ownerId)).length,
  ]
  await settle(watch, 3)
  assert.deepEqual(await seen(), [0, 0])
  await settle(watch, 1)
  assert.deepEqual(await seen(), [1, 0])
  await settle(watch, 3)
  assert.deepEqual(await seen(), [1, 0])
  await settle(watch, 1)
  assert.deepEqual(await seen(), [1, 1])
})

test('from five thousand dollars on a second node must know the transfer', async () => {
  const alone = watchOf('arbitrum')
  const first = await alone.newAddress()
  await alone.chain.pay(first.address, 'USDC', 5_000_000_000n)
  await alone.chain.pay(first.address, 'USDC', 4_999_990_000n)
  const missing = await settle(alone)
  assert.deepEqual(
    missing.blocked.map(({ why }) => why),
    ['no_second_node'],
  )
  assert.equal((await credits(first.ownerId)).length, 1)

  const other = await startChain('optimism')
  try {
    const watch = await openWatch({
      ...{ db, handlers, chain: 'optimism' },
      secondRpcUrls: [other.url],
      node: watchOf('optimism').chain,
    })
    const second = await watch.newAddress()
    await watch.chain.pay(second.address, 'USDC', 5_000_000_000n)
    const differs = await settle(watch)
    assert.deepEqual(
      differs.blocked.map(({ why }) => why),
      ['second_node_differs'],
    )
    assert.equal((await credits(second.ownerId)).length, 0)
  } finally {
    await other.stop()
  }
})

/** Shows twice the native coin that was sent; whether it arrived is in the receipts, which are true. */
function inflating({ node }: Watch): ChainNode {
  const twice = <One extends { readonly units: bigint }>(all: readonly One[]): One[] =>
    all.map((one) => ({ ...one, units: 2n * one.units }))
  return {
    ...node,
    block: async (number) => {
      const block = await node.block(number)
      return block && { ...block, nativeSends: twice(block.nativeSends) }
    },
    internalTransfers: async (hash) => {
      const found = await node.internalTransfers(hash)
      return found === null || found === 'unsupported' ? found : twice(found)
    },
  }
}

test('from five thousand dollars on a second node must show the same amount of native coin, also of what a contract sent', async () => {
  const watch = watchOf('optimism')
  const { chain, clock, rules, readPrice, scanDeps } = watch
  const [plain, inner] = [await watch.newAddress(), await watch.newAddress()]
  const payer = await chain.deploy('BatchPayer')
  const paid = async (units: bigint, node: ChainNode) => {
    await chain.pay(plain.address, 'NATIVE', units)
    const args = [inner.address, units, TREASURY, 1n]
    const data = callData('BatchPayer', 'payTwo(address,uint256,address,uint256)', args)
    await chain.send({ to: payer, value: units + 1n, data, gas: 500_000n })
    await chain.mine(3)
    await scanToTheEnd({ ...scanDeps, node }, never)
  }
  const blockedBy = async (node: ChainNode) => {
    clock.advance(10_000)
    const deps = { db, clock, rules, handlers, readPrice, node, treasury: null, onUnclaimed }
    return (await confirmTransfers(deps, never)).blocked.map(({ why }) => why).sort()
  }
  const credited = async () =>
    (await Promise.all([plain, inner].map(({ ownerId }) => credits(ownerId)))).flat().length

  // 3,500 dollars each, shown as 7,000.
  await paid(10n ** 18n, inflating(watch))
  const differ = ['second_node_differs', 'second_node_differs']
  assert.deepEqual(await blockedBy(inflating(watch)), differ)
  assert.equal(await credited(), 0)

  await paid(2n * 10n ** 18n, watch.node)
  const { second } = watch.node
  assert.ok(second)
  const untraced = { ...second, internalTransfers: async () => 'unsupported' as const }
  assert.deepEqual(await blockedBy({ ...watch.node, second: untraced }), [
    'differs',
    'second_node_differs',
    'second_node_untraced',
  ])
  assert.equal(await credited(), 1)
  assert.deepEqual(await blockedBy(watch.node), ['differs', 'second_node_differs'])
  assert.equal(await credited(), 2)
})

test('a node that does not answer about one transfer, or a second one that is away, holds up no other', async () => {
  const watch = watchOf('bsc')
  const { chain, clock, rules, readPrice } = watch
  const first = await watch.newAddress()
  const units = 10n ** 18n
  const large = Array.from({ length: 5 }, () => chain.pay(first.address, 'USDC', 5_000n * units))
  const wrong = await chain.pay(first.address, 'USDC', 11n * units)
  await Promise.all(large)
  await chain.pay(first.address, 'USDC', 12n * units)
  await chain.mine(3)
  await watch.scan()
  clock.advance(10_000)
  let asked = 0
  const node = {
    ...watch.node,
    receipt: async (hash: Hex) => {
      if (hash === wrong) throw new Error('no answer')
      return watch.node.receipt(hash)
    },
    second: {
      ...watch.node,
      receipt: async () => {
        asked += 1
        throw new Error('away')
      },
    },
  }
  const deps = { db, clock, rules, handlers, readPrice, node, treasury: null, onUnclaimed }
  const away = await confirmTransfers(deps, never)
  assert.deepEqual([away.credited, asked], [1, 3])
  assert.deepEqual(new Set(away.blocked.map(({ why }) => why)), new Set(['node_unavailable']))
  assert.deepEqual([...new Set(away.failures)].sort(), ['node: no answer', 'second: away'])
  // Those that were not asked for come first in the next round.
  assert.equal((await confirmTransfers(deps, never)).blocked.length, 2)
  clock.advance(5_000)
  assert.equal((await watch.confirm()).credited, 6)
})

/** A contract that emits three transfers in one transaction: to the first argument, the second, the first. */
const THREE_TRANSFERS: Hex = `0x604035600052${['00', '20', '00']
  .map((at) => `60${at}3560017f${TRANSFER_TOPIC.slice(2)}60206000a3`)
  .join('')}00`

test('a node that indexes no logs and offers no receipts of blocks holds up no block and hides no transfer', async () => {
  const { chain, clock } = ethereum
  const proxy = await startProxy(chain.url)
  try {
    proxy.set({ noLogs: true })
    proxy.refuse('eth_getBlockReceipts')
    const behind = await openWatch({ db, handlers, clock, node: { ...chain, url: proxy.url } })
    const users = [await ethereum.newAddress(), await ethereum.newAddress()]
    for (const { address } of users) {
      for (let block = 0; block < 3; block += 1) {
        await chain.pay(address, 'USDC', 25_000_000n)
        await chain.mine(1)
      }
    }
    await settle(behind)
    const last = (await behind.scan()).at(-1)
    assert.ok(last?.kind === 'scanned')
    assert.equal(last.cursor.number, last.head)
    for (const { ownerId } of users) {
      const credited = (await credits(ownerId)).map(({ cents }) => cents)
      assert.deepEqual(credited, [2500n, 2500n, 2500n])
    }
  } finally {
    await proxy.close()
  }
})

test('several logs of one transaction are as many credits, to one user and to several', async () => {
  const { chain } = ethereum
  const [first, second] = [await ethereum.newAddress(), await ethereum.newAddress()]
  const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
  const code = await chain.rpc('eth_getCode', [usdc, 'latest'])
  await chain.rpc('anvil_setCode', [usdc, THREE_TRANSFERS])
  const word = (value: string) => value.slice(2).toLowerCase().padStart(64, '0')
  await chain.send({
    to: usdc,
    data: `0x${word(first.address)}${word(second.address)}${word(`0x${(5_000_000).toString(16)}`)}`,
  })
  await chain.mine(1)
  await chain.rpc('anvil_setCode', [usdc, code])
  await settle(ethereum)
  const centsOf = async (ownerId: string) => (await credits(ownerId)).map(({ cents }) => cents)
  assert.deepEqual(await centsOf(first.ownerId), [500n, 500n])
  assert.deepEqual(await centsOf(second.ownerId), [500n])
})

/** Scans and confirms, and ends at the step; true when the work came to its end before. */
async function runAndCrash(watch: Watch, crashAt: number): Promise<boolean> {
  const steps = createSteps({ db, node: watch.node }, crashAt)
  const parts = { db: steps.db, node: steps.node }
  try {
    await scanToTheEnd({ ...watch.scanDeps, ...parts }, never)
    const { clock, rules, readPrice } = watch
    const deps = { ...parts, clock, rules, handlers, readPrice, treasury: null, onUnclaimed }
    await confirmTransfers(deps, never)
  } catch (error) {
    if (!(error instanceof Crash)) throw error
  }
  // A block that was read ahead may have been the step, and its failure not needed.
  return steps.taken < crashAt
}

test('a crash between any two steps changes neither what is recorded nor what is credited', async () => {
  const { chain } = ethereum
  let crashes = 0
  for (let crashAt = 1; ; crashAt++) {
    const { ownerId, address } = await ethereum.newAddress()
    const hash = await chain.pay(address, 'USDT', 5_000_000n)
    await chain.mine(2)
    await ethereum.scan()
    // The next run rolls back, records the transfer in its new block and credits it.
    await chain.reorg(2, [[await chain.raw(hash), 1]])
    await chain.mine(2)
    const isDone = await runAndCrash(ethereum, crashAt)
    if (!isDone) crashes += 1
    await ethereum.scan()
    // A read that failed has put the transfer off.
    ethereum.clock.advance(5_000)
    await ethereum.confirm()
    const what = (await journal.entriesOf(ownerId)).map((entry) => entry.what)
    assert.deepEqual(what, ['record', 'orphan', 'credit'], `crash at step ${crashAt}`)
    if (isDone) break
  }
  assert.ok(crashes > 20, `${crashes} crashes`)
})

/** mulberry32: 32 bits of state are enough to replay a run by its seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const TOKENS = ['USDT', 'USDC', 'NATIVE'] as const
const STEPS = 120

async function interleave(watch: Watch, random: (below: number) => number) {
  const { chain, clock } = watch
  const owners = [
    await watch.newAddress(),
    await watch.newAddress(),
    await watch.newAddress('payout_custody'),
  ]
  let recent: Hex[][] = []
  let pending: Hex[] = []
  const mine = async (blocks: number) => {
    await chain.mine(blocks)
    recent = [...recent, pending, ...Array.from({ length: blocks - 1 }, () => [])].slice(-6)
    pending = []
  }
  const replace = async () => {
    const depth = 1 + random(Math.max(1, recent.length - 1))
    const lost = recent.splice(-depth).flat()
    // The first ones come back, perhaps none: one that is left out takes those after it along.
    const kept = lost.slice(0, random(lost.length + 1))
    const offset = random(depth)
    const raws = await Promise.all(kept.map((hash) => chain.raw(hash)))
    await chain.reorg(
      depth,
      raws.map((raw) => [raw, offset]),
    )
    recent = Array.from({ length: depth }, (_, i) => (i === offset ? kept : []))
  }
  for (let i = 0; i < STEPS; i++) {
    const dice = random(12)
    if (dice < 3) {
      const owner = owners[random(owners.length)]
      const token = TOKENS[random(TOKENS.length)] ?? 'USDT'
      const units = BigInt(1 + random(4_000_000)) * (token === 'NATIVE' ? 10n ** 9n : 1n)
      if (owner) pending.push(await chain.pay(owner.address, token, units))
    } else if (dice < 6) await mine(1 + random(3))
    else if (dice === 6 && pending.length === 0 && recent.length > 1) await replace()
    else if (dice === 7) await runAndCrash(watch, 1 + random(40))
    else if (dice === 8) await Promise.all([scanChain(watch.scanDeps, never), watch.scan()])
    else if (dice === 9) await Promise.all([watch.confirm(), watch.confirm()])
    else if (dice === 10) await watch.scan()
    else clock.advance(random(20 * 60_000))
    if (random(10) === 0) await watch.abandon()
  }
  await mine(1)
  await watch.scan()
  for (const hours of [0, 2, 0]) {
    clock.advance(hours * HOUR_MS)
    await settle(watch, 4)
    await watch.abandon()
  }
  return owners
}

const TOTALS = sql(
  '',
  `select coalesce(sum(units) filter (where state = 'credited'), 0) credited, coalesce(sum(units) filter (where state = 'dust'), 0) dust,
     count(*) filter (where state = 'pending') pending
   from chains.transfer where owner_id = $1 and token = $2`,
)

for (const seed of [1, 20_261_122, 777_777]) {
  test(`what is credited is what the chain holds, after deposits, replaced blocks and crashes at random (seed ${seed})`, async () => {
    const owners = await interleave(ethereum, randomOf(seed))
    const { hash } = await ethereum.node.head()
    const contracts = new Map<string, Address | null>([
      ...ethereum.chain.network.tokens.map(
        ({ symbol, address }) => [symbol, address.toLowerCase() as Address] as const,
      ),
      ['NATIVE', null],
    ])
    for (const [token, contract] of contracts) {
      for (const { ownerId, address } of owners) {
        const [held] = (await ethereum.node.balances([{ holder: address, contract }], hash)) ?? []
        const [row] = await db.query<{ credited: string; dust: string; pending: bigint }>(TOTALS, [
          ownerId,
          token,
        ])
        assert.ok(row)
        assert.equal(BigInt(row.credited) + BigInt(row.dust), held, `${token} of ${ownerId}`)
        assert.equal(row.pending, 0n)
      }
      const custodian = owners[2]
      assert.ok(custodian)
      const [held] =
        (await ethereum.node.balances([{ holder: custodian.address, contract }], hash)) ?? []
      const account = { role: 'merchant', ownerId: custodian.ownerId } as const
      assert.equal(await readBalance(db, account, { chain: 'ethereum', token }), held)
    }
    assert.deepEqual(await auditAll(db), [])
  })
}
