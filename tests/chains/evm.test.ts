// The adapter of EVM chains against a real node, through the fault proxy where a node must misbehave.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { keccak256, toFunctionSelector } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import {
  createAggregatorSources,
  createEvmChain,
  type EvmChain,
  type EvmChainOptions,
} from '../../apps/server/src/adapters/evm/index.ts'
import { createHttpClient } from '../../apps/server/src/infra/http/http-client.ts'
import { createLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import { until } from '../../apps/server/src/infra/testing/until.ts'
import type { Hex } from '../../apps/server/src/kernel/chain.ts'
import {
  answering,
  callData,
  NODE_INTERFACE,
  DATA_FEE_ORACLE as ORACLE,
  returning,
  startChain,
  startProxy,
  type TestChain,
  type TestProxy,
} from '../support/chains/index.ts'

const DEV_SEED = 'test test test test test test test test test test test junk'
const sender = mnemonicToAccount(DEV_SEED, { addressIndex: 1 })
const FIRST: Hex = '0x00000000000000000000000000000000000000a1'
const SECOND: Hex = '0x00000000000000000000000000000000000000b2'
const ETHER = 10n ** 18n

const clock = manualClock()
const lines: string[] = []
const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } })
const http = createHttpClient({ log, metrics: createMetrics() })
let chain: TestChain
let proxy: TestProxy
let other: TestProxy

before(async () => {
  chain = await startChain('ethereum')
  proxy = await startProxy(chain.url)
  other = await startProxy(chain.url)
})
after(async () => {
  await http.close()
  await proxy.close()
  await other.close()
  await chain.stop()
})

/** A fresh adapter: what it remembers of its addresses must not reach the next test. */
function open(change: Partial<EvmChainOptions> = {}): EvmChain {
  return createEvmChain({
    chain: 'ethereum',
    rpcUrls: [proxy.url],
    secondRpcUrls: [],
    finality: { kind: 'depth', blocks: 3n },
    http,
    clock,
    log,
    deadlineMs: 2000,
    ...change,
  })
}

async function signed(change: {
  readonly nonce: number
  readonly to?: Hex
  readonly value?: bigint
  readonly maxFeePerGas?: bigint
  readonly data?: Hex
}): Promise<Hex> {
  return sender.signTransaction({
    type: 'eip1559',
    chainId: 1,
    to: FIRST,
    value: 1n,
    gas: 100_000n,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    ...change,
  })
}

const usdt = (): Hex => chain.network.tokens[0]?.address ?? '0x'
const nextNonce = (): Promise<number> => open().broadcast.nonceOf(sender.address)

test('a block has its native sends, its token transfers by hash, and their receipts', () =>
  chain.scratch(async () => {
    const sent = await chain.pay(FIRST, 'NATIVE', 5n)
    const paid = await chain.pay(SECOND, 'USDT', 7n)
    await chain.mine()
    const { node } = open()
    const head = await node.head()
    const block = await node.block(head.number)
    assert.ok(block)
    assert.deepEqual(await node.header(head.hash), head)
    assert.deepEqual(await node.header(head.number), head)
    const from = chain.accounts[0]
    assert.deepEqual(block.nativeSends, [{ txHash: sent, from, to: FIRST, units: 5n }])
    const logs = await node.transferLogs(head.hash)
    assert.equal(logs?.length, 1)
    assert.equal(logs?.[0]?.txHash, paid)
    assert.equal(logs?.[0]?.contract, usdt().toLowerCase())
    assert.equal(BigInt(logs?.[0]?.data ?? '0x'), 7n)
    const receipt = await node.receipt(paid)
    assert.equal(receipt?.succeeded, true)
    assert.equal(receipt?.blockHash, head.hash)
    assert.deepEqual(receipt?.transferLogs, logs)
    assert.deepEqual(
      await node.balances(
        [
          { holder: FIRST, contract: null },
          { holder: SECOND, contract: usdt() },
        ],
        head.hash,
      ),
      [5n, 7n],
    )
  }))

test('the newest block is read anew each time', () =>
  chain.scratch(async () => {
    const { node } = open()
    const before = await node.head()
    await chain.mine()
    assert.equal((await node.head()).number, before.number + 1n)
  }))

