// Announces and carries out removals of second factors that were reported as lost.
import type { Job } from '#infra/jobs/jobs'
import { removeLostFactors } from '#operations'
import type { AnnouncingDeps } from '#people'

const EVERY_MS = 60_000

export const createRemoveFactors = (deps: AnnouncingDeps): Job => ({
  name: 'remove-factors',
  everyMs: EVERY_MS,
  singleton: true,
  work: () => removeLostFactors(deps),
})
