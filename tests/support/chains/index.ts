// Real nodes for tests: one anvil process a chain, with the real chain ids and the tokens at their real
// addresses, which mines a block only when the test says so. Start one chain for a file, take a snapshot
// before each test and go back to it after.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type ContractName,
  callData,
  runtimeCode,
} from '../../../apps/sandbox/src/chains/contracts/index.ts'
import {
  createFaultProxy,
  type FaultWord,
  NO_FAULTS,
  type NodeFaults,
} from '../../../apps/sandbox/src/chains/fault-proxy.ts'
import { install, pay, setListed, writePrices } from '../../../apps/sandbox/src/chains/install.ts'
import {
  type Address,
  NETWORKS,
  type Network,
  type NetworkId,
} from '../../../apps/sandbox/src/chains/networks.ts'
import { startNode } from '../../../apps/sandbox/src/chains/node-process.ts'
import { type Asset, createPrices } from '../../../apps/sandbox/src/chains/prices.ts'
import { findAnvil } from '../../../apps/sandbox/src/chains/program.ts'
import { hex, type Rpc, rpcOf } from '../../../apps/sandbox/src/chains/rpc.ts'
import { createMemoryStore } from '../../../apps/sandbox/src/store/store.ts'

export type { Address, NetworkId }
export { callData, hex, NETWORKS }
export type Hash = `0x${string}`

/** Where chains of the OP stack have the contract that knows the fees for data and operator. */
export const DATA_FEE_ORACLE: Address = '0x420000000000000000000000000000000000000f'

/** Where a node of Arbitrum says how much gas a call uses for its data. */
export const NODE_INTERFACE: Address = '0x00000000000000000000000000000000000000c8'

/** Code of a contract that answers every call with one number, followed by words of zero. */
export const returning = (value: bigint, words = 1): Hash =>
  `0x7f${value.toString(16).padStart(64, '0')}60005260${(32 * words).toString(16)}6000f3`

/** Code of a contract that uses so much gas when it is called, in steps of 29 units. */
export const burning = (gas: bigint): Hash =>
  `0x60005b6001018063${(gas / 29n).toString(16).padStart(8, '0')}11600257`

/** Code of a contract that answers the calls with these selectors with one number each, and no other call. */
export function answering(answers: Readonly<Record<Hash, bigint>>): Hash {
  const known = Object.entries(answers)
  /** Bytes of the parts. */
  const [head, step, tail, body] = [6, 11, 5, 42]
  const jumps = known.map(([selector], i) => {
    const target = head + step * known.length + tail + body * i
    return `8063${selector.slice(2)}1461${target.toString(16).padStart(4, '0')}57`
  })
  const bodies = known.map(([, value]) => `5b${returning(value).slice(2)}`)
  return `0x60003560e01c${jumps.join('')}60006000fd${bodies.join('')}`
}

/** Where PausableToken has `paused`: behind the six variables of Token. */
const PAUSED_SLOT = `0x${'6'.padStart(64, '0')}`

export interface TestChain {
  readonly network: Network
  /** The address of the node itself. */
  readonly url: string
  readonly rpc: Rpc
  /** Accounts with a billion of native coin each that the node signs for. The first one has the tokens. */
  readonly accounts: readonly Address[]
  /** The number of the newest block. */
  head(): Promise<bigint>
  /** Mines blocks; the first takes what is pending, in the order in which it was sent. */
  mine(blocks?: number): Promise<void>
  /** Sends from the funds account; included with the next block. `token` is USDT, USDC or NATIVE. */
  pay(to: Address, token: string, units: bigint): Promise<Hash>
  /** Sends a transaction of one of `accounts`, or of any address after `impersonate`. */
  send(transaction: {
    readonly from?: Address
    readonly to: Address
    readonly value?: bigint
    readonly data?: Hash
    readonly gas?: bigint
  }): Promise<Hash>
  /** Lets the node sign for an address whose key it does not have. */
  impersonate(address: Address): Promise<void>
  setBalance(address: Address, units: bigint): Promise<void>
  /** Puts a contract of the sandbox at a fresh address. Calls of it: `callData(name, signature, args)`. */
  deploy(name: ContractName): Promise<Address>
  /**
   * The token becomes one that can be paused, and is, or is no longer: balances stay. At once, also for what
   * waits to be mined.
   */
  setPaused(token: string, isPaused: boolean): Promise<void>
  /** The issuer of a token puts an address on its list, or takes it off; mined at once. */
  freeze(token: string, address: Address, isListed: boolean): Promise<void>
  /** Runs `work` and undoes everything that it did to the chain. */
  scratch<Result>(work: () => Promise<Result>): Promise<Result>
  snapshot(): Promise<string>
  /** A snapshot can be used once. What is pending is forgotten too. */
  revert(snapshot: string): Promise<void>
  /** The bytes of a transaction that the node knows, to send them again or to include them elsewhere. */
  raw(hash: Hash): Promise<Hash>
  /**
   * Replaces the newest `depth` blocks by as many others, which hold only `transactions`: bytes or a
   * request of one of `accounts`, each with the offset of its block. What was in the replaced blocks is
   * gone, from the pool too.
   */
  reorg(
    depth: number,
    transactions?: readonly (readonly [transaction: Hash | object, blockOffset: number])[],
  ): Promise<void>
  /** Removes the newest blocks: the chain is shorter after it. */
  rollback(blocks: number): Promise<void>
  setNextBaseFee(wei: bigint): Promise<void>
  /** What the price contracts answer from the next block on, in dollars with eight decimals. */
  setPrice(asset: Asset, usdE8: bigint, ageSeconds?: number): Promise<void>
  /** Forgets a pending transaction. */
  drop(hash: Hash): Promise<void>
  /** The process stops answering, and its connections stay open. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

export interface ChainOptions {
  /** Blocks between `latest`, `safe` and `finalized`; few, so that tags can be tested. */
  readonly finalityBlocks?: number
}

