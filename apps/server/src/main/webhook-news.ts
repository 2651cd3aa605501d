// What a webhook says of its event, from the state of the moment.
import { must } from '#kernel/assert'
import type { Db } from '#platform/db'
import { readTrades } from '#trading'
import type { Delivery, DeliveryDeps } from '#webhooks'
import { tradeNewsData } from '#wire/merchant/webhook'

/** One read for a whole batch of deliveries: many are about the same trade. */
export function createRender(db: Db): DeliveryDeps['render'] {
  return async (deliveries: readonly Delivery[]) => {
    const ids = [...new Set(deliveries.map((delivery) => delivery.subjectId))]
    const trades = new Map((await readTrades(db, ids)).map((trade) => [trade.id, trade]))
    return deliveries.map((delivery) =>
      tradeNewsData(delivery, must(trades.get(delivery.subjectId), 'the trade of an event')),
    )
  }
}
