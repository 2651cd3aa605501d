// SQL of our accounts at the markets.
import { createHash } from 'node:crypto'
import { columns, int, json, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { Bug } from '#kernel/assert'
import { type Mills, mills } from '#kernel/money'
import type { AccountFigures, MarketAccount, OtherAccount } from '../account.ts'
import type { AccountRef, MarketId, OrderQuery } from '../ports.ts'

const ACCOUNT = columns<MarketAccount>('a.', {
  market: text,
  name: text,
  state: text,
  use: text,
  keyVersion: int,
  pace: int,
  currency: text,
  reserveMills: mills,
  balanceMills: mills,
  balanceAt: time,
  closedAt: time,
  closedBecause: text,
  closedDetail: text,
  opensAtMills: mills,
  refusals: int,
  spentWeekMills: mills,
})

/** The account whose key is in the settings, until it was rotated. */
export const MAIN = 'main'

const ACCOUNTS = sql(
  'buying.market_accounts',
  `select ${ACCOUNT.list} from buying.market_account a order by a.market, a.name limit 100`,
)
export const listAccounts = (db: Queryable): Promise<MarketAccount[]> => ACCOUNT.all(db, ACCOUNTS)

const FIND = sql(
  'buying.find_market_account',
  `select ${ACCOUNT.list} from buying.market_account a where a.market = $1 and a.name = $2`,
)
export const findAccount = (
  db: Queryable,
  { market, account }: AccountRef,
): Promise<MarketAccount | null> => ACCOUNT.first(db, FIND, [market, account])

const ENSURE = sql(
  'buying.ensure_market_account',
  'insert into buying.market_account (market) values ($1) on conflict do nothing',
)
const NAME = sql(
  'buying.name_market_accounts',
  `insert into buying.market_account (market, name, state)
   select distinct o.market, o.account, 'disabled' from unnest($1::text[], $2::text[]) o (market, account)
   on conflict do nothing`,
)
/** Of these accounts, with which orders were sent, those that are not known: by name, without a key. */
export async function nameAccounts(db: Queryable, accounts: readonly AccountRef[]): Promise<void> {
  if (accounts.every(({ account }) => account === MAIN)) return
  await db.query(NAME, [
    accounts.map(({ market }) => market),
    accounts.map(({ account }) => account),
  ])
}

/** An account with what opens its key, and what says whether that is used. */
export interface AccountKey
  extends AccountRef,
    Pick<MarketAccount, 'keyVersion' | 'pace' | 'state' | 'use' | 'closedBecause'> {
  /** Null: of `main`, that the key is in the settings; of another, that a restore has lost it. */
  readonly sealedKey: string | null
  /** Of the keys that `main` has had, with the one that it has. */
  readonly keyHashes: readonly string[]
}
const KEY = columns<AccountKey>('a.', {
  market: text,
  account: ['a.name', text],
  keyVersion: int,
  pace: int,
  state: text,
  use: text,
  closedBecause: text,
  sealedKey: text,
  keyHashes: json,
})
const LIST_KEYS = sql(
  'buying.market_account_keys',
  `select ${KEY.list} from buying.market_account a order by a.market, a.name limit 100`,
)
/** In whatever state: the orders of a disabled account are followed to their ends. */
export const listKeys = (db: Queryable): Promise<AccountKey[]> => KEY.all(db, LIST_KEYS)

const NOTE_KEY = sql(
  'buying.note_key_of_main',
  `insert into buying.market_account as a (market, key_hashes) values ($1, array[$2])
   on conflict (market, name) do update set key_hashes = excluded.key_hashes
     where a.key_hashes = '{}' and a.sealed_key is null`,
)
/** At the first start with a key in the settings: that `main` has it. */
export async function noteKeyOfMain(db: Queryable, market: MarketId, hash: string): Promise<void> {
  await db.query(NOTE_KEY, [market, hash])
}

const LOCK_ADDING = sql(
  'buying.lock_adding_accounts',
  `select pg_advisory_xact_lock(hashtextextended('buying.market_account', 0))`,
)
/** Keys are given to accounts one after the other. */
export async function lockKeys(tx: Tx): Promise<void> {
  await tx.query(LOCK_ADDING)
}

const INSERT = sql(
  'buying.insert_market_account',
  `insert into buying.market_account as a
     (market, name, use, reserve_mills, sealed_key, currency, balance_mills, balance_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (market, name) do update set use = excluded.use, reserve_mills = excluded.reserve_mills,
     sealed_key = excluded.sealed_key, key_version = a.key_version + 1, state = 'enabled',
     currency = excluded.currency, balance_mills = excluded.balance_mills, balance_at = excluded.balance_at
     where a.sealed_key is null and a.name <> '${MAIN}' returning name`,
)
/** False: there is one of this name. One that a restore left without a key has it again. */
export async function insertAccount(
  tx: Tx,
  { market, account, use, reserveMills, sealedKey, balance }: NewAccount,
): Promise<boolean> {
  const { currency, balanceMills, askedAt } = balance
  const read = [currency, balanceMills, askedAt]
  const values = [market, account, use, reserveMills, sealedKey, ...read]
  return (await tx.query(INSERT, values)).length > 0
}

export interface NewAccount extends AccountRef, Pick<MarketAccount, 'use' | 'reserveMills'> {
  readonly sealedKey: string
  /** As it was read before. */
  readonly balance: {
    readonly currency: string
    readonly balanceMills: Mills
    readonly askedAt: Date
  }
}

const ROTATE = sql(
  'buying.rotate_market_key',
  `update buying.market_account a set sealed_key = $3, key_version = key_version + 1,
     key_hashes = array(select distinct h from unnest(a.key_hashes || $4::text[]) h order by h)
   where market = $1 and name = $2`,
)
/**
 * From the commit on no order is begun with the key before. `hashes`, for `main`: of that key and of the new
 * one.
 */
export async function rotateKey(
  tx: Tx,
  { market, account }: AccountRef,
  { sealedKey, hashes = [] }: { readonly sealedKey: string; readonly hashes?: readonly string[] },
): Promise<void> {
  await tx.query(ROTATE, [market, account, sealedKey, hashes])
}

const OPEN_ORDERS = sql(
  'buying.open_orders_of_account',
  `select o.custom_id "customId", o.order_id "orderId", o.offer_seen "offerSeen", o.acceptance_seen "acceptanceSeen"
   from buying.item i join buying.supplier_order o on o.item_id = i.id
   where i.market = $1 and i.market_account = $2 and i.work = 'follow' and o.state = 'placed'
   order by o.sent_at desc limit $3`,
)
/** The newest that its market has and that have not ended. */
export const listOpenOrders = (
  db: Queryable,
  { market, account }: AccountRef,
  limit: number,
): Promise<OrderQuery[]> => db.query<OrderQuery>(OPEN_ORDERS, [market, account, limit])

const HAS_OPEN_ORDERS = sql(
  'buying.has_open_orders',
  `select exists (
     select from buying.item i where i.market = $1 and i.market_account = $2 and i.work = 'follow') found`,
)
/** Those included whose answer is not known. */
export async function hasOpenOrders(
  db: Queryable,
  { market, account }: AccountRef,
): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(HAS_OPEN_ORDERS, [market, account])
  return row?.found === true
}

