// What the OpenAPI document of the dashboard says of its interface.
import type { InterfaceDescription } from './openapi.ts'
import { CONVENTIONS } from './openapi.ts'
import { CSRF_HEADER, type DashboardTag, UNATTENDED_HEADER } from './routes/dashboard/route.ts'

const TAGS: Readonly<Record<DashboardTag, string>> = {
  'Log-in': 'Registering, logging in, a forgotten password.',
  Session: 'The session of a browser, and the login of its person.',
  Passkeys: 'Web Authentication: a login or a second factor without a code.',
  'Chat link': 'An account at a chat platform, linked by OAuth 2.0.',
  Team: 'The people of the session’s account, and the accounts of its person.',
  'API keys': 'The keys of the session’s account.',
  Webhooks: 'The webhook endpoint of the session’s account, and its deliveries.',
  Merchant: 'A merchant’s business: trades, wallets, fees, events, its log.',
  'Sub-users': 'The accounts below a merchant.',
  Partner: 'A partner’s children, what they buy, and how the markets are served.',
  Exports: 'CSV files of any length.',
  'Saved views': 'Names that a person gives to the filters of a list, within one account.',
  Wallets: 'The mail about a low balance of the session’s account.',
  Deposits: 'Money that comes in, of the session’s account and its users.',
  Payouts: 'Payout custody, withdrawals and destinations of the session’s account.',
  Administration: 'For administrators of the service.',
}

export const DASHBOARD_INTERFACE: InterfaceDescription = {
  title: 'Tradepost dashboard interface',
  description: `What the dashboard’s pages call. A session is a cookie that \`POST /dashboard/api/auth/login\` sets; every change carries the header \`${CSRF_HEADER}\` with the token of \`GET /dashboard/api/session\`. API keys are refused. A read with the header \`${UNATTENDED_HEADER}\` does not extend the session: pages send it with what they read again while their person is away.

${CONVENTIONS}`,
  tags: TAGS,
  budgetHolder: 'person',
  security: {
    name: 'session',
    scheme: {
      type: 'apiKey',
      in: 'cookie',
      name: 'tp_session',
      description: 'Behind https its name is `__Host-tp_session`.',
    },
  },
  detailsOf: () => null,
  parametersOf: ({ method, path }) =>
    method === 'GET' || path.startsWith('/dashboard/api/auth/') ? [] : ['CsrfToken'],
  parameters: () => ({
    CsrfToken: {
      name: CSRF_HEADER,
      in: 'header',
      required: true,
      description: 'The token of this session.',
      schema: { type: 'string' },
    },
  }),
}
