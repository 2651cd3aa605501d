// What waits longer than it should, of every queue: the list that is looked at first when something is late.
import { listQueue, type QueueDeps, type QueueRow, readQueues } from './queues.ts'

export interface OverdueKind {
  /** The name of its queue. */
  readonly kind: string
  /** Oldest first; at most `MOST_LISTED`. */
  readonly rows: readonly QueueRow[]
  /** All that are overdue, as far as the first thousand of the queue show. */
  readonly count: number
}

const MINUTE_MS = 60_000
/** A look whose time has come is made within seconds; alerts ring at the same limit. */
const LATE_MS = 5 * MINUTE_MS
const MOST_READ = 1000
const MOST_LISTED = 20

/** How long something may wait in all, whatever its next look says; by name or first word of a queue. */
const LONGEST_MS: Readonly<Record<string, number>> = {
  place: 10 * MINUTE_MS,
  'sells initiated': 10 * MINUTE_MS,
  'events to dispatch': MINUTE_MS,
  'webhooks parked': MINUTE_MS,
  'withdrawals to release': 5 * MINUTE_MS,
  'outbound payments': 60 * MINUTE_MS,
  sweeps: 60 * MINUTE_MS,
}

/** Of the kinds that have any, the one with the oldest first. */
export async function listOverdue(deps: QueueDeps): Promise<readonly OverdueKind[]> {
  const { queues } = await readQueues(deps)
  const at = deps.clock.now().getTime()
  const kinds: OverdueKind[] = []
  for (const { name } of queues.filter(({ count }) => count > 0)) {
    const rows = (await listQueue(deps, { name, limit: MOST_READ })) ?? []
    const longestMs = LONGEST_MS[name] ?? LONGEST_MS[name.split(' ', 1)[0] ?? ''] ?? null
    const overdue = rows
      .filter(
        ({ since, dueAt }) =>
          (dueAt !== null && at - dueAt.getTime() > LATE_MS) ||
          (longestMs !== null && at - since.getTime() > longestMs),
      )
      .sort((one, other) => one.since.getTime() - other.since.getTime())
    if (overdue.length === 0) continue
    kinds.push({ kind: name, rows: overdue.slice(0, MOST_LISTED), count: overdue.length })
  }
  const oldestOf = ({ rows }: OverdueKind): number => rows[0]?.since.getTime() ?? at
  return kinds.sort((one, other) => oldestOf(one) - oldestOf(other))
}
