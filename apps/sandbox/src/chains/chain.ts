// One chain of the sandbox: its node, which is started when it is first needed, its blocks, and what the
// control interface may do to it.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ControlFault } from '../control/body.ts'
import { complete, install, isInstalled, pay, setListed, writePrices } from './install.ts'
import type { Address, Network } from './networks.ts'
import { type NodeProcess, startNode } from './node-process.ts'
import type { Prices } from './prices.ts'
import { hex, isTimeout, type Rpc, rpcOf } from './rpc.ts'

export interface Chain {
  readonly network: Network
  /** The node's own address; starts it when it does not run. */
  url(): Promise<string>
  /** Something happens: blocks come quickly for a while. */
  noteActivity(): void
  isHalted(): boolean
  /** A halted chain makes no blocks by itself. */
  setHalted(halted: boolean): void
  /** The newest block that was seen; null: the node has not run yet. */
  head(): number | null
  mine(blocks: number): Promise<number>
  /** In the next block. */
  pay(payment: {
    readonly to: Address
    readonly token: string
    readonly units: bigint
  }): Promise<string>
  /** The issuer of a token freezes an address, or ends that: in the next block. */
  freeze(change: {
    readonly token: string
    readonly address: Address
    readonly isListed: boolean
  }): Promise<string>
  reorganise(change: Reorganisation): Promise<number>
  rollback(blocks: number): Promise<number>
  setBaseFee(wei: bigint): Promise<void>
  /** Writes the current prices into the contracts of a chain that runs. */
  applyPrices(): Promise<void>
  close(): Promise<void>
}

export interface Reorganisation {
  /** How many blocks are replaced. */
  readonly depth: number
  /** What becomes of the transactions in them, or of the one that is named. */
  readonly mode: 'drop' | 'move' | 'double_spend'
  readonly txHash: string | null
}

export interface ChainOptions {
  readonly network: Network
  readonly program: string
  readonly blockMs: number
  readonly stateSeconds: number
  readonly dataDir: string | null
  readonly prices: Prices
  /** In which the node must answer a call of the sandbox (30 s). */
  readonly deadlineMs?: number
}

/** For so long after something happened there is a block in every interval. */
const ACTIVE_MS = 60_000
/** A chain on which nothing happens makes a block in so many intervals: blocks cost memory for ever. */
const IDLE_INTERVALS = 10
/** Deadlines that pass in a row: the first may have passed while the sandbox itself was suspended. */
const MOST_UNANSWERED = 2
/** Blocks between `latest`, `safe` and `finalized`. */
const FINALITY_BLOCKS = 8

interface Running {
  readonly node: NodeProcess
  readonly rpc: Rpc
}

export function createChain(options: ChainOptions): Chain {
  const { network, blockMs, prices } = options
  let running: Promise<Running> | null = null
  let head: number | null = null
  let activeUntilMs = 0
  let idleIntervals = 0
  let isHalted = false
  let isClosed = false
  let isMining = false
  let unanswered = 0

  const run = (): Promise<Running> => {
    if (isClosed) return Promise.reject(new ControlFault(409, 'The sandbox is stopping.'))
    running ??= launch(options).then(
      (started) => {
        void started.node.exited.then(() => {
          running = null
        })
        return started
      },
      (error: unknown) => {
        running = null
        throw error
      },
    )
    return running
  }
  const rpc = async (): Promise<Rpc> => (await run()).rpc
  /** One after the other: to what comes at once, or beside a new block, the node may give a nonce twice. */
  let lastSent: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(send: () => Promise<Result>): Promise<Result> => {
    const sent = lastSent.then(send)
    lastSent = sent.catch(() => {})
    return sent
  }
  const noteActivity = (): void => {
    activeUntilMs = Date.now() + ACTIVE_MS
  }
  const readHead = async (call: Rpc): Promise<number> => {
    head = Number(await call<string>('eth_blockNumber'))
    return head
  }
  const mine = async (blocks: number): Promise<number> => {
    const call = await rpc()
    await inTurn(() => call('anvil_mine', [hex(blocks)]))
    return readHead(call)
  }

  const tick = async (): Promise<void> => {
    if (running === null || isHalted || isMining) return
    idleIntervals += 1
    if (Date.now() > activeUntilMs && idleIntervals < IDLE_INTERVALS) return
    idleIntervals = 0
    isMining = true
    try {
      await mine(1)
      unanswered = 0
    } catch (error) {
      // The node is stopping or was killed; the next call starts it again.
      if (isTimeout(error)) await noteUnanswered()
    } finally {
      isMining = false
    }
  }
  /** A node that hangs keeps its chain from its users until it is killed. */
  const noteUnanswered = async (): Promise<void> => {
    unanswered += 1
    if (unanswered < MOST_UNANSWERED) return
    unanswered = 0
    process.stderr.write(`The node of ${network.id} does not answer: it is started again.\n`)
    const started = await running?.catch(() => null)
    started?.node.signal('SIGKILL')
  }
  const timer = blockMs === 0 ? null : setInterval(() => void tick(), blockMs)

  return {
    network,
    url: async () => (await run()).node.url,
    noteActivity,
    isHalted: () => isHalted,
    setHalted: (halted) => {
      isHalted = halted
    },
    head: () => head,
    mine,
    pay: async (payment) => {
      noteActivity()
      return inTurn(async () => pay(await rpc(), network, payment))
    },
    freeze: async (change) => {
      noteActivity()
      return inTurn(async () => setListed(await rpc(), network, change))
    },
    reorganise: async (change) => {
      noteActivity()
      const call = await rpc()
      await inTurn(async () => {
        const transactions = await transactionsAfter(call, change)
        await call('anvil_reorg', [change.depth, transactions])
      })
      return readHead(call)
    },
    rollback: async (blocks) => {
      noteActivity()
      const call = await rpc()
      await inTurn(() => call('anvil_rollback', [blocks]))
      return readHead(call)
    },
    setBaseFee: async (wei) => {
      await (await rpc())('anvil_setNextBlockBaseFeePerGas', [hex(wei)])
    },
    applyPrices: async () => {
      if (running === null) return
      noteActivity()
      await inTurn(async () => writePrices(await rpc(), network, prices))
    },
    close: async () => {
      isClosed = true
      clearInterval(timer ?? undefined)
      const started = await running?.catch(() => null)
      await started?.node.stop()
    },
  }
}