test('what the node does not know is null', async () => {
  const { node } = open()
  const unknown: Hex = `0x${'11'.repeat(32)}`
  assert.equal(await node.header(unknown), null)
  assert.equal(await node.block(10_000n), null)
  assert.equal(await node.transferLogs(unknown), null)
  assert.equal(await node.internalTransfers(unknown), null)
  assert.equal(await node.outcomes(unknown), null)
  assert.equal(await node.receipt(unknown), null)
  assert.equal(await node.balances([{ holder: FIRST, contract: null }], unknown), null)
})

test('a block that a re-organisation has removed is unknown by its hash', () =>
  chain.scratch(async () => {
    const paid = await chain.pay(FIRST, 'USDC', 7n)
    await chain.mine(2)
    const { node, broadcast } = open()
    const head = await node.head()
    const old = await node.header(head.number - 1n)
    assert.equal(await broadcast.blockHash(head.number), head.hash)
    assert.equal((await node.transferLogs(old?.hash ?? '0x'))?.length, 1)
    await chain.reorg(2)
    assert.equal(await node.transferLogs(old?.hash ?? '0x'), null)
    assert.equal(await node.receipt(paid), null)
    assert.notEqual((await node.header(head.number))?.hash, head.hash)
    assert.notEqual(await broadcast.blockHash(head.number), head.hash)
    assert.equal(await broadcast.blockHash(head.number + 1n), null)
  }))

test('the outcomes of a block are those of its receipts, and unsupported where a node offers none of whole blocks', () =>
  chain.scratch(async () => {
    const good = await chain.pay(FIRST, 'NATIVE', 5n)
    const bad = await chain.send({ to: usdt(), value: 5n, gas: 100_000n })
    await chain.mine()
    const { node } = open()
    const { hash } = await node.head()
    const outcomes = new Map([good, bad].map((txHash) => [txHash, txHash === good]))
    assert.deepEqual(await node.outcomes(hash), outcomes)
    proxy.script('http_500')
    for (const is of ['unsupported', outcomes]) assert.deepEqual(await node.outcomes(hash), is)
    proxy.refuse('eth_getBlockReceipts')
    assert.equal(await node.outcomes(hash), 'unsupported')
    proxy.refuse()
    assert.equal(await node.outcomes(hash), 'unsupported', 'it is not asked again')
  }))

test('payments inside of a call are listed with their paths, undone ones are not', () =>
  chain.scratch(async () => {
    const payer = await chain.deploy('BatchPayer')
    const args = [FIRST, 3n, SECOND, 4n]
    const data = callData('BatchPayer', 'payTwo(address,uint256,address,uint256)', args)
    const paid = await chain.send({ to: payer, value: 10n, data, gas: 500_000n })
    const undone = callData('BatchPayer', 'payAndUndo(address,uint256)', [FIRST, 5n])
    await chain.send({ to: payer, value: 5n, data: undone, gas: 500_000n })
    await chain.mine()
    const { node } = open()
    const { hash } = await node.head()
    const expected = [
      { txHash: paid, path: '0', from: payer, to: FIRST, units: 3n },
      { txHash: paid, path: '1', from: payer, to: SECOND, units: 4n },
    ]
    assert.deepEqual(await node.internalTransfers(hash), expected)
    // A node without the call tracer is asked for flat traces: the same transfers under the same paths.
    proxy.refuse('debug_traceBlockByHash')
    const flat = open()
    assert.deepEqual(await flat.node.internalTransfers(hash), expected)
    proxy.refuse('trace_block')
    assert.equal(await open().node.internalTransfers(hash), 'unsupported')
    proxy.refuse()
  }))

test('a block that the node can no longer trace is unsupported, and the next one is not', () =>
  chain.scratch(async () => {
    const payer = await chain.deploy('BatchPayer')
    const args = [FIRST, 3n, SECOND, 4n]
    const data = callData('BatchPayer', 'payTwo(address,uint256,address,uint256)', args)
    const pay = () => chain.send({ to: payer, value: 7n, data, gas: 500_000n })
    const { node } = open()
    await pay()
    await chain.mine()
    const old = await node.head()
    // The state of the block is gone, and with it what the node needs to execute it again.
    proxy.loseTraces(true)
    assert.equal(await node.internalTransfers(old.hash), 'unsupported')
    proxy.loseTraces(false)
    await pay()
    await chain.mine()
    assert.equal((await node.internalTransfers((await node.head()).hash))?.length, 2)
  }))

