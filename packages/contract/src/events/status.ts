// The event of a component of the service that has another status.
import { type Static, Type } from 'typebox'
import { DateTime } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { COMPONENT_STATUSES } from '../shapes/status.ts'
import { type EventDefinition, event } from './family.ts'

export const STATUS_COMPONENTS = ['trading', 'market', 'platform', 'deposit', 'payout'] as const
export type StatusComponent = (typeof STATUS_COMPONENTS)[number]

export const STATUSES = [...COMPONENT_STATUSES, 'paused'] as const
const Status = stringEnum(STATUSES, { title: 'ServiceStatusValue' })
export type ServiceStatusValue = Static<typeof Status>

export const StatusEventData = Type.Object(
  {
    component: stringEnum(STATUS_COMPONENTS, {
      description: 'Which part of the service has another status.',
    }),
    name: nullable(
      Type.String({
        description:
          'The market, or the chain of a deposit or payout; null where there is none, as of gateway and on-ramp.',
      }),
    ),
    status: describe(Status, 'What it has now; `paused` of trading alone.'),
    previous: describe(Status, 'What it had before.'),
    since: describe(DateTime, 'Since when it has the status.'),
    reason: Type.Optional(
      Type.String({ description: 'Why trading is paused; absent in every other change.' }),
    ),
  },
  { title: 'StatusEventData' },
)
export type StatusEventData = Static<typeof StatusEventData>

export const statusEvents = {
  'service.status_changed': event(
    'service.status_changed',
    'A part of the service has another status.',
    StatusEventData,
  ),
} as const satisfies Record<string, EventDefinition>

export type StatusEventType = keyof typeof statusEvents
