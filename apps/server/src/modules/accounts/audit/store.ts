import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Act, ActorKind, AuditEntry, Changes } from './entry.ts'

const INSERT = sql(
  'audit.insert_entry',
  `insert into audit.entry (at, actor_kind, actor_id, act, subject_type, subject_id, facts, request, account_id, changes)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)
/** In the transaction of the act: either both are committed or neither is. */
export async function recordAct(tx: Tx, act: Act): Promise<void> {
  const { actor, subject } = act
  const ofSubject = subject.type === 'account' ? subject.id : null
  await tx.query(INSERT, [
    act.at,
    actor.kind,
    actor.id,
    act.act,
    subject.type,
    subject.id,
    spelled(act.details),
    spelled(actor.request),
    act.accountId ?? ofSubject ?? actor.accountId ?? null,
    spelled(act.changes ?? {}),
  ])
}

/** As JSON: money and ids that are bigint are kept as text. */
const spelled = (details: object): string =>
  JSON.stringify(details, (_name, value) => (typeof value === 'bigint' ? String(value) : value))

interface EntryRow {
  id: bigint
  at: Date
  actor_kind: ActorKind
  actor_id: string
  act: string
  subject_type: string
  subject_id: string | null
  facts: Record<string, unknown>
  request: Record<string, string>
  account_id: string | null
  changes: Changes
}

const LIST = sql(
  'audit.list_entries',
  `select id, at, actor_kind, actor_id, act, subject_type, subject_id, facts, request, account_id, changes
   from audit.entry
   where ($1::text is null or subject_type = $1) and ($2::text is null or subject_id = $2)
     and ($3::text is null or actor_id = $3) and ($4::bigint is null or id < $4)
     and ($6::uuid is null or account_id = $6) and ($7::text is null or act = $7)
     and ($8::timestamptz is null or at >= $8) and ($9::timestamptz is null or at < $9)
   order by id desc limit $5`,
)
export interface AuditFilter {
  readonly subjectType?: string | undefined
  readonly subjectId?: string | undefined
  readonly actorId?: string | undefined
  readonly accountId?: string | undefined
  readonly act?: string | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** Entries older than this one. */
  readonly before?: bigint | undefined
  readonly limit: number
}
/** Newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter): Promise<AuditEntry[]> {
  const rows = await db.query<EntryRow>(LIST, [
    filter.subjectType ?? null,
    filter.subjectId ?? null,
    filter.actorId ?? null,
    filter.before ?? null,
    filter.limit,
    filter.accountId ?? null,
    filter.act ?? null,
    filter.from ?? null,
    filter.to ?? null,
  ])
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actor: { kind: row.actor_kind, id: row.actor_id, request: row.request },
    act: row.act,
    subject: { type: row.subject_type, id: row.subject_id },
    details: row.facts,
    accountId: row.account_id,
    changes: row.changes,
  }))
}

const NEWEST_ID = sql('audit.newest_id', 'select max(id) id from audit.entry')

/** Rises with each act; 0 without one. */
export async function newestActId(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ id: bigint | null }>(NEWEST_ID)
  return row?.id ?? 0n
}