test('tags are read as the chain has them', () =>
  chain.scratch(async () => {
    await chain.mine(12)
    const { node } = open()
    const { number } = await node.head()
    assert.equal((await node.tag('safe'))?.number, number - 4n)
    assert.equal((await node.tag('finalized'))?.number, number - 8n)
  }))

test('state that the node no longer keeps is null, not zero', () =>
  chain.scratch(async () => {
    const { node } = open()
    const { hash } = await node.head()
    await chain.mine(70)
    assert.equal(await node.balances([{ holder: FIRST, contract: null }], hash), null)
  }))

// ---------------------------------------------------------------- nodes that fail

test('a log that is sent twice is counted once', () =>
  chain.scratch(async () => {
    await chain.pay(FIRST, 'USDT', 7n)
    await chain.mine()
    proxy.set({ duplicateLogs: true })
    const { node } = open()
    assert.equal((await node.transferLogs((await node.head()).hash))?.length, 1)
    proxy.set({ duplicateLogs: false })
  }))

test('a node that has not indexed the logs of a block does not hide its transfers', () =>
  chain.scratch(async () => {
    await chain.pay(FIRST, 'USDT', 7n)
    await chain.mine()
    const { node } = open()
    const { hash, number } = await node.head()
    const logs = await node.transferLogs(hash)
    assert.equal(logs?.length, 1)
    proxy.set({ noLogs: true })
    assert.deepEqual(await node.transferLogs(hash), logs)
    await node.block(number)
    const before = proxy.calls('eth_getBlockByHash')
    assert.deepEqual(await node.transferLogs(hash), logs)
    assert.equal(proxy.calls('eth_getBlockByHash'), before, 'the block was read already')
    // A block without any transfer costs no more.
    await chain.mine()
    const empty = await node.head()
    await node.block(empty.number)
    const receipts = proxy.calls('eth_getBlockReceipts')
    assert.deepEqual(await node.transferLogs(empty.hash), [])
    assert.equal(proxy.calls('eth_getBlockReceipts'), receipts)
    proxy.set({ noLogs: false })
  }))

test('the next address is used while one fails, and the first again after its rest', async () => {
  const { node } = open({ rpcUrls: [proxy.url, other.url] })
  await node.head()
  proxy.script('http_500')
  const before = other.calls('eth_getBlockByNumber')
  await node.head()
  await node.head()
  assert.equal(other.calls('eth_getBlockByNumber'), before + 2)
  clock.advance(5000)
  await node.head()
  assert.equal(other.calls('eth_getBlockByNumber'), before + 2)
})

test('a node that asks us to wait is not asked again at once', async () => {
  const { node } = open({ rpcUrls: [proxy.url, other.url] })
  await node.head()
  proxy.script('http_429')
  const before = proxy.calls('eth_getBlockByNumber')
  await node.head()
  await node.head()
  assert.equal(proxy.calls('eth_getBlockByNumber'), before + 1)
})

test('a node of another chain is never used, and raises an alarm', async () => {
  proxy.set({ wrongChainId: true })
  const alone = open()
  await assert.rejects(alone.node.head(), /no node of ethereum answers/)
  assert.ok(lines.some((line) => line.includes('"alarm":true') && line.includes('31337')))
  const before = proxy.calls('eth_getBlockByNumber')
  const { node } = open({ rpcUrls: [proxy.url, other.url] })
  await node.head()
  assert.equal(proxy.calls('eth_getBlockByNumber'), before)
  proxy.set({ wrongChainId: false })
})

test('an address that comes to serve another chain is noticed within a minute', async () => {
  const { node } = open()
  await node.head()
  proxy.set({ wrongChainId: true })
  clock.advance(61_000)
  await assert.rejects(node.head(), /no node of ethereum answers/)
  proxy.set({ wrongChainId: false })
})

