// The books, what comes in, what goes out, and what contradicts them.
import { type Dashboard, graph, lastHour, most, orNone, quantile, since } from './model.ts'

export const MONEY: Dashboard = {
  name: 'money',
  title: 'Money',
  about: 'Audits, reconciliation, deposits, payouts and exchange rates.',
  rows: [
    {
      title: 'Books',
      panels: [
        graph('Violations', {
          unit: 'count',
          about: 'What the last audit of a scope found. One is an incident: money may be wrong.',
          shows: { '{{scope}}': most('books_audit_violations', 'scope') },
          badAt: 1,
          alerts: ['BooksBroken'],
        }),
        graph('Age of the last audit', {
          unit: 'seconds',
          about: 'The recent postings are audited every few minutes, everything once a day.',
          shows: { '{{scope}}': since('books_audit_last_seconds', 'scope') },
          alerts: ['BooksNotAudited'],
        }),
        graph('Time of an audit', {
          unit: 'seconds',
          about: 'Mean of an hour. It grows with what is audited.',
          shows: {
            '{{scope}}':
              'sum by (scope) (increase(tradepost_books_audit_seconds_sum[1h])) / sum by (scope) (increase(tradepost_books_audit_seconds_count[1h]))',
          },
        }),
      ],
    },
    {
      title: 'Reconciliation',
      panels: [
        graph('Open cases', {
          unit: 'count',
          about:
            'Contradictions between us and a supplier that an operator must look at; cleared: they explain themselves.',
          shows: {
            '{{kind}} cleared: {{cleared}}': orNone(
              'kind',
              most('reconciliation_cases_open', 'kind, cleared'),
            ),
          },
          warnAt: 1,
          alerts: ['ReconciliationCase', 'ReversalUnclear'],
        }),
        graph('Oldest open case', {
          unit: 'seconds',
          about: 'By kind.',
          shows: {
            '{{kind}}': orNone(
              'kind',
              most('reconciliation_cases_oldest_age_seconds', 'kind', 'cleared="false"'),
            ),
          },
          badAt: 86_400,
          alerts: ['ReconciliationCaseOld', 'ReversalUnclearForDays'],
        }),
        graph('Cases opened', {
          unit: 'count',
          about: 'In an hour.',
          shows: { '{{what}}': orNone('what', lastHour('reconciliation_cases_total', 'what')) },
          alerts: ['ReconciliationCase'],
        }),
        graph('Age of the statements', {
          unit: 'seconds',
          about:
            'Since a market’s statement was last read and compared, and since one lacked nothing.',
          shows: {
            '{{market}} {{scope}} read': since('reconciliation_read_seconds', 'market, scope'),
            '{{market}} {{scope}} whole': since('reconciliation_whole_seconds', 'market, scope'),
          },
          alerts: ['StatementsNotRead', 'StatementNotWhole'],
        }),
        graph('Baselines', {
          unit: 'count',
          about: 'What became of reading the baseline of our account, in an hour.',
          shows: {
            '{{market}} {{scope}} {{outcome}}': orNone(
              'market',
              lastHour('reconciliation_baselines_total', 'market, scope, outcome'),
            ),
          },
        }),
        graph('Age of the offers of bots', {
          unit: 'seconds',
          about: 'Since a bot’s list of offers was last read and compared.',
          shows: { 'bot {{bot}}': since('reconciliation_offers_read_seconds', 'bot') },
        }),
      ],
    },
    {
      title: 'Deposits at providers',
      panels: [
        graph('Overdue deposits', {
          unit: 'seconds',
          about: 'How late the oldest look at an order of a payment provider is.',
          shows: { '{{provider}}': most('deposit_orders_due_seconds', 'provider') },
          badAt: 300,
          alerts: ['PaymentProviderAway'],
        }),
        graph('Calls that brought nothing', {
          unit: 'count',
          about: 'Reads of a provider that failed, in ten minutes.',
          shows: {
            '{{provider}}': orNone(
              'provider',
              `sum by (provider) (increase(tradepost_deposit_provider_failures_total[10m]))`,
            ),
          },
          badAt: 20,
          alerts: ['PaymentProviderFails'],
        }),
        graph('Circuit breakers', {
          unit: 'flag',
          about: 'Whether any process leaves a provider alone.',
          shows: { '{{provider}}': most('deposit_provider_breaker_open', 'provider') },
          warnAt: 1,
          alerts: ['PaymentProviderLeftAlone'],
        }),
        graph('From payment to credit', {
          unit: 'seconds',
          about: '90% of the payments that a provider had settled were credited within this time.',
          shows: { '{{provider}}': quantile(0.9, 'deposit_credit_delay_seconds', 'provider') },
        }),
        graph('Age of the statements of providers', {
          unit: 'seconds',
          about: 'Since a provider’s statement was last compared with the books.',
          shows: { '{{provider}}': since('deposit_statement_compared_seconds', 'provider') },
          badAt: 10_800,
          alerts: ['PaymentStatementNotCompared'],
        }),
      ],
    },
    {
      title: 'Withdrawals',
      panels: [
        graph('Withdrawals under way', {
          unit: 'count',
          about: 'By state, and by what holds them; held: an operator decides.',
          shows: {
            '{{status}} {{held}}': orNone('status', most('payout_withdrawals', 'status, held')),
          },
          alerts: ['WithdrawalWaitsForOperator'],
        }),
        graph('Oldest withdrawal', {
          unit: 'seconds',
          about: 'Under way, by state and by what holds it.',
          shows: {
            '{{status}} {{held}}': orNone('status', most('payout_oldest_seconds', 'status, held')),
          },
          badAt: 3600,
          alerts: ['PayoutStuck'],
        }),
        graph('Approvals', {
          unit: 'seconds',
          about:
            '90% of the merchants’ approval callbacks were answered within this time, by outcome.',
          shows: { '{{outcome}}': quantile(0.9, 'payout_approval_seconds', 'outcome') },
        }),
      ],
    },
    {
      title: 'Euros',
      panels: [
        graph('Age of the exchange rate', {
          unit: 'days',
          about: 'Days since the day of the rate that holds. No rate is made at weekends.',
          shows: { age: most('fx_rate_age_days') },
          badAt: 4,
          alerts: ['ExchangeRateOld'],
        }),
        graph('Exposure', {
          unit: 'dollars',
          about:
            'What the service holds or owes in euros by conversions, and beyond which conversions are refused.',
          shows: {
            exposure: most('fx_exposure_dollars'),
            limit: most('fx_exposure_limit_dollars'),
          },
          alerts: ['ExchangeExposureHigh'],
        }),
        graph('Rejected rates', {
          unit: 'count',
          about: 'Fetched rates of a day that were rejected.',
          shows: { rejected: 'sum(increase(tradepost_fx_rate_rejections_total[24h]))' },
          alerts: ['ExchangeRateOld'],
        }),
      ],
    },
  ],
}
