// Delivery: claims what is due, renders and signs it now, posts it, and records what came back. A process
// that dies at any point leaves a lease behind, and the delivery is made again: at least once.

import type { Clock } from '#infra/clock'
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '#infra/concurrency-limiter'
import type { Db } from '#infra/db'
import { assertDefined } from '#kernel/assert'
import { type AttemptRecord, insertAttempts } from './attempts.ts'
import type { SecretBox, WebhookAnswer, WebhookSender } from './ports.ts'
import { isGone, isSuccess, mustDisable, noticesDue, retryDelayMs } from './schedule.ts'
import { signedHeaders } from './sign.ts'
import {
  claimDeliveries,
  type Delivery,
  disableEndpoint,
  type Endpoint,
  finishDeliveries,
  insertNotice,
  readEndpoints,
  recordFailure,
  recordSuccess,
  type Verdict,
} from './store.ts'

export interface DeliveryDeps {
  readonly db: Db
  readonly clock: Clock
  readonly sender: WebhookSender
  readonly secrets: SecretBox
  /** The `data` of each delivery's event from the state of this moment, in the order asked. */
  render(deliveries: readonly Delivery[]): Promise<readonly unknown[]>
  /** A number in [0, 1). */
  chance(): number
  readonly limits?: Partial<DeliveryLimits>
  onAttempt?(
    delivery: Delivery,
    endpoint: Endpoint,
    answer: WebhookAnswer,
    durationMs: number,
  ): void
  onNotice?(endpointId: string, kind: string): void
}

export interface DeliveryLimits {
  /** Posts under way at once in this process, and to one endpoint. */
  readonly inFlight: number
  readonly perEndpoint: number
  /** To one whose last answer took long or never came. */
  readonly perSlowEndpoint: number
}

/** For everything that one attempt does. */
const ATTEMPT_DEADLINE_MS = 10_000
// The lease outlives the attempt and the recording of its result by far.
const LEASE_MS = ATTEMPT_DEADLINE_MS + 20_000
// An endpoint that goes silent may take its 128 places for one deadline, then only a few: the others are for
// those that answer.
const DEFAULT_LIMITS: DeliveryLimits = { inFlight: 1024, perEndpoint: 128, perSlowEndpoint: 8 }
/** An attempt that took so long makes its endpoint a slow one, until a quicker one ends that. */
const SLOW_MS = 1000
/** Rendered and signed in one go. */
const MAX_CLAIM = 256
const RESPONSE_KEPT_CHARACTERS = 16_384

interface Attempt {
  readonly delivery: Delivery
  readonly endpoint: Endpoint
  readonly answer: WebhookAnswer
  readonly record: AttemptRecord
}

/** How long the loop waits at most before it looks again at what is due. */
const REFILL_MS = 20
/** Results that wait to be recorded; beyond these nothing more is posted. */
const MAX_UNRECORDED = 1024

/**
 * Works until nothing is due and nothing is under way, or the signal says stop; then what is under way is
 * brought to its end. Free places are filled while slow endpoints still take their time. A place is free
 * when its answer is there: the leases outlive the recording, and sockets that wait for commits are idle.
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
      while (!signal.aborted) {
        const wasQuiet = limiter.running() === 0 && recorder.unrecorded() === 0
        const hasRoom = limiter.free() > 0 && recorder.unrecorded() < MAX_UNRECORDED
        const due = hasRoom ? await claimAndRender(deps, { limiter, limits, slow }) : []
        for (const { delivery, endpoint, data } of due) {
          limiter.add(endpoint.id, work(delivery, endpoint, data))
        }
        if (due.length === 0 && wasQuiet) return false
        await limiter.waitForCapacity(REFILL_MS)
        recorder.check()
      }
    } finally {
      await limiter.allEnded()
      await recorder.allRecorded()
    }
    return false
  }
}

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
): Promise<{ delivery: Delivery; endpoint: Endpoint; data: unknown }[]> {
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
  const [endpoints, data] = await Promise.all([readEndpoints(deps.db, ids), deps.render(claimed)])
  return claimed.map((delivery, i) => ({
    delivery,
    endpoint: assertDefined(endpoints.get(delivery.endpointId), 'endpoint of a delivery'),
    data: data[i],
  }))
}

/** One signed POST. Renders nothing and records nothing. */
export async function attempt(
  {
    clock,
    sender,
    secrets,
    onAttempt,
  }: Pick<DeliveryDeps, 'clock' | 'sender' | 'secrets' | 'onAttempt'>,
  delivery: Delivery,
  endpoint: Endpoint,
  data: unknown,
  { manual }: { manual: boolean },
): Promise<Attempt> {
  const startedAt = clock.now()
  const body = JSON.stringify({
    id: delivery.id,
    type: delivery.eventType,
    createdAt: delivery.createdAt.toISOString(),
    data,
  })
  const headers = signedHeaders(
    { id: delivery.id, timestampSeconds: Math.floor(startedAt.getTime() / 1000), body },
    secretsAt(endpoint, secrets, startedAt),
  )
  const begun = performance.now()
  const answer = await sender.post({
    url: endpoint.url,
    headers,
    body,
    deadlineMs: ATTEMPT_DEADLINE_MS,
  })
  const durationMs = Math.round(performance.now() - begun)
  onAttempt?.(delivery, endpoint, answer, durationMs)
  return {
    delivery,
    endpoint,
    answer,
    record: {
      deliveryId: delivery.id,
      number: delivery.attempts + 1,
      manual,
      startedAt,
      durationMs,
      requestHeaders: headers,
      requestBody: body,
      responseStatus: answer.kind === 'answered' ? answer.status : null,
      responseBody: answer.kind === 'answered' ? kept(answer.body) : null,
      error: errorOf(answer),
    },
  }
}

