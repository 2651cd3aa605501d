import {
  ChildParams,
  DashboardChild,
  DashboardChildren,
  DashboardChildrenQuery,
  DashboardOrders,
  DashboardOrdersQuery,
  PartnerOverview,
} from '../../shapes/dashboard-partner.ts'
import { MarketHealth } from '../../shapes/partner/children.ts'
import { defineDashboardRoute } from './route.ts'

const READ = { method: 'GET', capability: 'account.read', tag: 'Partner', status: 200 } as const

/** What a partner's people read: their children, what these buy, and how the markets are served. */
export const partnerPageRoutes = {
  getPartnerOverview: defineDashboardRoute({
    ...{ ...READ, id: 'getPartnerOverview', path: '/dashboard/api/partner/overview' },
    summary: 'The partner’s balance, and totals over all children',
    response: PartnerOverview,
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
    summary: 'A child with its balance',
    params: ChildParams,
    response: DashboardChild,
    refusals: ['USER_NOT_FOUND'],
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
