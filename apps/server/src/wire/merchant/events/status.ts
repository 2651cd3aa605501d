// The event of a part of the service that has another status.
import type { StatusEventType, WebhookEventData } from '@tradepost/contract'
import { Type } from 'typebox'
import { type EventEntry, entriesAbout } from '../../events/entry.ts'
import { statusChangeView } from '../status-change.ts'

/** One of each merchant; the account is the subject, so that changes arrive in order. */
const statusChange = entriesAbout<{ readonly id: string }>()('account')

export const statusEventEntries = {
  'service.status_changed': statusChange(
    Type.Object({
      noticeId: Type.String(),
      component: Type.String(),
      name: Type.String(),
      status: Type.String(),
      previous: Type.String(),
      since: Type.String(),
      reason: Type.Optional(Type.String()),
    }),
    {
      partOf: ({ noticeId }) => noticeId,
      render: (_account, payload) =>
        statusChangeView({
          component: payload.component as StatusChange['component'],
          name: payload.name,
          status: payload.status as StatusChange['status'],
          previous: payload.previous as StatusChange['previous'],
          reason: payload.reason ?? null,
          fromAt: new Date(payload.since),
        }),
    },
  ),
} satisfies {
  [EventType in StatusEventType]: EventEntry<
    'account',
    { readonly id: string },
    WebhookEventData<EventType>
  >
}

type StatusChange = Parameters<typeof statusChangeView>[0]
