import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { callData, startChain, type TestChain } from './index.ts'

const RECEIVER = '0x00000000000000000000000000000000000000ad'
let chain: TestChain

before(async () => {
  chain = await startChain('ethereum')
})
after(() => chain.stop())

const usdt = (): `0x${string}` => chain.network.tokens[0]?.address ?? '0x'
const balance = async (address: string): Promise<bigint> =>
  BigInt(
    await chain.rpc<string>('eth_call', [
      { to: usdt(), data: callData('SilentToken', 'balanceOf(address)', [address]) },
      'latest',
    ]),
  )

test('a payment is there after the next block, and not before', () =>
  chain.scratch(async () => {
    await chain.pay(RECEIVER, 'USDT', 1_500_000n)
    assert.equal(await balance(RECEIVER), 0n)
    await chain.mine()
    assert.equal(await balance(RECEIVER), 1_500_000n)
  }))

test('a re-organisation removes a transaction, or moves it to another block', () =>
  chain.scratch(async () => {
    await chain.mine(3)
    const hash = await chain.pay(RECEIVER, 'USDT', 7n)
    await chain.mine(2)
    const raw = await chain.raw(hash)
    const head = await chain.head()
    await chain.reorg(2)
    assert.equal(await chain.head(), head)
    assert.equal(await balance(RECEIVER), 0n)
    await chain.reorg(3, [[raw, 2]])
    assert.equal(await balance(RECEIVER), 7n)
    const receipt = await chain.rpc<{ blockNumber: string; transactionHash: string }>(
      'eth_getTransactionReceipt',
      [hash],
    )
    assert.equal(receipt.transactionHash, hash)
    assert.equal(BigInt(receipt.blockNumber), head)
  }))

test('a stopped process does not answer, and does again when it goes on', async () => {
  chain.pause()
  try {
    const answer = fetch(chain.url, { method: 'POST', signal: AbortSignal.timeout(300) })
    await assert.rejects(answer, { name: 'TimeoutError' })
  } finally {
    chain.resume()
  }
  assert.equal(await chain.head(), 1n)
})
