// SQL of the orders at providers, which are also the queue of look-ups.
import { type Queryable, sql, type Tx } from '#infra/db'
import { type Attos, formatDecimal } from '#kernel/decimal'
import type { OrderDetails } from '../order-details.ts'
import type { OrderKey } from '../ports.ts'

export type ProviderName = 'gateway' | 'onramp'

export interface ProviderOrder {
  readonly depositId: string
  readonly provider: ProviderName
  readonly state: 'creating' | 'placed' | 'refused' | 'absent'
  readonly providerOrderId: string | null
  readonly details: OrderDetails
  readonly askedAt: Date
  readonly misses: number
}

interface OrderRow {
  deposit_id: string
  provider: ProviderName
  state: ProviderOrder['state']
  provider_order_id: string | null
  details: OrderDetails
  asked_at: Date
  misses: number
}

const COLUMNS =
  'o.deposit_id, o.provider, o.state, o.provider_order_id, o.details, o.asked_at, o.misses'

const orderOf = (row: OrderRow): ProviderOrder => ({
  depositId: row.deposit_id,
  provider: row.provider,
  state: row.state,
  providerOrderId: row.provider_order_id,
  details: row.details,
  askedAt: row.asked_at,
  misses: row.misses,
})

const CLAIM = sql(
  'deposits.claim_orders',
  `update deposits.provider_order o set due_at = $3
   where o.deposit_id in (
     select q.deposit_id from deposits.provider_order q where q.provider = $1 and q.due_at <= $2
     order by q.due_at limit $4 for update skip locked)
   returning ${COLUMNS}`,
)
/** Takes due orders until `leaseUntil`. Looking is harmless, so nothing depends on the lease. */
export async function claimOrders(
  db: Queryable,
  claim: {
    readonly provider: ProviderName
    readonly at: Date
    readonly leaseUntil: Date
    readonly limit: number
  },
): Promise<ProviderOrder[]> {
  const values = [claim.provider, claim.at, claim.leaseUntil, claim.limit]
  return (await db.query<OrderRow>(CLAIM, values)).map(orderOf)
}

const FIND = sql(
  'deposits.find_order',
  `select ${COLUMNS} from deposits.provider_order o where o.deposit_id = $1`,
)
export async function findProviderOrder(
  db: Queryable,
  depositId: string,
): Promise<ProviderOrder | null> {
  const [row] = await db.query<OrderRow>(FIND, [depositId])
  return row === undefined ? null : orderOf(row)
}

/** The gateway's or on-ramp's own id of a deposit's order; null until it is placed. */
export const findPrepayId = async (db: Queryable, depositId: string): Promise<string | null> =>
  (await findProviderOrder(db, depositId))?.providerOrderId ?? null

const SCHEDULE = sql(
  'deposits.schedule_order',
  `update deposits.provider_order o set due_at = $2, misses = $3 where o.deposit_id = $1 and o.due_at = $4`,
)
/** Sets the next look, unless a notice has asked for one since the claim. Null: never again. */
export async function scheduleLook(
  db: Queryable,
  depositId: string,
  next: { readonly dueAt: Date | null; readonly misses: number; readonly leaseUntil: Date },
): Promise<void> {
  await db.query(SCHEDULE, [depositId, next.dueAt, next.misses, next.leaseUntil])
}

const PLACE = sql(
  'deposits.place_order',
  'select deposits.place_order($1, $2, $3, $4, $5, $6, $7, $8) placed',
)
/** Records that the provider has the order. Nothing changes when that is known. */
export async function placeOrder(
  db: Queryable,
  depositId: string,
  placed: {
    readonly providerOrderId: string | null
    readonly details: OrderDetails
    readonly address: string | null
    readonly payAmount: Attos | null
    readonly expiresAt: Date | null
    readonly at: Date
    readonly lookAt: Date
  },
): Promise<void> {
  await db.query(PLACE, [
    depositId,
    placed.providerOrderId,
    JSON.stringify(placed.details),
    placed.address,
    placed.payAmount === null ? null : formatDecimal(placed.payAmount),
    placed.expiresAt,
    placed.at,
    placed.lookAt,
  ])
}

const END = sql(
  'deposits.end_order',
  `update deposits.provider_order o set state = $2, due_at = $3
   where o.deposit_id = $1 and o.state = 'creating' returning true ended`,
)
/** The order certainly does not exist. False when it was found meanwhile. */
export async function endOrder(
  tx: Tx,
  depositId: string,
  state: 'refused' | 'absent',
  dueAt: Date | null,
): Promise<boolean> {
  return (await tx.query(END, [depositId, state, dueAt])).length > 0
}

const NOTE_ID = sql(
  'deposits.note_provider_order_id',
  `update deposits.provider_order o set provider_order_id = $2
   where o.deposit_id = $1 and o.provider_order_id is null`,
)
/** A provider that names its order only after the payer has begun. */
export async function noteProviderOrderId(
  db: Queryable,
  depositId: string,
  providerOrderId: string,
): Promise<void> {
  await db.query(NOTE_ID, [depositId, providerOrderId])
}

const NOTICE_BY_ID = sql(
  'deposits.notice_by_id',
  `update deposits.provider_order o set due_at = $3 where o.provider = $1 and o.deposit_id = $2
   returning pg_notify('deposits_due', '')`,
)
const NOTICE_BY_PROVIDER_ID = sql(
  'deposits.notice_by_provider_id',
  `update deposits.provider_order o set due_at = $3 where o.provider = $1 and o.provider_order_id = $2
   returning pg_notify('deposits_due', '')`,
)
/** Makes an order due at once and wakes a worker. False when no deposit has it. */
export async function makeDue(
  db: Queryable,
  provider: ProviderName,
  key: OrderKey,
  at: Date,
): Promise<boolean> {
  const rows =
    'orderId' in key
      ? await db.query(NOTICE_BY_ID, [provider, key.orderId, at])
      : await db.query(NOTICE_BY_PROVIDER_ID, [provider, key.providerOrderId, at])
  return rows.length > 0
}

const OLDEST_DUE = sql(
  'deposits.oldest_due',
  `select provider, count(*)::integer due, min(due_at) oldest from deposits.provider_order
   where due_at <= $1 group by provider`,
)
export interface DueOrders {
  readonly provider: ProviderName
  readonly due: number
  readonly oldest: Date
}
export const readDueOrders = (db: Queryable, at: Date): Promise<DueOrders[]> =>
  db.query<DueOrders>(OLDEST_DUE, [at])
