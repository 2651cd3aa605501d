// What Prometheus sees of a healthy service, and of each fault that an alert stands for. A fault is the
// healthy service with some series changed: the alerts that it lists fire, and no other.

import {
  BLOCK_REASONS,
  CHAIN_CASES,
  ethereum,
  hotUsdc,
  outbound,
  withdrawals,
} from './chain-cases.ts'
import { DATABASE_CASES, HEALTHY_DATABASE } from './database-cases.ts'
import { HEALTHY_PROCESSES, PROCESS_CASES } from './process-cases.ts'
import {
  type AlertCase,
  from,
  HOUR,
  justNow,
  MINUTES,
  once,
  rising,
  type Series,
  series,
  statements,
  steady,
} from './series.ts'
import { SUPPLY_CASES } from './supply-cases.ts'

const MARKETS = ['market_a', 'market_b']
const PROVIDERS = ['gateway', 'onramp']
const lastGood = (job_name: string, at?: string) =>
  series('job_last_success_seconds', { job_name }, at)
const every = (job_name: string) => series('job_every_seconds', { job_name })

const lookUps = (by: string, outcome: string) =>
  series('platform_trade_url_look_ups_total', { by, outcome })

export const HEALTHY: Series = {
  ...HEALTHY_PROCESSES,
  ...HEALTHY_DATABASE,

  [series('books_audit_violations', { scope: 'recent' })]: steady(0),
  [series('books_audit_violations', { scope: 'day' })]: steady(0),
  [series('books_audit_last_seconds', { scope: 'recent' })]: justNow,
  [series('books_audit_last_seconds', { scope: 'everything' })]: once(20 * HOUR),

  [series('items_lag_seconds', { status: 'initiated' })]: steady(2),
  [series('items_oldest_age_seconds', { status: 'initiated' })]: steady(30),
  // A delivered item is held for a week.
  [series('items_oldest_age_seconds', { status: 'hold' })]: steady(160 * HOUR),
  [series('sell_items_lag_seconds', { status: 'active' })]: steady(5),
  [series('sell_items_oldest_age_seconds', { status: 'initiated' })]: steady(60),
  [series('sell_items_oldest_age_seconds', { status: 'hold' })]: steady(160 * HOUR),

  [series('placing_gate_closed', { market: 'bots' })]: steady(0),
  [lookUps('bots', 'resolved')]: rising(700, 1),
  [lookUps('bots', 'unavailable')]: steady(3),
  [series('platform_kinds_barred', { kind: 'send' })]: steady(0),
  [series('platform_kinds_barred', { kind: 'inventory' })]: steady(0),
  ...Object.fromEntries(
    MARKETS.flatMap((market) => [
      [series('placing_gate_closed', { market }), steady(0)],
      [series('market_online', { market }), steady(1)],
      [series('market_breaker_open', { market, account: 'main' }), steady(0)],
      [series('market_balance_dollars', { market, account: 'main' }), steady(4000)],
      [series('market_account_waiting_dollars', { market, account: 'main' }), steady(300)],
      [series('market_cover_days', { market, account: 'main' }), steady(2.5)],
      [series('market_feed_age_seconds', { market }), steady(3)],
      [statements('read', market, 'recent'), justNow],
      [statements('read', market, 'whole'), once(5 * HOUR)],
      [statements('whole', market, 'recent'), justNow],
      [statements('whole', market, 'whole'), once(11 * HOUR)],
      // One of a thousand is taken back each minute: usual there.
      [series('reversals_total', { market, by: 'user' }), rising(5000, 1)],
      [series('reversals_total', { market, by: 'supplier' }), steady(40)],
    ]),
  ),
  ...Object.fromEntries(
    PROVIDERS.flatMap((provider) => [
      [series('deposit_orders_due_seconds', { provider }), steady(1)],
      // One answer in ten minutes is lost.
      [series('deposit_provider_failures_total', { provider }), rising(0, 0.1)],
      [series('deposit_provider_breaker_open', { provider }), steady(0)],
      [series('deposit_statement_compared_seconds', { provider }), once(0)],
    ]),
  ),

  [series('reconciliation_case_last_seconds', { what: 'missing' })]: once(HOUR),
  [series('reconciliation_cases_oldest_age_seconds', { kind: 'missing', cleared: 'false' })]:
    rising(HOUR, 60),
  [series('reconciliation_cases_oldest_age_seconds', { kind: 'missing', cleared: 'true' })]: steady(
    100 * HOUR,
  ),

  [series('platform_bot_online', { bot: '1' })]: steady(1),
  // One bot that is away is covered by the others.
  [series('platform_bot_online', { bot: '2' })]: steady(0),
  [series('platform_strange_confirmations', { bot: '1' })]: steady(0),

  [series('catalog_list_good_seconds', { list: 'items' })]: once(20 * HOUR),
  [series('catalog_list_good_seconds', { list: 'prices_market_a' })]: once(HOUR),
  [series('catalog_list_refused', { list: 'items' })]: steady(0),
  [series('catalog_list_refused', { list: 'prices_market_a' })]: steady(0),

  // A rate of Friday, on Monday.
  [series('fx_rate_age_days')]: steady(3),
  [series('fx_exposure_dollars')]: steady(10_000),
  [series('fx_exposure_limit_dollars')]: steady(50_000),

  [series('backlog_age_seconds', { queue: 'outbox' })]: steady(1),
  // The endpoint of one merchant is away.
  [series('backlog_age_seconds', { queue: 'webhooks' })]: rising(HOUR, 60),
  [series('backlog', { queue: 'webhooks' })]: steady(400),
  [series('webhook_deliveries_parked')]: steady(0),

  [lastGood('place-orders-market_a')]: justNow,
  [every('place-orders-market_a')]: steady(0.1),
  // The process on standby did this last when it had the lease.
  [lastGood('scan-ethereum', 'w2')]: once(10 * HOUR),
  [lastGood('scan-ethereum')]: justNow,
  [every('scan-ethereum')]: steady(1),
  [lastGood('refresh-fx')]: once(HOUR / 2),
  [every('refresh-fx')]: steady(HOUR),
  // It has followed its feed since the start.
  [lastGood('ingest-market_a')]: once(100 * HOUR),
  [every('ingest-market_a')]: steady(1),

  [series('worker_last_beat_seconds', {}, 'a1')]: justNow,
  // It was cut off from the database and has just come back.
  [series('worker_last_beat_seconds', {}, 'a2')]: once(HOUR),
  [series('db_connections', { pool: 'main', state: 'busy' })]: steady(20),
  [series('db_connections', { pool: 'main', state: 'wanted' })]: steady(0),
  [series('rate_limit_store_usable', {}, 'a1')]: steady(1),

  [withdrawals('broadcast', '')]: steady(4),
  [series('payout_oldest_seconds', { status: 'broadcast', held: '' })]: steady(240),
  [outbound('broadcast')]: steady(4),
  [series('outbound_alarms_total', { alarm: 'outbound_signer_unavailable' })]: steady(7),
  [series('outbound_wallet_halted', { ...ethereum, key: 'hot' })]: steady(0),
  [series('outbound_wallet_tokens', hotUsdc)]: steady(5000),
  [series('outbound_wallet_day_tokens', hotUsdc)]: steady(2000),

  [series('chain_halted', ethereum)]: steady(0),
  [series('chain_lag_blocks', ethereum)]: steady(1),
  [series('chain_scanned_block', ethereum)]: rising(20_000_000, 5),
  [series('chain_incident_last_seconds', { ...ethereum, what: 'credited_orphaned' })]: once(HOUR),
  [series('chain_reconciled_seconds', ethereum)]: once(0),
  ...Object.fromEntries(
    BLOCK_REASONS.map((why) => [
      series('chain_transfers_hindered', { ...ethereum, why }),
      steady(0),
    ]),
  ),
}

