// The token transfers of a block. Some nodes index logs a moment after the block, and answer until then
// that there are none: a deposit would be passed over for ever. So an empty answer is compared with the
// block itself.
import { hexToBytes, keccak256 } from 'viem/utils'
import { batched } from '#infra/database/batch'
import type { Hex } from '#kernel/chain'
import type { Receipt, TransferLog } from '#ports/chains'
import { fields, hash, InvalidAnswer, list, orNull, quantity } from './answers.ts'
import { readBlockLogs, readReceipt, TRANSFER_TOPIC } from './blocks.ts'
import { isMethodMissing, isUnknownBlock } from './errors.ts'
import { toQuantity } from './quantities.ts'
import { type ErrorReader, NodeUnavailable, type Request, type RpcPool } from './rpc-pool.ts'
import type { ReadTogether } from './together.ts'

const nullIfUnknown: ErrorReader<null> = (error) => (isUnknownBlock(error) ? null : undefined)

/** In one request, where a node offers no receipts of whole blocks. */
const RECEIPTS_AT_ONCE = 16
/** Blocks whose number and filter are remembered between the read of a block and that of its logs. */
const REMEMBERED = 64
/** Logs of so many blocks that follow each other are one call: providers count calls, and limit answers. */
const BLOCKS_TOGETHER = 16

export interface TransferLogReader {
  /** Remembers the filter of a block that was read. */
  note(block: unknown): void
  read(blockHash: Hex): Promise<readonly TransferLog[] | null>
}

export function createTransferLogReader(
  pool: RpcPool,
  readTogether: ReadTogether,
): TransferLogReader {
  const noted = new Map<string, { readonly number: bigint; readonly mayTransfer: boolean }>()
  const note = (value: unknown): boolean => {
    const block = fields(value, 'a block')
    const mayTransfer = mayContain(block.logsBloom, TRANSFER_BITS)
    const number = quantity(block.number, 'the number of a block')
    noted.set(String(block.hash), { number, mayTransfer })
    const [oldest] = noted.keys()
    if (noted.size > REMEMBERED && oldest !== undefined) noted.delete(oldest)
    return mayTransfer
  }

  type Logs = readonly TransferLog[] | null
  const readOne = (blockHash: Hex): Promise<Logs> =>
    readTogether<Logs>({
      method: 'eth_getLogs',
      params: [{ blockHash, topics: [TRANSFER_TOPIC] }],
      read: orNull((value) => readBlockLogs(value, blockHash)),
      onError: nullIfUnknown,
    })
  /** Null: they do not follow each other, no node answers for so many, or one of them was replaced. */
  const readSpan = async (hashes: readonly Hex[]): Promise<readonly Logs[] | null> => {
    // They come in the order in which their blocks were answered.
    const numbers = hashes.flatMap((blockHash) => noted.get(blockHash)?.number ?? [])
    const first = numbers.reduce(
      (least, number) => (number < least ? number : least),
      numbers[0] ?? 0n,
    )
    const isSpan = numbers.every((number) => number < first + BigInt(hashes.length))
    if (!isSpan || new Set(numbers).size < hashes.length || hashes.length < 2) return null
    const [fromBlock, toBlock] = [first, first + BigInt(hashes.length - 1)].map(toQuantity)
    try {
      return await pool.read<readonly Logs[] | null>({
        method: 'eth_getLogs',
        params: [{ fromBlock, toBlock, topics: [TRANSFER_TOPIC] }],
        read: orNull((value) => {
          const byBlock = new Map<Hex, unknown[]>(hashes.map((blockHash) => [blockHash, []]))
          for (const entry of list(value, 'the logs')) {
            const of = byBlock.get(hash(fields(entry, 'a log').blockHash, 'the block of a log'))
            if (of === undefined) return null
            of.push(entry)
          }
          return hashes.map((blockHash) => readBlockLogs(byBlock.get(blockHash), blockHash))
        }),
      })
    } catch (error) {
      if (!(error instanceof NodeUnavailable)) throw error
      return null
    }
  }
  // Each block has its own answer: one that cannot be read keeps none before it from being written.
  const readMany = batched<Hex, { readonly logs: Promise<Logs> }>(async (hashes) => {
    const together = await readSpan(hashes)
    return hashes.map((blockHash, i) => ({
      logs: together === null ? readOne(blockHash) : Promise.resolve(together[i] ?? null),
    }))
  }, BLOCKS_TOGETHER)

  const read = async (blockHash: Hex): Promise<Logs> => {
    const logs = await (await readMany(blockHash)).logs
    if (logs === null || logs.length > 0) return logs
    const may = noted.get(blockHash)?.mayTransfer ?? (await mayHaveTransfers(blockHash))
    if (may === null) return null
    return may ? logsOfReceipts(blockHash) : logs
  }
  const mayHaveTransfers = (blockHash: Hex): Promise<boolean | null> =>
    pool.read<boolean | null>({
      method: 'eth_getBlockByHash',
      params: [blockHash, false],
      read: orNull(note),
      onError: nullIfUnknown,
    })
  // The filter has false positives; the receipts do not, and most nodes keep them apart from the index.
  let isWholeOffered = true
  const logsOfReceipts = async (blockHash: Hex): Promise<readonly TransferLog[] | null> => {
    if (!isWholeOffered) return logsOneByOne(blockHash)
    try {
      const logs = await pool.read<readonly TransferLog[] | null | 'missing'>({
        method: 'eth_getBlockReceipts',
        params: [blockHash],
        read: orNull((value) => readBlockLogs(transferLogsIn(value), blockHash)),
        onError: (error) =>
          nullIfUnknown(error) ?? (isMethodMissing(error) ? 'missing' : undefined),
      })
      if (logs !== 'missing') return logs
      isWholeOffered = false
    } catch (error) {
      // Not of a block so large, perhaps.
      if (!(error instanceof NodeUnavailable)) throw error
    }
    return logsOneByOne(blockHash)
  }
  const logsOneByOne = async (blockHash: Hex): Promise<readonly TransferLog[] | null> => {
    const hashes = await pool.read<readonly Hex[] | null>({
      method: 'eth_getBlockByHash',
      params: [blockHash, false],
      read: orNull(transactionsOf),
      onError: nullIfUnknown,
    })
    if (hashes === null) return null
    const logs: TransferLog[] = []
    for (let first = 0; first < hashes.length; first += RECEIPTS_AT_ONCE) {
      const receipts = await readHalved<Receipt | null>(
        pool,
        hashes.slice(first, first + RECEIPTS_AT_ONCE).map((txHash) => ({
          method: 'eth_getTransactionReceipt',
          params: [txHash],
          read: orNull((value) => readReceipt(value, txHash)),
        })),
      )
      for (const receipt of receipts) {
        // In another block by now, or not there yet: nothing is concluded.
        if (receipt?.blockHash !== blockHash) return null
        logs.push(...receipt.transferLogs)
      }
    }
    return logs.sort((one, other) => one.logIndex - other.logIndex)
  }
  return { note: (block) => void note(block), read }
}

