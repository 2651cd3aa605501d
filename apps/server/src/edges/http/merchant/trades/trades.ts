// The reads of trades: the merchant's over all its accounts, and an account's own.
import { merchantRoutes } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { isUuid } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { listTrades, readTrades, type Status, type Trade, type TradeFilter } from '#trades'
import { tradeView } from '#wire/merchant/trade'
import { type MerchantOperations, operation } from '../operation.ts'

export interface TradesDeps {
  readonly db: Db
  readonly heavyReads: HeavyReads
  /** A sub-user's account id by UUID or externalId; refuses USER_NOT_FOUND. */
  findSubUserId(merchantId: string, reference: string): Promise<string>
}

export function createTradesOperations({
  db,
  heavyReads,
  findSubUserId,
}: TradesDeps): Pick<
  MerchantOperations,
  | 'listMerchantTrades'
  | 'listSubUserTrades'
  | 'getMerchantTrade'
  | 'listTransactions'
  | 'getTransaction'
> {
  const page = async (tenantId: string, filter: TradeFilter, query: Slice) => {
    const limit = query.limit ?? 25
    // A filter that no id can match is an empty list, not a malformed request.
    const impossible = filter.tradeId !== undefined && !isUuid(filter.tradeId)
    if (impossible) return { views: [], nextCursor: null }
    const slice = { cursor: query.cursor ?? null, limit }
    const read = (from: Db) => listTrades(from, filter, slice)
    const { items, nextCursor } = await (isHeavy(filter)
      ? heavyReads.run(tenantId, read)
      : read(db))
    return { views: items.map(tradeView), nextCursor }
  }
  const one = async (tradeId: string, mayRead: (trade: Trade) => boolean) => {
    const [trade] = await readTrades(db, [tradeId])
    return trade && mayRead(trade) ? tradeView(trade) : refuse('TRADE_NOT_FOUND')
  }

  return {
    listMerchantTrades: operation(merchantRoutes.listMerchantTrades, async ({ caller, query }) => {
      const tenantId = caller.tenant.id
      const accountId =
        query.subUserId === undefined ? undefined : await findSubUserId(tenantId, query.subUserId)
      const { views, nextCursor } = await page(
        tenantId,
        { tenantId, ...(accountId && { accountId }), ...filterOf(query) },
        query,
      )
      return { trades: views, nextCursor }
    }),

    listSubUserTrades: operation(
      merchantRoutes.listSubUserTrades,
      async ({ caller, params, query }) => {
        const tenantId = caller.tenant.id
        const accountId = await findSubUserId(tenantId, params.id)
        const { views, nextCursor } = await page(
          tenantId,
          { tenantId, accountId, ...filterOf(query) },
          query,
        )
        return { trades: views, nextCursor }
      },
    ),

    getMerchantTrade: operation(merchantRoutes.getMerchantTrade, ({ caller, params }) =>
      one(params.tradeId, (trade) => trade.tenantId === caller.tenant.id),
    ),

    listTransactions: operation(merchantRoutes.listTransactions, async ({ caller, query }) => {
      const { views, nextCursor } = await page(
        caller.tenant.id,
        { accountId: caller.account.id, ...filterOf(query) },
        query,
      )
      return { transactions: views, nextCursor }
    }),

    getTransaction: operation(merchantRoutes.getTransaction, ({ caller, params }) =>
      one(params.tradeId, (trade) => trade.accountId === caller.account.id),
    ),
  }
}

/** A filter without an index of its own may walk through many trades to find a few. */
const isHeavy = (filter: TradeFilter): boolean => {
  const { type, statuses, hideResolved, itemName, from, to } = filter
  const isFound = filter.tradeId ?? filter.externalId ?? filter.offerId
  return (
    isFound === undefined && Boolean(type ?? statuses ?? hideResolved ?? itemName ?? from ?? to)
  )
}

interface Slice {
  readonly cursor?: string
  readonly limit?: number
}

interface FilterQuery {
  readonly type?: NonNullable<TradeFilter['type']>
  /** One, or from the dashboard several, separated by commas. */
  readonly status?: string
  readonly hideResolved?: boolean
  readonly itemName?: string
  readonly externalId?: string
  readonly offerId?: string
  readonly tradeId?: string
  readonly from?: string
  readonly to?: string
}

function filterOf(query: FilterQuery): TradeFilter {
  const { type, status, hideResolved, itemName, externalId, offerId, tradeId, from, to } = query
  return {
    ...(type && { type }),
    ...(status && { statuses: status.split(',') as Status[] }),
    ...(hideResolved && { hideResolved }),
    ...(itemName && { itemName }),
    ...(externalId && { externalId }),
    ...(offerId && { offerId }),
    ...(tradeId && { tradeId }),
    ...(from && { from: new Date(from) }),
    ...(to && { to: new Date(to) }),
  }
}
