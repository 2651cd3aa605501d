// SQL of the orders at providers, which are also the queue of look-ups.
import { columns, int, json, type Row, text, time } from '#infra/database/columns'
import { type Db, type Queryable, sql, type Tx } from '#infra/database/db'
import type { DueQuestion } from '#infra/jobs/due-watch'
import { assertDefined } from '#kernel/assert'
import { formatDecimal } from '#kernel/decimal'
import type { WaitingRow } from '#kernel/waiting'
import type { Deposit, ProviderName } from '../deposit.ts'
import type { OrderDetails } from '../order-details.ts'
import type { Placed } from '../placed.ts'
import type { OrderKey } from '../ports.ts'
import {
  type DepositSnapshot,
  SNAPSHOT_COLUMNS,
  type SnapshotRow,
  snapshotOf,
} from './deposit-snapshot.ts'
import { DEPOSIT } from './deposits.ts'
import { inLockOrder } from './lock-order.ts'

export interface ProviderOrder {
  readonly depositId: string
  readonly provider: ProviderName
  readonly state: 'creating' | 'placed' | 'refused' | 'absent'
  readonly providerOrderId: string | null
  readonly details: OrderDetails
  readonly askedAt: Date
  readonly misses: number
}

const ORDER = columns<ProviderOrder>('o.', {
  depositId: text,
  provider: text,
  state: text,
  providerOrderId: text,
  details: json,
  askedAt: time,
  misses: int,
})

/** An order that is looked at, and its deposit as it stood at the claim. */
export interface ClaimedOrder {
  readonly order: ProviderOrder
  readonly snapshot: DepositSnapshot
}

/** By provider: orders that are to be looked at. */
export const ORDERS_DUE: DueQuestion = {
  name: 'deposits.orders',
  text: `select p from unnest(array['gateway', 'onramp']) p where exists (
    select from deposits.provider_order o
    where o.provider = p and o.due_at <= $1 and (o.leased_until is null or o.leased_until <= $1))`,
}

const CLAIM = sql(
  'deposits.claim_orders',
  `select ${ORDER.list}, s.* from deposits.claim_orders($1, $2, $3, $4) o
   cross join lateral (select ${SNAPSHOT_COLUMNS} from deposits.deposit d where d.id = o.deposit_id limit 1) s`,
)
/** Takes due orders until `leaseUntil`. Looking is harmless, so nothing depends on the lease. */
export async function claimOrders(
  db: Db,
  claim: {
    readonly provider: ProviderName
    readonly at: Date
    readonly leaseUntil: Date
    readonly limit: number
  },
): Promise<ClaimedOrder[]> {
  const values = [claim.provider, claim.at, claim.leaseUntil, claim.limit]
  const rows = await db.query<Row<ProviderOrder> & SnapshotRow>(CLAIM, values)
  return rows.map((row) => ({ order: ORDER.of(row), snapshot: snapshotOf(row) }))
}

const FIND = sql(
  'deposits.find_order',
  `select ${ORDER.list} from deposits.provider_order o where o.deposit_id = $1`,
)
export async function findProviderOrder(
  db: Queryable,
  depositId: string,
): Promise<ProviderOrder | null> {
  return ORDER.first(db, FIND, [depositId])
}

/** The gateway's or on-ramp's own id of a deposit's order; null until it is placed. */
export const findPrepayId = async (db: Queryable, depositId: string): Promise<string | null> =>
  (await findProviderOrder(db, depositId))?.providerOrderId ?? null

const SCHEDULE = sql('deposits.schedule_look', 'select deposits.schedule_look($1, $2, $3, $4)')
/** Sets the next look, unless a notice has asked for one since the claim. Null: never again. */
export async function scheduleLook(
  db: Db,
  depositId: string,
  next: { readonly dueAt: Date | null; readonly misses: number; readonly leaseUntil: Date },
): Promise<void> {
  await db.query(SCHEDULE, [depositId, next.leaseUntil, next.dueAt, next.misses])
}

export interface TakenOrder {
  readonly depositId: string
  readonly accountId: string
  readonly placed: Placed
  readonly at: Date
  /** The look that was set with the intent, and the one in its place; null: its next look is set later. */
  readonly look: { readonly first: Date; readonly next: Date } | null
}

