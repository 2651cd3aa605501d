// Every page with its address; each is loaded when it is first opened.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { sessionQuery } from './queries/session.ts'
import { FailurePage, LoadingPage, NotFoundPage } from './shell/fallbacks.tsx'
import { Shell } from './shell/shell.tsx'

interface Context {
  readonly queries: QueryClient
}

const root = createRootRouteWithContext<Context>()({})

const visitorPage = <const Path extends string>(
  path: Path,
  page: Parameters<typeof lazyRouteComponent>,
) => createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(...page) })

const visitorPages = [
  visitorPage('/login', [() => import('./pages/visitor/login.tsx'), 'LoginPage']),
  visitorPage('/register', [() => import('./pages/visitor/register.tsx'), 'RegisterPage']),
  visitorPage('/verify-email', [
    () => import('./pages/visitor/verify-email.tsx'),
    'VerifyEmailPage',
  ]),
  visitorPage('/forgot-password', [
    () => import('./pages/visitor/forgot-password.tsx'),
    'ForgotPasswordPage',
  ]),
  visitorPage('/reset-password', [
    () => import('./pages/visitor/reset-password.tsx'),
    'ResetPasswordPage',
  ]),
]

/** Pages of a person with a session; without one they lead to the log-in page and back. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/login', search: { next: location.href } })
    return { session }
  },
})

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: ({ context: { session } }) => {
    throw redirect({ to: session.user.accountKind === 'admin' ? '/admin/health' : '/keys' })
  },
})

const keys = createRoute({
  getParentRoute: () => shell,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/account/keys.tsx'), 'KeysPage'),
})

const webhook = createRoute({
  getParentRoute: () => shell,
  path: '/webhook',
  component: lazyRouteComponent(() => import('./pages/account/webhook.tsx'), 'WebhookPage'),
})

const delivery = createRoute({
  getParentRoute: () => shell,
  path: '/webhook/deliveries/$id',
  component: lazyRouteComponent(() => import('./pages/account/delivery.tsx'), 'DeliveryPage'),
})

const loginSettings = createRoute({
  getParentRoute: () => shell,
  path: '/login-settings',
  component: lazyRouteComponent(
    () => import('./pages/account/login-settings.tsx'),
    'LoginSettingsPage',
  ),
})

const accounts = createRoute({
  getParentRoute: () => shell,
  path: '/admin/accounts',
  validateSearch: ({ q, page }: Record<string, unknown>): { q?: string; page?: number } => ({
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
    ...(typeof page === 'number' && page > 1 ? { page } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/admin/accounts.tsx'), 'AccountsPage'),
})

const health = createRoute({
  getParentRoute: () => shell,
  path: '/admin/health',
  component: lazyRouteComponent(() => import('./pages/admin/health.tsx'), 'HealthPage'),
})

const routeTree = root.addChildren([
  ...visitorPages,
  shell.addChildren([home, keys, webhook, delivery, loginSettings, accounts, health]),
])

export const createAppRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    basepath: '/dashboard',
    context: { queries },
    defaultPreload: 'intent',
    defaultPendingComponent: LoadingPage,
    defaultErrorComponent: FailurePage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
