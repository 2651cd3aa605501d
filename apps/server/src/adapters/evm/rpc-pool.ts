// The RPC addresses of one chain: the first that works is used, and a call goes on to the next when one does
// not answer or answers what cannot be used.
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import { InvalidAnswer, quantity } from './answers.ts'
import type { RpcAddress, RpcCall, RpcError, RpcReply } from './rpc-address.ts'

/** No address of the chain gave an answer that can be used. */
export class NodeUnavailable extends Error {}

export interface Request<Value> extends RpcCall {
  /** Throws `InvalidAnswer` for what the node must not answer. */
  readonly read: (value: unknown) => Value
  readonly onError?: ErrorReader<Value>
}

/** What an error of the node stands for; undefined when it only says that this address cannot answer. */
export type ErrorReader<Value> = (error: RpcError) => Value | undefined

export interface RpcPool {
  read<Value>(request: Request<Value>, deadlineMs?: number): Promise<Value>
  /** Several calls in one request to one address. A node may refuse so many. */
  readAll<Value>(requests: readonly Request<Value>[], deadlineMs?: number): Promise<Value[]>
  /**
   * The same call to every address that does not rest, at once. A null stands for one that gave no reply.
   * Ends with the first reply that is enough; the other calls go on without being waited for.
   */
  sendToAll(
    call: RpcCall,
    options: { readonly deadlineMs: number; readonly isEnough: (reply: RpcReply) => boolean },
  ): Promise<readonly (RpcReply | null)[]>
}

export interface PoolOptions {
  readonly chain: string
  readonly chainId: number
  readonly addresses: readonly RpcAddress[]
  readonly clock: Clock
  readonly log: Log
  readonly deadlineMs: number
}

interface Member {
  readonly address: RpcAddress
  failures: number
  /** Not used before, unless no other is left. */
  restsUntilMs: number
  /** Its chain id is right, as of then. */
  checkedAtMs: number | null
}

const LONGEST_REST_MS = 30_000
const WRONG_CHAIN_REST_MS = 60_000
const LOG_EVERY = 20
/** An address may be pointed to another node while we run. */
const CHECK_EVERY_MS = 60_000

