// The chain as the sender of transactions uses it.
import {
  decodeFunctionResult,
  encodeFunctionData,
  keccak256,
  parseAbi,
  toFunctionSelector,
} from 'viem/utils'
import { type Address, baseUnits, type Hex } from '#kernel/chain'
import { cut } from '#kernel/text'
import type {
  BroadcastNode,
  Call,
  FeeEstimate,
  MinedTransaction,
  Receipt,
  ReceiptLog,
  SimulationAnswer,
  TransactionReader,
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
import { type ErrorReader, NodeUnavailable, type Request, type RpcPool } from './rpc-pool.ts'
import { isTaken, mergeSendAnswers } from './send-answer.ts'
import { balanceOfData, readTokenBalance, TOKEN } from './token-balance.ts'

/** When a transaction of ours counts as final. */
export type Finality =
  | { readonly kind: 'depth'; readonly blocks: bigint }
  /** Where the chain or the node does not have the tag, the depth counts. */
  | { readonly kind: 'tag'; readonly tag: 'safe' | 'finalized'; readonly orDepth: bigint }

export interface BroadcastOptions {
  readonly chain: string
  readonly chainId: number
  readonly pool: RpcPool
  /** Of another operator; null when there is none. */
  readonly second: RpcPool | null
  /**
   * Both, the second where the first cannot answer: for what prepares and sends a transaction. What became of
   * one is asked of each apart, or a node could confirm its own word.
   */
  readonly any: RpcPool
  readonly finality: Finality
  /** Wei for a unit of gas below which the chain's validators do not include a transaction. */
  readonly leastPriorityFee: bigint
  readonly sendDeadlineMs: number
}

export function createBroadcastNode(options: BroadcastOptions): BroadcastNode {
  const { chain, chainId, pool, second, any, finality } = options
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
    ...transactionReader(pool),
    second: second === null ? null : transactionReader(second),

    blockHash: (number) =>
      pool.read({
        method: 'eth_getBlockByNumber',
        params: [toQuantity(number), false],
        read: orNull((value) => readHashOf(value, number)),
        onError: (error) => (isUnknownBlock(error) ? null : undefined),
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
    simulate: async (call) => (await simulateAll(any, [call]))[0] ?? MISSING,
    simulateAll: (calls) => simulateAll(any, calls),

    send: async (raw) => {
      const call = { method: 'eth_sendRawTransaction', params: [raw] }
      const hash = keccak256(raw)
      const replies = await any.sendToAll(call, {
        deadlineMs: options.sendDeadlineMs,
        isEnough: (reply) => isTaken(reply, hash),
      })
      return mergeSendAnswers(replies, hash)
    },

    balanceOf: async (holder, token, at) => {
      const block = at === undefined ? 'latest' : toQuantity(at)
      const units = await any.read(
        token === null
          ? {
              method: 'eth_getBalance',
              params: [holder, block],
              read: (value) => quantity(value, 'a balance'),
            }
          : {
              method: 'eth_call',
              params: [{ to: token, data: balanceOfData(holder) }, block],
              read: readTokenBalance,
            },
      )
      return baseUnits(units)
    },
  }
}

function readHashOf(value: unknown, number: bigint): Hex {
  const header = readHeader(value)
  if (header.number !== number) throw new InvalidAnswer('another block than asked')
  return header.hash
}

const transactionReader = (pool: RpcPool): TransactionReader => ({
  mined: (txHash) =>
    pool.read({
      method: 'eth_getTransactionByHash',
      params: [txHash],
      read: orNull((value) => readMined(value, txHash.toLowerCase() as Hex)),
    }),
  receipt: (txHash) =>
    pool.read({
      method: 'eth_getTransactionReceipt',
      params: [txHash],
      read: orNull((value) => readSentReceipt(value, txHash.toLowerCase() as Hex)),
    }),
  nonceOf: (holder, at) =>
    pool.read({
      method: 'eth_getTransactionCount',
      params: [holder, typeof at === 'bigint' ? toQuantity(at) : (at ?? 'latest')],
      read: (value) => smallQuantity(value, 'a nonce'),
    }),
})

function readMined(value: unknown, txHash: Hex): MinedTransaction | null {
  const transaction = fields(value, 'a transaction')
  if (transaction.blockNumber == null) return null
  if (hash(transaction.hash, 'the hash of a transaction') !== txHash) {
    throw new InvalidAnswer('another transaction than asked')
  }
  return {
    from: address(transaction.from, 'the sender of a transaction'),
    nonce: smallQuantity(transaction.nonce, 'the nonce of a transaction'),
    blockNumber: quantity(transaction.blockNumber, 'the block of a transaction'),
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
  const dataFee = orZero(receipt.l1Fee, 'the data fee of a receipt')
  return {
    hash: txHash,
    status: statusOf(receipt) ? 'success' : 'reverted',
    blockNumber: quantity(receipt.blockNumber, 'the block number of a receipt'),
    blockHash: hash(receipt.blockHash, 'the block of a receipt'),
    gasUsed,
    feePaid: gasUsed * gasPrice + dataFee + operatorFeeOf(receipt, gasUsed),
    logs: list(receipt.logs, 'the logs of a receipt').map(readSentLog),
  }
}

const orZero = (value: unknown, what: string): bigint =>
  value == null ? 0n : quantity(value, what)

const MILLION = 1_000_000n

/**
 * What the operator of a chain of the OP stack takes beside gas and data: its parameters are in the receipt
 * when one of them is not zero. By the upgrade Isthmus the scalar is a millionth of a wei for a unit of gas,
 * since Jovian a hundred wei; only receipts since Jovian have `daFootprintGasScalar`
 * (specs.optimism.io, operator fee).
 */
function operatorFeeOf(receipt: Readonly<Record<string, unknown>>, gasUsed: bigint): bigint {
  const scalar = orZero(receipt.operatorFeeScalar, 'the scalar of the operator fee')
  const constant = orZero(receipt.operatorFeeConstant, 'the constant of the operator fee')
  const isJovian = receipt.daFootprintGasScalar != null
  return (isJovian ? gasUsed * scalar * 100n : (gasUsed * scalar) / MILLION) + constant
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

/**
 * Where the OP stack says what a transaction pays beside its gas: for its data, and since the upgrade Isthmus
 * to the operator of the chain (docs.optimism.io, GasPriceOracle).
 */
const FEE_ORACLE: Address = '0x420000000000000000000000000000000000000f'
const DATA_FEE_ABI = parseAbi(['function getL1Fee(bytes) view returns (uint256)'])
const OPERATOR_FEE_ABI = parseAbi(['function getOperatorFee(uint256) view returns (uint256)'])
/** The operator fee follows gas: no transfer of a token needs more. */
const SAMPLE_GAS = 100_000n
/** As long as a signed transfer of a token, and as hard to compress. */
const SAMPLE_TRANSACTION: Hex = `0x${Array.from(
  { length: 190 },
  (_, i) => ((i * 151 + 17) % 255) + 1,
)
  .map((byte) => byte.toString(16).padStart(2, '0'))
  .join('')}`

const askOracle = (call: Hex, what: string): Request<bigint> => ({
  method: 'eth_call',
  params: [{ to: FEE_ORACLE, data: call }, 'latest'],
  read: (value) => readOracle(value, what),
})

const DATA_FEE_CALL: Request<bigint> = askOracle(
  encodeFunctionData({ abi: DATA_FEE_ABI, args: [SAMPLE_TRANSACTION] }),
  'the data fee',
)

/** An oracle of before Isthmus does not know the call, and its chain takes no such fee. */
const OPERATOR_FEE_CALL: Request<bigint> = {
  ...askOracle(
    encodeFunctionData({ abi: OPERATOR_FEE_ABI, args: [SAMPLE_GAS] }),
    'the operator fee',
  ),
  onError: (error) => (isRevert(error) ? 0n : undefined),
}

/**
 * Where Arbitrum says how much gas a call uses for its data (docs.arbitrum.io, NodeInterface). The address
 * has no code: the node itself answers.
 */
const NODE_INTERFACE: Address = '0x00000000000000000000000000000000000000c8'
const DATA_GAS_ABI = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
])
const ARBITRUM = 42161
/** Where the node does not say it: more than a transfer needs while the chain below is not congested. */
const DATA_GAS_UNKNOWN = 100_000n
/** The most that a block takes: what a node says beyond it is no gas of a transfer. */
const MOST_DATA_GAS = 32_000_000n
/** As long as the call of a transfer of a token: a selector and two words. */
const SAMPLE_CALL: Hex = `0x${SAMPLE_TRANSACTION.slice(2, 2 + 2 * 68)}`

const DATA_GAS_CALL: Request<bigint> = {
  method: 'eth_call',
  params: [
    {
      to: NODE_INTERFACE,
      data: encodeFunctionData({
        abi: DATA_GAS_ABI,
        args: [FEE_ORACLE, false, SAMPLE_CALL],
      }),
    },
    'latest',
  ],
  read: readDataGas,
  onError: (error) => (isRevert(error) ? DATA_GAS_UNKNOWN : undefined),
}

function readDataGas(value: unknown): bigint {
  try {
    const answer = data(value, 'the data gas')
    const [gas] = decodeFunctionResult({ abi: DATA_GAS_ABI, data: answer })
    return gas <= MOST_DATA_GAS ? gas : DATA_GAS_UNKNOWN
  } catch {
    return DATA_GAS_UNKNOWN
  }
}

async function estimateFees({
  any,
  chainId,
  leastPriorityFee,
}: BroadcastOptions): Promise<FeeEstimate> {
  const [baseFeePerGas, asked, dataFee, operatorFee, dataGas = 0n] = await any.readAll<bigint>([
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
    DATA_FEE_CALL,
    OPERATOR_FEE_CALL,
    ...(chainId === ARBITRUM ? [DATA_GAS_CALL] : []),
  ])
  const isComplete = dataFee !== undefined && operatorFee !== undefined
  if (baseFeePerGas === undefined || asked === undefined || !isComplete) {
    throw new NodeUnavailable('fees are missing in the answer')
  }
  return {
    baseFeePerGas,
    maxPriorityFeePerGas: asked > leastPriorityFee ? asked : leastPriorityFee,
    dataFee: dataFee + operatorFee,
    dataGas,
  }
}

/** Chains of another kind have no contract at that address: an empty answer. */
function readOracle(value: unknown, what: string): bigint {
  const answer = data(value, what)
  if (answer === '0x') return 0n
  try {
    // Both calls return one number.
    return decodeFunctionResult({ abi: OPERATOR_FEE_ABI, data: answer })
  } catch {
    throw new InvalidAnswer(`${what} cannot be decoded`)
  }
}

// ---------------------------------------------------------------- simulation

const TRANSFER = toFunctionSelector('function transfer(address,uint256)')

type Step = { readonly value: Hex } | { readonly failed: SimulationAnswer }

/** Providers limit how many calls one request may have. */
const CALLS_AT_ONCE = 8

/**
 * Executes calls on the newest state and estimates their gas, some of them in one request. An answer that
 * cannot be used belongs to no call in particular: then each call is asked for on its own.
 */
async function simulateAll(pool: RpcPool, calls: readonly Call[]): Promise<SimulationAnswer[]> {
  const groups: Call[][] = []
  for (let i = 0; i < calls.length; i += CALLS_AT_ONCE) {
    groups.push(calls.slice(i, i + CALLS_AT_ONCE))
  }
  const answers = groups.map(async (group) => {
    const together = await simulateGroup(pool, group)
    if (Array.isArray(together)) return together
    if (group.length === 1) return [together]
    const alone = await Promise.all(group.map((call) => simulateGroup(pool, [call])))
    return alone.flat()
  })
  return (await Promise.all(answers)).flat()
}

const MISSING = { kind: 'unknown', detail: 'a part of the simulation is missing' } as const

type Unknown = Extract<SimulationAnswer, { kind: 'unknown' }>

/** At one and the same node; `unknown` for all of them together. */
async function simulateGroup(
  pool: RpcPool,
  calls: readonly Call[],
): Promise<SimulationAnswer[] | Unknown> {
  const receivers = [...new Set(calls.map(({ to }) => to))]
  const transactions = calls.map((call) => ({ ...call, value: toQuantity(call.value) }))
  try {
    const steps = await pool.readAll<Step>([
      ...receivers.map((to) => ({
        method: 'eth_getCode',
        params: [to, 'latest'],
        read: readStep,
      })),
      ...transactions.flatMap((one) => [
        { method: 'eth_call', params: [one, 'latest'], read: readStep, onError },
        { method: 'eth_estimateGas', params: [one], read: readGas, onError },
      ]),
    ])
    return calls.map((call, i) => {
      const [result, gas] = steps.slice(receivers.length + 2 * i)
      return answerOf(call, { code: steps[receivers.indexOf(call.to)], result, gas })
    })
  } catch (error) {
    if (error instanceof NodeUnavailable) return { kind: 'unknown', detail: error.message }
    throw error
  }
}

function answerOf(
  call: Call,
  { code, result, gas }: Readonly<Record<'code' | 'result' | 'gas', Step | undefined>>,
): SimulationAnswer {
  if (code === undefined || result === undefined || gas === undefined) {
    return MISSING
  }
  if ('failed' in result) return result.failed
  if ('failed' in gas) return gas.failed
  const reason = silentFailure(call, 'value' in code ? code.value : '0x', result.value)
  return reason === null
    ? { kind: 'succeeds', gas: BigInt(gas.value) }
    : { kind: 'reverts', reason }
}

const readStep = (value: unknown): Step => ({ value: data(value, 'the result of a call') })

const readGas = (value: unknown): Step => ({ value: toQuantity(quantity(value, 'gas')) })

const onError: ErrorReader<Step> = (error) => {
  if (isInsufficientFunds(error)) return { failed: { kind: 'insufficient_funds' } }
  if (!isRevert(error)) return undefined
  return { failed: { kind: 'reverts', reason: cut(error.message, 200) } }
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
      abi: TOKEN,
      functionName: 'transfer',
      data: result,
    })
    return succeeded ? null : 'transfer returned false'
  } catch {
    return 'transfer returned something else than a truth value'
  }
}
