// The chain as the sender of transactions uses it.
import {
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  keccak256,
  parseAbi,
  toFunctionSelector,
} from 'viem'
import { type Address, baseUnits, type Hex } from '#kernel/chain'
import type {
  BroadcastNode,
  Call,
  FeeEstimate,
  Receipt,
  ReceiptLog,
  SimulationAnswer,
} from '#ports/outbound'
import {
  address,
  data,
  fields,
  hash,
  InvalidAnswer,
  list,
  orNull,
  quantity,
  smallQuantity,
} from './answers.ts'
import { readHeader, statusOf } from './blocks.ts'
import { isInsufficientFunds, isRevert, isUnknownBlock } from './errors.ts'
import { toQuantity } from './quantities.ts'
import { type ErrorReader, NodeUnavailable, type RpcPool } from './rpc-pool.ts'
import { isTaken, mergeSendAnswers } from './send-answer.ts'
import { balanceOfData, readTokenBalance } from './token-balance.ts'

/** When a transaction of ours counts as final. */
export type Finality =
  | { readonly kind: 'depth'; readonly blocks: bigint }
  /** Where the chain or the node does not have the tag, the depth counts. */
  | { readonly kind: 'tag'; readonly tag: 'safe' | 'finalized'; readonly orDepth: bigint }

export interface BroadcastOptions {
  readonly chain: string
  readonly chainId: number
  readonly pool: RpcPool
  readonly finality: Finality
  /** Wei for a unit of gas below which the chain's validators do not include a transaction. */
  readonly leastPriorityFee: bigint
  readonly sendDeadlineMs: number
}

export function createBroadcastNode(options: BroadcastOptions): BroadcastNode {
  const { chain, chainId, pool, finality } = options
  const headNumber = (): Promise<bigint> =>
    pool.read({
      method: 'eth_blockNumber',
      params: [],
      read: (value) => quantity(value, 'the number of the newest block'),
    })
  const atDepth = async (blocks: bigint): Promise<bigint> => {
    const number = (await headNumber()) - blocks + 1n
    return number > 0n ? number : 0n
  }

  return {
    chain,
    chainId,
    headNumber,

    nonceOf: (holder, at) =>
      pool.read({
        method: 'eth_getTransactionCount',
        params: [holder, at === undefined ? 'latest' : toQuantity(at)],
        read: (value) => smallQuantity(value, 'a nonce'),
      }),

    confirmedNumber: async () => {
      if (finality.kind === 'depth') return atDepth(finality.blocks)
      const tagged = await pool.read({
        method: 'eth_getBlockByNumber',
        params: [finality.tag, false],
        read: orNull((value) => readHeader(value).number),
        onError: (error) => (isUnknownBlock(error) ? null : undefined),
      })
      return tagged ?? atDepth(finality.orDepth)
    },

    estimateFees: () => estimateFees(options),
    simulate: (call) => simulate(pool, call),

    send: async (raw) => {
      const call = { method: 'eth_sendRawTransaction', params: [raw] }
      const hash = keccak256(raw)
      const replies = await pool.sendToAll(call, {
        deadlineMs: options.sendDeadlineMs,
        isEnough: (reply) => isTaken(reply, hash),
      })
      return mergeSendAnswers(replies, hash)
    },

    receipt: (txHash) =>
      pool.read({
        method: 'eth_getTransactionReceipt',
        params: [txHash],
        read: orNull((value) => readSentReceipt(value, txHash.toLowerCase() as Hex)),
      }),

    balanceOf: async (holder, token) => {
      const units = await pool.read(
        token === null
          ? {
              method: 'eth_getBalance',
              params: [holder, 'latest'],
              read: (value) => quantity(value, 'a balance'),
            }
          : {
              method: 'eth_call',
              params: [{ to: token, data: balanceOfData(holder) }, 'latest'],
              read: readTokenBalance,
            },
      )
      return baseUnits(units)
    },
  }
}

function readSentReceipt(value: unknown, txHash: Hex): Receipt | null {
  const receipt = fields(value, 'a receipt')
  if (receipt.blockHash == null) return null
  const found = hash(receipt.transactionHash, 'the transaction of a receipt')
  if (found !== txHash) throw new InvalidAnswer('a receipt is of another transaction')
  const gasUsed = quantity(receipt.gasUsed, 'the gas of a receipt')
  const gasPrice = quantity(receipt.effectiveGasPrice, 'the gas price of a receipt')
  // Chains on top of another one that charge for its data put that fee beside the gas (OP stack).
  const dataFee = receipt.l1Fee == null ? 0n : quantity(receipt.l1Fee, 'the data fee of a receipt')
  return {
    hash: txHash,
    status: statusOf(receipt) ? 'success' : 'reverted',
    blockNumber: quantity(receipt.blockNumber, 'the block number of a receipt'),
    blockHash: hash(receipt.blockHash, 'the block of a receipt'),
    gasUsed,
    feePaid: gasUsed * gasPrice + dataFee,
    logs: list(receipt.logs, 'the logs of a receipt').map(readSentLog),
  }
}

