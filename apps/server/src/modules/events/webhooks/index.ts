// Webhooks: endpoints of tenants, deliveries of events to them, attempts of deliveries.
export { isAllowedAddress, urlProblem } from './address.ts'
export { sealContext } from './attempt.ts'
export {
  ATTEMPTS_BY_DAY,
  type AttemptOfEvent,
  type AttemptRecord,
  countAttempts,
  listAttempts,
  listAttemptsOfEvents,
  newestAttemptId,
} from './attempts.ts'
export { createDelivering, type DeliveryDeps } from './deliver.ts'
export {
  allowedUrl,
  changeEndpoint,
  createEndpoint,
  DISABLED_BY_OWNER,
  type EndpointChanges,
  type EndpointDeps,
  type HostRules,
  OVERLAP_HOURS,
  type OverlapHours,
  overlapUntil,
  RECOVERED_AT_ONCE,
  type ResendDeps,
  recover,
  refuseHost,
  resend,
  rotateSecret,
  type SendResult,
  sendTest,
  setEndpoint,
  TEST_EVENT,
} from './endpoint.ts'
export { findSentEvent } from './find-event.ts'
export { beginMonth, DELIVERIES_BY_MONTH } from './partitions.ts'
export type {
  DeferralCause,
  DialectName,
  Dialects,
  SecretBox,
  SignatureForm,
  SignedMessage,
  WebhookAnswer,
  WebhookDialect,
  WebhookRequest,
  WebhookSender,
} from './ports.ts'
export { createDirectPosts, type DirectDeps } from './post-directly.ts'
export { newSecret } from './secret.ts'
export {
  countDeadLetters,
  DELIVERIES_DUE,
  type DeadLetters,
  type Delivery,
  type DeliveryRecord,
  findDeliveryRecord,
  insertDeliveries,
  listAllDeliveries,
  listDeliveriesOfEvent,
  listWaitingDeliveries,
  readBacklog,
  requeueDeadLetters,
  skipOpenDeliveries,
} from './store/deliveries.ts'
export {
  closeEndpoints,
  type Endpoint,
  type EndpointName,
  findEndpoint,
  findEndpointId,
  findEndpointOf,
  listEndpoints,
  readEndpointIds,
  readEndpoints,
  removeEndpoint,
} from './store/endpoints.ts'
export { type DeliveriesQuery, listDeliveries } from './store/list-deliveries.ts'
