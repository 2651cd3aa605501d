// What must be true of every request of the traffic, whatever happened meanwhile.
import assert from 'node:assert/strict'
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import { until } from '../../support/until.ts'
import type { TrackedRequest, Traffic } from '../actors/users.ts'

/** Under its own external id a request returns its first result, or is executed now. How many had none. */
export async function answerAll({ requests, send }: Traffic): Promise<number> {
  const open = requests.filter(({ outcome }) => outcome === 'unknown')
  const answer = (request: TrackedRequest): Promise<boolean> =>
    until(
      `${request.operation} ${request.externalId} is answered`,
      async () => {
        if (request.outcome === 'unknown') await send(request)
        if (request.outcome === 'unknown') throw new Error(String(request.refusal))
        return true
      },
      { deadlineMs: 120_000, everyMs: 500 },
    )
  await Promise.all(open.map(answer))
  return open.length
}

const TRADES = sql('soak_trades', `select id, external_id from trades.trade`)
/** The refusals that users may receive; any other is a bug. */
const REFUSALS = [
  'LISTING_NOT_FOUND',
  'NO_LISTING_AT_PRICE',
  'PRICE_MISMATCH',
  'INSUFFICIENT_BALANCE',
  'MARKET_UNAVAILABLE',
  'PLATFORM_UNAVAILABLE',
  'SERVICE_DISABLED',
  'SELL_ITEM_NOT_FOUND',
  'SELL_ITEM_NOT_ACCEPTED',
  'SELL_NO_BOT_AVAILABLE',
  'TRADEURL_INVALID_TOKEN',
  'INVENTORY_PRIVATE',
]

/** Every acknowledged request has its one trade, and there is no other. Returns how many trades there are. */
export async function agreeOnTrades(db: Db, { requests }: Traffic): Promise<number> {
  const rows = await db.query<{ id: string; external_id: string }>(TRADES)
  const byExternalId = Map.groupBy(rows, (row) => row.external_id)
  for (const { externalId, outcome, tradeId, refusal } of requests) {
    const found = (byExternalId.get(externalId) ?? []).map(({ id }) => id)
    assert.deepEqual(found, outcome === 'acknowledged' ? [tradeId] : [], externalId)
    if (outcome === 'refused') assert.ok(REFUSALS.includes(refusal ?? ''), String(refusal))
  }
  assert.equal(rows.length, requests.filter(({ tradeId }) => tradeId !== null).length)
  return rows.length
}

const COUNT_OPEN = sql(
  'soak_open',
  `select (select count(*) from buying.item where work in ('place', 'follow'))::int as buys,
     (select count(*) from selling.item where is_open)::int as sells`,
)

export const untilAllEnded = (db: Db, deadlineMs: number): Promise<unknown> =>
  until(
    'every trade has ended',
    async () => {
      const [open] = await db.query<{ buys: number; sells: number }>(COUNT_OPEN)
      if (open?.buys === 0 && open.sells === 0) return true
      throw new Error(`open: ${JSON.stringify(open)}`)
    },
    { deadlineMs, everyMs: 500 },
  )
