// GET /v1/user/orders, /v1/user/transactions and /v1/user/transactions/stats: what an account bought.
import { partnerRoutes } from '@tradepost/contract'
import type { Db } from '#infra/db'
import { countTrades, pageMovements, pageTrades, type Status } from '#trades'
import { ORDER_STATUS, orderView, transactionView } from '#wire/partner/order'
import { DONE, operation, type PartnerOperations } from '../operation.ts'

export const createOrderOperations = ({
  db,
}: {
  readonly db: Db
}): Pick<PartnerOperations, 'listOrders' | 'listTransactions' | 'getTransactionStats'> => ({
  listOrders: operation(partnerRoutes.listOrders, async ({ caller, query }) => {
    const { total, trades } = await db.snapshot((at) => pageTrades(at, caller.account.id, query))
    const orders = trades.map(orderView)
    return { total, returned: orders.length, orders, message: DONE }
  }),

  listTransactions: operation(partnerRoutes.listTransactions, async ({ caller, query }) => {
    const { total, movements } = await db.snapshot((at) =>
      pageMovements(at, caller.account.id, query),
    )
    return { total, transactions: movements.map(transactionView), message: DONE }
  }),

  getTransactionStats: operation(partnerRoutes.getTransactionStats, async ({ caller }) => {
    const counts = await countTrades(db, caller.account.id)
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
