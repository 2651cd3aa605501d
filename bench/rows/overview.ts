// The figures of an administrator's overview, over ten years of days: what a call takes, one after the other.
import { openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import { logIn } from '../installation/session.ts'
import { median } from '../rounds.ts'
import { buyersDatabase } from './buyers-database.ts'
import { type Line, loadOf, ms, type RunRow, requestOf, startLoad } from './row.ts'

const DAYS = 3_650
const MAX_MS = 50
/** Half a million rows. */
const SEED_MS = 300_000
const SPANS = ['day', 'week', 'month', 'quarter'] as const

// As many labels as a service with two markets has: states, causes, and histograms that are well filled.
const SEED = sql(
  'bench.seed_figures',
  `insert into operations.service_figure (unit, at, figure, label, count, usd_cents)
   select u.unit, u.at, l.figure, l.label, 10 + (random() * 100)::int, (random() * 100000)::int
   from (
     select 'day' unit, date_trunc('day', now(), 'UTC') - d * interval '1 day' as at from generate_series(0, $1) d
     union all
     select 'hour', date_trunc('hour', now(), 'UTC') - h * interval '1 hour' from generate_series(0, 216) h) u
   cross join (
     select 'ended' figure, unnest(array['completed', 'reverted', 'declined', 'canceled', 'failed']) label
     union all select 'begun', unnest(array['buy', 'sell'])
     union all select unnest(array['volume', 'fees', 'penalties', 'deposits', 'payouts']), ''
     union all select 'items', m || ' ' || s from unnest(array['market_a', 'market_b']) m
       cross join unnest(array['completed', 'reverted', 'declined', 'canceled', 'failed']) s
     union all select 'refunds', 'CAUSE_' || c from generate_series(1, 12) c
     union all select unnest(array['offer', 'delivery']), b::text from generate_series(0, 45) b
     union all select 'attempts', unnest(array['succeeded', 'failed'])) l
   on conflict do nothing`,
)
const MARK = sql(
  'bench.mark_figures',
  'update operations.figures_mark set hours_until = now(), folded_at = now()',
)
const ANALYZE = sql('bench.analyze_figures', 'analyze operations.service_figure')

export const runOverview: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const name = 'bench_overview'
  const url = await installation.clone(await buyersDatabase(bench), name)
  const db = openDb({ url, poolSize: 1, applicationName: name, statementTimeoutMs: SEED_MS })
  try {
    await db.query(SEED, [DAYS])
    await db.query(MARK)
    await db.query(ANALYZE)
  } finally {
    await db.close()
  }
  const api = await installation.startApi(url)
  const load = startLoad()
  try {
    const cookie = await logIn(`http://127.0.0.1:${api.port}`, installation.adminLogin)
    const lines: Line[] = []
    for (const span of SPANS) {
      const path = `/dashboard/api/admin/figures?span=${span}`
      const times: number[] = []
      for (let i = -1; i < rounds; i++) {
        const { p99Ms } = await loadOf(load, {
          ...{ port: api.port, connections: 1 },
          requests: [requestOf('GET', path, { cookie })],
          durationMs: isQuick ? 500 : 2_000,
        })
        if (i >= 0) times.push(p99Ms)
      }
      const ours = median(times)
      say(`${path}: p99 ${ms(ours)}`)
      lines.push({
        path: `\`GET ${path}\``,
        ours: `p99 ${ms(ours)}`,
        ...{ peer: '', ratio: '', scatter: null, rounds: null },
        aim: `< ${MAX_MS} ms`,
        reached: ours < MAX_MS,
        note: `figures of ${DAYS.toLocaleString('en')} days, one connection, median of ${rounds}`,
      })
    }
    return lines
  } finally {
    await Promise.all([api.stop(), load.stop()])
    await installation.drop(name)
  }
}
