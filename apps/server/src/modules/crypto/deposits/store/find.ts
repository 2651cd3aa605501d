// SQL that finds deposits by whatever id of them a person has in hand.
import { type Queryable, sql } from '#infra/database/db'

export interface FoundDeposit {
  readonly id: string
  readonly tenantId: string
  readonly accountId: string
  readonly method: string
  readonly status: string
  readonly createdAt: Date
}

// The payments of one hash pay few orders; an address of the gateway is used again after its order has ended.
const MOST_OF_ONE = 20
/** As the indexes of payments have it. */
const PAYMENT_HASH = `lower(split_part(split_part(settlement_ref, '/', 2), '#', 1))`

export const FIND = sql(
  'deposits.find_by_handle',
  `with found as (
     select id from deposits.deposit where id = any ($1::uuid[])
     union select id from deposits.deposit where transfer_id = any ($2::uuid[])
     union select deposit_id from deposits.provider_order
       where provider in ('gateway', 'onramp') and provider_order_id = $3
     union (select deposit_id from deposits.provider_order
       where details ? 'address' and lower(details ->> 'address') = lower($3) order by asked_at desc limit ${MOST_OF_ONE})
     union (select deposit_id from deposits.credit
       where provider = 'gateway' and ${PAYMENT_HASH} = lower($3) limit ${MOST_OF_ONE})
     union (select deposit_id from deposits.held_payment
       where provider = 'gateway' and ${PAYMENT_HASH} = lower($3) limit ${MOST_OF_ONE}))
   select d.id, d.tenant_id "tenantId", d.account_id "accountId", d.method, d.status::text status,
     d.created_at "createdAt"
   from found join deposits.deposit d using (id) where $4::uuid is null or (d.tenant_id = $4 and d.is_listed)
   order by d.id desc limit 20`,
)
/**
 * By its id, a transfer on a chain, the provider's id of its order, the address that the order is paid to, or
 * the hash of a payment at the gateway; of one tenant, or of all.
 */
export const findDeposits = (
  db: Queryable,
  by: {
    readonly ids: readonly string[]
    readonly transferIds: readonly string[]
    readonly text: string
    readonly tenantId: string | null
  },
): Promise<FoundDeposit[]> =>
  db.query<FoundDeposit>(FIND, [by.ids, by.transferIds, by.text, by.tenantId])

const OF_TRANSFERS = sql(
  'deposits.of_transfers',
  'select transfer_id "transferId", id from deposits.deposit where transfer_id = any ($1::uuid[])',
)
/** The deposits that transfers on a chain have made, by the id of the transfer. */
export async function findDepositsOfTransfers(
  db: Queryable,
  transferIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ transferId: string; id: string }>(OF_TRANSFERS, [transferIds])
  return new Map(rows.map(({ transferId, id }) => [transferId, id]))
}
