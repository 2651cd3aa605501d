// GET /merchant/trades at any depth: a page must cost the same whether ten thousand or a million trades
// are there.

import { type Installation, readRows } from '../installation/installation.ts'
import { seedTrades } from '../installation/trades.ts'
import type { Helper } from '../ipc.ts'
import type { LoadMethods } from '../load/process.ts'
import { type Compared, compare, rateOf, type Side, scatterOf } from '../rounds.ts'
import { buyersDatabase } from './buyers-database.ts'
import { type Bench, describeRounds, type Line, loadOf, type RunRow, requestOf } from './row.ts'
import { onTwoSizes, openPlace, type Place } from './two-sizes.ts'

const CONNECTIONS = 10
const PAGE_SIZE = 10
const SMALL = 10_000
const MAX_TIMES_SLOWER = 1.5

export const runTrades: RunRow = async (bench) => {
  const { installation, isQuick } = bench
  const large = isQuick ? 30_000 : 1_000_000
  const from = await buyersDatabase(bench)
  const open = (count: number) => () => {
    bench.say(`writing ${count.toLocaleString('en')} trades`)
    const fill = (url: string) => seedTrades(url, { count, say: bench.say })
    return openPlace(bench, { from, name: `bench_trades_${count}`, fill })
  }
  return onTwoSizes(bench, { small: open(SMALL), big: open(large) }, async (sizes) => {
    const depths = [
      { page: 1, against: 1 },
      { page: 1000, against: 1000 },
      { page: large / PAGE_SIZE, against: 1000 },
    ]
    const lines: Line[] = []
    for (const { page, against } of depths) {
      const peer = await sideOf(installation, sizes.small, against, sizes.load, bench)
      const ours = await sideOf(installation, sizes.big, page, sizes.load, bench)
      const compared = await compare({ ours, peer }, bench)
      lines.push(lineOf({ page, against, large, compared }))
    }
    return lines
  })
}

async function sideOf(
  installation: Installation,
  { url, api }: Place,
  page: number,
  load: Helper<LoadMethods>,
  { isQuick }: Bench,
): Promise<Side> {
  const durationMs = isQuick ? 800 : 3000
  const cursor = await cursorOf(url, page)
  const path = `/merchant/trades?limit=${PAGE_SIZE}${cursor === null ? '' : `&cursor=${cursor}`}`
  const requests = [requestOf('GET', path, { 'api-key': installation.apiKey })]
  return {
    pid: api.pid,
    run: (index) =>
      loadOf(load, {
        port: api.port,
        connections: CONNECTIONS,
        requests,
        durationMs: index < 0 ? durationMs / 2 : durationMs,
      }),
  }
}

/** The cursor that a caller holds who has walked to this page. */
async function cursorOf(url: string, page: number): Promise<string | null> {
  if (page === 1) return null
  const [row] = await readRows<{ id: string }>(
    url,
    'select id from trades.trade order by id desc limit 1 offset $1',
    [(page - 1) * PAGE_SIZE - 1],
  )
  if (!row) throw new Error(`there is no page ${page}`)
  return row.id
}

function lineOf(measured: {
  page: number
  against: number
  large: number
  compared: Compared
}): Line {
  const { page, against, large, compared } = measured
  const slower = rateOf(compared.peer) / rateOf(compared.ours)
  const named = (count: number): string => count.toLocaleString('en')
  return {
    path: `\`GET /merchant/trades\`, page ${named(page)} of ${named(large)} trades`,
    ours: describeRounds(compared.ours),
    peer: `page ${named(against)} of ${named(SMALL)}: ${describeRounds(compared.peer)}`,
    ratio: `× ${slower.toFixed(2)} slower`,
    aim: `≤ × ${MAX_TIMES_SLOWER}`,
    reached: slower <= MAX_TIMES_SLOWER,
    scatter: scatterOf(compared),
    note: `${PAGE_SIZE} trades a page, ${CONNECTIONS} connections; the books audits are clean`,
    rounds: { ours: compared.ours, peer: compared.peer },
  }
}
