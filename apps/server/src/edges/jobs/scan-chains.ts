// Follows the blocks of each chain, one scanner a chain at a time: what is paid to our addresses becomes a
// transfer, and a re-organisation takes its blocks back.
import { type ChainNode, type ChainRules, type ScanDeps, type Scanned, scanChain } from '#chains'
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import type { BroadcastNode } from '#outbound'

/** A chain that is switched on. */
export interface OpenChain {
  readonly node: ChainNode
  readonly rules: ChainRules
}

export interface ScanChainsDeps
  extends Omit<ScanDeps, 'node' | 'broadcast' | 'rules' | 'onIncident'> {
  readonly chains: readonly (OpenChain & { readonly broadcast: BroadcastNode })[]
  readonly log: Log
  readonly metrics: Metrics
  readonly everyMs: number
}

/** A re-organisation of so many blocks is reported: those of a few happen every day. */
const REPORTED_DEPTH = 10n

export function createScanChains({
  chains,
  log,
  metrics,
  everyMs,
  ...deps
}: ScanChainsDeps): Job[] {
  const meters = metersOf(metrics)
  return chains.map(({ node, broadcast, rules }) => ({
    name: `scan-${rules.chain}`,
    everyMs,
    singleton: true,
    figures: [meters.scanned, meters.lag, meters.halted],
    work: async ({ signal }) => {
      const { chain } = rules
      const onIncident: ScanDeps['onIncident'] = (what, fields) => {
        meters.incidents.labels(chain, what).inc()
        meters.lastIncident.labels(chain, what).set(deps.clock.now().getTime() / 1000)
        log.error({ alarm: 'chain_incident', what, ...fields }, 'chain incident')
      }
      const result = await scanChain({ ...deps, node, broadcast, rules, onIncident }, signal)
      meters.halted.labels(chain).set(result.kind === 'halted' ? 1 : 0)
      return report(chain, result)
    },
  }))

  function report(chain: string, result: Scanned): boolean {
    switch (result.kind) {
      case 'halted':
        if (result.isNew) {
          const { reason } = result
          log.error({ alarm: 'chain_halted', chain, reason }, 'chain halted')
        }
        return false
      case 'behind':
        meters.lag.labels(chain).set(0)
        return false
      case 'rolled_back': {
        const { depth, orphaned } = result
        meters.rollbacks.labels(chain).inc()
        const fields = { chain, depth: depth.toString(), to: result.to.number.toString(), orphaned }
        if (depth >= REPORTED_DEPTH)
          log.error({ alarm: 'deep_reorg', ...fields }, 'blocks replaced')
        else log.warn(fields, 'blocks replaced')
        return true
      }
      default:
        meters.scanned.labels(chain).set(Number(result.cursor.number))
        meters.lag.labels(chain).set(Number(result.head - result.cursor.number))
        return result.blocks > 0 && result.cursor.number < result.head
    }
  }
}

const metersOf = (metrics: Metrics) => ({
  scanned: metrics.gauge('chain_scanned_block', 'Newest scanned block', ['chain']),
  lag: metrics.gauge('chain_lag_blocks', 'Blocks of the node that are not scanned yet', ['chain']),
  halted: metrics.gauge('chain_halted', '1 while nothing is scanned or credited on a chain', [
    'chain',
  ]),
  rollbacks: metrics.counter(
    'chain_rollbacks_total',
    'Times that scanned blocks were replaced by others',
    ['chain'],
  ),
  incidents: metrics.counter(
    'chain_incidents_total',
    'Credited transfers that left the chain or came back after they were taken back, and final transactions of ours that left it',
    ['chain', 'what'],
  ),
  // For the alert: a counter begins again with its process, so that one more may be the same number.
  lastIncident: metrics.gauge('chain_incident_last_seconds', 'Unix time of the last of them', [
    'chain',
    'what',
  ]),
})
