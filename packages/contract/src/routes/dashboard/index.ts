// The dashboard's interface: every operation of a person with a session.
import { accountRoutes } from './account.ts'
import { adminAccountRecordRoutes } from './admin-account-records.ts'
import { adminAccountRoutes } from './admin-accounts.ts'
import { adminAdjustmentRoutes } from './admin-adjustments.ts'
import { adminMoneyRoutes } from './admin-money.ts'
import { adminRecordRoutes } from './admin-records.ts'
import { adminServiceRoutes } from './admin-service.ts'
import { administrationRoutes } from './administration.ts'
import { changeRoutes } from './changes.ts'
import { chatRoutes } from './chat.ts'
import { childAccountRoutes } from './child-account.ts'
import { exportRoutes } from './exports.ts'
import { logInRoutes } from './log-in.ts'

import { marketOrderPageRoutes } from './market-orders.ts'
import { memberRoutes } from './members.ts'

import { merchantPageRoutes } from './merchant.ts'

import { moneyRoutes } from './money.ts'
import { partnerPageRoutes } from './partner.ts'
import { passkeyRoutes } from './passkeys.ts'
import type { DashboardRoute } from './route.ts'
import { searchRoutes } from './search.ts'
import { sessionRoutes } from './session.ts'
import { statementRoutes } from './statements.ts'
import { subUserPageRoutes } from './sub-users.ts'
import { viewRoutes } from './views.ts'
import { walletRoutes } from './wallets.ts'

export const dashboardRoutes = {
  ...logInRoutes,
  ...sessionRoutes,
  ...passkeyRoutes,
  ...chatRoutes,
  ...memberRoutes,
  ...changeRoutes,
  ...accountRoutes,
  ...merchantPageRoutes,
  ...marketOrderPageRoutes,
  ...exportRoutes,
  ...statementRoutes,
  ...subUserPageRoutes,
  ...partnerPageRoutes,
  ...childAccountRoutes,
  ...walletRoutes,
  ...moneyRoutes,
  ...administrationRoutes,
  ...adminAccountRoutes,
  ...adminAccountRecordRoutes,
  ...adminServiceRoutes,
  ...adminRecordRoutes,
  ...adminAdjustmentRoutes,
  ...adminMoneyRoutes,
  ...searchRoutes,
  ...viewRoutes,
} as const

export type DashboardRouteId = keyof typeof dashboardRoutes

/** Every key that some route of the dashboard refuses with. */
export type DashboardRefusal = (typeof dashboardRoutes)[DashboardRouteId]['refusals'][number]

export const dashboardRouteList: readonly DashboardRoute[] = Object.values(dashboardRoutes)
