// Webhooks: what they do for the rest of the house.
export { isPublicAddress } from './address.ts'
export { type AttemptOfEvent, listAttemptsOfEvents, pruneAttempts } from './attempts.ts'
export { createDelivering, type DeliveryDeps, type DeliveryLimits } from './deliver.ts'
export { createDispatch } from './dispatch.ts'
export {
  type EndpointDeps,
  OVERLAP_HOURS,
  type ResendDeps,
  recover,
  resend,
  rotateSecret,
  setEndpoint,
} from './endpoint.ts'
export type { SecretBox, WebhookAnswer, WebhookRequest, WebhookSender } from './ports.ts'
export { newSecret } from './sign.ts'
export {
  type Delivery,
  type DeliveryRecord,
  type Endpoint,
  findEndpoint,
  findEventOfDelivery,
  listDeliveries,
  readBacklog,
} from './store.ts'
