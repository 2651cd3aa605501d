// What the chain and its nodes do with a payment: they lose it, leave it, take it out of its block, refuse
// it, or have another transaction in its place.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import type { Hex } from '../../../apps/server/src/kernel/chain.ts'
import { cents } from '../../../apps/server/src/kernel/money.ts'
import {
  haltWallet,
  listDisplacedFinals,
  listWallets,
  readByReferences,
  readFigures,
  readLeftChain,
  reopenWallet,
  resendFinal,
  settleDisplaced,
} from '../../../apps/server/src/modules/crypto/outbound/index.ts'
import {
  decideNoEffect,
  refuseWithdrawal,
} from '../../../apps/server/src/modules/crypto/payouts/index.ts'
import { burning } from '../../support/chains/index.ts'
import { type Acts, actsIn } from './acts.ts'
import { newDestination, type PayoutEnvironment } from './environment.ts'
import { keeping, MANY_ATTEMPTS } from './pool.ts'

type Subject = () => PayoutEnvironment

export function registerChainCases(environment: Subject): void {
  const acts = actsIn(environment)
  describe('the node', () => registerNode(environment, acts))
  describe('a payment that cannot be made', () => registerFailures(environment, acts))
  describe('a foreign transaction with a nonce of ours', () => registerForeign(environment, acts))
  describe('a foreign transaction with a nonce that was not given yet', () =>
    registerSkipped(environment))
  describe('a wallet', () => registerHalt(environment, acts))
  describe('after a deep re-organisation another transaction', () =>
    registerFinal(environment, acts))
  describe('a final payment that is mined again', () => registerOtherEnd(environment, acts))
}

