// What must be true of every request of the traffic, whatever happened meanwhile.
import assert from 'node:assert/strict'
import type { Trade } from '@tradepost/contract'
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import { mapAtOnce } from '../../../apps/server/src/infra/limits/at-once.ts'
import type { Client } from '../../support/client.ts'
import { TERMINAL } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import type { TrackedRequest } from '../actors/requests.ts'
import type { Traffic } from '../actors/traffic.ts'

const isOpen = ({ outcome }: TrackedRequest): boolean =>
  outcome === 'unknown' || outcome === 'unsent'

/** More at once would wait for each other for longer than they wait for an answer. */
const SENT_AT_ONCE = 16

/** Under its own external id a request returns its first result, or is executed now. How many had none. */
export async function answerAll({
  requests,
  send,
}: Pick<Traffic, 'requests' | 'send'>): Promise<number> {
  const open = requests.filter(isOpen)
  const answer = (request: TrackedRequest): Promise<boolean> =>
    until(
      `${request.operation} ${request.externalId} is answered`,
      async () => {
        if (isOpen(request)) await send(request)
        if (isOpen(request)) throw new Error(String(request.refusal))
        return true
      },
      { deadlineMs: 120_000, everyMs: 500 },
    )
  await mapAtOnce(open, SENT_AT_ONCE, answer)
  return open.length
}

/** What users may be refused with for good; anything else is a bug. */
const REFUSALS = [
  'LISTING_NOT_FOUND',
  'NO_LISTING_AT_PRICE',
  'PRICE_MISMATCH',
  'INSUFFICIENT_BALANCE',
  'SELL_ITEM_NOT_FOUND',
  'SELL_ITEM_NOT_ACCEPTED',
  'SELL_NO_BOT_AVAILABLE',
  'TRADEURL_INVALID_TOKEN',
  'INVENTORY_PRIVATE',
]
/** Of buyers who pay any price and have a valid trade URL: only a listing that is gone is a reason. */
const REFUSALS_OF_BUYS = ['LISTING_NOT_FOUND']

/** Every acknowledged request has its one trade, every refused one none, and there is no other trade. */
function agree(
  trades: readonly Pick<Trade, 'id' | 'externalId'>[],
  requests: readonly TrackedRequest[],
  refusals: readonly string[],
): void {
  const byExternalId = Map.groupBy(trades, ({ externalId }) => externalId)
  for (const { externalId, outcome, tradeId, refusal } of requests) {
    const found = (byExternalId.get(externalId) ?? []).map(({ id }) => id)
    const what = `${externalId}, ${outcome} ${refusal ?? ''}`
    assert.deepEqual(found, outcome === 'acknowledged' ? [tradeId] : [], what)
    if (outcome === 'acknowledged') continue
    assert.equal(outcome, 'refused', what)
    assert.ok(refusals.includes(refusal ?? ''), what)
  }
  assert.equal(trades.length, requests.filter(({ tradeId }) => tradeId !== null).length)
}

export const agreeOnBuys = (
  trades: readonly Trade[],
  { requests }: Pick<Traffic, 'requests'>,
): void => agree(trades, requests, REFUSALS_OF_BUYS)

const TRADES = sql('endurance_trades', 'select id, external_id "externalId" from trades.trade')

/** Returns how many trades there are. */
export async function agreeOnTrades(
  db: Db,
  { requests }: Pick<Traffic, 'requests'>,
): Promise<number> {
  const trades = await db.query<{ id: string; externalId: string }>(TRADES)
  agree(trades, requests, REFUSALS)
  return trades.length
}

/** All trades of a merchant, when every one has ended. */
export const untilTradesEnded = (merchant: Client): Promise<Trade[]> =>
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
