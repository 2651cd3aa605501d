// Trades that stand still, each in a way that an operator meets, made by the workers' own rounds over a
// supplier that answers as it is scripted.
import { type Db, sql } from '../../infra/database/db.ts'
import type { ManualClock } from '../../infra/testing/clock.ts'
import {
  givenBuyer,
  givenMerchant,
  givenTrade,
} from '../../modules/trading/buying/testing/buyers.ts'
import { followRound, placeRound } from '../../modules/trading/buying/testing/rounds.ts'
import { orderUpdate, scriptedSupplier } from '../../modules/trading/buying/testing/supplier.ts'
import { createReporter } from '../../modules/trading/reconciliation/report.ts'

export interface StuckTrade {
  readonly why: string
  readonly tradeId: string
  /** What a person has in hand: it leads to this trade alone. */
  readonly handle: string
  /** What its explanation must say. */
  readonly says: readonly RegExp[]
}

const MARKET_AWAY = sql(
  'test.market_away',
  `update catalog.market set online = false, detail = 'answered 503' where id = 'market_b'`,
)

/** The last one finds its market away, which it is from then on. */
export async function givenStuckTrades({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: ManualClock
}): Promise<StuckTrade[]> {
  const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 100_000n })
  const market = scriptedSupplier()
  const deps = { db, clock, market, onCase: () => Promise.resolve() }
  const buy = () => givenTrade({ db, clock }, { buyer })
  const place = () => placeRound({ ...deps, concurrency: 1 })
  const order = { orderId: '', offerId: '' }
  const placed = async (state: 'pending' | 'active' | 'failed', details = order) => {
    const bought = await buy()
    market.answers.push({ kind: 'accepted', orderId: details.orderId, paidMills: null })
    await place()
    const offerId = details.offerId || null
    const failure = state === 'failed' ? 'PURCHASE_FAILED' : null
    market.orders.set(
      bought.itemId,
      orderUpdate(state, { orderId: details.orderId, offerId, failure }),
    )
    return bought
  }
  const offered = await placed('active', { orderId: '880001', offerId: '9393000077' })
  const waiting = await placed('pending', { orderId: '880002', offerId: '' })
  const failed = await placed('failed', { orderId: '880003', offerId: '' })
  // Until the first look at each is due.
  clock.advance(5_000)
  await followRound(deps)
  const contradicted = await placed('pending', { orderId: '880004', offerId: '' })
  await createReporter({ db, clock, source: 'statement', onOpened() {} })('missing', {
    ...{ market: 'market_b', orderId: '880004', itemId: contradicted.itemId },
  })
  const lost = await buy()
  market.answers.push({ kind: 'unknown', detail: 'the connection was closed' })
  await place()
  const away = await buy()
  await db.query(MARKET_AWAY)
  const whole = /Money now: \$1\d\.\d\d held in escrow\./
  return [
    {
      ...{ why: 'its offer is not accepted', tradeId: offered.tradeId, handle: '9393000077' },
      says: [whole, /offered to the buyer/, /has to accept trade offer 9393000077 .* less 2%/],
    },
    {
      ...{ why: 'its seller does not send', tradeId: waiting.tradeId, handle: '880002' },
      says: [whole, /still with its seller/, /order 880002 at Market B.*the whole price goes back/],
    },
    {
      ...{ why: 'a refund is pending', tradeId: failed.tradeId, handle: '880003' },
      says: [
        /Money now: All of it is back/,
        /Market B has to return \$10\.000 to our account there/,
      ],
    },
    {
      ...{ why: 'a case is open', tradeId: contradicted.tradeId, handle: '880004' },
      says: [whole, /We hold an order or an offer as placed, and who has it does not know it/],
    },
    {
      ...{ why: 'the answer was lost', tradeId: lost.tradeId, handle: lost.requestId },
      says: [whole, /is asked for order .* nothing is ordered again/],
    },
    {
      ...{ why: 'the market is away', tradeId: away.tradeId, handle: away.itemId },
      says: [whole, /MARKET_UNAVAILABLE.*Market B does not answer now \(answered 503\)/],
    },
  ]
}
