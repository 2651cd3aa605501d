// What becomes of a transfer, on a real node of a real chain id: cases D1 to D20 of the plan of chains.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { until } from '../../apps/server/src/infra/testing/until.ts'
import { scanChain } from '../../apps/server/src/modules/crypto/chains/scan.ts'
import { readBalance } from '../../apps/server/src/modules/money/custody/index.ts'
import { callData, hex } from '../support/chains/index.ts'
import { openJournal } from './journal-handler.ts'
import { auditAll, openWatch } from './watch.ts'

const { db, close } = await testDatabase()
const journal = await openJournal(db)
const watch = await openWatch({ db, handlers: journal.handlers, deadlineMs: 1500 })
const { chain, clock } = watch
const HOUR_MS = 3_600_000
const never = new AbortController().signal
const USD = 1_000_000n
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

const words = async (ownerId: string) => (await journal.entriesOf(ownerId)).map(({ what }) => what)
const credits = async (ownerId: string) =>
  (await journal.entriesOf(ownerId))
    .filter(({ what }) => what === 'credit')
    .map(({ token, units, cents }) => `${token} ${units} ${cents}`)
/** Mines, scans and confirms until what is final is credited. */
async function settle(blocks = 3) {
  await chain.mine(blocks)
  await watch.scan()
  clock.advance(10_000)
  return watch.confirm()
}

test('a transfer is recorded when it is first seen, and credited with exactly as many blocks as asked', async () => {
  const { ownerId, address } = await watch.newAddress()
  await chain.pay(address, 'USDT', 25n * USD + 9_999n)
  await chain.mine(1)
  await watch.scan()
  assert.deepEqual(await words(ownerId), ['record'])
  await chain.mine(1)
  await watch.scan()
  assert.deepEqual((await watch.confirm()).waiting, 1)
  assert.deepEqual(await words(ownerId), ['record'])
  await chain.mine(1)
  await watch.scan()
  assert.equal((await watch.confirm()).credited, 1)
  assert.deepEqual(await credits(ownerId), ['USDT 25009999 2500'])
  await settle()
  assert.deepEqual(await words(ownerId), ['record', 'credit'])
})

test('payout custody is credited in kind, below the minimum and without a price too', async () => {
  const { ownerId, address } = await watch.newAddress('payout_custody')
  const known = watch.prices.get('ETH') ?? []
  watch.prices.set('ETH', [])
  await chain.pay(address, 'NATIVE', 77n)
  await settle()
  watch.prices.set('ETH', known)
  assert.deepEqual(await words(ownerId), ['record', 'credit'])
  const held = await readBalance(
    db,
    { role: 'merchant', ownerId },
    { chain: 'ethereum', token: 'NATIVE' },
  )
  assert.equal(held, 77n)
})

test('native coin that a call sends is credited, and what a reverted call sent is not', async () => {
  const [first, second] = [await watch.newAddress(), await watch.newAddress()]
  const payer = await chain.deploy('BatchPayer')
  const pay = (method: string, args: (bigint | string)[], value: bigint) =>
    chain.send({ to: payer, value, data: callData('BatchPayer', method, args) })
  const ether = 10n ** 18n
  await pay(
    'payTwo(address,uint256,address,uint256)',
    [first.address, ether, second.address, 2n * ether],
    3n * ether,
  )
  await pay('payAndUndo(address,uint256)', [first.address, 5n * ether], 5n * ether)
  await chain.pay(second.address, 'NATIVE', ether)
  await settle()
  assert.deepEqual(await credits(first.ownerId), [`NATIVE ${ether} 350000`])
  assert.deepEqual((await credits(second.ownerId)).sort(), [
    `NATIVE ${ether} 350000`,
    `NATIVE ${2n * ether} 700000`,
  ])
})

test('a native send that reverts is no transfer', async () => {
  const receiver = await chain.deploy('RejectingReceiver')
  const id = await watch.newAddress()
  await chain.send({ to: receiver, value: 10n ** 18n, gas: 100_000n })
  await settle()
  assert.deepEqual(await words(id.ownerId), [])
})

test('what our own wallets and addresses send is never a deposit', async () => {
  const [target, other] = [await watch.newAddress(), await watch.newAddress()]
  const station = chain.accounts[1]
  assert.ok(station)
  watch.ownSenders.add(station.toLowerCase())
  await chain.send({ from: station, to: target.address, value: 10n ** 18n })
  await chain.pay(other.address, 'NATIVE', 10n ** 18n)
  await chain.mine(1)
  await chain.impersonate(other.address)
  await chain.send({ from: other.address, to: target.address, value: 10n ** 17n })
  await settle()
  assert.deepEqual(await words(target.ownerId), [])
  assert.deepEqual(await words(other.ownerId), ['record', 'credit'])
})

