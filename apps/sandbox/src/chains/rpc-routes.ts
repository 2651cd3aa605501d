// The chains as a provider of nodes serves them: JSON-RPC, without the methods that only a node of a test
// has. A client that needs one of those would not work in production.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FaultScript } from '../party/fault-script.ts'
import type { Chain } from './chain.ts'
import { createFaultProxy, type FaultWord, NO_FAULTS, type NodeFaults } from './fault-proxy.ts'

const OWN_METHODS =
  /^(anvil|evm|hardhat|personal|miner|txpool|admin)_|^eth_(sendTransaction|sendUnsigned|sign|accounts)/

export interface RpcRouteDeps {
  readonly chain: Chain
  readonly faults: () => NodeFaults
  readonly script: FaultScript
}

export function serveRpc(app: FastifyInstance, { chain, faults, script }: RpcRouteDeps): void {
  serveNode(app, chain, {
    faults,
    takeFault: (candidates) => {
      const [next] = script.list()
      return candidates.some((word) => word === next) ? (script.take() as FaultWord) : null
    },
  })
}

/** The node of another operator: the same chain, without any faults. */
export function serveSecond(app: FastifyInstance, chain: Chain): void {
  serveNode(app, chain, { faults: () => NO_FAULTS, takeFault: () => null })
}

function serveNode(
  app: FastifyInstance,
  chain: Chain,
  faults: Omit<Parameters<typeof createFaultProxy>[0], 'nodeUrl'>,
): void {
  const proxy = createFaultProxy({ ...faults, nodeUrl: () => chain.url() })
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: FastifyRequest, text: string) => text,
  )
  app.post('/', { bodyLimit: 16 * 1024 * 1024 }, async (request, reply) => {
    const body = String(request.body)
    const calls = parseCalls(body)
    if (calls === null) return reply.code(400).send(errorOf(null, -32700, 'parse error'))
    const own = calls.find(({ method }) => OWN_METHODS.test(method))
    if (own !== undefined) {
      return errorOf(own.id, -32601, `the method ${own.method} does not exist/is not available`)
    }
    if (calls.some(({ method }) => method === 'eth_sendRawTransaction')) chain.noteActivity()
    const answer = await proxy(body)
    if (answer === 'dropped') {
      reply.hijack()
      request.raw.socket.destroy()
      return reply
    }
    return reply.code(answer.status).type('application/json').send(answer.body)
  })
}

function parseCalls(body: string): readonly { id: unknown; method: string }[] | null {
  try {
    const parsed: unknown = JSON.parse(body)
    const calls = (Array.isArray(parsed) ? parsed : [parsed]) as { id: unknown; method: unknown }[]
    const isGood = calls.length > 0 && calls.every((call) => typeof call?.method === 'string')
    return isGood ? (calls as { id: unknown; method: string }[]) : null
  } catch {
    return null
  }
}

const errorOf = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})
