// SQL of the administrator's switch.
import { type Queryable, sql } from '#infra/db'

const READ_SWITCH = sql('trades.read_switch', 'select paused from trades.switch limit 1')
export async function readPaused(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ paused: boolean }>(READ_SWITCH)
  return row?.paused ?? false
}

const READ_PAUSED_SINCE = sql(
  'trades.read_paused_since',
  'select changed_at from trades.switch where paused limit 1',
)
export async function readPausedSince(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ changed_at: Date }>(READ_PAUSED_SINCE)
  return row?.changed_at ?? null
}

const WRITE_SWITCH = sql(
  'trades.write_switch',
  'update trades.switch set paused = $1, reason = $2, changed_at = $3',
)
export async function writePaused(
  tx: Queryable,
  change: { paused: boolean; reason: string; at: Date },
): Promise<void> {
  await tx.query(WRITE_SWITCH, [change.paused, change.reason, change.at])
}
