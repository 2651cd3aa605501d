// SQL of withdrawals.
import { type Queryable, sql, type Tx } from '#infra/db'
import { type Address, baseUnits } from '#kernel/chain'
import { cents } from '#kernel/money'
import { type CursorPage, cursorPageOf } from '#kernel/page'
import type { HeldReason, Source, Withdrawal, WithdrawalStatus } from '../withdrawal.ts'

export interface Row {
  id: string
  source: Source
  owner_id: string
  tenant_id: string
  external_id: string
  for_user_id: string | null
  for_user_external_id: string | null
  chain: string
  token: string
  token_address: Address | null
  decimals: number
  destination: string
  amount_cents: bigint
  fee_cents: bigint
  site_fee_cents: bigint
  units: string
  fee_units: string
  was_covered: boolean
  status: WithdrawalStatus
  held_reason: HeldReason | null
  approval_id: string
  callback_attempts: number
  callback_failures: number
  tx_hash: string | null
  failure_reason: string | null
  journal_id: string | null
  created_at: Date
  broadcast_at: Date | null
  confirmed_at: Date | null
}

export const COLUMNS = `w.id, w.source, w.owner_id, w.tenant_id, w.external_id, w.for_user_id, w.for_user_external_id, w.chain, w.token,
  w.token_address, w.decimals, w.destination, w.amount_cents, w.fee_cents, w.site_fee_cents, w.units, w.fee_units,
  w.was_covered, w.status, w.held_reason, w.approval_id, w.callback_attempts, w.callback_failures, w.tx_hash, w.failure_reason,
  w.journal_id, w.created_at, w.broadcast_at, w.confirmed_at`

export const withdrawalOf = (row: Row): Withdrawal => ({
  id: row.id,
  source: row.source,
  ownerId: row.owner_id,
  tenantId: row.tenant_id,
  externalId: row.external_id,
  forUserId: row.for_user_id,
  forUserExternalId: row.for_user_external_id,
  chain: row.chain,
  token: row.token,
  tokenAddress: row.token_address,
  decimals: row.decimals,
  destination: row.destination,
  amountCents: cents(row.amount_cents),
  feeCents: cents(row.fee_cents),
  siteFeeCents: cents(row.site_fee_cents),
  units: baseUnits(BigInt(row.units)),
  feeUnits: baseUnits(BigInt(row.fee_units)),
  wasCovered: row.was_covered,
  status: row.status,
  heldReason: row.held_reason,
  approvalId: row.approval_id,
  callbackAttempts: row.callback_attempts,
  callbackFailures: row.callback_failures,
  txHash: row.tx_hash,
  failureReason: row.failure_reason,
  journalId: row.journal_id,
  createdAt: row.created_at,
  broadcastAt: row.broadcast_at,
  confirmedAt: row.confirmed_at,
})

const INSERT = sql(
  'payouts.insert_withdrawal',
  `insert into payouts.withdrawal as w (id, source, owner_id, external_id, request_hash, for_user_id,
     for_user_external_id, chain, token, token_address, decimals, destination, amount_cents, fee_cents, site_fee_cents,
     units, fee_units, usd_e8, status, due_at, journal_id, created_at, approved_at, tenant_id, was_covered)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)
   on conflict (owner_id, external_id) do nothing returning ${COLUMNS}`,
)

export type NewWithdrawal = Pick<
  Withdrawal,
  | 'id'
  | 'source'
  | 'ownerId'
  | 'tenantId'
  | 'externalId'
  | 'forUserId'
  | 'forUserExternalId'
  | 'chain'
  | 'token'
  | 'tokenAddress'
  | 'decimals'
  | 'destination'
  | 'amountCents'
  | 'feeCents'
  | 'siteFeeCents'
  | 'units'
  | 'feeUnits'
  | 'wasCovered'
  | 'journalId'
> & { readonly requestHash: Buffer; readonly usdE8: bigint; readonly at: Date }

/** Null when the owner has one with this external id. */
export async function insertWithdrawal(tx: Tx, one: NewWithdrawal): Promise<Withdrawal | null> {
  const isCustody = one.source === 'custody'
  const [row] = await tx.query<Row>(INSERT, [
    one.id,
    one.source,
    one.ownerId,
    one.externalId,
    one.requestHash,
    one.forUserId,
    one.forUserExternalId,
    one.chain,
    one.token,
    one.tokenAddress,
    one.decimals,
    one.destination,
    one.amountCents,
    one.feeCents,
    one.siteFeeCents,
    one.units,
    one.feeUnits,
    one.usdE8,
    isCustody ? 'pending_callback' : 'queued',
    isCustody ? one.at : null,
    one.journalId,
    one.at,
    isCustody ? null : one.at,
    one.tenantId,
    one.wasCovered,
  ])
  return row ? withdrawalOf(row) : null
}

