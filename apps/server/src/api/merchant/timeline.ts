// GET /market/transactions/{tradeId}/timeline
import { merchantRoutes } from '@tradepost/contract'
import { refuse } from '#kernel/refusal'
import { listPostingsAbout } from '#ledger'
import { listNews } from '#outbox'
import type { Db } from '#platform/db'
import { withSellItems } from '#selling'
import { findTradeHead, listSteps, newsKeysOf, readTrades } from '#trading'
import { listAttemptsOfEvents } from '#webhooks'
import { timelineView } from '#wire/merchant/timeline'
import { type Operation, operation } from '../shared/operation.ts'

export const createTimelineOperation = ({ db }: { readonly db: Db }): Operation =>
  operation(merchantRoutes.getTradeTimeline, async ({ caller, params }) => {
    const head = await findTradeHead(db, params.tradeId)
    if (head?.accountId !== caller.account.id) return refuse('TRADE_NOT_FOUND')
    const [trade] = await withSellItems(db, await readTrades(db, [params.tradeId]))
    if (!trade) return refuse('TRADE_NOT_FOUND')
    const itemIds = trade.items.map(({ id }) => id)
    const [steps, postings, news] = await Promise.all([
      listSteps(db, trade.id),
      listPostingsAbout(db, [trade.id, ...itemIds]),
      listNews(db, newsKeysOf(trade.id, itemIds)),
    ])
    const eventIds = news.map(({ id }) => id)
    const attempts = await listAttemptsOfEvents(db, trade.merchantId, eventIds)
    const { requestId } = head
    return timelineView({ trade, requestId, steps, postings, news, attempts })
  })
