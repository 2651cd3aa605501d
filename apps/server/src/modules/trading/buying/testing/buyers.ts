// Builders for database tests: accounts with money, listings for sale, and the deps of a buy.
import { randomInt } from 'node:crypto'
import { type Db, type Queryable, sql } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { newId } from '#kernel/id'
import { type Cents, type Currency, cents, mills } from '#kernel/money'
import { createPauseReader } from '#trades'
import { type Buy, type BuyDeps, type Buyer, createBuy, type ListingForSale } from '../buy.ts'
import type { MarketId } from '../ports.ts'
import type { WantedItem } from '../quick-buy.ts'

const OPEN = sql('test.open', 'select ledger.open_account($1, $2, $3::ledger.currency) id')
const DEPOSIT = sql(
  'test.deposit',
  `select ledger.post('deposit', null, $1::uuid, 'seed', '\\x00', $2, array[$3::ledger.currency],
     array[ledger.house('clearing_demo', $3::ledger.currency)], array[ledger.account_of($1::uuid, 'spot')], array[$4::bigint])`,
)

const INSERT_MERCHANT = sql(
  'test.insert_merchant',
  `insert into identity.account (id, kind, currency, email, fee_bps, buy_fee_bps, sell_fee_bps, created_at, updated_at)
   values ($1::uuid, 'merchant', $2, $1::uuid || '@merchant.example', 300, 200, 200, now(), now())`,
)
const INSERT_SUB_USER = sql(
  'test.insert_sub_user',
  `insert into identity.account (id, kind, parent_id, currency, created_at, updated_at)
   values ($1, 'sub_user', $2, $3, now(), now())`,
)

/** A merchant with an earnings wallet. */
export async function givenMerchant(db: Db, currency: Currency = 'USD'): Promise<string> {
  const id = newId()
  await db.query(INSERT_MERCHANT, [id, currency])
  for (const kind of ['spot', 'escrow', 'earnings']) await db.query(OPEN, [id, kind, currency])
  return id
}

const CLOSE_ACCOUNT = sql(
  'test.close_account',
  `update identity.account set status = $2, deleted_at = case when $2 = 'deleted' then now() end where id = $1`,
)
/** Deletes or suspends the account after a request has found it. */
export const closeAccount = (db: Db, accountId: string, as: 'deleted' | 'suspended') =>
  db.query(CLOSE_ACCOUNT, [accountId, as])

export interface BuyerOptions {
  readonly tenantId: string
  readonly balance: bigint
  readonly currency?: Currency
  readonly merchantCurrency?: Currency
}

/** A sub-user with a balance in cents, a service fee of 5% and a merchant fee of 2%. */
export async function givenBuyer(db: Db, options: BuyerOptions): Promise<Buyer> {
  const { tenantId, balance, currency = 'USD', merchantCurrency = 'USD' } = options
  const accountId = newId()
  await db.query(INSERT_SUB_USER, [accountId, tenantId, currency])
  for (const kind of ['spot', 'escrow']) await db.query(OPEN, [accountId, kind, currency])
  if (balance > 0n) await db.query(DEPOSIT, [accountId, new Date(), currency, balance])
  const partner = randomInt(1, 2 ** 31)
  return {
    accountId,
    tenantId,
    currency,
    merchantCurrency,
    houseFeeBps: 500,
    merchantFeeBps: 200,
    keyId: null,
    primaryTradeUrl: {
      url: `https://steamcommunity.com/tradeoffer/new/?partner=${partner}&token=accept00`,
      platformId: String(76561197960265728n + BigInt(partner)),
    },
  }
}

const INSERT_LISTING = sql(
  'test.insert_listing',
  `insert into catalog.listing (market, raw_id, item_id, price_mills, delivery, sticker_count, details, live, changed_at, changed_seq)
   values ($1, $2, $3, $4, $5, 0, '{}', true, now(), 0) returning id`,
)
const OPEN_MARKETS = sql('test.open_markets', 'update catalog.market set online = true')

const ITEM_ID = '00000000000000aa'

