// Recording: what came back from attempts, the verdict on each delivery, and the state of its endpoint.
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import type { Attempt } from './attempt.ts'
import { insertAttempts } from './attempts.ts'
import { isGone, isSuccess, mustDisable, noticesDue, retryDelayMs } from './schedule.ts'
import { finishDeliveries, type Verdict } from './store/deliveries.ts'
import { disableEndpoint, insertNotice, recordFailure, recordSuccess } from './store/endpoints.ts'

export interface RecorderDeps {
  readonly db: Db
  readonly clock: Clock
  /** A number in [0, 1). */
  chance(): number
  onNotice?(endpointId: string, kind: string): void
}

/**
 * Records results in batches: whatever has ended while the last batch was being written goes into the
 * next one, so that a slow endpoint delays no other verdict and a fast one costs few statements.
 */
export function createRecorder(
  deps: RecorderDeps,
  onRecorded: () => void,
): {
  add(attempt: Attempt): void
  unrecorded(): number
  /** Throws what kept results from being recorded: they are sent again when their lease has run out. */
  check(): void
  allRecorded(): Promise<void>
} {
  let waiting: Attempt[] = []
  let unrecorded = 0
  let writing: Promise<void> | undefined
  let failed: { error: unknown } | undefined
  const check = (): void => {
    if (failed) throw failed.error
  }
  const write = async (): Promise<void> => {
    while (waiting.length > 0 && !failed) {
      // The rest of this turn's results join the batch.
      await new Promise(setImmediate)
      const batch = waiting
      waiting = []
      await record(deps, batch).catch((error: unknown) => {
        failed = { error }
      })
      unrecorded -= batch.length
      // The next events of the same subjects may leave now.
      onRecorded()
    }
    writing = undefined
  }
  return {
    add: (attempt) => {
      waiting.push(attempt)
      unrecorded++
      writing ??= write()
    },
    unrecorded: () => unrecorded,
    check,
    allRecorded: async () => {
      await writing
      check()
    },
  }
}

async function record(deps: RecorderDeps, attempts: readonly Attempt[]): Promise<void> {
  const at = deps.clock.now()
  const verdicts = attempts.map((one) => verdictOf(one, at, deps.chance()))
  const byEndpoint = Map.groupBy(attempts, (one) => one.endpoint.id)
  await deps.db.transaction(async (tx) => {
    await insertAttempts(
      tx,
      attempts.map((one) => one.record),
    )
    await finishDeliveries(tx, verdicts, at)
    const exhausted = new Set(
      verdicts.filter((v) => v.status === 'exhausted').map((v) => v.deliveryId),
    )
    const recovered: string[] = []
    // In the order of their ids, so that two recorders never wait for each other in a ring.
    for (const [endpointId, group] of [...byEndpoint].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (group.some((one) => isSuccess(one.answer))) recovered.push(endpointId)
      else {
        await judge(deps, tx, endpointId, group, {
          exhausted: group.filter((one) => exhausted.has(one.delivery.id)).length,
          at,
        })
      }
    }
    if (recovered.length > 0) await recordSuccess(tx, recovered, at)
  })
}

function verdictOf({ delivery, answer }: Attempt, at: Date, chance: number): Verdict {
  const deliveryId = delivery.id
  if (isSuccess(answer)) return { deliveryId, status: 'delivered', dueAt: at }
  const delayMs = isGone(answer) ? null : retryDelayMs(delivery.attempts + 1, answer, chance)
  return delayMs === null
    ? { deliveryId, status: 'exhausted', dueAt: at }
    : { deliveryId, status: 'retrying', dueAt: new Date(at.getTime() + delayMs) }
}

/** An endpoint of which every result in this batch was a failure. */
async function judge(
  deps: RecorderDeps,
  tx: Parameters<typeof recordFailure>[0],
  endpointId: string,
  group: readonly Attempt[],
  { exhausted, at }: { exhausted: number; at: Date },
): Promise<void> {
  const failing = await recordFailure(tx, { endpointId, attempts: group.length, exhausted, at })
  if (!failing || failing.status === 'disabled') return
  const { failingSince } = failing
  const notify = async (kind: string): Promise<void> => {
    if (await insertNotice(tx, { endpointId, failingSince, kind, at }))
      deps.onNotice?.(endpointId, kind)
  }
  if (group.some((one) => isGone(one.answer))) {
    await disableEndpoint(tx, { id: endpointId, reason: 'the endpoint answered 410 Gone', at })
    await notify('disabled')
    return
  }
  for (const kind of noticesDue(failing, at)) await notify(kind)
  if (mustDisable(failing, at)) {
    await disableEndpoint(tx, { id: endpointId, reason: 'no success for 72 hours', at })
    await notify('disabled')
  }
}
