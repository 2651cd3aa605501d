// Ten thousand open orders that all still move, followed by one worker process: whether each is looked at
// when it is due, and what that costs; beside a loop that asks the same and keeps nothing.

import { MARKET_A_DEFAULTS } from '../../apps/server/src/adapters/market-a/settings.ts'
import { MARKET_B_DEFAULTS } from '../../apps/server/src/adapters/market-b/settings.ts'
import { readBuyers, readListings } from '../installation/buyers.ts'
import { auditBooks, readRows, runScript } from '../installation/installation.ts'
import { startHelper } from '../ipc.ts'
import { compare, cpuOf, p99Of, type Round, rateOf, type Side, scatterOf } from '../rounds.ts'
import type { AskMethods } from '../servers/ask.ts'
import type { FollowMethods } from '../servers/follow.ts'
import type { Intervals, OpenOrder, SuppliersMethods } from '../servers/suppliers.ts'
import { buyersDatabase } from './buyers-database.ts'
import { loadOf, ms, type RunRow, requestOf, startLoad } from './row.ts'

const ORDERS = 10_000
/** As in production: market A shows an offer only until it is answered. */
const INTERVALS: Intervals = {
  market_a: MARKET_A_DEFAULTS.offerPollMs,
  market_b: MARKET_B_DEFAULTS.pollMs,
}
/** How much later than due a look may be at most. */
const MOST_LATE_MS = 1000
const MOST_CORE = 0.5
const ROUND_MS = 2 * Math.max(...Object.values(INTERVALS))

export const runFollow: RunRow = async (bench) => {
  const { installation, rounds, say } = bench
  const url = await installation.clone(await buyersDatabase(bench), 'bench_follow')
  await buyAll(bench, url)
  const orders = await placeAll(url)
  const servers = `${import.meta.dirname}/../servers`
  const suppliers = startHelper<SuppliersMethods>(`${servers}/suppliers.ts`)
  const follow = startHelper<FollowMethods>(`${servers}/follow.ts`, installation)
  const ask = startHelper<AskMethods>(`${servers}/ask.ts`)
  const latest: Record<'ours' | 'peer', number[]> = { ours: [], peer: [] }
  try {
    const suppliersUrl = `http://127.0.0.1:${await suppliers.call('listen')}`
    await follow.call('open', { databaseUrl: url })
    const side = (
      name: 'ours' | 'peer',
      pid: number,
      run: { start(startsAtMs: number): Promise<void>; stop(): Promise<void> },
    ): Side => ({
      pid,
      run: async () => {
        const startsAtMs = Date.now() + 2000
        await runScript(url, dueSql(startsAtMs))
        await suppliers.call('begin', orders, { startsAtMs, intervals: INTERVALS })
        await run.start(startsAtMs)
        const remainingMs = startsAtMs + ROUND_MS - Date.now()
        await new Promise((resolve) => setTimeout(resolve, remainingMs))
        const { count, lateMs } = await suppliers.call('end')
        await run.stop()
        latest[name].push(lateMs.at(-1) ?? Number.NaN)
        return {
          count,
          perSecond: (count * 1000) / ROUND_MS,
          p50Ms: lateMs[Math.floor(lateMs.length * 0.5)] ?? Number.NaN,
          p99Ms: lateMs[Math.floor(lateMs.length * 0.99)] ?? Number.NaN,
        }
      },
    })
    const compared = await compare(
      {
        ours: side('ours', follow.pid, {
          start: () => follow.call('start', { suppliersUrl, intervals: INTERVALS }),
          stop: () => follow.call('stop'),
        }),
        peer: side('peer', ask.pid, {
          start: (startsAtMs) =>
            ask.call('start', { suppliersUrl, orders, startsAtMs, intervals: INTERVALS }),
          stop: () => ask.call('stop'),
        }),
      },
      { rounds, say },
    )
    await auditBooks(url)
    const { ours, peer } = compared
    const mostLate = Math.max(...latest.ours)
    return [
      {
        path: `${ORDERS.toLocaleString('en')} open orders before delivery, each looked at every ${INTERVALS.market_a / 1000} s at market A and every ${INTERVALS.market_b / 1000} s at market B by one worker process`,
        ours: tellLooks(ours, mostLate),
        peer: tellLooks(peer, Math.max(...latest.peer)),
        ratio: `CPU × ${(coreOf(ours) / coreOf(peer)).toFixed(1)}`,
        aim: `no look more than ${ms(MOST_LATE_MS)} late, < ${MOST_CORE} of a core`,
        reached: mostLate <= MOST_LATE_MS && coreOf(ours) < MOST_CORE,
        scatter: scatterOf(compared),
        note: 'the markets’ own limits are lifted: as they are, 384 such orders at market A and 2,000 at market B can be asked about in the interval; orders in their hold, of which most are, are looked at when it ends and on signs of a reversal, and every six hours',
        rounds: { ours, peer },
      },
    ]
  } finally {
    await Promise.all([suppliers.stop(), follow.stop(), ask.stop()])
    await installation.drop('bench_follow')
  }
}

