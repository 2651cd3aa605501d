// How the adapter of EVM chains reads blocks: from nodes that offer less than all, and several at once.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createEvmChain, type EvmChainOptions } from '../../apps/server/src/adapters/evm/index.ts'
import { createHttpClient } from '../../apps/server/src/infra/http/http-client.ts'
import { createLog, silentLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import type { Hex } from '../../apps/server/src/kernel/chain.ts'
import { startChain, startProxy } from '../support/chains/index.ts'

const FIRST: Hex = '0x00000000000000000000000000000000000000a1'
const SECOND: Hex = '0x00000000000000000000000000000000000000b2'

const clock = manualClock()
const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
const chain = await startChain('ethereum')
const proxy = await startProxy(chain.url)
const other = await startProxy(chain.url)
after(async () => {
  await http.close()
  await proxy.close()
  await other.close()
  await chain.stop()
})

/** A fresh adapter: what it remembers of its addresses must not reach the next test. */
const open = (change: Partial<EvmChainOptions> = {}) =>
  createEvmChain({
    ...{ chain: 'ethereum', rpcUrls: [proxy.url], secondRpcUrls: [] },
    ...{ http, clock, log: silentLog, deadlineMs: 2000 },
    ...change,
  })

test('a node that offers no receipts of whole blocks does not hold a block up: they are read one by one', () =>
  chain.scratch(async () => {
    await Promise.all(Array.from({ length: 20 }, () => chain.pay(SECOND, 'USDC', 3n)))
    await chain.pay(FIRST, 'USDT', 7n)
    await chain.mine()
    const { node } = open()
    const { hash } = await node.head()
    const logs = await node.transferLogs(hash)
    assert.equal(logs?.length, 21)
    proxy.set({ noLogs: true })
    proxy.refuse('eth_getBlockReceipts')
    assert.deepEqual(await node.transferLogs(hash), logs)
    const asked = proxy.calls('eth_getBlockReceipts')
    assert.deepEqual(await node.transferLogs(hash), logs)
    assert.equal(proxy.calls('eth_getBlockReceipts'), asked, 'it is not asked again')
    proxy.refuse()
    proxy.set({ noLogs: false })
  }))

test('receipts that a node refuses at once are asked for in halves, and the node stays in use', () =>
  chain.scratch(async () => {
    await Promise.all(Array.from({ length: 20 }, () => chain.pay(SECOND, 'USDC', 3n)))
    await chain.mine()
    const lines: string[] = []
    const log = createLog({
      level: 'warn',
      destination: { write: (line) => void lines.push(line) },
    })
    const { node } = open({ log, rpcUrls: [proxy.url, other.url] })
    const { hash } = await node.head()
    const logs = await node.transferLogs(hash)
    assert.equal(logs?.length, 20)
    for (const each of [proxy, other]) {
      each.set({ noLogs: true })
      each.refuse('eth_getBlockReceipts')
      each.limitBatches(3)
    }
    assert.deepEqual(await node.transferLogs(hash), logs)
    assert.deepEqual(
      lines.filter((line) => line.includes('does not answer')),
      [],
      'no address counts as failed',
    )
    for (const each of [proxy, other]) {
      each.limitBatches(Number.POSITIVE_INFINITY)
      each.refuse()
      each.set({ noLogs: false })
    }
  }))

test('blocks that are read at the same moment are one request, and are read alone where a node refuses that', () =>
  chain.scratch(async () => {
    await chain.pay(FIRST, 'USDT', 7n)
    await chain.mine(4)
    const { node } = open()
    const { number } = await node.head()
    const numbers = [3n, 2n, 1n, 0n].map((back) => number - back)
    const readAll = () => Promise.all(numbers.map((each) => node.block(each)))
    const before = proxy.requests()
    const blocks = await readAll()
    assert.deepEqual(
      blocks.map((block) => block?.number),
      numbers,
    )
    assert.equal(proxy.requests(), before + 1)
    const logs = await Promise.all(blocks.map((block) => node.transferLogs(block?.hash ?? '0x')))
    assert.deepEqual([logs.flat().length, proxy.requests()], [1, before + 2])
    proxy.script('http_500')
    clock.advance(60_000)
    assert.deepEqual(await readAll(), blocks)
  }))

test('traces that are switched off are never asked for', () =>
  chain.scratch(async () => {
    const { node } = open({ traces: 'off', secondRpcUrls: [other.url] })
    const before = [proxy, other].map((one) => one.calls('debug_traceBlockByHash'))
    const { hash } = await node.head()
    assert.equal(await node.internalTransfers(hash), 'unsupported')
    assert.equal(await node.second?.internalTransfers(hash), 'unsupported')
    const after = [proxy, other].map((one) => one.calls('debug_traceBlockByHash'))
    assert.deepEqual(after, before)
  }))
