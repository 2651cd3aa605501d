// Delivery: claims what is due, renders and signs it now, posts it, and records what came back. A process
// that dies at any point leaves a lease behind, and the delivery is made again: at least once.
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '#infra/concurrency-limiter'
import { assertDefined } from '#kernel/assert'
import { ATTEMPT_DEADLINE_MS, type AttemptDeps, attempt } from './attempt.ts'
import { createRecorder, type RecorderDeps } from './record.ts'
import { claimDeliveries, type Delivery, parkDeliveries } from './store/deliveries.ts'
import { type Endpoint, readEndpoints } from './store/endpoints.ts'

export interface DeliveryDeps extends AttemptDeps, RecorderDeps {
  /**
   * The data of each delivery's event from the state of this moment, in the given order; an event that
   * cannot be rendered is its own error.
   */
  render(deliveries: readonly Delivery[]): Promise<readonly RenderedData[]>
  readonly limits?: Partial<DeliveryLimits>
  onParked?(delivery: Delivery, error: Error): void
}

type RenderedData =
  | { readonly data: unknown; readonly error?: undefined }
  | { readonly error: Error }

export interface DeliveryLimits {
  /** Posts under way at once in this process, and to one endpoint. */
  readonly inFlight: number
  readonly perEndpoint: number
  /** To one whose last answer took long or never came. */
  readonly perSlowEndpoint: number
}

// The lease outlives the attempt and the recording of its result by far.
const LEASE_MS = ATTEMPT_DEADLINE_MS + 20_000
// An endpoint that goes silent may hold 128 attempts for one deadline, then only a few: the rest of the
// limit is for those that answer.
const DEFAULT_LIMITS: DeliveryLimits = { inFlight: 1024, perEndpoint: 128, perSlowEndpoint: 8 }
/** An attempt that took so long makes its endpoint a slow one, until a quicker one ends that. */
const SLOW_MS = 1000
/** Rendered and signed in one go. */
const MAX_CLAIM = 256

/** A run ends after so long, although more may be due: its end says that the job is well. */
const RUN_MS = 300_000
/** How long the loop waits at most before it looks again at what is due. */
const REFILL_MS = 20
/** Results that wait to be recorded; beyond these nothing more is posted. */
const MAX_UNRECORDED = 1024

/**
 * Works until nothing is due and nothing is under way, or the signal says stop, or five minutes have passed
 * (true: there may be more); then what is under way is brought to its end. Free capacity is filled while slow
 * endpoints still take their time. An attempt frees its capacity when its answer is there: the leases outlive
 * the recording, and sockets that wait for commits are idle.
 */
export function createDelivering(deps: DeliveryDeps): (signal: AbortSignal) => Promise<boolean> {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits }
  const slow = new Set<string>()
  const perKey = (endpointId: string): number =>
    slow.has(endpointId) ? limits.perSlowEndpoint : limits.perEndpoint
  return async (signal) => {
    const limiter = createConcurrencyLimiter({ total: limits.inFlight, perKey })
    const recorder = createRecorder(deps, limiter.wake)
    const work = async (delivery: Delivery, endpoint: Endpoint, data: unknown): Promise<void> => {
      const ended = await attempt(deps, delivery, endpoint, data, { manual: false })
      if (ended.record.durationMs >= SLOW_MS) slow.add(endpoint.id)
      else slow.delete(endpoint.id)
      recorder.add(ended)
    }
    try {
      const endsAt = deps.clock.now().getTime() + RUN_MS
      while (!signal.aborted && deps.clock.now().getTime() < endsAt) {
        const wasQuiet = limiter.running() === 0 && recorder.unrecorded() === 0
        const hasRoom = limiter.free() > 0 && recorder.unrecorded() < MAX_UNRECORDED
        const due = hasRoom ? await claimAndRender(deps, { limiter, limits, slow }) : []
        for (const { delivery, endpoint, data } of due) {
          limiter.add(endpoint.id, work(delivery, endpoint, data))
        }
        if (due.length === 0 && wasQuiet) return false
        await limiter.waitForCapacity(REFILL_MS)
      }
    } finally {
      await limiter.allEnded()
      await recorder.allRecorded()
    }
    return !signal.aborted
  }
}

interface Work {
  readonly delivery: Delivery
  readonly endpoint: Endpoint
  readonly data: unknown
}

/** Deliveries that are due, ready to be posted. One that cannot be rendered is parked; the others go on. */
async function claimAndRender(
  deps: DeliveryDeps,
  {
    limiter,
    limits,
    slow,
  }: {
    readonly limiter: ConcurrencyLimiter
    readonly limits: DeliveryLimits
    readonly slow: ReadonlySet<string>
  },
): Promise<Work[]> {
  const at = deps.clock.now()
  const claimed = await claimDeliveries(deps.db, {
    at,
    leaseUntil: new Date(at.getTime() + LEASE_MS),
    busyEndpoints: limiter.busyKeys(),
    slowEndpoints: [...slow],
    perEndpoint: limits.perEndpoint,
    perSlowEndpoint: limits.perSlowEndpoint,
    limit: Math.min(limiter.free(), MAX_CLAIM),
  })
  if (claimed.length === 0) return []
  const ids = [...new Set(claimed.map((delivery) => delivery.endpointId))]
  const [endpoints, rendered] = await Promise.all([
    readEndpoints(deps.db, ids),
    deps.render(claimed),
  ])
  const ready: Work[] = []
  const parked: { id: string; reason: string }[] = []
  for (const [i, delivery] of claimed.entries()) {
    const result = assertDefined(rendered[i], 'rendered data of a delivery')
    if (result.error) {
      parked.push({ id: delivery.id, reason: result.error.message })
      deps.onParked?.(delivery, result.error)
      continue
    }
    const endpoint = assertDefined(endpoints.get(delivery.endpointId), 'endpoint of a delivery')
    ready.push({ delivery, endpoint, data: result.data })
  }
  if (parked.length > 0) await parkDeliveries(deps.db, parked)
  return ready
}
