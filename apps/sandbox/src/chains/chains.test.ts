import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createMemoryStore } from '../store/store.ts'
import { type Harness, type Json, startHarness } from '../testing/harness.ts'
import { startProgram } from '../testing/process.ts'
import { createChain } from './chain.ts'
import { callData } from './contracts/index.ts'
import { NETWORKS } from './networks.ts'
import { createPrices } from './prices.ts'
import { findAnvil } from './program.ts'

const RECEIVER = '0x00000000000000000000000000000000000000ad'
const OTHER = '0x00000000000000000000000000000000000000ae'

/** Blocks are made when the test asks for them. */
const MANUAL = { SANDBOX_CHAINS: 'ethereum,bsc', SANDBOX_BLOCK_MS: '0' }

async function start(t: TestContext, dataDir: string | null = null): Promise<Harness> {
  return startHarness(t, { environment: MANUAL, config: { dataDir } })
}

async function rpc(h: Harness, chain: string, method: string, params: unknown[]): Promise<Json> {
  const response = await fetch(`${h.url}/chains/${chain}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  return { status: response.status, ...(response.ok ? ((await response.json()) as Json) : {}) }
}

async function tokenBalance(
  h: Harness,
  chain: 'ethereum' | 'bsc',
  holder: string,
): Promise<bigint> {
  const [usdt] = NETWORKS[chain].tokens
  const data = callData('Token', 'balanceOf(address)', [holder])
  return BigInt((await rpc(h, chain, 'eth_call', [{ to: usdt?.address, data }, 'latest'])).result)
}

const nativeBalance = async (h: Harness, holder: string): Promise<bigint> =>
  BigInt((await rpc(h, 'ethereum', 'eth_getBalance', [holder, 'latest'])).result)

test('other dollars that users send are at their real addresses', async (t) => {
  const environment = { SANDBOX_CHAINS: 'arbitrum', SANDBOX_BLOCK_MS: '0' }
  const h = await startHarness(t, { environment })
  const pay = (token: string) =>
    h.control('POST', '/chains/arbitrum/faucet', { address: RECEIVER, token, amount: '2.5' })
  const paid = await pay('USDCE')
  await h.control('POST', '/chains/arbitrum/mine')
  const { logs } = (await rpc(h, 'arbitrum', 'eth_getTransactionReceipt', [paid.txHash])).result
  assert.deepEqual(
    logs.map(({ address, data }: Json) => [address, BigInt(data)]),
    [['0xff970a61a04b1ca14834a43f5de4533ebddb5cc8', 2_500_000n]],
  )
  assert.equal((await pay('USDT0')).status, 400)
})

test('a chain', async (t) => {
  const h = await start(t)
  const faucet = (chain: string, token: string, amount: unknown, address: string = RECEIVER) =>
    h.control('POST', `/chains/${chain}/faucet`, { address, token, amount })
  const mine = (blocks = 1) => h.control('POST', '/chains/ethereum/mine', { blocks })
  const change = (body: Json) => h.control('PUT', '/chains/ethereum', body)

  await t.test('has the chain id of the real one, and no methods of a test node', async () => {
    assert.equal((await rpc(h, 'ethereum', 'eth_chainId', [])).result, '0x1')
    assert.equal((await rpc(h, 'bsc', 'eth_chainId', [])).result, '0x38')
    for (const method of ['anvil_setBalance', 'evm_mine', 'eth_sendTransaction', 'eth_accounts']) {
      assert.equal((await rpc(h, 'ethereum', method, [])).error.code, -32601, method)
    }
  })

  await t.test('pays from its faucet, in the decimals of each token', async () => {
    assert.equal((await faucet('ethereum', 'USDT', '12.5')).units, '12500000')
    assert.equal((await faucet('bsc', 'USDT', '12.5')).units, '12500000000000000000')
    assert.equal(await tokenBalance(h, 'ethereum', RECEIVER), 0n)
    await mine()
    await h.control('POST', '/chains/bsc/mine')
    assert.equal(await tokenBalance(h, 'ethereum', RECEIVER), 12_500_000n)
    assert.equal(await tokenBalance(h, 'bsc', RECEIVER), 12_500_000_000_000_000_000n)
  })

  await t.test('lets an issuer freeze an address of its token, and no other', async () => {
    const freeze = (frozen: boolean) =>
      h.control('POST', '/chains/ethereum/freeze', { address: OTHER, token: 'USDT', frozen })
    const [usdt] = NETWORKS.ethereum.tokens
    const data = callData('Token', 'transfer(address,uint256)', [RECEIVER, 0n])
    const pays = async (from: string): Promise<boolean> => {
      const call = [{ from, to: usdt?.address, data }, 'latest']
      return (await rpc(h, 'ethereum', 'eth_call', call)).error === undefined
    }
    await freeze(true)
    await mine()
    assert.deepEqual([await pays(OTHER), await pays(RECEIVER)], [false, true])
    await freeze(false)
    await mine()
    assert.equal(await pays(OTHER), true)
    const unknown = { address: OTHER, token: 'DAI' }
    assert.equal((await h.control('POST', '/chains/ethereum/freeze', unknown)).status, 400)
  })

  await t.test(
    'is at a node without traces, without receipts of blocks, or with a limit of calls',
    async () => {
      const code = async (method: string, params: unknown[]) =>
        (await rpc(h, 'ethereum', method, params)).error?.code
      await change({ noTraces: true, noBlockReceipts: true })
      assert.equal(await code('debug_traceBlockByNumber', ['latest', {}]), -32601)
      assert.equal(await code('eth_getBlockReceipts', ['latest']), -32601)
      await change({ noTraces: false, noBlockReceipts: false, callsPerSecond: 3 })
      assert.equal(await code('eth_getBlockReceipts', ['latest']), undefined)
      const asked = await Promise.all(
        Array.from({ length: 8 }, () => rpc(h, 'ethereum', 'eth_chainId', [])),
      )
      assert.ok(asked.filter(({ status }) => status === 429).length >= 5)
      await change({ callsPerSecond: 0 })
      assert.equal(await code('eth_chainId', []), undefined)
    },
  )

  await t.test('pays many that ask its faucet at once', async () => {
    const body = { address: `0x${'ab'.repeat(20)}`, token: 'NATIVE', amount: '0.001' }
    const paid = await Promise.all(
      Array.from({ length: 24 }, () => h.control('POST', '/chains/bsc/faucet', body)),
    )
    assert.equal(new Set(paid.map(({ txHash }) => txHash)).size, 24)
  })

  await t.test('refuses a faucet call that makes no sense', async () => {
    for (const amount of ['1.1234567', '-1', 12, '', '1e3']) {
      assert.equal((await faucet('ethereum', 'USDT', amount)).status, 400, String(amount))
    }
    assert.equal((await faucet('ethereum', 'DOGE', '1')).status, 400)
    assert.equal((await faucet('ethereum', 'USDT', '1', '0x12')).status, 400)
    assert.equal((await faucet('dogechain', 'USDT', '1')).status, 404)
  })

  await t.test(
    're-organises: a payment is gone, moved, or its money is spent otherwise',
    async () => {
      const reorg = (mode: string, txHash: string | null, depth = 3) =>
        h.control('POST', '/chains/ethereum/reorg', { depth, mode, txHash })
      const { txHash } = await faucet('ethereum', 'NATIVE', '1', OTHER)
      await mine(3)
      const before = (await rpc(h, 'ethereum', 'eth_getTransactionReceipt', [txHash])).result
      assert.equal((await reorg('move', txHash)).status, 200)
      const moved = (await rpc(h, 'ethereum', 'eth_getTransactionReceipt', [txHash])).result
      assert.equal(Number(moved.blockNumber), Number(before.blockNumber) + 2)
      assert.equal((await reorg('double_spend', txHash)).status, 200)
      assert.equal((await rpc(h, 'ethereum', 'eth_getTransactionReceipt', [txHash])).result, null)
      assert.equal(await nativeBalance(h, OTHER), 0n)
      const again = await faucet('ethereum', 'NATIVE', '1', OTHER)
      await mine()
      assert.equal((await reorg('drop', again.txHash, 1)).status, 200)
      assert.equal(await nativeBalance(h, OTHER), 0n)
      assert.equal((await reorg('drop', txHash)).status, 404)
      assert.equal((await reorg('drop', null, 61)).status, 400)
    },
  )

  await t.test('goes back by some blocks', async () => {
    const { head } = await mine(3)
    const answer = await h.control('POST', '/chains/ethereum/rollback', { blocks: 2 })
    assert.equal(answer.head, head - 2)
  })

  await t.test('plays the faults of providers', async () => {
    const script = (...next: string[]) => h.control('POST', '/chains/ethereum/script', { next })
    await script('http_429', 'http_500')
    assert.equal((await rpc(h, 'ethereum', 'eth_chainId', [])).status, 429)
    assert.equal((await rpc(h, 'ethereum', 'eth_chainId', [])).status, 500)
    assert.equal((await script('http_404')).status, 400)
    await change({ wrongChainId: true })
    assert.equal((await rpc(h, 'ethereum', 'eth_chainId', [])).result, '0x7a69')
    await change({ wrongChainId: false, online: false })
    assert.equal((await rpc(h, 'ethereum', 'eth_chainId', [])).status, 502)
    const second = await fetch(`${h.url}/chains/ethereum/second`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
    })
    assert.equal(second.status, 200, 'the second node is of another operator')
    await change({ online: true })
    const { head } = await mine(3)
    await change({ staleBlocks: 2 })
    assert.equal(Number((await rpc(h, 'ethereum', 'eth_blockNumber', [])).result), head - 2)
    await change({ staleBlocks: 0 })
    assert.equal((await change({ nonsense: true })).status, 400)
  })

  await t.test('has the prices that the exchange has, or others', async () => {
    const onChain = async (): Promise<{ price: bigint; at: number }> => {
      const to = NETWORKS.ethereum.native.aggregator
      const data = callData('Aggregator', 'latestRoundData()', [])
      const { result } = await rpc(h, 'ethereum', 'eth_call', [{ to, data }, 'latest'])
      const words = String(result).slice(2).match(/.{64}/g) ?? []
      return { price: BigInt(`0x${words[1]}`), at: Number(`0x${words[3]}`) }
    }
    const exchange = async (): Promise<string> =>
      (await h.json('/exchange/0/public/Ticker?pair=ETHUSD')).result.XETHZUSD.c[0]
    assert.equal(await exchange(), '3400')
    assert.equal((await onChain()).price, 340_000_000_000n)
    await h.control('PUT', '/prices/ETH', { chainUsd: '3500.25', ageSeconds: 900 })
    await mine()
    const { price, at } = await onChain()
    assert.equal(price, 350_025_000_000n)
    const { timestamp } = (await rpc(h, 'ethereum', 'eth_getBlockByNumber', ['latest', false]))
      .result
    assert.ok(Math.abs(Number(timestamp) - at - 900) < 5)
    assert.equal(await exchange(), '3400')
    assert.deepEqual((await h.json('/exchange/0/public/Ticker?pair=DOGEUSD')).error, [
      'EQuery:Unknown asset pair',
    ])
  })

  await t.test('shows itself in the state', async () => {
    const { chains, prices } = await h.control('GET', '/state')
    assert.equal(chains.offReason, null)
    assert.deepEqual(
      chains.networks.map((network: Json) => [network.chain, network.chainId, network.online]),
      [
        ['ethereum', 1, true],
        ['bsc', 56, true],
      ],
    )
    assert.equal(prices[0].chainUsd, '3500.25')
  })
})

test('the state of a chain outlives the sandbox, and a broken file is put aside', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-chains-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const pay = async (h: Harness): Promise<void> => {
    await h.control('POST', '/chains/ethereum/faucet', {
      address: RECEIVER,
      token: 'USDT',
      amount: '5',
    })
    await h.control('POST', '/chains/ethereum/mine')
  }
  const balance = (h: Harness): Promise<bigint> => tokenBalance(h, 'ethereum', RECEIVER)

  await t.test('first', async (step) => pay(await start(step, dataDir)))
  await t.test('again', async (step) => {
    const h = await start(step, dataDir)
    assert.equal(await balance(h), 5_000_000n)
    await pay(h)
  })
  writeFileSync(join(dataDir, 'chains/ethereum.json'), '{"block":')
  await t.test('broken', async (step) => {
    assert.equal(await balance(await start(step, dataDir)), 5_000_000n)
  })
})

test('a sandbox that is killed leaves no node behind, and the next one finds its chains', async (t) => {
  const SANDBOX_DATA_DIR = mkdtempSync(join(tmpdir(), 'sandbox-chains-'))
  t.after(() => rmSync(SANDBOX_DATA_DIR, { recursive: true, force: true }))
  const environment = { ...MANUAL, SANDBOX_DATA_DIR }
  const call = async (url: string, path: string, body: object): Promise<Json> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as Json
  }
  const headOf = async (url: string): Promise<number> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }
    return Number((await call(url, '/chains/ethereum/rpc', body)).result)
  }

  const first = await startProgram(t, environment)
  const { head } = await call(first.url, '/control/chains/ethereum/mine', { blocks: 5 })
  await first.stop('SIGKILL')

  const second = await startProgram(t, environment)
  // A start writes the prices, which takes a block.
  assert.equal(await headOf(second.url), head + 1)
  assert.equal(nodesOn(SANDBOX_DATA_DIR), 1, 'the node of the first one has ended')
  assert.equal(await second.stop('SIGTERM'), 0)
})

test('a node that does not answer any more is killed, and its chain goes on from what it had saved', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-chain-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const program = findAnvil()
  assert.ok(program, 'there is a node for this machine')
  const chain = createChain({
    ...{ network: NETWORKS.base, program, dataDir, prices: createPrices(createMemoryStore()) },
    ...{ blockMs: 20, stateSeconds: 1, deadlineMs: 500 },
  })
  t.after(() => chain.close())
  chain.noteActivity()
  const hung = await chain.url()
  process.kill(Number(readFileSync(join(dataDir, 'chains/base.json.pid'), 'utf8')), 'SIGSTOP')
  while ((await chain.url()) === hung) await setTimeout(50)
  assert.ok((await chain.mine(1)) > 1)
})

/** Processes of anvil itself; the shell that watches one has its words in quotes. */
function nodesOn(folder: string): number {
  const lines = execFileSync('ps', ['-eo', 'args']).toString().split('\n')
  return lines.filter((line) => /^\S*anvil /.test(line) && line.includes(folder)).length
}

test('without its program, or switched off, the chains are off and say so', async (t) => {
  assert.notEqual(findAnvil(), null)
  assert.equal(findAnvil('plan9', 'x64'), null)
  const h = await startHarness(t, { environment: { SANDBOX_CHAINS: 'off' } })
  const answer = await h.control('PUT', '/chains/ethereum', { online: false })
  assert.equal(answer.status, 409)
  assert.match(answer.error, /^The chains are off: SANDBOX_CHAINS is off\.$/)
  assert.deepEqual((await h.control('GET', '/state')).chains, {
    offReason: answer.error,
    networks: [],
  })
  assert.equal((await h.get('/chains/ethereum/rpc')).status, 404)
})
