// The price of opening a socket.
import { SOCKET_COST } from '@tradepost/contract'
import { budgetClaim, type LimitsDeps } from './limits.ts'
import { personClaim } from './person-limits.ts'
import type { WsClaims } from './ws-token.ts'

/**
 * Takes the cost of opening a socket of the tenant's budget, or of the person's whose session asked for the
 * token: a reader of the dashboard uses up nothing of what the keys have. False when it has no more.
 */
export function createSocketAdmission({ limiter, scale, onRefused }: LimitsDeps) {
  return async ({
    tenantId,
    tier,
    session,
  }: Pick<WsClaims, 'tenantId' | 'tier' | 'session'>): Promise<boolean> => {
    const claim =
      session === null
        ? budgetClaim({ tenant: { id: tenantId }, tier }, SOCKET_COST, scale)
        : personClaim(session.personId, SOCKET_COST, scale)
    const { admitted } = await limiter.take([claim])
    if (!admitted) onRefused?.('budget')
    return admitted
  }
}