test('of a token that is known and not taken the owner learns once, of an unknown one not at all', async () => {
  const { ownerId, address } = await watch.newAddress()
  const [dai, spam] = [
    '0x6b175474e89094c44da98b954eedeac495271d0f',
    await chain.deploy('Token'),
  ] as const
  const code = await chain.rpc<string>('eth_getCode', [spam, 'latest'])
  await chain.rpc('anvil_setCode', [dai, code])
  for (const token of [dai, dai, ...Array.from({ length: 20 }, () => spam)]) {
    await chain.send({ to: token, data: callData('Token', 'mint(address,uint256)', [address, 5n]) })
  }
  await settle()
  assert.deepEqual(await words(ownerId), ['record', 'fail unsupported_token'])
  const kept = await db.query(
    sql(
      '',
      `select u.contract, u.seen from chains.unsupported u join chains.address a on a.id = u.address_id
       where a.owner_id = $1 order by u.seen`,
    ),
    [ownerId],
  )
  assert.deepEqual(kept, [
    { contract: dai, seen: 2n },
    { contract: spam.toLowerCase(), seen: 20n },
  ])
})

test('small transfers fail one by one, and are one credit as soon as they reach the minimum together', async () => {
  const { ownerId, address } = await watch.newAddress()
  const pay = async (units: bigint) => {
    await chain.pay(address, 'USDC', units)
    await settle()
  }
  await pay(400_000n)
  await pay(599_999n)
  assert.deepEqual(await words(ownerId), [
    ...['record', 'fail below_minimum'],
    ...['record', 'fail below_minimum'],
  ])
  await pay(1n)
  assert.deepEqual(await credits(ownerId), ['USDC 1000000 100'])
  await pay(999_999n)
  assert.deepEqual(await credits(ownerId), ['USDC 1000000 100'])
})

test('a small transfer that leaves the chain takes its shared credit along, and the others wait for more', async () => {
  const { ownerId, address } = await watch.newAddress()
  const held = () => readBalance(db, 'deposit_address', { chain: 'ethereum', token: 'USDC' })
  const before = await held()
  const pay = async (units: bigint) => {
    await chain.pay(address, 'USDC', units)
    await settle()
  }
  await pay(600_000n)
  await pay(700_000n)
  assert.deepEqual(await credits(ownerId), ['USDC 1300000 130'])
  await chain.reorg(3)
  await settle()
  clock.advance(2 * HOUR_MS)
  assert.equal((await watch.abandon()).length, 1)
  assert.deepEqual((await words(ownerId)).slice(-3), ['record', 'credit', 'reverse'])
  assert.equal((await held()) - before, 600_000n)
  assert.equal((await watch.abandon()).length, 0)
  await pay(500_000n)
  assert.deepEqual(await credits(ownerId), ['USDC 1300000 130', 'USDC 1100000 110'])
  assert.equal((await held()) - before, 1_100_000n)
})

test('NFTs and transfers of nothing are ignored', async () => {
  const { ownerId, address } = await watch.newAddress()
  const nft = await chain.deploy('Collectible')
  await chain.send({
    to: nft,
    data: callData('Collectible', 'mint(address,uint256)', [address, 7n]),
  })
  await chain.pay(address, 'USDT', 0n)
  await chain.send({ to: address, value: 0n })
  await settle()
  assert.deepEqual(await words(ownerId), [])
})

test('a mint is a transfer', async () => {
  const { ownerId, address } = await watch.newAddress()
  const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
  await chain.send({
    to: usdc,
    data: callData('Token', 'mint(address,uint256)', [address, 3n * USD]),
  })
  await settle()
  assert.deepEqual(await credits(ownerId), ['USDC 3000000 300'])
})

