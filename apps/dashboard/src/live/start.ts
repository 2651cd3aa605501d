// The feed of the dashboard's interface, for the pages of a merchant.
import type { QueryClient } from '@tanstack/react-query'
import { ApiError, call } from '../api/call.ts'
import { followEvents, PAGE_EVENTS } from './follow.ts'
import { readAnew } from './stale.ts'

/** Short: what a request may read is decided when it comes, and a role can end meanwhile. */
const WAIT_SECONDS = 10

const ENDED = new Set(['UNAUTHENTICATED', 'SESSION_EXPIRED', 'FORBIDDEN'])

/** Until it is stopped. */
export const startFeed = (queries: QueryClient, accountId: string): (() => void) =>
  followEvents(accountId, {
    newest: async () => (await call('listEvents', { query: { limit: 1 } })).items[0]?.id ?? null,
    after: (position, signal) =>
      call('listEvents', {
        query: { after: position ?? 'start', wait: WAIT_SECONDS, limit: PAGE_EVENTS },
        signal,
      }),
    mayRetry: (error) => !(error instanceof ApiError && ENDED.has(error.key)),
    onEvents: (events) => readAnew(queries, events),
  })
