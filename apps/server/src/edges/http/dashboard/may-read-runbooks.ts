// Runbooks say how the service is run from inside: who may read a case may read what to do about it.
import { assertDefined } from '#kernel/assert'
import { Refusal } from '#kernel/refusal'
import type { ApiInterface, RequestHead } from '../shared/api-interface.ts'
import type { DashboardPrincipal } from './dashboard-interface.ts'
import type { DashboardCaller } from './operation.ts'

type Dashboard = Pick<
  ApiInterface<DashboardPrincipal, DashboardCaller>,
  'authenticate' | 'operations' | 'resolveCaller'
>

/** Whether the session of a request would be shown a case, a second factor included. */
export function createMayReadRunbooks(
  dashboard: Dashboard,
): (request: RequestHead) => Promise<boolean> {
  const found = dashboard.operations.find(({ route }) => route.id === 'getCase')
  const reading = assertDefined(found, 'the operation that reads a case')
  return async (request) => {
    try {
      const principal = await dashboard.authenticate(request, reading)
      if (!principal.permissions.has(reading.permission)) return false
      await dashboard.resolveCaller(principal, request, reading)
      return true
    } catch (error) {
      // Whatever else it is, a database that is away included, fails the request.
      if (error instanceof Refusal) return false
      throw error
    }
  }
}
