// SQL that finds withdrawals and custody deposits by whatever id of them a person has in hand.
import { type Queryable, sql } from '#infra/database/db'

export interface FoundPayout {
  readonly kind: 'withdrawal' | 'custody_deposit'
  readonly id: string
  /** The merchant or partner: of a withdrawal from the wallet of a child, its partner. */
  readonly tenantId: string
  readonly status: string
  readonly chain: string
  readonly token: string
  readonly createdAt: Date
}

const FIND = sql(
  'payouts.find_by_handle',
  `(select 'withdrawal' kind, id, tenant_id "tenantId", status, chain, token, created_at "createdAt"
    from payouts.withdrawal
    where (id = any ($1::uuid[]) or external_id = $2) and ($3::uuid is null or tenant_id = $3)
    order by id desc limit 20)
   union all
   (select 'custody_deposit', id, merchant_id, status, chain, token, created_at from payouts.deposit
    where id = any ($1::uuid[]) and ($3::uuid is null or merchant_id = $3) order by id desc limit 20)`,
)
/** By its id (a custody deposit has that of its transfer) or external id; of one tenant, or of all. */
export const findPayouts = (
  db: Queryable,
  by: {
    readonly ids: readonly string[]
    readonly text: string
    readonly tenantId: string | null
  },
): Promise<FoundPayout[]> => db.query<FoundPayout>(FIND, [by.ids, by.text, by.tenantId])
