// Opens the gate in front of a market's purchases once the market's statement has been compared, the one in
// front of offers to sellers once the bots' lists have been, and the one in front of payments once the chains
// have been.
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { GATES_CLOSED, type GateName, type Opening } from '#reconciliation'

export interface OpenPlacingDeps {
  readonly gate: GateName
  readonly log: Log
  readonly metrics: Metrics
  readonly everyMs: number
  /** Compares and opens, where it is closed and can be compared. */
  open(signal: AbortSignal): Promise<Opening>
}

export function createOpenPlacing({
  gate: market,
  log,
  metrics,
  everyMs,
  open,
}: OpenPlacingDeps): Job {
  const closed = metrics.gauge(
    'placing_gate_closed',
    'Whether purchases at a market, sells (bots) or payments are held back after a restore: 1, else 0',
    ['market'],
  )
  return {
    name: `open-placing-${market}`,
    everyMs,
    due: { question: GATES_CLOSED, key: market },
    singleton: true,
    figures: [closed],
    work: async ({ signal }) => {
      const opening = await open(signal)
      closed.labels(market).set(opening.kind === 'open' || opening.kind === 'opened' ? 0 : 1)
      if (opening.kind === 'unavailable') {
        log.warn(
          { event: 'placing_gate_closed', market, detail: opening.detail },
          'purchases, sells or payments are still held back',
        )
      }
      if (opening.kind === 'opened') {
        const { followed, resumed } = opening
        const fields = { event: 'placing_gate_opened', market, followed, resumed }
        log.warn(fields, 'purchases, sells or payments are made again')
      }
      return false
    },
  }
}
