// GET /v1/user/orders, /v1/user/transactions and /v1/user/transactions/stats: what an account bought.
import { partnerRoutes } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import {
  type AccountOfTenant,
  countTrades,
  type NumberedPage,
  pageMovements,
  pageTrades,
  type Status,
} from '#trades'
import { ORDER_STATUS, orderView, transactionView } from '#wire/partner/order'
import type { PartnerCaller } from '../../shared/principal.ts'
import { DONE, operation, type PartnerOperations } from '../operation.ts'

export interface OrdersDeps {
  readonly db: Db
  readonly heavyReads: HeavyReads
}

export const createOrderOperations = ({
  db,
  heavyReads,
}: OrdersDeps): Pick<
  PartnerOperations,
  'listOrders' | 'listTransactions' | 'getTransactionStats'
> => ({
  listOrders: operation(partnerRoutes.listOrders, async ({ caller, query }) => {
    const account = accountOf(caller)
    const read = (from: Db) => from.snapshot((at) => pageTrades(at, account, query))
    const { total, trades } = await (isDeep(query)
      ? heavyReads.run(account.tenantId, read)
      : read(db))
    const orders = trades.map(orderView)
    return { total, returned: orders.length, orders, message: DONE }
  }),

  listTransactions: operation(partnerRoutes.listTransactions, async ({ caller, query }) => {
    const account = accountOf(caller)
    const read = (from: Db) => from.snapshot((at) => pageMovements(at, account, query))
    const page = await (isDeep(query) ? heavyReads.run(account.tenantId, read) : read(db))
    return { total: page.total, transactions: page.movements.map(transactionView), message: DONE }
  }),

  getTransactionStats: operation(partnerRoutes.getTransactionStats, async ({ caller }) => {
    const counts = await countTrades(db, accountOf(caller))
    const endedIn = (codes: readonly string[]): number =>
      (Object.keys(ORDER_STATUS) as Status[])
        .filter((status) => codes.includes(ORDER_STATUS[status]))
        .reduce((sum, status) => sum + (counts.get(status) ?? 0), 0)
    return {
      stats: { completed: endedIn(['COMPLETED']), failed: endedIn(['FAILED', 'REVERTED']) },
      message: DONE,
    }
  }),
})

const accountOf = ({ account }: PartnerCaller): AccountOfTenant => ({
  tenantId: account.partnerId,
  accountId: account.id,
})

/** The database walks through the rows before a page: many of them are one of the partner's heavy reads. */
const isDeep = ({ page, limit }: NumberedPage): boolean => page * limit > 10_000
