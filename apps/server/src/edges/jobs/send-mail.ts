// Sends queued mail, or gives it up where mail is off, and forgets to whom it went after 30 days.

import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { forgetEndedMail, giveUpMail, MAIL_DUE, type SendDueDeps, sendDueMail } from '#mail'

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
    due: { question: MAIL_DUE },
    work: () =>
      sendDueMail({
        ...deps,
        onFailed: (fields) => {
          failed.labels(fields.template).inc()
          log.error({ alarm: 'mail_failed', ...fields }, 'mail not sent')
        },
      }),
  }
}

const DAY_MS = 24 * 3_600_000

/** While mail is off what is queued ends after a day; it is sent when mail is switched on before that. */
export const createGiveUpMail = ({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): Job => ({
  name: 'give-up-mail',
  everyMs: 60_000,
  singleton: true,
  work: () => {
    const at = clock.now()
    return giveUpMail(db, { dueBefore: new Date(at.getTime() - DAY_MS), at })
  },
})

const KEPT_MS = 30 * DAY_MS

/** What was sent, or was not, is kept for questions of operators; then nothing says who was written to. */
export const createForgetMail = ({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): Job => ({
  name: 'forget-mail',
  everyMs: 3_600_000,
  singleton: true,
  work: () => forgetEndedMail(db, new Date(clock.now().getTime() - KEPT_MS)),
})
