// SQL of the exports of the audit log: of an account, and of the service.
import { isoTime, plainText } from '#infra/database/copy-out'
import { sql } from '#infra/database/db'

const COLUMNS = `e.id, ${isoTime('e.at')} at, e.actor_kind, ${plainText('e.actor_id')} actor_id, e.act, e.subject_type,
  ${plainText('e.subject_id')} subject_id, ${plainText('e.facts::text')} facts, ${plainText('e.changes::text')} changes`
const WHERE = `($2::timestamptz is null or e.at >= $2) and ($3::timestamptz is null or e.at < $3)
  and ($4::text is null or e.act = $4) and ($5::text is null or e.actor_id = $5)
  and ($6::text is null or e.subject_id = $6)`

/** Of an account: `$2` and `$3` the range, `$4` act, `$5` actor, `$6` subject; each of these may be null. */
export const EXPORT_AUDIT = sql(
  'audit.export',
  `select ${COLUMNS} from audit.entry e where e.account_id = $1 and ${WHERE} order by e.id desc`,
)

/** The same of all accounts, or of the account `$1`. */
export const EXPORT_AUDIT_LOG = sql(
  'audit.export_log',
  `select ${COLUMNS}, e.account_id from audit.entry e
   where ($1::uuid is null or e.account_id = $1) and ${WHERE} order by e.id desc`,
)
