// SQL of our accounts at the markets.
import { columns, int, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type Mills, mills } from '#kernel/money'
import type { AccountFigures, MarketAccount } from '../account.ts'
import type { MarketId } from '../ports.ts'

const ACCOUNT = columns<MarketAccount>('a.', {
  market: text,
  name: text,
  state: text,
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

const ACCOUNTS = sql(
  'buying.market_accounts',
  `select ${ACCOUNT.list} from buying.market_account a order by a.market, a.name limit 100`,
)
export const listAccounts = (db: Queryable): Promise<MarketAccount[]> => ACCOUNT.all(db, ACCOUNTS)

const ENSURE = sql(
  'buying.ensure_market_account',
  'insert into buying.market_account (market) values ($1) on conflict do nothing',
)
const LOCK = sql(
  'buying.lock_market_account',
  `select ${ACCOUNT.list} from buying.market_account a where a.market = $1 and a.name = 'main' for no key update`,
)
/** Orders of the account begin before or after the transaction. */
export async function lockAccount(tx: Tx, market: MarketId): Promise<MarketAccount> {
  const [found] = await ACCOUNT.all(tx, LOCK, [market])
  if (found !== undefined) return found
  await tx.query(ENSURE, [market])
  return lockAccount(tx, market)
}

const FIGURES = sql(
  'buying.market_account_figures',
  `select buying.spendable($1) spendable, w.mills waiting_mills, w.count::int waiting,
     (select coalesce(sum(i.sourcing_mills), 0)::bigint from buying.supplier_order o
        join buying.item i on i.id = o.item_id where o.market = $1 and o.state = 'placing') placing_mills
   from (select coalesce(sum(i.sourcing_mills), 0)::bigint mills, count(*) count from buying.item i
     where i.market = $1 and i.work = 'place') w`,
)
export async function readFigures(db: Queryable, market: MarketId): Promise<AccountFigures> {
  const [row] = await db.query<{
    spendable: bigint | null
    waiting_mills: bigint
    waiting: number
    placing_mills: bigint
  }>(FIGURES, [market])
  const spendableMills = row?.spendable ?? null
  return {
    spendableMills,
    settledMills: spendableMills === null ? null : spendableMills + (row?.placing_mills ?? 0n),
    waitingMills: row?.waiting_mills ?? 0n,
    waiting: row?.waiting ?? 0,
  }
}

const SAVE = sql(
  'buying.save_market_account',
  `update buying.market_account set currency = $3, reserve_mills = $4, balance_mills = $5, balance_at = $6,
     closed_at = $7, closed_because = $8, closed_detail = $9, opens_at_mills = $10, refusals = $11
   where market = $1 and name = $2`,
)
export async function saveAccount(tx: Tx, account: MarketAccount): Promise<void> {
  const { market, name, currency, reserveMills, balanceMills, balanceAt } = account
  const { closedAt, closedBecause, closedDetail, opensAtMills, refusals } = account
  const detail = closedDetail?.slice(0, 500) ?? null
  await tx.query(SAVE, [
    ...[market, name, currency, reserveMills, balanceMills, balanceAt],
    ...[closedAt, closedBecause, detail, opensAtMills, refusals],
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
  'update buying.market_account set refusals = 0 where market = $1 and refusals > 0',
)
/** An order was accepted: refusals that came before it are no row. */
export async function forgetRefusals(db: Queryable, market: MarketId): Promise<void> {
  await db.query(FORGET_REFUSALS, [market])
}

const COUNT_SPENT = sql(
  'buying.count_spent',
  `update buying.market_account set spent_week_mills = (
     select coalesce(sum(o.paid_mills), 0)::bigint from buying.supplier_order o
     where o.market = $1 and o.sent_at > $2::timestamptz - interval '7 days' and o.state = 'placed'
       and o.undone_at is null)
   where market = $1 and name = 'main'`,
)
/** Counts what the orders of seven days have cost. */
export async function countSpent(db: Queryable, market: MarketId, at: Date): Promise<void> {
  await db.query(COUNT_SPENT, [market, at])
}

const MOVABLE = sql(
  'buying.movable',
  `select i.id from buying.item i
   where i.market = $1 and i.work = 'place' and i.id > $2 and i.sourcing_mills > buying.most_placeable($1)
     and exists (select from buying.quick_buy q where q.trade_id = i.trade_id)
     and exists (select from buying.market_account a
       where a.market = $1 and a.name = 'main' and a.closed_because <> 'in_question')
   order by i.id limit $3`,
)
/** Waiting items of quick-buys that their market's account does not cover, after this id. */
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
