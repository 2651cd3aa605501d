import { definePartnerRoute } from '../../partner-route.ts'
import {
  ChildResponse,
  CreateChildBody,
  MarketHealth,
  PartnerStats,
  PartnerTransferBody,
  PartnerTransferResponse,
} from '../../shapes/partner/children.ts'

/** What only a partner's own key may do: its children, their money, and how the service is. */
export const partnerChildRoutes = {
  createChild: definePartnerRoute({
    id: 'createChild',
    method: 'POST',
    path: '/v1/partner/users',
    access: 'top',
    scope: 'users',
    tag: 'Children',
    summary: 'Create a child, or fetch the one with this e-mail address',
    description:
      'A new child comes with an API key, which is shown this once. An e-mail address that is known to the partner returns the child that has it, without a key.',
    body: CreateChildBody,
    response: ChildResponse,
    status: 200,
    cost: 1,
    cap: { policy: 'partner-users-create', limit: 60, windowSeconds: 60 },
    refusals: [],
  }),
  transferToChild: definePartnerRoute({
    id: 'transferToChild',
    method: 'POST',
    path: '/v1/partner/transfers',
    access: 'top',
    scope: 'funds',
    tag: 'Children',
    summary: 'Transfer money to a child',
    description:
      'From the partner’s wallet to the child’s, once for each idempotencyKey. Names the child by its e-mail address or by the id of a key of it.',
    body: PartnerTransferBody,
    response: PartnerTransferResponse,
    status: 200,
    cost: 1,
    cap: { policy: 'partner-transfers', limit: 60, windowSeconds: 60 },
    refusals: ['USER_NOT_FOUND', 'INSUFFICIENT_BALANCE', 'IDEMPOTENCY_CONFLICT'],
  }),
  getPartnerStats: definePartnerRoute({
    id: 'getPartnerStats',
    method: 'GET',
    path: '/v1/partner/stats',
    access: 'top',
    scope: 'read',
    tag: 'Children',
    summary: 'Read totals over all children',
    description:
      'Orders, their prices and the partner’s fees: completed, and under way. May be some seconds old.',
    response: PartnerStats,
    status: 200,
    cost: 1,
    refusals: [],
  }),
  getMarketHealth: definePartnerRoute({
    id: 'getMarketHealth',
    method: 'GET',
    path: '/v1/partner/market-health',
    access: 'top',
    scope: 'read',
    tag: 'Health',
    summary: 'Read how the markets are served',
    description:
      'From the heartbeats of the workers, as old as they say. `down`: nothing is bought; `degraded`: some is, or late.',
    response: MarketHealth,
    status: 200,
    cost: 1,
    refusals: [],
  }),
} as const