function secretsAt(
  endpoint: Endpoint,
  secrets: SecretBox,
  at: Date,
): { current: string; previous: string | null } {
  const { secretSealed, previousSecretSealed, previousSecretUntil } = endpoint
  const open = (sealed: string): string => {
    const texts = opened.get(endpoint) ?? new Map<string, string>()
    opened.set(endpoint, texts)
    const text = texts.get(sealed) ?? secrets.open(sealed, sealContext(endpoint))
    texts.set(sealed, text)
    return text
  }
  const overlaps =
    previousSecretSealed !== null && previousSecretUntil !== null && at < previousSecretUntil
  return { current: open(secretSealed), previous: overlaps ? open(previousSecretSealed) : null }
}

/** By sealed text, for as long as an endpoint that was read is in use: a batch opens each once. */
const opened = new WeakMap<Endpoint, Map<string, string>>()

/** What an endpoint's secrets are sealed to. */
export const sealContext = ({ merchantId }: { readonly merchantId: string }): string =>
  `webhook-secret:${merchantId}`

// PostgreSQL's text cannot hold the NUL character.
const kept = (body: string): string =>
  body.slice(0, RESPONSE_KEPT_CHARACTERS).replaceAll('\0', '\uFFFD')

function errorOf(answer: WebhookAnswer): string | null {
  switch (answer.kind) {
    case 'answered':
      return isSuccess(answer) ? null : `answered ${answer.status}`
    case 'timeout':
      return 'no answer in time'
    case 'blocked':
      return 'address not allowed'
    case 'failed':
      return answer.detail
  }
}

/**
 * Records results in batches: whatever has ended while the last batch was being written goes into the
 * next one, so that a slow endpoint delays nobody's verdict and a fast one costs few statements.
 */
function createRecorder(
  deps: DeliveryDeps,
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

async function record(deps: DeliveryDeps, attempts: readonly Attempt[]): Promise<void> {
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
  deps: DeliveryDeps,
  tx: Parameters<typeof recordFailure>[0],
  endpointId: string,
  group: readonly Attempt[],
  { exhausted, at }: { exhausted: number; at: Date },
): Promise<void> {
  const failing = await recordFailure(tx, { endpointId, attempts: group.length, exhausted, at })
  if (!failing || failing.status === 'disabled') return
  const { failingSince } = failing
  const tell = async (kind: string): Promise<void> => {
    if (await insertNotice(tx, { endpointId, failingSince, kind, at }))
      deps.onNotice?.(endpointId, kind)
  }
  if (group.some((one) => isGone(one.answer))) {
    await disableEndpoint(tx, { id: endpointId, reason: 'the endpoint answered 410 Gone', at })
    await tell('disabled')
    return
  }
  for (const kind of noticesDue(failing, at)) await tell(kind)
  if (mustDisable(failing, at)) {
    await disableEndpoint(tx, { id: endpointId, reason: 'no success for 72 hours', at })
    await tell('disabled')
  }
}