/** A live listing that asks `priceMills`. */
export async function givenListing(
  db: Db,
  {
    priceMills,
    market = 'market_b',
    itemId = ITEM_ID,
    delivery = 'instant',
  }: {
    priceMills: bigint
    market?: MarketId
    itemId?: string
    delivery?: 'standard' | 'instant'
  },
): Promise<bigint> {
  await db.query(OPEN_MARKETS)
  const rawId = String(BigInt(`0x${newId().replaceAll('-', '').slice(-14)}`))
  const [row] = await db.query<{ id: bigint }>(INSERT_LISTING, [
    market,
    rawId,
    itemId,
    priceMills,
    delivery,
  ])
  return (row as { id: bigint }).id
}

const INSERT_ITEM = sql(
  'test.insert_item',
  `insert into catalog.item (id, game, market_hash_name, phase, name, type, item_type, rarity, rarity_color, category,
     icon_url, def_index, reference_price_mills, volume, changed_seq)
   values ($1, 'cs2', $1, $2, 'AK-47 | Redline', 'Classified Rifle', 'Rifle', 'Classified', 'd32ce6', 'Normal', 'icon', 7, 0, 1, 0)`,
)

/** An item of the catalogue that has no listings yet. */
export async function givenItem(db: Db, phase: string | null = null): Promise<string> {
  const id = newId().replaceAll('-', '').slice(-16)
  await db.query(INSERT_ITEM, [id, phase])
  return id
}

const READ_LISTINGS = sql(
  'test.read_listings',
  `select l.id, l.market, l.raw_id, l.item_id, l.price_mills, l.delivery, l.live and not l.taken available,
     m.enabled and m.online and l.price_mills <= coalesce(m.cover_mills, l.price_mills) open
   from catalog.listing l join catalog.market m on m.id = l.market where l.id = any ($1::bigint[])`,
)
const FIND_SELLER = sql(
  'test.find_seller',
  `select m.id market, m.enabled and m.online and l.price_mills <= coalesce(m.cover_mills, l.price_mills) available
   from catalog.listing l join catalog.market m on m.id = l.market
   where l.item_id = $1 and l.live and not l.taken and l.price_mills <= $2 and ($3 = 'standard' or l.delivery = $3)
   order by available desc limit 1`,
)
/** What the catalog answers a quick-buy. */
export async function testFindSeller(
  db: Db,
  { itemId, ceilingMills, delivery }: WantedItem,
): Promise<{ market: MarketId; available: boolean } | null> {
  const wanted = [itemId, ceilingMills, delivery]
  const [row] = await db.query<{ market: MarketId; available: boolean }>(FIND_SELLER, wanted)
  return row ?? null
}

const FIND_BY_RAW_ID = sql(
  'test.find_by_raw_id',
  'select id from catalog.listing where market = $1 and raw_id = $2',
)

interface GivenTrade {
  readonly tradeId: string
  /** Its only item. */
  readonly itemId: string
  readonly requestId: string
  readonly buyer: Buyer
}

const ITEM_OF = sql('test.only_item', 'select id from buying.item where trade_id = $1')

/** A buy of one item of 10 dollars by an account with 50, where nothing else is asked for. */
export async function givenTrade(
  { db, clock }: TestBuyOptions,
  {
    buyer,
    priceMills = 10_000n,
    market = 'market_b',
    externalId = null,
    tradeUrl = null,
  }: {
    readonly buyer?: Buyer
    readonly priceMills?: bigint
    readonly market?: MarketId
    readonly externalId?: string | null
    readonly tradeUrl?: string | null
  } = {},
): Promise<GivenTrade> {
  const by = buyer ?? (await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 5000n }))
  const listing = { id: await givenListing(db, { priceMills, market }) }
  const requestId = newId()
  const { tradeId } = await testBuy({ db, clock })(by, {
    ...{ requestId, externalId, tradeUrl },
    items: [{ listing, maxPrice: cents(5000n), externalId: null }],
  })
  const [item] = await db.query<{ id: string }>(ITEM_OF, [tradeId])
  return { tradeId, itemId: assertDefined(item, 'an item of the trade').id, requestId, buyer: by }
}