async function launch({
  network,
  program,
  dataDir,
  prices,
  stateSeconds,
  deadlineMs,
}: ChainOptions): Promise<Running> {
  const stateFile = dataDir === null ? null : prepareFolder(dataDir, network.id)
  const node = await startOnState(stateFile, (file) =>
    startNode({
      program,
      chainId: network.chainId,
      finalityBlocks: FINALITY_BLOCKS,
      accounts: 1,
      ...(file === null ? {} : { stateFile: file, stateSeconds }),
    }),
  )
  const rpc = rpcOf(node.url, deadlineMs)
  if (await isInstalled(rpc, network)) await complete(rpc, network)
  else await install(rpc, network)
  await writePrices(rpc, network, prices)
  await rpc('evm_mine')
  return { node, rpc }
}

function prepareFolder(dataDir: string, name: string): string {
  const folder = join(dataDir, 'chains')
  mkdirSync(folder, { recursive: true })
  return join(folder, `${name}.json`)
}

/**
 * A node that was killed while it wrote its state leaves half a file. The copy of the last good start is
 * older: to those who follow the chain that is a re-organisation, which they must be able to live with.
 */
async function startOnState(
  file: string | null,
  start: (file: string | null) => Promise<NodeProcess>,
): Promise<NodeProcess> {
  if (file === null) return start(null)
  await waitForPrevious(file)
  const backup = `${file}.backup`
  try {
    const node = await start(file)
    writeFileSync(`${file}.pid`, String(node.pid))
    if (existsSync(file)) copyFileSync(file, backup)
    return node
  } catch (error) {
    if (!existsSync(file)) throw error
    renameSync(file, `${file}.broken`)
    if (existsSync(backup)) copyFileSync(backup, file)
    process.stderr.write(`The state of a chain cannot be read: an older one is used, ${backup}.\n`)
    return start(file)
  }
}

const PREVIOUS_DEADLINE_MS = 10_000

/** The node of a sandbox that was killed still writes its state. Two on one file would lose it. */
async function waitForPrevious(file: string): Promise<void> {
  const pid = existsSync(`${file}.pid`) ? Number(readFileSync(`${file}.pid`, 'utf8')) : 0
  const deadline = Date.now() + PREVIOUS_DEADLINE_MS
  while (pid > 0 && runsOn(pid, file)) {
    if (Date.now() > deadline) process.kill(pid, 'SIGKILL')
    await setTimeout(50)
  }
}

function runsOn(pid: number, file: string): boolean {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)])
      .toString()
      .includes(file)
  } catch {
    // There is no such process.
    return false
  }
}

interface MinedTransaction {
  readonly hash: string
  readonly from: Address
  readonly nonce: string
  readonly blockOffset: number
}

/** What the new blocks hold: bytes, or a request of an account, each with the offset of its block. */
async function transactionsAfter(
  rpc: Rpc,
  { depth, mode, txHash }: Reorganisation,
): Promise<readonly (readonly [unknown, number])[]> {
  const mined = await minedTransactions(rpc, depth)
  if (txHash !== null && !mined.some(({ hash }) => hash === txHash)) {
    throw new ControlFault(404, `No transaction ${txHash} is in the newest ${depth} blocks.`)
  }
  const kept: [unknown, number][] = []
  for (const { hash, from, nonce, blockOffset } of mined) {
    const isMeant = txHash === null || hash === txHash
    if (isMeant && mode === 'drop') continue
    if (isMeant && mode === 'double_spend') {
      // The same nonce spent on nothing, as a sender does who wants the money back.
      await rpc('anvil_impersonateAccount', [from])
      kept.push([{ from, to: from, value: '0x0', nonce, gas: hex(21_000) }, blockOffset])
      continue
    }
    const raw = await rpc('eth_getRawTransactionByHash', [hash])
    kept.push([raw, isMeant ? depth - 1 : blockOffset])
  }
  return kept
}

async function minedTransactions(rpc: Rpc, depth: number): Promise<MinedTransaction[]> {
  const head = Number(await rpc<string>('eth_blockNumber'))
  if (depth >= head) throw new ControlFault(409, `The chain has only ${head} blocks.`)
  const mined: MinedTransaction[] = []
  for (let blockOffset = 0; blockOffset < depth; blockOffset += 1) {
    const block = await rpc<{ transactions: Omit<MinedTransaction, 'blockOffset'>[] }>(
      'eth_getBlockByNumber',
      [hex(head - depth + 1 + blockOffset), true],
    )
    mined.push(...block.transactions.map((transaction) => ({ ...transaction, blockOffset })))
  }
  return mined
}
