// Which reads an event makes stale. Only those that a page shows now are read again. The overview is none of
// them: it adds up many trades, and is read every half minute.
import type { QueryClient } from '@tanstack/react-query'
import type { RouteId } from '../api/call.ts'
import type { LiveEvents } from './follow.ts'

const MONEY = ['listWallets', 'listLedger', 'listUserLedger', 'listUsers', 'getUser'] as const

/** By the beginning of an event's type. */
const TOUCHED: readonly (readonly [prefix: string, routes: readonly RouteId[]])[] = [
  ['', ['listEvents', 'getEvent', 'listDeliveries', 'getDelivery']],
  ['trade.', ['listTrades', 'getTradePage', ...MONEY]],
  ['deposit.', ['listOwnDeposits', 'getOwnDeposit', ...MONEY]],
  ['payout.', ['getCustody', 'listOwnWithdrawals', 'getOwnWithdrawal']],
]
/** Reads about one thing, which its own events alone make stale. */
const ABOUT_ONE: ReadonlySet<unknown> = new Set<RouteId>([
  'getTradePage',
  'getOwnDeposit',
  'getOwnWithdrawal',
])

export function readAnew(queries: QueryClient, { types, subjects, isMore }: LiveEvents): void {
  const routes = new Set<unknown>(
    TOUCHED.flatMap(([prefix, touched]) =>
      types.some((type) => type.startsWith(prefix)) ? touched : [],
    ),
  )
  void queries.invalidateQueries({
    predicate: ({ queryKey: [route, of] }) => {
      if (!routes.has(route)) return false
      if (ABOUT_ONE.has(route)) return isMore || subjects.includes(String(of))
      // The rows of a list stay where they are: its newest ones say how many came.
      return of !== 'rows'
    },
  })
}