function registerNode(environment: Subject, acts: Acts): void {
  it('that takes a transaction and loses its answer pays once', async () => {
    const destination = newDestination()
    environment().proxy.script('drop_answer')
    const { id, units } = await environment().submit({ destination })
    await environment().approve()
    await environment().send()
    environment().clock.advance(2_001)
    assert.equal((await environment().finish(id)).status, 'confirmed')
    assert.equal(await acts.held(destination, 'USDC'), units)
  })

  it('that forgets a transaction is sent the same bytes again', async () => {
    environment().proxy.script('swallow_send')
    const { id, txHash } = await acts.sent()
    await environment().chain.mine(1)
    await environment().track()
    assert.equal((await environment().read(id)).status, 'broadcast')
    environment().clock.advance(15_000)
    await environment().track()
    const end = await environment().finish(id)
    assert.deepEqual([end.status, end.txHash], ['confirmed', txHash])
  })

  it('that loses its answer and mines the payment in place of an accepted cancel transaction has it confirmed', async () => {
    const destination = newDestination()
    environment().proxy.script('drop_answer')
    const { id, units } = await environment().submit({ destination })
    await environment().approve()
    await environment().send()
    const at = environment().clock.now()
    const answer = await environment().db.transaction((tx) => refuseWithdrawal(tx, id, at))
    assert.equal(answer, 'requested')
    environment().clock.advance(2_001)
    environment().proxy.script('swallow_send')
    while (await environment().send());
    await environment().chain.mine(3)
    await environment().track()
    assert.equal((await environment().read(id)).status, 'confirmed')
    assert.equal(await acts.held(destination, 'USDC'), units)
    assert.deepEqual(await environment().events(id), ['broadcast', 'confirmed'])
  })

  it('that leaves a transaction unmined is sent a dearer one; one of the two is mined', async () => {
    const destination = newDestination()
    const { parts } = keeping(environment().node, 1)
    const { id, txHash, units } = await acts.sent({ destination }, parts)
    await environment().pass(30, { parts })
    assert.equal((await environment().read(id)).status, 'broadcast')
    await environment().pass(15, { parts })
    const end = await environment().finish(id)
    assert.equal(end.status, 'confirmed')
    assert.notEqual(end.txHash, txHash)
    assert.equal(await acts.held(destination, 'USDC'), units)
    assert.deepEqual(await environment().events(id), ['broadcast', 'confirmed'])
  })

  it('that mines the first one although a dearer one was sent pays once', async () => {
    const destination = newDestination()
    const { kept, parts } = keeping(environment().node)
    const { id, txHash, units } = await acts.sent({ destination }, parts)
    await environment().pass(40, { parts })
    assert.equal(kept.length, 2)
    await environment().node.send(kept[0] ?? '0x')
    const end = await environment().finish(id)
    assert.deepEqual([end.status, end.txHash], ['confirmed', txHash])
    assert.equal(await acts.held(destination, 'USDC'), units)
  })

  it('is offered no more while its head stands still, above the cap, or after many attempts', async () => {
    const { kept, parts } = keeping(environment().node)
    const { id } = await acts.sent({}, parts)
    const isAtCap = async () =>
      (await readFigures(environment().db)).some(({ holdReason }) => holdReason === 'fee_cap')
    await environment().pass(90, { parts, isHalted: true })
    assert.deepEqual([kept.length, await isAtCap()], [1, false])
    await environment().pass(15, { parts: { ...parts, mostFeePerGas: 1n } })
    assert.deepEqual([kept.length, await isAtCap()], [1, true])
    await environment().pass(5, { parts })
    assert.deepEqual([kept.length, await isAtCap()], [2, false])
    await environment().db.query(sql('test.many', MANY_ATTEMPTS), [id])
    await environment().pass(50, { parts })
    assert.deepEqual([kept.length, await isAtCap()], [3, true])
    await environment().node.send(kept[1] ?? '0x')
    assert.equal((await environment().finish(id)).status, 'confirmed')
  })

  it('is offered no more than the wallet has, whose earlier bytes are sent on', async () => {
    const { chain, hot, node } = environment()
    const { kept, parts } = keeping(node)
    const { id } = await acts.sent({}, parts)
    const had = await node.balanceOf(hot, null)
    await chain.setBalance(hot, 1n)
    await environment().pass(40, { parts })
    assert.equal(kept.length, 1)
    await chain.setBalance(hot, had)
    await environment().pass(10, { parts })
    assert.equal(kept.length, 2)
    await node.send(kept[1] ?? '0x')
    assert.equal((await environment().finish(id)).status, 'confirmed')
  })

  it('that re-organises a payment away gets the same bytes again, and one is final', async () => {
    const destination = newDestination()
    const { id, txHash, units } = await acts.sent({ destination })
    await environment().chain.mine(1)
    await environment().track()
    await environment().chain.reorg(1)
    await environment().track()
    const end = await environment().finish(id)
    assert.deepEqual([end.status, end.txHash], ['confirmed', txHash])
    assert.equal(await acts.held(destination, 'USDC'), units)
  })

  it('that is away leaves everything as it is, in each state', async () => {
    const { id } = await environment().submit()
    await environment().approve()
    environment().proxy.refuse('eth_getTransactionCount', 'eth_blockNumber')
    await assert.rejects(environment().send())
    assert.equal((await environment().read(id)).status, 'queued')
    environment().proxy.refuse()
    while (await environment().send());
    environment().proxy.refuse('eth_getTransactionCount', 'eth_blockNumber')
    await assert.rejects(environment().track())
    assert.equal((await environment().read(id)).status, 'broadcast')
    environment().proxy.refuse()
    assert.equal((await environment().finish(id)).status, 'confirmed')
  })
}

