// The names of a delivery's headers. It imports nothing: what only sends deliveries loads no schema.

export const WEBHOOK_ID_HEADER = 'webhook-id'
export const WEBHOOK_TIMESTAMP_HEADER = 'webhook-timestamp'
export const WEBHOOK_SIGNATURE_HEADER = 'webhook-signature'
/** The signature of what is delivered to a partner. */
export const SERVICE_SIGNATURE_HEADER = 'x-service-signature'
export const WEBHOOK_USER_AGENT = 'Service-Webhooks/1.0'
