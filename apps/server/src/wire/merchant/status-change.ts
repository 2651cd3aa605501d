// A change of the service's status, as its event says it.
import type { StatusEventData } from '@tradepost/contract'
import type { Period } from '#status'

/** The data of the event, as webhooks, feed and sockets have it. */
export function statusChangeView({
  component,
  name,
  status,
  previous,
  reason,
  fromAt,
}: Pick<
  Period,
  'component' | 'name' | 'status' | 'previous' | 'reason' | 'fromAt'
>): StatusEventData {
  const hasName = component !== 'trading' && component !== 'platform'
  return {
    component,
    // A change of gateway or on-ramp has none: the contract knows markets and chains as names.
    name: hasName && name !== 'gateway' && name !== 'onramp' ? name : null,
    status,
    previous: previous ?? 'operational',
    since: fromAt.toISOString(),
    ...(reason !== null && { reason }),
  }
}
