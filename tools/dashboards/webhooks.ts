// From an event to the endpoint of a merchant.
import { type Dashboard, graph, most, quantile, rate } from './model.ts'

export const WEBHOOKS: Dashboard = {
  name: 'webhooks',
  title: 'Webhooks',
  about: 'Events that wait, attempts to deliver them, and what an operator has to look at.',
  rows: [
    {
      title: 'What waits',
      panels: [
        graph('Backlog', {
          unit: 'count',
          about:
            'Events that are no deliveries yet (outbox), and deliveries that are due (webhooks).',
          shows: { '{{queue}}': most('backlog', 'queue') },
          badAt: 10_000,
          alerts: ['WebhooksNotSent'],
        }),
        graph('Age of the backlog', {
          unit: 'seconds',
          about:
            'Of the oldest. An outbox that ages is our fault; deliveries age with one endpoint that is away.',
          shows: { '{{queue}}': most('backlog_age_seconds', 'queue') },
          badAt: 60,
          alerts: ['WebhookBacklog'],
        }),
        graph('Parked', {
          unit: 'count',
          about: 'Deliveries whose event could not be rendered: they wait for an operator.',
          shows: { parked: most('webhook_deliveries_parked') },
          warnAt: 1,
          alerts: ['WebhooksParked'],
        }),
      ],
    },
    {
      title: 'Attempts',
      panels: [
        graph('Attempts', {
          unit: 'requestsPerSecond',
          about:
            'By outcome. A share of failures that grows for one endpoint is its merchant’s matter, for all ours.',
          shows: { '{{outcome}}': rate('webhook_attempt_seconds_count', 'outcome') },
        }),
        graph('Time of an attempt', {
          unit: 'seconds',
          about: 'Median and 99%, over all endpoints.',
          shows: {
            median: quantile(0.5, 'webhook_attempt_seconds'),
            '99%': quantile(0.99, 'webhook_attempt_seconds'),
          },
        }),
        graph('Faults of ours', {
          unit: 'count',
          about:
            'In an hour: results that could not be written (sent again), events that could not be rendered.',
          shows: {
            unrecorded:
              'sum(increase(tradepost_webhook_results_unrecorded_total[1h])) or vector(0)',
            'not rendered': 'sum(increase(tradepost_event_render_failures_total[1h])) or vector(0)',
          },
          warnAt: 1,
          alerts: ['WebhooksParked'],
        }),
      ],
    },
  ],
}
