// Opens the gate in front of a market's purchases once the market's statement has been compared.
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import type { Job } from '#infra/jobs'
import type { Log } from '#infra/log'
import type { Metrics } from '#infra/metrics'
import { openPlacingGate, type Statements } from '#reconciliation'

export interface OpenPlacingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly statements: Statements
  readonly everyMs: number
}

export function createOpenPlacing(deps: OpenPlacingDeps): Job {
  const { log, metrics, statements, everyMs } = deps
  const closed = metrics.gauge(
    'placing_gate_closed',
    'Whether purchases at a market are held back after a restore: 1, else 0',
    ['market'],
  )
  const market = statements.id
  return {
    name: `open-placing-${market}`,
    everyMs,
    singleton: true,
    figures: [closed],
    work: async ({ signal }) => {
      const opening = await openPlacingGate(deps, signal)
      closed.labels(market).set(opening.kind === 'open' || opening.kind === 'opened' ? 0 : 1)
      if (opening.kind === 'unavailable') {
        log.warn(
          { event: 'placing_gate_closed', market, detail: opening.detail },
          'purchases are still held back',
        )
      }
      if (opening.kind === 'opened') {
        const { followed, resumed } = opening
        log.warn(
          { event: 'placing_gate_opened', market, followed, resumed },
          'purchases are placed again',
        )
      }
      return false
    },
  }
}
