// The second node of a chain, as the adapter of EVM chains asks it.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createEvmChain } from '../../apps/server/src/adapters/evm/index.ts'
import { createHttpClient } from '../../apps/server/src/infra/http/http-client.ts'
import { silentLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import type { Hex } from '../../apps/server/src/kernel/chain.ts'
import { startChain, startProxy } from '../support/chains/index.ts'

const FIRST: Hex = '0x00000000000000000000000000000000000000a1'
const chain = await startChain('ethereum')
const other = await startProxy(chain.url)
const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
// A provider that has had enough of us.
const limited = createServer((_, reply) => reply.writeHead(429).end('{}')).listen(0, '127.0.0.1')
const { node } = createEvmChain({
  ...{ chain: 'ethereum', rpcUrls: [chain.url], secondRpcUrls: [other.url] },
  ...{ http, clock: manualClock(), log: silentLog, deadlineMs: 2000 },
})

after(async () => {
  await http.close()
  limited.closeAllConnections()
  limited.close()
  await other.close()
  await chain.stop()
})

test('the second node answers for itself', () =>
  chain.scratch(async () => {
    const paid = await chain.pay(FIRST, 'USDT', 7n)
    await chain.mine()
    other.set({ staleBlocks: 1 })
    assert.ok(await node.receipt(paid))
    assert.equal(await node.second?.receipt(paid), null)
    other.set({ staleBlocks: 0 })
    assert.deepEqual(await node.second?.receipt(paid), await node.receipt(paid))
    const sent = await chain.pay(FIRST, 'NATIVE', 5n)
    await chain.mine()
    const { hash } = await node.head()
    const units = async () => [await node.second?.sentUnits(sent), await node.sentUnits(paid)]
    assert.deepEqual(await units(), [5n, 0n])
    assert.equal(await node.second?.sentUnits(`0x${'11'.repeat(32)}`), null)
    assert.deepEqual(await node.second?.internalTransfers(hash), [])
    other.refuse('debug_traceBlockByHash', 'trace_block')
    assert.equal(await node.second?.internalTransfers(hash), 'unsupported')
    assert.deepEqual(await node.internalTransfers(hash), [])
    other.refuse()
  }))

test('payments are prepared and sent at the second node while the first answers 429, and not confirmed by it alone', () =>
  chain.scratch(async () => {
    const paid = await chain.pay(FIRST, 'USDT', 7n)
    await chain.mine()
    const { port } = limited.address() as AddressInfo
    const { broadcast } = createEvmChain({
      ...{ chain: 'ethereum', secondRpcUrls: [other.url] },
      rpcUrls: [`http://127.0.0.1:${port}/`],
      ...{ http, clock: manualClock(), log: silentLog, deadlineMs: 2000 },
    })
    assert.ok((await broadcast.estimateFees()).baseFeePerGas > 0n)
    const transfer = { from: FIRST, to: FIRST, value: 0n, data: '0x' } as const
    assert.equal((await broadcast.simulate(transfer)).kind, 'succeeds')
    assert.equal(await broadcast.balanceOf(FIRST, null), 0n)
    const asked = (): number => other.calls('eth_sendRawTransaction')
    const before = asked()
    await broadcast.send('0x00')
    assert.equal(asked(), before + 1)
    await assert.rejects(broadcast.receipt(paid), /no node of ethereum answers/)
    assert.ok(await broadcast.second?.receipt(paid))
  }))
