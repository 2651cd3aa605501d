import { FiguresQuery, PartnerFigures } from '../../shapes/dashboard-figures.ts'
import { OverviewQuery } from '../../shapes/dashboard-merchant.ts'
import {
  ChildParams,
  DashboardChildDetail,
  DashboardChildren,
  DashboardChildrenQuery,
  DashboardOrders,
  DashboardOrdersQuery,
  DashboardTransfers,
  DashboardTransfersQuery,
  PartnerFees,
  PartnerOverview,
  SetPartnerFeeBody,
} from '../../shapes/dashboard-partner.ts'
import { LedgerRows } from '../../shapes/dashboard-wallets.ts'
import {
  ChildResponse,
  CreateChildBody,
  MarketHealth,
  PartnerTransferBody,
  PartnerTransferResponse,
} from '../../shapes/partner/children.ts'
import { LedgerQuery } from '../../shapes/wallet.ts'
import { defineDashboardRoute } from './route.ts'

const OF_PARTNER = { tag: 'Partner', status: 200 } as const
const READ = { ...OF_PARTNER, method: 'GET', capability: 'account.read' } as const

/**
 * What a partner's people read and do: their children and what these buy, the money that moves to them, fees,
 * and how the markets are served.
 */
export const partnerPageRoutes = {
  getPartnerOverview: defineDashboardRoute({
    ...{ ...READ, id: 'getPartnerOverview', path: '/dashboard/api/partner/overview' },
    summary: 'Volume, fees, orders and the balance of a partner over a time, with its children',
    query: OverviewQuery,
    response: PartnerOverview,
    refusals: [],
  }),
  getPartnerFigures: defineDashboardRoute({
    ...{ ...READ, id: 'getPartnerFigures', path: '/dashboard/api/partner/figures' },
    summary: 'How orders of the partner and its children went, beside the period before',
    query: FiguresQuery,
    response: PartnerFigures,
    refusals: [],
  }),
  listChildren: defineDashboardRoute({
    ...{ ...READ, id: 'listChildren', path: '/dashboard/api/partner/children' },
    summary: 'Children, newest first',
    query: DashboardChildrenQuery,
    response: DashboardChildren,
    refusals: [],
  }),
  getChild: defineDashboardRoute({
    ...{ ...READ, id: 'getChild', path: '/dashboard/api/partner/children/{id}' },
    summary: 'A child with its balance, and totals over its orders',
    params: ChildParams,
    response: DashboardChildDetail,
    refusals: ['USER_NOT_FOUND'],
  }),
  openChild: defineDashboardRoute({
    ...{ ...OF_PARTNER, id: 'openChild', path: '/dashboard/api/partner/children' },
    ...{ method: 'POST', capability: 'users.write', sensitive: true },
    summary:
      'Create a child with its API key, which is shown this once; or return the one that exists',
    body: CreateChildBody,
    response: ChildResponse,
    refusals: [],
  }),
  listChildLedger: defineDashboardRoute({
    ...{ ...READ, id: 'listChildLedger', path: '/dashboard/api/partner/children/{id}/ledger' },
    summary: 'Rows of a child’s wallet, newest first',
    params: ChildParams,
    query: LedgerQuery,
    response: LedgerRows,
    refusals: ['USER_NOT_FOUND'],
  }),
  listPartnerLedger: defineDashboardRoute({
    ...{ ...READ, id: 'listPartnerLedger', path: '/dashboard/api/partner/ledger' },
    summary: 'Rows of the partner’s own wallet, newest first',
    query: LedgerQuery,
    response: LedgerRows,
    refusals: [],
  }),
  listTransfers: defineDashboardRoute({
    ...{ ...READ, id: 'listTransfers', path: '/dashboard/api/partner/transfers' },
    summary: 'Transfers to all children or to one, newest first',
    query: DashboardTransfersQuery,
    response: DashboardTransfers,
    refusals: ['USER_NOT_FOUND'],
  }),
  makeTransfer: defineDashboardRoute({
    ...{ ...OF_PARTNER, id: 'makeTransfer', path: '/dashboard/api/partner/transfers' },
    ...{ method: 'POST', capability: 'money.write', sensitive: true },
    summary: 'Move money from the partner’s wallet to a child, once for each idempotency key',
    body: PartnerTransferBody,
    response: PartnerTransferResponse,
    refusals: ['USER_NOT_FOUND', 'INSUFFICIENT_BALANCE', 'IDEMPOTENCY_CONFLICT'],
  }),
  getPartnerFees: defineDashboardRoute({
    ...{ ...READ, id: 'getPartnerFees', path: '/dashboard/api/partner/fees' },
    summary: 'What a buy and a withdrawal cost',
    response: PartnerFees,
    refusals: [],
  }),
  setPartnerFee: defineDashboardRoute({
    ...{ ...OF_PARTNER, id: 'setPartnerFee', path: '/dashboard/api/partner/fees' },
    ...{ method: 'PUT', capability: 'money.write', sensitive: true },
    summary: 'Set what the partner adds to buys of its children from now on',
    body: SetPartnerFeeBody,
    response: PartnerFees,
    refusals: [],
  }),
  listPartnerOrders: defineDashboardRoute({
    ...{ ...READ, id: 'listPartnerOrders', path: '/dashboard/api/partner/orders' },
    summary: 'Orders of the partner and its children, newest first',
    query: DashboardOrdersQuery,
    response: DashboardOrders,
    refusals: [],
  }),
  getPartnerMarketHealth: defineDashboardRoute({
    ...{ ...READ, id: 'getPartnerMarketHealth', path: '/dashboard/api/partner/market-health' },
    summary: 'How the markets are served',
    response: MarketHealth,
    refusals: [],
  }),
} as const
