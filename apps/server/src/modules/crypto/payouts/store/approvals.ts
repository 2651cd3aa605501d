// SQL of approvals: which are due, and one row for each POST.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'
import type { Capacity } from '#infra/jobs/permits'
import type { WaitingRow } from '#kernel/waiting'
import type { Withdrawal } from '../withdrawal.ts'
import { WITHDRAWAL } from './withdrawals.ts'

/** Whether merchants are to be asked about withdrawals. */
export const APPROVALS_DUE: DueQuestion = dueWhere(
  'payouts.approvals',
  `exists (select from payouts.withdrawal where status = 'pending_callback' and due_at <= $1)`,
)

const CLAIM = sql(
  'payouts.claim',
  `select ${WITHDRAWAL.list} from payouts.claim_approvals($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) w`,
)
/**
 * Takes those that are due until `leaseUntil`, as many as there is capacity for at each owner, and writes an
 * attempt for each, in one commit: before anything is posted. Its keys are owners.
 */
export async function claimApprovals(
  db: Queryable,
  {
    at,
    leaseUntil,
    capacity,
  }: { readonly at: Date; readonly leaseUntil: Date; readonly capacity: Capacity },
): Promise<Withdrawal[]> {
  const { limit, perKey, perUnhealthyKey, slow, unproven, heldByOwner, slowKeys, busyKeys } =
    capacity
  const held = JSON.stringify(heldByOwner)
  const keys = [slowKeys, busyKeys]
  const values = [at, leaseUntil, limit, perKey, perUnhealthyKey, slow, unproven, held, ...keys]
  return WITHDRAWAL.all(db, CLAIM, values)
}

const END_ATTEMPTS = sql(
  'payouts.end_attempts',
  `update payouts.approval_attempt a set ended_at = $6, result = i.result, sent = i.sent, answer = i.answer
   from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::bytea[]) i (id, number, result, sent, answer)
   where a.withdrawal_id = i.id and a.number = i.number and a.ended_at is null returning a.withdrawal_id || ':' || a.number attempt`,
)
export interface EndedAttempt {
  /** Of the withdrawal. */
  readonly id: string
  readonly number: number
  readonly result: string
  /** The body that was posted; null when nothing was. */
  readonly sent: string | null
  /** The first bytes of the body that came back. */
  readonly answer: string | null
}
/** Those that were not ended before, each as `<withdrawal>:<number>`. */
export async function endAttempts(
  tx: Tx,
  ended: readonly EndedAttempt[],
  at: Date,
): Promise<Set<string>> {
  const column = <T>(of: (attempt: EndedAttempt) => T): T[] => ended.map(of)
  const rows = await tx.query<{ attempt: string }>(END_ATTEMPTS, [
    column(({ id }) => id),
    column(({ number }) => number),
    column(({ result }) => result),
    column(({ sent }) => sent),
    column(({ answer }) => (answer === null ? null : Buffer.from(answer))),
    at,
  ])
  return new Set(rows.map(({ attempt }) => attempt))
}

const ATTEMPTS = sql(
  'payouts.attempts_of',
  `select number, started_at "startedAt", ended_at "endedAt", result, sent, answer
   from payouts.approval_attempt where withdrawal_id = $1 order by number limit 1000`,
)
export interface ApprovalAttempt {
  readonly number: number
  readonly startedAt: Date
  readonly endedAt: Date | null
  readonly result: string | null
  readonly sent: string | null
  readonly answer: string | null
}
/** The POSTs of an approval, oldest first; bodies are there for 30 days. */
export async function listApprovalAttempts(
  db: Queryable,
  withdrawalId: string,
): Promise<ApprovalAttempt[]> {
  const rows = await db.query<Omit<ApprovalAttempt, 'answer'> & { answer: Buffer | null }>(
    ATTEMPTS,
    [withdrawalId],
  )
  return rows.map((row) => ({ ...row, answer: row.answer?.toString('utf8') ?? null }))
}

const FORGET = sql(
  'payouts.forget_approvals',
  `update payouts.approval_attempt set sent = null, answer = null where (withdrawal_id, number) in (
     select withdrawal_id, number from payouts.approval_attempt
     where sent is not null and started_at < $1 order by started_at limit 5000) returning number`,
)
/** Removes bodies that were posted before then; how many went. */
export const forgetApprovalBodies = async (db: Queryable, before: Date): Promise<number> =>
  (await db.query(FORGET, [before])).length

const TRY_LATER = sql(
  'payouts.try_later',
  `update payouts.withdrawal set due_at = $2, callback_failures = callback_failures + $3
   where id = $1 and status = 'pending_callback'`,
)
export async function tryLater(
  tx: Tx,
  id: string,
  { dueAt, failures }: { dueAt: Date; failures: 0 | 1 },
): Promise<void> {
  await tx.query(TRY_LATER, [id, dueAt, failures])
}

const APPROVED = sql(
  'payouts.approved',
  `update payouts.withdrawal w set status = 'queued', due_at = null, approved_at = $3, held_reason = i.held_reason
   from unnest($1::uuid[], $2::text[]) i (id, held_reason)
   where w.id = i.id and w.status = 'pending_callback'`,
)
export async function markApproved(
  tx: Tx,
  approved: readonly Pick<Withdrawal, 'id' | 'heldReason'>[],
  at: Date,
): Promise<void> {
  await tx.query(APPROVED, [
    approved.map(({ id }) => id),
    approved.map(({ heldReason }) => heldReason),
    at,
  ])
}

const WAITING = `select id, id "refId", concat_ws(' ', token, chain, held_reason) what, created_at since, due_at "dueAt",
  (count(*) over ())::int count, (count(*) filter (where coalesce(due_at, $1) <= $1) over ())::int due
  from payouts.withdrawal`
const TO_APPROVE = sql(
  'payouts.list_to_approve',
  `${WAITING} where status = 'pending_callback' order by due_at, id limit $2`,
)
const TO_RELEASE = sql(
  'payouts.list_to_release',
  `${WAITING} where held_reason is not null order by id limit $2`,
)
/** Withdrawals that wait for their merchant's endpoint, or for an administrator; the oldest first. */
export const listWaitingWithdrawals = (
  db: Queryable,
  query: { readonly areHeld: boolean; readonly at: Date; readonly limit: number },
): Promise<WaitingRow[]> =>
  db.query<WaitingRow>(query.areHeld ? TO_RELEASE : TO_APPROVE, [query.at, query.limit])