test('without a usable price a deposit stays pending, and is credited when there is one', async () => {
  const { ownerId, address } = await watch.newAddress()
  await chain.pay(address, 'NATIVE', 10n ** 18n)
  await chain.pay(address, 'USDT', 5n * USD)
  for (const [eth, usdt] of [
    [[], [98_000_000n]],
    [[350_000_000_000n], [102_000_000n]],
    [[350_000_000_000n, 360_000_000_000n], []],
  ] as const) {
    watch.prices.set('ETH', [...eth])
    watch.prices.set('USDT', [...usdt])
    const { blocked } = await settle()
    assert.deepEqual(
      blocked.map(({ why }) => why),
      ['no_price', 'no_price'],
    )
  }
  assert.deepEqual(await words(ownerId), ['record', 'record'])
  watch.prices.set('ETH', [350_000_000_000n, 352_000_000_000n])
  watch.prices.set('USDT', [99_900_000n])
  await settle()
  assert.deepEqual((await credits(ownerId)).sort(), [
    `NATIVE ${10n ** 18n} 351000`,
    'USDT 5000000 500',
  ])
})

test('a re-organisation that removes the transfer credits nothing, and after two hours it has failed', async () => {
  const { ownerId, address } = await watch.newAddress()
  const hash = await chain.pay(address, 'USDT', 5n * USD)
  const raw = await chain.mine(1).then(() => chain.raw(hash))
  await watch.scan()
  await chain.reorg(1)
  await settle(4)
  assert.deepEqual(await words(ownerId), ['record', 'orphan'])
  clock.advance(2 * HOUR_MS - 10_001)
  assert.equal((await watch.abandon()).length, 0)
  clock.advance(10_001)
  assert.equal((await watch.abandon()).length, 1)
  assert.deepEqual(await words(ownerId), ['record', 'orphan', 'fail chain_reorg'])
  await chain.rpc('eth_sendRawTransaction', [raw])
  await settle()
  assert.deepEqual(await words(ownerId), ['record', 'orphan', 'fail chain_reorg', 'credit'])
})

test('a transfer that left its block is not given up while the blocks that followed are not scanned, however late', async () => {
  const { ownerId, address } = await watch.newAddress()
  const hash = await chain.pay(address, 'USDC', 9n * USD)
  await settle()
  const raw = await chain.raw(hash)
  await chain.reorg(3)
  await chain.mine(1)
  const { kind } = await scanChain(watch.scanDeps, never)
  assert.equal(kind, 'rolled_back')
  clock.advance(2 * HOUR_MS)
  assert.deepEqual(await watch.abandon(), [], 'not one block was scanned since')
  await chain.mine(100)
  await chain.rpc('eth_sendRawTransaction', [raw])
  await chain.mine(100)
  await scanChain(watch.scanDeps, never)
  assert.deepEqual(await watch.abandon(), [], 'the block that has it is not scanned yet')
  await watch.scan()
  assert.deepEqual(await watch.abandon(), [])
  assert.deepEqual(await words(ownerId), ['record', 'credit'])
})

test('a transfer that moves to another block is credited once, from there', async () => {
  const { ownerId, address } = await watch.newAddress()
  const hash = await chain.pay(address, 'USDC', 6n * USD)
  await chain.mine(2)
  await watch.scan()
  const raw = await chain.raw(hash)
  const before = await chain.head()
  await chain.reorg(2, [[raw, 1]])
  await settle(4)
  assert.deepEqual(await words(ownerId), ['record', 'orphan', 'credit'])
  const [row] = await db.query<{ block_number: bigint }>(
    sql('', 'select block_number from chains.transfer where owner_id = $1'),
    [ownerId],
  )
  assert.equal(row?.block_number, before)
})

test('a conflicting transaction to another address leaves nothing to credit', async () => {
  const { ownerId, address } = await watch.newAddress()
  const spender = chain.accounts[2]
  assert.ok(spender)
  const hash = await chain.send({ from: spender, to: address, value: 10n ** 18n })
  await chain.mine(1)
  await watch.scan()
  const { nonce } = await chain.rpc<{ nonce: string }>('eth_getTransactionByHash', [hash])
  await chain.reorg(1, [[{ from: spender, to: spender, value: hex(1n), nonce }, 0]])
  await settle(4)
  assert.deepEqual(await words(ownerId), ['record', 'orphan'])
})

test('a credited transfer that leaves the chain is an incident at once, and taken back after two hours', async () => {
  const { ownerId, address } = await watch.newAddress()
  await chain.pay(address, 'USDT', 8n * USD)
  await settle()
  watch.incidents.length = 0
  await chain.reorg(3)
  await settle()
  assert.deepEqual(watch.incidents, ['credited_orphaned'])
  const before = await readBalance(db, 'ledger_clearing', { chain: 'ethereum', token: 'USDT' })
  clock.advance(2 * HOUR_MS)
  await watch.abandon()
  assert.deepEqual(await words(ownerId), ['record', 'credit', 'reverse'])
  const taken = await readBalance(db, 'ledger_clearing', { chain: 'ethereum', token: 'USDT' })
  assert.equal(before - taken, 8n * USD)
})

