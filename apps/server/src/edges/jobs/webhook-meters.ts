// What is measured and logged of webhook deliveries.
import type { RootLog } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import type { Delivery } from '#webhooks'

export function webhookMeters(metrics: Metrics, log: RootLog) {
  const attempts = metrics.histogram('webhook_attempt_seconds', 'Time of one webhook attempt', {
    labels: ['outcome'],
  })
  const unrecorded = metrics.counter(
    'webhook_results_unrecorded_total',
    'Results of webhook attempts that could not be written; the deliveries are sent again',
  )
  return {
    onAttempt: (
      _delivery: unknown,
      _endpoint: unknown,
      answer: { kind: string; status?: number },
      durationMs: number,
    ) => {
      const outcome =
        answer.kind === 'answered' ? `${Math.floor((answer.status ?? 0) / 100)}xx` : answer.kind
      attempts.labels(outcome).observe(durationMs / 1000)
    },
    onNotice: (endpointId: string, kind: string) =>
      log.warn({ alarm: 'webhook_endpoint', endpointId, kind }, 'webhook endpoint fails'),
    onUnrecorded: (endpointId: string, count: number, error: unknown) => {
      unrecorded.inc(count)
      log.error({ endpointId, count, err: error }, 'webhook results not recorded')
    },
    onDeadLetter: ({ id, eventType, tenantId }: Delivery, error: Error) =>
      log.error(
        { alarm: 'webhook_parked', deliveryId: id, eventType, tenantId, err: error },
        'webhook delivery parked',
      ),
  }
}
