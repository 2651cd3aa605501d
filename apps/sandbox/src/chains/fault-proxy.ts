// What stands between a client and a node, and plays the faults of real RPC providers. It changes answers,
// never the chain.
import { hex, rpcOf } from './rpc.ts'

/** Each is for one request; the last two only for one that sends a transaction. */
export const FAULT_WORDS = ['http_429', 'http_500', 'drop_answer', 'swallow_send'] as const
export type FaultWord = (typeof FAULT_WORDS)[number]

/** Faults that last until they are ended. */
export interface NodeFaults {
  /** It returns every log twice. */
  readonly duplicateLogs: boolean
  /** It has not indexed the logs of its blocks, and answers that there are none. */
  readonly noLogs: boolean
  /** It is so many blocks behind. */
  readonly staleBlocks: number
  /** It is a node of another chain. */
  readonly wrongChainId: boolean
  /** It offers no traces. */
  readonly noTraces: boolean
  /** It offers no receipts of whole blocks. */
  readonly noBlockReceipts: boolean
  /** More calls in one second, each of a batch counted, are refused with 429; 0: no limit. */
  readonly callsPerSecond: number
}

export const NO_FAULTS: NodeFaults = {
  duplicateLogs: false,
  noLogs: false,
  staleBlocks: 0,
  wrongChainId: false,
  noTraces: false,
  noBlockReceipts: false,
  callsPerSecond: 0,
}

export interface ProxyOptions {
  /** Of the node as it runs now: one that was started again has another. */
  readonly nodeUrl: () => string | Promise<string>
  readonly faults: () => NodeFaults
  /** The scripted fault of the next request that is one of these; it is played once. */
  readonly takeFault: (candidates: readonly FaultWord[]) => FaultWord | null
}

/** Dropped: the connection is closed without an answer. */
export type ProxyAnswer = { readonly status: number; readonly body: string } | 'dropped'

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

type Reply = Readonly<Record<string, unknown>>

const SEND = 'eth_sendRawTransaction'
const FORWARD_DEADLINE_MS = 60_000

export function createFaultProxy(options: ProxyOptions): (body: string) => Promise<ProxyAnswer> {
  const { nodeUrl, faults, takeFault } = options
  const rpc = async <Result>(method: string, params?: readonly unknown[]): Promise<Result> =>
    rpcOf(await nodeUrl())<Result>(method, params)

  const one = async (call: Call, fault: FaultWord | null): Promise<Reply> => {
    const { duplicateLogs, noLogs, staleBlocks, wrongChainId } = faults()
    if (call.method === SEND && fault === 'swallow_send') return swallow(call)
    if (call.method === 'eth_chainId' && wrongChainId) return answer(call, hex(31_337))
    if (call.method === 'eth_getLogs' && noLogs) return answer(call, [])
    if (isMissing(call.method, faults())) return missing(call)
    const stale = staleBlocks === 0 ? null : await staleHead(staleBlocks)
    const reply = await forward(await nodeUrl(), stale === null ? call : behind(call, stale))
    const late = stale === null ? reply : withoutNewer(call, reply, stale)
    return duplicateLogs ? withDuplicates(call, late) : late
  }
  const staleHead = async (blocks: number): Promise<bigint> => {
    const head = BigInt(await rpc<string>('eth_blockNumber'))
    return head > BigInt(blocks) ? head - BigInt(blocks) : 0n
  }
  // The hash of the transaction, as if it had been taken: the node computes it, its pool never sees it.
  const swallow = async (call: Call): Promise<Reply> =>
    answer(call, await rpc('web3_sha3', [call.params[0]]))

  /** When each call of the last second came. */
  let came: number[] = []
  const isTooMany = (calls: number): boolean => {
    const { callsPerSecond } = faults()
    if (callsPerSecond === 0) return false
    const nowMs = Date.now()
    came = came.filter((atMs) => atMs > nowMs - 1000)
    if (came.length + calls > callsPerSecond) return true
    came.push(...Array.from({ length: calls }, () => nowMs))
    return false
  }

  return async (body) => {
    const parsed = JSON.parse(body) as Call | readonly Call[]
    const calls = Array.isArray(parsed) ? (parsed as readonly Call[]) : [parsed as Call]
    const sends = calls.some(({ method }) => method === SEND)
    if (isTooMany(calls.length)) return { status: 429, body: 'Too Many Requests' }
    const fault = takeFault(sends ? FAULT_WORDS : ['http_429', 'http_500'])
    if (fault === 'http_429') return { status: 429, body: 'Too Many Requests' }
    if (fault === 'http_500') return { status: 500, body: 'Internal Server Error' }
    const replies: Reply[] = []
    for (const call of calls) replies.push(await one(call, fault))
    if (fault === 'drop_answer') return 'dropped'
    return { status: 200, body: JSON.stringify(Array.isArray(parsed) ? replies : replies[0]) }
  }
}

const isMissing = (method: string, { noTraces, noBlockReceipts }: NodeFaults): boolean =>
  (noTraces && /^(debug_trace|trace_)/.test(method)) ||
  (noBlockReceipts && method === 'eth_getBlockReceipts')

const missing = ({ id, method }: Call): Reply => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32601, message: `the method ${method} does not exist/is not available` },
})

const answer = ({ id }: Call, result: unknown): Reply => ({ jsonrpc: '2.0', id, result })

async function forward(url: string, call: Call): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call),
    signal: AbortSignal.timeout(FORWARD_DEADLINE_MS),
  })
  return (await response.json()) as Reply
}

/** The call, for a node whose newest block is an older one. */
function behind(call: Call, head: bigint): Call {
  const params = call.params.map((param) =>
    param === 'latest' || param === 'pending' ? hex(head) : param,
  )
  return { ...call, params }
}

function withoutNewer(call: Call, reply: Reply, head: bigint): Reply {
  const { result } = reply
  if (call.method === 'eth_blockNumber') return { ...reply, result: hex(head) }
  if (Array.isArray(result)) {
    const isNewer = result.some((entry) => numberOf(entry) > head)
    if (!isNewer) return reply
    return { jsonrpc: '2.0', id: call.id, error: { code: -32000, message: 'unknown block' } }
  }
  return numberOf(result) > head ? { ...reply, result: null } : reply
}

/** Of a block, a receipt or a log; -1 for anything else. */
function numberOf(value: unknown): bigint {
  const { blockNumber, number } = (value ?? {}) as { blockNumber?: unknown; number?: unknown }
  const spelled = blockNumber ?? number
  return typeof spelled === 'string' && spelled.startsWith('0x') ? BigInt(spelled) : -1n
}

function withDuplicates(call: Call, reply: Reply): Reply {
  if (call.method !== 'eth_getLogs' || !Array.isArray(reply.result)) return reply
  return { ...reply, result: reply.result.flatMap((log: unknown) => [log, log]) }
}
