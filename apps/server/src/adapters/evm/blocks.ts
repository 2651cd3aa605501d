// Blocks, logs, receipts and traces as a node writes them, and as the port wants them.
import type { Hex } from '#kernel/chain'
import type {
  Block,
  BlockHeader,
  InternalTransfer,
  NativeSend,
  Outcomes,
  Receipt,
  TransferLog,
} from '#ports/chains'
import {
  address,
  data,
  type Fields,
  fields,
  hash,
  InvalidAnswer,
  list,
  quantity,
  smallQuantity,
} from './answers.ts'

/** keccak256 of `Transfer(address,address,uint256)`: ERC-20, and ERC-721 with one topic more. */
export const TRANSFER_TOPIC: Hex =
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export function readHeader(value: unknown): BlockHeader {
  const block = fields(value, 'a block')
  return {
    number: quantity(block.number, 'the number of a block'),
    hash: hash(block.hash, 'the hash of a block'),
    parentHash: hash(block.parentHash, 'the parent of a block'),
    at: new Date(smallQuantity(block.timestamp, 'the time of a block') * 1000),
  }
}

/** With whole transactions. */
export function readBlock(value: unknown): Block {
  const nativeSends: NativeSend[] = []
  for (const entry of list(fields(value, 'a block').transactions, 'the transactions of a block')) {
    const transaction = fields(entry, 'a transaction')
    // Nearly all transactions call a contract and send nothing: these are passed over quickly.
    if (transaction.value === '0x0' || transaction.to == null) continue
    const units = quantity(transaction.value, 'the value of a transaction')
    if (units === 0n) continue
    nativeSends.push({
      txHash: hash(transaction.hash, 'the hash of a transaction'),
      from: address(transaction.from, 'a sender'),
      to: address(transaction.to, 'a recipient'),
      units,
    })
  }
  return { ...readHeader(value), nativeSends }
}

/**
 * The logs of one block, in their order. A node that repeats a log repeats it whole, and it is counted once;
 * two logs in one position are a false answer.
 */
export function readBlockLogs(value: unknown, blockHash: Hex): readonly TransferLog[] {
  const byIndex = new Map<number, TransferLog>()
  for (const entry of list(value, 'the logs')) {
    const raw = fields(entry, 'a log')
    if (raw.removed === true) continue
    const log = readLog(raw)
    if (log.blockHash !== blockHash) throw new InvalidAnswer('a log is of another block')
    const known = byIndex.get(log.logIndex)
    if (known !== undefined && (known.txHash !== log.txHash || known.data !== log.data)) {
      throw new InvalidAnswer('two logs have one position')
    }
    byIndex.set(log.logIndex, log)
  }
  return [...byIndex.values()].sort((a, b) => a.logIndex - b.logIndex)
}

function readLog(log: Fields): TransferLog {
  return {
    txHash: hash(log.transactionHash, 'the transaction of a log'),
    blockHash: hash(log.blockHash, 'the block of a log'),
    logIndex: smallQuantity(log.logIndex, 'the position of a log'),
    contract: address(log.address, 'the contract of a log'),
    topics: list(log.topics, 'the topics of a log').map((topic) => hash(topic, 'a topic')),
    data: data(log.data, 'the data of a log'),
  }
}

export function readReceipt(value: unknown, txHash: Hex): Receipt | null {
  const receipt = fields(value, 'a receipt')
  // Some nodes answer with a receipt without a block while the transaction waits.
  if (receipt.blockHash == null) return null
  const found = hash(receipt.transactionHash, 'the transaction of a receipt')
  if (found !== txHash) throw new InvalidAnswer('a receipt is of another transaction')
  const blockHash = hash(receipt.blockHash, 'the block of a receipt')
  const logs = list(receipt.logs, 'the logs of a receipt')
    .map((log) => fields(log, 'a log'))
    .filter(({ topics }) => Array.isArray(topics) && topics[0] === TRANSFER_TOPIC)
  const succeeded = statusOf(receipt)
  return {
    txHash,
    blockNumber: quantity(receipt.blockNumber, 'the block number of a receipt'),
    blockHash,
    succeeded,
    from: address(receipt.from, 'the sender of a receipt'),
    to: receipt.to == null ? null : address(receipt.to, 'the recipient of a receipt'),
    transferLogs: logs.map(readLog).sort((a, b) => a.logIndex - b.logIndex),
  }
}

export function statusOf(receipt: Fields): boolean {
  const status = quantity(receipt.status, 'the status of a receipt')
  if (status > 1n) throw new InvalidAnswer('a receipt has a strange status')
  return status === 1n
}

