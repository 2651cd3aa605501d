import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { withoutFeed } from '../live/follow.ts'

const LIVE_MS = 5_000

export const depositQuery = (id: string) =>
  queryOptions({
    queryKey: ['getOwnDeposit', id],
    queryFn: () => call('getOwnDeposit', { params: { id } }),
    refetchInterval: withoutFeed(LIVE_MS),
  })

export const depositWaysQuery = queryOptions({
  queryKey: ['getDepositWays'],
  queryFn: () => call('getDepositWays', {}),
  staleTime: 60_000,
})

export const ownAddressQuery = queryOptions({
  queryKey: ['getOwnAddress'],
  queryFn: () => call('getOwnAddress', {}),
  staleTime: 300_000,
})

/** A setting of the service: it changes with a start alone. */
export const explorersQuery = queryOptions({
  queryKey: ['getExplorers'],
  queryFn: () => call('getExplorers', {}),
  staleTime: Number.POSITIVE_INFINITY,
})

export const custodyQuery = queryOptions({
  queryKey: ['getCustody'],
  queryFn: () => call('getCustody', {}),
  refetchInterval: withoutFeed(LIVE_MS),
})

export const custodyAddressQuery = queryOptions({
  queryKey: ['getCustodyAddress'],
  queryFn: () => call('getCustodyAddress', {}),
  staleTime: 300_000,
  retry: false,
})

export const withdrawalQuery = (id: string) =>
  queryOptions({
    queryKey: ['getOwnWithdrawal', id],
    queryFn: () => call('getOwnWithdrawal', { params: { id } }),
    refetchInterval: withoutFeed(LIVE_MS),
  })

export const batchQuery = (id: string) =>
  queryOptions({
    queryKey: ['getOwnBatch', id],
    queryFn: () => call('getOwnBatch', { params: { id } }),
    refetchInterval: withoutFeed(LIVE_MS),
  })

export const destinationsQuery = queryOptions({
  queryKey: ['getDestinations'],
  queryFn: () => call('getDestinations', {}),
})

export const payoutCallbackQuery = queryOptions({
  queryKey: ['getPayoutCallback'],
  queryFn: () => call('getPayoutCallback', {}),
})

export const heldPaymentsQuery = queryOptions({
  queryKey: ['listHeldPayments'],
  queryFn: () => call('listHeldPayments', {}),
  refetchInterval: withoutFeed(LIVE_MS),
})

export const waitingWithdrawalsQuery = queryOptions({
  queryKey: ['listWaitingWithdrawals'],
  queryFn: () => call('listWaitingWithdrawals', {}),
  refetchInterval: withoutFeed(LIVE_MS),
})

export const adminDepositQuery = (id: string) =>
  queryOptions({
    queryKey: ['inspectDeposit', id],
    queryFn: () => call('inspectDeposit', { params: { id } }),
    refetchInterval: withoutFeed(LIVE_MS),
  })

export const adminWithdrawalQuery = (id: string) =>
  queryOptions({
    queryKey: ['inspectWithdrawal', id],
    queryFn: () => call('inspectWithdrawal', { params: { id } }),
    refetchInterval: withoutFeed(LIVE_MS),
  })

export const serviceWalletsQuery = queryOptions({
  queryKey: ['listServiceWallets'],
  queryFn: () => call('listServiceWallets', {}),
  refetchInterval: LIVE_MS,
})
