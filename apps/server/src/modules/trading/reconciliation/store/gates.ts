// SQL of the gates in front of purchases, of offers to sellers, and of payments on chains.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { DueQuestion } from '#infra/jobs/due-watch'
import type { MarketId } from '#kernel/market-id'

/** A market, our bots on the game platform, or our wallets on all chains. */
export type GateName = MarketId | typeof BOTS | typeof PAYMENTS
export const BOTS = 'bots'
export const PAYMENTS = 'payments'

export interface Gate {
  readonly market: GateName
  readonly history: string
  /** Null: open. */
  readonly closedAt: Date | null
  readonly itemIds: readonly string[]
  /** While it is closed: our accounts at the market that place again what has come since. */
  readonly openAccounts: readonly string[]
}

/** As it is where none is closed. */
export const OPEN = { closedAt: null, itemIds: [], openAccounts: [] } as const

const COLUMNS = `g.market, g.history, g.closed_at "closedAt", g.item_ids "itemIds",
   array(select o.account from reconciliation.gate_opening o
     where o.market = g.market and o.closed_at = g.closed_at order by o.account) "openAccounts"`

const FIND = sql(
  'reconciliation.find_gate',
  `select ${COLUMNS} from reconciliation.placing_gate g where g.market = $1`,
)
export async function findGate(db: Queryable, market: GateName): Promise<Gate | null> {
  const [gate] = await db.query<Gate>(FIND, [market])
  return gate ?? null
}

const LIST_CLOSED = sql(
  'reconciliation.list_closed_gates',
  `select ${COLUMNS} from reconciliation.placing_gate g where g.closed_at is not null order by g.market limit 100`,
)
/** Those that hold purchases, sells or payments back. */
export const listClosedGates = (db: Queryable): Promise<Gate[]> => db.query<Gate>(LIST_CLOSED)

/** By gate: those that are closed. */
export const GATES_CLOSED: DueQuestion = {
  name: 'reconciliation.gates',
  text: 'select market from reconciliation.placing_gate where closed_at is not null',
}

const LOCK_NAME = sql(
  'reconciliation.lock_gate_name',
  `select pg_advisory_xact_lock(hashtextextended('reconciliation.placing_gate:' || $1, 0))`,
)
/** The gate, locked until the transaction ends; also when there is none yet. */
export async function lockGate(tx: Tx, market: GateName): Promise<Gate | null> {
  await tx.query(LOCK_NAME, [market])
  return findGate(tx, market)
}

const SAVE = sql(
  'reconciliation.save_gate',
  `insert into reconciliation.placing_gate (market, history, closed_at, item_ids) values ($1, $2, $3, $4)
   on conflict (market) do update set history = excluded.history, closed_at = excluded.closed_at,
     item_ids = excluded.item_ids`,
)
const SAVE_OPENINGS = sql(
  'reconciliation.save_gate_openings',
  `with others as (
     delete from reconciliation.gate_opening where market = $1 and account <> all ($3))
   insert into reconciliation.gate_opening (market, account, closed_at)
     select $1, account, $2 from unnest($3::text[]) account
     on conflict (market, account) do update set closed_at = excluded.closed_at`,
)
export async function saveGate(
  tx: Tx,
  { market, history, closedAt, itemIds, openAccounts }: Gate,
): Promise<void> {
  await tx.query(SAVE, [market, history, closedAt, itemIds])
  await tx.query(SAVE_OPENINGS, [market, closedAt, openAccounts])
}
