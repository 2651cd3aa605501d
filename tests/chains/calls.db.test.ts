// How many calls a scanner makes: providers count each, and a chain of four blocks a second has to be caught
// up with, and followed, all the same.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { scanChain } from '../../apps/server/src/modules/crypto/chains/scan.ts'
import { openJournal } from './journal-handler.ts'
import { auditAll, openWatch, scanToTheEnd } from './watch.ts'

const { db, close } = await testDatabase()
const journal = await openJournal(db)
const watch = await openWatch({ db, handlers: journal.handlers })
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

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}
type Answer = Readonly<Record<string, unknown>>

/** A node without traces before which `answer` may say something else; what it was asked, by method. */
async function startNode(answer: (call: Call) => Answer | null = () => null) {
  const asked = new Map<string, number>()
  const one = async (call: Call): Promise<Answer> => {
    asked.set(call.method, (asked.get(call.method) ?? 0) + 1)
    const reply = { jsonrpc: '2.0', id: call.id }
    if (/trace/.test(call.method)) {
      return { ...reply, error: { code: -32601, message: 'the method does not exist' } }
    }
    const own = answer(call)
    if (own !== null) return { ...reply, ...own }
    const body = JSON.stringify(call)
    const headers = { 'content-type': 'application/json' }
    return (await (await fetch(chain.url, { method: 'POST', headers, body })).json()) as Answer
  }
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Call | Call[]
    const answers = Array.isArray(body) ? await Promise.all(body.map(one)) : await one(body)
    response.end(JSON.stringify(answers))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const isRange = ({ method, params: [filter] }: Call): boolean =>
  method === 'eth_getLogs' && typeof filter === 'object' && 'fromBlock' in (filter as object)

type Node = Awaited<ReturnType<typeof startNode>>

/** Every fourth pays a new owner; answers the owners. */
async function mine(blocks: number): Promise<string[]> {
  const owners: string[] = []
  for (let i = 0; i < blocks; i++) {
    if (i % 4 === 0) {
      const { ownerId, address } = await watch.newAddress()
      owners.push(ownerId)
      await chain.pay(address, 'USDC', 25_000_000n)
    }
    await chain.mine()
  }
  return owners
}

const openBehind = (node: Node) =>
  openWatch({ ...{ db, handlers: journal.handlers, clock }, node: { ...chain, url: node.url } })

/** So many blocks, scanned by a process that asks this node; answers the calls that it made. */
async function catchUp(blocks: number, node: Node): Promise<number> {
  const owners = await mine(blocks)
  const behind = await openBehind(node)
  await scanToTheEnd(behind.scanDeps, never)
  node.close()
  await areSeen(owners)
  return callsOf(node)
}

async function areSeen(owners: readonly string[]): Promise<void> {
  for (const ownerId of owners) {
    const seen = (await journal.entriesOf(ownerId)).map(({ what }) => what)
    assert.ok(seen.length > 0, 'its deposit was seen')
  }
}

/** What it asks once, to learn that the node has no traces, belongs to no block. */
function callsOf(node: Node): number {
  const ofBlocks = ['eth_getBlockByNumber', 'eth_getLogs', 'eth_getBlockReceipts']
  return ofBlocks.reduce((sum, method) => sum + (node.asked.get(method) ?? 0), 0)
}

test('it makes at most 1.2 calls a block where a node has no traces, and sees every deposit', async () => {
  const node = await startNode()
  const calls = await catchUp(120, node)
  assert.ok(calls <= 120 * 1.2, `${calls} calls: ${JSON.stringify([...node.asked])}`)
})

test('it makes at most 1.2 calls a block where eight come between two looks, and one look finds nothing', async () => {
  const node = await startNode()
  const { scanDeps } = await openBehind(node)
  const looks = 8
  for (let look = 0; look < looks; look++) {
    const owners = await mine(8)
    await scanChain(scanDeps, never)
    await areSeen(owners)
  }
  const calls = callsOf(node)
  assert.ok(calls <= looks * 8 * 1.2, `${calls} calls: ${JSON.stringify([...node.asked])}`)
  await scanChain(scanDeps, never)
  assert.equal(callsOf(node), calls + 1)
  node.close()
})

test('a node that answers no range of blocks is asked for one after the other', async () => {
  const node = await startNode((call) =>
    isRange(call) ? { error: { code: -32005, message: 'query exceeds the range' } } : null,
  )
  assert.ok((await catchUp(24, node)) > 24 * 2)
})

test('logs of a block that is not the one that was read are of no use: each is asked for by its hash', async () => {
  const log = {
    ...{ address: `0x${'11'.repeat(20)}`, topics: [], data: '0x', logIndex: '0x0' },
    ...{ transactionHash: `0x${'22'.repeat(32)}`, blockHash: `0x${'33'.repeat(32)}` },
  }
  const node = await startNode((call) => (isRange(call) ? { result: [log] } : null))
  assert.ok((await catchUp(24, node)) > 24 * 2)
})