test('a node that stands still is given up after the deadline, and used when it goes on', async () => {
  const { node } = open({ deadlineMs: 1500 })
  await node.head()
  chain.pause()
  try {
    await assert.rejects(node.head(), /no answer within 1500 ms/)
  } finally {
    chain.resume()
  }
  clock.advance(5000)
  await node.head()
})

test('a node that lags behind answers with an older block, and knows no newer one', () =>
  chain.scratch(async () => {
    await chain.mine(3)
    const { node } = open()
    const head = await node.head()
    proxy.set({ staleBlocks: 2 })
    assert.equal((await node.head()).number, head.number - 2n)
    assert.equal(await node.block(head.number), null)
    assert.equal(await node.header(head.hash), null)
    proxy.set({ staleBlocks: 0 })
  }))

// ---------------------------------------------------------------- prices

test('a price is read from the contract of the chain, with its age', () =>
  chain.scratch(async () => {
    await chain.setPrice('ETH', 3_456_00000000n, 600)
    await chain.mine()
    const [coins, stable] = createAggregatorSources([open()])
    const at = (await open().node.head()).at.getTime() - 600_000
    const price = await coins?.read('ETH')
    assert.equal(price?.usdE8, 3_456_00000000n)
    assert.ok(Math.abs((price?.at.getTime() ?? 0) - at) <= 2000)
    assert.equal((await stable?.read('USDT'))?.usdE8, 1_00000000n)
    assert.equal(await stable?.read('ETH'), null)
    assert.equal(await coins?.read('BNB'), null, 'ethereum has no contract for it')
  }))

test('a contract that answers no price is a failure, not a price of zero', () =>
  chain.scratch(async () => {
    await chain.setPrice('ETH', 0n)
    await chain.mine()
    const [coins] = createAggregatorSources([open()])
    await assert.rejects(async () => coins?.read('ETH'), /not above zero/)
  }))

// ---------------------------------------------------------------- sending

test('a transaction is accepted once, known while it waits, and too late when it is mined', () =>
  chain.scratch(async () => {
    const { broadcast } = open()
    const nonce = await broadcast.nonceOf(sender.address)
    const raw = await signed({ nonce, value: ETHER })
    assert.deepEqual(await broadcast.send(raw), { kind: 'accepted' })
    assert.deepEqual(await broadcast.send(raw), { kind: 'already_known' })
    await chain.mine()
    assert.deepEqual(await broadcast.send(raw), { kind: 'nonce_too_low' })
    assert.equal(await broadcast.nonceOf(sender.address), nonce + 1)
    const at = (await broadcast.headNumber()) - 1n
    assert.equal(await broadcast.nonceOf(sender.address, at), nonce)
    const [hash] = (
      await chain.rpc<{ transactions: Hex[] }>('eth_getBlockByNumber', ['latest', false])
    ).transactions
    const receipt = await broadcast.receipt(hash ?? '0x')
    assert.equal(receipt?.status, 'success')
    assert.equal(receipt?.gasUsed, 21_000n)
    assert.ok((receipt?.feePaid ?? 0n) >= 21_000n * 1_000_000_000n)
    assert.equal(await broadcast.balanceOf(FIRST, null), ETHER)
  }))

