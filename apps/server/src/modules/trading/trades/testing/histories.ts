// Histories of trades that are bought, moved and kept in any order, and all figures that are shown of
// them: from what is kept, and from the trades alone.
import fc from 'fast-check'
import { type Db, type Queryable, type Snapshot, sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import {
  type AccountOfTenant,
  countTrades,
  keepFigures,
  pageMovements,
  readChildFigures,
  readFigures,
  readOrderFigures,
  readSeries,
  readTotals,
} from '../index.ts'
import { isTerminal, type Status, TRANSITIONS } from '../trade.ts'

const HOUR_MS = 3_600_000

export const anyHistory = fc.array(
  fc.record({
    what: fc.constantFrom('buy', 'buy', 'move', 'move', 'move', 'move', 'replace', 'wait', 'keep'),
    pick: fc.nat(1000),
    cents: fc.integer({ min: 2, max: 100_000 }),
  }),
  { minLength: 20, maxLength: 60 },
)
export type HistoryStep = typeof anyHistory extends fc.Arbitrary<(infer T)[]> ? T : never

interface OpenTrade {
  readonly id: string
  cents: number
  status: Status
}

const INSERT = sql(
  'test_history_trade',
  `with trade as (
     insert into trades.trade (type, tenant_id, account_id, platform_id, trade_url, request_hash, game, currency,
       usd_per_eur_micros, status, item_count, total, created_at, updated_at)
     values ('buy', $1, $2, '76561198000000001', 'https://steamcommunity.com/tradeoffer/new/?partner=1&token=accept00',
       '\\x00', 'cs2', $3::ledger.currency, case $3::ledger.currency when 'EUR' then 1157400 end, 'initiated', 1,
       $4::bigint, $5::timestamptz, $5) returning id)
   insert into trades.item (trade_id, position, catalog_item_id, description, price, house_fee, merchant_fee, status_at)
   select id, 1, '0123456789abcdef', '{}', $4, 1, $4::bigint / 50, $5 from trade returning trade_id id`,
)

// As trades.move_items and trades.set_earned do, which need the books.
const MOVE_ITEM = sql(
  'test_history_item',
  `update trades.item set status = s.status, status_at = $3,
     settled_at = case when s.status = 'completed' then $3::timestamptz end,
     failure_code = case when s.status = 'failed' then 'PURCHASE_FAILED' end,
     reverted_by = case when s.status = 'reverted' then 'supplier' end,
     refunded = case when s.status > 'completed' then price end,
     penalty = case when s.status > 'completed' then 0 end
   from (select $2::trades.status status) s where trade_id = $1`,
)
const MOVE_TRADE = sql(
  'test_history_move',
  'update trades.trade set status = $2, updated_at = $3 where id = $1',
)
const SET_EARNED = sql(
  'test_history_earned',
  `with item as (update trades.item set merchant_earned = $2 where trade_id = $1)
   update trades.trade set earned = earned + $2 where id = $1`,
)

const REPLACE = sql(
  'test_history_replace',
  `select trades.replace_item(i.id, '{}', $2, 1, $3, null, 'PURCHASE_FAILED', $4)
   from trades.item i where i.trade_id = $1`,
)

/** One step of a trade with one item, in one transaction as the service takes it. */
export async function moveTrade(
  tx: Queryable,
  { id, cents }: Pick<OpenTrade, 'id' | 'cents'>,
  to: Status,
  at: Date,
): Promise<void> {
  await tx.query(MOVE_ITEM, [id, to, at])
  await tx.query(MOVE_TRADE, [id, to, at])
  if (to === 'completed') await tx.query(SET_EARNED, [id, Math.floor(cents / 50)])
}

export class History {
  readonly tenantId = newId()
  /** The tenant's own, and two below it. */
  readonly accounts = [this.tenantId, newId(), newId()]
  at = new Date('2026-11-01T09:00:00.000Z')
  readonly #db: Db
  readonly #from = this.at
  readonly #open: OpenTrade[] = []

  constructor(db: Db) {
    this.#db = db
  }

  async take({ what, pick, cents }: HistoryStep): Promise<void> {
    if (what === 'buy') await this.buy(this.accounts[pick % 3] ?? '', cents, pick % 2 === 0)
    else if (what === 'move') await this.#move(pick)
    else if (what === 'replace') await this.replace(pick, cents)
    else if (what === 'keep') await this.keep()
    else this.wait(1 + (pick % 40))
  }

  wait(hours: number): void {
    this.at = new Date(this.at.getTime() + hours * HOUR_MS)
  }

  keep(): Promise<void> {
    return keepFigures(this.#db, { at: this.at, signal: AbortSignal.timeout(60_000) })
  }

  async buy(accountId: string, cents: number, isInEuros: boolean): Promise<OpenTrade> {
    const currency = isInEuros && accountId === this.tenantId ? 'EUR' : 'USD'
    const values = [this.tenantId, accountId, currency, cents, this.at]
    const [row] = await this.#db.query<{ id: string }>(INSERT, values)
    const trade = { id: row?.id ?? '', cents, status: 'initiated' as Status }
    this.#open.push(trade)
    return trade
  }

  async #move(pick: number): Promise<void> {
    const trade = this.#open[pick % Math.max(1, this.#open.length)]
    if (!trade) return
    const ways = Object.keys(TRANSITIONS.buy[trade.status]) as Status[]
    trade.status = ways[pick % ways.length] ?? trade.status
    await this.#db.transaction((tx) => moveTrade(tx, trade, trade.status, this.at))
    if (isTerminal(trade.status)) this.#open.splice(this.#open.indexOf(trade), 1)
  }

  /** Another listing for the item of a trade that is not placed. */
  async replace(pick: number, cents: number): Promise<void> {
    const unplaced = this.#open.filter(({ status }) => status === 'initiated')
    const trade = unplaced[pick % Math.max(1, unplaced.length)]
    if (!trade) return
    trade.cents = cents
    await this.#db.query(REPLACE, [trade.id, cents, Math.floor(cents / 50), this.at])
  }

  /** All that is shown of the tenant and its accounts. */
  shown(): Promise<unknown> {
    return this.#db.snapshot((at) => this.#read(at))
  }

  /** The same when nothing is kept. */
  async fromTrades(): Promise<unknown> {
    let read: unknown
    const undone = new Error('undone')
    await this.#db
      .transaction(async (tx) => {
        await tx.query(FORGET, [this.tenantId, this.accounts])
        read = await this.#read(tx as unknown as Snapshot)
        throw undone
      })
      .catch((error) => {
        if (error !== undone) throw error
      })
    return read
  }

  async #read(at: Snapshot): Promise<unknown> {
    const { tenantId } = this
    const later = (ms: number): Date => new Date(this.#from.getTime() + ms)
    const ranges = [
      [null, null],
      [later(30 * HOUR_MS), later(100 * HOUR_MS)],
      [later(15 * HOUR_MS), null],
    ] as const
    const figures = []
    for (const [from, to] of ranges) {
      for (const currency of ['USD', 'EUR'] as const) {
        const range = { from, to, currency }
        const { totals, accounts } = await readFigures(at, tenantId, range, 10)
        figures.push(byKey(totals), byKey(await readTotals(at, tenantId, range)), accounts)
      }
    }
    const days = { from: this.#from, to: this.at, currency: 'USD', unit: 'day' } as const
    const series = await readSeries(at, tenantId, days)
    const children = await readOrderFigures(at, tenantId)
    const ofAccounts = []
    for (const accountId of this.accounts.slice(1)) {
      ofAccounts.push(await this.#readAccount(at, { tenantId, accountId }))
    }
    return { figures, series, children, ofAccounts }
  }

  async #readAccount(at: Snapshot, account: AccountOfTenant): Promise<unknown> {
    const counts = [...(await countTrades(at, account))].sort()
    const { total, movements } = await pageMovements(at, account, { page: 1, limit: 5 })
    const shown = movements.map((row) => [row.type, row.trade.id, row.at])
    return { counts, total, shown, figures: await readChildFigures(at, account) }
  }
}

const FORGET = sql(
  'test_history_forget',
  `with mark as (delete from trades.figures_mark where tenant_id = $1),
   change as (delete from trades.figure_change where tenant_id = $1),
   day as (delete from trades.day_figures where tenant_id = $1),
   tenant_day as (delete from trades.tenant_day_figures where tenant_id = $1)
   delete from trades.account_figures where account_id = any ($2::uuid[])`,
)

const byKey = <T extends { readonly status: Status }>(rows: readonly T[]): readonly T[] =>
  [...rows].sort((a, b) => a.status.localeCompare(b.status))
