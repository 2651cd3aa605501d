// Compares the statements of payment providers with the books, every hour. What two comparisons in a row find
// is a case.
import { compareStatement, type FoundDifference, type StatementDeps } from '#deposits'
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { newId } from '#kernel/id'
import { clearCases, paymentSubject, type ReportCase } from '#reconciliation'

export interface CompareStatementsDeps extends StatementDeps {
  readonly log: Log
  readonly metrics: Metrics
  /** Of the source `statement`. */
  readonly onCase: ReportCase
}

const EVERY_MS = 3_600_000
const DIFFERS = 'deposit_statement_differs'
const UNCLAIMED = 'payment_unclaimed'

/** Money that came, and is of no deposit. */
const isUnclaimed = ({ kind, depositId }: FoundDifference): boolean =>
  kind === 'payment' && depositId === null

export function createCompareStatements(deps: CompareStatementsDeps): Job[] {
  const { db, clock, log, metrics, onCase } = deps
  const comparedAt = metrics.gauge(
    'deposit_statement_compared_seconds',
    'Unix time of the last comparison of a payment provider’s statement with the books, or of the start',
    ['provider'],
  )
  const providers = (['gateway', 'onramp'] as const).filter((name) => deps[name] !== null)
  // Without a first comparison there would be no series, and no alert that none was made.
  for (const provider of providers) {
    comparedAt.labels(provider).set(clock.now().getTime() / 1000)
  }
  return providers.map(
    (provider): Job => ({
      name: `compare-statements-${provider}`,
      everyMs: EVERY_MS,
      singleton: true,
      work: async ({ signal }) => {
        const requestId = newId(clock.now().getTime())
        const compared = await compareStatement(deps, provider, { requestId, signal })
        if (compared.kind === 'unavailable') {
          log.warn({ provider, detail: compared.detail }, 'statement not compared with the books')
          return false
        }
        comparedAt.labels(provider).set(clock.now().getTime() / 1000)
        for (const difference of compared.confirmed) {
          const { kind, ref, problem, depositId, details } = difference
          const about = depositId === null ? {} : { depositId }
          const found = { provider, ref, kind, problem, ...details, ...about }
          await onCase(isUnclaimed(difference) ? UNCLAIMED : DIFFERS, found)
        }
        await clearCases(db, {
          kinds: [DIFFERS, UNCLAIMED],
          subjects: compared.gone.map((ref) => paymentSubject(provider, ref).name),
          sources: ['statement'],
          at: clock.now(),
        })
        return false
      },
    }),
  )
}
