// SQL of the gates in front of purchases, of offers to sellers, and of payments on chains.
import { type Queryable, sql, type Tx } from '#infra/database/db'
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
}

const COLUMNS = 'market, history, closed_at "closedAt", item_ids "itemIds"'

const FIND = sql(
  'reconciliation.find_gate',
  `select ${COLUMNS} from reconciliation.placing_gate where market = $1`,
)
export async function findGate(db: Queryable, market: GateName): Promise<Gate | null> {
  const [gate] = await db.query<Gate>(FIND, [market])
  return gate ?? null
}

const LIST_CLOSED = sql(
  'reconciliation.list_closed_gates',
  `select ${COLUMNS} from reconciliation.placing_gate where closed_at is not null order by market limit 100`,
)
/** Those that hold purchases, sells or payments back. */
export const listClosedGates = (db: Queryable): Promise<Gate[]> => db.query<Gate>(LIST_CLOSED)

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
export async function saveGate(
  tx: Tx,
  { market, history, closedAt, itemIds }: Gate,
): Promise<void> {
  await tx.query(SAVE, [market, history, closedAt, itemIds])
}
