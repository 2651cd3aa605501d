// The dashboard's views of keys, the webhook endpoint and its deliveries.
import type {
  DashboardDelivery,
  DashboardEndpoint,
  DashboardKey,
  DeliveryDetail,
  KeyRequest as KeyRequestView,
  WebhookEndpoint,
} from '@tradepost/contract'
import type { KeyRequest, KeySummary } from '#identity'
import { type Cents, ZERO_CENTS } from '#kernel/money'
import { type AttemptRecord, type DeliveryRecord, type Endpoint, TEST_EVENT } from '#webhooks'
import { keyBoundsView } from '../merchant/key.ts'

const timeOrNull = (at: Date | null): string | null => at?.toISOString() ?? null

/** `spent` under its limit in the window of now. */
export const keyView = (key: KeySummary, spent: Cents = ZERO_CENTS): DashboardKey => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  last4: key.last4,
  status: key.status,
  allowlist: [...key.allowlist],
  ...keyBoundsView(key, spent),
  validUntil: timeOrNull(key.validUntil),
  createdAt: key.createdAt.toISOString(),
  lastUsedAt: timeOrNull(key.lastUsedAt),
})

export const keyRequestView = ({
  startedAt,
  errorKey,
  ...request
}: KeyRequest): KeyRequestView => ({
  ...request,
  startedAt: startedAt.toISOString(),
  error: errorKey,
})

export const endpointView = (endpoint: Endpoint, isOldest: boolean): DashboardEndpoint => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  events: endpoint.events === null ? null : [...endpoint.events],
  signature: endpoint.signature,
  status: endpoint.status === 'enabled' ? 'active' : 'disabled',
  disabledReason: endpoint.disabledReason,
  failingSince: timeOrNull(endpoint.failingSince),
  isOldest,
  createdAt: endpoint.createdAt.toISOString(),
})

/** `secret` of a new endpoint only. */
export const oldestEndpointView = (
  endpoint: Endpoint | null,
  {
    allowPrivate,
    approvesWithdrawals,
    secret,
  }: {
    readonly allowPrivate: boolean
    readonly approvesWithdrawals: boolean
    readonly secret: string | null
  },
): WebhookEndpoint => ({
  url: endpoint?.url ?? null,
  status: endpoint?.status ?? null,
  failingSince: timeOrNull(endpoint?.failingSince ?? null),
  disabledReason: endpoint?.disabledReason ?? null,
  secret,
  allowsPrivate: allowPrivate,
  approvesWithdrawals,
})

export const deliveryDetailView = (
  delivery: DeliveryRecord,
  event: { readonly id: string; readonly subjectType: string } | null,
  attempts: readonly AttemptRecord[],
): DeliveryDetail => ({
  ...deliveryView(delivery),
  event,
  history: attempts.map((attempt) => ({
    startedAt: attempt.startedAt.toISOString(),
    durationMs: attempt.durationMs,
    manual: attempt.manual,
    requestHeaders: { ...attempt.requestHeaders },
    requestBody: attempt.requestBody,
    status: attempt.responseStatus,
    responseBody: attempt.responseBody,
    error: attempt.error,
  })),
})

export const deliveryView = (delivery: DeliveryRecord): DashboardDelivery => ({
  id: delivery.id,
  endpointId: delivery.endpointId,
  type: delivery.eventType,
  isTest: delivery.eventType === TEST_EVENT,
  subjectId: delivery.subjectId,
  status: delivery.status,
  attempts: delivery.attempts,
  lastStatus: delivery.lastStatus,
  lastError: delivery.lastError,
  createdAt: delivery.createdAt.toISOString(),
  nextAttemptAt: ['pending', 'retrying'].includes(delivery.status)
    ? delivery.dueAt.toISOString()
    : null,
})
