// What arrived goes to the treasury, on a real node: cases S1 to S5 of the plan of chains.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keccak256, toFunctionSelector } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { assertDefined } from '../../apps/server/src/kernel/assert.ts'
import type { Address, Hex } from '../../apps/server/src/kernel/chain.ts'
import { isAtRest, reconcileChain } from '../../apps/server/src/modules/crypto/chains/reconcile.ts'
import { registerWallet } from '../../apps/server/src/modules/crypto/chains/store/addresses.ts'
import {
  gasListener,
  type SweepDeps,
  sweepDeposits,
  sweepListener,
} from '../../apps/server/src/modules/crypto/chains/sweep.ts'
import {
  createSending,
  createTracking,
  firstFees,
  readFigures,
} from '../../apps/server/src/modules/crypto/outbound/index.ts'
import type { KeyRef, Signer } from '../../apps/server/src/modules/crypto/outbound/ports.ts'
import { readBalance, type ServiceRole } from '../../apps/server/src/modules/money/custody/index.ts'
import { answering, callData, DATA_FEE_ORACLE } from '../support/chains/index.ts'
import { openJournal } from './journal-handler.ts'
import { ACCOUNT_PATH, auditAll, openWatch, scanToTheEnd, TREASURY, WORDS } from './watch.ts'

const { db, close } = await testDatabase()
const journal = await openJournal(db)
const watch = await openWatch({ db, handlers: journal.handlers })
const { chain, clock, broadcast } = watch
const never = new AbortController().signal
const USD = 1_000_000n
const ETHER = 10n ** 18n
const treasury = TREASURY

const accountOf = (key: KeyRef) => {
  const path = key.startsWith('deposit/')
    ? (`${ACCOUNT_PATH}/0/${key.slice('deposit/'.length)}` as const)
    : "m/44'/60'/8'/0/0"
  return mnemonicToAccount(WORDS, { path: path as `m/44'/60'/${string}` })
}
const signer: Signer = {
  address: async (key) => accountOf(key).address,
  sign: async ({ key, transaction }) => {
    const raw = await accountOf(key).signTransaction({ type: 'eip1559', ...transaction })
    return { kind: 'signed', from: accountOf(key).address, raw, hash: keccak256(raw) }
  },
}
const gasStation = accountOf('gas').address
watch.ownSenders.add(gasStation.toLowerCase())
await chain.setBalance(gasStation, 100n * ETHER)
await chain.mine(3)
await watch.scan()

const shared = {
  ...{ db, clock, chain: 'ethereum', node: broadcast, signer },
  listeners: { gas: gasListener, sweep: sweepListener },
  onAlarm: (alarm: string, details: object) => assert.fail(`${alarm} ${JSON.stringify(details)}`),
} as const
const mayPay = async () => true
const send = createSending({ ...shared, mayPay, holdMs: 1000, mostFeePerGas: 10n ** 12n })
const track = createTracking({ ...shared, stuckAfterMs: 180_000, resendAfterMs: 60_000 })
const deps: SweepDeps = {
  ...{ db, clock, node: broadcast, readPrice: watch.readPrice },
  chain: 'ethereum',
  target: { address: treasury, role: 'treasury' },
}
const sweep = () => sweepDeposits(deps, never)

after(async () => {
  try {
    // Gas that `outbound` sent is its own to explain: it is not counted a second time.
    assert.deepEqual(await db.query(sql('', 'select from chains.own_payment')), [])
    assert.deepEqual(await auditAll(db), [])
  } finally {
    await chain.stop()
    await close()
  }
})

/** One turn of every worker and a few blocks. */
async function turn() {
  clock.advance(5_000)
  while (await send(never)) {}
  await chain.mine(3)
  await watch.scan()
  await track(never)
  await watch.confirm()
}
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await turn()
}

async function paid(...payments: (readonly [token: string, units: bigint])[]) {
  const owner = await watch.newAddress()
  for (const [token, units] of payments) await chain.pay(owner.address, token, units)
  await turn()
  return owner
}

const contractOf = (token: string): Address | null =>
  chain.network.tokens.find(({ symbol }) => symbol === token)?.address ?? null
const held = (address: Address, token: string) => broadcast.balanceOf(address, contractOf(token))
const booked = (role: ServiceRole, token: string) =>
  readBalance(db, role, { chain: 'ethereum', token })
