// Looks for native coin that arrived without a transfer, where a node offers no traces. Each address that
// holds some is a case, until an operator has named the transaction.
import { findUnseen, type UnseenDeps } from '#chains'
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'
import { clearCases, holdingSubject, listCases, type ReportCase } from '#reconciliation'
import type { OpenChain } from './scan-chains.ts'

export interface FindUnseenDeps extends Omit<UnseenDeps, 'node'> {
  readonly chains: readonly OpenChain[]
  readonly log: Log
  /** Of the source `balance`. */
  readonly onCase: ReportCase
  readonly everyMs: number
}

const KIND = 'chain_unseen'
/** Open cases that are looked at, so that those which are no longer so can be cleared. */
const CASES_AT_ONCE = 1000

export function createFindUnseen({ chains, log, onCase, everyMs, ...deps }: FindUnseenDeps): Job[] {
  const { db, clock } = deps
  return chains.map(({ node }) => ({
    name: `find-unseen-${node.chain}`,
    everyMs,
    singleton: true,
    work: async ({ signal }) => {
      const { chain } = node
      const round = await findUnseen({ ...deps, node }, signal)
      if (round.kind === 'unavailable') {
        log.info({ chain, why: round.kind }, 'balances of deposit addresses not compared')
      }
      if (round.kind !== 'compared') return false
      for (const one of round.recorded) log.info({ chain, ...one }, 'named payment recorded')
      for (const one of round.refused) log.warn({ chain, ...one }, 'named payment refused')
      for (const { address, ownerId, units, block } of round.found) {
        const details = { chain, asset: 'NATIVE', role: address, ownerId, units: String(units) }
        await onCase(KIND, details, { block: String(block) })
      }
      if (signal.aborted) return false
      const found = new Set(round.found.map(({ address }) => subjectOf(chain, address)))
      const open = await listCases(db, { state: 'open', kind: KIND, limit: CASES_AT_ONCE })
      const gone = open
        .map(({ subject }) => subject)
        .filter((subject) => subject.startsWith(subjectOf(chain, '')) && !found.has(subject))
      await clearCases(db, { kinds: [KIND], subjects: gone, sources: ['balance'], at: clock.now() })
      return false
    },
  }))
}

const subjectOf = (chain: string, address: string): string =>
  holdingSubject(chain, 'NATIVE', address).name
