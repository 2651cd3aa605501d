// The first page at a call: whether something is wrong, and on which page to look next.
import {
  type Dashboard,
  graph,
  most,
  OURS,
  orNone,
  quantile,
  rate,
  since,
  stat,
  states,
  table,
} from './model.ts'

export const HOUSE: Dashboard = {
  name: 'house',
  title: 'House',
  about: 'Whether the service as a whole is well, and which dashboard shows more.',
  rows: [
    {
      title: 'Now',
      panels: [
        stat('Processes missing', {
          unit: 'count',
          about: 'Targets of Prometheus that do not answer: api and worker processes.',
          shows: { missing: `count(up{${OURS}} == 0) or vector(0)` },
          badAt: 1,
          alerts: ['TargetMissing'],
        }),
        stat('Alerts that fire', {
          unit: 'count',
          about: 'Each has its page among the runbooks; the list is below.',
          shows: { firing: 'count(ALERTS{alertstate="firing"}) or vector(0)' },
          warnAt: 1,
        }),
        stat('Requests that fail, 1 h', {
          unit: 'share',
          about: 'Answers with a status of 500 or more. The objective is 0.1% in 30 days.',
          shows: { failed: 'tradepost:request_errors:ratio1h' },
          warnAt: 0.001,
          badAt: 0.01,
          alerts: ['ErrorsHigh'],
        }),
        stat('Slowest of 100 buys', {
          unit: 'seconds',
          about: '99% of the buys of five minutes are answered within this time; no data: none.',
          shows: { p99: 'tradepost:request_seconds:p99_5m{class="buy"}' },
          warnAt: 0.5,
          badAt: 1,
          alerts: ['SlowBuys'],
        }),
        stat('Books', {
          unit: 'count',
          about: 'Violations that the last audit of the books found. One is an incident.',
          shows: { violations: most('books_audit_violations') },
          badAt: 1,
          alerts: ['BooksBroken', 'BooksNotAudited'],
        }),
        stat('Gates closed', {
          unit: 'count',
          about: 'Markets, bots or payments that are held back after a restore or failover.',
          shows: { closed: `sum(${most('placing_gate_closed', 'market')})` },
          badAt: 1,
          alerts: ['PlacingHeldBack'],
        }),
      ],
    },
    {
      title: 'Alerts and processes',
      panels: [
        table('Alerts', {
          unit: 'count',
          about: 'What fires now: `severity` page is for the person on duty.',
          shows: {
            alert:
              'max by (alertname, severity, market, job_name, instance) (ALERTS{alertstate="firing"})',
          },
        }),
        states('Processes', {
          unit: 'flag',
          about: 'Whether Prometheus reads the metrics of each process. A gap is a restart.',
          shows: { '{{job}} {{instance}}': `max by (job, instance) (up{${OURS}})` },
          badAt: 1,
          isBadBelow: true,
          alerts: ['TargetMissing'],
        }),
      ],
    },
    {
      title: 'Work that waits',
      panels: [
        graph('Purchases under way', {
          unit: 'count',
          about: 'Items of buys that have not come to their end, by state. `hold` lasts for days.',
          shows: { '{{status}}': most('items_open', 'status') },
        }),
        graph('Purchases overdue', {
          unit: 'seconds',
          about:
            'How overdue the most overdue item of a state is. It grows where a worker or a supplier stands still.',
          shows: { '{{status}}': most('items_lag_seconds', 'status') },
          badAt: 300,
          alerts: ['ItemStuck'],
        }),
        graph('Oldest purchase', {
          unit: 'seconds',
          about:
            'Age of the oldest item of a state before its hold; `initiated` waits for its market.',
          shows: { '{{status}}': most('items_oldest_age_seconds', 'status', 'status!="hold"') },
          warnAt: 300,
          badAt: 600,
          alerts: ['NotPlaced'],
        }),
        graph('Sells under way', {
          unit: 'count',
          about: 'Items of sells that have not come to their end, by state.',
          shows: { '{{status}}': most('sell_items_open', 'status') },
        }),
        graph('Sells overdue', {
          unit: 'seconds',
          about: 'How overdue the most overdue item of a sell is, by state.',
          shows: { '{{status}}': most('sell_items_lag_seconds', 'status') },
          badAt: 600,
          alerts: ['SellStuck'],
        }),
        graph('Oldest sell', {
          unit: 'seconds',
          about: 'Age of the oldest item of a sell before its hold; `initiated` waits for a bot.',
          shows: {
            '{{status}}': most('sell_items_oldest_age_seconds', 'status', 'status!="hold"'),
          },
          badAt: 600,
          alerts: ['NoBotTakes'],
        }),
      ],
    },
    {
      title: 'Jobs',
      panels: [
        graph('Jobs that fail', {
          unit: 'perSecond',
          about:
            'Runs a second that ended with an error, by job. A job that fails tries again with growing pauses.',
          shows: {
            '{{job_name}}': orNone(
              'job_name',
              `topk(10, ${rate('job_errors_total', 'job_name')} > 0)`,
            ),
          },
          alerts: ['JobSilent'],
        }),
        graph('Jobs beyond their time', {
          unit: 'seconds',
          about:
            'Seconds since the last success of a job, less what its interval allows: the ten most silent. Above 0 it is late.',
          shows: {
            '{{job_name}}':
              'topk(10, time() - max by (job_name) (tradepost_job_last_success_seconds{job_name!~"ingest-.*"}) - 2 * max by (job_name) (tradepost_job_every_seconds))',
          },
          badAt: 900,
          alerts: ['JobSilent'],
        }),
        graph('Slowest jobs', {
          unit: 'seconds',
          about: '99% of the runs of a job end within this time: the ten slowest.',
          shows: { '{{job_name}}': `topk(10, ${quantile(0.99, 'job_seconds', 'job_name')})` },
        }),
        graph('Silence of the workers', {
          unit: 'seconds',
          about: 'Since the last heartbeat of any worker. Beyond 60 s new trades are refused.',
          shows: { silence: since('worker_last_beat_seconds') },
          warnAt: 30,
          badAt: 60,
          alerts: ['WorkersSilent'],
        }),
        graph('Mail that was not sent', {
          unit: 'count',
          about: 'Messages of an hour that ended unsent, by template.',
          shows: {
            '{{template}}': orNone(
              'template',
              `sum by (template) (increase(tradepost_mail_failed_total[1h]))`,
            ),
          },
          warnAt: 1,
        }),
      ],
    },
    {
      title: 'Load of the processes',
      panels: [
        graph('Processors', {
          unit: 'cores',
          about: 'Processor seconds a second. A process has one event loop: an api at 1 is full.',
          shows: {
            '{{job}} {{instance}}': `sum by (job, instance) (rate(tradepost_process_cpu_seconds_total[$__rate_interval]))`,
          },
          warnAt: 0.8,
        }),
        graph('Memory', {
          unit: 'bytes',
          about: 'Resident memory. Steady growth over days is a leak; an api holds the catalogue.',
          shows: {
            '{{job}} {{instance}}':
              'max by (job, instance) (tradepost_process_resident_memory_bytes)',
          },
        }),
        graph('Event loop', {
          unit: 'seconds',
          about:
            'How late timers are, 99 of 100 between two scrapes. Every request of the process waits as long.',
          shows: {
            '{{job}} {{instance}}':
              'max by (job, instance) (tradepost_nodejs_eventloop_lag_p99_seconds)',
          },
          warnAt: 0.1,
          badAt: 0.25,
          alerts: ['EventLoopBlocked'],
        }),
      ],
    },
  ],
}
