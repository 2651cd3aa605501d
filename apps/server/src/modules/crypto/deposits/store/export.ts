// SQL of the export of deposits.
import { isoTime, plainText } from '#infra/database/copy-out'
import { sql } from '#infra/database/db'
import { UNCLAIMED_CENTS } from './deposits.ts'

/**
 * Of a tenant and its accounts: `$2` status, `$3` method, `$4` and `$5` the range, `$6` account; each may be
 * null. Amounts of tokens have every digit.
 */
export const EXPORT_DEPOSITS = sql(
  'deposits.export',
  `select d.id deposit_id, ${isoTime('d.created_at')} created_at, ${isoTime('d.completed_at')} completed_at, d.method, d.status,
     ${plainText('coalesce(d.reason, d.substate)')} reason, d.account_id, ${plainText('identity.external_id_of(d.account_id)')} user_external_id,
     d.chain, d.token paid_in, trim_scale(d.pay_amount) pay_amount, trim_scale(nullif(d.received_amount, 0)) received_amount,
     case when d.credited_usd + d.fee_usd > 0 then round((d.credited - case unclaimed when 0 then d.reversed else unclaimed end) / 100.0, 2) end credited, d.currency,
     case when d.credited_usd + d.fee_usd > 0 then round(d.fee_usd / 100.0, 2) end fee_usd, ${plainText('d.address')} address, ${plainText('d.tx_hash')} tx_hash
   from deposits.deposit d cross join lateral ${UNCLAIMED_CENTS} put_aside (unclaimed)
   where d.tenant_id = $1 and d.is_listed and ($2::text is null or d.status::text = $2) and ($3::text is null or d.method = $3)
     and ($4::timestamptz is null or d.created_at >= $4) and ($5::timestamptz is null or d.created_at < $5)
     and ($6::uuid is null or d.account_id = $6)
   order by d.id desc`,
)
