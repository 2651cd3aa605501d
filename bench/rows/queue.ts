// What a long queue at the markets costs those who buy: the same buys with nothing waiting, and with as many
// items of others waiting as make each buy count them.

import { type Buyer, readBuyers, readListings } from '../installation/buyers.ts'
import { auditBooks, readRows, runScript } from '../installation/installation.ts'
import { compare, p99Of, rateOf, type Side, scatterOf } from '../rounds.ts'
import { requestForBuy } from './buy.ts'
import { buyersDatabase } from './buyers-database.ts'
import { describeRounds, loadOf, type RunRow, startLoad } from './row.ts'

const NAME = 'bench_queue'
const CONNECTIONS = 32
/** Four accounts at a market take 240 a minute; a queue is counted from its half on. */
const PLACEABLE = 2400
const WAITING = 1500
/** At either market at most so many of a round wait beside those. */
const BUYS = { quick: 300, full: 800 }
const AIM = 0.95

export const runQueue: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const url = await installation.clone(await buyersDatabase(bench), NAME)
  const [api, load] = [await installation.startApi(url), startLoad()]
  const each = isQuick ? BUYS.quick : BUYS.full
  try {
    const buyers = await readBuyers(url)
    const left = await readListings(url, 1_000_000)
    const buy = async (count: number) => {
      const taken = left.splice(0, count)
      if (taken.length < count) throw new Error('there are not enough listings')
      const requests = taken.map((listing, i) =>
        requestForBuy({ listing, buyer: buyers[i % buyers.length] as Buyer }, installation.apiKey),
      )
      return loadOf(load, {
        ...{ port: api.port, connections: CONNECTIONS, requests, durationMs: null },
      })
    }
    const side = (waiting: number): Side => ({
      pid: api.pid,
      run: async () => {
        await runScript(url, waitingSql(waiting))
        return buy(each)
      },
    })
    // Twice as many as wait at each market: they are of both.
    await buy(3 * WAITING)
    const [least] = await readRows<{ count: string }>(
      url,
      `select min(count) count from (select count(*) from buying.item group by market) each_market`,
    )
    if (Number(least?.count) < WAITING) throw new Error('too few items to wait')
    const compared = await compare({ ours: side(WAITING), peer: side(0) }, { rounds, say })
    await auditBooks(url)
    const ratio = rateOf(compared.ours) / rateOf(compared.peer)
    return [
      {
        path: `\`POST /market/buy\` with ${WAITING.toLocaleString('en')} items of ${PLACEABLE.toLocaleString('en')} waiting at each market`,
        ours: describeRounds(compared.ours),
        peer: `with none: ${describeRounds(compared.peer)}`,
        ratio: `${ratio.toFixed(2)}, p99 × ${(p99Of(compared.ours) / p99Of(compared.peer)).toFixed(2)}`,
        aim: `≥ ${AIM}`,
        reached: ratio >= AIM,
        scatter: scatterOf(compared),
        note: `${CONNECTIONS} connections`,
        rounds: compared,
      },
    ]
  } finally {
    await Promise.all([api.stop(), load.stop()])
    await installation.drop(NAME)
  }
}

/** As workers would leave it: the oldest items wait, the others were placed, and the queue was measured. */
const waitingSql = (waiting: number): string => `
  update buying.item i set work = case when n.at <= ${waiting} then 'place' else 'follow' end
    from (select id, row_number() over (partition by market order by created_at, id) at from buying.item) n
    where n.id = i.id and work is distinct from case when n.at <= ${waiting} then 'place' else 'follow' end;
  insert into buying.market_queue (market, placed_per_minute, placeable, waiting, measured_at)
    select id, ${PLACEABLE / 10}, ${PLACEABLE}, ${waiting}, now() from catalog.market
    on conflict (market) do update set placed_per_minute = excluded.placed_per_minute,
      placeable = excluded.placeable, waiting = excluded.waiting, measured_at = excluded.measured_at;`