const sweepsOf = (ownerId: string) =>
  db.query<{ state: string; units: string; gas: boolean }>(
    sql(
      '',
      `select s.state, s.units, s.gas_units > 0 gas from chains.sweep s join chains.address a on a.id = s.address_id
       where a.owner_id = $1 order by s.began_at, s.id`,
    ),
    [ownerId],
  )
const statesOf = async (ownerId: string) => (await sweepsOf(ownerId)).map(({ state }) => state)
const entries = async (ownerId: string) =>
  (await journal.entriesOf(ownerId)).map(({ what }) => what)

test('a token is swept with gas from the gas station, which is no deposit', async () => {
  const { ownerId, address } = await paid(['USDT', 30n * USD])
  assert.equal((await sweep()).begun, 1)
  assert.equal((await sweep()).begun, 0)
  await turns(3)
  assert.deepEqual(await sweepsOf(ownerId), [{ state: 'swept', units: `${30n * USD}`, gas: true }])
  assert.equal(await held(address, 'USDT'), 0n)
  assert.equal(await held(treasury, 'USDT'), 30n * USD)
  assert.equal(await booked('treasury', 'USDT'), 30n * USD)
  assert.equal(await booked('deposit_address', 'USDT'), 0n)
  assert.equal(await booked('deposit_address', 'NATIVE'), await held(address, 'NATIVE'))
  assert.deepEqual(await entries(ownerId), ['record', 'credit'])
})

test('native coin is swept without its gas, and what is left is in the books', async () => {
  const before = await booked('deposit_address', 'NATIVE')
  const { ownerId, address } = await paid(['NATIVE', ETHER])
  assert.equal((await sweep()).begun, 1)
  await turns(2)
  const [swept] = await sweepsOf(ownerId)
  assert.equal(swept?.state, 'swept')
  assert.ok(BigInt(swept.units) > (ETHER * 99n) / 100n)
  assert.equal(await held(treasury, 'NATIVE'), BigInt(swept.units))
  const left = (await booked('deposit_address', 'NATIVE')) - before
  assert.equal(left, await held(address, 'NATIVE'))
})

test('coins that a re-organisation may take back pay no gas of a sweep', async () => {
  const owners = [await paid(['NATIVE', ETHER]), await paid(['USDC', 45n * USD])]
  for (const { address } of owners) await chain.pay(address, 'NATIVE', ETHER / 2n)
  await chain.mine(1)
  assert.equal((await sweep()).begun, 2)
  while (await send(never)) {}
  await chain.reorg(1)
  await chain.rpc('anvil_dropAllTransactions')
  clock.advance(60_000)
  await turns(4)
  for (const { ownerId } of owners) {
    assert.deepEqual(await statesOf(ownerId), ['swept'])
  }
})

test('a sweep of more than its address has is begun again with what is there', async () => {
  const { ownerId, address } = await paid(['NATIVE', ETHER])
  assert.equal((await sweep()).begun, 1)
  const there = await held(address, 'NATIVE')
  await chain.setBalance(address, there / 2n)
  await turn()
  assert.deepEqual(await statesOf(ownerId), ['sweep_sent'])
  await sweep()
  await turns(2)
  assert.deepEqual(await statesOf(ownerId), ['failed', 'swept'])
  // The books are of the whole chain, and what was taken from it is given back.
  await chain.setBalance(address, (await held(address, 'NATIVE')) + there - there / 2n)
})

test('what is worth too little waits, and is moved after a day when it is worth its gas', async () => {
  const { ownerId } = await paid(['USDC', 24n * USD])
  assert.equal((await sweep()).begun, 0)
  clock.advance(24 * 3_600_000)
  assert.equal((await sweep()).begun, 1)
  await turns(3)
  assert.deepEqual(await statesOf(ownerId), ['swept'])
})

test('nothing moves without a price', async () => {
  const { ownerId } = await paid(['USDC', 40n * USD])
  const known = watch.prices.get('ETH') ?? []
  watch.prices.set('ETH', [])
  assert.equal((await sweep()).begun, 0)
  watch.prices.set('ETH', known)
  assert.equal((await sweep()).begun, 1)
  await turns(3)
  assert.deepEqual(await statesOf(ownerId), ['swept'])
})

