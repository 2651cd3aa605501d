// Which reads a change makes stale. Only those that a page shows now are read again. The overviews are none
// of them: they add up many trades, and are read every half minute.
import type { QueryClient } from '@tanstack/react-query'
import type { RouteId } from '../api/call.ts'
import type { LiveChanges } from './follow.ts'

const MONEY_OF_MERCHANT = [
  'listWallets',
  'listLedger',
  'listUserLedger',
  'listUsers',
  'getUser',
] as const
const MONEY_OF_PARTNER = [
  'listPartnerLedger',
  'listChildLedger',
  'listChildren',
  'getChild',
] as const
const MONEY = [...MONEY_OF_MERCHANT, ...MONEY_OF_PARTNER] as const
const DELIVERIES = ['listEveryDelivery', 'listEveryDeliveryOfChild', 'getDelivery'] as const
const QUEUES = ['getQueues', 'listQueue'] as const

/** By the beginning of a topic: the type of an event of the account, or a topic of the service. */
const TOUCHED: readonly (readonly [prefix: string, routes: readonly RouteId[]])[] = [
  ['trade.', ['listTrades', 'listPartnerOrders', 'getTradePage', ...MONEY]],
  ['market_order.', ['listMarketOrders', 'getMarketOrder']],
  ['trade.', ['listMarketOrders', 'getMarketOrder', 'getItemDepth']],
  ['deposit.', ['listOwnDeposits', 'getOwnDeposit', ...MONEY]],
  ['payout.', ['getCustody', 'listOwnCustodyDeposits', 'listOwnWithdrawals']],
  ['payout.', ['getOwnWithdrawal', 'listOwnBatches', 'getOwnBatch', ...MONEY_OF_PARTNER]],
  ['acts', ['getHealth', 'listSuppliers', 'listAdminChains', 'getDefaults', 'listAuditLog']],
  [
    'acts',
    ['getSellingPolicy', 'listAdjustments', 'listAccounts', 'listServiceWallets', 'getBooksAudit'],
  ],
  ['acts', ['countWaiting']],
  ['cases', ['listCases', 'countWaiting', 'inspectTrade']],
  ['events', ['inspectTrade', 'inspectDeposit', 'inspectWithdrawal', ...QUEUES]],
  ['events', ['listAllTrades', 'listAllMarketOrders', 'getAnyMarketOrder']],
  ['events', ['listTradesOfAccount', 'listDepositsOfAccount', 'listWithdrawalsOfAccount']],
  ['deliveries', ['listAllDeliveries', 'listDeliveriesOfAccount', 'getAnyEvent', ...QUEUES]],
  ['held_payments', ['listHeldPayments', 'countWaiting', 'inspectDeposit', ...QUEUES]],
  ['held_withdrawals', ['listWaitingWithdrawals', 'countWaiting', 'inspectWithdrawal', ...QUEUES]],
]
/** With any event. */
const OF_EVENTS: readonly RouteId[] = ['listEvents', 'getEvent', ...DELIVERIES]
const EVERY_ROUTE: readonly RouteId[] = [...OF_EVENTS, ...TOUCHED.flatMap(([, routes]) => routes)]

/** Reads about one thing, which its own events alone make stale. Administrators' changes name no subjects. */
const ABOUT_ONE: ReadonlySet<unknown> = new Set<RouteId>([
  'getTradePage',
  'getOwnDeposit',
  'getOwnWithdrawal',
])

const routesOf = ({ topics, isMore }: LiveChanges): readonly RouteId[] =>
  isMore
    ? EVERY_ROUTE
    : [
        ...(topics.some((topic) => topic.includes('.')) ? OF_EVENTS : []),
        ...TOUCHED.flatMap(([prefix, routes]) =>
          topics.some((topic) => topic.startsWith(prefix)) ? routes : [],
        ),
      ]

export function readAnew(queries: QueryClient, changes: LiveChanges): void {
  const routes = new Set<unknown>(routesOf(changes))
  void queries.invalidateQueries({
    predicate: ({ queryKey: [route, of] }) => {
      if (!routes.has(route)) return false
      if (ABOUT_ONE.has(route)) return changes.isMore || changes.subjects.includes(String(of))
      // The rows of a list stay where they are: its newest ones say how many came.
      return of !== 'rows'
    },
  })
}
