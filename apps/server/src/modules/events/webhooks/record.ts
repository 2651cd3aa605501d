// Recording: what came back from attempts, the verdict on each delivery, and the state of its endpoint.

import { type Db, sql, type Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { notifyMembers } from '#people'
import type { Attempt } from './attempt.ts'
import { insertAttempts } from './attempts.ts'
import { deferralMs, isGone, isSuccess, mustDisable, noticesDue, retryDelayMs } from './schedule.ts'
import { finishDeliveries, type Verdict } from './store/deliveries.ts'
import { disableEndpoint, insertNotice, recordFailure, recordSuccess } from './store/endpoints.ts'

export interface RecordDeps {
  readonly db: Db
  readonly clock: Clock
  /** A number in [0, 1). */
  chance(): number
  onNotice?(endpointId: string, kind: string): void
  /** These results were lost: the deliveries are sent again when their lease has expired. */
  onUnrecorded?(endpointId: string, count: number, error: unknown): void
}

const APART_AT_ONCE = 4

/**
 * One transaction for the batch. When it fails, each endpoint's results get one of their own, so that a
 * statement that fails for one tenant loses the results of no other.
 */
export async function recordAttempts(
  deps: RecordDeps,
  attempts: readonly Attempt[],
): Promise<void> {
  try {
    await record(deps, attempts)
  } catch (error) {
    const groups = [...Map.groupBy(attempts, ({ endpoint }) => endpoint.id)]
    const [only] = groups
    if (groups.length === 1 && only) return deps.onUnrecorded?.(only[0], attempts.length, error)
    const lane = async (): Promise<void> => {
      for (let next = groups.pop(); next; next = groups.pop()) await recordAttempts(deps, next[1])
    }
    await Promise.all(Array.from({ length: APART_AT_ONCE }, lane))
  }
}

// A lock that is held elsewhere on one endpoint's rows must not hold up the results of all.
const BOUND_LOCKS = sql('webhooks.bound_locks', "select set_config('lock_timeout', '500ms', true)")

/** To the developers of the tenant, in the commit that records the notice. */
function mailNotice(
  tx: Tx,
  { tenantId, url, failingSince }: { tenantId: string; url: string; failingSince: Date },
  { kind, reason, at }: { kind: NoticeKind; reason: string | null; at: Date },
): Promise<void> {
  const account = { id: tenantId, about: 'development' } as const
  if (kind === 'disabled') {
    const details = { url: withoutQuery(url), reason: reason ?? kind }
    return notifyMembers(tx, account, { template: 'webhook_disabled', details, at })
  }
  const hours = kind === 'failing_24h' ? 24 : 48
  const details = { url: withoutQuery(url), hours, since: failingSince.toISOString() }
  return notifyMembers(tx, account, { template: 'webhook_failing', details, at })
}

/** A merchant may keep a secret in the query of an endpoint's address. Written as ASCII. */
const withoutQuery = (text: string): string => {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}

type NoticeKind = 'failing_24h' | 'failing_48h' | 'disabled'

interface Notice {
  readonly endpointId: string
  readonly kind: string
}

async function record(deps: RecordDeps, attempts: readonly Attempt[]): Promise<void> {
  const at = deps.clock.now()
  const judged = attempts.map((one) => ({ ...one, verdict: verdictOf(one, at, deps.chance()) }))
  const counted = judged.filter(({ verdict }) => verdict.status !== 'deferred')
  const sent = judged.filter(
    ({ verdict, answer }) => wasSent(answer) || verdict.status !== 'deferred',
  )
  const byEndpoint = Map.groupBy(counted, ({ endpoint }) => endpoint.id)
  const notices = await deps.db.transaction(async (tx) => {
    const due: Notice[] = []
    await tx.query(BOUND_LOCKS)
    await insertAttempts(
      tx,
      sent.map((one) => one.record),
    )
    const recovered: string[] = []
    // In the order of their ids, so that two recorders never wait for each other in a ring.
    for (const [endpointId, group] of [...byEndpoint].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (group.some((one) => isSuccess(one.answer))) recovered.push(endpointId)
      else due.push(...(await judge(tx, endpointId, group, at)))
    }
    if (recovered.length > 0) await recordSuccess(tx, recovered, at)
    // Last, as it locks what a claim and the dispatch of events wait for: `due_endpoint`.
    await finishDeliveries(
      tx,
      judged.map(({ verdict }) => verdict),
      at,
    )
    return due
  })
  for (const { endpointId, kind } of notices) deps.onNotice?.(endpointId, kind)
}

const wasSent = (answer: Attempt['answer']): boolean =>
  answer.kind !== 'deferred' || answer.cause === 'stalled'

function verdictOf({ delivery, answer }: Attempt, at: Date, chance: number): Verdict {
  const { id: deliveryId, number } = delivery
  const after = (ms: number): Date => new Date(at.getTime() + ms)
  if (isSuccess(answer)) return { deliveryId, number, status: 'delivered', dueAt: at }
  const deferMs = deferralMs(answer, at.getTime() - delivery.createdAt.getTime(), chance)
  if (deferMs !== null) return { deliveryId, number, status: 'deferred', dueAt: after(deferMs) }
  const delayMs = isGone(answer) ? null : retryDelayMs(delivery.attempts + 1, answer, chance)
  return delayMs === null
    ? { deliveryId, number, status: 'exhausted', dueAt: at }
    : { deliveryId, number, status: 'retrying', dueAt: after(delayMs) }
}

/** An endpoint of which every result in this batch was a failure; the notices that its tenant is due. */
async function judge(
  tx: Tx,
  endpointId: string,
  group: readonly { readonly answer: Attempt['answer']; readonly verdict: Verdict }[],
  at: Date,
): Promise<Notice[]> {
  const exhausted = group.filter(({ verdict }) => verdict.status === 'exhausted').length
  const failing = await recordFailure(tx, { endpointId, attempts: group.length, exhausted, at })
  if (!failing || failing.status === 'disabled') return []
  const { failingSince } = failing
  const isOver = group.some((one) => isGone(one.answer))
  const reason = isOver
    ? 'the endpoint answered 410 Gone'
    : mustDisable(failing, at)
      ? 'no success for 72 hours'
      : null
  if (reason !== null) await disableEndpoint(tx, { id: endpointId, reason, at })
  const kinds: NoticeKind[] = [
    ...(isOver ? [] : noticesDue(failing, at)),
    ...(reason === null ? [] : (['disabled'] as const)),
  ]
  const notices: Notice[] = []
  for (const kind of kinds) {
    if (await insertNotice(tx, { endpointId, failingSince, kind, at })) {
      notices.push({ endpointId, kind })
      await mailNotice(tx, failing, { kind, reason, at })
    }
  }
  return notices
}
