// POST /market/quick-buy of 200 units, one commit, beside a buy of one on the same server.

import { type Buyer, readBuyers } from '../installation/buyers.ts'
import { auditBooks, readRows, runScript } from '../installation/installation.ts'
import { compare, p50Of, p99Of, type Side, scatterOf } from '../rounds.ts'
import { buyersDatabase } from './buyers-database.ts'
import { describeRounds, loadOf, ms, type RunRow, requestOf, startLoad } from './row.ts'

const UNITS = 200
const MOST_TIMES = 10
/** One caller who waits for an answer: a latency, not a rate. */
const CONNECTIONS = 1
/** Quick-buys that a run needs at most: a warm-up, and rounds that are repeated once. */
const SHELVES = 220

export const runQuickBuy: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const each = isQuick ? 5 : 15
  const url = await installation.clone(await buyersDatabase(bench), 'bench_quick_buy')
  // Before the server starts: what is for sale is read then.
  const shelves = await fillShelves(url)
  const singles = await readSingles(url)
  const [api, load] = [await installation.startApi(url), startLoad()]
  try {
    const buyers = await readBuyers(url)
    let next = 0
    const side = (requestFor: (buyer: Buyer) => string, count: number): Side => ({
      pid: api.pid,
      run: () => {
        const requests = Array.from({ length: count }, () =>
          requestFor(buyers[next++ % buyers.length] as Buyer),
        )
        return loadOf(load, {
          port: api.port,
          connections: CONNECTIONS,
          requests,
          durationMs: null,
        })
      },
    })
    const post = (path: string, buyer: Buyer, body: object): string =>
      requestOf(
        'POST',
        path,
        { 'api-key': installation.apiKey, 'on-behalf-of': buyer.externalId },
        JSON.stringify(body),
      )
    const compared = await compare(
      {
        ours: side((buyer) => {
          const itemId = shelves.pop()
          return post('/market/quick-buy', buyer, {
            itemId,
            maxPrice: '5.00',
            amount: UNITS,
            delivery: 'instant',
          })
        }, each),
        peer: side(
          (buyer) =>
            post('/market/buy', buyer, {
              items: [{ listingId: singles.pop(), maxPrice: '900000.00' }],
            }),
          each * 10,
        ),
      },
      { rounds, say },
    )
    const full = await readRows<{ count: number }>(
      url,
      `select count(*)::int as count from trades.trade where item_count = ${UNITS}`,
    )
    const made = each * (rounds * compared.attempts + 1)
    if (full[0]?.count !== made) throw new Error(`${full[0]?.count} of ${made} found all units`)
    await auditBooks(url)
    const { ours, peer } = compared
    const times = p50Of(ours) / p50Of(peer)
    return [
      {
        path: `\`POST /market/quick-buy\` of ${UNITS} units, beside a buy of one`,
        ours: describeRounds(ours),
        peer: describeRounds(peer),
        ratio: `p50 × ${times.toFixed(1)}, p99 × ${(p99Of(ours) / p99Of(peer)).toFixed(1)}`,
        aim: `p50 ≤ ${MOST_TIMES} × the peer's`,
        reached: times <= MOST_TIMES,
        scatter: scatterOf(compared),
        note: `one commit each, ${CONNECTIONS} connection, ${ms(p50Of(ours) / UNITS)} for a unit; the books audit is clean after it`,
        rounds: { ours, peer },
      },
    ]
  } finally {
    await Promise.all([api.stop(), load.stop()])
    await installation.drop('bench_quick_buy')
  }
}

const SHELF_SQL = `select item_id from catalog.listing where live and not taken and price_mills = 1000
  group by item_id having count(*) >= ${UNITS}`

/** Gives some items of the catalogue 200 listings at one price each, and nothing else below it. */
async function fillShelves(url: string): Promise<string[]> {
  await runScript(
    url,
    `with stocked as (
       select item_id, row_number() over (order by item_id) - 1 as place from (
         select distinct item_id from catalog.listing where live and not taken) named limit ${SHELVES}),
     filler as (
       select id, (row_number() over (order by id) - 1) / ${UNITS} as place from catalog.listing
       where live and not taken order by id limit ${SHELVES * UNITS})
     update catalog.listing l set item_id = stocked.item_id, price_mills = 1000, delivery = 'instant'
     from filler join stocked on stocked.place = filler.place where l.id = filler.id`,
    'vacuum analyze catalog.listing',
  )
  const rows = await readRows<{ item_id: string }>(url, `${SHELF_SQL} limit ${SHELVES}`)
  return rows.map(({ item_id }) => item_id)
}

/** Listings of items that are not in stock. */
async function readSingles(url: string): Promise<string[]> {
  const rows = await readRows<{ id: string }>(
    url,
    `select id::text from catalog.listing where live and not taken and item_id not in (${SHELF_SQL})
     order by hashint8(id) limit 3000`,
  )
  return rows.map(({ id }) => id)
}
