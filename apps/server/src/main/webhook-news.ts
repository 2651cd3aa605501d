// What a piece of news says of its subject, from the state of the moment: in a webhook, and read back.

import type { Db } from '#infra/db'
import { assertDefined } from '#kernel/assert'
import { readTrades } from '#trades'
import { type TradeNews, type TradeNewsData, tradeNewsData } from '#wire/merchant/webhook'

export type News = TradeNews & { readonly subjectId: string }

/** One read for a whole batch: many are about the same trade. */
export function createRender(db: Db): (news: readonly News[]) => Promise<TradeNewsData[]> {
  return async (news) => {
    const ids = [...new Set(news.map(({ subjectId }) => subjectId))]
    const read = await db.snapshot((at) => readTrades(at, ids))
    const trades = new Map(read.map((trade) => [trade.id, trade]))
    return news.map((one) =>
      tradeNewsData(one, assertDefined(trades.get(one.subjectId), 'the trade of an event')),
    )
  }
}
