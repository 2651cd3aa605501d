// SQL of the administrator's switch.
import { type Queryable, sql } from '#infra/database/db'

const PAUSED_SINCE = sql(
  'trades.paused_since',
  'select changed_at from trades.switch where paused limit 1',
)
/** Null: trading is not paused. */
export async function findPausedSince(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ changed_at: Date }>(PAUSED_SINCE)
  return row?.changed_at ?? null
}

const PAUSE = sql(
  'trades.pause',
  'select reason, changed_at "since" from trades.switch where paused limit 1',
)
export interface Pause {
  readonly reason: string | null
  readonly since: Date
}
/** Null: trading is not paused. */
export async function findPause(db: Queryable): Promise<Pause | null> {
  const [row] = await db.query<Pause>(PAUSE)
  return row ?? null
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
