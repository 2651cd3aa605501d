import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'

const READ = sql('pricing.read', 'select global_default_bps from pricing.setting')

export async function readGlobalDefaultBps(db: Queryable): Promise<number> {
  const [row] = await db.query<{ global_default_bps: number }>(READ)
  return assertDefined(row, 'pricing.setting').global_default_bps
}

const READ_WITHDRAW_FEE = sql(
  'pricing.read_withdraw_fee',
  'select withdraw_fee_bps from pricing.setting',
)

/** The service fee on a withdrawal of a partner or child, basis points of its amount. */
export async function readWithdrawFeeBps(db: Queryable): Promise<number> {
  const [row] = await db.query<{ withdraw_fee_bps: number }>(READ_WITHDRAW_FEE)
  return assertDefined(row, 'pricing.setting').withdraw_fee_bps
}

const WRITE = sql(
  'pricing.write',
  'update pricing.setting set global_default_bps = $1, changed_at = $2',
)

export async function writeGlobalDefaultBps(tx: Tx, bps: number, at: Date): Promise<void> {
  await tx.query(WRITE, [bps, at])
}