export async function startChain(id: NetworkId, options: ChainOptions = {}): Promise<TestChain> {
  const program = findAnvil()
  if (program === null) throw new Error('@foundry-rs/anvil has no program for this machine')
  const network = NETWORKS[id]
  const { finalityBlocks = 4 } = options
  const node = await startNode({ program, chainId: network.chainId, finalityBlocks })
  const rpc = rpcOf(node.url)
  const prices = createPrices(createMemoryStore())
  await install(rpc, network)
  await writePrices(rpc, network, prices)
  await rpc('evm_mine')
  const accounts = await rpc<Address[]>('eth_accounts')
  let deployed = 0
  const snapshot = (): Promise<string> => rpc('evm_snapshot')
  const revert = async (taken: string): Promise<void> => {
    // What waits to be mined is no part of a snapshot.
    await rpc('anvil_dropAllTransactions')
    if (!(await rpc<boolean>('evm_revert', [taken]))) throw new Error(`no snapshot ${taken}`)
  }

  return {
    network,
    url: node.url,
    rpc,
    accounts,
    head: async () => BigInt(await rpc<string>('eth_blockNumber')),
    mine: async (blocks = 1) => {
      await rpc('anvil_mine', [hex(blocks)])
    },
    pay: (to, token, units) => pay(rpc, network, { to, token, units }),
    send: ({ from = accounts[0], to, value = 0n, data = '0x', gas }) =>
      rpc('eth_sendTransaction', [
        { from, to, value: hex(value), data, ...(gas === undefined ? {} : { gas: hex(gas) }) },
      ]),
    impersonate: async (address) => {
      await rpc('anvil_impersonateAccount', [address])
    },
    setBalance: async (address, units) => {
      await rpc('anvil_setBalance', [address, hex(units)])
    },
    deploy: async (name) => {
      deployed += 1
      const address: Address = `0xc0de${deployed.toString(16).padStart(36, '0')}`
      await rpc('anvil_setCode', [address, runtimeCode(name)])
      return address
    },
    setPaused: async (token, isPaused) => {
      const address = network.tokens.find(({ symbol }) => symbol === token)?.address
      const value = hex(BigInt(isPaused)).slice(2).padStart(64, '0')
      await rpc('anvil_setCode', [address, runtimeCode('PausableToken')])
      await rpc('anvil_setStorageAt', [address, PAUSED_SLOT, `0x${value}`])
    },
    freeze: async (token, address, isListed) => {
      await setListed(rpc, network, { token, address, isListed })
      await rpc('evm_mine')
    },
    scratch: async (work) => {
      const taken = await snapshot()
      try {
        return await work()
      } finally {
        await revert(taken)
      }
    },
    snapshot,
    revert,
    raw: async (hash) => {
      const raw = await rpc<Hash | null>('eth_getRawTransactionByHash', [hash])
      if (raw === null) throw new Error(`the node does not know ${hash}`)
      return raw
    },
    reorg: async (depth, transactions = []) => {
      await rpc('anvil_reorg', [depth, transactions])
    },
    rollback: async (blocks) => {
      await rpc('anvil_rollback', [blocks])
    },
    setNextBaseFee: async (wei) => {
      await rpc('anvil_setNextBlockBaseFeePerGas', [hex(wei)])
    },
    setPrice: async (asset, chainE8, ageSeconds = 0) => {
      prices.set(asset, { chainE8, ageSeconds })
      await writePrices(rpc, network, prices)
    },
    drop: async (hash) => {
      await rpc('anvil_dropTransaction', [hash])
    },
    pause: () => {
      node.signal('SIGSTOP')
      while (!isStopped(node.pid)) {
        // The signal is on its way: a call that is made now would still be answered.
      }
    },
    resume: () => node.signal('SIGCONT'),
    stop: () => node.stop(),
  }
}