export interface TestBuyOptions {
  readonly db: Db
  readonly clock: Clock
  readonly usdPerEurMicros?: bigint
}

/** The buy of production over real tables; names and pictures of the things sold are of no interest. */
export const testBuy = (options: TestBuyOptions): Buy => createBuy(testBuyDeps(options))

export function testBuyDeps({ db, clock, usdPerEurMicros = 1_100_000n }: TestBuyOptions): BuyDeps {
  const getListings = async (ids: readonly bigint[]): Promise<(ListingForSale | null)[]> => {
    const rows = await db.query<{
      id: bigint
      market: MarketId
      raw_id: string
      item_id: string
      price_mills: bigint
      delivery: 'standard' | 'instant'
      available: boolean
      open: boolean
    }>(READ_LISTINGS, [ids])
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => {
      const row = byId.get(id)
      if (!row) return null
      return {
        id,
        market: row.market,
        rawId: row.raw_id,
        itemId: row.item_id,
        game: 'cs2',
        priceMills: mills(row.price_mills),
        available: row.available,
        marketAvailable: row.open,
        description: { ...DESCRIPTION, delivery: row.delivery },
      }
    })
  }
  return {
    db,
    clock,
    getListings,
    findListingByRawId: async (market, rawId) => {
      const [row] = await db.query<{ id: bigint }>(FIND_BY_RAW_ID, [market, rawId])
      return row ? ((await getListings([row.id]))[0] ?? null) : null
    },
    resolveTradeUrl: async (url) => ({ url, platformId: '76561197960265729' }),
    currentRate: async () => usdPerEurMicros,
    balanceOf: async (accountId) => balanceOf(db, accountId, 'spot'),
    isPaused: createPauseReader(db, clock),
    onTaken: async () => {},
  }
}

const DESCRIPTION: ListingForSale['description'] = {
  name: 'AK-47 | Redline',
  marketHashName: 'AK-47 | Redline (Field-Tested)',
  type: 'Classified Rifle',
  iconUrl: 'icon',
  exterior: 'Field-Tested',
  rarity: 'Classified',
  color: 'd32ce6',
  phase: null,
  wear: '0.2345',
  paintSeed: 7,
  stickers: [],
  charm: null,
  delivery: 'instant',
}

const BALANCE = sql(
  'test.balance',
  'select b.posted from ledger.account a join ledger.balance b on b.account_id = a.id where a.owner_id = $1 and a.kind = $2',
)
export async function balanceOf(
  db: Db,
  accountId: string,
  kind: 'spot' | 'escrow' | 'earnings',
): Promise<Cents> {
  const [row] = await db.query<{ posted: bigint }>(BALANCE, [accountId, kind])
  return cents(row?.posted ?? 0n)
}

const HOUSE = sql(
  'test.house',
  `select coalesce(sum(case when credit_account_id = h.id then amount else -amount end), 0)::bigint posted
   from ledger.account h left join ledger.posting p on h.id in (p.debit_account_id, p.credit_account_id)
   where h.owner_id is null and h.kind = $1 and h.currency = $2::ledger.currency`,
)
export async function houseBalance(
  db: Db,
  kind: string,
  currency: Currency = 'USD',
): Promise<bigint> {
  const [row] = await db.query<{ posted: bigint }>(HOUSE, [kind, currency])
  return row?.posted ?? 0n
}

const FOLLOW_MANY = sql(
  'test.follow_many',
  `insert into buying.item (id, trade_id, tenant_id, account_id, listing_id, market, raw_listing_id, sourcing_mills,
     work, due_at, created_at)
   select uuidv7(), $1, $2, $2, -n, 'market_b', 'raw', 1, 'follow', $3, $3 from generate_series(1, $4::int) n`,
)
/** Items of one tenant, without trades, whose orders are looked at from then on. */
export async function givenManyFollowed(
  db: Queryable,
  { count, dueAt }: { readonly count: number; readonly dueAt: Date },
): Promise<void> {
  await db.query(FOLLOW_MANY, [newId(), newId(), dueAt, count])
}