test('what a node refuses is named', () =>
  chain.scratch(async () => {
    const { broadcast } = open()
    const nonce = await nextNonce()
    assert.deepEqual(await broadcast.send(await signed({ nonce, value: 10n ** 30n })), {
      kind: 'insufficient_funds',
    })
    const cheap = await sender.signTransaction({
      ...{ type: 'eip1559', chainId: 1, nonce, to: FIRST, gas: 21_000n },
      ...{ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
    })
    assert.deepEqual(await broadcast.send(cheap), { kind: 'fee_too_low' })
    await broadcast.send(await signed({ nonce }))
    const rival = await signed({ nonce, value: 2n })
    assert.deepEqual(await broadcast.send(rival), { kind: 'underpriced' })
  }))

test('after a lost answer the outcome is unknown, and the node has the transaction', () =>
  chain.scratch(async () => {
    const { broadcast } = open()
    const nonce = await nextNonce()
    const raw = await signed({ nonce })
    proxy.script('drop_answer')
    assert.equal((await broadcast.send(raw)).kind, 'unknown')
    clock.advance(5000)
    assert.deepEqual(await broadcast.send(raw), { kind: 'already_known' })
    await chain.mine()
    assert.equal(await nextNonce(), nonce + 1)
  }))

test('a transaction goes to every address: one that swallows it does not hold it back', () =>
  chain.scratch(async () => {
    const { broadcast } = open({ rpcUrls: [proxy.url, other.url] })
    const nonce = await nextNonce()
    const sends = (): number =>
      proxy.calls('eth_sendRawTransaction') + other.calls('eth_sendRawTransaction')
    const before = sends()
    proxy.script('swallow_send')
    assert.deepEqual(await broadcast.send(await signed({ nonce })), { kind: 'accepted' })
    await until('both were called', () => sends() === before + 2)
    // A call counts when it arrives, a moment before the node has the transaction.
    await until('it is mined', async () => {
      await chain.mine()
      return (await nextNonce()) === nonce + 1
    })
  }))

test('a node that hangs does not delay what another one accepts', () =>
  chain.scratch(async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const rpcUrls = [`http://127.0.0.1:${port}`, proxy.url]
    const { broadcast } = open({ rpcUrls, deadlineMs: 20_000 })
    const raw = await signed({ nonce: await nextNonce() })
    const startedAt = performance.now()
    assert.deepEqual(await broadcast.send(raw), { kind: 'accepted' })
    assert.ok(performance.now() - startedAt < 5000)
    silent.closeAllConnections()
    silent.close()
  }))

test('a swallowed transaction is accepted and not mined, and can be sent again', () =>
  chain.scratch(async () => {
    const { broadcast } = open()
    const nonce = await nextNonce()
    const raw = await signed({ nonce })
    proxy.script('swallow_send')
    assert.deepEqual(await broadcast.send(raw), { kind: 'accepted' })
    await chain.mine()
    assert.equal(await nextNonce(), nonce)
    assert.deepEqual(await broadcast.send(raw), { kind: 'accepted' })
  }))

test('final is what is deep enough, or what the tag says', () =>
  chain.scratch(async () => {
    await chain.mine(20)
    const { broadcast } = open()
    const head = await broadcast.headNumber()
    assert.equal(await broadcast.confirmedNumber(), head - 2n)
    const tagged = open({ finality: { kind: 'tag', tag: 'finalized', orDepth: 180n } })
    assert.equal(await tagged.broadcast.confirmedNumber(), head - 8n)
  }))

test('fees are those of the newest block, with the floor of the chain', () =>
  chain.scratch(async () => {
    await chain.setNextBaseFee(7_000_000_000n)
    await chain.mine()
    const fees = await open().broadcast.estimateFees()
    assert.equal(fees.baseFeePerGas, 7_000_000_000n)
    assert.equal(fees.maxPriorityFeePerGas, 1_000_000_000n)
    assert.equal(fees.dataFee, 0n)
  }))

/** Of the contract of the OP stack that knows fees. */
const GET_L1_FEE = toFunctionSelector('function getL1Fee(bytes)')
const GET_OPERATOR_FEE = toFunctionSelector('function getOperatorFee(uint256)')

test('the fees for data and operator are what the oracle of the chain answers, and unknown when it does not', () =>
  chain.scratch(async () => {
    const oracle = (code: Hex) => chain.rpc('anvil_setCode', [ORACLE, code])
    const fee = async () => (await open().broadcast.estimateFees()).dataFee
    // As before the upgrade Isthmus: there is no operator fee.
    await oracle(answering({ [GET_L1_FEE]: 123_456_789n }))
    assert.equal(await fee(), 123_456_789n)
    await oracle(answering({ [GET_L1_FEE]: 123_456_789n, [GET_OPERATOR_FEE]: 1_000n }))
    assert.equal(await fee(), 123_457_789n)
    await oracle(answering({ [GET_OPERATOR_FEE]: 1_000n }))
    await assert.rejects(fee(), /no node of ethereum answers/)
    await oracle('0x60036000f3')
    await assert.rejects(fee(), /data fee cannot be decoded/)
  }))

