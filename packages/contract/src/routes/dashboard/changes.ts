import { Changes, ChangesQuery } from '../../shapes/dashboard-changes.ts'
import { defineDashboardRoute, FOR_ADMINISTRATORS } from './route.ts'

/** Long polls of pages that are open: a browser has one wait, and none of it is an integration's. */
export const changeRoutes = {
  followAccount: defineDashboardRoute({
    ...{ id: 'followAccount', method: 'GET', path: '/dashboard/api/changes', status: 200 },
    ...{ capability: 'account.read', tag: 'Session', unattended: true },
    summary: 'What has changed of a merchant or partner and its users; waits for a change',
    query: ChangesQuery,
    response: Changes,
    refusals: [],
  }),
  followService: defineDashboardRoute({
    ...FOR_ADMINISTRATORS,
    ...{ id: 'followService', method: 'GET', path: '/dashboard/api/admin/changes', status: 200 },
    unattended: true,
    summary: 'What has changed in the service; waits for a change',
    query: ChangesQuery,
    response: Changes,
    refusals: [],
  }),
} as const