/** What a sealed key is bound to. */
export const keyContext = ({ market, account }: AccountRef): string =>
  `market account ${market} ${account}`

/** By which a key is known again that is kept nowhere. */
export const hashKey = (of: AccountRef, key: string): string =>
  createHash('sha256')
    .update(`${keyContext(of)}\n${key}`)
    .digest('base64url')

const LOCK = sql(
  'buying.lock_market_account',
  `select ${ACCOUNT.list} from buying.market_account a where a.market = $1 and a.name = $2 for no key update`,
)
/** Orders of the account begin before or after the transaction. */
export async function lockAccount(tx: Tx, of: AccountRef): Promise<MarketAccount> {
  const { market, account } = of
  const [found] = await ACCOUNT.all(tx, LOCK, [market, account])
  if (found !== undefined) return found
  if (account !== MAIN) throw new Bug(`there is no account ${account} at ${market}`)
  await tx.query(ENSURE, [market])
  return lockAccount(tx, of)
}

const FIGURES = sql(
  'buying.market_account_figures',
  `select buying.spendable($1, $2) spendable, w.mills waiting_mills, w.count::int waiting,
     (select coalesce(sum(i.sourcing_mills), 0)::bigint from buying.supplier_order o
        join buying.item i on i.id = o.item_id
        where o.market = $1 and o.market_account = $2 and o.state = 'placing') placing_mills,
     coalesce((select json_agg(row_to_json(others)) from (
        select state, use, closed_because "closedBecause", buying.spendable(market, name)::text "spendableMills"
        from buying.market_account where market = $1 and name <> $2 order by name limit 100) others), '[]') others
   from (select coalesce(sum(i.sourcing_mills), 0)::bigint mills, count(*) count from buying.item i
     where i.market = $1 and i.work = 'place') w`,
)
export async function readFigures(
  db: Queryable,
  { market, account }: AccountRef,
): Promise<AccountFigures> {
  const [row] = await db.query<{
    spendable: bigint | null
    waiting_mills: bigint
    waiting: number
    placing_mills: bigint
    others: readonly (Omit<OtherAccount, 'spendableMills'> & { spendableMills: string | null })[]
  }>(FIGURES, [market, account])
  const spendableMills = row?.spendable ?? null
  return {
    spendableMills,
    settledMills: spendableMills === null ? null : spendableMills + (row?.placing_mills ?? 0n),
    waitingMills: row?.waiting_mills ?? 0n,
    waiting: row?.waiting ?? 0,
    others: (row?.others ?? []).map(({ spendableMills, ...other }) => ({
      ...other,
      spendableMills: spendableMills === null ? null : mills(BigInt(spendableMills)),
    })),
  }
}