function registerFailures(environment: Subject, acts: Acts): void {
  it('because the chain would refuse it is refunded without a signature', async () => {
    const before = await acts.balance('NATIVE')
    const destination = await environment().chain.deploy('RejectingReceiver')
    const { id } = await environment().submit({ token: 'NATIVE', destination })
    const end = await environment().finish(id)
    assert.equal(end.status, 'refunded')
    assert.match(end.failureReason ?? '', /^not_payable/)
    assert.equal(await acts.balance('NATIVE'), before)
    assert.deepEqual(await environment().events(id), ['refunded'])
  })

  it('because its receiver burns more gas than a fee is for is refunded without a signature, and a wallet that is a contract is paid', async () => {
    const { chain, db } = environment()
    const before = await acts.balance('NATIVE')
    const receiver = async (gas: bigint) => {
      const destination = newDestination()
      await chain.rpc('anvil_setCode', [destination, burning(gas)])
      const { id } = await environment().submit({ token: 'NATIVE', destination })
      return environment().finish(id)
    }
    const burnt = await receiver(2_000_000n)
    assert.equal(burnt.status, 'refunded')
    assert.match(burnt.failureReason ?? '', /^not_payable: it needs 20\d{5} units of gas/)
    assert.equal(await acts.balance('NATIVE'), before)
    const [unsigned] = await readByReferences(db, 'payout', [burnt.id])
    assert.deepEqual([unsigned?.state, unsigned?.nonce], ['canceled', null])
    assert.equal((await receiver(30_000n)).status, 'confirmed')
  })

  it('because it reverts on the chain is refunded once, after the confirmations', async () => {
    const before = await acts.balance('NATIVE')
    const destination = newDestination()
    const { id } = await acts.sent({ token: 'NATIVE', destination })
    // The receiver turns into a contract that refuses payments after the simulation.
    await acts.refusePayments(destination)
    await environment().chain.mine(1)
    await environment().track()
    assert.equal((await environment().read(id)).status, 'broadcast')
    const end = await environment().finish(id)
    assert.deepEqual([end.status, end.failureReason], ['refunded', 'onchain_revert'])
    assert.equal(await acts.balance('NATIVE'), before)
    assert.deepEqual(await environment().events(id), ['broadcast', 'refunded'])
  })

  it('because one node alone shows that it reverted is not refunded, and rings when the second node contradicts', async () => {
    const { node, chain, alarms } = environment()
    const destination = newDestination()
    const { id, units } = await acts.sent({ destination })
    await chain.mine(3)
    const { second } = node
    assert.ok(second)
    const reverted = async (hash: Hex) => {
      const receipt = await node.receipt(hash)
      return receipt && { ...receipt, status: 'reverted' as const }
    }
    const silent = { ...second, receipt: async () => null }
    const away = { ...second, receipt: () => Promise.reject(new Error('away')) }
    const views = [
      [{ second }, 'outbound_end_contradicted'],
      [{ second: silent }],
      [{ second: away }],
      // The block that the receipt is of was replaced.
      [{ second: null, blockHash: async () => `0x${'11'.repeat(32)}` as const }],
    ] as const
    for (const [view, ...rings] of views) {
      alarms.length = 0
      await environment().track({ node: { ...node, receipt: reverted, ...view } })
      assert.equal((await environment().read(id)).status, 'broadcast')
      assert.deepEqual(
        alarms.map(({ alarm }) => alarm),
        rings,
      )
    }
    assert.equal((await environment().finish(id)).status, 'confirmed')
    assert.equal(await acts.held(destination, 'USDC'), units)
  })

  it('because its token moves nothing is not confirmed, and an operator decides', async () => {
    const before = await acts.balance()
    const token = (await acts.contract('USDC')) ?? '0x'
    const codeOf = (address: string) =>
      environment().chain.rpc<string>('eth_getCode', [address, 'latest'])
    const { id } = await acts.sent()
    const paid = await acts.sent()
    // The token turns into one that returns false after the simulation.
    const code = await codeOf(token)
    const broken = await codeOf(await environment().chain.deploy('FalseToken'))
    await environment().chain.rpc('anvil_setCode', [token, broken])
    await environment().chain.mine(4)
    await environment().chain.rpc('anvil_setCode', [token, code])
    await environment().track()
    const { status, heldReason } = await environment().read(id)
    assert.deepEqual([status, heldReason], ['broadcast', 'no_effect'])
    assert.ok(environment().alarms.some(({ alarm }) => alarm === 'outbound_no_effect'))
    const at = environment().clock.now()
    await environment().db.transaction((tx) => decideNoEffect(tx, id, { paid: false, at }))
    const end = await environment().read(id)
    assert.deepEqual([end.status, end.failureReason], ['refunded', 'no_effect'])
    await environment().db.transaction((tx) => decideNoEffect(tx, paid.id, { paid: true, at }))
    assert.equal((await environment().read(paid.id)).status, 'confirmed')
    assert.equal(await acts.balance(), before - paid.units - paid.feeUnits)
  })

  it('because the hot wallet is low waits, and proceeds after a refill', async () => {
    const { id } = await environment().submit({ token: 'USDT', amountCents: cents(200_000n) })
    await environment().approve()
    while (await environment().send());
    assert.equal((await environment().read(id)).status, 'queued')
    await environment().chain.pay(environment().hot, 'USDT', 2_000_000_000n)
    await environment().chain.mine(1)
    environment().clock.advance(1_001)
    assert.equal((await environment().finish(id)).status, 'confirmed')
  })
}

