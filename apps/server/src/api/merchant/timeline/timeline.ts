// GET /market/transactions/{tradeId}/timeline
import { merchantRoutes } from '@tradepost/contract'
import type { Db } from '#infra/db'
import { refuse } from '#kernel/refusal'
import { listPostingsAbout } from '#ledger'
import { listNews } from '#outbox'
import { findTradeHead, listSteps, newsKeysOf, readTrades } from '#trades'
import { listAttemptsOfEvents } from '#webhooks'
import { timelineView } from '#wire/merchant/timeline'
import { type Operation, operation } from '../../shared/operation.ts'

export const createTimelineOperation = ({ db }: { readonly db: Db }): Operation =>
  operation(merchantRoutes.getTradeTimeline, async ({ caller, params }) => {
    const seen = await db.snapshot(async (at) => {
      const head = await findTradeHead(at, params.tradeId)
      if (head?.accountId !== caller.account.id) return null
      const [trade] = await readTrades(at, [params.tradeId])
      if (!trade) return null
      const itemIds = trade.items.map(({ id }) => id)
      const steps = await listSteps(at, trade.id)
      const postings = await listPostingsAbout(at, [trade.id, ...itemIds])
      const news = await listNews(at, newsKeysOf(trade.id, itemIds))
      const eventIds = news.map(({ id }) => id)
      const attempts = await listAttemptsOfEvents(at, trade.tenantId, eventIds)
      return { trade, requestId: head.requestId, steps, postings, news, attempts }
    })
    return seen ? timelineView(seen) : refuse('TRADE_NOT_FOUND')
  })
