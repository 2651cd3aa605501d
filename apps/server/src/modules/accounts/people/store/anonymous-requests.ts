import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'
import { newId } from '#kernel/id'
import type { WaitingRow } from '#kernel/waiting'
import type { Origin } from '../person.ts'

/** What an anonymous caller asked for, with what its answer needs. */
export type Asked =
  | {
      readonly kind: 'register'
      readonly passwordHash: string
      readonly country: string | null
      readonly origin: Origin
      readonly publicUrl: string
    }
  | { readonly kind: 'resend_verification' | 'reset_password'; readonly publicUrl: string }
  | { readonly kind: 'failed_log_in'; readonly origin: Origin }

export interface AnonymousRequest {
  readonly id: string
  readonly email: string
  readonly asked: Asked
  readonly at: Date
}

const INSERT = sql(
  'people.insert_visitor_request',
  `insert into people.visitor_request (id, kind, email, facts, due_at, created_at)
   values ($1, $2, $3, $4, $5, $5)`,
)
export const queueAnonymousRequest = async (
  db: Queryable,
  { email, asked: { kind, ...details }, at }: Omit<AnonymousRequest, 'id'>,
): Promise<void> => {
  await db.query(INSERT, [newId(at.getTime()), kind, email, JSON.stringify(details), at])
}

/** Whether anonymous callers wait for what they asked for. */
export const ANONYMOUS_REQUESTS_WAIT: DueQuestion = dueWhere(
  'people.visitors',
  'exists (select from people.visitor_request where due_at <= $1)',
)

const CLAIM = sql(
  'people.claim_visitor_requests',
  `with due as materialized (
     select id from people.visitor_request where due_at <= $1 order by due_at, number limit $3 for update skip locked),
   claimed as (
     update people.visitor_request r set due_at = $2 from due where r.id = due.id
     returning r.id, r.number, r.kind, r.email, r.facts, r.created_at)
   select id, email, jsonb_build_object('kind', kind) || facts asked, created_at at from claimed order by number`,
)
/** Claims due requests until `until`, in the order in which they came. */
export const claimAnonymousRequests = (
  db: Queryable,
  { now, until, limit }: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<AnonymousRequest[]> => db.query<AnonymousRequest>(CLAIM, [now, until, limit])

const TAKE = sql(
  'people.take_visitor_request',
  'delete from people.visitor_request where id = $1 returning id',
)
/** In the transaction of the answer. False: another worker has answered it. */
export const takeAnonymousRequest = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.query(TAKE, [id])).length > 0

const LIST_WAITING = sql(
  'people.list_waiting_visitors',
  `select id, null::uuid "refId", kind what, created_at since, due_at "dueAt", (count(*) over ())::int count,
     (count(*) filter (where due_at <= $1) over ())::int due
   from people.visitor_request order by due_at, number limit $2`,
)
/** Requests that are not answered yet, the longest due first. Their addresses are left out. */
export const listWaitingAnonymousRequests = (
  db: Queryable,
  query: { readonly at: Date; readonly limit: number },
): Promise<WaitingRow[]> => db.query<WaitingRow>(LIST_WAITING, [query.at, query.limit])

const KEEP = sql(
  'people.keep_registration',
  `insert into people.registration (email_key, password_hash, created_at) values (lower($1), $2, $3)
   on conflict (email_key) do update set password_hash = excluded.password_hash, created_at = excluded.created_at`,
)
/** The newest of an address is kept. */
export const keepRegistration = async (
  tx: Tx,
  {
    email,
    passwordHash,
    at,
  }: { readonly email: string; readonly passwordHash: string; readonly at: Date },
): Promise<void> => {
  await tx.query(KEEP, [email, passwordHash, at])
}

const FIND = sql(
  'people.find_registration',
  'select password_hash "passwordHash" from people.registration where email_key = lower($1)',
)
/** The password of the newest registration of an address that is not confirmed since; null: there is none. */
export const findRegisteredPassword = async (
  db: Queryable,
  email: string,
): Promise<string | null> => {
  const [row] = await db.query<{ passwordHash: string }>(FIND, [email])
  return row?.passwordHash ?? null
}