test('a crash between gas and sweep leaves both to the next worker, once each', async () => {
  const { ownerId, address } = await paid(['USDT', 50n * USD])
  const before = await held(treasury, 'USDT')
  await sweep()
  while (await send(never)) {}
  await chain.mine(13)
  // The worker ends in the commit that books the gas and queues the sweep.
  const crash = new Error('the worker ends')
  const failing = createTracking({
    ...shared,
    ...{ stuckAfterMs: 180_000, resendAfterMs: 60_000 },
    listeners: {
      gas: {
        ...gasListener,
        finished: async (tx, end) => {
          await gasListener.finished(tx, end)
          throw crash
        },
      },
    },
  })
  await assert.rejects(failing(never), crash)
  assert.deepEqual(await statesOf(ownerId), ['gas_sent'])
  await turns(3)
  assert.deepEqual(await statesOf(ownerId), ['swept'])
  assert.equal((await held(treasury, 'USDT')) - before, 50n * USD)
  assert.equal(await held(address, 'USDT'), 0n)
})

test('a deposit that arrives during a sweep is moved by the next one', async () => {
  const { ownerId, address } = await paid(['USDC', 60n * USD])
  await sweep()
  await chain.pay(address, 'USDC', 70n * USD)
  await turns(3)
  assert.equal(await held(address, 'USDC'), 70n * USD)
  assert.equal((await sweep()).begun, 1)
  await turns(3)
  assert.deepEqual(
    (await sweepsOf(ownerId)).map(({ state, units }) => `${state} ${BigInt(units) / USD}`),
    ['swept 60', 'swept 70'],
  )
  assert.equal(await held(address, 'USDC'), 0n)
})

test('gas whose block is replaced is sent again with the same bytes, and the sweep follows', async () => {
  const { ownerId, address } = await paid(['USDT', 80n * USD])
  await sweep()
  while (await send(never)) {}
  await chain.mine(1)
  await track(never)
  await chain.reorg(1)
  clock.advance(120_000)
  await turns(4)
  assert.deepEqual(await statesOf(ownerId), ['swept'])
  assert.equal(await held(address, 'USDT'), 0n)
})

test('a sweep that fails gives its transfers to the next one', async () => {
  const { ownerId, address } = await paid(['USDC', 90n * USD])
  const contract = contractOf('USDC')
  assert.ok(contract)
  const code = await chain.rpc('eth_getCode', [contract, 'latest'])
  await sweep()
  await turn()
  // From here on every transfer of the token reverts.
  while (await send(never)) {}
  await chain.rpc('anvil_setCode', [contract, '0x60006000fd'])
  await turn()
  await chain.rpc('anvil_setCode', [contract, code])
  await turns(2)
  assert.deepEqual(await statesOf(ownerId), ['failed'])
  assert.equal((await sweep()).begun, 1)
  await turns(3)
  assert.deepEqual(await statesOf(ownerId), ['failed', 'swept'])
  assert.equal(await held(address, 'USDC'), 0n)
})

test('a token that is paused is not swept, and moves when it is not paused any more', async () => {
  const { ownerId, address } = await paid(['USDC', 90n * USD])
  const refused = { begun: 0, refused: [{ address, why: 'reverts' }] }
  await chain.setPaused('USDC', true)
  assert.deepEqual(await sweep(), refused)
  clock.advance(48 * 3_600_000)
  assert.deepEqual(await sweep(), refused)
  assert.deepEqual(await statesOf(ownerId), [])

  await chain.setPaused('USDC', false)
  assert.equal((await sweep()).begun, 1)
  // Its gas is there when the token is paused again: the sweep is not signed.
  await turn()
  await chain.setPaused('USDC', true)
  await turns(2)
  assert.deepEqual(await statesOf(ownerId), ['failed'])
  assert.deepEqual(await sweep(), refused)
  assert.equal(await held(address, 'USDC'), 90n * USD)
  const [{ nonce } = {}] = await db.query<{ nonce: bigint }>(
    sql('', `select next_nonce nonce from outbound.wallet where address = $1`),
    [address],
  )
  assert.equal(nonce ?? 0n, 0n)

  await chain.setPaused('USDC', false)
  assert.equal((await sweep()).begun, 1)
  await turns(3)
  assert.deepEqual(await statesOf(ownerId), ['failed', 'swept'])
  assert.equal(await held(address, 'USDC'), 0n)
})

