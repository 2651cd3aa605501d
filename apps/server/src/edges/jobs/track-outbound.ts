// Follows what was sent on one chain until the chain has decided.
import type { Job } from '#infra/jobs/jobs'
import { createTracking, TRANSACTIONS_WATCHED, type TrackingDeps } from '#outbound'

export function createTrackOutbound({
  everyMs,
  ...deps
}: TrackingDeps & { readonly everyMs: number }): Job {
  const track = createTracking(deps)
  return {
    name: `track-outbound-${deps.chain}`,
    everyMs,
    due: { question: TRANSACTIONS_WATCHED, key: deps.chain },
    singleton: true,
    work: ({ signal }) => track(signal),
  }
}