export interface PlacedDeposit {
  readonly deposit: Deposit
  readonly details: OrderDetails
}

const PLACE = sql(
  'deposits.place_orders',
  `select ${DEPOSIT.list}, p.details from deposits.place_orders($1, $2) p
   cross join lateral (select (p.deposit).*) d`,
)
/**
 * Records, in one commit, that the provider has each of the orders. A look changes nothing where that is
 * known; what is answered to its maker, which has a `look`, is listed from then on. A look that was asked for
 * since `look.first` was set stays as it is.
 */
export async function placeOrders(
  db: Queryable,
  orders: readonly TakenOrder[],
): Promise<PlacedDeposit[]> {
  const rows = await db.query<Row<Deposit> & { id: string; details: OrderDetails }>(PLACE, [
    JSON.stringify(inLockOrder(orders).map(placementOf)),
    orders.every(({ placed, look }) => placed.isFoundAgain && look === null),
  ])
  const placed = new Map(
    rows.map((row) => [row.id, { deposit: DEPOSIT.of(row), details: row.details }]),
  )
  return orders.map(({ depositId }) => assertDefined(placed.get(depositId), 'the placed deposit'))
}

const placementOf = ({ depositId, accountId, placed, at, look }: TakenOrder) => ({
  deposit_id: depositId,
  account_id: accountId,
  provider_order_id: placed.providerOrderId,
  details: placed.details,
  address: placed.address,
  pay_amount: placed.payAmount === null ? null : formatDecimal(placed.payAmount),
  expires_at: placed.expiresAt,
  at,
  first_look_at: look?.first ?? null,
  look_at: look?.next ?? null,
})

const END = sql(
  'deposits.end_order',
  `update deposits.provider_order o set state = $2, due_at = $3, leased_until = null
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

export interface NoticedOrder {
  readonly provider: ProviderName
  readonly key: OrderKey
}

const MAKE_DUE = sql('deposits.make_due', 'select deposits.make_due($1, $2, $3, $4) place')
/** Makes orders due at once and wakes their workers. Whether a deposit has each of them. */
export async function makeDue(
  db: Db,
  orders: readonly NoticedOrder[],
  at: Date,
): Promise<boolean[]> {
  const rows = await db.query<{ place: number }>(MAKE_DUE, [
    orders.map(({ provider }) => provider),
    orders.map(({ key }) => ('orderId' in key ? key.orderId : null)),
    orders.map(({ key }) => ('orderId' in key ? null : key.providerOrderId)),
    at,
  ])
  const known = new Set(rows.map(({ place }) => place))
  return orders.map((_, i) => known.has(i + 1))
}

const OLDEST_DUE = sql(
  'deposits.oldest_due',
  `select provider, count(*)::integer due, min(due_at) oldest from deposits.provider_order
   where due_at <= $1 and (leased_until is null or leased_until <= $1) group by provider`,
)
export interface DueOrders {
  readonly provider: ProviderName
  readonly due: number
  readonly oldest: Date
}
export const readDueOrders = (db: Queryable, at: Date): Promise<DueOrders[]> =>
  db.query<DueOrders>(OLDEST_DUE, [at])

const LIST_WAITING = sql(
  'deposits.list_waiting_orders',
  `select o.deposit_id id, o.deposit_id "refId", concat_ws(' ', o.provider, o.state, case when d.status > 'pending' then d.status end) what,
     o.asked_at since, o.due_at "dueAt", (count(*) over ())::int count,
     (count(*) filter (where o.due_at <= $1) over ())::int due
   from deposits.provider_order o join deposits.deposit d on d.id = o.deposit_id
   where o.due_at is not null and (d.status > 'pending') = $3::boolean order by o.due_at, o.deposit_id limit $2`,
)
/**
 * Orders at providers that are looked at again, the longest due first: of deposits that wait for a payment,
 * or of those that are over, which may still be paid late or taken back.
 */
export const listWaitingOrders = (
  db: Queryable,
  { at, limit, areOver }: { readonly at: Date; readonly limit: number; readonly areOver: boolean },
): Promise<WaitingRow[]> => db.query<WaitingRow>(LIST_WAITING, [at, limit, areOver])
