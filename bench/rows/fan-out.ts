// Webhooks of many merchants at a steady pace: how old an event is when it arrives at an endpoint that is
// well, while one other endpoint never answers and one is slow; beside the same without these two ills.

import { readRows, runScript, withClient } from '../installation/installation.ts'
import { seedTrades } from '../installation/trades.ts'
import { startHelper } from '../ipc.ts'
import { compare, p50Of, p99Of, type Side, scatterOf } from '../rounds.ts'
import type { DeliverMethods } from '../servers/deliver.ts'
import type { FanOutSinkMethods } from '../servers/fan-out-sink.ts'
import { buyersDatabase } from './buyers-database.ts'
import { ms, type RunRow } from './row.ts'

const ENDPOINTS = 100
const SILENT = 0
const SLOW = 1
const WELL = ENDPOINTS - 2
/** Each endpoint hears of something at every tick. */
const TICK_MS = 250
const TICKS = { quick: 8, full: 40 }
const MOST_TIMES = 1.1

export const runFanOut: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const ticks = isQuick ? TICKS.quick : TICKS.full
  const url = await installation.clone(await buyersDatabase(bench), 'bench_fan_out')
  await seedTrades(url, { count: ENDPOINTS, say })
  await runScript(url, 'delete from outbox.event')
  const servers = `${import.meta.dirname}/../servers`
  const sink = startHelper<FanOutSinkMethods>(`${servers}/fan-out-sink.ts`)
  const deliver = startHelper<DeliverMethods>(`${servers}/deliver.ts`, installation)
  try {
    const origin = `http://127.0.0.1:${await sink.call('listen')}`
    const merchants = await readRows<{ id: string }>(
      url,
      `select uuidv7() id from generate_series(1, ${ENDPOINTS})`,
    )
    await deliver.call('open', {
      databaseUrl: url,
      endpoints: merchants.map(({ id }, i) => ({ tenantId: id, url: `${origin}/hooks/${i}` })),
    })
    const side = (isIll: boolean): Side => ({
      pid: deliver.pid,
      run: async () => {
        await runScript(url, 'truncate webhooks.attempt, webhooks.delivery, outbox.event')
        await sink.call('begin', { isIll, silent: SILENT, slow: SLOW })
        await deliver.call('start')
        const startedAt = performance.now()
        await tellAtEachTick(url, { merchants: merchants.map(({ id }) => id), ticks })
        const ages = await sink.call('ages', WELL * ticks)
        const perSecond = (ages.length * 1000) / (performance.now() - startedAt)
        await deliver.call('stop')
        return {
          count: ages.length,
          perSecond,
          p50Ms: ages[Math.floor(ages.length * 0.5)] ?? Number.NaN,
          p99Ms: ages[Math.floor(ages.length * 0.99)] ?? Number.NaN,
        }
      },
    })
    const compared = await compare({ ours: side(true), peer: side(false) }, { rounds, say })
    const { ours, peer } = compared
    const times = p50Of(ours) / p50Of(peer)
    return [
      {
        path: `webhooks to ${ENDPOINTS} endpoints, one silent and one slow: age at the other ${WELL}`,
        ours: `p50 ${ms(p50Of(ours))}, p99 ${ms(p99Of(ours))}`,
        peer: `all well: p50 ${ms(p50Of(peer))}, p99 ${ms(p99Of(peer))}`,
        ratio: `× ${times.toFixed(2)}`,
        aim: `≤ × ${MOST_TIMES.toFixed(2)}`,
        reached: times <= MOST_TIMES,
        scatter: scatterOf(compared),
        note: `${(1000 / TICK_MS) * ENDPOINTS} events a second from commit to arrival; p99 × ${(p99Of(ours) / p99Of(peer)).toFixed(2)}`,
        rounds: { ours, peer },
      },
    ]
  } finally {
    await Promise.all([sink.stop(), deliver.stop()])
    await installation.drop('bench_fan_out')
  }
}

/** One event for each merchant at each tick, about a trade of its own, dated by the moment of its commit. */
async function tellAtEachTick(
  url: string,
  { merchants, ticks }: { merchants: readonly string[]; ticks: number },
): Promise<void> {
  await withClient(url, async (client) => {
    const startedAt = Date.now()
    for (let tick = 0; tick < ticks; tick++) {
      const waitMs = startedAt + tick * TICK_MS - Date.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      await client.query(EMIT, [merchants, tick, new Date()])
    }
  })
}

const EMIT = `
  insert into outbox.event (type, subject_type, tenant_id, account_id, subject_id, dedupe_key, created_at)
  select 'trade.pending', 'trade', m.id, t.account_id, t.id, 'bench:' || $2::int || ':' || m.id, $3::timestamptz
  from unnest($1::uuid[]) with ordinality m (id, nth)
    join (select id, account_id, row_number() over (order by id) nth from trades.trade) t using (nth)`
