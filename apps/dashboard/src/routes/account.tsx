import {
  chatLinkQuery,
  deliveryQuery,
  keysQuery,
  passkeysQuery,
  sessionsQuery,
  teamQuery,
  webhookQuery,
} from '../queries/account.ts'
import { beginRows, page } from './frame.tsx'

/** Keys, webhooks, a person's own login, the team: pages of merchants and partners alike. */
export const accountRoutes = [
  page(
    '/keys',
    () => import('../pages/account/keys.tsx'),
    'KeysPage',
    (queries) => queries.prefetchQuery(keysQuery()),
  ),
  page(
    '/keys/$id',
    () => import('../pages/account/key-requests.tsx'),
    'KeyRequestsPage',
    (queries) => queries.prefetchQuery(keysQuery()),
  ),
  page(
    '/webhook',
    () => import('../pages/account/webhook.tsx'),
    'WebhookPage',
    (queries) => queries.prefetchQuery(webhookQuery()),
  ),
  page(
    '/webhook/deliveries',
    () => import('../pages/account/webhook.tsx'),
    'DeliveriesPage',
    beginRows('listEveryDelivery'),
  ),
  page(
    '/webhook/deliveries/$id',
    () => import('../pages/account/delivery.tsx'),
    'DeliveryPage',
    (queries, { params: { id = '' } }) => queries.prefetchQuery(deliveryQuery(id)),
  ),
  page(
    '/login-settings',
    () => import('../pages/account/login-settings.tsx'),
    'LoginSettingsPage',
    (queries) => {
      void queries.prefetchQuery(sessionsQuery)
      void queries.prefetchQuery(passkeysQuery)
      return queries.prefetchQuery(chatLinkQuery)
    },
  ),
  page('/chat', () => import('../pages/account/chat-return.tsx'), 'ChatReturnPage'),
  page(
    '/team',
    () => import('../pages/account/team.tsx'),
    'TeamPage',
    (queries) => queries.prefetchQuery(teamQuery),
  ),
] as const