const BY_EXTERNAL_ID = sql(
  'payouts.by_external_id',
  `select ${COLUMNS}, w.request_hash from payouts.withdrawal w where w.owner_id = $1 and w.external_id = $2`,
)
export async function findByExternalId(
  db: Queryable,
  ownerId: string,
  externalId: string,
): Promise<{ withdrawal: Withdrawal; requestHash: Buffer } | null> {
  const [row] = await db.query<Row & { request_hash: Buffer }>(BY_EXTERNAL_ID, [
    ownerId,
    externalId,
  ])
  return row ? { withdrawal: withdrawalOf(row), requestHash: row.request_hash } : null
}

const BY_IDS = sql(
  'payouts.by_ids',
  `select ${COLUMNS} from payouts.withdrawal w where w.id = any ($1::uuid[])`,
)
export const readWithdrawals = async (
  db: Queryable,
  ids: readonly string[],
): Promise<Withdrawal[]> => (await db.query<Row>(BY_IDS, [ids])).map(withdrawalOf)

const LOCK = sql(
  'payouts.lock_withdrawal',
  `select ${COLUMNS} from payouts.withdrawal w where w.id = $1 for update`,
)
export async function lockWithdrawal(tx: Tx, id: string): Promise<Withdrawal | null> {
  const [row] = await tx.query<Row>(LOCK, [id])
  return row ? withdrawalOf(row) : null
}

const LIST = sql(
  'payouts.list_withdrawals',
  `select ${COLUMNS} from payouts.withdrawal w
   where w.owner_id = $1 and ($2::text is null or w.status = $2) and ($3::text is null or w.external_id = $3)
     and ($4::uuid is null or w.for_user_id = $4) and ($5::uuid is null or w.id < $5)
   order by w.id desc limit $6`,
)
export interface WithdrawalFilter {
  readonly ownerId: string
  readonly status: WithdrawalStatus | null
  readonly externalId: string | null
  readonly forUserId: string | null
  readonly cursor: string | null
  readonly limit: number
}
/** Newest first. */
export async function listWithdrawals(
  db: Queryable,
  filter: WithdrawalFilter,
): Promise<CursorPage<Withdrawal>> {
  const rows = await db.query<Row>(LIST, [
    filter.ownerId,
    filter.status,
    filter.externalId,
    filter.forUserId,
    filter.cursor,
    filter.limit + 1,
  ])
  return cursorPageOf(rows.map(withdrawalOf), filter.limit, ({ id }) => id)
}

/** SQL of `walletStageOf`. */
const STAGE = `case when w.status = 'confirmed' then 'completed' when w.status = 'refunded' then 'refunded'
     when w.status = 'queued' and not w.was_covered then 'queued' else 'pending' end`
const COUNT_OF_PAGE = sql(
  'payouts.count_of_page',
  `select count(*)::int count from payouts.withdrawal w where w.owner_id = $1 and ($2::text is null or ${STAGE} = $2)`,
)
const PAGE = sql(
  'payouts.page_withdrawals',
  `select ${COLUMNS} from payouts.withdrawal w where w.owner_id = $1 and ($2::text is null or ${STAGE} = $2)
   order by w.id desc limit $3 offset $4`,
)
/** Withdrawals of an account by pages from 1, newest first; with a `WalletStage`, those alone. */
export async function pageWithdrawals(
  db: Queryable,
  ownerId: string,
  {
    page,
    limit,
    stage,
  }: { readonly page: number; readonly limit: number; readonly stage: string | null },
): Promise<{ readonly total: number; readonly withdrawals: readonly Withdrawal[] }> {
  const [count] = await db.query<{ count: number }>(COUNT_OF_PAGE, [ownerId, stage])
  const offset = BigInt(page - 1) * BigInt(limit)
  const rows = await db.query<Row>(PAGE, [ownerId, stage, limit, offset])
  return { total: count?.count ?? 0, withdrawals: rows.map(withdrawalOf) }
}

const HELD = sql(
  'payouts.held',
  `select ${COLUMNS} from payouts.withdrawal w where w.held_reason is not null order by w.id limit $1`,
)
/** Those that wait for an operator, oldest first. */
export const listHeld = async (db: Queryable, limit: number): Promise<Withdrawal[]> =>
  (await db.query<Row>(HELD, [limit])).map(withdrawalOf)

