// SQL that creates, moves and reads deposits.
import { columns, int, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { type Attos, formatDecimal, parseDecimal } from '#kernel/decimal'
import { type Cents, type Currency, cents } from '#kernel/money'
import { type CursorPage, cursorPageOf } from '#kernel/page'
import type {
  Deposit,
  DepositMethod,
  DepositStatus,
  DepositSubstate,
  FailureReason,
} from '../deposit.ts'
import type { OrderDetails } from '../order-details.ts'
import { compare } from './lock-order.ts'

/** PostgreSQL writes every digit of the column's scale. */
export const attosOf = (numeric: string): Attos =>
  assertDefined(parseDecimal(numeric), 'a decimal number of our own')

/** Cents of `deposits.deposit d` that were put aside. */
export const UNCLAIMED_CENTS = `(select coalesce(sum(c.wallet_amount), 0)::bigint from deposits.credit c
    where c.deposit_id = d.id and c.is_unclaimed)`

/** Of `deposits.deposit d`. */
export const DEPOSIT = columns<Deposit>('d.', {
  id: text,
  tenantId: text,
  accountId: text,
  externalId: ['identity.external_id_of(d.account_id)', text],
  method: text,
  status: text,
  substate: text,
  reason: text,
  currency: text,
  token: text,
  chain: text,
  payAmount: attosOf,
  received: ['d.received_amount', attosOf],
  seen: ['d.seen_amount', attosOf],
  payUsd: cents,
  receiveUsd: cents,
  receiveAmount: cents,
  usdPerToken: attosOf,
  feeBps: int,
  credited: cents,
  reversed: cents,
  unclaimed: [UNCLAIMED_CENTS, cents],
  creditedUsd: cents,
  feeUsd: cents,
  address: text,
  txHash: text,
  confirmations: int,
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
  completedAt: time,
})

export interface NewDeposit {
  readonly method: 'gateway' | 'onramp'
  readonly tenantId: string
  readonly accountId: string
  readonly currency: Currency
  readonly quoteId: string
  readonly token: string
  readonly chain: string | null
  readonly payAmount: Attos
  readonly payUsd: Cents
  readonly receiveUsd: Cents
  readonly receiveAmount: Cents
  readonly usdPerToken: Attos
  readonly feeBps: number
  readonly details: OrderDetails
  readonly expiresAt: Date
  readonly at: Date
  /** When the order is looked up, should the answer to its creation be lost. */
  readonly lookAt: Date
}

const CREATE = sql('deposits.create', 'select id from deposits.create_deposits($1) id')
/**
 * One statement, one commit; all of them or none. Their ids, in the order in which they are given.
 * Raises what `deposits.create_deposits` documents.
 */
export async function insertDeposits(
  db: Queryable,
  deposits: readonly NewDeposit[],
): Promise<string[]> {
  // By quote: of two commits that use the same ones, neither waits for the other.
  const inOrder = deposits.toSorted((one, other) => compare(one.quoteId, other.quoteId))
  const rows = await db.query<{ id: string }>(CREATE, [JSON.stringify(inOrder.map(creationOf))])
  return deposits.map((deposit) => assertDefined(rows[inOrder.indexOf(deposit)], 'its id').id)
}

const creationOf = (deposit: NewDeposit) => ({
  method: deposit.method,
  tenant_id: deposit.tenantId,
  account_id: deposit.accountId,
  currency: deposit.currency,
  quote_id: deposit.quoteId,
  token: deposit.token,
  chain: deposit.chain,
  pay_amount: formatDecimal(deposit.payAmount),
  pay_usd: String(deposit.payUsd),
  receive_usd: String(deposit.receiveUsd),
  receive_amount: String(deposit.receiveAmount),
  usd_per_token: formatDecimal(deposit.usdPerToken),
  fee_bps: deposit.feeBps,
  details: deposit.details,
  expires_at: deposit.expiresAt,
  at: deposit.at,
  look_at: deposit.lookAt,
})

const MOVE = sql('deposits.move', 'select deposits.move($1, $2, $3, $4, $5) moved')
/** False when it stands there already. Decide under the lock of `lockDeposit`. */
export async function moveDeposit(
  tx: Queryable,
  id: string,
  step: {
    readonly to: DepositStatus
    readonly reason?: FailureReason | null
    readonly substate?: DepositSubstate | null
  },
  at: Date,
): Promise<boolean> {
  const values = [id, step.to, step.reason ?? null, step.substate ?? null, at]
  const [row] = await tx.query<{ moved: boolean }>(MOVE, values)
  return assertDefined(row, 'the step').moved
}

const BEGIN_LISTING = sql(
  'deposits.begin_listing',
  'select from deposits.begin_listing(array[$1::uuid])',
)
/** From now on lists have it and events name it. Its row is locked. */
export const beginListing = async (tx: Tx, id: string): Promise<void> => {
  await tx.query(BEGIN_LISTING, [id])
}

const NOTE_SEEN = sql(
  'deposits.note_seen',
  `update deposits.deposit set seen_amount = $2, updated_at = $3
   where id = $1 and status in ('initiated', 'pending') and seen_amount <> $2`,
)
/** Of an order that still runs: how many tokens have come. It moves no money and no state. */
export const noteSeen = async (db: Queryable, id: string, seen: Attos, at: Date): Promise<void> => {
  await db.query(NOTE_SEEN, [id, formatDecimal(seen), at])
}

const LOCK = sql(
  'deposits.lock',
  `select ${DEPOSIT.list} from deposits.deposit d where d.id = $1 for no key update`,
)
export async function lockDeposit(tx: Tx, id: string): Promise<Deposit | null> {
  return DEPOSIT.first(tx, LOCK, [id])
}

const FIND = sql('deposits.find', `select ${DEPOSIT.list} from deposits.deposit d where d.id = $1`)
export const findDeposit = (db: Queryable, id: string): Promise<Deposit | null> =>
  DEPOSIT.first(db, FIND, [id])

const FIND_OF_ACCOUNT = sql(
  'deposits.find_of_account',
  `select ${DEPOSIT.list} from deposits.deposit d where d.id = $1 and d.account_id = $2 and d.is_listed`,
)
export const findDepositOf = (
  db: Queryable,
  accountId: string,
  id: string,
): Promise<Deposit | null> => DEPOSIT.first(db, FIND_OF_ACCOUNT, [id, accountId])

const FIND_OF_TENANT = sql(
  'deposits.find_of_tenant',
  `select ${DEPOSIT.list} from deposits.deposit d where d.id = $1 and d.tenant_id = $2 and d.is_listed`,
)
export const findTenantDeposit = (
  db: Queryable,
  tenantId: string,
  id: string,
): Promise<Deposit | null> => DEPOSIT.first(db, FIND_OF_TENANT, [id, tenantId])

const READ = sql(
  'deposits.read',
  `select ${DEPOSIT.list} from deposits.deposit d where d.id = any ($1::uuid[]) limit 1000`,
)
/** By id; an unknown one is left out. */
export async function readDeposits(db: Queryable, ids: readonly string[]): Promise<Deposit[]> {
  return DEPOSIT.all(db, READ, [ids])
}

const LIST = sql(
  'deposits.list',
  `select ${DEPOSIT.list} from deposits.deposit d
   where d.account_id = $1 and d.is_listed and ($2::uuid is null or d.id < $2) order by d.id desc limit $3`,
)
/** Newest first, after the deposit `cursor`. */
export async function listDeposits(
  db: Queryable,
  accountId: string,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<CursorPage<Deposit>> {
  const deposits = await DEPOSIT.all(db, LIST, [accountId, cursor, limit + 1])
  return cursorPageOf(deposits, limit, ({ id }) => id)
}

const LIST_OF_TENANT = sql(
  'deposits.list_of_tenant',
  `select ${DEPOSIT.list} from deposits.deposit d
   where d.tenant_id = $1 and d.is_listed and ($2::uuid is null or d.account_id = $2) and ($3::deposits.status is null or d.status = $3)
     and ($4::text is null or d.method = $4) and ($5::timestamptz is null or d.created_at >= $5)
     and ($6::timestamptz is null or d.created_at < $6) and ($7::uuid is null or d.id < $7)
   order by d.id desc limit $8`,
)
export interface TenantDepositFilter {
  readonly accountId: string | null
  readonly status: DepositStatus | null
  readonly method: DepositMethod | null
  readonly from: Date | null
  readonly to: Date | null
  readonly cursor: string | null
  readonly limit: number
}
/** Of a merchant or partner and all of its accounts, newest first. */
export async function listTenantDeposits(
  db: Queryable,
  tenantId: string,
  { accountId, status, method, from, to, cursor, limit }: TenantDepositFilter,
): Promise<CursorPage<Deposit>> {
  const values = [tenantId, accountId, status, method, from, to, cursor, limit + 1]
  const deposits = await DEPOSIT.all(db, LIST_OF_TENANT, values)
  return cursorPageOf(deposits, limit, ({ id }) => id)
}

const PAGE_FILTER = `where d.account_id = $1 and d.is_listed and ($2::text is null or coalesce(d.substate, d.status::text) = $2)`
const COUNT_OF_PAGE = sql(
  'deposits.count_of_page',
  `select count(*)::int count from deposits.deposit d ${PAGE_FILTER}`,
)
const PAGE = sql(
  'deposits.page',
  `select ${DEPOSIT.list} from deposits.deposit d ${PAGE_FILTER} order by d.id desc limit $3 offset $4`,
)
/** Newest first, by page number; `status` is a status, or what a provider says in more detail. */
export async function pageDeposits(
  db: Queryable,
  accountId: string,
  {
    page,
    limit,
    status,
  }: { readonly page: number; readonly limit: number; readonly status: string | null },
): Promise<{ readonly total: number; readonly deposits: readonly Deposit[] }> {
  const [count] = await db.query<{ count: number }>(COUNT_OF_PAGE, [accountId, status])
  const offset = BigInt(page - 1) * BigInt(limit)
  const deposits = await DEPOSIT.all(db, PAGE, [accountId, status, limit, offset])
  return { total: count?.count ?? 0, deposits }
}

const OPEN_BUSINESS = sql(
  'deposits.open_business',
  `select distinct d.account_id from deposits.deposit d
   where d.account_id = any ($1::uuid[]) and d.is_listed and d.status in ('initiated', 'pending')`,
)
/** Which of these accounts wait for money that may still come. */
export async function findAccountsWithOpenDeposits(
  db: Queryable,
  accountIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ account_id: string }>(OPEN_BUSINESS, [accountIds])
  return rows.map(({ account_id }) => account_id)
}