/** In the order of the rules. */
export const CASES: readonly AlertCase[] = [
  ...PROCESS_CASES,
  ...DATABASE_CASES,
  ...SUPPLY_CASES,
  {
    name: 'the last audit found a violation',
    series: { [series('books_audit_violations', { scope: 'day' })]: steady(1) },
    fires: { BooksBroken: [{}] },
  },
  {
    name: 'no audit has ended for twenty minutes',
    series: { [series('books_audit_last_seconds', { scope: 'recent' })]: once(600) },
    fires: { BooksNotAudited: [{}] },
  },
  {
    name: 'an item is overdue',
    series: { [series('items_lag_seconds', { status: 'active' })]: steady(400) },
    fires: { ItemStuck: [{ status: 'active' }] },
  },
  {
    name: 'an item was overdue for four minutes',
    series: { [series('items_lag_seconds', { status: 'active' })]: `0x7 400x4 0x${MINUTES}` },
    fires: {},
  },
  {
    name: 'an item has not been placed for eleven minutes',
    series: { [series('items_oldest_age_seconds', { status: 'initiated' })]: steady(660) },
    fires: { NotPlaced: [{}] },
  },
  {
    name: 'sells are held back after a restore, as purchases would be',
    series: { [series('placing_gate_closed', { market: 'bots' })]: steady(1) },
    fires: { PlacingHeldBack: [{ market: 'bots' }] },
  },
  {
    name: 'an item of a sell is overdue',
    series: { [series('sell_items_lag_seconds', { status: 'active' })]: steady(700) },
    fires: { SellStuck: [{ status: 'active' }] },
  },
  {
    name: 'no bot has taken a sell for eleven minutes',
    series: { [series('sell_items_oldest_age_seconds', { status: 'initiated' })]: steady(660) },
    fires: { NoBotTakes: [{}] },
  },
  {
    name: 'orders of a payment provider are not looked at',
    series: { [series('deposit_orders_due_seconds', { provider: 'gateway' })]: steady(400) },
    fires: { PaymentProviderAway: [{ provider: 'gateway' }] },
  },
  {
    name: 'reads of a payment provider fail, three a minute',
    series: { [series('deposit_provider_failures_total', { provider: 'onramp' })]: rising(0, 3) },
    at: 20,
    fires: { PaymentProviderFails: [{ provider: 'onramp' }] },
  },
  {
    name: 'a process leaves a payment provider alone',
    series: { [series('deposit_provider_breaker_open', { provider: 'gateway' }, 'a1')]: steady(1) },
    fires: { PaymentProviderLeftAlone: [{ provider: 'gateway' }] },
  },
  {
    name: 'a statement of a payment provider was not compared for more than three hours',
    series: {
      [series('deposit_statement_compared_seconds', { provider: 'onramp' })]: once(3 * HOUR),
    },
    fires: { PaymentStatementNotCompared: [{ provider: 'onramp' }] },
  },
  {
    name: 'a case was opened seven minutes ago',
    series: {
      [series('reconciliation_case_last_seconds', { what: 'missing' })]: from(5, 0, 300),
    },
    fires: { ReconciliationCase: [{ what: 'missing' }] },
  },
  {
    name: 'the first case of a process was opened right after its start',
    series: {
      [series('reconciliation_case_last_seconds', {
        what: 'price_differs',
      })]: `_x8 540x${MINUTES}`,
    },
    fires: { ReconciliationCase: [{ what: 'price_differs' }] },
  },
  {
    name: 'a case has been open for more than a day',
    series: {
      [series('reconciliation_cases_oldest_age_seconds', { kind: 'missing', cleared: 'false' })]:
        rising(24 * HOUR, 60),
    },
    fires: { ReconciliationCaseOld: [{ kind: 'missing' }] },
  },
  {
    name: 'a market takes back a hundred deliveries in a few minutes',
    series: {
      [series('reversals_total', { market: 'market_a', by: 'user' })]: steady(0),
      [series('reversals_total', { market: 'market_a', by: 'supplier' })]: from(70, 40, 140),
    },
    at: 78,
    fires: { ReversalsUnusual: [{ market: 'market_a' }] },
  },
  {
    name: 'a delivery waits for an operator to decide',
    series: {
      [series('reconciliation_cases_open', { kind: 'reversal_unclear', cleared: 'false' })]:
        steady(2),
    },
    at: 1,
    fires: { ReversalUnclear: [{ kind: 'reversal_unclear' }] },
  },
  {
    name: 'a delivery has waited for it for three days',
    series: {
      [series('reconciliation_cases_oldest_age_seconds', {
        kind: 'reversal_unclear',
        cleared: 'false',
      })]: rising(72 * HOUR, 60),
    },
    fires: {
      ReconciliationCaseOld: [{ kind: 'reversal_unclear' }],
      ReversalUnclearForDays: [{ kind: 'reversal_unclear' }],
    },
  },
  {
    name: 'the statement of a market was not read for more than an hour',
    series: {
      [statements('read', 'market_b', 'recent')]: once(HOUR),
      [statements('whole', 'market_b', 'recent')]: once(HOUR),
    },
    fires: {
      StatementsNotRead: [{ market: 'market_b', account: 'main' }],
      StatementNotWhole: [{ market: 'market_b', account: 'main', scope: 'recent' }],
    },
  },
  {
    name: 'a market does not answer',
    series: { [series('market_online', { market: 'market_b' })]: from(5, 1, 0) },
    fires: { MarketDown: [{ market: 'market_b' }] },
  },
  {
    name: 'a process leaves a market alone',
    series: {
      [series('market_breaker_open', { market: 'market_a', account: 'main' }, 'w2')]: steady(1),
    },
    fires: { MarketLeftAlone: [{ market: 'market_a', account: 'main' }] },
  },
  {
    name: 'every bot is away',
    series: { [series('platform_bot_online', { bot: '1' })]: steady(0) },
    fires: { NoBot: [{}] },
  },
  {
    name: 'there are no bots',
    series: {
      [series('platform_bot_online', { bot: '1' })]: null,
      [series('platform_bot_online', { bot: '2' })]: null,
      [series('platform_strange_confirmations', { bot: '1' })]: null,
    },
    fires: {},
  },
  {
    name: 'the platform refuses one kind of call',
    series: { [series('platform_kinds_barred', { kind: 'send' }, 'w2')]: from(5, 0, 1) },
    at: 16,
    fires: { PlatformBarred: [{ kind: 'send' }] },
  },
  {
    name: 'the platform refused one kind of call for some minutes',
    series: { [series('platform_kinds_barred', { kind: 'send' })]: '0x20 1x8 0x61' },
    at: 29,
    fires: {},
  },
  {
    name: 'no trade URL is answered well',
    series: {
      [lookUps('bots', 'resolved')]: steady(700),
      [lookUps('bots', 'unavailable')]: rising(3, 1),
    },
    fires: { TradeUrlsUnresolved: [{}] },
  },
  {
    name: 'some trade URLs are answered well',
    series: { [lookUps('bots', 'unavailable')]: rising(3, 10) },
    fires: {},
  },
  {
    name: 'no trade URL is looked up',
    series: { [lookUps('bots', 'resolved')]: steady(700) },
    fires: {},
  },
  {
    name: 'a confirmation waits that is none of ours',
    series: { [series('platform_strange_confirmations', { bot: '1' })]: from(11, 0, 1) },
    fires: { StrangeConfirmation: [{ bot: '1' }] },
  },
  {
    name: 'a feed has brought nothing for six minutes',
    series: { [series('market_feed_age_seconds', { market: 'market_a' })]: steady(360) },
    fires: { FeedTooOld: [{ market: 'market_a' }] },
  },
  {
    name: 'the exchange rate is five days old',
    series: { [series('fx_rate_age_days')]: steady(5) },
    at: 75,
    fires: { ExchangeRateOld: [{}] },
  },
  {
    name: 'the exposure in euros comes near its limit',
    series: { [series('fx_exposure_dollars')]: steady(41_000) },
    fires: { ExchangeExposureHigh: [{}] },
  },
  {
    name: 'events are not dispatched',
    series: { [series('backlog_age_seconds', { queue: 'outbox' })]: steady(90) },
    fires: { WebhookBacklog: [{ queue: 'outbox' }] },
  },
  {
    name: 'many webhooks wait',
    series: { [series('backlog', { queue: 'webhooks' })]: steady(10_001) },
    fires: { WebhooksNotSent: [{}] },
  },
  {
    name: 'an event could not be rendered',
    series: { [series('webhook_deliveries_parked')]: steady(1) },
    fires: { WebhooksParked: [{}] },
  },
  {
    name: 'a job has not succeeded for twenty-five minutes',
    series: { [lastGood('place-orders-market_a')]: once(780) },
    fires: { JobSilent: [{ job_name: 'place-orders-market_a' }] },
  },
  {
    name: 'a job that runs once an hour has not succeeded for four hours',
    series: { [lastGood('refresh-fx')]: once(4 * HOUR) },
    fires: { JobSilent: [{ job_name: 'refresh-fx' }] },
  },
  {
    name: 'a job is silent in every process',
    series: {
      [lastGood('scan-ethereum')]: once(HOUR),
      [lastGood('scan-ethereum', 'w2')]: once(1000),
    },
    fires: { JobSilent: [{ job_name: 'scan-ethereum' }] },
  },
  {
    name: 'no worker has beaten for two minutes',
    series: { [series('worker_last_beat_seconds', {}, 'a1')]: once(120) },
    fires: { WorkersSilent: [{}] },
  },
  {
    name: 'requests wait for a connection to the database',
    series: { [series('db_connections', { pool: 'main', state: 'wanted' })]: steady(3) },
    fires: { DatabaseWanted: [{ pool: 'main' }] },
  },
  {
    name: 'one process counts rate limits alone',
    series: { [series('rate_limit_store_usable', {}, 'a2')]: steady(0) },
    fires: { RateLimitsAlone: [{}] },
  },
  ...CHAIN_CASES,
]
