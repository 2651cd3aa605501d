// Sends queued mail.
import type { Job } from '#infra/jobs'
import type { Log } from '#infra/log'
import type { Metrics } from '#infra/metrics'
import { type SendDueDeps, sendDueMail } from '#mail'

export interface SendMailDeps extends Omit<SendDueDeps, 'onFailed'> {
  readonly log: Log
  readonly metrics: Metrics
}

const EVERY_MS = 1000

export function createSendMail({ log, metrics, ...deps }: SendMailDeps): Job {
  const failed = metrics.counter('mail_failed_total', 'Messages that ended unsent', ['template'])
  return {
    name: 'send-mail',
    everyMs: EVERY_MS,
    work: () =>
      sendDueMail({
        ...deps,
        onFailed: (facts) => {
          failed.labels(facts.template).inc()
          log.error({ alarm: 'mail_failed', ...facts }, 'mail not sent')
        },
      }),
  }
}
