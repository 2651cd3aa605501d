// The jobs of selling.
import { expediteHolds } from '#buying'
import type { Job } from '#infra/jobs/jobs'
import {
  BOTS,
  type CaseSource,
  offerIntent,
  openOffersGate,
  type ReportCase,
} from '#reconciliation'
import { PLACING_LIMIT_MINUTES } from '#trades'
import { createFollowSells } from '../../edges/jobs/follow-sells.ts'
import { createOpenPlacing } from '../../edges/jobs/open-placing.ts'
import { createPlaceSells } from '../../edges/jobs/place-sells.ts'
import { createReconcileOffers } from '../../edges/jobs/reconcile-offers.ts'
import type { Noting } from './gates.ts'
import { createReversalMeter } from './reversal-meter.ts'

/** Offers under way at once, in one process. */
const PLACING_CONCURRENCY = 8
const PLACING_GIVE_UP_MS = PLACING_LIMIT_MINUTES * 60_000
const LOST_OFFER_WATCH_MS = 24 * 3_600_000

export function createSellingJobs(
  { config, db, clock, log, metrics, adapters, intents }: Noting,
  {
    reporterFor,
    mayPlace,
  }: {
    readonly reporterFor: (source: CaseSource) => ReportCase
    /** Whether sells may be offered: not while a restore has not been compared. */
    readonly mayPlace: () => Promise<boolean>
  },
): Job[] {
  const { buying, selling: timing, reconcileEveryMs } = config.timing
  const shared = {
    db,
    clock,
    bots: adapters.bots,
    leaseMs: timing.leaseMs,
    pollMs: timing.pollMs,
  }
  return [
    createOpenPlacing({
      ...{ gate: BOTS, log, metrics },
      everyMs: buying.openGateEveryMs,
      open: () =>
        openOffersGate({
          ...{ db, clock, bots: adapters.bots },
          settleMs: timing.settleMs,
          offerMs: config.sellOfferMs,
        }),
    }),
    createPlaceSells({
      ...shared,
      mayPlace,
      intents: {
        isReady: intents.isReady,
        note: (offer) => intents.note(offerIntent(offer)),
      },
      offerMs: config.sellOfferMs,
      giveUpMs: PLACING_GIVE_UP_MS,
      concurrency: PLACING_CONCURRENCY,
      onCase: reporterFor('follower'),
      onTrouble: (botId, detail) =>
        log.error({ alarm: 'bot_restricted', botId, detail }, 'the platform restricts a bot'),
    }),
    ...createFollowSells({
      ...shared,
      holdMs: config.holdMs,
      holdPollMs: timing.holdPollMs,
      settleMs: timing.settleMs,
      watchMs: LOST_OFFER_WATCH_MS,
      watchEveryMs: timing.lostOfferWatchEveryMs,
      onCase: reporterFor('follower'),
      onReversal: createReversalMeter(metrics, BOTS),
      expediteBuyHolds: expediteHolds,
    }),
    createReconcileOffers({
      db,
      clock,
      log,
      metrics,
      bots: adapters.bots,
      settleMs: timing.statementSettleMs,
      everyMs: reconcileEveryMs,
      report: reporterFor('statement'),
    }),
  ]
}
