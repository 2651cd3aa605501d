import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followMarket, type MarketFollowing } from './market.ts'

/** A filter is followed once it is no longer being typed. */
const STEADY_MS = 1000

/** Follows the market for the page that calls it; `reads` must stay the same list. */
export function useMarket(
  filter: MarketFollowing['filter'],
  reads: MarketFollowing['reads'],
): void {
  const queries = useQueryClient()
  const key = JSON.stringify(filter)
  useEffect(() => {
    let stop = (): void => {}
    const timer = setTimeout(() => {
      stop = followMarket(queries, { filter: JSON.parse(key) as typeof filter, reads })
    }, STEADY_MS)
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [queries, key, reads])
}
