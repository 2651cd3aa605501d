import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followMarket, type MarketFollowing } from './market.ts'

/** Follows the market for the page that calls it; `reads` must stay the same list. */
export function useMarket(
  filter: MarketFollowing['filter'],
  reads: MarketFollowing['reads'],
): void {
  const queries = useQueryClient()
  const key = JSON.stringify(filter)
  useEffect(
    () => followMarket(queries, { filter: JSON.parse(key) as typeof filter, reads }),
    [queries, key, reads],
  )
}