function registerForeign(environment: Subject, acts: Acts): void {
  it('halts the wallet and refunds nothing; after the operator reopens it, what it displaced is refunded', async () => {
    const before = await acts.balance()
    environment().alarms.length = 0
    environment().proxy.script('swallow_send')
    const { id } = await acts.sent()
    await environment().chain.impersonate(environment().hot)
    const to = newDestination()
    const foreign = await environment().chain.send({ from: environment().hot, to, value: 1n })
    await environment().chain.mine(4)
    await environment().track()
    environment().clock.advance(24 * 3_600_000)
    await environment().track()
    assert.equal((await environment().read(id)).status, 'broadcast')
    await environment().chain.mine(10)
    await environment().track()
    const wallet = { chain: 'ethereum', keyRef: 'hot' } as const
    assert.equal((await listWallets(environment().db))[0]?.state, 'halted')
    assert.ok(environment().alarms.some(({ alarm }) => alarm === 'outbound_wallet_halted'))
    const waiting = await environment().submit()
    await environment().approve()
    await environment().send()
    assert.equal((await environment().read(waiting.id)).status, 'queued')
    const why = { reason: 'looked at', foreignHashes: [foreign], at: environment().clock.now() }
    const reopened = async (change: Partial<typeof why>, second = environment().node.second) => {
      await reopenWallet(environment().db, wallet, { ...why, ...change })
      await environment().send({ node: { ...environment().node, second } })
      const [one] = await listWallets(environment().db)
      return [(await environment().read(id)).status, one?.state, one?.haltedReason?.slice(0, 30)]
    }
    const halted = (by: string) => ['broadcast', 'halted', by]
    const unnamed = halted('name the confirmed transaction')
    assert.deepEqual(await reopened({ foreignHashes: [] }), unnamed)
    assert.deepEqual(await reopened({}, null), halted('a second node has to confirm w'))
    const { second } = environment().node
    assert.ok(second)
    const blind = { ...second, mined: async () => null }
    assert.deepEqual(await reopened({}, blind), halted('the second node does not show '))
    const away = { ...second, mined: () => Promise.reject(new Error('away')) }
    assert.deepEqual(await reopened({}, away), halted('the second node does not answe'))
    const haltFirst = async (hash: Hex) => {
      await haltWallet(environment().db, wallet, { ...why, reason: 'halted meanwhile' })
      return second.mined(hash)
    }
    const halting = { ...second, mined: haltFirst }
    assert.deepEqual(await reopened({}, halting), halted('halted meanwhile'))
    assert.deepEqual(await reopened({}), ['refunded', 'open', undefined])
    assert.equal((await environment().finish(waiting.id)).status, 'confirmed')
    assert.equal(await acts.balance(), before - waiting.units - waiting.feeUnits)
    assert.equal((await haltWallet(environment().db, wallet, why))?.state, 'halted')
    await reopenWallet(environment().db, wallet, why)
    await environment().send()
  })
}

