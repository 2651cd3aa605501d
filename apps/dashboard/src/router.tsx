// The tree of pages. Each area lists its own in routes/; each page is loaded when it is first opened.
import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, redirect } from '@tanstack/react-router'
import { accountRoutes } from './routes/account.tsx'
import { adminRoutes } from './routes/admin.tsx'
import { anonymousRoutes } from './routes/anonymous.tsx'
import { root, shell } from './routes/frame.tsx'
import { merchantRoutes } from './routes/merchant.tsx'
import { cardReturn, moneyRoutes } from './routes/money.tsx'
import { partnerRoutes } from './routes/partner.tsx'
import { parseSearch, stringifySearch } from './routes/search.ts'
import { FailurePage, LoadingPage, NotFoundPage } from './shell/fallbacks.tsx'
import { firstPageOf } from './shell/navigation.ts'

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: ({ context: { session } }) => {
    throw redirect({ to: firstPageOf(session.user.accountKind) })
  },
})

const routeTree = root.addChildren([
  ...anonymousRoutes,
  shell.addChildren([
    home,
    ...merchantRoutes,
    ...moneyRoutes,
    cardReturn,
    ...accountRoutes,
    ...partnerRoutes,
    ...adminRoutes,
  ]),
])

export const createAppRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    basepath: '/dashboard',
    context: { queries },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    // What is fresh enough is for the query cache to decide.
    defaultPreloadStaleTime: 0,
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
