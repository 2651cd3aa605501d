// Answers what visitors asked for by an e-mail address: a registration, a reset, another confirmation.
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'
import { type AnswerVisitorsDeps, answerVisitors, VISITORS_WAIT } from '#people'

const EVERY_MS = 500

export const createAnswerVisitors = ({
  log,
  ...deps
}: Omit<AnswerVisitorsDeps, 'onFailed'> & { readonly log: Log }): Job => ({
  name: 'answer-visitors',
  everyMs: EVERY_MS,
  due: { question: VISITORS_WAIT },
  work: () =>
    answerVisitors({
      ...deps,
      onFailed: (err, { id }) =>
        log.error({ err, requestId: id }, 'request of a visitor not answered'),
    }),
})
