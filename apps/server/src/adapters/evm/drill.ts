// What each address of a chain's nodes answers by itself; the service asks the next one where one fails.
import { asExpected, type Check, type CheckContext, differs, type Finding } from '#kernel/check'
import { fields, hash, quantity } from './answers.ts'
import { isMethodMissing } from './errors.ts'
import type { RpcAddress, RpcCall, RpcReply } from './rpc-address.ts'

export interface DrillOptions {
  readonly chain: string
  readonly chainId: number
  /** As they are called in logs. */
  readonly addresses: readonly RpcAddress[]
  readonly traces: 'auto' | 'off'
  /** 0: no pace. */
  readonly callsPerSecond: number
  readonly deadlineMs: number
  readonly slowMs: number
}

/** Where no pace is set. */
const AT_ONCE = 25

export const createDrill = (options: DrillOptions): readonly Check[] =>
  options.addresses.flatMap((address) => checksOf(address, options))

function checksOf(address: RpcAddress, options: DrillOptions): Check[] {
  const { chain, chainId, traces, deadlineMs, slowMs } = options
  const of = (what: string): string => `${what}, ${chain} ${address.name}`
  const ask = (
    call: RpcCall,
    context: CheckContext,
    withinMs = deadlineMs,
  ): Promise<RpcReply | string> =>
    askOne(address, call, { deadlineMs: withinMs, signal: context.signal })
  const ofHead = async (
    context: CheckContext,
    look: (blockHash: string) => Promise<Finding>,
  ): Promise<Finding> => {
    const reply = await ask({ method: 'eth_getBlockByNumber', params: ['latest', false] }, context)
    const head = readReply(reply, (value) => hash(fields(value, 'a block').hash, 'its hash'))
    return 'kind' in head ? head : look(head.value)
  }
  return [
    {
      name: of('chain id'),
      async run(context) {
        const reply = await ask({ method: 'eth_chainId', params: [] }, context)
        const id = readReply(reply, (value) => quantity(value, 'the chain id'))
        if ('kind' in id) return id
        return id.value === BigInt(chainId)
          ? asExpected(String(chainId))
          : differs(`${id.value} in place of ${chainId}`)
      },
    },
    {
      name: of('block receipts'),
      run: (context) =>
        ofHead(context, async (blockHash) =>
          offered(await ask({ method: 'eth_getBlockReceipts', params: [blockHash] }, context), {
            otherwise: 'receipts are read one by one: more calls',
          }),
        ),
    },
    {
      name: of('traces'),
      run: (context) =>
        traces === 'off'
          ? Promise.resolve(asExpected('not asked for: the setting of the chain is off'))
          : ofHead(context, async (blockHash) =>
              offered(
                await ask(
                  {
                    method: 'debug_traceBlockByHash',
                    params: [blockHash, { tracer: 'callTracer' }],
                  },
                  context,
                  slowMs,
                ),
                { otherwise: 'coins that contracts send are not seen' },
              ),
            ),
    },
    { name: of('calls a second'), run: (context) => countServed(address, options, context) },
  ]
}

const offered = (
  reply: RpcReply | string,
  { otherwise }: { readonly otherwise: string },
): Finding => {
  if (typeof reply === 'string') return differs(reply)
  if (reply.kind === 'result') return asExpected('offered')
  return differs(
    `${isMethodMissing(reply.error) ? 'not offered' : textOf(reply.error)} (${otherwise})`,
  )
}

/** Two seconds of the pace that is set are served. */
async function countServed(
  address: RpcAddress,
  { callsPerSecond, deadlineMs }: DrillOptions,
  { signal }: CheckContext,
): Promise<Finding> {
  const count = callsPerSecond === 0 ? AT_ONCE : callsPerSecond * 2
  const how = callsPerSecond === 0 ? 'at once' : `at ${callsPerSecond} a second`
  const call = { method: 'eth_chainId', params: [] }
  const asked = Array.from({ length: count }, () => askOne(address, call, { deadlineMs, signal }))
  const replies = await Promise.all(asked)
  const refused = replies.filter((reply) => typeof reply === 'string' || reply.kind === 'error')
  if (refused.length === 0) return asExpected(`${replies.length} calls ${how} are served`)
  const [first] = refused
  const why = typeof first === 'object' && first.kind === 'error' ? textOf(first.error) : first
  return differs(`${refused.length} of ${replies.length} calls ${how} are refused: ${why}`)
}

async function askOne(
  address: RpcAddress,
  call: RpcCall,
  options: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<RpcReply | string> {
  const replies = await address.send([call], options)
  if ('kind' in replies) return replies.detail
  return replies[0] ?? 'no reply'
}

function readReply<Value>(
  reply: RpcReply | string,
  read: (value: unknown) => Value,
): { readonly value: Value } | Finding {
  if (typeof reply === 'string') return differs(reply)
  if (reply.kind === 'error') return differs(textOf(reply.error))
  try {
    return { value: read(reply.value) }
  } catch (error) {
    return differs((error as Error).message)
  }
}

const textOf = ({ code, message }: { readonly code: number; readonly message: string }): string =>
  `error ${code}: ${message.slice(0, 200)}`