const HOLD = sql(
  'payouts.set_held',
  `update payouts.withdrawal set held_reason = $2 where id = $1 and status in ('queued', 'broadcast')`,
)
export async function setHeld(tx: Tx, id: string, reason: HeldReason | null): Promise<void> {
  await tx.query(HOLD, [id, reason])
}

const SUM_APPROVED = sql(
  'payouts.lock_and_sum_approved',
  'select total, own from payouts.lock_and_sum_approved($1, $2, $3)',
)
/** What was approved since then and not refunded, in cents; no other approval sums at the same moment. */
export async function lockAndSumApproved(
  tx: Tx,
  { tenantId, since, besides }: { tenantId: string; since: Date; besides: string },
): Promise<{ total: bigint; own: bigint }> {
  const values = [tenantId, since, besides]
  const [row] = await tx.query<{ total: bigint; own: bigint }>(SUM_APPROVED, values)
  return row ?? { total: 0n, own: 0n }
}

// ---------------------------------------------------------------- settlement

const BROADCAST = sql(
  'payouts.broadcast',
  `update payouts.withdrawal w set status = 'broadcast', tx_hash = s.hash, nonce = s.nonce, broadcast_at = s.at
   from unnest($1::uuid[], $2::text[], $3::bigint[], $4::timestamptz[]) s (id, hash, nonce, at)
   where w.id = s.id and w.status = 'queued' returning ${COLUMNS}`,
)
/** Those that were queued until now, by nonce. */
export async function markBroadcast(
  tx: Tx,
  sent: readonly { readonly refId: string; hash: string; nonce: number; at: Date }[],
): Promise<Withdrawal[]> {
  const rows = await tx.query<Row>(BROADCAST, [
    sent.map(({ refId }) => refId),
    sent.map(({ hash }) => hash),
    sent.map(({ nonce }) => nonce),
    sent.map(({ at }) => at),
  ])
  const order = new Map(sent.map(({ refId }, i) => [refId, i]))
  return rows.map(withdrawalOf).toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
}

const CONFIRMED = sql(
  'payouts.confirmed',
  `update payouts.withdrawal set status = 'confirmed', tx_hash = coalesce($2, tx_hash), confirmed_at = $3,
     held_reason = null where id = $1 and status = 'broadcast'`,
)
export async function markConfirmed(
  tx: Tx,
  id: string,
  { hash, at }: { hash: string | null; at: Date },
): Promise<void> {
  await tx.query(CONFIRMED, [id, hash, at])
}

const REFUNDED = sql(
  'payouts.refunded',
  `update payouts.withdrawal set status = 'refunded', failure_reason = $2, refunded_at = $3, due_at = null,
     held_reason = null, tx_hash = coalesce($4, tx_hash) where id = $1`,
)
export async function markRefunded(
  tx: Tx,
  id: string,
  { reason, at, hash }: { reason: string; at: Date; hash: string | null },
): Promise<void> {
  await tx.query(REFUNDED, [id, reason, at, hash])
}

const OWNERS_WITH_OPEN = sql(
  'payouts.owners_with_open',
  `select distinct id from (
     select owner_id id from payouts.withdrawal
       where owner_id = any ($1::uuid[]) and status in ('pending_callback', 'queued', 'broadcast')
     union all
     select for_user_id from payouts.withdrawal
       where for_user_id = any ($1::uuid[]) and status in ('pending_callback', 'queued', 'broadcast')) open`,
)
/** Which of these accounts have a withdrawal that is not at its end. */
export async function findOwnersWithOpenWithdrawals(
  db: Queryable,
  accountIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(OWNERS_WITH_OPEN, [accountIds])
  return rows.map(({ id }) => id)
}

const FIGURES = sql(
  'payouts.figures',
  `select status, coalesce(held_reason, '') "heldReason", count(*)::int count, min(created_at) oldest
   from payouts.withdrawal where status in ('pending_callback', 'queued', 'broadcast') group by 1, 2`,
)
export interface WithdrawalFigure {
  readonly status: WithdrawalStatus
  /** Empty for one that waits for no operator. */
  readonly heldReason: string
  readonly count: number
  readonly oldest: Date
}
/** What is under way, for metrics. */
export const readWithdrawalFigures = (db: Queryable): Promise<WithdrawalFigure[]> =>
  db.query(FIGURES)

const AUDIT = sql('payouts.audit', 'select invariant, detail from payouts.audit()')
export const auditPayouts = (db: Queryable): Promise<{ invariant: string; detail: string }[]> =>
  db.query(AUDIT)
