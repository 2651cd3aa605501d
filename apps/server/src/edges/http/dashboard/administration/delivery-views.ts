// Deliveries as administrators see them in a list: each with the name of its account.
import { readAccountNames } from '#identity'
import type { Queryable } from '#infra/database/db'
import { adminDeliveryView } from '#wire/dashboard/admin-records'

type Delivery = Parameters<typeof adminDeliveryView>[0]

export async function deliveryViews(
  db: Queryable,
  deliveries: readonly Delivery[],
): Promise<ReturnType<typeof adminDeliveryView>[]> {
  const names = await readAccountNames(
    db,
    deliveries.map(({ tenantId }) => tenantId),
  )
  return deliveries.map((each) => adminDeliveryView(each, names))
}
