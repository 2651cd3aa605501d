// SQL of withdrawals.
import { bool, columns, int, type Row, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { unitsOf } from '#kernel/chain'
import { cents } from '#kernel/money'
import { type CursorPage, cursorPageOf } from '#kernel/page'
import type { HeldReason, Withdrawal, WithdrawalStatus } from '../withdrawal.ts'

export const WITHDRAWAL = columns<Withdrawal>('w.', {
  id: text,
  source: text,
  ownerId: text,
  tenantId: text,
  externalId: text,
  forUserId: text,
  forUserExternalId: text,
  chain: text,
  token: text,
  tokenAddress: text,
  decimals: int,
  destination: text,
  amountCents: cents,
  feeCents: cents,
  siteFeeCents: cents,
  units: unitsOf,
  feeUnits: unitsOf,
  wasCovered: bool,
  status: text,
  heldReason: text,
  approvalId: text,
  callbackAttempts: int,
  callbackFailures: int,
  txHash: text,
  nonce: Number,
  failureReason: text,
  journalId: text,
  createdAt: time,
  broadcastAt: time,
  confirmedAt: time,
})

const INSERT = sql(
  'payouts.insert_withdrawals',
  `insert into payouts.withdrawal as w (id, source, owner_id, tenant_id, external_id, request_hash, for_user_id,
     for_user_external_id, chain, token, token_address, decimals, destination, amount_cents, fee_cents, site_fee_cents,
     units, fee_units, usd_e8, was_covered, journal_id, status, due_at, approved_at, held_reason, created_at)
   select i.*, $26
   from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::bytea[], $7::uuid[], $8::text[], $9::text[],
     $10::text[], $11::text[], $12::smallint[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[], $17::numeric[],
     $18::numeric[], $19::numeric[], $20::boolean[], $21::uuid[], $22::text[], $23::timestamptz[], $24::timestamptz[],
     $25::text[]) i
   on conflict (owner_id, external_id) do nothing returning ${WITHDRAWAL.list}`,
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
  | 'heldReason'
  | 'journalId'
> & { readonly requestHash: Buffer; readonly usdE8: bigint }

/** Those whose owners had none with their external id; of two with the same one, one. */
export async function insertWithdrawals(
  tx: Tx,
  withdrawals: readonly NewWithdrawal[],
  at: Date,
): Promise<Withdrawal[]> {
  const column = <T>(of: (one: NewWithdrawal) => T): T[] => withdrawals.map(of)
  const isCustody = ({ source }: NewWithdrawal): boolean => source === 'custody'
  return WITHDRAWAL.all(tx, INSERT, [
    column((one) => one.id),
    column((one) => one.source),
    column((one) => one.ownerId),
    column((one) => one.tenantId),
    column((one) => one.externalId),
    column((one) => one.requestHash),
    column((one) => one.forUserId),
    column((one) => one.forUserExternalId),
    column((one) => one.chain),
    column((one) => one.token),
    column((one) => one.tokenAddress),
    column((one) => one.decimals),
    column((one) => one.destination),
    column((one) => one.amountCents),
    column((one) => one.feeCents),
    column((one) => one.siteFeeCents),
    column((one) => one.units),
    column((one) => one.feeUnits),
    column((one) => one.usdE8),
    column((one) => one.wasCovered),
    column((one) => one.journalId),
    column((one) => (isCustody(one) ? 'pending_callback' : 'queued')),
    column((one) => (isCustody(one) ? at : null)),
    column((one) => (isCustody(one) ? null : at)),
    column((one) => one.heldReason),
    at,
  ])
}

const BY_EXTERNAL_IDS = sql(
  'payouts.by_external_ids',
  `select ${WITHDRAWAL.list}, w.request_hash "requestHash", k.position
   from unnest($1::uuid[], $2::text[]) with ordinality k (owner_id, external_id, position)
     cross join lateral (select * from payouts.withdrawal w
       where w.owner_id = k.owner_id and w.external_id = k.external_id limit 1) w`,
)
export interface KnownWithdrawal {
  readonly withdrawal: Withdrawal
  readonly requestHash: Buffer
}
export interface ExternalKey {
  readonly ownerId: string
  readonly externalId: string
}
type KnownRow = Row<Withdrawal> & { readonly requestHash: Buffer; readonly position: bigint }
/** The withdrawal of each key, in their order. */
export async function readByExternalIds(
  db: Queryable,
  keys: readonly ExternalKey[],
): Promise<(KnownWithdrawal | null)[]> {
  const rows = await db.query<KnownRow>(BY_EXTERNAL_IDS, [
    keys.map(({ ownerId }) => ownerId),
    keys.map(({ externalId }) => externalId),
  ])
  const found = new Map(
    rows.map((row) => [
      Number(row.position) - 1,
      { withdrawal: WITHDRAWAL.of(row), requestHash: row.requestHash },
    ]),
  )
  return keys.map((_, i) => found.get(i) ?? null)
}

const BY_IDS = sql(
  'payouts.by_ids',
  `select ${WITHDRAWAL.list} from payouts.withdrawal w where w.id = any ($1::uuid[])`,
)
export const readWithdrawals = (db: Queryable, ids: readonly string[]): Promise<Withdrawal[]> =>
  WITHDRAWAL.all(db, BY_IDS, [ids])

const LOCK = sql(
  'payouts.lock_withdrawals',
  `select ${WITHDRAWAL.list} from payouts.withdrawal w where w.id = any ($1::uuid[]) order by w.id for update`,
)
/** In the order of their ids. */
export const lockWithdrawals = (tx: Tx, ids: readonly string[]): Promise<Withdrawal[]> =>
  WITHDRAWAL.all(tx, LOCK, [ids])

export const lockWithdrawal = async (tx: Tx, id: string): Promise<Withdrawal | null> =>
  (await lockWithdrawals(tx, [id]))[0] ?? null

const listSql = (name: string, column: 'owner_id' | 'tenant_id') =>
  sql(
    name,
    `select ${WITHDRAWAL.list} from payouts.withdrawal w
     where w.${column} = $1 and ($2::text is null or w.status = $2) and ($3::text is null or w.external_id = $3)
       and ($4::uuid is null or w.for_user_id = $4) and ($5::uuid is null or w.id < $5)
       and ($7::timestamptz is null or w.created_at >= $7) and ($8::timestamptz is null or w.created_at < $8)
     order by w.id desc limit $6`,
  )
const LIST_OF_OWNER = listSql('payouts.list_withdrawals', 'owner_id')
const LIST_OF_TENANT = listSql('payouts.list_withdrawals_of_tenant', 'tenant_id')

export interface WithdrawalFilter {
  /** One account, or a partner with all of its children. */
  readonly of: { readonly ownerId: string } | { readonly tenantId: string }
  readonly status: WithdrawalStatus | null
  readonly externalId: string | null
  readonly forUserId: string | null
  readonly cursor: string | null
  readonly limit: number
  /** Created at or after `from`, before `to`. */
  readonly from?: Date | null
  readonly to?: Date | null
}
/** Newest first. */
export async function listWithdrawals(
  db: Queryable,
  filter: WithdrawalFilter,
): Promise<CursorPage<Withdrawal>> {
  const { of } = filter
  const [list, id] = 'ownerId' in of ? [LIST_OF_OWNER, of.ownerId] : [LIST_OF_TENANT, of.tenantId]
  const withdrawals = await WITHDRAWAL.all(db, list, [
    id,
    filter.status,
    filter.externalId,
    filter.forUserId,
    filter.cursor,
    filter.limit + 1,
    filter.from ?? null,
    filter.to ?? null,
  ])
  return cursorPageOf(withdrawals, filter.limit, (withdrawal) => withdrawal.id)
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
  `select ${WITHDRAWAL.list} from payouts.withdrawal w where w.owner_id = $1 and ($2::text is null or ${STAGE} = $2)
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
  const withdrawals = await WITHDRAWAL.all(db, PAGE, [ownerId, stage, limit, offset])
  return { total: count?.count ?? 0, withdrawals }
}

const HELD = sql(
  'payouts.held',
  `select ${WITHDRAWAL.list} from payouts.withdrawal w where w.held_reason is not null order by w.id limit $1`,
)
/** Those that wait for an operator, oldest first. */
export const listHeld = (db: Queryable, limit: number): Promise<Withdrawal[]> =>
  WITHDRAWAL.all(db, HELD, [limit])

const HELD_MARK = sql(
  'payouts.held_mark',
  `select concat_ws('/', count(*), max(id::text)) mark from (
     select id from payouts.withdrawal where held_reason is not null order by id desc limit 1000) held`,
)
/** Another text whenever one more waits for an operator, or one fewer. */
export async function markOfHeld(db: Queryable): Promise<string> {
  const [row] = await db.query<{ mark: string }>(HELD_MARK)
  return row?.mark ?? ''
}

const HOLD = sql(
  'payouts.set_held',
  `update payouts.withdrawal set held_reason = $2 where id = $1 and status in ('queued', 'broadcast')`,
)
export async function setHeld(tx: Tx, id: string, reason: HeldReason): Promise<void> {
  await tx.query(HOLD, [id, reason])
}

const RELEASE = sql(
  'payouts.release',
  `update payouts.withdrawal set held_reason = null, approved_at = $2 where id = $1 and status = 'queued'`,
)
/** From now on it may leave, and counts against the limits. */
export async function release(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(RELEASE, [id, at])
}

const SUM_APPROVED = sql(
  'payouts.lock_and_sum_approved',
  'select tenant_id "tenantId", cents from payouts.lock_and_sum_approved($1::uuid[], $2)',
)
export interface ApprovedSums {
  /** Of all tenants together, in cents. */
  total: bigint
  readonly byTenant: Map<string, bigint>
}
/** What was approved since then and not refunded; no other approval sums until the transaction ends. */
export async function lockAndSumApproved(
  tx: Tx,
  { tenantIds, since }: { tenantIds: readonly string[]; since: Date },
): Promise<ApprovedSums> {
  const rows = await tx.query<{ tenantId: string | null; cents: bigint }>(SUM_APPROVED, [
    [...new Set(tenantIds)],
    since,
  ])
  const sums: ApprovedSums = { total: 0n, byTenant: new Map() }
  for (const { tenantId, cents: sum } of rows) {
    if (tenantId === null) sums.total = sum
    else sums.byTenant.set(tenantId, sum)
  }
  return sums
}

const PRUNE_SUMS = sql(
  'payouts.prune_approved_sums',
  'delete from payouts.approved_sum where slot < $1',
)
/** Forgets the sums of slots that began before then. */
export const pruneApprovedSums = async (db: Queryable, before: Date): Promise<void> => {
  await db.query(PRUNE_SUMS, [before])
}

// ---------------------------------------------------------------- settlement

const BROADCAST = sql(
  'payouts.broadcast',
  `update payouts.withdrawal w set status = 'broadcast', tx_hash = s.hash, nonce = s.nonce, broadcast_at = s.at
   from unnest($1::uuid[], $2::text[], $3::bigint[], $4::timestamptz[]) s (id, hash, nonce, at)
   where w.id = s.id and w.status = 'queued' returning ${WITHDRAWAL.list}`,
)
/** Those that were queued until now, by nonce. */
export async function markBroadcast(
  tx: Tx,
  sent: readonly { readonly refId: string; hash: string; nonce: number | null; at: Date }[],
): Promise<Withdrawal[]> {
  const withdrawals = await WITHDRAWAL.all(tx, BROADCAST, [
    sent.map(({ refId }) => refId),
    sent.map(({ hash }) => hash),
    sent.map(({ nonce }) => nonce),
    sent.map(({ at }) => at),
  ])
  const order = new Map(sent.map(({ refId }, i) => [refId, i]))
  return withdrawals.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
}

const CONFIRMED = sql(
  'payouts.confirmed',
  `update payouts.withdrawal set status = 'confirmed', tx_hash = coalesce($2, tx_hash), confirmed_at = $3,
     held_reason = null where id = $1 and status = 'broadcast' returning id`,
)
export async function markConfirmed(
  tx: Tx,
  id: string,
  { hash, at }: { hash: string | null; at: Date },
): Promise<void> {
  const [confirmed] = await tx.query(CONFIRMED, [id, hash, at])
  assertDefined(confirmed, `withdrawal ${id}, which was sent`)
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

// The index of approvals bounds what is read: one that is confirmed later than this is not counted.
const CONFIRMED_BY_HOUR = sql(
  'payouts.confirmed_by_hour',
  `select date_trunc('hour', w.confirmed_at, 'UTC') "at", w.tenant_id "tenantId", count(*)::int "count",
     sum(trunc(w.units * w.usd_e8 / power(10::numeric, w.decimals) / 1000000))::bigint "usdCents"
   from payouts.withdrawal w
   where w.approved_at >= $1::timestamptz - interval '30 days' and w.approved_at < $2
     and w.confirmed_at >= $1 and w.confirmed_at < $2 group by 1, 2`,
)
export interface ConfirmedOfHour {
  /** The start of the hour. */
  readonly at: Date
  readonly tenantId: string
  readonly count: number
  /** US cents at the rates of the requests, each rounded down. */
  readonly usdCents: bigint
}
/** Withdrawals that were confirmed from `from` on and before `to`. */
export const sumConfirmed = (
  db: Queryable,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<ConfirmedOfHour[]> => db.query<ConfirmedOfHour>(CONFIRMED_BY_HOUR, [from, to])