/** What no node answers at once is asked for in halves: nodes limit the calls of a request. */
async function readHalved<Value>(
  pool: RpcPool,
  requests: readonly Request<Value>[],
): Promise<readonly Value[]> {
  try {
    return await pool.readAll(requests)
  } catch (error) {
    if (!(error instanceof NodeUnavailable) || requests.length === 1) throw error
    const middle = Math.ceil(requests.length / 2)
    const first = await readHalved(pool, requests.slice(0, middle))
    return [...first, ...(await readHalved(pool, requests.slice(middle)))]
  }
}

const transactionsOf = (block: unknown): readonly Hex[] =>
  list(fields(block, 'a block').transactions, 'the transactions of a block').map((entry) =>
    hash(entry, 'the hash of a transaction'),
  )

function transferLogsIn(receipts: unknown): unknown[] {
  return list(receipts, 'the receipts').flatMap((entry) =>
    list(fields(entry, 'a receipt').logs, 'the logs of a receipt').filter((log) => {
      const { topics } = fields(log, 'a log')
      return Array.isArray(topics) && topics[0] === TRANSFER_TOPIC
    }),
  )
}

/** The three bits of a value in the filter of a block (Ethereum yellow paper, section 4.3.1). */
function bitsOf(value: Hex): readonly number[] {
  const digest = hexToBytes(keccak256(value))
  return [0, 2, 4].map((at) => (((digest[at] ?? 0) << 8) | (digest[at + 1] ?? 0)) & 2047)
}

const TRANSFER_BITS = bitsOf(TRANSFER_TOPIC)
const FILTER = /^0x[0-9a-f]{512}$/i

function mayContain(filter: unknown, bits: readonly number[]): boolean {
  if (typeof filter !== 'string' || !FILTER.test(filter)) {
    throw new InvalidAnswer('a block has no filter of its logs')
  }
  // Bit 0 is the last of the 2048.
  return bits.every((bit) => {
    const digit = Number.parseInt(filter.charAt(filter.length - 1 - (bit >> 2)), 16)
    return (digit & (1 << (bit & 3))) !== 0
  })
}
