// What traces cost: POST /market/buy of an API process that exports a tenth of them, beside one without any.

import { BUYERS, type Buyer, readBuyers, readListings } from '../installation/buyers.ts'
import { auditBooks } from '../installation/installation.ts'
import { startHelper } from '../ipc.ts'
import {
  type Compared,
  compare,
  cpuOf,
  median,
  type Round,
  type Side,
  scatterOf,
} from '../rounds.ts'
import type { ReceiverMethods } from '../servers/receiver.ts'
import type { OurProcess } from '../servers/tradepost.ts'
import { requestForBuy } from './buy.ts'
import { buyersDatabase } from './buyers-database.ts'
import { describeRounds, type Line, loadOf, type RunRow, startLoad } from './row.ts'

const CONNECTIONS = 32
const WARM_UP = 1000
const SHARE = '0.1'
const AIM = { cpuTimes: 1.03, p99Times: 1.05 }

export const runTraces: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const requestsEach = isQuick ? 1000 : 3000
  const url = await installation.clone(await buyersDatabase(bench), 'bench_traces')
  const collector = startHelper<ReceiverMethods>(`${import.meta.dirname}/../servers/receiver.ts`)
  const load = startLoad()
  const opened: OurProcess[] = []
  const open = async (settings: Record<string, string>): Promise<OurProcess> => {
    const api = await installation.startApi(url, settings)
    opened.push(api)
    return api
  }
  try {
    const traced = await open({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await collector.call('listen')}`,
      OTEL_TRACES_SAMPLER_ARG: SHARE,
    })
    const plain = await open({})
    const buyers = await readBuyers(url)
    const listings = await readListings(url, 1_000_000)
    let buys = 0
    const side = ({ port, pid }: OurProcess): Side => ({
      pid,
      run: async (index) => {
        const count = index < 0 ? WARM_UP : requestsEach
        const taken = listings.splice(0, count)
        if (taken.length < count) throw new Error('there are not enough listings')
        const requests = taken.map((listing) =>
          requestForBuy({ listing, buyer: buyers[buys++ % BUYERS] as Buyer }, installation.apiKey),
        )
        return loadOf(load, { port, connections: CONNECTIONS, requests, durationMs: null })
      },
    })
    const sides = { ours: side(traced), peer: side(plain) }
    const compared = await compare(sides, { rounds, say })
    await auditBooks(url)
    return [lineOf(compared, await collector.call('posts'))]
  } finally {
    await Promise.all([...opened.map((api) => api.stop()), collector.stop(), load.stop()])
    await installation.drop('bench_traces')
  }
}

function lineOf(compared: Compared, batches: number): Line {
  const { ours, peer } = compared
  const [traced, plain] = [cpuOf(ours) ?? Number.NaN, cpuOf(peer) ?? Number.NaN]
  const cpuTimes = pairedTimes(compared, ({ cpuMsEach }) => cpuMsEach ?? Number.NaN)
  const p99Times = pairedTimes(compared, ({ p99Ms }) => p99Ms)
  return {
    path: `\`POST /market/buy\` with ${SHARE} of the traces exported, beside none`,
    ours: describeRounds(ours),
    peer: describeRounds(peer),
    ratio: `CPU × ${cpuTimes.toFixed(3)}, p99 × ${p99Times.toFixed(2)}`,
    aim: `CPU ≤ ${AIM.cpuTimes} ×, p99 ≤ ${AIM.p99Times} ×`,
    reached: cpuTimes <= AIM.cpuTimes && p99Times <= AIM.p99Times && batches > 0,
    scatter: scatterOf(compared),
    note: `CPU of the API process for one buy: ${traced.toFixed(3)} ms against ${plain.toFixed(3)} ms; ${batches} batches exported`,
    rounds: { ours, peer },
  }
}

/** The median over pairs of neighbouring rounds: what disturbs the machine meets both of a pair alike. */
const pairedTimes = ({ ours, peer }: Compared, of: (round: Round) => number): number =>
  median(ours.map((round, i) => of(round) / of(peer[i] as Round)))
