import { type Queryable, sql, type Tx } from '#infra/db'
import { assertDefined } from '#kernel/assert'

const READ = sql('pricing.read', 'select global_default_bps from pricing.setting')

export async function readGlobalDefaultBps(db: Queryable): Promise<number> {
  const [row] = await db.query<{ global_default_bps: number }>(READ)
  return assertDefined(row, 'pricing.setting').global_default_bps
}

const WRITE = sql(
  'pricing.write',
  'update pricing.setting set global_default_bps = $1, changed_at = $2',
)

export async function writeGlobalDefaultBps(tx: Tx, bps: number, at: Date): Promise<void> {
  await tx.query(WRITE, [bps, at])
}
