// The long polls of the dashboard's interface: of the account, or for administrators of the service.
import type { QueryClient } from '@tanstack/react-query'
import { ApiError, call } from '../api/call.ts'
import { followChanges } from './follow.ts'
import { readAnew } from './stale.ts'

/** Short: when a session ends without an event, its page learns of it at the end of the wait. */
const WAIT_SECONDS = 10

const ENDED = new Set(['UNAUTHENTICATED', 'SESSION_EXPIRED', 'FORBIDDEN'])

interface Followed {
  readonly accountId: string
  readonly isAdministrator: boolean
}

/** Until it is stopped. */
export const startFeed = (
  queries: QueryClient,
  { accountId, isAdministrator }: Followed,
): (() => void) =>
  followChanges(accountId, {
    ask: (position, signal) => {
      const query = position === null ? {} : { after: position, wait: WAIT_SECONDS }
      return call(isAdministrator ? 'followService' : 'followAccount', { query, signal })
    },
    mayRetry: (error) => !(error instanceof ApiError && ENDED.has(error.key)),
    onChanges: (changes) => readAnew(queries, changes),
  })
