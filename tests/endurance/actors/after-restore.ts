// A merchant after a restore: what it had bought, by its own log, and how it sends that again.
import assert from 'node:assert/strict'
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import type { Client } from '../../support/client.ts'
import { MARKETS, type MarketId, type Sandbox, type SandboxOrder } from '../../support/sandbox.ts'
import {
  type Bought,
  buyNext,
  buyRaw,
  readTrade,
  stock,
  untilStatus,
} from '../../support/trading.ts'

/** A line of the merchant's own log. */
export interface LoggedBuy extends Bought {
  readonly externalId: string
  readonly market: MarketId
  readonly behalf: string | undefined
}

interface Buying {
  readonly merchant: Client
  readonly sandbox: Sandbox
}

/** So many buys, by turns at each market and for each of these. */
export async function buyByTurns(
  { merchant, sandbox }: Buying,
  {
    name,
    count,
    behalves,
  }: {
    readonly name: string
    readonly count: number
    readonly behalves: readonly (string | undefined)[]
  },
): Promise<LoggedBuy[]> {
  const supplies = await Promise.all(MARKETS.map((market) => stock(sandbox.control, market)))
  const bought: LoggedBuy[] = []
  for (let i = 0; i < count; i++) {
    const market = MARKETS[i % MARKETS.length]
    const supply = supplies[i % MARKETS.length]
    assert.ok(market && supply)
    const behalf = behalves[i % behalves.length]
    const externalId = `${name}-${i + 1}`
    const by = { externalId, ...(behalf === undefined ? {} : { behalf }) }
    bought.push({
      ...(await buyNext(merchant, { market, supply, ...by })),
      ...{ externalId, market, behalf },
    })
  }
  return bought
}

/** Our ids at the market of trades with one item. */
export const itemIds = (merchant: Client, bought: readonly Bought[]): Promise<string[]> =>
  Promise.all(
    bought.map(async ({ receipt }) => (await readTrade(merchant, receipt.id)).items[0]?.id ?? ''),
  )

export const ordersOf = async (
  { sandbox }: Pick<Buying, 'sandbox'>,
  ids: readonly string[],
): Promise<SandboxOrder[]> =>
  (await sandbox.control.orders()).filter(({ customId }) => ids.includes(customId ?? ''))

/** What the service lists as lost is what the merchant's log has. */
export async function compareLost(
  merchant: Client,
  lost: readonly { readonly externalId: string }[],
): Promise<void> {
  const { items } = await merchant.get('listRestores')
  assert.deepEqual(
    items.flatMap((each) => each.lost.map(({ externalId }) => externalId)).sort(),
    lost.map(({ externalId }) => externalId).sort(),
  )
}

export const sendAgain = (merchant: Client, { market, listing, externalId, behalf }: LoggedBuy) =>
  buyRaw(merchant, {
    raw: [`${market}:${listing.id}`],
    externalId,
    ...(behalf === undefined ? {} : { behalf }),
  })

/** Sends each again as it was, and sees its trade come to its end. */
export async function adoptAll(merchant: Client, lost: readonly LoggedBuy[]): Promise<void> {
  const tradeIds: string[] = []
  for (const one of lost) {
    const { data, error } = await sendAgain(merchant, one)
    assert.ok(data, `${one.externalId} is adopted: ${JSON.stringify(error)}`)
    tradeIds.push(data.id)
  }
  for (const tradeId of tradeIds) await untilStatus(merchant, tradeId, ['completed'])
}

const UNMATCHED = sql(
  'test.orphans',
  `select facts ->> 'customId' "customId", facts ->> 'externalId' "externalId",
     case when cleared_at is null then state::text else 'cleared' end state
   from reconciliation.case_file where kind = 'orphan_purchase'`,
)
export interface UnmatchedPurchase {
  readonly customId: string
  /** Null: the case has no name. */
  readonly externalId: string | null
  readonly state: string
}
export const listUnmatched = (db: Db): Promise<UnmatchedPurchase[]> =>
  db.query<UnmatchedPurchase>(UNMATCHED)
