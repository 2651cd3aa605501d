// What an operator says of our accounts at the markets.
import { type Actor, changesOf } from '#audit'
import * as buying from '#buying'
import type { MarketId } from '#kernel/market-id'
import { formatMills, type Mills } from '#kernel/money'
import { type ActDeps, perform } from './act.ts'

/** What of the balance is not spent. The account is judged by it at once. */
export const setMarketReserve = (
  deps: ActDeps,
  actor: Actor,
  {
    market,
    reserveMills,
    reason,
  }: { readonly market: MarketId; readonly reserveMills: Mills; readonly reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'market_account.reserve',
      subject: { type: 'market', id: market },
      facts: { account: 'main', reason },
    },
    async (tx, at, note) => {
      const { before } = await buying.setReserve(tx, market, { reserveMills, at })
      const from = { reserve: formatMills(before.reserveMills) }
      note({ changes: changesOf(from, { reserve: formatMills(reserveMills) }) })
    },
  )
