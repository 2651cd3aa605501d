// Webhooks of many merchants at a steady pace: how old an event is when it arrives at an endpoint that is
// well, beside endpoints that are slow, silent, or both by turns, with a backlog of their own; and beside the
// same without these ills.

import { readRows, runScript, withClient } from '../installation/installation.ts'
import { seedTrades } from '../installation/trades.ts'
import { startHelper } from '../ipc.ts'
import { compare, p50Of, p99Of, type Side, scatterOf } from '../rounds.ts'
import type { DeliverMethods } from '../servers/deliver.ts'
import type { FanOutReceiverMethods, Ills } from '../servers/fan-out-receiver.ts'
import { buyersDatabase } from './buyers-database.ts'
import { type Bench, type Line, ms, type RunRow } from './row.ts'

const WELL = 98
/** Each endpoint that is well gets an event at every tick, in turn about one of the merchant's trades. */
const TICK_MS = 250
const TRADES_EACH = 100
const TICKS = { quick: 8, full: 40 }

interface Case {
  readonly name: string
  readonly ills: Ills
  /** Events that each of the ill ones has waiting, older than all others. */
  readonly backlog: number
  readonly mostTimes: number
}

const CASES: readonly Case[] = [
  {
    name: 'one silent and one slow',
    ills: { silent: 1, slow: 1, alternating: 0 },
    ...{ backlog: 0, mostTimes: 1.1 },
  },
  {
    name: '128 silent and 8 that answer once in a while',
    ills: { silent: 128, slow: 0, alternating: 8 },
    ...{ backlog: 500, mostTimes: 2 },
  },
]

export const runFanOut: RunRow = async (bench) => {
  const lines: Line[] = []
  for (const one of CASES) lines.push(await runCase(bench, one))
  return lines
}

async function runCase(bench: Bench, { name, ills, backlog, mostTimes }: Case): Promise<Line> {
  const { installation, rounds, isQuick, say } = bench
  const ticks = isQuick ? TICKS.quick : TICKS.full
  const illCount = ills.silent + ills.slow + ills.alternating
  const count = illCount + WELL
  const url = await installation.clone(await buyersDatabase(bench), 'bench_fan_out')
  await seedTrades(url, { count: count * TRADES_EACH, say })
  await runScript(url, NUMBER_TRADES)
  const servers = `${import.meta.dirname}/../servers`
  const receiver = startHelper<FanOutReceiverMethods>(`${servers}/fan-out-receiver.ts`)
  const deliver = startHelper<DeliverMethods>(`${servers}/deliver.ts`, installation)
  try {
    const port = await receiver.call('listen')
    const ids = (
      await readRows<{ id: string }>(url, `select uuidv7() id from generate_series(1, ${count})`)
    ).map(({ id }) => id)
    // Each of the ill ones at an address of its own: a bound by host shall not help.
    const hostOf = (i: number): string => (i < illCount ? `127.0.1.${i + 1}` : '127.0.0.1')
    await deliver.call('open', {
      databaseUrl: url,
      endpoints: ids.map((tenantId, i) => ({
        tenantId,
        url: `http://${hostOf(i)}:${port}/hooks/${i}`,
      })),
    })
    const side = (isIll: boolean): Side => ({
      pid: deliver.pid,
      run: async () => {
        await runScript(url, 'truncate webhooks.attempt, webhooks.delivery, outbox.event')
        await receiver.call('begin', { isIll, ills })
        if (isIll && backlog > 0) {
          const waiting = { merchants: ids.slice(0, illCount), first: 0, ticks: backlog, tickMs: 0 }
          await emitAtEachTick(url, waiting)
        }
        await deliver.call('start')
        await dispatched(url)
        const startedAt = performance.now()
        await emitAtEachTick(url, { merchants: ids, first: backlog, ticks, tickMs: TICK_MS })
        const ages = await receiver.call('ages', WELL * ticks)
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
    return {
      path: `webhooks to ${count} endpoints, ${name}: age at the other ${WELL}`,
      ours: `p50 ${ms(p50Of(ours))}, p99 ${ms(p99Of(ours))}`,
      peer: `all well: p50 ${ms(p50Of(peer))}, p99 ${ms(p99Of(peer))}`,
      ratio: `× ${times.toFixed(2)}`,
      aim: `≤ × ${mostTimes.toFixed(2)}`,
      reached: times <= mostTimes,
      scatter: scatterOf(compared),
      note: `${(1000 / TICK_MS) * count} events a second from commit to arrival; p99 × ${(p99Of(ours) / p99Of(peer)).toFixed(2)}`,
      rounds: { ours, peer },
    }
  } finally {
    await Promise.all([receiver.stop(), deliver.stop()])
    await installation.drop('bench_fan_out')
  }
}

/** Returns once every event that is committed has become a delivery, which they do in order. */
async function dispatched(url: string): Promise<void> {
  const isWaiting =
    'select exists (select from outbox.event where dispatched_at is null) "isWaiting"'
  for (;;) {
    const [row] = await readRows<{ isWaiting: boolean }>(url, isWaiting)
    if (!row?.isWaiting) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** One event for each merchant at each tick, about its next trade, dated by the moment of its commit. */
async function emitAtEachTick(
  url: string,
  {
    merchants,
    first,
    ticks,
    tickMs,
  }: { merchants: readonly string[]; first: number; ticks: number; tickMs: number },
): Promise<void> {
  await withClient(url, async (client) => {
    const startedAt = Date.now()
    for (let tick = 0; tick < ticks; tick++) {
      const waitMs = startedAt + tick * tickMs - Date.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      await client.query(EMIT, [merchants, first + tick, new Date()])
    }
  })
}

const NUMBER_TRADES = `
  create table bench_trade as
    select row_number() over (order by id) - 1 nth, id, account_id from trades.trade;
  create unique index on bench_trade (nth)`

const EMIT = `
  insert into outbox.event (type, subject_type, tenant_id, account_id, subject_id, dedupe_key, created_at)
  select 'trade.pending', 'trade', m.id, t.account_id, t.id, 'bench:' || $2::int || ':' || m.id, $3::timestamptz
  from unnest($1::uuid[]) with ordinality m (id, nth)
    join bench_trade t on t.nth = (m.nth - 1) * ${TRADES_EACH} + $2::int % ${TRADES_EACH}`