function registerSkipped(environment: Subject): void {
  it('is skipped when it is confirmed and the second node has it: before, reopening the wallet is refused', async () => {
    const { db, chain, node, hot, clock } = environment()
    const wallet = { chain: 'ethereum', keyRef: 'hot' } as const
    const first = (await listWallets(db))[0]?.nextNonce ?? 0
    await chain.impersonate(hot)
    await chain.send({ from: hot, to: newDestination(), value: 1n })
    await chain.mine(1)
    const { id } = await environment().submit()
    await environment().approve()
    await environment().send()
    const reopened = async (second = node.second) => {
      const why = { reason: 'looked at', foreignHashes: [], at: clock.now() }
      await reopenWallet(db, wallet, why)
      await environment().send({ node: { ...node, second } })
      return (await listWallets(db))[0]
    }
    const refused = async (by: RegExp, second = node.second) => {
      const one = await reopened(second)
      assert.deepEqual([one?.state, one?.nextNonce], ['halted', first])
      assert.match(one?.haltedReason ?? '', by)
    }
    await refused(/are used in blocks that are not confirmed yet/)
    await chain.mine(3)
    const { second } = node
    assert.ok(second)
    await refused(/the second node \d+: reopen/, { ...second, nonceOf: async () => first })
    const away = { ...second, nonceOf: () => Promise.reject(new Error('away')) }
    await refused(/the second node does not answer/, away)
    assert.equal((await reopened())?.state, 'open')
    assert.equal((await environment().finish(id)).status, 'confirmed')
    assert.equal(await node.nonceOf(hot), first + 2)
  })
}

/** A re-organisation that is deeper than what counts as final. */
function registerFinal(environment: Subject, acts: Acts): void {
  const wallet = { chain: 'ethereum', keyRef: 'hot' } as const
  const isHalted = async () => (await listWallets(environment().db))[0]?.state === 'halted'

  it('takes the nonce of a final payment: it is not sent again, the wallet halts, and is reopened with the proof', async () => {
    const { db, chain, node, clock, hot, alarms } = environment()
    const { id } = await acts.sent()
    assert.equal((await environment().finish(id)).status, 'confirmed')
    const [payment] = await readByReferences(db, 'payout', [id])
    assert.ok(payment?.minedBlock && payment.minedHash)
    await environment().track()
    await chain.reorg(Number((await chain.head()) - payment.minedBlock) + 1)
    await chain.impersonate(hot)
    const foreign = await chain.send({ from: hot, to: newDestination(), value: 1n })
    await chain.mine(1)
    await resendFinal({ db, node, chain: 'ethereum' }, payment.minedBlock, clock.now())
    await chain.mine(4)

    alarms.length = 0
    let sends = 0
    const counting = {
      ...node,
      send: (raw: Hex) => {
        sends += 1
        return node.send(raw)
      },
    }
    await environment().track({ node: counting })
    assert.deepEqual([await isHalted(), alarms], [false, []])
    await chain.mine(10)
    for (let i = 0; i < 3; i++) await environment().track({ node: counting })
    assert.deepEqual([sends, await isHalted()], [0, true])
    assert.deepEqual(
      alarms.map(({ alarm }) => alarm),
      ['outbound_wallet_halted'],
    )

    const next = await environment().submit()
    await environment().approve()
    const reopened = async (...foreignHashes: Hex[]) => {
      await reopenWallet(db, wallet, { reason: 'looked at', foreignHashes, at: clock.now() })
      await environment().send()
      return isHalted()
    }
    assert.deepEqual([await reopened(), await reopened(payment.minedHash)], [true, true])
    assert.equal((await readLeftChain(db, payment.id))?.displacedAt, null)
    alarms.length = 0
    assert.equal(await reopened(foreign), false)
    const [alarm, ...more] = alarms
    assert.deepEqual(
      [alarm?.alarm, alarm?.details.refId, more],
      ['outbound_final_displaced', id, []],
    )
    assert.ok((await readLeftChain(db, payment.id))?.displacedAt)
    const [unpaid, ...others] = await listDisplacedFinals(db)
    assert.deepEqual(
      [unpaid?.refId, unpaid?.recipient, unpaid?.units, unpaid?.hash, others],
      [id, payment.recipient, String(payment.units), payment.minedHash, []],
    )
    const finals = async () =>
      (await readFigures(db)).filter(({ state }) => /left_chain|displaced_final/.test(state))
    assert.deepEqual(
      (await finals()).map(({ chain: on, state, count }) => [on, state, count]),
      [[wallet.chain, 'displaced_final', 1]],
    )
    const settle = () =>
      db.transaction((tx) => settleDisplaced(tx, unpaid?.hash ?? '0x', clock.now()))
    assert.equal((await settle())?.refId, id)
    assert.deepEqual(
      [await settle(), await listDisplacedFinals(db), await finals()],
      [null, [], []],
    )
    assert.equal((await environment().finish(next.id)).status, 'confirmed')
    assert.equal((await environment().read(id)).status, 'confirmed')
    assert.equal(await isHalted(), false)
  })

  it('of our own that paid the same ends it: nothing is sent, and nothing halts', async () => {
    const { db, chain, node, clock } = environment()
    const { kept, parts } = keeping(node)
    const { id } = await acts.sent({}, parts)
    await environment().pass(40, { parts })
    await node.send(kept[1] ?? '0x')
    await environment().finish(id)
    const [payment] = await readByReferences(db, 'payout', [id])
    assert.ok(payment?.minedBlock)
    await chain.reorg(Number((await chain.head()) - payment.minedBlock) + 1)
    await node.send(kept[0] ?? '0x')
    await chain.mine(1)
    await resendFinal({ db, node, chain: 'ethereum' }, payment.minedBlock, clock.now())
    assert.ok(await readLeftChain(db, payment.id))
    await chain.mine(4)
    await environment().track()
    assert.deepEqual([await readLeftChain(db, payment.id), await isHalted()], [null, false])
  })
}

