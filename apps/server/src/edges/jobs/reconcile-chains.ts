// Holds what our addresses have on each chain against the books. A difference that is seen twice in a row,
// the same both times, is a case.
import {
  type ChainReconciled,
  HELD_ROLES,
  type ReconcileDeps,
  reconcileChain,
  writeHoldings,
} from '#chains'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import type { Address } from '#kernel/chain'
import { clearCases, holdingSubject, type ReportCase } from '#reconciliation'
import type { OpenChain } from './scan-chains.ts'

export interface ReconcileChainsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly chains: readonly (OpenChain & Pick<ReconcileDeps, 'broadcast'>)[]
  readonly treasury: Address | null
  /** Of the source `balance`. */
  readonly onCase: ReportCase
  readonly everyMs: number
}

/** A chain that could not be compared is tried again after so long. */
const RETRY_MS = 60_000

interface Finding {
  readonly kind: 'chain_balance_differs' | 'chain_shortfall'
  readonly token: string
  readonly role: string
  readonly onChain: bigint
  readonly expected: bigint
}

export function createReconcileChains({ chains, ...deps }: ReconcileChainsDeps): Job[] {
  const { db, clock, log, metrics, treasury, everyMs } = deps
  const comparedAt = metrics.gauge(
    'chain_reconciled_seconds',
    'Unix time of the last comparison of a chain with the books, or of the start',
    ['chain'],
  )
  let isScanAwaited = false
  const sayWhy = (chain: string, why: Exclude<ChainReconciled['kind'], 'compared'>): void => {
    if (why !== 'not_scanned') log.info({ chain, why }, 'chain not compared with the books')
    else if (!isScanAwaited) {
      // At the first start of a service all chains are new: one line for them.
      isScanAwaited = true
      log.info({ why }, 'chains are compared with the books once they have been scanned')
    }
  }
  return chains.map(({ node, broadcast }) => {
    let seenBefore = new Set<string>()
    let dueMs = 0
    // Without a first comparison there would be no series, and no alert that none was made.
    comparedAt.labels(node.chain).set(clock.now().getTime() / 1000)
    return {
      name: `reconcile-${node.chain}`,
      everyMs: Math.min(everyMs, RETRY_MS),
      singleton: true,
      work: async () => {
        const nowMs = clock.now().getTime()
        if (nowMs < dueMs) return false
        const result = await reconcileChain({ db, node, broadcast, treasury })
        if (result.kind !== 'compared') {
          sayWhy(node.chain, result.kind)
          return false
        }
        dueMs = nowMs + everyMs
        const at = clock.now()
        comparedAt.labels(node.chain).set(at.getTime() / 1000)
        const { block, held } = result
        await writeHoldings(db, { chain: node.chain, block, held, at })
        const found = findingsOf(result)
        for (const finding of found) {
          if (seenBefore.has(nameOf(finding))) await report(deps, node.chain, finding)
        }
        seenBefore = new Set(found.map(nameOf))
        await clearOthers(deps, node.chain, result.tokens, found)
        return false
      },
    }
  })
}

const nameOf = ({ kind, token, role, onChain, expected }: Finding): string =>
  `${kind}:${token}:${role}:${onChain - expected}`

const TOTAL_ROLE = 'all'

const findingsOf = ({
  differences,
  shortfalls,
}: Extract<ChainReconciled, { kind: 'compared' }>): Finding[] => [
  ...differences.map(({ token, role, onChain, inBooks }) => ({
    ...({ kind: 'chain_balance_differs', token, role, onChain } as const),
    expected: inBooks,
  })),
  ...shortfalls.map(({ token, onChain, owed }) => ({
    ...({ kind: 'chain_shortfall', token, role: TOTAL_ROLE, onChain } as const),
    expected: owed,
  })),
]

/** The difference is the case; the balances go on changing with each deposit. */
const report = (
  { onCase }: Pick<ReconcileChainsDeps, 'onCase'>,
  chain: string,
  { kind, token, role, onChain, expected }: Finding,
): Promise<void> =>
  onCase(
    kind,
    { chain, asset: token, role, difference: String(onChain - expected) },
    { onChain, expected },
  )

async function clearOthers(
  { db, clock }: Pick<ReconcileChainsDeps, 'db' | 'clock'>,
  chain: string,
  tokens: readonly string[],
  found: readonly Finding[],
): Promise<void> {
  const open = new Set(found.map(({ token, role }) => holdingSubject(chain, token, role).name))
  const subjects = tokens
    .flatMap((token) =>
      [...HELD_ROLES, TOTAL_ROLE].map((role) => holdingSubject(chain, token, role).name),
    )
    .filter((name) => !open.has(name))
  const kinds = ['chain_balance_differs', 'chain_shortfall']
  await clearCases(db, { kinds, subjects, sources: ['balance'], at: clock.now() })
}
