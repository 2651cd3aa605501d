import { DeliveriesQuery } from '../../shapes/dashboard-account.ts'
import { AdminAccountParams } from '../../shapes/dashboard-admin.ts'
import {
  AccountDepositsQuery,
  AccountTradesQuery,
  AccountWithdrawalsQuery,
  SubAccounts,
  SubAccountsQuery,
} from '../../shapes/dashboard-admin-account-records.ts'
import { AdminDeliveries } from '../../shapes/dashboard-admin-records.ts'
import { Team } from '../../shapes/dashboard-members.ts'
import { TradesOfAccount } from '../../shapes/dashboard-merchant.ts'
import { DepositsOfAccount, WithdrawalsOfAccount } from '../../shapes/dashboard-money.ts'
import { defineDashboardRoute, FOR_ADMINISTRATORS } from './route.ts'

const OF_ACCOUNT = {
  ...FOR_ADMINISTRATORS,
  method: 'GET',
  params: AdminAccountParams,
  status: 200,
  refusals: ['USER_NOT_FOUND'],
} as const

/** What belongs to one account, newest first. */
export const adminAccountRecordRoutes = {
  listTradesOfAccount: defineDashboardRoute({
    ...{ ...OF_ACCOUNT, id: 'listTradesOfAccount' },
    path: '/dashboard/api/admin/merchants/{id}/trades',
    summary: 'Trades of an account; of a merchant or partner with those of its users',
    query: AccountTradesQuery,
    response: TradesOfAccount,
  }),
  listDepositsOfAccount: defineDashboardRoute({
    ...{ ...OF_ACCOUNT, id: 'listDepositsOfAccount' },
    path: '/dashboard/api/admin/merchants/{id}/deposits',
    summary: 'Deposits of an account; of a merchant or partner with those of its users',
    query: AccountDepositsQuery,
    response: DepositsOfAccount,
  }),
  listWithdrawalsOfAccount: defineDashboardRoute({
    ...{ ...OF_ACCOUNT, id: 'listWithdrawalsOfAccount' },
    path: '/dashboard/api/admin/merchants/{id}/withdrawals',
    summary: 'Withdrawals of an account',
    query: AccountWithdrawalsQuery,
    response: WithdrawalsOfAccount,
  }),
  listDeliveriesOfAccount: defineDashboardRoute({
    ...{ ...OF_ACCOUNT, id: 'listDeliveriesOfAccount' },
    path: '/dashboard/api/admin/merchants/{id}/deliveries',
    summary: 'Deliveries to the endpoint of an account',
    query: DeliveriesQuery,
    response: AdminDeliveries,
  }),
  listUsersOfAccount: defineDashboardRoute({
    ...{ ...OF_ACCOUNT, id: 'listUsersOfAccount' },
    path: '/dashboard/api/admin/merchants/{id}/users',
    summary: 'Sub-users of a merchant, or children of a partner',
    query: SubAccountsQuery,
    response: SubAccounts,
  }),
  listMembersOfAccount: defineDashboardRoute({
    ...{ ...OF_ACCOUNT, id: 'listMembersOfAccount' },
    path: '/dashboard/api/admin/merchants/{id}/members',
    summary: 'Who logs in for an account, and in which role',
    response: Team,
  }),
} as const