function registerOtherEnd(environment: Subject, acts: Acts): void {
  it('and reverts there rings once, and is listed until an operator settles it', async () => {
    const { db, chain, node, clock, alarms } = environment()
    const destination = newDestination()
    const { id } = await acts.sent({ token: 'NATIVE', destination })
    assert.equal((await environment().finish(id)).status, 'confirmed')
    const [payment] = await readByReferences(db, 'payout', [id])
    assert.ok(payment?.minedBlock && payment.minedHash)
    await environment().track()
    const raw = await chain.raw(payment.minedHash)
    await chain.reorg(Number((await chain.head()) - payment.minedBlock) + 1)
    await acts.refusePayments(destination)
    await node.send(raw)
    await chain.mine(1)
    await resendFinal({ db, node, chain: 'ethereum' }, payment.minedBlock, clock.now())

    alarms.length = 0
    await environment().track()
    assert.equal(alarms.length, 0, 'its new block is not final')
    await chain.mine(3)
    for (let i = 0; i < 2; i++) await environment().track()
    const [alarm, ...more] = alarms
    const { refId, booked, mined } = alarm?.details ?? {}
    assert.deepEqual(
      [alarm?.alarm, refId, booked, mined, more],
      ['outbound_final_differs', id, 'confirmed', 'reverted', []],
    )
    assert.deepEqual(
      (await listDisplacedFinals(db)).map((one) => [one.refId, one.booked, one.hash]),
      [[id, 'confirmed', payment.minedHash]],
    )
    const hash = payment.minedHash
    await db.transaction((tx) => settleDisplaced(tx, hash, clock.now()))
    assert.deepEqual(await listDisplacedFinals(db), [])
    assert.equal((await environment().read(id)).status, 'confirmed')
  })
}

function registerHalt(environment: Subject, acts: Acts): void {
  it('is halted while it is reopening, and sends nothing', async () => {
    const { db, clock } = environment()
    const first = await acts.sent()
    const wallet = { chain: 'ethereum', keyRef: 'hot' } as const
    const why = { reason: 'a drill', foreignHashes: [], at: clock.now() }
    assert.equal((await haltWallet(db, wallet, why))?.state, 'halted')
    assert.equal((await reopenWallet(db, wallet, why))?.state, 'reopening')
    assert.equal((await haltWallet(db, wallet, why))?.state, 'halted')
    const { id } = await environment().submit()
    await environment().approve()
    assert.equal(await environment().send(), false)
    assert.equal((await environment().read(id)).status, 'queued')
    await reopenWallet(db, wallet, why)
    assert.equal((await environment().finish(id)).status, 'confirmed')
    assert.equal((await environment().finish(first.id)).status, 'confirmed')
  })
}
