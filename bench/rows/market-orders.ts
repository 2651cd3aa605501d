// A hundred thousand open market orders: how long it takes from the change of a listing to the buy
// that fills one, and whether buys notice the orders.
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createMatching } from '../../apps/server/src/modules/trading/buying/index.ts'
import { createCatalog } from '../../apps/server/src/modules/trading/catalog/index.ts'
import { accountsSql } from '../installation/accounts.ts'
import { BUYERS, type Buyer, readBuyers, readListings } from '../installation/buyers.ts'
import { auditBooks, readRows, runScript } from '../installation/installation.ts'
import { compare, type Side } from '../rounds.ts'
import { requestForBuy } from './buy.ts'
import { buyersDatabase } from './buyers-database.ts'
import { type Line, loadOf, ms, type RunRow, rateLine, startLoad } from './row.ts'

const NAMES = { with: 'bench_market_orders', without: 'bench_no_market_orders' }
const ORDERS = { quick: 10_000, full: 100_000 }
const MERCHANTS = 20
const ACCOUNTS_EACH = 25
/** Of the accounts that order. */
const PREFIX = 'order'
/** Of these items one order each pays more than any listing costs. */
const MATCHED = 500
const MOST_MS = 1000
const CONNECTIONS = 32
const WARM_UP = 500

export const runMarketOrders: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const count = isQuick ? ORDERS.quick : ORDERS.full
  const requestsEach = isQuick ? 500 : 3000
  const original = await buyersDatabase(bench)
  const url = await installation.clone(original, NAMES.with)
  const plainUrl = await installation.clone(original, NAMES.without)
  say(`writing ${count.toLocaleString('en')} market orders`)
  await runScript(url, MERCHANTS_SQL)
  for (const [i, { id }] of (await readRows<{ id: string }>(url, MERCHANT_IDS)).entries()) {
    const first = BUYERS + 1 + i * ACCOUNTS_EACH
    const accounts = { kind: 'sub_user', parentId: id, prefix: PREFIX, first } as const
    await runScript(url, accountsSql({ ...accounts, count: ACCOUNTS_EACH }))
  }
  await runScript(url, ordersSql(count), 'vacuum analyze')
  const load = startLoad()
  const [api, plain] = [await installation.startApi(url), await installation.startApi(plainUrl)]
  try {
    const side = async (of: { readonly pid: number; readonly port: number }, at: string) => {
      const [buyers, listings] = [await readBuyers(at), await readListings(at, 1_000_000)]
      let buys = 0
      return {
        pid: of.pid,
        run: (index) => {
          const taken = listings.splice(0, index < 0 ? WARM_UP : requestsEach)
          const requests = taken.map((listing) =>
            requestForBuy(
              { listing, buyer: buyers[buys++ % BUYERS] as Buyer },
              installation.apiKey,
            ),
          )
          return loadOf(load, {
            port: of.port,
            connections: CONNECTIONS,
            requests,
            durationMs: null,
          })
        },
      } satisfies Side
    }
    const compared = await compare(
      { ours: await side(api, url), peer: await side(plain, plainUrl) },
      { rounds, say },
    )
    const lines = [
      await matchingLine(url, count),
      rateLine(
        `\`POST /market/buy\` beside ${count.toLocaleString('en')} open market orders`,
        compared,
        { ratio: 0.95 },
        'the peer is the same API on a database without any',
      ),
    ]
    await auditBooks(url)
    return lines
  } finally {
    await Promise.all([api.stop(), plain.stop(), load.stop()])
    await installation.drop(NAMES.with)
    await installation.drop(NAMES.without)
  }
}

async function matchingLine(url: string, count: number): Promise<Line> {
  const db = openDb({ url, poolSize: 4, applicationName: 'bench market-orders' })
  try {
    const clock = systemClock
    const buyers = new Map((await readBuyers(url, PREFIX)).map((buyer) => [buyer.accountId, buyer]))
    const catalog = createCatalog({ db, clock })
    let filled = 0
    const matching = createMatching({
      ...{ db, clock, currentRate: async () => 1_100_000n },
      getListings: catalog.getListings,
      findFitting: catalog.findFitting,
      buyerOf: async ({ accountId, keyId }) => {
        const buyer = buyers.get(accountId)
        if (buyer === undefined) return null
        return {
          ...{ accountId, tenantId: buyer.merchantId, keyId, currency: 'USD' },
          ...{ merchantCurrency: 'USD', houseFeeBps: buyer.houseFeeBps },
          merchantFeeBps: buyer.merchantFeeBps,
          primaryTradeUrl: { url: buyer.tradeUrl, platformId: buyer.platformId },
        }
      },
      onFilled: () => filled++,
    })
    const changes = await readRows<{ id: string; itemId: string }>(url, CHANGES, [MATCHED])
    const times: number[] = []
    for (const { id, itemId } of changes) {
      const begunAt = performance.now()
      await matching.matchListings([{ id: BigInt(id), itemId }])
      times.push(performance.now() - begunAt)
    }
    times.sort((a, b) => a - b)
    const at = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? 0
    return {
      path: `change of a listing to its fill, ${count.toLocaleString('en')} open market orders`,
      ours: `p50 ${ms(at(0.5))}, p99 ${ms(at(0.99))}`,
      peer: '',
      ratio: '',
      aim: `p99 < ${MOST_MS} ms, each filled`,
      reached: at(0.99) < MOST_MS && filled === changes.length && changes.length > 0,
      scatter: null,
      note: `${filled} of ${changes.length} listings bought, one after the other`,
      rounds: null,
    }
  } finally {
    await db.close()
  }
}

const MERCHANTS_SQL = `
  with merchant as (
    insert into identity.account (id, kind, currency, email, name, fee_bps, buy_fee_bps, sell_fee_bps,
        child_default_fee_bps, created_at, updated_at)
      select uuidv7(), 'merchant', 'USD', 'orders-' || n || '@bench.example', 'orders-' || n, 500, 100, 0, 500,
        now(), now()
      from generate_series(1, ${MERCHANTS}) n returning id)
  select count(ledger.open_account(id, kind, 'USD'))
    from merchant, unnest(array['spot', 'earnings']) kind`
const MERCHANT_IDS = "select id from identity.account where name like 'orders-%' order by id"

/** Spread over the items and the accounts; all but the matched ones pay a cent. */
const ordersSql = (count: number): string => `
  insert into bidding.market_order (tenant_id, account_id, external_id, request_hash, item_id, market_hash_name, filters,
      instant_only, currency, max_price, quantity, status, expires_at, created_at, updated_at)
    select a.parent_id, a.id, 'bench-' || o.n, '\\x00', i.id, i.market_hash_name, '{}', false, 'USD',
      case when o.n <= ${MATCHED} then 10000000 else 1 end, 1, 'open', now() + interval '30 days', now(), now()
    from generate_series(1, ${count}) o (n)
    join (select id, parent_id, row_number() over (order by external_id) n from identity.account
      where external_id like '${PREFIX}-%') a on a.n = o.n % ${MERCHANTS * ACCOUNTS_EACH} + 1
    join (select id, market_hash_name, row_number() over (order by id) n, count(*) over () size from catalog.item
      where id in (select item_id from catalog.listing where live and not taken and price_mills < 10000)) i
      on i.n = o.n % i.size + 1`

const CHANGES = `
  select distinct on (o.item_id) l.id::text, o.item_id "itemId" from bidding.market_order o
  join catalog.listing l on l.item_id = o.item_id and l.live and not l.taken and l.price_mills < 10000
  where o.max_price > 1 order by o.item_id, l.price_mills limit $1`
