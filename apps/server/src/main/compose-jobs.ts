// Where the parts that work by the clock and by queues meet. Nothing here knows HTTP.
import { createCatalog } from '#catalog'
import type { GamePlatform } from '#identity'
import { openRecoveryMark } from '#infra/database/recovery-mark'
import type { SecretBox } from '#infra/process/secrets'
import { assertDefined } from '#kernel/assert'
import { OPEN_BUSINESS, openMerchantAccount } from '#operations'
import { BOTS, createCallLog, createPlacingGate, createReporters, PAYMENTS } from '#reconciliation'
import { readRequestIds } from '#trades'
import { dialects } from '#wire/webhook'
import { createRenderDeliveries } from '../adapters/bridges/render-events.ts'
import { createAnswerAnonymousRequests } from '../edges/jobs/answer-anonymous-requests.ts'
import { createAuditBooks } from '../edges/jobs/audit-books.ts'
import { createCloseCustody } from '../edges/jobs/close-custody.ts'
import { createConfirmHistory } from '../edges/jobs/confirm-history.ts'
import { createDeliverWebhooks } from '../edges/jobs/deliver-webhooks.ts'
import { createFetchPicturesJob } from '../edges/jobs/fetch-pictures.ts'
import { createJudgeStatus } from '../edges/jobs/judge-status.ts'
import { createKeepCases } from '../edges/jobs/keep-cases.ts'
import { createKeepFigures } from '../edges/jobs/keep-figures.ts'
import { createKeepHistory } from '../edges/jobs/keep-history.ts'
import { createKeepOverviews } from '../edges/jobs/keep-overviews.ts'
import { createKeepPartitions } from '../edges/jobs/keep-partitions.ts'
import { createLookUpTradeUrls } from '../edges/jobs/look-up-trade-urls.ts'
import { createNoteParties } from '../edges/jobs/note-parties.ts'
import { createPurgeLogins } from '../edges/jobs/purge-logins.ts'
import { createPurgeSpends } from '../edges/jobs/purge-spends.ts'
import { createRecountStock } from '../edges/jobs/recount-stock.ts'
import { createRefreshCatalog } from '../edges/jobs/refresh-catalog.ts'
import { createRefreshFx } from '../edges/jobs/refresh-fx.ts'
import { createRefreshPrices } from '../edges/jobs/refresh-prices.ts'
import { createRemoveFactors } from '../edges/jobs/remove-factors.ts'
import { createForgetMail, createGiveUpMail, createSendMail } from '../edges/jobs/send-mail.ts'
import { createWatchBackups } from '../edges/jobs/watch-backups.ts'
import { createWatchBalances } from '../edges/jobs/watch-balances.ts'
import { createWatchBots } from '../edges/jobs/watch-bots.ts'
import { createWatchCatalog } from '../edges/jobs/watch-catalog.ts'
import { createWatchDatabase } from '../edges/jobs/watch-database.ts'
import { createWatchExposure } from '../edges/jobs/watch-exposure.ts'
import { createWatchQueues } from '../edges/jobs/watch-queues.ts'
import { webhookMeters } from '../edges/jobs/webhook-meters.ts'
import { recoveryMarkFile } from './data-folder.ts'
import type { ComposedJobs, MarketAccounts } from './market-accounts.ts'
import { createChainJobs, SWEEP_LISTENERS } from './parts/chain-jobs.ts'
import { conversionTerms } from './parts/conversion-terms.ts'
import { createDepositJobs } from './parts/deposit-jobs.ts'
import { allGates, keepingDeps, type Noting } from './parts/gates.ts'
import { createLookUpMeter } from './parts/look-up-meter.ts'
import { createAccountJobs, createFeedJobs, createMarketJobs } from './parts/market-jobs.ts'
import { createMarketOrderJobs } from './parts/market-order-jobs.ts'
import { createPayoutJobs } from './parts/payout-jobs.ts'
import { openSigner } from './parts/payouts.ts'
import { publicUrlOf } from './parts/public-url.ts'
import { createSellingJobs } from './parts/selling-jobs.ts'
import type { Resources } from './resources.ts'

