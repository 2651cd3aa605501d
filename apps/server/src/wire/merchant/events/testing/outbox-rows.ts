// What SQL wrote into the outbox against what the registry says of it.
import assert from 'node:assert/strict'
import { type Queryable, sql } from '#infra/database/db'
import { merchantEvents } from '../index.ts'

interface Row {
  readonly type: string
  readonly subject_type: string
  readonly subject_id: string
  readonly payload: unknown
  readonly dedupe_key: string
}

const ROWS = sql(
  'test.outbox_rows',
  'select type, subject_type, subject_id, payload, dedupe_key from outbox.event',
)

/** Every event of the database has the type, subject, payload and key of the registry; their types. */
export async function assertRegisteredEvents(db: Queryable): Promise<Set<string>> {
  const rows = await db.query<Row>(ROWS)
  for (const row of rows) {
    assert.ok(Object.hasOwn(merchantEvents, row.type), `${row.type} is not registered`)
    const entry = merchantEvents[row.type as keyof typeof merchantEvents]
    assert.equal(row.subject_type, entry.subjectType, row.type)
    assert.equal(row.dedupe_key, entry.dedupeKey(row.type, row.subject_id, row.payload), row.type)
  }
  return new Set(rows.map(({ type }) => type))
}
