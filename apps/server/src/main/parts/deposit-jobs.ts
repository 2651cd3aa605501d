// The jobs of deposits through providers.
import { createRateReader } from '#fx'
import type { Job } from '#infra/jobs/jobs'
import type { CaseSource, Reporter } from '#reconciliation'
import { createCompareStatements } from '../../edges/jobs/compare-statements.ts'
import { createPollDeposits } from '../../edges/jobs/poll-deposits.ts'
import type { Resources } from '../resources.ts'

export function createDepositJobs(
  { config, db, clock, log, metrics, adapters }: Resources,
  reporterFor: (source: CaseSource) => Reporter,
): Job[] {
  const { gateway, onramp } = adapters
  const currentRate = createRateReader({ db, clock })
  const shared = { db, clock, log, metrics, gateway, onramp }
  const polls = createPollDeposits({
    ...shared,
    currentRate: async () => (await currentRate()).usdPerEurMicros,
    onCase: reporterFor('follower'),
    pollMs: config.timing.deposits.pollMs,
  })
  return [...polls, ...createCompareStatements({ ...shared, onCase: reporterFor('statement') })]
}
