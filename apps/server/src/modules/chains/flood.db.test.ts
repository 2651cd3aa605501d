// What many worthless transfers cost the service and its other owners: nothing that grows with their number.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Hex } from '#kernel/chain'
import { startProxy } from '../../../../../tests/support/chains/index.ts'
import { testDatabase } from '../../infra/testing/database.ts'
import { openJournal } from './testing/journal-sink.ts'
import { auditAll, openWatch, scanToTheEnd } from './testing/watch.ts'

const { db, close } = await testDatabase()
const journal = await openJournal(db)
const watch = await openWatch({ db, sinks: journal.sinks })
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

test('a block full of native sends is read with one call for its receipts, or with sixteen of them at a time', async () => {
  const proxy = await startProxy(chain.url)
  // The node of tests takes minutes to trace such a block.
  proxy.refuse('debug_traceBlockByHash', 'trace_block')
  try {
    for (const isOffered of [true, false]) {
      if (!isOffered) proxy.refuse('eth_getBlockReceipts')
      const behind = { db, sinks: journal.sinks, clock, node: { ...chain, url: proxy.url } }
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
