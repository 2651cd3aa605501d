import { page } from './frame.tsx'

/** Keys, webhooks, a person's own login, the team: pages of merchants and partners alike. */
export const accountRoutes = [
  page('/keys', () => import('../pages/account/keys.tsx'), 'KeysPage'),
  page('/webhook', () => import('../pages/account/webhook.tsx'), 'WebhookPage'),
  page('/webhook/deliveries', () => import('../pages/account/webhook.tsx'), 'DeliveriesPage'),
  page('/webhook/deliveries/$id', () => import('../pages/account/delivery.tsx'), 'DeliveryPage'),
  page('/login-settings', () => import('../pages/account/login-settings.tsx'), 'LoginSettingsPage'),
  page('/chat', () => import('../pages/account/chat-return.tsx'), 'ChatReturnPage'),
  page('/team', () => import('../pages/account/team.tsx'), 'TeamPage'),
] as const
