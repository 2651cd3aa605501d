import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'

export const keysQuery = queryOptions({ queryKey: ['keys'], queryFn: () => call('listKeys', {}) })

export const webhookQuery = queryOptions({
  queryKey: ['webhook'],
  queryFn: () => call('getWebhook', {}),
})

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', id],
    queryFn: () => call('getDelivery', { params: { id } }),
  })

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => call('listSessions', {}),
})

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: () => call('listPasskeys', {}),
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