function readSentLog(value: unknown): ReceiptLog {
  const log = fields(value, 'a log')
  return {
    address: address(log.address, 'the contract of a log'),
    topics: list(log.topics, 'the topics of a log').map((topic) => hash(topic, 'a topic')),
    data: data(log.data, 'the data of a log'),
  }
}

// ---------------------------------------------------------------- fees

/** Where the OP stack says what a transaction pays for its data (docs.optimism.io, GasPriceOracle). */
const DATA_FEE_ORACLE: Address = '0x420000000000000000000000000000000000000f'
const DATA_FEE_ABI = parseAbi(['function getL1Fee(bytes) view returns (uint256)'])
/** As long as a signed transfer of a token, and as hard to compress. */
const SAMPLE_TRANSACTION: Hex = `0x${Array.from(
  { length: 190 },
  (_, i) => ((i * 151 + 17) % 255) + 1,
)
  .map((byte) => byte.toString(16).padStart(2, '0'))
  .join('')}`

async function estimateFees({ pool, leastPriorityFee }: BroadcastOptions): Promise<FeeEstimate> {
  const [baseFeePerGas, asked, dataFee] = await pool.readAll<bigint>([
    {
      method: 'eth_getBlockByNumber',
      params: ['latest', false],
      read: (value) => quantity(fields(value, 'a block').baseFeePerGas, 'the base fee of a block'),
    },
    {
      method: 'eth_maxPriorityFeePerGas',
      params: [],
      read: (value) => quantity(value, 'the priority fee'),
    },
    {
      method: 'eth_call',
      params: [
        {
          to: DATA_FEE_ORACLE,
          data: encodeFunctionData({ abi: DATA_FEE_ABI, args: [SAMPLE_TRANSACTION] }),
        },
        'latest',
      ],
      read: readDataFee,
    },
  ])
  if (baseFeePerGas === undefined || asked === undefined || dataFee === undefined) {
    throw new NodeUnavailable('fees are missing in the answer')
  }
  return {
    baseFeePerGas,
    maxPriorityFeePerGas: asked > leastPriorityFee ? asked : leastPriorityFee,
    dataFee,
  }
}

/** Chains of another kind have no contract at that address: an empty answer. */
function readDataFee(value: unknown): bigint {
  const answer = data(value, 'the data fee')
  if (answer === '0x') return 0n
  return decodeFunctionResult({ abi: DATA_FEE_ABI, data: answer })
}

// ---------------------------------------------------------------- simulation

const TRANSFER = toFunctionSelector('function transfer(address,uint256)')

type Step = { readonly value: Hex } | { readonly failed: SimulationAnswer }

/** Executes the call on the newest state, and estimates its gas, at one and the same node. */
async function simulate(pool: RpcPool, call: Call): Promise<SimulationAnswer> {
  const transaction = { ...call, value: toQuantity(call.value) }
  try {
    const [code, result, gas] = await pool.readAll<Step>([
      { method: 'eth_getCode', params: [call.to, 'latest'], read: readStep },
      { method: 'eth_call', params: [transaction, 'latest'], read: readStep, onError },
      { method: 'eth_estimateGas', params: [transaction], read: readGas, onError },
    ])
    if (code === undefined || result === undefined || gas === undefined) {
      return { kind: 'unknown', detail: 'a part of the simulation is missing' }
    }
    if ('failed' in result) return result.failed
    if ('failed' in gas) return gas.failed
    const reason = silentFailure(call, 'value' in code ? code.value : '0x', result.value)
    if (reason !== null) return { kind: 'reverts', reason }
    return { kind: 'succeeds', gas: BigInt(gas.value) }
  } catch (error) {
    if (error instanceof NodeUnavailable) return { kind: 'unknown', detail: error.message }
    throw error
  }
}

const readStep = (value: unknown): Step => ({ value: data(value, 'the result of a call') })

const readGas = (value: unknown): Step => ({ value: toQuantity(quantity(value, 'gas')) })

const onError: ErrorReader<Step> = (error) => {
  if (isInsufficientFunds(error)) return { failed: { kind: 'insufficient_funds' } }
  if (!isRevert(error)) return undefined
  return { failed: { kind: 'reverts', reason: error.message.slice(0, 200) } }
}

/** A call that would be mined as a success and move nothing. */
function silentFailure({ data: input }: Call, code: Hex, result: Hex): string | null {
  if (input === '0x') return null
  if (code === '0x') return 'there is no contract at the address'
  if (!input.startsWith(TRANSFER)) return null
  // USDT on ethereum returns no data at all.
  if (result === '0x') return null
  try {
    const succeeded = decodeFunctionResult({
      abi: erc20Abi,
      functionName: 'transfer',
      data: result,
    })
    return succeeded ? null : 'transfer returned false'
  } catch {
    return 'transfer returned something else than a truth value'
  }
}