/** Share of one core that the process took. */
const coreOf = (rounds: readonly Round[]): number => ((cpuOf(rounds) ?? 0) * rateOf(rounds)) / 1000

const tellLooks = (rounds: readonly Round[], mostLateMs: number): string =>
  `${Math.round(rateOf(rounds))} looks/s, ${coreOf(rounds).toFixed(2)} of a core, late by p99 ${ms(p99Of(rounds))}, at most ${ms(mostLateMs)}`

/** Buys, made as merchants make them. */
async function buyAll({ installation }: Parameters<RunRow>[0], url: string): Promise<void> {
  const [api, load] = [await installation.startApi(url), startLoad()]
  try {
    const buyers = await readBuyers(url)
    const listings = await readListings(url, ORDERS)
    const requests = listings.map(({ id, maxPrice }, i) =>
      requestOf(
        'POST',
        '/market/buy',
        {
          'api-key': installation.apiKey,
          'on-behalf-of': buyers[i % buyers.length]?.externalId ?? '',
        },
        JSON.stringify({ items: [{ listingId: id, maxPrice }] }),
      ),
    )
    await loadOf(load, { port: api.port, connections: 32, requests, durationMs: null })
  } finally {
    await Promise.all([api.stop(), load.stop()])
  }
}

/** Every order placed and answered: what is left to do is to wait for its seller. */
async function placeAll(url: string): Promise<OpenOrder[]> {
  await runScript(
    url,
    `insert into buying.supplier_order (item_id, market, custom_id, state, sent_at, order_id, paid_mills)
     select id, market, id::text, 'placed', now(), (30000000 + row_number() over (order by id))::text,
       sourcing_mills from buying.item`,
    `select count(buying.move_item(id, 'initiated', 'pending', now(), now(), null, null, null, null, null, 0))
     from buying.item`,
    'vacuum analyze trades.item, buying.item, buying.supplier_order',
  )
  const orders = await readRows<OpenOrder>(
    url,
    `select o.market, o.custom_id "customId", o.order_id "orderId", o.paid_mills::int mills
     from buying.supplier_order o join buying.item i on i.id = o.item_id join trades.item t on t.id = i.id
     where t.status = 'pending' and i.work = 'follow' order by i.id`,
  )
  if (orders.length !== ORDERS) throw new Error(`${orders.length} orders of ${ORDERS} are followed`)
  return orders
}

/** One after the other within each market's first interval, in the order that the suppliers expect. */
const dueSql = (startsAtMs: number): string =>
  `update buying.item i set due_at = to_timestamp(${startsAtMs} / 1000.0) + make_interval(secs =>
       case market when 'market_a' then ${INTERVALS.market_a} else ${INTERVALS.market_b} end / 1000.0 * place.share)
   from (select id, (row_number() over by_market - 1)::float / count(*) over (partition by market) share
     from buying.item window by_market as (partition by market order by id)) place where place.id = i.id`
