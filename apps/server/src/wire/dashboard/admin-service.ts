// The dashboard's views of the service as a whole, for administrators.
import type {
  AdminChain,
  AdminQueueRows,
  AdminQueues,
  AdminSupplier,
  BooksAudit,
  SellingPolicy,
} from '@tradepost/contract'
import type { ChainState } from '#chains'
import type { BooksAuditRun, QueueRow, Queues, Supplier } from '#operations'
import type { Policy } from '#selling'

const timeOrNull = (at: Date | null): string | null => at?.toISOString() ?? null

export const chainView = (state: ChainState): AdminChain => ({
  chain: state.chain,
  enabled: state.haltedAt === null,
  reason: state.haltedReason,
  changedAt: timeOrNull(state.haltedAt),
  block: state.cursor === null ? null : String(state.cursor.number),
  scannedAt: timeOrNull(state.scannedAt),
  pending: Number(state.pending),
})

export const sellingPolicyView = (policy: Policy): SellingPolicy => ({
  buying: policy.buying,
  leastQuoteCents: Number(policy.leastQuote),
  mostQuoteCents: Number(policy.mostQuote),
  offerSharePercent: policy.offerSharePercent,
  waitingLimit: policy.waitingLimit,
})

export const queuesView = ({ at, queues, jobs, leases }: Queues): AdminQueues => ({
  at: at.toISOString(),
  queues: queues.map((queue) => ({ ...queue })),
  jobs: jobs.map(({ job, processId, status, startedAt, beatAt, succeededAt, error }) => ({
    ...{ job, processId, status, error },
    startedAt: startedAt.toISOString(),
    beatAt: beatAt.toISOString(),
    succeededAt: timeOrNull(succeededAt),
  })),
  leases: leases.map(({ name, holder, until }) => ({ name, holder, until: until.toISOString() })),
})

export const queueRowsView = (rows: readonly QueueRow[]): AdminQueueRows => ({
  rows: rows.map(({ since, dueAt, ...row }) => ({
    ...row,
    since: since.toISOString(),
    dueAt: timeOrNull(dueAt),
  })),
})

export const supplierView = (supplier: Supplier): AdminSupplier => ({
  market: supplier.id,
  enabled: supplier.enabled,
  online: supplier.online,
  detail: supplier.detail,
  balanceUsd: supplier.balanceMills === null ? null : Number(supplier.balanceMills) / 1000,
  checkedAt: timeOrNull(supplier.checkedAt),
  snapshotAt: timeOrNull(supplier.snapshotAt),
  waiting: supplier.waiting,
  following: supplier.following,
  calls: supplier.calls.map(({ operation, outcome, count, medianMs }) => ({
    ...{ operation, outcome, count, medianMs },
  })),
})

export const booksView = (runs: readonly BooksAuditRun[]): BooksAudit => ({
  status:
    runs.length === 0
      ? 'unknown'
      : runs.every(({ violationCount }) => violationCount === 0)
        ? 'balanced'
        : 'broken',
  runs: runs.map(({ finishedAt, violations, ...run }) => ({
    ...run,
    finishedAt: finishedAt.toISOString(),
    violations: violations.map(({ invariant, detail }) => ({ invariant, detail })),
  })),
})
