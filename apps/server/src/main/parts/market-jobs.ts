// The jobs of one market, those of its health and listings, and those of each of our accounts there: orders
// placed and followed, and what is held against the market's own word.
import { type Catalog, createPriceGuard } from '#catalog'
import type { Job } from '#infra/jobs/jobs'
import type { MarketId } from '#kernel/market-id'
import {
  type CallLog,
  type CaseSource,
  openPlacingGate,
  orderIntent,
  type ReportCase,
  withCallLog,
} from '#reconciliation'
import { PLACING_LIMIT_MINUTES } from '#trades'
import type { Supplier } from '../../adapters/markets.ts'
import { createBeatMarket } from '../../edges/jobs/beat-market.ts'
import { createFollowOrders } from '../../edges/jobs/follow-orders.ts'
import { createIngestMarket } from '../../edges/jobs/ingest-market.ts'
import { createKeepAccount } from '../../edges/jobs/keep-account.ts'
import { createMarketHealth } from '../../edges/jobs/market-health.ts'
import { createMeasureQueue } from '../../edges/jobs/measure-queue.ts'
import { createMoveWaiting } from '../../edges/jobs/move-waiting.ts'
import { createOpenPlacing } from '../../edges/jobs/open-placing.ts'
import { createPlaceOrders } from '../../edges/jobs/place-orders.ts'
import { createReconcileOrders } from '../../edges/jobs/reconcile-orders.ts'
import { createSupplierAccount } from '../../edges/jobs/supplier-account.ts'
import type { MarketAccounts } from '../market-accounts.ts'
import type { Noting } from './gates.ts'
import { createReversalMeter } from './reversal-meter.ts'

export interface MarketJobsParts {
  readonly catalog: Catalog
  readonly calls: CallLog
  readonly reporterFor: (source: CaseSource) => ReportCase
  readonly accounts: MarketAccounts
  /**
   * Whether purchases may be placed at a market, with one account or, without a name, with all: not while a
   * restore has not been compared.
   */
  readonly mayPlace: (market: MarketId, account?: string) => Promise<boolean>
}

/** Purchases under way at one market, in one process. */
const PLACING_CONCURRENCY = 16
const PLACING_GIVE_UP_MS = PLACING_LIMIT_MINUTES * 60_000
const UNMATCHED_WATCH_MS = 24 * 3_600_000

/** What a market has once. */
export function createMarketJobs(
  { config, db, clock, log, metrics }: Noting,
  { catalog, accounts, mayPlace }: MarketJobsParts,
  main: Supplier,
): Job[] {
  const { market } = main
  const { buying: timing } = config.timing
  return [
    createOpenPlacing({
      ...{ gate: market.id, log, metrics },
      everyMs: timing.openGateEveryMs,
      open: async (signal) => {
        await accounts.refresh()
        const [first = main, ...others] = accounts.at(market.id)
        const statements = [first.statements, ...others.map((one) => one.statements)] as const
        return openPlacingGate({ db, clock, statements }, signal)
      },
    }),
    createMoveWaiting({
      ...{ db, clock, market: market.id },
      mayPlace: () => mayPlace(market.id),
    }),
    createMeasureQueue({
      ...{ db, clock, metrics, market: market.id },
      accounts: () => accounts.at(market.id).map((one) => one.market),
    }),
    createBeatMarket({
      db,
      clock,
      metrics,
      catalog,
      market: market.id,
      breakerState: () => accounts.feeder(market.id).breaker.state(),
    }),
  ]
}

/** A market's health and listings, read with the account that feeds it. */
export const createFeedJobs = (
  { clock, log, metrics }: Noting,
  { catalog }: MarketJobsParts,
  { feed }: Supplier,
): Job[] => [
  createMarketHealth({ catalog, feed, log, metrics }),
  createIngestMarket({ catalog, feed, clock, log, metrics }),
]

/** The jobs of one of our accounts. */
export function createAccountJobs(
  { config, db, clock, log, metrics, intents }: Noting,
  { catalog, calls, reporterFor, mayPlace }: MarketJobsParts,
  { market: bare, statements, breaker, readAccount }: Supplier,
): Job[] {
  const of = { market: bare.id, account: bare.account }
  const market = withCallLog(bare, { log: calls, clock })
  const { buying: timing, reconcileEveryMs } = config.timing
  const reportOutlier = reporterFor('guard')
  const putBack = metrics.counter(
    'placements_put_back_total',
    'Items that were claimed for placing and wait again, because their purchase never reached the market',
    ['market', 'account', 'reason'],
  )
  return [
    createKeepAccount({
      of,
      read: readAccount,
      account: createSupplierAccount({ db, clock, log, metrics, ...of }),
    }),
    createPlaceOrders({
      db,
      clock,
      market,
      // Items that would only be handed back stay due instead.
      isMarketAvailable: async () =>
        breaker.state() !== 'open' && (await catalog.isMarketAvailable(market.id)),
      mayPlace: () => mayPlace(market.id, market.account),
      intents: {
        isReady: intents.isReady,
        note: (order) => intents.note(orderIntent(order)),
      },
      checkPrice: createPriceGuard({
        referenceOf: catalog.referenceOf,
        policy: config.priceGuard,
        onOutlier: ({ volume, ...details }) => reportOutlier('price_outlier', details, { volume }),
      }),
      holdMs: config.holdMs,
      leaseMs: timing.leaseMs,
      giveUpMs: PLACING_GIVE_UP_MS,
      concurrency: PLACING_CONCURRENCY,
      onCase: reporterFor('follower'),
      onPutBack: (reason) => putBack.labels(market.id, market.account, reason).inc(),
      onAnswer: (item, answer) => {
        if (answer.kind === 'refused' && answer.alarm) {
          log.error(
            {
              alarm: 'supplier_refuses_us',
              itemId: item.id,
              market: market.id,
              account: market.account,
              detail: answer.detail,
            },
            'the supplier refuses us, not the buyer',
          )
        }
      },
    }),
    ...createFollowOrders({
      db,
      clock,
      market,
      holdMs: config.holdMs,
      leaseMs: timing.leaseMs,
      holdPollMs: timing.holdPollMs,
      watchMs: UNMATCHED_WATCH_MS,
      watchEveryMs: timing.unmatchedWatchEveryMs,
      onCase: reporterFor('follower'),
      onReversal: createReversalMeter(metrics, market.id),
    }),
    createReconcileOrders({
      db,
      clock,
      log,
      metrics,
      // Not through the log of calls: a statement's look-ups belong to no single trade.
      market: bare,
      statements,
      everyMs: reconcileEveryMs,
      reportStatement: reporterFor('statement'),
      reportBalance: reporterFor('balance'),
    }),
  ]
}
