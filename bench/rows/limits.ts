// What key check and rate limits cost a request of a cheap route: beside the same server, which asks for
// neither.
import {
  noValkey,
  startValkey,
  type ValkeyServer,
} from '../../apps/server/src/infra/testing/valkey-server.ts'
import { type Helper, startHelper } from '../ipc.ts'
import { compare } from '../rounds.ts'
import type { EdgeMethods, EdgeOptions } from '../servers/edge.ts'
import { type Line, loadOf, type RunRow, rateLine, requestOf, startLoad } from './row.ts'

const CONNECTIONS = 10
const PATH = '/user/wallet'

export const runLimits: RunRow = async ({ installation, rounds, isQuick, say }) => {
  const { apiKey, profileFolder } = installation
  const load = startLoad()
  const edges: Helper<EdgeMethods>[] = []
  const openEdge = async (options: EdgeOptions): Promise<{ port: number; pid: number }> => {
    const edge = startHelper<EdgeMethods>(`${import.meta.dirname}/../servers/edge.ts`, {
      profileFolder,
    })
    edges.push(edge)
    return { port: await edge.call('listen', options), pid: edge.pid }
  }
  const durationMs = isQuick ? 1000 : 4000
  const requests = [requestOf('GET', PATH, { 'api-key': apiKey })]
  const sideOf = ({ port, pid }: { port: number; pid: number }) => ({
    pid,
    run: (index: number) =>
      loadOf(load, {
        port,
        connections: CONNECTIONS,
        requests,
        durationMs: index < 0 ? durationMs / 2 : durationMs,
      }),
  })
  let valkey: ValkeyServer | null = null
  try {
    const bare = sideOf(await openEdge({ limits: null }))
    const lines: Line[] = []
    const inMemory = sideOf(await openEdge({ limits: { apiKey, valkeyUrl: null } }))
    lines.push(
      rateLine(
        'a cheap route through key check and limits in memory',
        await compare({ ours: inMemory, peer: bare }, { rounds, say }),
        { ratio: 0.8 },
        `${CONNECTIONS} connections; the peer is the same server without both`,
      ),
    )
    if (noValkey) {
      say(`the limits in Valkey are not measured: ${noValkey}`)
      return lines
    }
    valkey = await startValkey()
    const shared = sideOf(await openEdge({ limits: { apiKey, valkeyUrl: valkey.url } }))
    const line = rateLine(
      'the same with limits in Valkey, which shares the cores',
      await compare({ ours: shared, peer: bare }, { rounds, say }),
      { ratio: 0 },
      `${CONNECTIONS} connections; one script call a request`,
    )
    return [...lines, { ...line, aim: 'none', reached: true }]
  } finally {
    await Promise.all([load.stop(), ...edges.map((edge) => edge.stop())])
    await valkey?.stop()
  }
}
