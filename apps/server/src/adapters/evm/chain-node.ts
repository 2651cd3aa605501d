// The chain as the scanner reads it.
import type { Log } from '#infra/process/log'
import type { Address, Hex } from '#kernel/chain'
import type {
  BalanceReader,
  Block,
  BlockHeader,
  ChainNode,
  InternalTransfer,
  Outcomes,
  ReceiptReader,
} from '#ports/chains'
import { fields, hash, InvalidAnswer, orNull, quantity } from './answers.ts'
import {
  readBlock,
  readCallTraces,
  readFlatTraces,
  readHeader,
  readOutcomes,
  readReceipt,
} from './blocks.ts'
import { isMethodMissing, isStateGone, isUnknownBlock } from './errors.ts'
import { toQuantity } from './quantities.ts'
import { type ErrorReader, NodeUnavailable, type Request, type RpcPool } from './rpc-pool.ts'
import { createReadTogether } from './together.ts'
import { balanceOfData, readTokenBalance } from './token-balance.ts'
import { createTransferLogReader } from './transfer-logs.ts'

export interface ChainNodeOptions {
  readonly chain: ChainNode['chain']
  readonly pool: RpcPool
  /** Of another operator; null when there is none. */
  readonly second: RpcPool | null
  readonly log: Log
  readonly traces: 'auto' | 'off'
  /** Traces of a full block take a node many times longer than the block itself. */
  readonly traceDeadlineMs: number
}

const nullIfUnknownBlock: ErrorReader<null> = (error) => (isUnknownBlock(error) ? null : undefined)

export function createChainNode(options: ChainNodeOptions): ChainNode {
  const { chain, pool, second } = options
  const readTogether = createReadTogether(pool)
  const transferLogs = createTransferLogReader(pool, readTogether)
  const readWhole = (value: unknown): Block => {
    transferLogs.note(value)
    return readBlock(value)
  }
  const newest = createNewest(pool, readWhole)
  const block = <Value>(
    method: string,
    params: readonly unknown[],
    read: (value: unknown) => Value,
  ): Promise<Value | null> =>
    pool.read<Value | null>({ method, params, read: orNull(read), onError: nullIfUnknownBlock })

  return {
    chain,
    ...receiptReader(pool),
    ...balanceReader(pool),
    second:
      second === null
        ? null
        : {
            ...receiptReader(second),
            ...balanceReader(second),
            internalTransfers: createTraceReader(options, second),
          },

    head: newest.head,

    header: (at) =>
      typeof at === 'string'
        ? block('eth_getBlockByHash', [at, false], (value) => {
            const found = readHeader(value)
            if (found.hash !== at) throw new InvalidAnswer('another block than asked')
            return found
          })
        : block('eth_getBlockByNumber', [toQuantity(at), false], numbered(at, readHeader)),

    block: async (number) =>
      newest.take(number) ??
      readTogether<Block | null>({
        method: 'eth_getBlockByNumber',
        params: [toQuantity(number), true],
        read: orNull(numbered(number, readWhole)),
        onError: nullIfUnknownBlock,
      }),

    transferLogs: transferLogs.read,

    outcomes: createOutcomeReader(options),

    internalTransfers: createTraceReader(options, pool),

    tag: (name) => block('eth_getBlockByNumber', [name, false], readHeader),
  }
}

/**
 * Where several blocks come between two looks, the newest one is read with its transactions, and need not be
 * asked for again: a call less for each look. On a slower chain most looks find nothing new, and whole blocks
 * would be read for nothing.
 */
function createNewest(pool: RpcPool, readWhole: (value: unknown) => Block) {
  let last: bigint | null = null
  let isQuick = false
  let whole: Block | null = null
  return {
    head: async (): Promise<BlockHeader> => {
      whole = null
      const isWhole = isQuick
      const found = await pool.read<BlockHeader>({
        method: 'eth_getBlockByNumber',
        params: ['latest', isWhole],
        read: (value) => {
          if (!isWhole) return readHeader(value)
          whole = readWhole(value)
          return whole
        },
      })
      isQuick = last !== null && found.number >= last + 2n
      last = found.number
      return found
    },
    /** Once, and until the next look: the block of this number may be another one then. */
    take: (number: bigint): Block | null => {
      if (whole?.number !== number) return null
      const taken = whole
      whole = null
      return taken
    },
  }
}

/** The node must answer with the block that was asked for. */
const numbered =
  <Value extends { readonly number: bigint }>(number: bigint, read: (value: unknown) => Value) =>
  (value: unknown): Value => {
    const found = read(value)
    if (found.number !== number) throw new InvalidAnswer('another block than asked')
    return found
  }