export function createRpcPool(options: PoolOptions): RpcPool {
  const { chain, chainId, clock, log } = options
  const members: Member[] = options.addresses.map((address) => ({
    address,
    failures: 0,
    restsUntilMs: 0,
    checkedAtMs: null,
  }))
  const nowMs = (): number => clock.now().getTime()

  /** Those that rest are left out; when all do, the one that rests the shortest is tried. */
  const usable = (): Member[] => {
    const now = nowMs()
    const awake = members.filter(({ restsUntilMs }) => restsUntilMs <= now)
    if (awake.length > 0) return awake
    return members.toSorted((a, b) => a.restsUntilMs - b.restsUntilMs).slice(0, 1)
  }
  const rest = (member: Member, durationMs: number): void => {
    member.restsUntilMs = nowMs() + durationMs
    member.checkedAtMs = null
  }
  const failed = (member: Member, detail: string): string => {
    member.failures += 1
    rest(member, Math.min(500 * 2 ** member.failures, LONGEST_REST_MS))
    const { failures, address } = member
    // The calls of an outage are many, and each has a line of the HTTP client already.
    if (failures === 1 || failures % LOG_EVERY === 0) {
      const fields = { chain, address: address.name, failures, detail }
      log.warn(fields, 'a node of a chain does not answer')
    }
    return detail
  }
  const worked = (member: Member): void => {
    if (member.failures > 0) {
      const fields = { chain, address: member.address.name, failures: member.failures }
      log.warn(fields, 'a node of a chain answers again')
    }
    member.failures = 0
  }
  /** Null when it has; otherwise why it is not used. */
  const refuseOtherChain = async (member: Member, deadlineMs: number): Promise<string | null> => {
    if (member.checkedAtMs !== null && nowMs() - member.checkedAtMs < CHECK_EVERY_MS) return null
    const call = { method: 'eth_chainId', params: [] }
    const replies = await member.address.send([call], { deadlineMs })
    if ('kind' in replies) return failed(member, replies.detail)
    const id = chainIdOf(replies[0])
    if (id === null) return failed(member, 'it does not say its chain id')
    if (id !== BigInt(chainId)) {
      rest(member, WRONG_CHAIN_REST_MS)
      const fields = { alarm: true, chain, address: member.address.name, expected: chainId }
      log.error({ ...fields, found: id.toString() }, 'a node has another chain id and is not used')
      return `it has chain id ${id}`
    }
    member.checkedAtMs = nowMs()
    return null
  }

  /** A node that answers one call and not several at once limits what a request may hold: it is well. */
  const answersOne = async (
    { address }: Member,
    [request]: readonly RpcCall[],
    deadlineMs: number,
  ): Promise<boolean> =>
    request !== undefined && !('kind' in (await address.send([request], { deadlineMs })))

  const readAll = async <Value>(
    requests: readonly Request<Value>[],
    deadlineMs = options.deadlineMs,
  ): Promise<Value[]> => {
    let last = 'it has no address'
    for (const member of usable()) {
      const refusal = await refuseOtherChain(member, deadlineMs)
      if (refusal !== null) {
        last = refusal
        continue
      }
      const replies = await member.address.send(requests, { deadlineMs })
      if ('kind' in replies) {
        const isOfBatch = requests.length > 1 && (await answersOne(member, requests, deadlineMs))
        last = isOfBatch
          ? `${requests.length} calls at once: ${replies.detail}`
          : failed(member, replies.detail)
        continue
      }
      const values = interpret(requests, replies)
      if (values instanceof InvalidAnswer) {
        last = failed(member, values.message)
      } else if (values instanceof Error) {
        last = values.message
      } else {
        worked(member)
        return values
      }
    }
    throw new NodeUnavailable(`no node of ${chain} answers ${requests[0]?.method}: ${last}`)
  }

  return {
    readAll,
    read: async (request, deadlineMs) => {
      const [value] = await readAll([request], deadlineMs)
      return value as Awaited<ReturnType<typeof request.read>>
    },
    sendToAll: (call, { deadlineMs, isEnough }) => {
      const one = async (member: Member): Promise<RpcReply | null> => {
        if ((await refuseOtherChain(member, deadlineMs)) !== null) return null
        const replies = await member.address.send([call], { deadlineMs })
        if (!('kind' in replies)) return replies[0] ?? null
        failed(member, replies.detail)
        return null
      }
      return untilEnough(usable().map(one), (reply) => reply !== null && isEnough(reply))
    },
  }
}

/** What all of them give, or what there is when one of them is enough; null for those still under way. */
function untilEnough<Value>(
  works: readonly Promise<Value | null>[],
  isEnough: (value: Value | null) => boolean,
): Promise<readonly (Value | null)[]> {
  const values: (Value | null)[] = works.map(() => null)
  return new Promise((resolve, reject) => {
    const settled = works.map(async (work, i) => {
      const value = await work
      values[i] = value
      if (isEnough(value)) resolve([...values])
    })
    Promise.all(settled).then(() => resolve(values), reject)
  })
}

function chainIdOf(reply: RpcReply | undefined): bigint | null {
  if (reply?.kind !== 'result') return null
  try {
    return quantity(reply.value, 'the chain id')
  } catch {
    return null
  }
}

/** An `InvalidAnswer`, or any other error when the node could not answer one of the requests. */
function interpret<Value>(
  requests: readonly Request<Value>[],
  replies: readonly RpcReply[],
): Value[] | Error {
  const values: Value[] = []
  for (const [i, request] of requests.entries()) {
    const reply = replies[i]
    if (reply === undefined) return new InvalidAnswer('a reply is missing')
    if (reply.kind === 'error') {
      const meaning = request.onError?.(reply.error)
      if (meaning === undefined) {
        return new Error(`error ${reply.error.code}: ${reply.error.message.slice(0, 200)}`)
      }
      values.push(meaning)
      continue
    }
    try {
      values.push(request.read(reply.value))
    } catch (error) {
      if (error instanceof InvalidAnswer) return error
      throw error
    }
  }
  return values
}
