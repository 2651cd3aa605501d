import { BalanceThreshold, BalanceThresholdBody } from '../../shapes/dashboard-wallets.ts'
import { defineDashboardRoute } from './route.ts'

const THRESHOLD = {
  tag: 'Wallets',
  path: '/dashboard/api/wallets/threshold',
  response: BalanceThreshold,
  status: 200,
  refusals: [],
} as const

/** The spot wallet of the session's account, of a merchant or a partner. */
export const walletRoutes = {
  getBalanceThreshold: defineDashboardRoute({
    ...THRESHOLD,
    ...{ id: 'getBalanceThreshold', method: 'GET', capability: 'account.read' },
    summary: 'The balance below which owners and finance get a mail',
  }),
  setBalanceThreshold: defineDashboardRoute({
    ...THRESHOLD,
    ...{ id: 'setBalanceThreshold', method: 'PUT', capability: 'money.write' },
    summary: 'Set the balance below which owners and finance get a mail, or have none sent',
    body: BalanceThresholdBody,
  }),
} as const