/** What a chain on top of another one asks for the data of a transaction; anvil itself does not take it. */
const setDataFee = (wei: bigint) =>
  chain.rpc('anvil_setCode', [
    DATA_FEE_ORACLE,
    wei === 0n ? '0x' : answering({ [toFunctionSelector('function getL1Fee(bytes)')]: wei }),
  ])
const nativeOf = (address: Address) => held(address, 'NATIVE')

test('a sweep is worth its while, and funded, with the fee for its data', async () => {
  const fee = ETHER / 1000n
  await setDataFee(fee)
  const small = await paid(['USDC', 60n * USD])
  assert.equal((await sweep()).begun, 0, '20 times the fee are 70 USD')
  const { ownerId, address } = await paid(['USDT', 100n * USD])
  assert.equal((await sweep()).begun, 1)
  await turns(3)
  assert.deepEqual(await sweepsOf(ownerId), [{ state: 'swept', units: `${100n * USD}`, gas: true }])
  assert.ok((await nativeOf(address)) >= (fee * 13n) / 10n, 'the fee was there to be taken')

  const native = await paid(['NATIVE', ETHER])
  assert.equal((await sweep()).begun, 1)
  await turns(3)
  assert.ok((await nativeOf(native.address)) >= (fee * 26n) / 10n)

  await setDataFee(0n)
  assert.equal((await sweep()).begun, 1)
  await turns(3)
  assert.equal((await sweepsOf(small.ownerId))[0]?.state, 'swept')
})

test('a wallet keeps the data fees of what it has signed and is not mined', async () => {
  const fee = ETHER / 1000n
  await setDataFee(fee)
  await paid(['USDT', 200n * USD])
  await sweep()
  while (await send(never)) {}
  const [signed] = await newestFunding()
  assert.ok(signed?.hash)
  await chain.drop(signed.hash)
  const { ownerId } = await paid(['USDT', 200n * USD])
  await sweep()
  const [queued] = await newestFunding()
  assert.ok(queued?.hash === null)
  const ownGas = 21_000n * firstFees(await broadcast.estimateFees()).maxFeePerGas
  const before = await nativeOf(gasStation)
  const allButOneFee =
    BigInt(signed.units) + BigInt(signed.gas) + BigInt(queued.units) + ownGas + fee
  await chain.setBalance(gasStation, allButOneFee)
  while (await send(never)) {}
  assert.equal((await newestFunding())[0]?.hold, 'gas_low')

  await chain.setBalance(gasStation, before)
  await setDataFee(0n)
  clock.advance(120_000)
  await turns(5)
  assert.equal((await sweepsOf(ownerId))[0]?.state, 'swept')
})

test('a sweep whose gas became too little gets what is missing, three times a day at most', async () => {
  const { ownerId, address } = await paid(['USDT', 4_000n * USD])
  const turnsUntil = async (state: string) => {
    for (let i = 0; i < 6 && (await statesOf(ownerId)).at(-1) !== state; i++) await turn()
  }
  await sweep()
  await turnsUntil('sweep_sent')
  // Each time the gas is there, and fees rise before the token is signed.
  const sent: bigint[] = []
  for (const gwei of [5n, 15n, 45n, 135n]) {
    assert.equal((await statesOf(ownerId)).at(-1), 'sweep_sent')
    await chain.setNextBaseFee(gwei * 10n ** 9n)
    await chain.mine(1)
    clock.advance(5_000)
    while (await send(never)) {}
    const before = await nativeOf(address)
    const { begun } = await sweep()
    assert.equal(begun, gwei === 135n ? 0 : 1)
    if (begun === 0) continue
    const [funding] = await newestFunding()
    sent.push(before + BigInt(funding?.units ?? 0))
    await turnsUntil('sweep_sent')
    assert.equal(await nativeOf(address), sent.at(-1))
  }
  // What is there is counted: each time the address has what that fee takes, and no more.
  const ratios = sent.slice(1).map((held, i) => Number(held) / Number(sent[i]))
  assert.ok(
    ratios.every((ratio) => ratio > 2.5 && ratio < 3.5),
    ratios.join(),
  )
  assert.deepEqual(await statesOf(ownerId), ['failed', 'failed', 'failed', 'sweep_sent'])
  await chain.setNextBaseFee(10n ** 9n)
  await turnsUntil('swept')
  assert.deepEqual(await statesOf(ownerId), ['failed', 'failed', 'failed', 'swept'])
  assert.equal(await held(address, 'USDT'), 0n)
})

