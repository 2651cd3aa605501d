// Verification of webhooks, without the client.
export type { WebhookEvent, WebhookEventOf, WebhookEventType } from '../generated/events.ts'
export {
  APPROVAL_EVENT,
  type DecideWithdrawal,
  type ExpectedWithdrawal,
  isExpectedWithdrawal,
  type WithdrawalRecord,
} from './approval.ts'
export { type OnceOptions, oncePerEvent, type SeenEvents } from './once.ts'
export { receive, type WebhookAnswer, type WebhookHandlerOptions } from './receive.ts'
export {
  type SignatureReason,
  type SignedDelivery,
  type VerifyOptions,
  verifySignature,
  WEBHOOK_TOLERANCE_SECONDS,
  type WebhookHeaders,
  WebhookSignatureError,
} from './signature.ts'
export { verifyWebhook } from './verify.ts'
