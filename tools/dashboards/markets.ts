// What is bought from: two markets and the game platform, and the catalogue that their lists make.
import { type Dashboard, graph, lastHour, most, orNone, quantile, rate, since } from './model.ts'

export const MARKETS: Dashboard = {
  name: 'markets',
  title: 'Markets',
  about:
    'Suppliers: whether they answer, what they sell, our money there, our bots, the catalogue.',
  rows: [
    {
      title: 'Markets',
      panels: [
        graph('Online', {
          unit: 'flag',
          about: 'Whether a market answers. While it does not, nothing of it is for sale.',
          shows: { '{{market}}': most('market_online', 'market') },
          badAt: 1,
          isBadBelow: true,
          alerts: ['MarketDown'],
        }),
        graph('Circuit breakers', {
          unit: 'flag',
          about: 'Whether any process leaves a market alone after faults in a row.',
          shows: { '{{market}}': most('market_breaker_open', 'market') },
          badAt: 1,
          alerts: ['MarketLeftAlone'],
        }),
        graph('Breakers that opened', {
          unit: 'count',
          about: 'In an hour, over all processes.',
          shows: { '{{market}}': lastHour('market_breaker_opened_total', 'market') },
        }),
        graph('Calls', {
          unit: 'requestsPerSecond',
          about:
            'Calls to markets, the game platform and all other outside parties, by what came of them.',
          shows: {
            '{{provider}} {{outcome}}': rate('provider_call_seconds_count', 'provider, outcome'),
          },
        }),
        graph('Calls that fail', {
          unit: 'requestsPerSecond',
          about: 'By operation and outcome: the ten most frequent that were not answered well.',
          shows: {
            '{{provider}} {{operation}} {{outcome}}': orNone(
              'provider',
              `topk(10, ${rate('provider_call_seconds_count', 'provider, operation, outcome', 'outcome!~"2.."')})`,
            ),
          },
        }),
        graph('Slowest calls', {
          unit: 'seconds',
          about: '99% of the calls of an operation take less: the ten slowest.',
          shows: {
            '{{provider}} {{operation}}': `topk(10, ${quantile(0.99, 'provider_call_seconds', 'provider, operation')})`,
          },
        }),
      ],
    },
    {
      title: 'Orders',
      panels: [
        graph('Waiting at a market', {
          unit: 'count',
          about: 'Items that wait to be placed or looked up.',
          shows: { '{{market}} {{queue}}': most('market_queue_depth', 'market, queue') },
        }),
        graph('Status shown to merchants', {
          unit: 'count',
          about: '-1 disabled, 0 operational, 1 degraded, 2 paused, 3 down.',
          shows: { '{{component}} {{name}}': most('service_status', 'component, name') },
        }),
        graph('Expected wait', {
          unit: 'seconds',
          about:
            'Until the order of an item that is bought now is placed. Beyond ten minutes buys are refused.',
          shows: { '{{market}}': most('market_expected_wait_seconds', 'market') },
          warnAt: 480,
          badAt: 720,
          alerts: ['QueueLong'],
        }),
        graph('Orders placed', {
          unit: 'perSecond',
          about: 'By each account of ours, over ten minutes.',
          shows: {
            '{{market}} {{account}}': `${most('market_placed_per_minute', 'market, account')} / 60`,
          },
        }),
        graph('Refused for the queue', {
          unit: 'count',
          about: 'Buys of an hour that would have waited too long.',
          shows: {
            '{{market}}': orNone('market', lastHour('market_refused_at_door_total', 'market')),
          },
          alerts: ['QueueLong'],
        }),
        graph('Fills of market orders', {
          unit: 'count',
          about: 'Buys of an hour that were made for market orders.',
          shows: {
            '{{market}}': orNone('market', lastHour('market_order_fills_total', 'market')),
          },
        }),
        graph('Put back', {
          unit: 'count',
          about:
            'Items of an hour that were claimed for placing and wait again, because their purchase was not sent.',
          shows: {
            '{{market}} {{reason}}': orNone(
              'market',
              lastHour('placements_put_back_total', 'market, reason'),
            ),
          },
        }),
        graph('Gates', {
          unit: 'flag',
          about: 'What is held back after a restore or a failover until it was compared.',
          shows: { '{{market}}': most('placing_gate_closed', 'market') },
          badAt: 1,
          alerts: ['PlacingHeldBack'],
        }),
        graph('Gates that closed', {
          unit: 'count',
          about: 'In an hour.',
          shows: { '{{market}}': lastHour('placing_gate_closings_total', 'market') },
        }),
        graph('Taken back in the hold', {
          unit: 'count',
          about: 'Deliveries of an hour that were taken back, and by whom.',
          shows: {
            '{{market}} {{by}}': orNone('market', lastHour('reversals_total', 'market, by')),
          },
          alerts: ['ReversalsUnusual', 'ReversalUnclear'],
        }),
      ],
    },
    {
      title: 'Listings',
      panels: [
        graph('Age of a feed', {
          unit: 'seconds',
          about: 'Since the last event of a market’s feed. What is shown for sale is as old.',
          shows: { '{{market}}': most('market_feed_age_seconds', 'market') },
          warnAt: 60,
          badAt: 300,
          alerts: ['FeedTooOld'],
        }),
        graph('Changes of listings', {
          unit: 'perSecond',
          about: 'What feeds reported, and what of it was written.',
          shows: {
            '{{market}} reported {{kind}}': rate('market_feed_changes_total', 'market, kind'),
            '{{market}} written {{change}}': rate('market_listing_changes_total', 'market, change'),
          },
        }),
        graph('Interrupted feeds', {
          unit: 'count',
          about: 'In an hour: connections that ended, and times that changes may have been lost.',
          shows: {
            '{{market}} connections': lastHour('market_socket_lost_total', 'market'),
            '{{market}} gaps': lastHour('market_feed_gaps_total', 'market'),
          },
        }),
        graph('Not for sale', {
          unit: 'count',
          about:
            'Of an hour: listings that were rejected, by reason, and rows that could not be read.',
          shows: {
            '{{market}} {{reason}}': lastHour('market_listings_dropped_total', 'market, reason'),
            '{{market}} unreadable': lastHour('market_feed_rows_dropped_total', 'market'),
          },
        }),
        graph('Age of the lists', {
          unit: 'seconds',
          about: 'Since a list of items or prices was last good.',
          shows: { '{{list}}': since('catalog_list_good_seconds', 'list') },
          alerts: ['CatalogueStale'],
        }),
        graph('Lists that are refused', {
          unit: 'flag',
          about: 'Whether the newest list was not believed: the catalogue stays as it was.',
          shows: { '{{list}}': most('catalog_list_refused', 'list') },
          warnAt: 1,
          alerts: ['CatalogueRefused'],
        }),
        graph('Items without details', {
          unit: 'count',
          about: 'Items of which only a market’s name is known.',
          shows: { items: most('catalog_stub_items') },
        }),
      ],
    },
    {
      title: 'Our accounts at markets',
      panels: [
        graph('Balance', {
          unit: 'dollars',
          about: 'What can be spent, and what is still being settled.',
          shows: {
            '{{market}}': most('market_balance_dollars', 'market'),
            '{{market}} settling': most('market_settling_dollars', 'market'),
          },
          alerts: ['SupplierCover'],
        }),
        graph('Waiting for money', {
          unit: 'dollars',
          about: 'What the items that wait for an account may cost together.',
          shows: {
            '{{market}} {{account}}': most('market_account_waiting_dollars', 'market, account'),
          },
          alerts: ['SupplierClosed'],
        }),
        graph('Days that the balance lasts', {
          unit: 'days',
          about: 'At the pace of the orders of seven days; no data: there were none.',
          shows: { '{{market}} {{account}}': most('market_cover_days', 'market, account') },
          warnAt: 4,
          badAt: 2,
          isBadBelow: true,
          alerts: ['SupplierCover'],
        }),
        graph('Spent in seven days', {
          unit: 'dollars',
          about: 'What the orders have cost that were not given back.',
          shows: { '{{market}} {{account}}': most('market_spend_dollars_7d', 'market, account') },
        }),
        graph('Closed accounts', {
          unit: 'flag',
          about: 'Whether nothing may be bought with an account, and because of what.',
          shows: {
            '{{market}} {{account}} {{because}}': orNone(
              'market',
              most('market_account_closed', 'market, account, because'),
            ),
          },
          badAt: 1,
          alerts: ['SupplierClosed'],
        }),
      ],
    },
    {
      title: 'Game platform',
      panels: [
        graph('Bots', {
          unit: 'flag',
          about: 'Whether a bot can be used.',
          shows: { 'bot {{bot}}': most('platform_bot_online', 'bot') },
          badAt: 1,
          isBadBelow: true,
          alerts: ['NoBot'],
        }),
        graph('Foreign confirmations', {
          unit: 'count',
          about:
            'Confirmations at a bot that belong to no offer of ours: another party may act as the bot.',
          shows: { 'bot {{bot}}': most('platform_strange_confirmations', 'bot') },
          badAt: 1,
          alerts: ['StrangeConfirmation'],
        }),
        graph('Kinds of calls that are refused', {
          unit: 'flag',
          about: 'Whether the platform refuses a kind of call to our address.',
          shows: { '{{kind}}': most('platform_kinds_barred', 'kind') },
          badAt: 1,
          alerts: ['PlatformBarred'],
        }),
        graph('Refused calls', {
          unit: 'requestsPerSecond',
          about: 'Calls that the platform answered with 429.',
          shows: { '{{kind}}': orNone('kind', rate('platform_refused_total', 'kind')) },
          alerts: ['PlatformBarred'],
        }),
        graph('Look-ups of trade URLs', {
          unit: 'requestsPerSecond',
          about: 'By who answered, and what came of them.',
          shows: {
            '{{by}} {{outcome}}': orNone(
              'by',
              rate('platform_trade_url_look_ups_total', 'by, outcome'),
            ),
          },
          alerts: ['TradeUrlsUnresolved'],
        }),
      ],
    },
  ],
}
