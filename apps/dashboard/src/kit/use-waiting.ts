import { type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query'

/**
 * Whether one of these reads has neither arrived nor failed yet. A page whose sections read for themselves
 * shows them together, so that none moves those below it.
 */
// biome-ignore lint/suspicious/noExplicitAny: reads of any answer
export const useWaiting = (...reads: readonly UseQueryOptions<any, Error, any, any>[]): boolean =>
  useQueries({
    queries: reads as readonly UseQueryOptions<unknown, Error, unknown, QueryKey>[],
  }).some(({ isPending }) => isPending)
