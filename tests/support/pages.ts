// Every page of the dashboard, by who opens it. The walks open these, and a test compares them with the
// routes of
// the application, so that a page without a walk is a failure.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertDefined } from '../../apps/server/src/kernel/assert.ts'

const ROUTES = join(import.meta.dirname, '../../apps/dashboard/src/routes')

/** What hostile texts begin with: a page shows it as text, or it does not show that record. */
export const MARKUP = '<img src=x onerror="document.title=1">'

/** `{name}` stands for the id of a record. */
export const PAGES = {
  anonymous: [
    ...['login', 'register', 'forgot-password', 'reset-password', 'verify-email'],
    ...['change-email', 'invitation', 'keep-factor'],
  ],
  account: ['keys', 'keys/{key}', 'webhook', 'login-settings', 'chat', 'team', 'nowhere'],
  money: [
    ...['deposits', 'deposits/{waiting}', 'deposits/{held}'],
    ...['deposits/new', 'deposits/new/gateway', 'deposits/new/chain'],
    ...['payouts', 'payouts/deposits'],
    ...['payouts/withdrawals', 'payouts/batches', 'payouts/batches/{batch}', 'payouts/batch'],
    ...['payouts/withdrawals/{withdrawal}', 'payouts/withdraw', 'payouts/destinations'],
  ],
  merchant: [
    ...['overview', 'trades', 'trades/{trade}', 'trades/{trade}/items', 'trades/{trade}/money'],
    ...['trades/{trade}/deliveries', 'trades?status=failed'],
    ...['webhook/deliveries', 'webhook/deliveries/{delivery}', 'wallets', 'wallets/earnings'],
    ...[
      'users',
      'users/{user}',
      'users/{user}/ledger',
      'users/{user}/statements',
      'events',
      'events/{event}',
    ],
    ...['audit', 'limits', 'fees', 'statements', 'market', 'market/{item}'],
    'market?view=grid',
    ...['market-orders', 'market-orders/{marketOrder}'],
  ],
  partner: [
    ...['partner', 'children', 'orders', 'orders/{order}', 'orders/{order}/money'],
    ...['orders/{order}/deliveries', 'transfers'],
    ...['partner-ledger', 'partner-fees', 'partner-withdrawals', 'statements'],
    ...['children/{child}', 'children/{child}/orders', 'children/{child}/keys'],
    ...['children/{child}/webhook', 'children/{child}/audit', 'children/{child}/statements'],
    ...['children/{child}/deliveries/{childDelivery}', 'children/{child}/keys/{childKey}'],
  ],
  admin: [
    ...['admin/accounts', 'admin/accounts/{account}', 'admin/accounts/{child}'],
    ...['admin/accounts/{account}/trades', 'admin/accounts/{account}/users'],
    ...['admin/accounts/{account}/keys/{key}'],
    ...[
      'admin/accounts/{account}/members',
      'admin/accounts/{user}',
      'admin/events/{event}',
      'admin/overview',
      'admin/queues',
      'admin/queues/mail',
      'admin/switches',
      'admin/books',
      'admin/wallets',
    ],
    ...['admin/find?q={externalId}', 'admin/find?q=nothing'],
    ...['admin/trades', 'admin/trades/{trade}'],
    ...['admin/market-orders', 'admin/market-orders/{marketOrder}'],
    ...['admin/cases', 'admin/cases/{case}', 'admin/deliveries', 'admin/deliveries/{delivery}'],
    ...['admin/adjustments', 'admin/adjustments/{adjustment}', 'admin/audit-log'],
    ...['admin/held-payments', 'admin/deposits/{held}'],
    ...['admin/withdrawals', 'admin/withdrawals/{withdrawal}'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Pages that show nothing of the seeded texts: they have figures, states, ids, fields of a form. */
export const SILENT: ReadonlySet<string> = new Set<string>([
  ...PAGES.anonymous,
  ...['webhook', 'chat', 'nowhere', 'deposits', 'deposits/new', 'deposits/new/gateway'],
  'deposits/new/chain',
  ...[
    'payouts',
    'payouts/deposits',
    'payouts/withdraw',
    'payouts/batch',
    'payouts/destinations',
    'overview',
    'webhook/deliveries',
    'wallets',
  ],
  ...['wallets/earnings', 'events', 'events/{event}', 'limits', 'fees', 'market'],
  ...['partner', 'children', 'transfers', 'partner-ledger', 'partner-fees'],
  ...['partner-withdrawals', 'statements'],
  ...['children/{child}/keys', 'children/{child}/webhook', 'children/{child}/statements'],
  ...['admin/accounts', 'admin/overview'],
  ...[
    'admin/queues/mail',
    'admin/events/{event}',
    'admin/switches',
    'admin/books',
    'admin/find?q={externalId}',
    'admin/find?q=nothing',
  ],
  ...['admin/cases', 'admin/deliveries', 'admin/held-payments', 'admin/withdrawals'],
])

/** A path with the ids in their places. */
export const filled = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => assertDefined(ids[name], `an id of ${name}`))

/** The routes of the application that no path of `PAGES` leads to. */
export function findUnwalkedRoutes(): readonly string[] {
  const paths = Object.values(PAGES)
    .flat()
    .map((path) => `/${path.split('?', 1)[0]}`)
  return readRoutes().filter((route) => !paths.some((path) => patternOf(route).test(path)))
}

/** As they are declared: `/trades/$id/{-$tab}`. */
export const readRoutes = (): readonly string[] =>
  readdirSync(ROUTES)
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) => [
      ...readFileSync(join(ROUTES, name), 'utf8').matchAll(/\b(?:anonymousP|p)age\(\s*'([^']+)'/g),
    ])
    .map(([, route = '']) => route)

function patternOf(route: string): RegExp {
  const segments = route.split('/').slice(1)
  const parts = segments.map((segment) => {
    if (segment.startsWith('{-$')) return '(?:/[^/]+)?'
    return segment.startsWith('$') ? '/[^/]+' : `/${segment}`
  })
  return new RegExp(`^${parts.join('')}$`)
}
