// The jobs of market orders, with what a fill needs that is not its own.
import { createMatching, type FillDeps } from '#buying'
import type { Catalog } from '#catalog'
import { createRateReader } from '#fx'
import { createCallerFinder, getMerchant } from '#identity'
import type { RecoveryMark } from '#infra/database/recovery-mark'
import type { Job } from '#infra/jobs/jobs'
import { createGlobalDefaultReader, effectiveFees } from '#pricing'
import { createPauseReader } from '#trades'
import { createKeepMarketOrders } from '../../edges/jobs/keep-market-orders.ts'
import { createMatchMarketOrders } from '../../edges/jobs/match-market-orders.ts'
import type { Resources } from '../resources.ts'

export function createMarketOrderJobs(
  { db, clock, metrics }: Pick<Resources, 'db' | 'clock' | 'metrics'>,
  { catalog, mark }: { readonly catalog: Catalog; readonly mark: RecoveryMark },
): Job[] {
  const readRate = createRateReader({ db, clock })
  const currentRate = async () => (await readRate()).usdPerEurMicros
  const isPausedByHand = createPauseReader(db, clock)
  // What a restore has lost could be bought a second time until it has been compared.
  const isPaused = async () => (await isPausedByHand()) || !(await mark.isKnown(db))
  const filled = metrics.counter('market_order_fills_total', 'Buys made for market orders', [
    'market',
  ])
  const matching = createMatching({
    ...{ db, clock, currentRate, buyerOf: createBuyerOf(db, clock) },
    getListings: catalog.getListings,
    findFitting: catalog.findFitting,
    onFilled: (market) => filled.labels(market).inc(),
  })
  return [
    createMatchMarketOrders({
      ...{ db, clock, matching, isPaused },
      follower: catalog.followChanges(),
    }),
    ...createKeepMarketOrders({ db, clock, currentRate, isPaused }),
  ]
}

/** The account of an order as it buys now: its fees and its primary trade URL. */
function createBuyerOf(db: Resources['db'], clock: Resources['clock']): FillDeps['buyerOf'] {
  const findCaller = createCallerFinder(db)
  const globalDefaultFeeBps = createGlobalDefaultReader({ db, clock })
  return async ({ tenantId, accountId, keyId }) => {
    const reference = accountId === tenantId ? null : accountId
    const [account, defaultBps, merchant] = await Promise.all([
      findCaller({ merchantId: tenantId, reference }),
      globalDefaultFeeBps(),
      getMerchant(db, tenantId),
    ])
    if (account === null) return null
    const { houseFeeBps, merchantBuyFeeBps } = effectiveFees(account, defaultBps)
    return {
      ...{ accountId, tenantId, keyId, houseFeeBps, merchantFeeBps: merchantBuyFeeBps },
      ...{ currency: account.currency, merchantCurrency: merchant.currency },
      primaryTradeUrl: account.primaryTradeUrl,
    }
  }
}
