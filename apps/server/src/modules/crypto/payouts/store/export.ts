// SQL of the export of withdrawals.
import { isoTime, plainText } from '#infra/database/copy-out'
import { sql } from '#infra/database/db'

/**
 * Of an account and its children: `$2` status, `$3` and `$4` the range, `$5` external id, `$6` the account
 * itself or one child; each of these may be null. Base units become tokens by a multiplication, which is
 * exact; a division would round.
 */
export const EXPORT_WITHDRAWALS = sql(
  'payouts.export',
  `select w.id withdrawal_id, ${isoTime('w.created_at')} created_at, ${isoTime('w.broadcast_at')} broadcast_at,
     ${isoTime('w.confirmed_at')} confirmed_at, ${isoTime('w.refunded_at')} refunded_at, w.status, ${plainText('w.failure_reason')} failure_reason,
     w.owner_id account_id, ${plainText('w.external_id')} external_id, w.for_user_id, ${plainText('w.for_user_external_id')} for_user_external_id,
     w.chain, w.token, trim_scale(w.units * ('1e-' || w.decimals)::numeric) amount, round(w.amount_cents / 100.0, 2) amount_usd,
     round((w.fee_cents + w.site_fee_cents) / 100.0, 2) fee_usd, ${plainText('w.destination')} destination, ${plainText('w.tx_hash')} tx_hash
   from payouts.withdrawal w
   where w.tenant_id = $1 and ($6::uuid is null or w.owner_id = $6) and ($2::text is null or w.status = $2) and ($3::timestamptz is null or w.created_at >= $3)
     and ($4::timestamptz is null or w.created_at < $4) and ($5::text is null or w.external_id = $5)
   order by w.id desc`,
)