function receiptReader(pool: RpcPool): ReceiptReader {
  return {
    receipt: (txHash) =>
      pool.read({
        method: 'eth_getTransactionReceipt',
        params: [txHash],
        read: orNull((value) => readReceipt(value, txHash)),
      }),
    sentUnits: (txHash) =>
      pool.read({
        method: 'eth_getTransactionByHash',
        params: [txHash],
        read: orNull((value) => readSentUnits(value, txHash)),
      }),
  }
}

function readSentUnits(value: unknown, txHash: Hex): bigint {
  const transaction = fields(value, 'a transaction')
  if (hash(transaction.hash, 'the hash of a transaction') !== txHash) {
    throw new InvalidAnswer('another transaction than asked')
  }
  return quantity(transaction.value, 'the value of a transaction')
}

const balanceReader = (pool: RpcPool): BalanceReader => ({
  balances: async (queries, atBlock) => {
    const requests = queries.map((query) => balanceRequest(query, atBlock))
    const balances = requests.length === 0 ? [] : await pool.readAll(requests)
    return balances.some((balance) => balance === null) ? null : (balances as bigint[])
  },
})

/**
 * A kind of answer that no address offers is not asked for again. One that is too large for an address, or
 * takes it too long, is 'unsupported' for its block alone: the receipts can still be read one by one.
 */
function createOutcomeReader({ chain, pool, log }: ChainNodeOptions): ChainNode['outcomes'] {
  const onError: ErrorReader<null | 'missing'> = (error) => {
    if (isUnknownBlock(error)) return null
    return isMethodMissing(error) ? 'missing' : undefined
  }
  let isOffered = true
  return async (blockHash) => {
    if (!isOffered) return 'unsupported'
    try {
      const outcomes = await pool.read<Outcomes | null | 'missing'>({
        method: 'eth_getBlockReceipts',
        params: [blockHash],
        read: orNull((value) => readOutcomes(value, blockHash)),
        onError,
      })
      if (outcomes !== 'missing') return outcomes
    } catch (error) {
      if (error instanceof NodeUnavailable) return 'unsupported'
      throw error
    }
    isOffered = false
    log.warn({ chain }, 'no node of the chain offers the receipts of whole blocks')
    return 'unsupported'
  }
}

type Traces = readonly InternalTransfer[] | null | 'untraceable' | 'unsupported'

/**
 * Asks for call traces, else for flat ones; a kind that no address offers is not asked for again. A block
 * that cannot be traced any more is 'unsupported' for itself alone.
 */
function createTraceReader(
  { chain, second, log, traces: wanted, traceDeadlineMs }: ChainNodeOptions,
  pool: RpcPool,
): ChainNode['internalTransfers'] {
  const onError: ErrorReader<Traces> = (error) => {
    if (isUnknownBlock(error)) return null
    if (isStateGone(error)) return 'untraceable'
    return isMethodMissing(error) ? 'unsupported' : undefined
  }
  const callTraces = (blockHash: Hex): Promise<Traces> =>
    pool.read<Traces>(
      {
        method: 'debug_traceBlockByHash',
        params: [blockHash, { tracer: 'callTracer' }],
        read: readCallTraces,
        onError,
      },
      traceDeadlineMs,
    )
  const flatTraces = async (blockHash: Hex): Promise<Traces> => {
    const number = await pool.read<bigint | null>({
      method: 'eth_getBlockByHash',
      params: [blockHash, false],
      read: orNull((value) => readHeader(value).number),
      onError: nullIfUnknownBlock,
    })
    if (number === null) return null
    return pool.read<Traces>(
      {
        method: 'trace_block',
        params: [toQuantity(number)],
        read: orNull((value) => readFlatTraces(value, blockHash)),
        onError,
      },
      traceDeadlineMs,
    )
  }
  let ways = wanted === 'off' ? [] : [callTraces, flatTraces]
  return async (blockHash) => {
    for (const way of ways) {
      const traces = await way(blockHash)
      // Another kind of traces needs the same state: a node without it may answer that there is nothing.
      if (traces === 'untraceable') return 'unsupported'
      if (traces !== 'unsupported') return traces
      ways = ways.filter((other) => other !== way)
      const left = ways.length === 0 ? 'none' : 'trace_block'
      const node = pool === second ? 'second' : 'first'
      log.warn({ chain, node, left }, 'no node of the chain offers this kind of traces')
    }
    return 'unsupported'
  }
}

function balanceRequest(
  { holder, contract }: { readonly holder: Address; readonly contract: Address | null },
  blockHash: Hex,
): Request<bigint | null> {
  const onError: ErrorReader<null> = (error) =>
    isStateGone(error) || isUnknownBlock(error) ? null : undefined
  if (contract === null) {
    return {
      method: 'eth_getBalance',
      params: [holder, { blockHash }],
      read: (value) => quantity(value, 'a balance'),
      onError,
    }
  }
  return {
    method: 'eth_call',
    params: [{ to: contract, data: balanceOfData(holder) }, { blockHash }],
    read: readTokenBalance,
    onError,
  }
}
