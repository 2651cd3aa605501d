import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { watchUse } from './api/attendance.ts'
import { ApiError, onChanged } from './api/call.ts'
import { keepFocus } from './kit/keep-focus.ts'
import { forgetSession, isLoggedOut, sessionQuery } from './queries/session.ts'
import { createAppRouter } from './router.tsx'
import type { Search } from './routes/frame.tsx'
import { Unopened } from './shell/fallbacks.tsx'
import { LONG_MS } from './shell/stalled.tsx'
import { StepUp } from './shell/step-up.tsx'
import '@tradepost/look/look.css'
import './styles/base.css'

const queries = new QueryClient({
  queryCache: new QueryCache({
    // The session has ended meanwhile: the router leads to the log-in page and back.
    onError: (error, query) => {
      // What was loaded ahead of its page is asked for again by the page.
      if (!isLoggedOut(error) || query.getObserversCount() === 0) return
      forgetSession(queries)
      void router.invalidate()
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Without a network a read fails and says so; paused, it would show nothing for ever.
      networkMode: 'always',
      // What the service refused it refuses again.
      retry: (failures, error) =>
        error instanceof ApiError && error.key === 'OFFLINE' && failures < 2,
    },
  },
})
const router = createAppRouter(queries)
watchUse()
keepFocus()

// After a change, what is opened next is read again, also what was loaded ahead of its page. What is shown
// stays as it is, unless it was read while the change was under way.
onChanged((sentAt) => {
  void queries.invalidateQueries({ refetchType: 'none' })
  void queries.refetchQueries({
    type: 'active',
    predicate: ({ state }) => state.dataUpdatedAt >= sentAt,
  })
})

// The code and the data of the first page are loaded before anything is drawn: what boot.js asked for is then
// there when the page is drawn for the first time. A failure is met again by the router. An anonymous caller
// is led to the log-in page, whatever was asked for: the service would refuse everything else.
const isAnonymous = 'anonymous' in document.documentElement.dataset
if (isAnonymous) queries.setQueryData(sessionQuery.queryKey, null)
const [matched, params] = router.getMatchedRoutes(router.latestLocation.pathname)
for (const route of matched) {
  router.loadRouteChunk(route)?.catch(() => {})
  if (isAnonymous) continue
  void route.options.staticData?.begin?.(queries, {
    search: router.latestLocation.search as Search,
    params,
  })
}

// A tab that is older than the deployment cannot load its pages: it is loaded anew, once.
window.addEventListener('vite:preloadError', () => {
  const reloadedAt = Number(sessionStorage.getItem('reloaded-at') ?? 0)
  if (Date.now() - reloadedAt < 60_000) return
  sessionStorage.setItem('reloaded-at', String(Date.now()))
  window.location.reload()
})

// Drawn once, when it is known what: until then index.html says that it is being loaded, and after a while
// that nothing comes. Nothing else may wait for this file: pages take parts of the same script.
const place = document.getElementById('root')
const drawn = place && createRoot(place)
const draw = (shown: ReactNode): void => drawn?.render(<StrictMode>{shown}</StrictMode>)
const late = setTimeout(() => draw(<Unopened />), LONG_MS)
void router
  .load()
  .catch(() => {})
  .then(() => {
    clearTimeout(late)
    draw(
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <StepUp />
      </QueryClientProvider>,
    )
  })
