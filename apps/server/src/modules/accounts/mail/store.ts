import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'
import type { WaitingRow } from '#kernel/waiting'

export interface MessageRow {
  readonly id: string
  readonly recipient: string
  readonly template: string
  readonly facts: unknown
  readonly sealed_facts: string | null
  readonly attempts: number
  readonly due_at: Date
}

const INSERT = sql(
  'mail.insert_message',
  `insert into mail.message (id, recipient, template, facts, sealed_facts, due_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $6)`,
)
export const insertMessage = async (
  tx: Tx,
  message: {
    readonly id: string
    readonly recipient: string
    readonly template: string
    /** JSON, of a notice. */
    readonly details: string | null
    /** Of a message with a secret. */
    readonly sealedDetails: string | null
    readonly at: Date
  },
): Promise<void> => {
  const { id, recipient, template, details, sealedDetails, at } = message
  await tx.query(INSERT, [id, recipient, template, details, sealedDetails, at])
}

/** Whether messages are to be sent. */
export const MAIL_DUE: DueQuestion = dueWhere(
  'mail.messages',
  'exists (select from mail.message where due_at <= $1)',
)

const CLAIM = sql(
  'mail.claim',
  `with due as materialized (
     select id, due_at from mail.message where due_at <= $1 order by due_at limit $3 for update skip locked),
   claimed as (
     update mail.message m set due_at = $2, attempts = m.attempts + 1 from due where m.id = due.id
     returning m.id, m.number, m.recipient, m.template, m.facts, m.sealed_facts, m.attempts, due.due_at)
   select id, recipient, template, facts, sealed_facts, attempts, due_at from claimed order by number`,
)
/** Claims due messages until `until`, in the order of their queueing; each claim counts as an attempt. */
export const claimMessages = (
  db: Queryable,
  { now, until, limit }: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<MessageRow[]> => db.query<MessageRow>(CLAIM, [now, until, limit])

const MARK_SENT = sql(
  'mail.mark_sent',
  `update mail.message set sent_at = $2, due_at = null, facts = null, sealed_facts = null, detail = null
   where id = $1 and due_at is not null`,
)
export const markSent = async (db: Queryable, id: string, at: Date): Promise<void> => {
  await db.query(MARK_SENT, [id, at])
}

const MARK_FAILED = sql(
  'mail.mark_failed',
  `update mail.message set failed_at = $2, due_at = null, facts = null, sealed_facts = null, detail = $3
   where id = $1 and due_at is not null`,
)
export const markFailed = async (
  db: Queryable,
  id: string,
  { at, detail }: { readonly at: Date; readonly detail: string },
): Promise<void> => {
  await db.query(MARK_FAILED, [id, at, detail])
}

const GIVE_UP_BATCH = 500
const GIVE_UP = sql(
  'mail.give_up',
  `update mail.message set failed_at = $2, due_at = null, facts = null, sealed_facts = null, detail = 'mail is off'
   where id in (select id from mail.message where due_at < $1 order by due_at limit $3 for update skip locked)
   returning id`,
)
/** Ends messages that were due before a moment, one batch; true when there may be more. */
export async function giveUpMail(
  db: Queryable,
  { dueBefore, at }: { readonly dueBefore: Date; readonly at: Date },
): Promise<boolean> {
  const ended = await db.query(GIVE_UP, [dueBefore, at, GIVE_UP_BATCH])
  return ended.length === GIVE_UP_BATCH
}

const FORGET_BATCH = 1000
const FORGET = sql(
  'mail.forget',
  `delete from mail.message where id in (
     select id from mail.message where due_at is null and created_at < $1 order by id limit $2)
   returning id`,
)
/** Deletes messages that have ended and are older than a moment, one batch; true when there may be more. */
export async function forgetEndedMail(db: Queryable, createdBefore: Date): Promise<boolean> {
  const deleted = await db.query(FORGET, [createdBefore, FORGET_BATCH])
  return deleted.length === FORGET_BATCH
}

const RETRY_AT = sql(
  'mail.retry_at',
  `update mail.message set due_at = $2, detail = $3 where id = $1 and due_at is not null`,
)
export const retryAt = async (
  db: Queryable,
  id: string,
  { dueAt, detail }: { readonly dueAt: Date; readonly detail: string },
): Promise<void> => {
  await db.query(RETRY_AT, [id, dueAt, detail])
}

const LIST_WAITING = sql(
  'mail.list_waiting',
  `select id, null::uuid "refId", concat_ws(' ', template, 'attempt', attempts, detail) what, created_at since,
     due_at "dueAt", (count(*) over ())::int count, (count(*) filter (where due_at <= $1) over ())::int due
   from mail.message where due_at is not null order by due_at, number limit $2`,
)
/** Messages that are not sent yet, the longest due first. To whom they go is left out. */
export const listWaitingMail = (
  db: Queryable,
  query: { readonly at: Date; readonly limit: number },
): Promise<WaitingRow[]> => db.query<WaitingRow>(LIST_WAITING, [query.at, query.limit])
