// One attempt: a signed POST of a delivery. It renders nothing and records nothing.
import type { Clock } from '#infra/process/clock'
import { beginFor, beginPart, type Span } from '#infra/tracing/tracing'
import { cut } from '#kernel/text'
import type { AttemptRecord } from './attempts.ts'
import type { Dialects, SecretBox, WebhookAnswer, WebhookSender } from './ports.ts'
import { isSuccess } from './schedule.ts'
import type { Delivery } from './store/deliveries.ts'
import type { Endpoint } from './store/endpoints.ts'

export interface AttemptDeps {
  readonly clock: Clock
  readonly sender: WebhookSender
  readonly secrets: SecretBox
  readonly dialects: Dialects
  onAttempt?(
    delivery: Delivery,
    endpoint: Endpoint,
    answer: WebhookAnswer,
    durationMs: number,
  ): void
}

export interface Attempt {
  readonly delivery: Delivery
  readonly endpoint: Endpoint
  readonly answer: WebhookAnswer
  readonly record: AttemptRecord
}

/** For everything that one attempt does. */
export const ATTEMPT_DEADLINE_MS = 10_000
const RESPONSE_KEPT_CHARACTERS = 16_384

/** `requestId`: the request that the event goes back to, where it is known. */
export async function attempt(
  { clock, sender, secrets, dialects, onAttempt }: AttemptDeps,
  delivery: Delivery,
  endpoint: Endpoint,
  data: unknown,
  { manual, requestId }: { manual: boolean; requestId?: string | undefined },
): Promise<Attempt> {
  const startedAt = clock.now()
  const dialect = dialects[endpoint.dialect]
  const { webhookId: id, eventType, createdAt } = delivery
  const body = dialect.body({ id, eventType, createdAt }, data)
  const headers = dialect.headers(
    { id, timestampSeconds: Math.floor(startedAt.getTime() / 1000), body },
    secretsAt(endpoint, secrets, startedAt),
    endpoint.signature,
  )
  const span = beginAttempt(delivery, requestId)
  if (sender.sendsTraceparent && span !== null) headers.traceparent = span.traceparent
  const begun = performance.now()
  const answer = await sender.post({
    owner: endpoint.parentId ?? endpoint.tenantId,
    url: endpoint.url,
    headers,
    body,
    deadlineMs: ATTEMPT_DEADLINE_MS,
  })
  const durationMs = Math.round(performance.now() - begun)
  if (span !== null) endAttempt(span, answer)
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
      responseBody: answer.kind === 'answered' ? cut(answer.body, RESPONSE_KEPT_CHARACTERS) : null,
      error: errorOf(answer),
    },
  }
}

function beginAttempt(
  { id, eventType, attempts }: Delivery,
  requestId: string | undefined,
): Span | null {
  const span =
    (requestId === undefined ? null : beginFor(requestId, ATTEMPT_SPAN, 'client')) ??
    beginPart(ATTEMPT_SPAN)
  span?.set('tradepost.delivery_id', id)
  span?.set('tradepost.event_type', eventType)
  span?.set('tradepost.attempt', attempts + 1)
  return span
}
const ATTEMPT_SPAN = 'webhook attempt'

/** Neither the address nor what it answered: both are the merchant's. */
export function endAttempt(span: Span, answer: WebhookAnswer): void {
  span.set('tradepost.outcome', answer.kind)
  if (answer.kind === 'answered') span.set('http.response.status_code', answer.status)
  const isWell = isSuccess(answer) || answer.kind === 'deferred'
  span.end(isWell ? undefined : answer.kind)
}

/** What signs at a moment: the secret, and the previous one while it overlaps. */
export function secretsAt(
  endpoint: SigningSecrets,
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
const opened = new WeakMap<SigningSecrets, Map<string, string>>()

export type SigningSecrets = Pick<
  Endpoint,
  'tenantId' | 'secretSealed' | 'previousSecretSealed' | 'previousSecretUntil'
>

/** What an endpoint's secrets are sealed to. */
export const sealContext = ({ tenantId }: { readonly tenantId: string }): string =>
  `webhook-secret:${tenantId}`

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
    case 'deferred':
      return `deferred: ${answer.cause}`
  }
}
