// SQL of the export of an account's audit log.
import { isoTime, plainText } from '#infra/copy-out'
import { sql } from '#infra/db'

/** Of an account: `$2` and `$3` the range; each may be null. */
export const EXPORT_AUDIT = sql(
  'audit.export',
  `select e.id, ${isoTime('e.at')} at, e.actor_kind, ${plainText('e.actor_id')} actor_id, e.act, e.subject_type,
     ${plainText('e.subject_id')} subject_id, ${plainText('e.facts::text')} facts, ${plainText('e.changes::text')} changes
   from audit.entry e
   where e.account_id = $1 and ($2::timestamptz is null or e.at >= $2) and ($3::timestamptz is null or e.at < $3)
   order by e.id desc`,
)
