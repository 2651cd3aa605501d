// The live market: listings that change, sent to many sockets, against a bare `ws` server that sends each
// frame to each socket; and what an idle socket costs.
import { join } from 'node:path'
import { readBuyers } from '../installation/buyers.ts'
import { type Helper, startHelper } from '../ipc.ts'
import type { SocketsMethods, Watched } from '../load/sockets.ts'
import { memoryOf } from '../machine.ts'
import { compare, type Side } from '../rounds.ts'
import type { LiveDriverMethods } from '../servers/live-driver.ts'
import type { LivePeerMethods } from '../servers/live-peer.ts'
import type { OurProcess } from '../servers/tradepost.ts'
import { buyersDatabase } from './buyers-database.ts'
import { type Bench, type Line, type RunRow, rateLine } from './row.ts'

/** An account may have five. */
export const SOCKETS_EACH = 5
/** One process cannot open ten thousand and read them beside a server that writes them. */
export const CLIENT_PROCESSES = 2
const WINDOW_MS = { quick: 3000, full: 10_000 }
/** Its sockets are also measured before anything is sent to them. */
const IDLE_CASE = { sockets: 10_000, perSecond: 20 }
const DRAIN_TIMEOUT_MS = 60_000

interface Arena {
  readonly api: OurProcess
  readonly peer: Helper<LivePeerMethods>
  readonly driver: Helper<LiveDriverMethods>
  readonly ours: readonly Helper<SocketsMethods>[]
  readonly theirs: readonly Helper<SocketsMethods>[]
}

export const runLive: RunRow = async (bench) => {
  const { installation, isQuick } = bench
  const lines: Line[] = []
  const cases = isQuick
    ? [{ sockets: 500, perSecond: 20 }]
    : [
        IDLE_CASE,
        { sockets: 1000, perSecond: 200 },
        // More than either can send: how much it is then.
        { sockets: 10_000, perSecond: 80 },
        { sockets: 1000, perSecond: 1600 },
      ]
  for (const { sockets, perSecond } of cases) {
    const url = await installation.clone(await buyersDatabase(bench), 'bench_live')
    const servers = `${import.meta.dirname}/../servers`
    const clients = () =>
      Array.from({ length: CLIENT_PROCESSES }, () =>
        startHelper<SocketsMethods>(`${import.meta.dirname}/../load/sockets.ts`),
      )
    const arena: Arena = {
      api: await installation.startApi(url, {
        LIVE_SOCKETS_PER_MERCHANT: String(IDLE_CASE.sockets),
      }),
      peer: startHelper<LivePeerMethods>(`${servers}/live-peer.ts`),
      driver: startHelper<LiveDriverMethods>(`${servers}/live-driver.ts`),
      ours: clients(),
      theirs: clients(),
    }
    try {
      await arena.driver.call('open', url)
      lines.push(...(await runCase(bench, arena, { url, sockets, perSecond })))
    } finally {
      const { api, peer, driver, ours, theirs } = arena
      await Promise.all([driver, peer, ...ours, ...theirs].map((helper) => helper.stop()))
      await api.stop()
      await installation.drop('bench_live')
    }
  }
  return lines
}

