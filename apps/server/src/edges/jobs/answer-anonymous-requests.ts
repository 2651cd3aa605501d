// Answers what anonymous callers asked for by an e-mail address: a registration, a reset, another
// confirmation.
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'
import {
  ANONYMOUS_REQUESTS_WAIT,
  type AnswerAnonymousRequestsDeps,
  answerAnonymousRequests,
} from '#people'

const EVERY_MS = 500

export const createAnswerAnonymousRequests = ({
  log,
  ...deps
}: Omit<AnswerAnonymousRequestsDeps, 'onFailed'> & { readonly log: Log }): Job => ({
  name: 'answer-visitors',
  everyMs: EVERY_MS,
  due: { question: ANONYMOUS_REQUESTS_WAIT },
  work: () =>
    answerAnonymousRequests({
      ...deps,
      onFailed: (err, { id }) =>
        log.error(
          { event: 'request_of_visitor_not_answered', err, requestId: id },
          'an anonymous request is not answered',
        ),
    }),
})