const SAVE = sql(
  'buying.save_market_account',
  `update buying.market_account set currency = $3, reserve_mills = $4, balance_mills = $5, balance_at = $6,
     closed_at = $7, closed_because = $8, closed_detail = $9, opens_at_mills = $10, refusals = $11, state = $12,
     use = $13, pace = $14
   where market = $1 and name = $2`,
)
export async function saveAccount(tx: Tx, account: MarketAccount): Promise<void> {
  const { market, name, currency, reserveMills, balanceMills, balanceAt } = account
  const { closedAt, closedBecause, closedDetail, opensAtMills, refusals } = account
  const detail = closedDetail?.slice(0, 500) ?? null
  await tx.query(SAVE, [
    ...[market, name, currency, reserveMills, balanceMills, balanceAt],
    ...[closedAt, closedBecause, detail, opensAtMills, refusals, account.state, account.use],
    account.pace,
  ])
}

const COVER = sql('buying.cover_market', 'select catalog.cover_market($1, $2, $3)')
/** What the catalogue sells of the market from this commit on. */
export async function coverMarket(
  tx: Tx,
  market: MarketId,
  { coverMills, at }: { readonly coverMills: Mills | null; readonly at: Date },
): Promise<void> {
  await tx.query(COVER, [market, coverMills, at])
}

const FORGET_REFUSALS = sql(
  'buying.forget_refusals',
  'update buying.market_account set refusals = 0 where market = $1 and name = $2 and refusals > 0',
)
/** An order was accepted: refusals that came before it are no row. */
export async function forgetRefusals(
  db: Queryable,
  { market, account }: AccountRef,
): Promise<void> {
  await db.query(FORGET_REFUSALS, [market, account])
}

const COUNT_SPENT = sql(
  'buying.count_spent',
  `update buying.market_account set spent_week_mills = (
     select coalesce(sum(o.paid_mills), 0)::bigint from buying.supplier_order o
     where o.market = $1 and o.market_account = $3 and o.sent_at > $2::timestamptz - interval '7 days'
       and o.state = 'placed' and o.undone_at is null)
   where market = $1 and name = $3`,
)
/** Counts what the orders of seven days have cost. */
export async function countSpent(
  db: Queryable,
  { market, account }: AccountRef,
  at: Date,
): Promise<void> {
  await db.query(COUNT_SPENT, [market, at, account])
}

const MOVABLE = sql(
  'buying.movable',
  `select i.id from buying.item i
   where i.market = $1 and i.work = 'place' and i.id > $2 and i.sourcing_mills > buying.most_placeable($1)
     and exists (select from buying.quick_buy q where q.trade_id = i.trade_id)
     and not exists (select from buying.market_account a
       where a.market = $1 and a.state = 'enabled' and a.use <> 'feed' and a.closed_because = 'in_question')
   order by i.id limit $3`,
)
/**
 * Waiting items of quick-buys that no account at their market covers, after this id; none while a balance is
 * in question.
 */
export async function listMovable(
  db: Queryable,
  {
    market,
    after,
    limit,
  }: { readonly market: MarketId; readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(MOVABLE, [market, after, limit])
  return rows.map(({ id }) => id)
}

const MOVE = sql('buying.move_waiting', 'select buying.move_waiting($1, $2, $3) moved')
/** False: it stays where it is. Raises PT423 while others hold what is for sale, but for the last try. */
export async function moveWaiting(
  tx: Tx,
  itemId: string,
  { at, isLastTry }: { readonly at: Date; readonly isLastTry: boolean },
): Promise<boolean> {
  const [row] = await tx.query<{ moved: boolean }>(MOVE, [itemId, at, isLastTry])
  return row?.moved ?? false
}