async function runCase(
  { installation, rounds, isQuick, say }: Bench,
  { api, peer, driver, ours, theirs }: Arena,
  { url, sockets, perSecond }: { url: string; sockets: number; perSecond: number },
): Promise<Line[]> {
  const buyers = (await readBuyers(url)).slice(0, Math.ceil(sockets / SOCKETS_EACH))
  const accounts = Array.from({ length: sockets }, (_, i) => buyers[i % buyers.length]).flatMap(
    (buyer) => buyer ?? [],
  )
  const paths = await driver.call('paths', join(installation.dataFolder, 'secrets.key'), accounts)
  const before = residentBytes(api.pid)
  say(`opening ${sockets.toLocaleString('en')} sockets of ours`)
  await openAll(ours, { port: api.port, paths, isGreeted: true })
  const eachBytes = (residentBytes(api.pid) - before) / sockets
  say(`${Math.round(eachBytes)} bytes each; opening as many of the peer`)
  const peerPort = await peer.call('listen')
  await openAll(theirs, { port: peerPort, paths: paths.map(() => '/'), isGreeted: false })

  const faults: string[] = []
  const side = (
    pid: number,
    clients: readonly Helper<SocketsMethods>[],
    drive: (durationMs: number) => Promise<number>,
    mustBeWhole: boolean,
  ): Side => ({
    pid,
    run: async () => {
      const durationMs = isQuick ? WINDOW_MS.quick : WINDOW_MS.full
      for (const client of clients) await client.call('reset')
      const startedAt = performance.now()
      const count = await drive(durationMs)
      const seconds = (performance.now() - startedAt) / 1000
      const inTime = await watch(clients)
      const whole = await drained(clients, count)
      if (mustBeWhole && (whole.least !== count || whole.most !== count || whole.disorder > 0)) {
        faults.push(`${whole.least} to ${whole.most} frames of ${count}, ${whole.disorder} late`)
      }
      return {
        count: inTime.frames,
        perSecond: inTime.frames / seconds,
        p50Ms: whole.p50Ms,
        p99Ms: whole.p99Ms,
      }
    },
  })
  const compared = await compare(
    {
      ours: side(api.pid, ours, (ms) => driver.call('drive', perSecond, ms), true),
      peer: side(peer.pid, theirs, (ms) => peer.call('drive', perSecond, ms), false),
    },
    { rounds, say },
  )
  const what = `${sockets.toLocaleString('en')} sockets, ${perSecond} changes a second`
  const line = rateLine(
    `live market, ${what}: frames delivered`,
    compared,
    { ratio: 2, p99Ms: 1000 },
    faults.length === 0 ? 'no frame lost or out of order' : `NOT WHOLE: ${faults.join('; ')}`,
  )
  const judged = { ...line, reached: line.reached && faults.length === 0 }
  return perSecond === IDLE_CASE.perSecond ? [judged, idleLine(sockets, eachBytes)] : [judged]
}

const residentBytes = (pid: number): number => memoryOf(pid).residentMb * 1024 * 1024

function idleLine(sockets: number, eachBytes: number): Line {
  return {
    path: `live market, ${sockets.toLocaleString('en')} idle sockets: memory of the process for each`,
    ours: `${(eachBytes / 1000).toFixed(1)} kB`,
    peer: '',
    ratio: '',
    aim: '< 25 kB',
    reached: eachBytes < 25_000,
    scatter: null,
    note: 'resident memory before and after they were opened',
    rounds: null,
  }
}

export async function openAll(
  clients: readonly Helper<SocketsMethods>[],
  { port, paths, isGreeted }: { port: number; paths: readonly string[]; isGreeted: boolean },
): Promise<void> {
  const share = Math.ceil(paths.length / clients.length)
  await Promise.all(
    clients.map((client, i) =>
      client.call('open', port, paths.slice(i * share, (i + 1) * share), isGreeted),
    ),
  )
}

async function watch(clients: readonly Helper<SocketsMethods>[]): Promise<Watched> {
  const all = await Promise.all(clients.map((client) => client.call('read')))
  return {
    frames: all.reduce((sum, { frames }) => sum + frames, 0),
    least: Math.min(...all.map(({ least }) => least)),
    most: Math.max(...all.map(({ most }) => most)),
    disorder: all.reduce((sum, one) => sum + one.disorder, 0),
    p50Ms: Math.max(...all.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...all.map(({ p99Ms }) => p99Ms)),
  }
}

/** When everything has arrived, or nothing more does. */
async function drained(
  clients: readonly Helper<SocketsMethods>[],
  count: number,
): Promise<Watched> {
  const deadline = performance.now() + DRAIN_TIMEOUT_MS
  for (;;) {
    const now = await watch(clients)
    if (now.least >= count || performance.now() > deadline) return now
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