const newestFunding = () =>
  db.query<{ units: string; hash: Hex | null; gas: string; hold: string | null }>(
    sql(
      '',
      `select t.units, a.hash, a.gas * a.max_fee_per_gas gas, t.hold_reason hold
       from outbound.transaction t left join outbound.attempt a on a.transaction_id = t.id
       where t.purpose = 'gas' order by t.sequence desc limit 1`,
    ),
  )

test('what our addresses hold is what the books say, and what arrives unseen is a difference', async () => {
  const { address } = await paid(['USDC', 3n * USD])
  const compare = async () => {
    const result = await reconcileChain({ db, node: watch.node, broadcast, treasury })
    assert.ok(result.kind === 'compared', result.kind)
    assert.deepEqual(result.shortfalls, [])
    return result.differences.filter(({ role }) => role === 'deposit_address')
  }
  assert.deepEqual(await compare(), [])
  const before = await held(address, 'NATIVE')
  await chain.setBalance(address, before + 5n)
  await turn()
  const [difference, ...others] = await compare()
  assert.deepEqual(others, [])
  assert.ok(difference)
  assert.equal(difference.onChain - difference.inBooks, 5n)
  assert.equal(difference.token, 'NATIVE')
})

test('our own transactions that are under way are compared as of the scanned block', async () => {
  const compare = async () => {
    const result = await reconcileChain({ db, node: watch.node, broadcast, treasury })
    assert.ok(result.kind === 'compared', result.kind)
    return result.differences
      .filter(({ role }) => role === 'deposit_address')
      .map(({ token, onChain, inBooks }) => `${token} ${onChain - inBooks}`)
  }
  const { ownerId } = await paid(['USDT', 200n * USD])
  const before = await compare()
  const isGasAtRest = () => isAtRest(db, 'ethereum', 'gas_station')
  await sweep()
  assert.equal(await isGasAtRest(), true)
  while (await send(never)) {}
  assert.equal(await isGasAtRest(), false)
  for (let i = 0; i < 12 && (await sweepsOf(ownerId))[0]?.state !== 'swept'; i++) {
    while (await send(never)) {}
    // Blocks that the scanner has not seen, of which some are final already in every third round.
    await chain.mine(i % 3 === 2 ? 4 : 1)
    assert.deepEqual(await compare(), before)
    if (i % 3 === 2) await track(never)
    assert.deepEqual(await compare(), before)
    await watch.scan()
    assert.deepEqual(await compare(), before)
    await track(never)
    assert.deepEqual(await compare(), before)
  }
  assert.equal((await sweepsOf(ownerId))[0]?.state, 'swept')
  assert.equal(await isGasAtRest(), true)
})

test('what is paid into a wallet of the service is our capital, and from the treasury it only moves', async () => {
  const wallet = chain.accounts[5]
  assert.ok(wallet)
  await registerWallet(db, { purpose: 'hot_wallet', address: wallet }, clock.now())
  const hot = () => booked('hot_wallet', 'USDT')
  const compare = async () => {
    const result = await reconcileChain({ db, node: watch.node, broadcast, treasury })
    assert.ok(result.kind === 'compared', result.kind)
    return result.differences.filter(({ role, token }) => role === 'hot_wallet' && token === 'USDT')
  }
  await chain.pay(wallet, 'USDT', 500n * USD)
  await chain.mine(1)
  await watch.scan()
  // Seen and not yet posted: no difference.
  assert.deepEqual([await hot(), await compare()], [0n, []])
  await turn()
  assert.deepEqual([await hot(), await booked('capital', 'USDT')], [500n * USD, 500n * USD])

  const usdt = contractOf('USDT')
  assert.ok(usdt)
  await chain.impersonate(treasury)
  await chain.setBalance(treasury, (await held(treasury, 'NATIVE')) + ETHER)
  const before = await booked('treasury', 'USDT')
  const data = callData('Token', 'transfer(address,uint256)', [wallet, 10n * USD])
  await chain.send({ from: treasury, to: usdt, data })
  await turn()
  assert.deepEqual(
    [await hot(), await booked('capital', 'USDT'), await booked('treasury', 'USDT')],
    [510n * USD, 500n * USD, before - 10n * USD],
  )
  assert.deepEqual(await compare(), [])
})

