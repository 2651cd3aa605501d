// The dashboard's views of keys, the webhook endpoint and its deliveries.
import type {
  DashboardDelivery,
  DashboardKey,
  DeliveryDetail,
  WebhookEndpoint,
} from '@tradepost/contract'
import type { KeySummary } from '#identity'
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

/** `secret` of a new endpoint only. */
export const endpointView = (
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
