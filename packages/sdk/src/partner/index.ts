// The partner interface: its client, its errors, and the verification of order events.
export {
  type CallDetails,
  TradepostError,
  TransportError,
  type TransportReason,
} from '../errors.ts'
export type {
  Attempt,
  CallOptions,
  Fetch,
  MoneyOptions,
  Runtime,
  TradepostOptions,
} from '../options.ts'
export { type OnceOptions, oncePerEvent, type SeenEvents } from '../webhooks/once.ts'
export {
  type SignatureReason,
  type SignedDelivery,
  type VerifyOptions,
  WebhookSignatureError,
} from '../webhooks/signature.ts'
export {
  type PartnerAccount,
  type PartnerChildren,
  type PartnerMarket,
  type PartnerWallet,
  TradepostPartner,
} from './client.ts'
export type * from './generated/index.ts'
export { type OrderEventOptions, orderEvents, verifyOrderEvent } from './receive.ts'
