// What the statistics of a merchant cost the primary with a replica beside it. The peer is the same without
// the replica; both answer as many requests as they can, so what is compared is CPU of the primary a request.
import { join } from 'node:path'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { findFreePort } from '../../apps/server/src/infra/process/ports.ts'
import { keepFigures } from '../../apps/server/src/modules/trading/trades/index.ts'
import { startStandby } from '../../tests/endurance/worlds/standby.ts'
import { metricOf } from '../../tests/support/server.ts'
import { seedTrades } from '../installation/trades.ts'
import { cpuSecondsOfServer } from '../machine.ts'
import { compare, cpuOf, type Round, type Side } from '../rounds.ts'
import type { OurProcess } from '../servers/tradepost.ts'
import { buyersDatabase } from './buyers-database.ts'
import { loadOf, ms, type RunRow, requestOf, startLoad } from './row.ts'

const PATH = '/merchant/stats'
/** Of what they cost the primary without a replica. */
const AIM = 0.2

export const runReplica: RunRow = async (bench) => {
  const { installation, isQuick, rounds, say } = bench
  const count = isQuick ? 30_000 : 100_000
  const name = 'bench_replica'
  const url = await installation.clone(await buyersDatabase(bench), name)
  say(`writing ${count.toLocaleString('en')} trades`)
  await seedTrades(url, { count, say })
  const db = openDb({ url, poolSize: 1, statementTimeoutMs: 120_000 })
  await keepFigures(db, { at: systemClock.now(), signal: AbortSignal.timeout(300_000) })
  await db.close()
  const primary = await installation.database()
  say('copying the server for the replica')
  const replica = await startStandby(primary, {
    primaryFolder: join(installation.dataFolder, 'postgres'),
    folder: join(installation.folder, 'replica'),
  })
  const metricsPort = await findFreePort()
  const apis = [
    await installation.startApi(url, {
      DATABASE_READ_URL: replica.urlOf(name),
      METRICS_PORT: String(metricsPort),
    }),
    await installation.startApi(url),
  ] as const
  const load = startLoad()
  const sideOf = (api: OurProcess, used: number[]): Side => ({
    pid: null,
    run: async (index) => {
      const before = cpuSecondsOfServer(primary.pid())
      const result = await loadOf(load, {
        ...{ port: api.port, connections: 2, durationMs: index < 0 || isQuick ? 2000 : 10_000 },
        requests: [requestOf('GET', PATH, { 'api-key': installation.apiKey })],
      })
      const seconds = cpuSecondsOfServer(primary.pid()) - before
      if (index >= 0) used.push((seconds * 1000) / result.count)
      return result
    },
  })
  try {
    const used = { ours: [] as number[], peer: [] as number[] }
    const sides = { ours: sideOf(apis[0], used.ours), peer: sideOf(apis[1], used.peer) }
    const compared = await compare(sides, { rounds, say })
    const metrics = { metricsUrl: `http://127.0.0.1:${metricsPort}` }
    const read = (side: string): Promise<number | null> =>
      metricOf(metrics, 'tradepost_db_reads_total', { side })
    const [atReplica, atPrimary] = [(await read('replica')) ?? 0, (await read('primary')) ?? 0]
    const withCpu = (each: readonly Round[], cpuMs: readonly number[]): Round[] =>
      each.map((round, i) => ({ ...round, cpuMsEach: cpuMs.at(i - each.length) ?? null }))
    const [ours, peer] = [withCpu(compared.ours, used.ours), withCpu(compared.peer, used.peer)]
    const [mine, other] = [cpuOf(ours) ?? Number.NaN, cpuOf(peer) ?? Number.NaN]
    return [
      {
        path: `CPU of the primary for a \`GET ${PATH}\` with a replica, ${count.toLocaleString('en')} trades`,
        ours: ms(mine),
        peer: `${ms(other)} without`,
        ratio: (mine / other).toFixed(2),
        aim: `≤ ${AIM.toFixed(2)}`,
        reached: mine / other <= AIM,
        scatter: null,
        note: `${atReplica.toLocaleString('en')} reads at the replica, ${atPrimary.toLocaleString('en')} at the primary; the looks at both are counted`,
        rounds: { ours, peer },
      },
    ]
  } finally {
    await Promise.all([load.stop(), ...apis.map((api) => api.stop())])
    await replica.stop()
    await installation.drop(name)
  }
}
