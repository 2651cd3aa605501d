import { defineRoute } from '../route.ts'
import { ServiceStatus } from '../shapes/status.ts'

/** Whether the service works, for everyone. */
export const statusRoutes = {
  getServiceStatus: defineRoute({
    id: 'getServiceStatus',
    method: 'GET',
    path: '/market/status',
    context: 'user',
    scope: 'none',
    keyless: true,
    tag: 'Market',
    summary: 'Read the status of the service',
    description:
      'Free, with or without a key; without one 60 calls a minute from one address. A key that is not good is refused. It is served from memory and at most ten seconds old; while the database is away it is as last known. `/status` shows the same to people, with the last 90 days.',
    response: ServiceStatus,
    status: 200,
    cost: 0,
    refusals: [],
  }),
} as const