test('a refill that a re-organisation removed after it was booked is taken back', async () => {
  const wallet = chain.accounts[6]
  assert.ok(wallet)
  await registerWallet(db, { purpose: 'gas_station', address: wallet }, clock.now())
  const before = await booked('gas_station', 'NATIVE')
  await chain.pay(wallet, 'NATIVE', ETHER)
  await turn()
  assert.equal((await booked('gas_station', 'NATIVE')) - before, ETHER)
  await chain.reorg(5)
  await chain.mine(1)
  await watch.scan()
  clock.advance(2 * 3_600_000)
  assert.equal((await watch.abandon()).length, 1)
  assert.equal(await booked('gas_station', 'NATIVE'), before)
})

/** The transaction of its only sweep, and its block. */
const minedSweep = async (ownerId: string) => {
  const [row] = await db.query<{ hash: Hex; block: bigint }>(
    sql(
      '',
      `select t.mined_hash hash, t.mined_block block from outbound.transaction t
         join chains.sweep s on s.id = t.ref_id join chains.address a on a.id = s.address_id
       where t.purpose = 'sweep' and a.owner_id = $1`,
    ),
    [ownerId],
  )
  return assertDefined(row, 'its sweep')
}
const replaceFrom = async (block: bigint) => {
  await chain.reorg(Number((await chain.head()) - block) + 1)
  await chain.mine(1)
}
const leftChain = async () =>
  (await readFigures(db)).filter(({ state }) => state === 'left_chain').map(({ count }) => count)
const refusing: typeof broadcast = {
  ...broadcast,
  send: async () => ({ kind: 'unknown', detail: 'away' }),
}
const tracking = (node: typeof broadcast) =>
  createTracking({ ...shared, node, stuckAfterMs: 180_000, resendAfterMs: 60_000 })

test('what was final and left its chain is sent again at each look, until it is final there', async () => {
  const { ownerId, address } = await paid(['USDT', 300n * USD])
  await sweep()
  for (let i = 0; i < 6 && (await sweepsOf(ownerId))[0]?.state !== 'swept'; i++) await turn()
  await track(never)
  assert.deepEqual(await leftChain(), [])
  const before = await held(treasury, 'USDT')
  const { hash, block } = await minedSweep(ownerId)
  watch.incidents.length = 0
  await replaceFrom(block)
  await scanToTheEnd({ ...watch.scanDeps, broadcast: refusing }, never)
  assert.deepEqual(watch.incidents, ['sent_orphaned'])
  for (let i = 0; i < 2; i++) {
    await tracking(refusing)(never)
    assert.deepEqual(await leftChain(), [1])
  }
  assert.equal(await held(address, 'USDT'), 300n * USD)

  await track(never)
  await chain.mine(1)
  await track(never)
  assert.deepEqual(await leftChain(), [1], 'mined, and not final')
  assert.equal((await broadcast.receipt(hash))?.status, 'success')
  await chain.mine(4)
  await track(never)
  assert.deepEqual(await leftChain(), [])
  assert.equal(await held(address, 'USDT'), 0n)
  assert.equal(await held(treasury, 'USDT'), before)
})

test('what becomes final while the scanner passes the block that took the place of its own is sent again', async () => {
  const { ownerId, address } = await paid(['USDT', 310n * USD])
  const state = async () => (await sweepsOf(ownerId))[0]?.state
  await sweep()
  for (let i = 0; i < 6 && (await state()) !== 'sweep_sent'; i++) await turn()
  await track(never)
  while (await send(never)) {}
  await chain.mine(5)
  await watch.scan()
  watch.incidents.length = 0
  // The receipt is read, then its block is replaced and scanned, then the end is written.
  let isReplaced = false
  const late: typeof broadcast = {
    ...broadcast,
    receipt: async (hash) => {
      const receipt = await broadcast.receipt(hash)
      if (!isReplaced && receipt !== null && (await state()) === 'sweep_sent') {
        isReplaced = true
        await replaceFrom(receipt.blockNumber)
        await watch.scan()
      }
      return receipt
    },
  }
  await tracking(late)(never)
  assert.deepEqual([await state(), watch.incidents], ['swept', []])
  assert.equal(await held(address, 'USDT'), 310n * USD)
  await track(never)
  assert.deepEqual(await leftChain(), [1])
  await chain.mine(5)
  await track(never)
  assert.deepEqual(await leftChain(), [])
  assert.equal(await held(address, 'USDT'), 0n)
})
