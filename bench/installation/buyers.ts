// Ten thousand funded sub-users of the demo merchant, each with a trade URL, and listings for them to buy.
import type { Say } from '../rounds.ts'
import { accountsSql } from './accounts.ts'
import { readRows, runScript } from './installation.ts'

export const BUYERS = 10_000

export interface Buyer {
  readonly accountId: string
  readonly externalId: string
  readonly merchantId: string
  readonly tradeUrl: string
  readonly platformId: string
  readonly houseFeeBps: number
  readonly merchantFeeBps: number
}

/** Written into a database once; the rows clone it. `copies`: of each listing that the markets offer. */
export async function seedBuyers(
  url: string,
  { copies, say }: { copies: number; say: Say },
): Promise<void> {
  say(
    `writing ${BUYERS.toLocaleString('en')} funded sub-users and ${copies} copies of each listing`,
  )
  const accounts = accountsSql({ kind: 'sub_user', below: 'merchant', count: BUYERS })
  const scripts = [OPEN_MARKETS, accounts, listingsSql(copies), 'checkpoint', 'vacuum analyze']
  await runScript(url, ...scripts)
}

/** Those of `accountsSql` under this prefix, with their trade URLs. */
export function readBuyers(url: string, prefix = 'bench'): Promise<Buyer[]> {
  return readRows<Buyer>(
    url,
    `select a.id "accountId", a.external_id "externalId", a.parent_id "merchantId", t.url "tradeUrl",
       t.platform_id "platformId",
       coalesce(a.fee_bps, m.child_default_fee_bps, s.global_default_bps) "houseFeeBps",
       m.buy_fee_bps "merchantFeeBps"
     from identity.account a
     join identity.account m on m.id = a.parent_id
     join identity.trade_url t on t.account_id = a.id and t.is_primary
     cross join pricing.setting s
     where a.external_id like $1 || '-%' order by a.external_id`,
    [prefix],
  )
}

export interface ListingToBuy {
  readonly id: string
  /** A ceiling that no fee reaches. */
  readonly maxPrice: string
}

/** In an order that has nothing to do with their places in the table. */
export async function readListings(url: string, limit: number): Promise<ListingToBuy[]> {
  const rows = await readRows<{ id: string; mills: string }>(
    url,
    `select id::text, price_mills::text mills from catalog.listing where live and not taken
     order by hashint8(id) limit $1`,
    [limit],
  )
  return rows.map(({ id, mills }) => ({ id, maxPrice: `${BigInt(mills) / 500n + 2n}.00` }))
}

// Buys are measured without workers: nothing of theirs is ever placed, and what a worker has measured of the
// queue before would refuse them.
const OPEN_MARKETS = `
  delete from buying.market_queue;
  update buying.setting set waiting_limit = null;
  update selling.policy set offer_share = 100, waiting_limit = 1000000;
  update catalog.market set online = true, enabled = true;`

const listingsSql = (copies: number): string => `
  insert into catalog.listing (market, raw_id, item_id, price_mills, delivery, wear_text, wear, paint_seed,
      sticker_count, details, live, changed_at, changed_seq)
    select market, raw_id || '-copy-' || copy, item_id, price_mills, delivery, wear_text, wear, paint_seed,
      sticker_count, details, live, changed_at, changed_seq
    from catalog.listing, generate_series(1, ${copies}) copy where live and not taken;`