/** All work that is driven by the clock and by queues. */
export function createJobs(
  resources: Noting & { readonly secrets: SecretBox; readonly accounts: MarketAccounts },
): ComposedJobs {
  const { db, clock, log, metrics, adapters, secrets, accounts } = resources
  const catalog = createCatalog({ db, clock })
  const signer = openSigner(resources.config)
  const reporterFor = createReporters(resources)
  const calls = createCallLog({
    db,
    onLost: (error, count) => log.warn({ err: error, count }, 'calls to suppliers are not logged'),
  })
  const mark = openRecoveryMark({ db, clock, file: recoveryMarkFile(resources.config.dataDir) })
  const gates = allGates(resources)
  const mayPlace = createPlacingGate({ ...keepingDeps(resources, gates), mark })
  const { catalogPrices } = resources.config
  const countLookUp = createLookUpMeter(metrics)
  const marketParts = { catalog, calls, reporterFor, mayPlace, accounts }
  const jobs = [
    createRefreshCatalog({ catalog, source: adapters.items, log, pricesApart: catalogPrices }),
    createRefreshPrices({
      ...{ catalog, clock, log },
      lists: catalogPrices ? adapters.markets.flatMap(({ prices = [] }) => prices) : [],
    }),
    createWatchCatalog({ catalog, metrics, pricesApart: catalogPrices }),
    createFetchPicturesJob({
      ...{ db, clock, log, source: adapters.pictures },
      maxBytes: resources.config.pictureBytes,
      // The sandbox's pictures are our own.
      ...(resources.config.environment.kind === 'sandbox' && { everyMs: 200 }),
    }),
    createRefreshFx({ db, clock, source: adapters.rates, log, metrics }),
    createWatchBackups({ db, metrics }),
    createWatchExposure({ db, metrics, limit: conversionTerms(resources.config).exposureLimit }),
    createWatchBots({
      watchBots: adapters.watchBots,
      everyMs: resources.config.timing.botWatchEveryMs,
    }),
    ...createLookUpTradeUrls({
      ...{ db, clock, log, bots: adapters.platform, hasBots: adapters.hasBots },
      onAnswer: ({ by, answer: { kind } }) => countLookUp(by, kind),
      market: findTradeLinks(accounts, adapters.markets),
    }),
    ...adapters.markets.flatMap((each) => createMarketJobs(resources, marketParts, each)),
    ...createMarketOrderJobs(resources, { catalog, mark }),
    createConfirmHistory({
      ...{ db, mark, mayPlace, intents: resources.intents },
      gates: gates.map(({ id }) => id),
    }),
    ...createSellingJobs(resources, { reporterFor, mayPlace: () => mayPlace(BOTS) }),
    ...createDepositJobs(resources, reporterFor),
    createRecountStock({ catalog }),
    createKeepHistory({ catalog }),
    ...createDeliverWebhooks({
      db,
      clock,
      sender: adapters.webhookSender,
      secrets,
      dialects,
      render: createRenderDeliveries({ db, log, metrics }),
      chance: Math.random,
      ...(resources.config.traces && {
        readRequestIds: (tradeIds: readonly string[]) => readRequestIds(db, tradeIds),
      }),
      ...webhookMeters(metrics, log),
    }),
    adapters.mailer === null
      ? createGiveUpMail({ db, clock })
      : createSendMail({
          ...{ db, clock, log, metrics, secrets, mailer: adapters.mailer },
          domain: mailDomain(resources.config.mailFrom),
        }),
    createForgetMail({ db, clock }),
    createAnswerAnonymousRequests({ db, clock, log, secrets, openAccount: openMerchantAccount }),
    createWatchBalances({ db, clock }),
    createPurgeLogins({ db, clock }),
    createPurgeSpends({ db, clock }),
    createRemoveFactors({
      ...{ db, clock, secrets, sendsMail: adapters.mailer !== null },
      publicUrl: () => publicUrlOf(resources.config),
    }),
    createKeepFigures({ db, clock }),
    createKeepOverviews({ db, clock }),
    createCloseCustody({ db }),
    ...createPayoutJobs(resources, {
      ...{ signer, others: SWEEP_LISTENERS },
      mayPay: () => mayPlace(PAYMENTS),
    }),
    ...createChainJobs(resources, { signer, reporterFor }),
    createAuditBooks({ db, clock, log, metrics, openBusiness: OPEN_BUSINESS }),
    createWatchQueues({ db, clock, metrics }),
    createNoteParties({ db, clock, outcomes: adapters.outcomes }),
    ...createJudgeStatus({
      ...{ db, clock, log, metrics, listMarkets: catalog.listMarkets },
      silenceMs: resources.config.workerSilenceMs,
      parts: {
        chains: adapters.chains.map(({ node }) => node.chain),
        hasGateway: adapters.gateway !== null,
        hasOnramp: adapters.onramp !== null,
        hasAddresses: adapters.addresses !== null,
        paysOut: signer !== null,
      },
    }),
    createWatchDatabase({ db, metrics }),
    ...createKeepCases({ db, clock, metrics, calls }),
    ...createKeepPartitions({ db, clock, metrics, kept: resources.config.kept }),
  ]
  const jobsOf: ComposedJobs['jobsOf'] = (account) =>
    createAccountJobs(resources, marketParts, account)
  const feedJobsOf: ComposedJobs['feedJobsOf'] = (feeder) =>
    createFeedJobs(resources, marketParts, feeder)
  const ofMarkets = adapters.markets.flatMap((main) => [...jobsOf(main), ...feedJobsOf(main)])
  const names = [...jobs, ...ofMarkets].map(({ name }) => name)
  return { jobs, names, jobsOf, feedJobsOf }
}

/** Of the market that says whose a trade link is, asked with the account that feeds it then. */
function findTradeLinks(
  accounts: MarketAccounts,
  markets: Resources['adapters']['markets'],
): GamePlatform | null {
  const found = markets.find(({ tradeLinks }) => tradeLinks !== undefined)
  if (found === undefined) return null
  const current = () =>
    assertDefined(accounts.feeder(found.market.id).tradeLinks, 'a market that knows trade links')
  return { resolveTradeUrl: (...asked) => current().resolveTradeUrl(...asked) }
}

/** Right of the @ of the sender, for Message-IDs. */
const mailDomain = (from: string): string => /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost'
