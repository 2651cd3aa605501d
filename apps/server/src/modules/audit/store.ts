import { type Queryable, sql, type Tx } from '#infra/db'
import type { Act, ActorKind, AuditEntry } from './entry.ts'

const INSERT = sql(
  'audit.insert_entry',
  `insert into audit.entry (at, actor_kind, actor_id, act, subject_type, subject_id, facts, request)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)
/** In the transaction of the act: either both are committed or neither is. */
export async function recordAct(tx: Tx, { actor, act, subject, facts, at }: Act): Promise<void> {
  await tx.query(INSERT, [
    at,
    actor.kind,
    actor.id,
    act,
    subject.type,
    subject.id,
    JSON.stringify(facts, (_name, value) => (typeof value === 'bigint' ? String(value) : value)),
    JSON.stringify(actor.request),
  ])
}

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
}

const LIST = sql(
  'audit.list_entries',
  `select id, at, actor_kind, actor_id, act, subject_type, subject_id, facts, request from audit.entry
   where ($1::text is null or subject_type = $1) and ($2::text is null or subject_id = $2)
     and ($3::text is null or actor_id = $3) and ($4::bigint is null or id < $4)
   order by id desc limit $5`,
)
export interface AuditFilter {
  readonly subjectType?: string
  readonly subjectId?: string
  readonly actorId?: string
  /** Entries older than this one. */
  readonly before?: bigint
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
  ])
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actor: { kind: row.actor_kind, id: row.actor_id, request: row.request },
    act: row.act,
    subject: { type: row.subject_type, id: row.subject_id },
    facts: row.facts,
  }))
}
