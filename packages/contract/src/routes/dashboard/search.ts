import { FindQuery, FoundHits } from '../../shapes/dashboard-search.ts'
import { defineDashboardRoute, FOR_ADMINISTRATORS } from './route.ts'

/** One box for every id, over all accounts. */
export const searchRoutes = {
  searchEverywhere: defineDashboardRoute({
    ...FOR_ADMINISTRATORS,
    id: 'searchEverywhere',
    method: 'GET',
    path: '/dashboard/api/admin/search',
    summary: 'Whatever of any account has an id',
    query: FindQuery,
    response: FoundHits,
    status: 200,
    refusals: [],
  }),
} as const
