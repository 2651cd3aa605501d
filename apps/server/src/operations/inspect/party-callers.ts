// How the calls of processes to parties outside have ended.
import { columns, int, text, time } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import type { CallOutcomes } from '#infra/http/call-outcomes'

/** As the adapters name them. */
export type Party = 'game_platform' | 'gateway' | 'onramp'
export const PARTIES: readonly Party[] = ['game_platform', 'gateway', 'onramp']

export interface PartyCaller extends CallOutcomes {
  readonly party: Party
  readonly workerId: string
  readonly notedAt: Date
}

const CALLER = columns<PartyCaller>('', {
  party: text,
  workerId: text,
  notedAt: time,
  answeredAt: time,
  failedAt: time,
  failures: int,
  callsOfMinute: ['calls_of_minute', int],
  failuresOfMinute: ['failures_of_minute', int],
})

const NOTE = sql(
  'operations.note_party',
  `insert into operations.party_caller (party, worker_id, noted_at, answered_at, failed_at, failures,
     calls_of_minute, failures_of_minute)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (party, worker_id) do update set noted_at = excluded.noted_at, answered_at = excluded.answered_at,
     failed_at = excluded.failed_at, failures = excluded.failures, calls_of_minute = excluded.calls_of_minute,
     failures_of_minute = excluded.failures_of_minute`,
)
export async function notePartyCaller(db: Queryable, caller: PartyCaller): Promise<void> {
  const { party, workerId, notedAt, answeredAt, failedAt, failures } = caller
  const { callsOfMinute, failuresOfMinute } = caller
  await db.query(NOTE, [
    ...[party, workerId, notedAt, answeredAt, failedAt, failures],
    ...[callsOfMinute, failuresOfMinute],
  ])
}

const FORGET = sql(
  'operations.forget_party_callers',
  `delete from operations.party_caller
   where ($1::text is not null and worker_id = $1) or noted_at < $2::timestamptz - interval '1 hour'`,
)
/** Of a process that stops in good order, and of those that were killed an hour ago. */
export async function forgetPartyCallers(
  db: Queryable,
  { workerId, at }: { readonly workerId: string | null; readonly at: Date },
): Promise<void> {
  await db.query(FORGET, [workerId, at])
}

const LIST = sql(
  'operations.list_party_callers',
  `select ${CALLER.list} from operations.party_caller order by party, worker_id limit 1000`,
)
export const listPartyCallers = (db: Queryable): Promise<PartyCaller[]> => CALLER.all(db, LIST)
