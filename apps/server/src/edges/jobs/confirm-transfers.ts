// Credits the transfers of each chain that are final, and gives up those that a re-organisation removed.
import {
  abandonReplaced,
  BLOCK_REASONS,
  type ConfirmDeps,
  type Confirmed,
  confirmTransfers,
  findTransfersInChain,
  TRANSFERS_DUE,
} from '#chains'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { clearCases, depositSubject, listCases, type Reporter } from '#reconciliation'
import { createBlocked } from './blocked-transfers.ts'
import type { OpenChain } from './scan-chains.ts'

export interface ConfirmTransfersDeps extends Omit<ConfirmDeps, 'node' | 'rules' | 'onUnclaimed'> {
  readonly chains: readonly OpenChain[]
  readonly log: Log
  readonly metrics: Metrics
  /** Of the source `guard`. */
  readonly onCase: Reporter
  readonly everyMs: number
}

const OVERDRAWN = 'custody_overdrawn'
/** Open cases that are looked at, so that those which are no longer so can be cleared. */
const CASES_AT_ONCE = 1000

export function createConfirmTransfers({
  chains,
  log,
  metrics,
  onCase,
  everyMs,
  ...deps
}: ConfirmTransfersDeps): Job[] {
  const blockedNow = createBlocked(deps.clock)
  const gauge = metrics.gauge(
    'chain_transfers_hindered',
    'Final transfers that cannot be credited now',
    ['chain', 'why'],
  )
  const onUnclaimed: ConfirmDeps['onUnclaimed'] = (tx, unclaimed) =>
    onCase.within(tx, 'deposit_unclaimed', { ...unclaimed, units: String(unclaimed.units) })
  /** The owner that the last round of a chain has ended with; without one the next begins with the first. */
  const lastOwners = new Map<string, string>()
  return chains.map(({ node, rules }) => ({
    name: `confirm-${rules.chain}`,
    everyMs,
    due: { question: TRANSFERS_DUE, key: rules.chain },
    singleton: true,
    figures: [gauge],
    work: async ({ signal }) => {
      const { chain } = rules
      // First: a confirmation that fails must not keep it from its turn.
      const abandoned = await abandonReplaced({
        ...deps,
        node,
        onOverdrawn: ({ id, token, units }) =>
          onCase(OVERDRAWN, { depositId: id, chain, token, units: String(units) }),
      })
      const returned = await findReturned(deps.db, chain)
      await clearCases(deps.db, {
        kinds: [OVERDRAWN],
        subjects: [...abandoned.map(({ id }) => id), ...returned].map(
          (id) => depositSubject(id).name,
        ),
        ...{ sources: ['guard'], at: deps.clock.now() },
      })
      for (const { id, state, txHash } of abandoned) {
        const details = { chain, transferId: id, state, txHash }
        if (state === 'pending') log.warn(details, 'transfer gone after a re-organisation')
        else log.error({ alarm: 'transfer_reversed', ...details }, 'credited transfer taken back')
      }
      const round = { ...deps, node, rules, onUnclaimed }
      const confirmed = await confirmTransfers(round, signal, lastOwners.get(chain))
      if (confirmed.nextOwner === null) lastOwners.delete(chain)
      else lastOwners.set(chain, confirmed.nextOwner)
      report(chain, confirmed)
      return confirmed.hasMore
    },
  }))

  function report(chain: string, confirmed: Confirmed): void {
    const { credited, dust, blocked, failures, unpriced } = confirmed
    if (credited + dust > 0) log.info({ chain, credited, dust }, 'transfers confirmed')
    const all = blockedNow(chain, confirmed)
    for (const why of BLOCK_REASONS) {
      gauge.labels(chain, why).set(all.filter((one) => one === why).length)
      const those = blocked.filter((one) => one.why === why)
      if (those.length === 0) continue
      const transferIds = those.map(({ transferId }) => transferId).slice(0, 20)
      log.warn({ chain, why, count: those.length, transferIds }, 'transfers cannot be confirmed')
    }
    if (failures.length > 0) log.warn({ chain, failures }, 'nodes did not answer about transfers')
    if (unpriced.length > 0) log.warn({ chain, unpriced }, 'no usable price')
  }
}

/** Deposits of open cases whose transfers are back in their chain: nothing has to be taken back any more. */
async function findReturned(db: Db, chain: string): Promise<string[]> {
  const open = await listCases(db, { state: 'open', kind: OVERDRAWN, limit: CASES_AT_ONCE })
  const ids = open
    .filter(({ details, clearedAt }) => details.chain === chain && clearedAt === null)
    .map(({ details }) => String(details.depositId))
  return ids.length === 0 ? [] : findTransfersInChain(db, ids)
}
