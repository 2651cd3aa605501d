// SQL of the export of withdrawals.
import { type ExportStatements, isoTime, plainText } from '#infra/database/copy-out'
import { sql } from '#infra/database/db'

/**
 * Of an account and its children: `$2` status, `$3` and `$4` the range, `$5` external id, `$6` the account
 * itself or one child, `$7` and `$8` the withdrawals before which and from which on; each of these may be
 * null. Base units become tokens by a multiplication, which is exact; a division would round.
 */
const ROWS = sql(
  'payouts.export',
  `select w.id withdrawal_id, ${isoTime('w.created_at')} created_at, ${isoTime('w.broadcast_at')} broadcast_at,
     ${isoTime('w.confirmed_at')} confirmed_at, ${isoTime('w.refunded_at')} refunded_at, w.status, ${plainText('w.failure_reason')} failure_reason,
     w.owner_id account_id, ${plainText('w.external_id')} external_id, w.for_user_id, ${plainText('w.for_user_external_id')} for_user_external_id,
     w.chain, w.token, trim_scale(w.units * ('1e-' || w.decimals)::numeric) amount, round(w.amount_cents / 100.0, 2) amount_usd,
     round((w.fee_cents + w.site_fee_cents) / 100.0, 2) fee_usd, ${plainText('w.destination')} destination, ${plainText('w.tx_hash')} tx_hash
   from payouts.withdrawal w
   where w.tenant_id = $1 and ($6::uuid is null or w.owner_id = $6) and ($2::text is null or w.status = $2) and ($3::timestamptz is null or w.created_at >= $3)
     and ($4::timestamptz is null or w.created_at < $4) and ($5::text is null or w.external_id = $5)
     and ($7::uuid is null or w.id < $7) and ($8::uuid is null or w.id >= $8)
   order by w.id desc`,
)

/** Of an account and its children, the withdrawal that is `$3` withdrawals before `$2`, or before all. */
const BOUNDARY = sql(
  'payouts.export_boundary',
  `select id key from payouts.withdrawal where tenant_id = $1 and ($2::uuid is null or id < $2) order by id desc offset $3 - 1 limit 1`,
)

export const EXPORT_WITHDRAWALS: ExportStatements = { rows: ROWS, boundary: BOUNDARY }