test('what was paid is the gas, the data, and the operator by the upgrade of the block', () =>
  chain.scratch(async () => {
    const raw = await signed({ nonce: await nextNonce() })
    await open().broadcast.send(raw)
    await chain.mine()
    const hash = keccak256(raw)
    const paid = async (fields: object) => {
      proxy.addToReceipts(fields)
      return (await open().broadcast.receipt(hash))?.feePaid ?? 0n
    }
    const gas = await paid({})
    assert.ok(gas >= 21_000n * 1_000_000_000n)
    const operator = { operatorFeeScalar: '0x77359400', operatorFeeConstant: '0x7' } // 2e9 and 7
    assert.equal((await paid({ l1Fee: '0x64' })) - gas, 100n)
    assert.equal((await paid({ l1Fee: '0x64', ...operator })) - gas, 100n + 21_000n * 2_000n + 7n)
    const jovian = { ...operator, daFootprintGasScalar: '0x94' }
    assert.equal((await paid(jovian)) - gas, 21_000n * 2_000_000_000n * 100n + 7n)
    assert.equal((await paid({ l1Fee: '0x64', daFootprintGasScalar: '0x94' })) - gas, 100n)
    proxy.addToReceipts({})
  }))

test('gas for data is what a node of arbitrum says, and more than enough when that cannot be read', () =>
  chain.scratch(async () => {
    const { network, rpc } = chain
    const dataGas = async () => (await open({ chain: 'arbitrum' }).broadcast.estimateFees()).dataGas
    assert.equal((await open().broadcast.estimateFees()).dataGas, 0n)
    await rpc('anvil_setChainId', [42161])
    try {
      for (const [code, expected] of [
        ['0x', 100_000n],
        [returning(7_654n, 3), 7_654n],
        [returning(7_654n), 100_000n],
        [returning(10n ** 9n, 3), 100_000n],
        ['0x60006000fd', 100_000n],
      ] as const) {
        await rpc('anvil_setCode', [NODE_INTERFACE, code])
        assert.equal(await dataGas(), expected, code)
      }
    } finally {
      await rpc('anvil_setChainId', [network.chainId])
    }
  }))

test('a simulation finds what would fail, also where it would fail in silence', () =>
  chain.scratch(async () => {
    const { broadcast } = open()
    const from = chain.accounts[0] ?? '0x'
    const transfer = callData('Token', 'transfer(address,uint256)', [FIRST, 5n])
    const token = (to: Hex) => broadcast.simulate({ from, to, value: 0n, data: transfer })

    const works = await token(usdt())
    assert.equal(works.kind, 'succeeds')
    assert.ok(works.kind === 'succeeds' && works.gas > 21_000n)
    const poor = await broadcast.simulate({ from: SECOND, to: usdt(), value: 0n, data: transfer })
    assert.deepEqual(poor, { kind: 'reverts', reason: 'execution reverted: balance too low' })
    assert.deepEqual(await token(await chain.deploy('FalseToken')), {
      kind: 'reverts',
      reason: 'transfer returned false',
    })
    assert.deepEqual(await token(FIRST), {
      kind: 'reverts',
      reason: 'there is no contract at the address',
    })
    const rejecting = await chain.deploy('RejectingReceiver')
    const native = (sending: Hex, to: Hex) =>
      broadcast.simulate({ from: sending, to, value: 1n, data: '0x' })
    assert.deepEqual(await native(from, rejecting), {
      kind: 'reverts',
      reason: 'execution reverted: not accepted',
    })
    assert.deepEqual(await native(SECOND, FIRST), { kind: 'insufficient_funds' })
    assert.deepEqual(await native(from, FIRST), { kind: 'succeeds', gas: 21_000n })
  }))

test('a simulation that no node carries out has an unknown result', async () => {
  const { broadcast } = open()
  await broadcast.headNumber()
  proxy.script('http_500')
  const call = { from: FIRST, to: SECOND, value: 0n, data: '0x' } as const
  assert.equal((await broadcast.simulate(call)).kind, 'unknown')
})