test('a head that goes back proves nothing; the replaced blocks do', async () => {
  const { ownerId, address } = await watch.newAddress()
  await chain.pay(address, 'USDC', 2n * USD)
  await chain.mine(3)
  await watch.scan()
  await chain.rollback(2)
  assert.deepEqual(
    (await watch.scan()).map(({ kind }) => kind),
    ['behind'],
  )
  assert.deepEqual(await words(ownerId), ['record'])
  await settle(4)
  assert.deepEqual(await words(ownerId), ['record', 'credit'])
})

test('several scanners at once write each block once', async () => {
  const { ownerId, address } = await watch.newAddress()
  for (let i = 0; i < 10; i++) {
    await chain.pay(address, 'USDT', 2n * USD)
    await chain.mine(1)
  }
  await Promise.all([watch.scan(), watch.scan(), watch.scan(), watch.scan()])
  await settle()
  await Promise.all([watch.confirm(), watch.confirm(), watch.confirm()])
  assert.equal((await credits(ownerId)).length, 10)
})

test('while its node is away nothing is concluded, and the 300 blocks that follow, each with a transfer, are credited once', async () => {
  const owners = [await watch.newAddress(), await watch.newAddress()]
  const head = await chain.head()
  chain.pause()
  const isAway = () =>
    watch.scan().then(
      () => false,
      () => true,
    )
  await until('the node has stopped', isAway)
  chain.resume()
  assert.equal(await chain.head(), head)
  clock.advance(60_000)
  // The node keeps the states of 64 blocks, and traces none below them.
  watch.prices.set('ETH', [350_000_000_000n, 350_000_000_000n])
  const tokens = [
    { token: 'USDT', unitsOfCent: USD / 100n, worthOfCent: 1n },
    { token: 'USDC', unitsOfCent: USD / 100n, worthOfCent: 1n },
    { token: 'NATIVE', unitsOfCent: 10n ** 15n, worthOfCent: 350n },
  ] as const
  const expected: string[][] = owners.map(() => [])
  for (let i = 0; i < 300; i++) {
    const { token, unitsOfCent, worthOfCent } = tokens[i % 3] ?? tokens[0]
    const [owner, cents] = [i % owners.length, 200n + BigInt(i)]
    await chain.pay(owners[owner]?.address ?? '0x', token, cents * unitsOfCent)
    await chain.mine(1)
    expected[owner]?.push(`${token} ${cents * unitsOfCent} ${cents * worthOfCent}`)
  }
  const found = () => Promise.all(owners.map(({ ownerId }) => credits(ownerId)))
  // A round decides about 200 of them; a node under load may miss a deadline.
  await until('all are credited', async () => {
    await settle()
    return (await found()).flat().length === 300
  })
  await settle()
  for (const [i, credited] of (await found()).entries()) {
    assert.deepEqual(credited.sort(), expected[i]?.sort())
  }
})

test('what a transfer is never changes, it is decided once, and an address stays what it is', async () => {
  const { ownerId, address } = await watch.newAddress()
  await chain.pay(address, 'USDC', 20_000_000n)
  await chain.mine(3)
  await watch.scan()
  await watch.confirm()
  const change = (set: string) =>
    db.query(sql('', `update chains.transfer set ${set} where owner_id = $1`), [ownerId])
  const violated = (set: string, code: string, constraint?: string) =>
    assert.rejects(change(set), (error: { code?: string; constraint?: string }) => {
      assert.deepEqual([error.code, error.constraint], [code, constraint], set)
      return true
    })
  await violated('units = units + 1', '42501')
  await violated("recipient = '0x00'", '42501')
  await violated("state = 'pending', settled_at = null", '23514', 'transfer_step')
  await violated("state = 'dust'", '23514', 'transfer_step')
  // A wallet of the service has no index, and the address of an owner is never a wallet.
  const insert = (purpose: string, index: number | null) =>
    db.query(
      sql(
        '',
        `insert into chains.address (owner_id, purpose, hd_index, address, created_at)
         values (uuidv7(), $1, $2, '0x00000000000000000000000000000000000000aa', now())`,
      ),
      [purpose, index],
    )
  await assert.rejects(insert('hot_wallet', null), { constraint: 'address_wallet_owns_itself' })
  await assert.rejects(insert('deposit', null), { constraint: 'address_of_owner_is_derived' })
})
