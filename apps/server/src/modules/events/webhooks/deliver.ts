// Delivery: claims what is due, renders and signs it now, posts it, and records what came back. A process
// that dies at any point leaves a lease behind, and the delivery is made again: at least once.
import { gathered } from '#infra/database/batch'
import { createClaimLoop } from '#infra/jobs/claim-loop'
import type { Capacity, Destination, Outcome, PermitBounds } from '#infra/jobs/permits'
import { assertDefined } from '#kernel/assert'
import { ATTEMPT_DEADLINE_MS, type Attempt, type AttemptDeps, attempt } from './attempt.ts'
import type { WebhookAnswer } from './ports.ts'
import { type RecordDeps, recordAttempts } from './record.ts'
import { addDeadLetters, claimDeliveries, type Delivery } from './store/deliveries.ts'
import { readEndpoints, type ServedEndpoint } from './store/endpoints.ts'

export interface DeliveryDeps extends AttemptDeps, RecordDeps {
  /**
   * The data of each delivery's event from the state of this moment, in the given order; an event that
   * cannot be rendered is its own error.
   */
  render(deliveries: readonly Delivery[]): Promise<readonly RenderedData[]>
  /** By the ids of subjects, the requests that they go back to. Asked for traces alone. */
  readRequestIds?(subjectIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  onDeadLetter?(delivery: Delivery, error: Error): void
}

type RenderedData =
  | { readonly data: unknown; readonly error?: undefined }
  | { readonly error: Error }

// The lease outlives the attempt and the recording of its result by far.
const LEASE_MS = ATTEMPT_DEADLINE_MS + 20_000
/** Keys are endpoints, owners tenants. Deliveries of one claim are rendered and signed together. */
const BOUNDS: PermitBounds = {
  total: 1024,
  perKey: 128,
  perOwner: 256,
  perUnhealthyKey: 8,
  unhealthy: 256,
  reserved: 128,
  perClaim: 256,
  broadcasts: 256,
}
/** Every merchant gets it at once; `webhooks.bring_forward` names it too. */
const BROADCAST_TYPE = 'service.status_changed'
const REFILL_MS = 50
const RECORDED_TOGETHER = 1024

/** Delivers what is due. Results that end while others are being written are written together after them. */
export function createDelivering(deps: DeliveryDeps): (signal: AbortSignal) => Promise<boolean> {
  return createClaimLoop({
    bounds: BOUNDS,
    refillMs: REFILL_MS,
    claim: (capacity) => claimAndRender(deps, capacity),
    destinationOf,
    post: ({ delivery, endpoint, data, requestId }) =>
      attempt(deps, delivery, endpoint, data, { manual: false, requestId }),
    outcomeOf: ({ answer }) => OUTCOMES[answer.kind],
    record: gathered({
      keyOf: () => '',
      write: async (ended: readonly Attempt[]) => {
        await recordAttempts(deps, ended)
        return ended.map(() => null)
      },
      maxBatchSize: RECORDED_TOGETHER,
    }),
  })
}

const OUTCOMES: Readonly<Record<WebhookAnswer['kind'], Outcome>> = {
  answered: 'answered',
  timeout: 'failed',
  blocked: 'failed',
  failed: 'failed',
  deferred: 'deferred',
}

const destinationOf = ({ delivery, endpoint }: Work): Destination => ({
  key: endpoint.id,
  siblings: endpoint.siblings,
  owner: endpoint.parentId ?? endpoint.tenantId,
  isUnproven: endpoint.provenAt === null,
  isBroadcast: delivery.eventType === BROADCAST_TYPE,
})

interface Work {
  readonly delivery: Delivery
  readonly endpoint: ServedEndpoint
  readonly data: unknown
  readonly requestId: string | undefined
}

/**
 * Deliveries that are due, ready to be posted. One that cannot be rendered becomes a dead letter; the others
 * go on.
 */
async function claimAndRender(deps: DeliveryDeps, capacity: Capacity): Promise<Work[]> {
  const at = deps.clock.now()
  const leaseUntil = new Date(at.getTime() + LEASE_MS)
  const claimed = await claimDeliveries(deps.db, { at, leaseUntil, capacity })
  if (claimed.length === 0) return []
  const ids = [...new Set(claimed.map((delivery) => delivery.endpointId))]
  const [endpoints, rendered, requests] = await Promise.all([
    readEndpoints(deps.db, ids),
    deps.render(claimed),
    deps.readRequestIds?.([...new Set(claimed.map(({ subjectId }) => subjectId))]),
  ])
  const ready: Work[] = []
  const deadLetters: Parameters<typeof addDeadLetters>[1][number][] = []
  for (const [i, delivery] of claimed.entries()) {
    const result = assertDefined(rendered[i], 'rendered data of a delivery')
    if (result.error) {
      deadLetters.push({ ...delivery, reason: result.error.message })
      deps.onDeadLetter?.(delivery, result.error)
      continue
    }
    const endpoint = assertDefined(endpoints.get(delivery.endpointId), 'endpoint of a delivery')
    const requestId = requests?.get(delivery.subjectId)
    ready.push({ delivery, endpoint, data: result.data, requestId })
  }
  if (deadLetters.length > 0) await addDeadLetters(deps.db, deadLetters)
  return ready
}