/** The answer of `eth_getBlockReceipts`, of which the success alone is read. */
export function readOutcomes(value: unknown, blockHash: Hex): Outcomes {
  const outcomes = new Map<Hex, boolean>()
  for (const entry of list(value, 'the receipts')) {
    const receipt = fields(entry, 'a receipt')
    if (hash(receipt.blockHash, 'the block of a receipt') !== blockHash) {
      throw new InvalidAnswer('a receipt is of another block')
    }
    const txHash = hash(receipt.transactionHash, 'the transaction of a receipt')
    const succeeded = statusOf(receipt)
    if ((outcomes.get(txHash) ?? succeeded) !== succeeded) {
      throw new InvalidAnswer('a transaction has two outcomes')
    }
    outcomes.set(txHash, succeeded)
  }
  return outcomes
}

/** What moves native coin; a delegated call carries the value of its parent, a static one has none. */
const MOVING_CALLS = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']

/**
 * The answer of `debug_traceBlockByHash` with the call tracer. 'untraceable': the node could not execute a
 * transaction of the block again, for example because its state is no longer kept.
 */
export function readCallTraces(value: unknown): readonly InternalTransfer[] | 'untraceable' {
  const traces = list(value, 'the traces').map((entry) => fields(entry, 'a trace'))
  if (traces.some(({ error, result }) => error !== undefined && result === undefined)) {
    return 'untraceable'
  }
  return traces.flatMap((trace) => {
    const txHash = hash(trace.txHash, 'the transaction of a trace')
    const root = fields(trace.result, 'the result of a trace')
    return root.error === undefined ? innerCalls(root, txHash, '') : []
  })
}

function innerCalls(call: Fields, txHash: Hex, path: string): InternalTransfer[] {
  if (call.calls === undefined) return []
  return list(call.calls, 'the calls of a trace').flatMap((entry, i) => {
    const inner = fields(entry, 'a call')
    if (inner.error !== undefined) return []
    const at = path === '' ? String(i) : `${path}.${i}`
    return [...transferOf(inner, txHash, at), ...innerCalls(inner, txHash, at)]
  })
}

function transferOf(call: Fields, txHash: Hex, path: string): InternalTransfer[] {
  if (!MOVING_CALLS.includes(String(call.type)) || call.value === undefined || call.to == null) {
    return []
  }
  const units = quantity(call.value, 'the value of a call')
  if (units === 0n) return []
  const from = address(call.from, 'the sender of a call')
  return [{ txHash, path, from, to: address(call.to, 'the recipient of a call'), units }]
}

/** The answer of `trace_block`: a flat list, each entry with its path. */
export function readFlatTraces(value: unknown, blockHash: Hex): readonly InternalTransfer[] {
  const entries = list(value, 'the traces').map((entry) => fields(entry, 'a trace'))
  const failed = new Map<string, string[]>()
  for (const entry of entries) {
    if (entry.error === undefined || entry.transactionHash == null) continue
    const paths = failed.get(String(entry.transactionHash)) ?? []
    failed.set(String(entry.transactionHash), [...paths, pathOf(entry)])
  }
  return entries.flatMap((entry) => {
    // Rewards of blocks belong to no transaction.
    if (entry.transactionHash == null) return []
    if (hash(entry.blockHash, 'the block of a trace') !== blockHash) {
      throw new InvalidAnswer('a trace is of another block')
    }
    const path = pathOf(entry)
    const above = failed.get(String(entry.transactionHash)) ?? []
    if (path === '' || above.some((root) => isBelow(path, root))) return []
    return flatTransferOf(entry, path)
  })
}

const pathOf = (entry: Fields): string =>
  list(entry.traceAddress, 'the path of a trace').map(String).join('.')

const isBelow = (path: string, root: string): boolean =>
  root === '' || path === root || path.startsWith(`${root}.`)

function flatTransferOf(entry: Fields, path: string): InternalTransfer[] {
  const action = fields(entry.action, 'the action of a trace')
  const txHash = hash(entry.transactionHash, 'the transaction of a trace')
  const move = flatMove(String(entry.type), action, entry.result)
  if (move === null) return []
  const units = quantity(move.units, 'the value of a trace')
  if (units === 0n) return []
  const from = address(move.from, 'the sender of a trace')
  return [{ txHash, path, from, to: address(move.to, 'the recipient of a trace'), units }]
}

function flatMove(
  type: string,
  action: Fields,
  result: unknown,
): { from: unknown; to: unknown; units: unknown } | null {
  switch (type) {
    case 'call':
      return action.callType === 'call'
        ? { from: action.from, to: action.to, units: action.value }
        : null
    case 'create':
      return {
        from: action.from,
        to: fields(result, 'the result of a trace').address,
        units: action.value,
      }
    case 'suicide':
      return { from: action.address, to: action.refundAddress, units: action.balance }
    default:
      return null
  }
}
