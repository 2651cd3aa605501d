// Notices of payment providers. They carry a signature and no key; no merchant calls this.
import { Type } from 'typebox'
import type { RouteBase } from '../route.ts'

export const InboundParams = Type.Object({ provider: Type.String({ maxLength: 32 }) })

export const InboundResponse = Type.Object(
  { received: Type.Boolean() },
  { title: 'InboundResponse' },
)

export const inboundNotice = {
  id: 'inboundNotice',
  method: 'POST',
  path: '/inbound/{provider}',
  tag: 'Inbound',
  summary: 'Receive the notice of a payment provider',
  description:
    'The signature is checked over the raw body. A notice only causes a fresh read of the order that it names.',
  params: InboundParams,
  // Each provider's own; the signature covers all of it.
  body: Type.Object({}, { additionalProperties: true }),
  response: InboundResponse,
  status: 200,
  cost: 1,
  refusals: ['BAD_REQUEST', 'INVALID_SIGNATURE', 'NOT_FOUND', 'RATE_LIMITED', 'INTERNAL_ERROR'],
} as const satisfies RouteBase
