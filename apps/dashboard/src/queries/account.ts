import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { callFor } from '../api/for-child.ts'
import { withoutFeed } from '../live/follow.ts'

/** Of the own account, or of a child; so are the two below. */
export const keysQuery = (childId?: string) =>
  queryOptions({
    queryKey: ['keys', childId],
    queryFn: () => callFor(childId, 'listKeys', {}),
    refetchInterval: 30_000,
  })

export const webhookQuery = (childId?: string) =>
  queryOptions({
    queryKey: ['webhook', childId],
    queryFn: () => callFor(childId, 'getWebhook', {}),
    refetchInterval: 30_000,
  })

export const endpointsQuery = (childId?: string) =>
  queryOptions({
    queryKey: ['endpoints', childId],
    queryFn: () => callFor(childId, 'listEndpoints', {}),
    refetchInterval: 30_000,
  })

export const deliveryQuery = (id: string, childId?: string) =>
  queryOptions({
    queryKey: ['getDelivery', id],
    queryFn: () => callFor(childId, 'getDelivery', { params: { id } }),
    // A delivery that has ended is sent again by a person only.
    refetchInterval: ({ state }) => (state.data?.nextAttemptAt ? withoutFeed(5_000)() : false),
  })

export const balanceThresholdQuery = queryOptions({
  queryKey: ['getBalanceThreshold'],
  queryFn: () => call('getBalanceThreshold', {}),
  refetchInterval: 30_000,
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => call('listSessions', {}),
})

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: () => call('listPasskeys', {}),
})

export const recoveryCodesQuery = queryOptions({
  queryKey: ['recovery-codes'],
  queryFn: () => call('getRecoveryCodes', {}),
})

export const chatLinkQuery = queryOptions({
  queryKey: ['chat-link'],
  queryFn: () => call('getChatLink', {}),
})

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: () => call('listMembers', {}),
})

export const ownAccountsQuery = queryOptions({
  queryKey: ['own-accounts'],
  queryFn: () => call('listOwnAccounts', {}),
  staleTime: 300_000,
})
