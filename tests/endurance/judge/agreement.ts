// What buyers recorded against the trades that exist once all of them have ended.
import assert from 'node:assert/strict'
import type { Trade } from '@tradepost/contract'
import type { Client } from '../../support/client.ts'
import { TERMINAL } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import type { TrackedRequest } from '../actors/load.ts'

/** All trades of a merchant, when every one has ended. */
export const untilBuysEnded = (merchant: Client): Promise<Trade[]> =>
  until(
    'every trade has ended',
    async () => {
      const all = await readAllTrades(merchant)
      const open = all.filter(({ status }) => !TERMINAL.includes(status))
      if (open.length === 0) return all
      throw new Error(
        `${open.length} of ${all.length} go on, the first: ${JSON.stringify(open[0])}`,
      )
    },
    { deadlineMs: 90_000, everyMs: 500 },
  )

async function readAllTrades(merchant: Client): Promise<Trade[]> {
  const all: Trade[] = []
  for (let cursor: string | null = null; ; ) {
    const page: { trades: Trade[]; nextCursor: string | null } = await merchant.get(
      'listMerchantTrades',
      { query: { limit: 100, ...(cursor === null ? {} : { cursor }) } },
    )
    all.push(...page.trades)
    if (page.nextCursor === null) return all
    cursor = page.nextCursor
  }
}

/** Every acknowledged buy has its one trade, every refused one none, and there is no other trade. */
export function agreeOnBuys(trades: readonly Trade[], requests: readonly TrackedRequest[]): void {
  const byExternalId = Map.groupBy(trades, ({ externalId }) => externalId ?? '')
  for (const { externalId, outcome, tradeId, refusal } of requests) {
    const found = byExternalId.get(externalId) ?? []
    if (outcome === 'acknowledged') {
      assert.deepEqual(
        found.map(({ id }) => id),
        [tradeId],
        externalId,
      )
    } else {
      assert.equal(outcome, 'refused', externalId)
      assert.deepEqual(found, [], `${externalId} was refused with ${refusal}`)
      assert.equal(refusal, 'LISTING_NOT_FOUND', 'only a listing that is gone is a reason')
    }
  }
  assert.equal(trades.length, requests.filter(({ tradeId }) => tradeId !== null).length)
}