const isStopped = (pid: number): boolean =>
  execFileSync('ps', ['-o', 'stat=', '-p', String(pid)])
    .toString()
    .startsWith('T')

/** The fault proxy of the sandbox in front of a chain's node, on an address of its own. */
export interface TestProxy {
  readonly url: string
  /** Lasts until it is changed again. */
  set(change: Partial<NodeFaults>): void
  /** Played by the next requests, one each; the last two words only by requests that send. */
  script(...words: readonly FaultWord[]): void
  /** Holds every request back for so long. */
  delay(delayMs: number): void
  /** Fields that chains on top of another one have in their receipts; an empty object to end it. */
  addToReceipts(fields: object): void
  /** Answers these methods as a node that does not have them; none at all to end it. */
  refuse(...methods: readonly string[]): void
  /** More calls in one request are refused as a whole, as by a node with a limit; without a number, none. */
  limitBatches(most: number): void
  /** Traces are answered as by a node that no longer keeps the state which they need. */
  loseTraces(lost: boolean): void
  /** HTTP requests that arrived. */
  requests(): number
  /** Calls that arrived, by method. */
  calls(method: string): number
  close(): Promise<void>
}

const errorAnswer = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code, message } })
const METHOD_MISSING = errorAnswer(-32601, 'the method does not exist/is not available')
const STATE_MISSING = errorAnswer(-32000, 'missing trie node 0xabc (path )')

/** Only a receipt has an effective price of gas. */
const withFields = (answer: string, fields: object): string =>
  JSON.stringify(
    JSON.parse(answer, (key, value) =>
      key === 'result' && value?.effectiveGasPrice !== undefined ? { ...value, ...fields } : value,
    ),
  )

export async function startProxy(nodeUrl: string): Promise<TestProxy> {
  let faults = NO_FAULTS
  let waiting: FaultWord[] = []
  let delayMs = 0
  let refused: readonly string[] = []
  let added: object = {}
  let tracesLost = false
  let mostAtOnce = Number.POSITIVE_INFINITY
  const counts = new Map<string, number>()
  let requests = 0
  const proxy = createFaultProxy({
    nodeUrl: () => nodeUrl,
    faults: () => faults,
    takeFault: (candidates) => {
      const next = waiting.find((word) => candidates.includes(word))
      if (next !== undefined) waiting = waiting.toSpliced(waiting.indexOf(next), 1)
      return next ?? null
    },
  })
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    requests += 1
    for (const [, method] of body.matchAll(/"method":"(\w+)"/g)) {
      if (method !== undefined) counts.set(method, (counts.get(method) ?? 0) + 1)
    }
    if ((body.match(/"method":/g)?.length ?? 0) > mostAtOnce) {
      return response.writeHead(413).end('Payload Too Large')
    }
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    const isLost = tracesLost && /debug_trace|trace_block/.test(body)
    const answer = isLost
      ? { status: 200, body: STATE_MISSING }
      : refused.some((method) => body.includes(`"${method}"`))
        ? { status: 200, body: METHOD_MISSING }
        : await proxy(body).catch(() => 'dropped' as const)
    if (answer === 'dropped') return request.socket.destroy()
    const text = Object.keys(added).length === 0 ? answer.body : withFields(answer.body, added)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (change) => {
      faults = { ...faults, ...change }
    },
    script: (...words) => void waiting.push(...words),
    delay: (ms) => {
      delayMs = ms
    },
    addToReceipts: (fields) => {
      added = fields
    },
    limitBatches: (most) => {
      mostAtOnce = most
    },
    loseTraces: (lost) => {
      tracesLost = lost
    },
    refuse: (...methods) => {
      refused = methods.length === 0 ? [] : [...refused, ...methods]
    },
    requests: () => requests,
    calls: (method) => counts.get(method) ?? 0,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
