// The reads of the market, against a bare Fastify route that sends the same bytes.
import { request } from 'undici'
import { ORIGINAL, runScript } from '../installation/installation.ts'
import { readNames, searchPaths, suggestionPaths } from '../installation/questions.ts'
import type { Helper } from '../ipc.ts'
import type { LoadMethods } from '../load/process.ts'
import { type Compared, compare } from '../rounds.ts'
import type { PreparedAnswer } from '../servers/peer.ts'
import {
  type Bench,
  type Line,
  loadOf,
  type RunRow,
  rateLine,
  requestOf,
  startLoad,
  startPeer,
} from './row.ts'

const CONNECTIONS = 10

export const runSearch: RunRow = (bench) =>
  withMarket(bench, async (market) => {
    const paths = searchPaths(await market.names())
    const compared = await market.compare({ paths, headers: {} })
    const path = `\`GET /market/search\` with text, filters and sort, ${paths.length} queries`
    return [rateLine(path, compared, { ratio: 0.5, p99Ms: 10 }, connectionsNote)]
  })

export const runSuggestions: RunRow = (bench) =>
  withMarket(bench, async (market) => {
    const paths = suggestionPaths(await market.names())
    const compared = await market.compare({ paths, headers: {} })
    const path = `\`GET /market/search/suggestions\`, ${paths.length} beginnings`
    return [rateLine(path, compared, { ratio: 0.6 }, connectionsNote)]
  })

export const runPrices: RunRow = (bench) =>
  withMarket(bench, async (market) => {
    const lines: Line[] = []
    for (const encoding of ['gzip', 'identity']) {
      const compared = await market.compare({
        paths: ['/market/prices?limit=-1'],
        headers: { 'accept-encoding': encoding },
      })
      const path = `\`GET /market/prices?limit=-1\`, ${encoding}`
      lines.push(rateLine(path, compared, { ratio: 0.8 }, connectionsNote))
    }
    return lines
  })

const connectionsNote = `${CONNECTIONS} connections`

const MARKETS_ON = 'update catalog.market set online = true, enabled = true'

interface Market {
  names(): ReturnType<typeof readNames>
  compare(questions: {
    paths: readonly string[]
    headers: Readonly<Record<string, string>>
  }): Promise<Compared>
}

async function withMarket(
  bench: Bench,
  work: (market: Market) => Promise<Line[]>,
): Promise<Line[]> {
  const { installation, rounds, isQuick, say } = bench
  const url = await installation.clone(ORIGINAL, 'bench_market')
  await runScript(url, MARKETS_ON, 'vacuum analyze')
  const [api, peer, load] = [await installation.startApi(url), startPeer(), startLoad()]
  try {
    const peerPort = await peer.call('listen', null)
    const durationMs = isQuick ? 1000 : 4000
    return await work({
      names: () => readNames(url),
      compare: async ({ paths, headers }) => {
        const all = { ...headers, 'api-key': installation.apiKey }
        await peer.call('prepareAnswers', await answersOf(api.port, paths, all))
        const requests = paths.map((path) => requestOf('GET', path, all))
        const side = (port: number, pid: number) => ({
          pid,
          run: (index: number) =>
            runFor(load, port, requests, index < 0 ? durationMs / 2 : durationMs),
        })
        return compare(
          { ours: side(api.port, api.pid), peer: side(peerPort, peer.pid) },
          { rounds, say },
        )
      },
    })
  } finally {
    await Promise.all([api.stop(), peer.stop(), load.stop()])
    await installation.drop('bench_market')
  }
}

const runFor = (
  load: Helper<LoadMethods>,
  port: number,
  requests: readonly string[],
  durationMs: number,
) => loadOf(load, { port, connections: CONNECTIONS, requests, durationMs })

const KEPT_HEADERS = ['content-type', 'content-encoding', 'etag', 'cache-control', 'vary']

/** The very bytes that ours sends, compressed as it sends them. */
async function answersOf(
  port: number,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
): Promise<PreparedAnswer[]> {
  const answers: PreparedAnswer[] = []
  for (const path of paths) {
    const answer = await request(`http://127.0.0.1:${port}${path}`, { headers })
    const body = Buffer.from(await answer.body.arrayBuffer())
    if (answer.statusCode !== 200) throw new Error(`${path}: ${body.toString().slice(0, 500)}`)
    const kept = KEPT_HEADERS.flatMap((name) => {
      const value = answer.headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    })
    answers.push({ path, headers: Object.fromEntries(kept), body })
  }
  return answers
}
