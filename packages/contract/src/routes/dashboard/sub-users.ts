import { IdempotencyHeaders } from '../../route.ts'
import {
  DashboardSubUser,
  DashboardSubUsers,
  DashboardSubUsersQuery,
} from '../../shapes/dashboard-merchant.ts'
import { LedgerRows } from '../../shapes/dashboard-wallets.ts'
import {
  CreateSubUserBody,
  CreateSubUserResponse,
  DeleteSubUserResponse,
  SubUserParams,
  SubUserResponse,
  UpdateSubUserBody,
} from '../../shapes/sub-user.ts'
import { FundBody, FundResponse, LedgerQuery } from '../../shapes/wallet.ts'
import { defineDashboardRoute } from './route.ts'

const SUB_USERS = { tag: 'Sub-users' } as const
const BOOKING = {
  method: 'POST',
  capability: 'money.write',
  headers: IdempotencyHeaders,
  body: FundBody,
  response: FundResponse,
  status: 200,
} as const
const FUNDING = { ...BOOKING, ...SUB_USERS, params: SubUserParams } as const

const FUNDING_REFUSALS = [
  'USER_NOT_FOUND',
  'INSUFFICIENT_BALANCE',
  'IDEMPOTENCY_CONFLICT',
  'SERVICE_DISABLED',
] as const

/** A merchant's sub-users: the same operations as by key, with an audit row for the person. */
export const subUserPageRoutes = {
  listUsers: defineDashboardRoute({
    ...SUB_USERS,
    id: 'listUsers',
    method: 'GET',
    path: '/dashboard/api/users',
    capability: 'account.read',
    summary: 'Sub-users, newest first',
    query: DashboardSubUsersQuery,
    response: DashboardSubUsers,
    status: 200,
    refusals: [],
  }),
  createUser: defineDashboardRoute({
    ...SUB_USERS,
    id: 'createUser',
    method: 'POST',
    path: '/dashboard/api/users',
    capability: 'users.write',
    summary: 'Create a sub-user',
    body: CreateSubUserBody,
    response: CreateSubUserResponse,
    status: 201,
    refusals: ['USER_DELETED'],
  }),
  getUser: defineDashboardRoute({
    ...SUB_USERS,
    id: 'getUser',
    method: 'GET',
    path: '/dashboard/api/users/{id}',
    capability: 'account.read',
    summary: 'A sub-user with its balance, and what it has used of its limits',
    params: SubUserParams,
    response: DashboardSubUser,
    status: 200,
    refusals: ['USER_NOT_FOUND'],
  }),
  updateUser: defineDashboardRoute({
    ...SUB_USERS,
    id: 'updateUser',
    method: 'PATCH',
    path: '/dashboard/api/users/{id}',
    capability: 'users.write',
    summary: 'Change a sub-user’s references; those that are absent stay as they are',
    params: SubUserParams,
    body: UpdateSubUserBody,
    response: SubUserResponse,
    status: 200,
    refusals: ['USER_NOT_FOUND', 'EXTERNAL_ID_TAKEN'],
  }),
  deleteUser: defineDashboardRoute({
    ...SUB_USERS,
    id: 'deleteUser',
    method: 'DELETE',
    path: '/dashboard/api/users/{id}',
    capability: 'users.write',
    summary: 'Delete a sub-user with a zero balance and nothing under way',
    params: SubUserParams,
    response: DeleteSubUserResponse,
    status: 200,
    refusals: ['USER_NOT_FOUND', 'USER_HAS_FUNDS_OR_OPEN_TRADES'],
  }),
  suspendUser: defineDashboardRoute({
    ...SUB_USERS,
    id: 'suspendUser',
    method: 'POST',
    path: '/dashboard/api/users/{id}/suspend',
    capability: 'users.write',
    summary: 'Suspend a sub-user',
    params: SubUserParams,
    response: SubUserResponse,
    status: 200,
    refusals: ['USER_NOT_FOUND'],
  }),
  reactivateUser: defineDashboardRoute({
    ...SUB_USERS,
    id: 'reactivateUser',
    method: 'POST',
    path: '/dashboard/api/users/{id}/reactivate',
    capability: 'users.write',
    summary: 'Reactivate a sub-user',
    params: SubUserParams,
    response: SubUserResponse,
    status: 200,
    refusals: ['USER_NOT_FOUND'],
  }),
  fundUser: defineDashboardRoute({
    ...FUNDING,
    id: 'fundUser',
    path: '/dashboard/api/users/{id}/fund',
    summary: 'Move money from the merchant’s spot wallet to a sub-user',
    refusals: FUNDING_REFUSALS,
  }),
  defundUser: defineDashboardRoute({
    ...FUNDING,
    id: 'defundUser',
    path: '/dashboard/api/users/{id}/defund',
    summary: 'Move money from a sub-user back to the merchant’s spot wallet',
    refusals: FUNDING_REFUSALS,
  }),
  transferEarningsToSpot: defineDashboardRoute({
    ...BOOKING,
    tag: 'Merchant',
    id: 'transferEarningsToSpot',
    path: '/dashboard/api/earnings/transfer',
    summary: 'Move earnings to the spot wallet',
    refusals: ['INSUFFICIENT_BALANCE', 'IDEMPOTENCY_CONFLICT'],
  }),
  listUserLedger: defineDashboardRoute({
    ...SUB_USERS,
    id: 'listUserLedger',
    method: 'GET',
    path: '/dashboard/api/users/{id}/ledger',
    capability: 'account.read',
    summary: 'Rows of a sub-user’s wallet, newest first',
    params: SubUserParams,
    query: LedgerQuery,
    response: LedgerRows,
    status: 200,
    refusals: ['USER_NOT_FOUND'],
  }),
} as const
