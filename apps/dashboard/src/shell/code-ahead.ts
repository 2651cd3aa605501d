// The code of the pages in the navigation is loaded once its reader comes near it: one page at a time, while
// the browser has nothing else to do. A click then waits for the data alone.
import { type AnyRouter, useRouter } from '@tanstack/react-router'
import { useRef } from 'react'
import { type AccountKind, navigationOf } from './navigation.ts'

/** For what shows that the navigation is about to be used; only the first call does something. */
export function useCodeAhead(kind: AccountKind): () => void {
  const router = useRouter()
  const isBegun = useRef(false)
  return () => {
    if (isBegun.current) return
    isBegun.current = true
    void loadPages(router, kind)
  }
}

async function loadPages(router: AnyRouter, kind: AccountKind): Promise<void> {
  for (const { to } of navigationOf(kind).flatMap(({ items }) => items)) {
    await idle()
    const route = router.routesByPath[to]
    // A failure is met again by the router, when the page is opened.
    if (route !== undefined) await router.loadRouteChunk(route)?.catch(() => {})
  }
}

const LONGEST_MS = 500

/** Not every browser says when it is idle. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) {
      requestIdleCallback(() => resolve(), { timeout: LONGEST_MS })
    } else setTimeout(resolve, LONGEST_MS)
  })
